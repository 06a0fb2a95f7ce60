/** Does a job of `job.ts`: compiles a program and tests derivatives. The only file of the server that runs programs. */
import { checkIn, type CheckVerdict } from '../editor/derivative/check.ts'
import { compile } from '../index.ts'
import { Cancelled } from './errors.ts'
import type { CheckJob, JobResult } from './job.ts'

/** What comes of a job. `pause` is awaited between inputs, and may throw to end it. */
export async function examine(job: CheckJob, pause?: () => Promise<void>): Promise<JobResult> {
  const { source, options, functions, timeLimit, ...effort } = job
  const until = performance.now() + timeLimit
  try {
    const program = compile(source, { ...options, debug: true })
    const verdicts: CheckVerdict[] = []
    for (const name of functions) {
      const left = Math.max(0, until - performance.now())
      verdicts.push(await checkIn(program, name, { ...effort, timeLimit: left, pause }))
    }
    return { verdicts }
  } catch (cause) {
    if (cause instanceof Cancelled) throw cause
    return { failed: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }
  }
}
