/** Tests derivatives aside: one job after the other, each in a place of its own that can be ended whatever it does. */
import type { CancellationToken } from 'vscode-languageserver'
import { Cancelled, Refused } from './errors.ts'
import type { CheckJob, JobResult } from './job.ts'

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
