/** Links between a source and a text that was made of it, line by line. */
import type { Span } from '../../base/source.ts'
import { positionOf, type Range } from '../range.ts'

/** A line of the made text, and what it was made of. */
export interface Link {
  /** A range in the source. */
  readonly from: Range
  /** A range in the text. */
  readonly to: Range
  /** The name of the file that `from` is in, where it is another than the one that was asked about. */
  readonly file?: string
}

/** A line of a text, counted from 1, and its source. */
export interface Mapped {
  readonly line: number
  readonly span: Span
}

/** The links of a text whose lines come from spans; those of the core library have no source to show. `file` is the one asked about. */
export function linksOf(text: string, mapped: readonly Mapped[], file: string): readonly Link[] {
  const lines = text.split('\n')
  return mapped
    .filter(m => !m.span.file.isCore)
    .map(({ line, span }) => {
      const own = lines[line - 1] ?? ''
      const to = {
        start: { line: line - 1, character: own.length - own.trimStart().length },
        end: { line: line - 1, character: own.length },
      }
      const from = firstLine(span)
      return span.file.name === file ? { from, to } : { from, to, file: span.file.name }
    })
}

/** A span as far as its first line goes: a loop is linked by its head. */
function firstLine(span: Span): Range {
  const { file, start, end } = span
  const { line } = file.position(start)
  const to = Math.min(end, (file.lineStarts[line - 1] ?? 0) + file.line(line).length)
  return { start: positionOf(file, start), end: positionOf(file, Math.max(start, to)) }
}
