/** A check of derivatives as plain data, which threads can send each other: what to test, and what came of it. */
import type { ProjectOptions } from '../project/options.ts'

/** What to test, as plain data. */
export interface CheckJob {
  readonly source: string
  readonly fileName: string
  /** What it imports, by path. */
  readonly files: Readonly<Record<string, string>>
  readonly options: Pick<ProjectOptions, 'searchPaths' | 'defines' | 'conformances' | 'matrixLayout' | 'maxContext'>
  /** Default: all differentiable functions of the file. */
  readonly functions: readonly string[] | undefined
  readonly samples: number
  readonly seed: number | undefined
}

/** A line and a column of a file, counted from 1. */
export interface Spot {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A diagnostic as plain data. */
export interface Said extends Partial<Spot> {
  readonly code: string
  readonly message: string
}

/** What disagreed first at one input. */
export interface PlainDisagreement {
  /** The first parameter along which derivatives disagree; '' where only all together do. */
  readonly parameter: string
  readonly mode: 'forward' | 'reverse'
  /** The derivative along a random direction: by reverse mode, by forward mode and by central differences. */
  readonly reverse: number | null
  readonly forward: number
  readonly differences: number
  /** The arguments by the names of the parameters, as JSON. */
  readonly inputs: string
  /** The function whose derivative is wrong; null where that is unknown. */
  readonly blame: (Spot & { readonly name: string; readonly derivative: string }) | null
}

/** What came of one function. */
export interface PlainOutcome {
  readonly name: string
  readonly status: 'ok' | 'failed' | 'skipped'
  readonly compared: number
  readonly kinks: number
  readonly notFinite: number
  readonly held: number
  readonly stopped: number
  readonly detail: string
  readonly disagreement: PlainDisagreement | null
  readonly diagnostics: readonly Said[]
}

/** What came of a job: outcomes, or the mistakes of the program. */
export type JobResult =
  | { readonly seed: number; readonly ok: boolean; readonly functions: readonly PlainOutcome[] }
  | { readonly broken: readonly Said[] }
  /** An exception, which is a bug. */
  | { readonly failed: string }
