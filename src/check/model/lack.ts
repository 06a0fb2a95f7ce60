/** A use of something that the language has and no target. */
import type { Span } from '../../base/source.ts'

export interface Lack {
  readonly span: Span
  /** What it is, for a message. */
  readonly feature: string
  /** It is a name that another module has to export, and none does. */
  readonly isExternal?: true
}
