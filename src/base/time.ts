/** Measures phases, if somebody asks. */

/** Takes the time that a phase took, in milliseconds. */
export type Timer = (phase: string, ms: number) => void

/** Runs the work, and reports its time if somebody asks: Node takes milliseconds to make its clock ready. */
export function timed<T>({ time }: { readonly time?: Timer | undefined }, phase: string, work: () => T): T {
  if (time === undefined) return work()
  const start = performance.now()
  const out = work()
  time(phase, performance.now() - start)
  return out
}
