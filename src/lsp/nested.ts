/** Checks in workers of a browser, where workers may start workers. */
import type { Helper } from './check.ts'
import type { CheckJob, JobResult } from './job.ts'
import type { Reply } from './check-worker.ts'

/** Milliseconds within which a worker must say that it is there: bundlers may have lost its file. */
const patience = 3000

/** A worker for one job. */
export class NestedHelper implements Helper {
  #worker: Worker | undefined

  run(job: CheckJob): Promise<JobResult | undefined> {
    return new Promise((resolve, reject) => {
      let clock: ReturnType<typeof setTimeout> | undefined
      let isReady = false
      const absent = (): void => {
        clearTimeout(clock)
        if (isReady) reject(new Error('the worker ended before its job was done'))
        else resolve(undefined)
      }
      let worker: Worker
      try {
        worker = this.#worker = new Worker(new URL('./lsp-check.js', import.meta.url), { type: 'module' })
      } catch {
        // There are no workers here, or not for such an address.
        absent()
        return
      }
      clock = setTimeout(absent, patience)
      worker.onerror = event => {
        event.preventDefault()
        absent()
      }
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if ('ready' in data) {
          isReady = true
          clearTimeout(clock)
          worker.postMessage(job)
        } else resolve(data.result)
      }
    })
  }

  end(): void {
    this.#worker?.terminate()
  }
}
