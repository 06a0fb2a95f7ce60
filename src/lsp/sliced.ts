/** Checks without a thread or a worker, in slices between which requests are answered. */
import type { Helper } from './check.ts'
import { Cancelled } from './errors.ts'
import { examine } from './examine.ts'
import type { CheckJob, JobResult } from './job.ts'
import { turn } from './turn.ts'

/** A helper that works in the same thread, and lets messages through between inputs. */
export class SlicedHelper implements Helper {
  #ended = false

  async run(job: CheckJob): Promise<JobResult> {
    return await examine(job, async () => {
      await turn()
      if (this.#ended) throw new Cancelled()
    })
  }

  end(): void {
    this.#ended = true
  }
}
