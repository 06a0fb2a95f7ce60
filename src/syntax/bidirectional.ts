/** Finds text that does not look like what is compiled. */
import type { Sink } from '../base/diag.ts'
import { bidirectionalControl } from '../base/errors/syntax.ts'
import { bidirectional, codePoint } from '../base/escape.ts'
import { Span, type SourceFile } from '../base/source.ts'

/** Warns of bidirectional controls, once a line, in comments and literals too. */
export function findBidirectional(file: SourceFile, sink: Sink): void {
  let lineEnd = -1
  for (const { 0: char, index } of file.text.matchAll(bidirectional)) {
    if (index < lineEnd) continue
    sink.add(bidirectionalControl, new Span(file, index, index + 1), { char: codePoint(char) })
    const end = file.text.slice(index).search(/[\r\n]/)
    if (end < 0) return
    lineEnd = index + end
  }
}
