/** Files that are being preprocessed. */
import type { SourceFile, Span } from '../base/source.ts'
import type { RawTokens } from './token.ts'

/** One `#if` with its branches. */
export interface Conditional {
  readonly at: Span
  readonly directive: string
  /** A branch has been taken, or the whole conditional is in a branch that is not. */
  taken: boolean
  sawElse: boolean
}

/** A file on the stack. */
export interface Reader {
  readonly file: SourceFile
  readonly raw: RawTokens
  pos: number
  readonly conditionals: Conditional[]
  /** Something is not closed before its end. */
  isOpen: boolean
}
