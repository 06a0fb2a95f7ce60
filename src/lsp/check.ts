/** Tests derivatives aside: one job after the other, each in a place of its own that can be ended whatever it does. */
import type { CancellationToken } from 'vscode-languageserver'
import type { ProjectOptions } from '../project/options.ts'
import { Cancelled, Refused } from './errors.ts'
import { turn } from './platform.ts'

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

/** A place where one job runs. */
export interface Helper {
  /** Runs the job, and gives its result; undefined where the place does not come to be. */
  run(job: CheckJob): Promise<JobResult | undefined>
  /** Ends it, whatever it does. `run` need not settle then. */
  end(): void
}

/** Tests derivatives. */
export interface Checker {
  /** Rejects with `Cancelled`, or with `Refused` where the time is over. */
  run(job: CheckJob, seconds: number, token: CancellationToken): Promise<JobResult>
  /** Ends all that runs. */
  stop(): void
}

/** Runs jobs with helpers of the first kind that comes to be. */
export class HelpedChecker implements Checker {
  readonly #kinds: (() => Helper)[]
  #last: Promise<unknown> = Promise.resolve()
  readonly #running = new Set<() => void>()
  #stopped = false

  constructor(...kinds: readonly (() => Helper)[]) {
    this.#kinds = [...kinds]
  }

  run(job: CheckJob, seconds: number, token: CancellationToken): Promise<JobResult> {
    const turned = this.#last.then(async () => {
      for (;;) {
        const start = this.#kinds[0]
        if (start === undefined) throw new Refused('derivatives cannot be checked here')
        const result = await this.#help(start(), job, seconds, token)
        if (result !== undefined) return result
        this.#kinds.shift()
      }
    })
    // One that fails holds up nobody.
    this.#last = turned.catch(() => {})
    return turned
  }

  async #help(
    helper: Helper,
    job: CheckJob,
    seconds: number,
    token: CancellationToken,
  ): Promise<JobResult | undefined> {
    let clock: ReturnType<typeof setTimeout> | undefined
    let end = (): void => {}
    const ended = new Promise<never>((_, reject) => {
      end = () => {
        reject(new Cancelled())
      }
      clock = setTimeout(() => {
        reject(
          new Refused(`the check was given up after ${seconds} seconds, as the setting cotangent.check.timeLimit asks`),
        )
      }, seconds * 1000)
    })
    const listener = token.onCancellationRequested(end)
    this.#running.add(end)
    try {
      if (token.isCancellationRequested || this.#stopped) throw new Cancelled()
      return await Promise.race([helper.run(job), ended])
    } finally {
      clearTimeout(clock)
      listener.dispose()
      this.#running.delete(end)
      helper.end()
      // Nobody may wait for it any more.
      ended.catch(() => {})
    }
  }

  stop(): void {
    this.#stopped = true
    for (const end of this.#running) end()
  }
}

/** A helper that works in the same thread, and lets messages through between inputs. */
export class SlicedHelper implements Helper {
  #ended = false

  async run(job: CheckJob): Promise<JobResult> {
    const { examine } = await import('./examine.ts')
    return await examine(job, async () => {
      await turn()
      if (this.#ended) throw new Cancelled()
    })
  }

  end(): void {
    this.#ended = true
  }
}
