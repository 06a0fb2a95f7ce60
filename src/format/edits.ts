/** The difference between a text and the same text with other white space. */
import { InternalError } from '../base/diag.ts'

/** Replaces the part of a text between two offsets. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const blanks = /[\s\0\u200b]*/y

/** The edits that make one text of another, in order. Anything but white space is the same in both. */
export function whiteSpaceEdits(from: string, to: string): TextEdit[] {
  const edits: TextEdit[] = []
  const blankEnd = (text: string, start: number): number => {
    blanks.lastIndex = start
    blanks.test(text)
    return blanks.lastIndex
  }
  let i = 0
  let k = 0
  for (;;) {
    const endI = isBlank(from, i) ? blankEnd(from, i) : i
    const endK = isBlank(to, k) ? blankEnd(to, k) : k
    if (endI - i !== endK - k || !from.startsWith(to.slice(k, endK), i))
      edits.push(least(from, i, endI, to.slice(k, endK)))
    i = endI
    k = endK
    if (i >= from.length || k >= to.length) break
    if (from[i] !== to[k]) throw new InternalError('format', `the text at ${i} changed`)
    i++
    k++
  }
  if (i < from.length || k < to.length) throw new InternalError('format', `the text at ${i} changed`)
  return edits
}

function isBlank(text: string, at: number): boolean {
  const c = text.charCodeAt(at)
  return c <= 32 || c > 127
}

/** The edit without what stays the same at both ends. No edit begins or ends inside `\r\n`. */
function least(text: string, start: number, end: number, by: string): TextEdit {
  const old = text.slice(start, end)
  if (old.includes('\r') !== by.includes('\r')) return { start, end, text: by }
  const most = Math.min(old.length, by.length)
  let head = 0
  while (head < most && old[head] === by[head]) head++
  if (head > 0 && old[head - 1] === '\r') head--
  let tail = 0
  while (tail < most - head && old[old.length - 1 - tail] === by[by.length - 1 - tail]) tail++
  if (tail > 0 && old[old.length - tail] === '\n' && old.includes('\r')) tail--
  return { start: start + head, end: end - tail, text: by.slice(head, by.length - tail) }
}
