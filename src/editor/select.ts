/** What an editor selects when its author asks for more and more around the cursor. */
import type { SourceFile } from '../base/source.ts'
import { wordAt } from './lexed.ts'
import { positionOf, type Range } from './range.ts'
import type { Place } from './workspace.ts'

/** A range, with the next larger one around it. */
export interface SelectionRange {
  readonly range: Range
  readonly parent?: SelectionRange
}

/** The ranges around a place: the word, then each part of the program that it stands in, and last the whole file. */
export function selectionRange({ analysis, file, offset }: Place): SelectionRange {
  const spans = analysis
    .path(file, offset)
    .map(node => node.span)
    .filter(span => span.file === file)
  const word = wordAt(file, offset)?.span
  const around = [...spans, ...(word === undefined ? [] : [word])]
  let inner: SelectionRange = { range: rangeIn(file, 0, file.text.length) }
  let [from, to] = [0, file.text.length]
  for (const { start, end } of around) {
    // What the parser mended may reach beyond what it stands in; a range must lie in its parent, and be smaller.
    if (start < from || end > to || start > offset || end < offset || (start === from && end === to)) continue
    inner = { range: rangeIn(file, start, end), parent: inner }
    ;[from, to] = [start, end]
  }
  return inner
}

function rangeIn(file: SourceFile, start: number, end: number): Range {
  return { start: positionOf(file, start), end: positionOf(file, end) }
}
