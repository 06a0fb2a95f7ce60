/** Sliders, colours and numbers for the uniforms that a visitor sets. */
import type { Control } from '../machine/run-protocol.ts'
import { element } from './element.ts'

type Values = Readonly<Record<string, number | readonly number[]>>

/** What is drawn, by element: as long as the program has the same controls, they keep what was set. */
const drawn = new WeakMap<HTMLElement, { readonly key: string; readonly values: () => Values }>()

/** Draws controls, and tells what is set. Where the same ones are there already, it tells what they stand at. */
export function controls(into: HTMLElement, list: readonly Control[], tell: (values: Values) => void): void {
  const key = JSON.stringify(list)
  const before = drawn.get(into)
  if (before?.key === key) {
    if (list.length > 0) tell(before.values())
    return
  }
  const made = list.map(c => one(c, tell))
  into.replaceChildren(...made.map(m => m.row))
  drawn.set(into, { key, values: () => Object.assign({}, ...made.map(m => m.value())) as Values })
}

function one(
  control: Control,
  tell: (values: Values) => void,
): { readonly row: HTMLElement; readonly value: () => Values } {
  const { name } = control
  const input = element('input', { ...attributesOf(control), 'data-testid': `control-${name}` })
  const shown = element('output', {}, shownValue(control, input.value))
  const value = (): Values => ({ [name]: valueOf(control, input.value) })
  input.addEventListener('input', () => {
    shown.textContent = shownValue(control, input.value)
    tell(value())
  })
  return { row: element('label', { class: 'control' }, element('span', {}, name), input, shown), value }
}

function attributesOf(control: Control): Record<string, string> {
  switch (control.kind) {
    case 'slider': {
      const { min, max, value } = control
      return { type: 'range', min: `${min}`, max: `${max}`, step: 'any', value: `${value}` }
    }
    case 'color':
      return { type: 'color', value: hexOf(control.value) }
    case 'number':
      return { type: 'number', value: `${control.value}`, step: control.whole ? '1' : 'any' }
  }
}

function valueOf(control: Control, text: string): number | readonly number[] {
  if (control.kind !== 'color') return Number.isFinite(Number(text)) ? Number(text) : control.value
  return [1, 3, 5].map(i => Number.parseInt(text.slice(i, i + 2), 16) / 255)
}

function shownValue(control: Control, text: string): string {
  return control.kind === 'slider' ? `${Number(Number(text).toPrecision(4))}` : ''
}

function hexOf(color: readonly number[]): string {
  const part = (c: number): string =>
    Math.round(Math.min(1, Math.max(0, c)) * 255)
      .toString(16)
      .padStart(2, '0')
  return `#${color.map(part).join('')}`
}
