/** What a demo is given. */
import type { Program } from '../../index.ts'

/** How a demo is run. */
export interface DemoContext {
  /** The folder of the example, with its Slang file. */
  readonly dir: string
  /** Where pictures go; exists. */
  readonly output: string
  readonly steps: number | undefined
  readonly gpu: boolean
  /** Takes the larger of two problems, where the demo has one. */
  readonly large: boolean
  /** Compiles a file of the example. */
  readonly compile: (file: string) => Program
  /** Prints a line. */
  readonly say: (text: string) => void
}
