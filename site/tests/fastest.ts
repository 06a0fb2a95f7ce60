/** Measures what must be fast, on a machine that may be busy with something else. */
import process from 'node:process'

const attempts = 4
/** For how long the machine is measured, in milliseconds. */
const sample = 150

/** Which part of a core this process gets now: 1 on a machine that does nothing else. */
function shareOfCore(): number {
  const began = performance.now()
  const before = process.cpuUsage()
  while (performance.now() - began < sample);
  const { user, system } = process.cpuUsage(before)
  return Math.min(1, (user + system) / 1000 / (performance.now() - began))
}

/**
 * The least that several attempts take, in milliseconds, as on a machine that does nothing else: what an attempt took counts by the part of a core that was to be had
 * before and after it. Ends with the first that takes less than `most`.
 */
export async function fastest(most: number, attempt: () => Promise<number>): Promise<number> {
  let least = Infinity
  for (let i = 0; i < attempts && least >= most; i++) {
    const before = shareOfCore()
    const took = await attempt()
    least = Math.min(least, (took * (before + shareOfCore())) / 2)
  }
  return least
}
