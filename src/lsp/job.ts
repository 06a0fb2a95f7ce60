/** A check of derivatives as plain data, which threads can send each other: what to test, and what came of it. */
import type { CheckVerdict } from '../editor/derivative/check.ts'
import type { CompileOptions } from '../index.ts'

/** What to test. */
export interface CheckJob {
  readonly source: string
  /** With the texts of all files that the program imports: it cannot ask for more. */
  readonly options: Omit<CompileOptions, 'resolve' | 'time'>
  /** Functions by their names. */
  readonly functions: readonly string[]
  /** Random inputs a function. */
  readonly samples: number
  /** Default: always the same. */
  readonly seed: number | undefined
  /** Milliseconds after which, of each function that is left, no more than one input is tried. */
  readonly timeLimit: number
}

/** What came of a job: a verdict for each function, or an exception, which is a bug. */
export type JobResult = { readonly verdicts: readonly CheckVerdict[] } | { readonly failed: string }
