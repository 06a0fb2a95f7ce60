/**
 * Documents: texts with places where lines may break. `layout.ts` chooses among them, after Wadler ("A prettier printer") and Prettier.
 *
 * A group is printed on one line if it fits there, else each `line` that is its own becomes a line break, and the groups inside choose again:
 *
 *     group(['f(', indent([soft, 'a,', line, 'b']), ')'])     f(a, b)     or     f(
 *                                                                                    a,
 *                                                                                    b)
 */
import type { Piece } from './tokens.ts'

/** A text, or several with breaks between. */
export type Doc = string | Concat | Line | Group | Indent | Follow | Fill | Raw | Comment | Trailing

interface Measured {
  /** How many columns it takes on one line; infinite if it surely breaks. */
  readonly width: number
}

/** One after the other. */
export interface Concat extends Measured {
  readonly kind: 'concat'
  readonly parts: readonly Doc[]
}

/** A place where a line may break. */
export interface Line extends Measured {
  readonly kind: 'line'
  /** What stands here where it does not break; undefined if it always breaks. */
  readonly flat: '' | ' ' | undefined
  /** A blank line follows. */
  readonly blank: boolean
  /** The next line is not indented. */
  readonly atStart: boolean
}

/** On one line if it fits. */
export interface Group extends Measured {
  readonly kind: 'group'
  readonly content: Doc
}

/** Lines that begin inside are indented by one more step. */
export interface Indent extends Measured {
  readonly kind: 'indent'
  readonly content: Doc
}

/** What follows a `=` or an attribute: on the same line if that fits up to the next place to break, or else on the next. */
export interface Follow extends Measured {
  readonly kind: 'follow'
  /** How many steps the next line is indented. */
  readonly steps: 0 | 1
  readonly content: Doc
}

/** As many on a line as fit: items and, between them, breaks. */
export interface Fill extends Measured {
  readonly kind: 'fill'
  readonly parts: readonly Doc[]
  /** The first part that is still to be printed. */
  readonly from: number
}

/** A text of several lines as it stands in the source. */
export interface Raw extends Measured {
  readonly kind: 'raw'
  readonly text: string
}

/** A comment of several lines. Where it moves sideways, its lines move together. */
export interface Comment extends Measured {
  readonly kind: 'comment'
  readonly piece: Piece
  readonly text: string
}

/** A comment at the end of a line. Lines do not break for it, but it has a width where it stands on one line with what follows. */
export interface Trailing extends Measured {
  readonly kind: 'trailing'
  readonly piece: Piece
  readonly text: string
  /** It stands alone, below one at the end of a line, and continues that. */
  readonly continues: boolean
}

/** How many columns a text takes: one for each code point. */
export function widthOf(text: string): number {
  let width = text.length
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c >= 0xdc00 && c < 0xe000) width--
  }
  return width
}

/** How many columns a document takes on one line. */
export function flatWidth(doc: Doc): number {
  return typeof doc === 'string' ? widthOf(doc) : doc.width
}

/** Whether some line of a document surely breaks. */
export function isHard(doc: Doc): boolean {
  return typeof doc !== 'string' && doc.width === Infinity
}

function lineOf(flat: Line['flat'], isBlank = false, atStart = false): Line {
  return { kind: 'line', width: flat === undefined ? Infinity : flat.length, flat, blank: isBlank, atStart }
}

/** A space, or a new line. */
export const line: Line = lineOf(' ')
/** Nothing, or a new line. */
export const soft: Line = lineOf('')
/** A new line. */
export const hard: Line = lineOf(undefined)
const blank: Line = lineOf(undefined, true)
const start: Line = lineOf(undefined, false, true)
const blankStart: Line = lineOf(undefined, true, true)

/** A new line, perhaps after a blank one, perhaps without indentation. */
export function newline(isBlank: boolean, atStart = false): Line {
  if (atStart) return isBlank ? blankStart : start
  return isBlank ? blank : hard
}

/** One after the other. */
export function concat(parts: readonly Doc[]): Doc {
  return parts.length === 1 ? parts[0]! : { kind: 'concat', width: widthOfAll(parts), parts }
}

function widthOfAll(parts: readonly Doc[]): number {
  let width = 0
  for (const part of parts) width += flatWidth(part)
  return width
}

/** On one line if it fits. */
export function group(...parts: readonly Doc[]): Doc {
  const content = concat(parts)
  return typeof content === 'string' || content.kind === 'group'
    ? content
    : { kind: 'group', width: content.width, content }
}

/** One step further in. */
export function indent(...parts: readonly Doc[]): Doc {
  const content = concat(parts)
  return typeof content === 'string' ? content : { kind: 'indent', width: content.width, content }
}

/** On the same line if it can begin there. */
export function follow(content: Doc, steps: 0 | 1): Doc {
  return { kind: 'follow', width: 1 + flatWidth(content), steps, content }
}

/** As many on a line as fit: items with breaks between. */
export function fill(parts: readonly Doc[]): Doc {
  return { kind: 'fill', width: widthOfAll(parts), parts, from: 0 }
}

/** A text as it stands in the source. */
export function raw(text: string): Doc {
  return isOneLine(text) ? text : { kind: 'raw', width: Infinity, text }
}

/** A comment in `/*`. */
export function comment(piece: Piece, text: string): Doc {
  return isOneLine(text) ? text : { kind: 'comment', width: Infinity, piece, text }
}

/** A comment at the end of a line; one that `continues` stands below another. */
export function trailing(piece: Piece, text: string, continues: boolean): Doc {
  return { kind: 'trailing', width: 0, piece, text, continues }
}

/** A comment that stands at the end of a line only where the line breaks behind it. */
export function trailingIfBroken(piece: Piece, text: string): Doc {
  return { kind: 'trailing', width: 1 + widthOf(text), piece, text, continues: false }
}

function isOneLine(text: string): boolean {
  return !/[\r\n\u2028\u2029]/.test(text)
}
