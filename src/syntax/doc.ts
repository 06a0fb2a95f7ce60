/** Doc comments: lines of `///`, or a block of two asterisks, right before a declaration. */
import type { SourceFile } from '../base/source.ts'

/** The text of the doc comment before an offset, without its marks; '' where there is none. */
export function docBefore({ text }: SourceFile, offset: number): string {
  const before = text.slice(0, offset).trimEnd()
  if (before.endsWith('*/')) {
    const start = before.lastIndexOf('/*')
    if (!/^\/\*[*!][^*/]/.test(before.slice(start))) return ''
    return tidied(
      before
        .slice(start + 3, -2)
        .split(/\r\n?|\n/)
        .map(line => line.replace(/^\s*\*? ?/, '')),
    )
  }
  const lines: string[] = []
  let end = before.length
  for (;;) {
    const start = Math.max(before.lastIndexOf('\n', end - 1), before.lastIndexOf('\r', end - 1)) + 1
    const line = /^\s*\/\/[/!] ?(.*?)\s*$/.exec(before.slice(start, end))
    if (line === null || line[1]!.startsWith('/')) break
    lines.unshift(line[1]!)
    if (start === 0) break
    end = start - 1
    if (before[end] === '\n' && before[end - 1] === '\r') end--
  }
  return tidied(lines)
}

function tidied(lines: readonly string[]): string {
  return lines
    .map(line => line.trimEnd())
    .join('\n')
    .trim()
}
