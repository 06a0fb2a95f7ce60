/** The losses as a curve. */
import { scaleLinear, scaleLog } from 'd3-scale'
import { line } from 'd3-shape'
import { numberText } from '../strip.ts'
import { element } from './element.ts'

const space = 'http://www.w3.org/2000/svg'
const [width, height] = [480, 200]
const margin = { left: 64, right: 12, top: 12, bottom: 28 }
/** A loss that falls by more than this factor is drawn on a logarithmic scale. */
const wide = 20

function svg(tag: string, attributes: Readonly<Record<string, string>>, text = ''): SVGElement {
  const made = document.createElementNS(space, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.textContent = text
  return made
}

/** A plot, and what draws a curve in it: step and loss by turns. */
export function lossPlot(): { readonly root: HTMLElement; readonly draw: (curve: Float32Array) => void } {
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'losses', role: 'img' })
  const summary = element('p', { class: 'summary', 'data-testid': 'loss-summary' })
  const root = element('figure', { class: 'loss-plot' }, picture, element('figcaption', {}, summary))
  const draw = (curve: Float32Array): void => {
    const points = Array.from({ length: curve.length / 2 }, (_, i) => [curve[2 * i]!, curve[2 * i + 1]!] as const)
    picture.replaceChildren()
    const said = summaryOf(points)
    summary.textContent = said
    picture.setAttribute('aria-label', said)
    if (points.length === 0) return
    const losses = points.map(([, loss]) => loss)
    const [low, high] = [Math.min(...losses), Math.max(...losses)]
    const isLog = low > 0 && high / low > wide
    const [from, to] = [points[0]![0], points.at(-1)![0]]
    const x = scaleLinear()
      .domain([from, to > from ? to : from + 1])
      .range([margin.left, width - margin.right])
    const flat = high > low ? 0 : Math.max(Math.abs(high) / 2, 1e-6)
    const y = (isLog ? scaleLog() : scaleLinear())
      .domain([low - flat, high + flat])
      .range([height - margin.bottom, margin.top])
    const ticks = y.ticks(4).filter((_, i, all) => all.length <= 6 || i % Math.ceil(all.length / 6) === 0)
    for (const tick of ticks)
      picture.append(
        svg('line', {
          class: 'grid',
          x1: `${margin.left}`,
          x2: `${width - margin.right}`,
          y1: `${y(tick)}`,
          y2: `${y(tick)}`,
        }),
        svg('text', { x: `${margin.left - 6}`, y: `${y(tick) + 4}`, 'text-anchor': 'end' }, shortText(tick)),
      )
    for (const tick of x.ticks(5).filter(Number.isInteger))
      picture.append(svg('text', { x: `${x(tick)}`, y: `${height - 8}`, 'text-anchor': 'middle' }, `${tick}`))
    const path = line<readonly [number, number]>(
      p => x(p[0]),
      p => y(p[1]),
    )(points)
    picture.append(svg('path', { class: 'curve', d: path ?? '' }))
    const last = points.at(-1)!
    picture.append(svg('circle', { class: 'last', cx: `${x(last[0])}`, cy: `${y(last[1])}`, r: '3' }))
  }
  return { root, draw }
}

function shortText(n: number): string {
  const size = Math.abs(n)
  return n !== 0 && (size < 0.001 || size >= 100_000) ? n.toExponential(0) : `${Number(n.toPrecision(3))}`
}

function summaryOf(points: readonly (readonly [number, number])[]): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return 'There is no loss yet.'
  if (first === last) return `The loss at step ${first[0]} is ${numberText(first[1])}.`
  return `The loss went from ${numberText(first[1])} at step ${first[0]} to ${numberText(last[1])} at step ${last[0]}.`
}
