import { Sink } from '../../src/base/diag.ts'
import { SourceFile } from '../../src/base/source.ts'
import { core } from '../../src/compile.ts'
import type { EditorProgram } from '../../src/editor/derivative/subject.ts'
import { positionOf, type Position, type Range } from '../../src/editor/range.ts'
import { front, type FrontOptions } from '../../src/front.ts'

export const fileName = 'test.slang'

/** A program as editors hold it: checked, with whatever mistakes it has. */
export function editorProgram(source: string, options: FrontOptions & EditorProgram['options'] = {}): EditorProgram {
  const sink = new Sink()
  const checked = front(source, { fileName, ...options }, core, sink)
  return { checked, diagnostics: sink.list, options }
}

/** The place where a text first stands. */
export function placeOf(source: string, text: string): Position {
  const at = source.indexOf(text)
  if (at < 0) throw new Error(`${text} is not in the source`)
  return positionOf(new SourceFile(fileName, source), at)
}

/** What stands in a range of a text. */
export function textIn(source: string, { start, end }: Range): string {
  const { lineStarts } = new SourceFile(fileName, source)
  return source.slice(lineStarts[start.line]! + start.character, lineStarts[end.line]! + end.character)
}
