/** The picture of a stage: an SVG with a box for each line of the IR, and a line from each value to where it is used. */
import type { Row } from './flow.ts'
import type { Column, Role, StageView } from './stages.ts'

const rowHeight = 30
const boxHeight = 22
const boxWidth = 216
/** What lies between a column and the edge of the picture, for the lines within the column. */
const margin = 44
/** What lies between two columns, for the residuals. */
const gap = 72
const titleHeight = 26
const indent = 12
/** More rows than that are not drawn. */
const mostRows = 160

const signs: Readonly<Record<string, string>> = {
  add: '+',
  sub: '−',
  mul: '·',
  div: '/',
  lt: '<',
  gt: '>',
  le: '≤',
  ge: '≥',
  eq: '=',
  ne: '≠',
}

/** A name without its `%`, unless only a number is left. */
const plain = (name: string): string => (/^%\d+$/.test(name) ? name : name.slice(1))

/** What a box says: `a = x · y`. */
export function labelOf(row: Row): string {
  const { op, attribute, args, kind } = row
  const names = args.map(plain)
  const defined = row.defines.map(v => plain(v.name)).join(', ')
  if (kind === 'parameter') return defined
  const sign = signs[op]
  const what =
    sign !== undefined && names.length === 2
      ? `${names[0]} ${sign} ${names[1]}`
      : op === 'call'
        ? `${attribute.replace(/^@/, '').replace(/_(float|double|half)(\d|x)*$/, '')}(${names.join(', ')})`
        : op === 'const'
          ? attribute
          : [op, attribute, names.join(', ')].filter(part => part !== '').join(' ')
  return defined === '' ? what : `${defined} = ${what}`
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c)

/** A label that fits a box of so many letters. */
const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

const names: Readonly<Record<Role, string>> = {
  primal: 'primal value',
  tangent: 'tangent',
  cotangent: 'cotangent',
  kept: 'kept for the reverse pass',
  stored: 'stored, once for each trip',
  recomputed: 'computed again',
}

/** What a box says of its role, beside its colour. */
const tags: Partial<Readonly<Record<Role, string>>> = { kept: 'kept', stored: 'stored', recomputed: 'again' }

/** The roles that a stage has, in words. */
export function legendOf(view: StageView): string {
  const roles = new Set(view.columns.flatMap(c => c.roles))
  return (Object.keys(names) as Role[])
    .filter(r => roles.has(r))
    .map(r => names[r])
    .join(', ')
}

/** The picture as the text of an SVG; `id` keeps its names apart from those of others on the page. Undefined where it would be too large. */
export function pictureOf(view: StageView, id: string): string | undefined {
  const { columns, residuals, stage } = view
  const most = Math.max(...columns.map(c => c.flow.rows.length))
  if (most > mostRows) return undefined
  const width = margin + columns.length * boxWidth + (columns.length - 1) * gap + margin
  const height = titleHeight + most * rowHeight + 6
  const left = (column: number): number => margin + column * (boxWidth + gap)
  /** The middle of a row. A column that goes up begins at the bottom. */
  const middle = (column: number, row: number): number => {
    const { goesUp, flow } = columns[column]!
    const line = goesUp ? flow.rows.length - 1 - row : row
    const first = goesUp ? most - flow.rows.length : 0
    return titleHeight + (first + line) * rowHeight + rowHeight / 2
  }
  const parts: string[] = []
  columns.forEach((column, c) => {
    parts.push(
      `<text class="title" x="${left(c)}" y="16">${escaped(`${column.name} ${column.goesUp ? '↑' : '↓'}`)}</text>`,
    )
    for (const { value, from, to } of column.flow.edges)
      if (from !== undefined) parts.push(arc(column, c, value, from, to))
  })
  for (const { value, from, to } of residuals) {
    const [x1, x2] = [left(from.column) + boxWidth, left(to.column)]
    const [y1, y2] = [middle(from.column, from.row), middle(to.column, to.row)]
    parts.push(
      `<path class="edge residual" data-from="${escaped(value)}" data-to-row="${to.row}" marker-end="url(#${id}-tip)" d="M${x1} ${y1}C${x1 + gap / 2} ${y1} ${x2 - gap / 2} ${y2} ${x2 - 2} ${y2}"/>`,
    )
  }
  columns.forEach((column, c) => column.flow.rows.forEach((row, r) => parts.push(box(column, c, row, r))))

  const counts = columns.map(c => `${c.name} with ${c.flow.rows.length} lines`).join(' and ')
  const crossing = residuals.length === 0 ? '' : `, ${residuals.length} values cross from one to the other`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="flow" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(`Data flow after ${stage}: ${counts}${crossing}. The text below says the same.`)}">`,
    `<defs><marker id="${id}-tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path class="tip" d="M0 0L6 3L0 6Z"/></marker></defs>`,
    ...parts,
    '</svg>',
  ].join('')

  function arc(column: Column, c: number, value: string, from: number, to: number): string {
    const outside = c === 0 ? -1 : 1
    const x1 = c === 0 ? left(c) + column.flow.rows[from]!.depth * indent : left(c) + boxWidth
    const x2 = c === 0 ? left(c) + column.flow.rows[to]!.depth * indent : left(c) + boxWidth
    const [y1, y2] = [middle(c, from) + 3 * Math.sign(to - from), middle(c, to)]
    const bend = outside * Math.min(margin - 6, 8 + 5 * Math.abs(to - from))
    const x = (outside < 0 ? Math.min(x1, x2) : Math.max(x1, x2)) + bend
    return `<path class="edge ${column.roles[from]}" data-from="${escaped(value)}" data-to-row="${to}" marker-end="url(#${id}-tip)" d="M${x1} ${y1}C${x} ${y1} ${x} ${y2} ${x2 + outside * 2} ${y2}"/>`
  }

  function box(column: Column, c: number, row: Row, r: number): string {
    const inset = row.depth * indent
    const role = column.roles[r]!
    const x = left(c) + inset
    const y = middle(c, r) - boxHeight / 2
    const tag = tags[role]
    const label = labelOf(row)
    const room = Math.floor((boxWidth - inset - 12 - (tag === undefined ? 0 : 6 * tag.length + 10)) / 6.6)
    return [
      `<g class="row ${role} ${row.kind}" data-op="${row.op}" data-values="${escaped(row.defines.map(v => v.name).join(' '))}">`,
      `<title>${escaped(`${label} (${names[role]})`)}</title>`,
      `<rect x="${x}" y="${y}" width="${boxWidth - inset}" height="${boxHeight}" rx="${row.kind === 'parameter' ? 11 : 3}"/>`,
      `<text x="${x + 8}" y="${y + 15}">${escaped(short(label, room))}</text>`,
      tag === undefined
        ? ''
        : `<text class="tag" x="${left(c) + boxWidth - 6}" y="${y + 15}" text-anchor="end">${tag}</text>`,
      '</g>',
    ].join('')
  }
}
