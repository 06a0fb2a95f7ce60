/** The table of the pane Explain: for a function, each value that its reverse pass needs, and what becomes of it. */
import { changeOf, costOf, counted, matters, merged, number, type Explained, type Value } from './explain-answer.ts'
import { element } from './element.ts'

/** Tables are open until they have so many rows together; the others open by a click. */
const openRows = 300

const heads = ['line', 'value', 'decision', 'cost', 'why', 'instead'] as const

/** How to draw tables. */
export interface TableOptions {
  /** Also values that only serve to compute others. */
  readonly all: boolean
  /** Whether the table of a function was open before; undefined where there was none. */
  readonly wasOpen: (name: string) => boolean | undefined
  readonly go: (line: number, character: number) => void
}

/** The tables of all functions. */
export function explainTables(functions: readonly Explained[], options: TableOptions): readonly HTMLElement[] {
  let rows = 0
  return functions.map(f => {
    const values = merged(f.values.filter(v => options.all || matters(v)))
    rows += values.length
    return section(f, values, options.wasOpen(f.name) ?? rows <= openRows, options)
  })
}

function section(f: Explained, values: readonly Value[], isOpen: boolean, options: TableOptions): HTMLElement {
  const name = element('code', {}, f.name)
  const details = element(
    'details',
    {
      class: 'explained-function',
      'data-function': f.name,
      'data-bytes': `${f.bytes}`,
      'data-operations': `${f.operations}`,
    },
    element('summary', {}, name, ` ${totalsOf(f)}`),
  )
  let isDrawn = false
  const draw = (): void => {
    if (isDrawn) return
    isDrawn = true
    details.append(contents(f, values, options))
  }
  details.open = isOpen
  if (isOpen) draw()
  details.addEventListener('toggle', draw)
  return details
}

function contents(f: Explained, values: readonly Value[], { go }: TableOptions): HTMLElement {
  if (f.custom)
    return element('p', { class: 'empty' }, 'Its reverse derivative is written by hand, and stores nothing.')
  if (values.length === 0) return element('p', { class: 'empty' }, 'Its reverse pass needs no value of the function.')
  const body = element('tbody', {}, ...values.map(v => rowOf(v, go)))
  const head = element('thead', {}, element('tr', {}, ...heads.map(h => element('th', { scope: 'col' }, h))))
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Values of ${f.name}` },
    element('table', {}, head, body),
  )
}

function rowOf(v: Value, go: TableOptions['go']): HTMLElement {
  const { line, character } = v.range.start
  const place = element('button', { type: 'button', class: 'to-place' }, v.value)
  place.addEventListener('click', () => go(line, character))
  return element(
    'tr',
    { 'data-line': `${line}`, 'data-decision': v.decision },
    element('td', {}, number(line + 1)),
    element('th', { scope: 'row' }, place),
    element('td', {}, element('span', { class: `explained ${v.decision}` }, v.decision)),
    element('td', {}, costOf(v)),
    element('td', {}, v.reason),
    element('td', {}, changeOf(v)),
  )
}

function totalsOf({ custom, bytes, memory, operations, values }: Explained): string {
  if (custom) return 'has a derivative of its own'
  // What callees take while they are done again comes on top.
  const more = memory > bytes ? `, ${number(memory - bytes)} B more for a while` : ''
  const unbounded = values.some(v => v.decision === 'stored' && v.trips === null)
    ? ' and more with each trip of a loop'
    : ''
  return `${number(bytes)} B stored${unbounded}${more}, ${counted(operations, 'operation')} done again`
}
