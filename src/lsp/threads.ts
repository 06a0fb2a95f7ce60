/** Checks in threads of Node. */
import { Worker } from 'node:worker_threads'
import type { Helper } from './check.ts'
import type { CheckJob, JobResult } from './job.ts'

/** A thread for one job. What programs print there is not for standard output, which is the protocol's. */
export class ThreadHelper implements Helper {
  #worker: Worker | undefined

  run(job: CheckJob): Promise<JobResult> {
    const worker = new Worker(new URL('./lsp-check.js', import.meta.url), {
      workerData: job,
      stdout: true,
      stderr: true,
    })
    this.#worker = worker
    return new Promise((resolve, reject) => {
      worker.on('message', resolve)
      worker.on('error', reject)
      worker.on('exit', () => {
        reject(new Error('the thread ended before its job was done'))
      })
    })
  }

  end(): void {
    void this.#worker?.terminate()
  }
}
