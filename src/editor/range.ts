/** Places of a text as the Language Server Protocol has them: lines and UTF-16 code units, both counted from 0. */
import { Span, type SourceFile } from '../base/source.ts'

/** A place between two characters. */
export interface Position {
  /** Counted from 0. */
  readonly line: number
  /** UTF-16 code units from the start of the line. */
  readonly character: number
}

/** From `start` up to but not including `end`. */
export interface Range {
  readonly start: Position
  readonly end: Position
}

/** A range of one file, which its URI or path names. */
export interface Location {
  readonly uri: string
  readonly range: Range
}

/** A text in place of a range. */
export interface TextEdit {
  readonly range: Range
  readonly newText: string
}

/** The place of an offset. */
export function positionOf(file: SourceFile, offset: number): Position {
  const { line, column } = file.position(offset)
  return { line: line - 1, character: column - 1 }
}

/** The offset of a place; the end of its line where it lies behind that, as the protocol has it. */
export function offsetOf(file: SourceFile, { line, character }: Position): number {
  const start = file.lineStarts[line]
  if (start === undefined) return line < 0 ? 0 : file.text.length
  return start + Math.min(Math.max(character, 0), file.line(line + 1).length)
}

/** The range of a span, in the file where it stands. */
export function rangeOf({ file, start, end }: Span): Range {
  return { start: positionOf(file, start), end: positionOf(file, end) }
}

/** The span of a range. */
export function spanOf(file: SourceFile, { start, end }: Range): Span {
  return new Span(file, offsetOf(file, start), offsetOf(file, end))
}
