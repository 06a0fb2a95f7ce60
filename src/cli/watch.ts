/**
 * `--watch`: runs a command again whenever something that it read has changed. The state of each file is compared ten times a second with the one
 * that it had before it was read. So nothing is missed that happens during a run, that lies on a network, or that an editor replaces by a new
 * file, and files that were looked for and were not there count too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { tellTimes } from './clock.ts'
import { Run } from './host.ts'
import { failed, inform } from './output.ts'
import { UsageError, isOfFiles } from './usage.ts'

/** Milliseconds between looks. */
const interval = 100
/** Milliseconds for which files must stay as they are: an editor may write in several steps. */
const quiet = 50

const interrupted = 130

/** Runs a command until Ctrl-C ends it, with exit status 130. Throws only what no change of a file can mend. */
export async function watch(files: readonly string[], command: (run: Run) => Promise<void>): Promise<never> {
  if (files.includes('-')) throw new UsageError('--watch looks at files: name them instead of reading standard input')
  const clears = process.stdout.isTTY && process.stderr.isTTY && process.env['TERM'] !== 'dumb'
  for (let first = true; ; first = false) {
    // Of a terminal, only the output of the last run is of interest.
    if (clears && !first) process.stdout.write('\x1b[2J\x1b[3J\x1b[H')
    const run = new Run()
    const start = performance.now()
    const ok = await ending(() => command(run))
    const ms = performance.now() - start
    tellTimes()
    const count = run.inputs.files.length
    inform(
      'run',
      { ok, ms: Number(ms.toFixed(1)), files: count },
      `cotangent: ${new Date().toTimeString().slice(0, 8)} ${ok ? 'done' : 'failed'} in ${ms.toFixed(0)} ms; watching ${count} file${count === 1 ? '' : 's'}\n`,
    )
    await changeOf(run)
  }
}

/** Whether a run went well. */
async function ending(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof UsageError && !isOfFiles(error)) throw error
    failed(error)
    return false
  }
}

/** Waits until something that a run read has changed, and then for the change to end. Ctrl-C ends the process; during a run, it does so by itself. */
async function changeOf({ inputs }: Run): Promise<void> {
  const end = (): never => process.exit(interrupted)
  process.on('SIGINT', end)
  for (;;) {
    const start = performance.now()
    if (inputs.changed) break
    // To look through many folders takes a while, and leaves the processor to others for nine times as long.
    await sleep(Math.max(interval, 9 * (performance.now() - start)))
  }
  await sleep(quiet)
  process.off('SIGINT', end)
}
