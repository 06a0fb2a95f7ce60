/** `--time`: the time of phases, told when a command or a run of it ends, since targets are made after the program is compiled. */
import { inform } from './output.ts'

let start = 0
const times = new Map<string, number>()

/** Starts the clock; it takes the time of phases. */
export function clock(): (phase: string, ms: number) => void {
  if (start === 0) start = performance.now()
  return (phase, ms) => {
    times.set(phase, (times.get(phase) ?? 0) + ms)
  }
}

/** Tells the times, if a clock was started, and stops it. */
export function tellTimes(): void {
  if (start === 0) return
  const all = [...times, ['total', performance.now() - start] as const]
  start = 0
  times.clear()
  inform(
    'time',
    { phases: Object.fromEntries(all.map(([phase, ms]) => [phase, Number(ms.toFixed(2))])) },
    all.map(([phase, ms]) => `${phase.padEnd(16)}${ms.toFixed(2).padStart(9)} ms\n`).join(''),
  )
}
