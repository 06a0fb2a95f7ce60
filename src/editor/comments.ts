/** The comments of a text, which the lexer leaves out. */
import type { SourceFile } from '../base/source.ts'
import { tokensOf } from './lexed.ts'

export interface Comment {
  readonly start: number
  readonly end: number
}

/** The comments of a file in order: they stand between tokens. One without an end goes to the end of the text. */
export function commentsOf(file: SourceFile): readonly Comment[] {
  const raw = tokensOf(file)
  const found: Comment[] = []
  let from = 0
  for (let i = 0; i <= raw.count; i++) {
    const to = i < raw.count ? raw.starts[i]! : file.text.length
    const gap = file.text.slice(from, to)
    for (const m of gap.matchAll(/\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)/g))
      found.push({ start: from + m.index, end: from + m.index + m[0].length })
    if (i === raw.count) break
    const start = raw.starts[i]!
    const end = raw.ends[i]!
    // A comment without an end is a token that nobody understands.
    if (file.text.startsWith('/*', start)) found.push({ start, end })
    from = end
  }
  return found
}

/** Whether an offset lies in a comment; also at the end of one that goes on there: one of a line, or one that is not closed. */
export function inComment(file: SourceFile, offset: number): boolean {
  const isOpen = ({ start, end }: Comment): boolean =>
    file.text.startsWith('//', start) || !file.text.slice(start + 2, end).endsWith('*/')
  return commentsOf(file).some(c => c.start < offset && (offset < c.end || (offset === c.end && isOpen(c))))
}
