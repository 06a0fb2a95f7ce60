/** Draws what becomes of values over the source: each text that computes one is underlined by what becomes of it. */
import type { Range as Marked, Text } from '@codemirror/state'
import { Decoration, type DecorationSet } from '@codemirror/view'
import type { Range } from 'vscode-languageserver-protocol'
import { offsetOf } from '../editor/drawn.ts'
import { matters, toldOf, type Decision, type Explained, type Value } from './explain-answer.ts'
import { functionAround, type ListedFunction } from './functions.ts'

/** What costs more is drawn where there are several. */
const ranks: Readonly<Record<Decision, number>> = { stored: 2, recomputed: 1, kept: 0 }

/** The marks of a document. `all`: also values that only serve to compute others. */
export function explainMarks(
  doc: Text,
  explained: readonly Explained[],
  functions: readonly ListedFunction[],
  all: boolean,
): DecorationSet {
  const places = new Map<string, { readonly from: number; readonly to: number; readonly values: Value[] }>()
  for (const value of ownValues(explained, functions)) {
    if (!all && !matters(value)) continue
    const span = spanOf(doc, value.range)
    if (span === undefined) continue
    const key = `${span.from} ${span.to}`
    const place = places.get(key)
    if (place === undefined) places.set(key, { ...span, values: [value] })
    else place.values.push(value)
  }
  const marks = [...places.values()].map(({ from, to, values }): Marked<Decoration> => {
    const { decision } = values.toSorted((a, b) => ranks[b.decision] - ranks[a.decision])[0]!
    const why = [...new Set(values.map(toldOf))].join('\n')
    return Decoration.mark({ class: `explained ${decision}`, why }).range(from, to)
  })
  return Decoration.set(marks, true)
}

/** The values of each function that stand in it. Those of one that became a part of its callers are told of as they are by themselves. */
function ownValues(explained: readonly Explained[], functions: readonly ListedFunction[]): readonly Value[] {
  const around = ({ start }: Range): ListedFunction | undefined => functionAround(functions, start)
  const told = new Set(explained.map(f => around(f.range)))
  return explained.flatMap(f => {
    const own = around(f.range)
    return f.values.filter(v => {
      const at = around(v.range)
      return at === own || !told.has(at)
    })
  })
}

/** The text of a value; of what takes several lines, such as a loop, the first that is no attribute. */
function spanOf(doc: Text, { start, end }: Range): { readonly from: number; readonly to: number } | undefined {
  if (start.line === end.line) {
    const [from, to] = [offsetOf(doc, start), offsetOf(doc, end)]
    return from === undefined || to === undefined || from >= to ? undefined : { from, to }
  }
  let { line } = start
  while (line < end.line && line + 1 < doc.lines && /^\s*\[.*\]\s*$/.test(doc.line(line + 1).text)) line++
  if (line >= doc.lines) return undefined
  const { from, text, to } = doc.line(line + 1)
  const first = line === start.line ? start.character : text.length - text.trimStart().length
  const last = to - (text.length - text.trimEnd().length)
  return from + first < last ? { from: from + first, to: last } : undefined
}
