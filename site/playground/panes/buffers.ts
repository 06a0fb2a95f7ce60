/** Buffers as plots and as tables. */
import type { BufferTable } from '../machine/run-protocol.ts'
import { element } from './element.ts'

interface View {
  readonly key: string
  readonly root: HTMLElement
  update(table: BufferTable): void
}

/** Shows tables in an element. While a buffer stays the same kind, what the visitor opened stays open. */
export function bufferViews(into: HTMLElement): { show(tables: readonly BufferTable[]): void } {
  let views: View[] = []
  return {
    show(tables) {
      const keys = tables.map(t => JSON.stringify([t.name, t.elements, t.columns]))
      if (keys.join() !== views.map(v => v.key).join()) {
        views = tables.map((t, i) => viewOf(t, keys[i]!))
        into.replaceChildren(...views.map(v => v.root))
      }
      tables.forEach((t, i) => views[i]!.update(t))
    },
  }
}

function viewOf(table: BufferTable, key: string): View {
  const { name, elements, columns, rows } = table
  const plot = plotOf(table)
  const cells: HTMLTableCellElement[] = []
  const body = element('tbody')
  rows.forEach((row, i) => {
    const line = element('tr', {}, element('th', { scope: 'row' }, `${i}`))
    const own = row.map(() => element('td'))
    cells.push(...own)
    line.append(...own)
    body.append(line)
  })
  const heads = ['', ...columns.map(c => (c === '' ? 'value' : c))].map(c => element('th', { scope: 'col' }, c))
  const caption = element(
    'caption',
    {},
    rows.length < elements ? `The first ${rows.length} of ${elements} elements` : `${elements} elements`,
  )
  const scroll = element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Numbers of ${name}` })
  scroll.append(element('table', {}, caption, element('thead', {}, element('tr', {}, ...heads)), body))
  const details = element('details', { class: 'numbers' }, element('summary', {}, 'Numbers'), scroll)
  const root = element(
    'section',
    { class: 'buffer', 'data-testid': `buffer-${name}` },
    element('h3', {}, name),
    plot.root,
    details,
  )
  let last = table
  const fill = (): void => last.rows.flat().forEach((n, i) => (cells[i]!.textContent = shown(n)))
  details.addEventListener('toggle', () => {
    if (details.open) fill()
  })
  return {
    key,
    root,
    update(now) {
      last = now
      plot.update(now)
      // Nobody sees a closed table.
      if (details.open) fill()
    },
  }
}

const [width, height] = [320, 96]
/** More curves than these cannot be told apart. */
const curves = 4

function plotOf({ name, columns }: BufferTable): {
  readonly root: SVGSVGElement
  readonly update: (table: BufferTable) => void
} {
  const space = 'http://www.w3.org/2000/svg'
  const root = document.createElementNS(space, 'svg')
  root.setAttribute('viewBox', `0 0 ${width} ${height}`)
  root.setAttribute('class', 'plot')
  root.setAttribute('role', 'img')
  const lines = columns.slice(0, curves).map((_, i) => {
    const line = document.createElementNS(space, 'polyline')
    line.setAttribute('class', `curve curve-${i}`)
    root.append(line)
    return line
  })
  const update = ({ rows }: BufferTable): void => {
    const numbers = rows.flatMap(r => r.slice(0, curves)).filter(n => Number.isFinite(n))
    const low = numbers.reduce((a, b) => Math.min(a, b), Infinity)
    const high = numbers.reduce((a, b) => Math.max(a, b), -Infinity)
    const range = high > low ? high - low : 1
    root.setAttribute(
      'aria-label',
      numbers.length === 0 ? `${name} has no finite numbers` : `${name} from ${shown(low)} to ${shown(high)}`,
    )
    lines.forEach((line, i) => {
      const points = rows.flatMap((row, x) => {
        const n = row[i]!
        if (!Number.isFinite(n)) return []
        const across = rows.length === 1 ? width / 2 : (x / (rows.length - 1)) * width
        return [`${across.toFixed(1)},${(height - 4 - ((n - low) / range) * (height - 8)).toFixed(1)}`]
      })
      line.setAttribute('points', points.join(' '))
    })
  }
  return { root, update }
}

function shown(n: number): string {
  return Number.isInteger(n) ? `${n}` : `${Number(n.toPrecision(6))}`
}
