/**
 * Kernels four threads wide, and on two threads of the machine, against the same kernels one thread at a time: bit for bit. Each thread has
 * numbers of its own, so that lanes go different ways. CONTRIBUTING.md says how to run many.
 */
import { describe, expect, it } from 'vitest'
import {
  compileCase,
  controlCase,
  gradientCase,
  laneDifference,
  runLanes,
  runThreads,
  type LaneCase,
} from '../support/lane-cases.ts'
import { setting } from '../support/setting.ts'

const many = process.env['SEEDS'] !== undefined
const count = setting('SEEDS', 20)
const start = setting('SEED', 0)
const size = setting('SIZE', many ? 14 : 10)

/** Reasons for which a kernel may run one thread at a time. Others are mistakes of the compiler. */
const known = /^it (is large|keeps lists|prints|has numbers of 64 bits that differ between threads|calls \w+)$/

for (const [what, make] of [
  ['functions and their reverse derivatives', gradientCase],
  ['threads that go different ways', controlCase],
] as const satisfies readonly (readonly [string, (seed: number, size: number) => LaneCase])[]) {
  describe(`four threads at once: ${what}`, () => {
    it('give what one at a time gives', { timeout: 600_000 + 5000 * count }, async () => {
      let [wide, compiled] = [0, 0]
      for (let seed = start; seed < start + count; seed++) {
        const made = make(seed, size)
        const program = compileCase(made)
        // A generated program may divide by a constant zero.
        if (program.diagnostics.some(d => d.severity === 'error')) continue
        compiled++
        const one = runLanes(program, made, 1)
        const four = runLanes(program, made, 4)
        const message = `seed ${seed} at level ${made.level}\n${made.text}`
        if (four.reason === undefined) wide++
        else expect(four.reason, message).toMatch(known)
        expect(laneDifference(one, four), message).toBeUndefined()
        if (seed % 4 === 0) expect(laneDifference(one, await runThreads(program, made, 2)), message).toBeUndefined()
      }
      expect(compiled).toBeGreaterThan(0.9 * count)
      expect(wide).toBeGreaterThan(0.6 * compiled)
    })
  })
}
