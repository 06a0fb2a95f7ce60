/** What is trained, as sliders. An arrow beside each says where training takes the number, and how fast. */
import type { Opened, Told } from '../machine/train-protocol.ts'
import { numberText } from '../strip.ts'
import { element } from './element.ts'

interface Row {
  readonly root: HTMLElement
  readonly update: (value: number, gradient: number, largest: number) => void
}

/** Sliders for the numbers of a session. */
export function sliders(
  opened: Opened,
  change: (at: number, value: number) => void,
): { readonly root: HTMLElement; readonly update: (told: Told) => void } {
  const { numbers } = opened.told
  let next = 0
  const rows: Row[] = []
  const lengths: HTMLElement[] = []
  const groups = opened.slices.map(({ name, count, shown }) => {
    const own = shown.map(({ at, name: label }) => {
      const first = numbers[next++]!
      return rowOf(label, first, value => change(at, value))
    })
    rows.push(...own)
    const length = element('span', { class: 'quiet' })
    lengths.push(length)
    const more = count > shown.length ? `The first ${shown.length} of ${count} numbers.` : ''
    return element(
      'section',
      { class: 'slice', 'data-testid': `slice-${name}` },
      element('h3', {}, name),
      element('p', { class: 'quiet' }, length, more === '' ? '' : ` ${more}`),
      ...own.map(r => r.root),
    )
  })
  const root = element('div', { class: 'slices' }, ...groups)
  const update = (told: Told): void => {
    const largest = told.gradients.reduce((most, g) => Math.max(most, Math.abs(g)), 0)
    rows.forEach((row, i) => row.update(told.numbers[i]!, told.gradients[i]!, largest))
    lengths.forEach((l, i) => (l.textContent = `Length of the gradient: ${numberText(told.lengths[i]!)}.`))
  }
  update(opened.told)
  return { root, update }
}

/** The widest arrow, in pixels. */
const longest = 28

function rowOf(label: string, first: number, change: (value: number) => void): Row {
  const input = element('input', { type: 'range', step: 'any', 'data-testid': `number-${label}`, 'aria-label': label })
  const value = element('output', {})
  const arrow = element('span', { class: 'arrow', 'aria-hidden': 'true' })
  const told = element('span', { class: 'hidden' })
  const side = element('span', { class: 'side' }, arrow, told)
  // A range that holds where the number begins, and grows with it.
  let reach = Math.max(2, 2 * Math.abs(first))
  const stretch = (n: number): void => {
    while (Math.abs(n) > reach && reach < 1e30) reach *= 2
    input.min = `${-reach}`
    input.max = `${reach}`
  }
  stretch(first)
  let isHeld = false
  input.addEventListener('pointerdown', () => (isHeld = true))
  for (const end of ['pointerup', 'pointercancel', 'blur']) input.addEventListener(end, () => (isHeld = false))
  input.addEventListener('input', () => {
    value.textContent = numberText(Number(input.value))
    change(Number(input.value))
  })
  return {
    root: element('div', { class: 'number-row' }, element('span', { class: 'label' }, label), input, value, side),
    update(now, gradient, largest) {
      if (!isHeld && Number.isFinite(now)) {
        stretch(now)
        input.value = `${now}`
      }
      if (!isHeld) value.textContent = numberText(now)
      input.setAttribute('aria-valuetext', `${numberText(now)}, ${directionOf(gradient)}`)
      const share = largest > 0 && Number.isFinite(gradient) ? Math.abs(gradient) / largest : 0
      arrow.style.width = `${Math.round(share * longest)}px`
      // Downhill is against the gradient.
      side.dataset['way'] = gradient > 0 ? 'down' : gradient < 0 ? 'up' : 'none'
      told.textContent = directionOf(gradient)
      side.title = `gradient ${numberText(gradient)}`
    },
  }
}

function directionOf(gradient: number): string {
  if (!Number.isFinite(gradient)) return `gradient ${gradient}`
  if (gradient === 0) return 'gradient 0: the loss does not change here'
  return `gradient ${numberText(gradient)}: ${gradient > 0 ? 'less' : 'more'} of it lowers the loss`
}
