/** A dispatch whose resources lie in memory: at once, or without keeping the thread from other things. */
import type { Crew, Dispatch } from './crew.ts'
import { pieceOf } from './job.ts'

/** Calls into which a dispatch is cut: engines replace slow code by fast code between calls only. */
const maxCalls = 256
/** Milliseconds after which one thread lets others have a turn: less than a frame of a page. */
const slice = 8

/** Runs a dispatch, with the crew if there is one, and waits until it is done. */
export function runNow(dispatch: Dispatch, crew: Crew | undefined): void {
  if (crew?.waits === true) return crew.run(dispatch)
  for (const [from, to] of calls(dispatch)) dispatch.run(from, to)
}

/** Runs a dispatch: in workers, or where there are none in parts between which this thread does other things. */
export async function runAsync(dispatch: Dispatch, crew: Crew | undefined): Promise<void> {
  if (await crew?.runAsync(dispatch)) return
  let begin = performance.now()
  for (const [from, to] of calls(dispatch)) {
    if (performance.now() - begin > slice) {
      await otherTurns()
      begin = performance.now()
    }
    dispatch.run(from, to)
  }
}

function* calls({ from, to, least }: Dispatch): Iterable<readonly [from: number, to: number]> {
  const step = pieceOf(to - from, maxCalls, least)
  for (let at = from; at < to; at += step) yield [at, Math.min(at + step, to)]
}

/** Waits until everything else that waits has had a turn. Timers would wait for milliseconds more. */
function otherTurns(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise(resolve => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
