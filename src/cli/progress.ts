/** Shows the progress of work that takes more than two seconds: a bar on a terminal, nothing elsewhere. */
import { Presets, SingleBar } from 'cli-progress'
import { wantsJson } from './output.ts'

export interface Progress {
  /** Sets how many steps are done, and a short text beside the bar. */
  update(done: number, text: string): void
  stop(): void
}

const patience = 2000

/** A bar moves the cursor: that needs a terminal that can, and a reader that is a person. */
function canShow(): boolean {
  return process.stderr.isTTY && process.env['TERM'] !== 'dumb' && !wantsJson()
}

/** A bar on stderr that appears once the work has taken two seconds. It leaves the cursor as it is: nothing of ours runs when Ctrl-C ends the process. */
export function progress(total: number): Progress {
  const bar = new SingleBar(
    {
      format: '{bar} {percentage}% {value}/{total} {text} {eta_formatted}',
      stream: process.stderr,
      hideCursor: false,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  )
  const start = performance.now()
  let shown = false
  return {
    update(done, text) {
      if (!shown && canShow() && performance.now() - start > patience) {
        bar.start(total, done, { text })
        shown = true
      }
      if (shown) bar.update(done, { text })
    },
    stop() {
      if (shown) bar.stop()
      shown = false
    },
  }
}
