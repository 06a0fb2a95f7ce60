/**
 * Properties of generated programs: CONTRIBUTING.md says how to run many. `SHOW` prints whole messages.
 */
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/index.ts'
import { prelude } from '../support/generate-prelude.ts'
import { closeGpu } from '../support/gpu.ts'
import { disagreement } from '../support/gradients.ts'
import { evaluate } from '../support/js-run.ts'
import {
  check,
  checkOnDevice,
  first,
  mostFailures,
  programOf,
  shrunk,
  stats,
  type Check,
  type Samples,
} from '../support/random-check.ts'
import type { Program } from '../support/program.ts'
import type { Pair } from '../support/subjects.ts'
import { setting } from '../support/setting.ts'

const many = process.env['SEEDS'] !== undefined
const count = setting('SEEDS', 150)
const size = setting('SIZE', many ? 14 : 8)
/** One program in so many goes to second order, and one in so many of those to a device there. */
const second = setting('SECOND', many ? 1 : 20)
const device = setting('DEVICE', many ? 8 : 5)

/** Expects that most programs said something: what is excused has a ceiling. */
function expectCompared(): void {
  const { programs, seconds, devices } = stats
  if (programs < 40) return
  const share = (part: number, of: number): number => (of === 0 ? 0 : part / of)
  expect(share(stats.unclear, programs), 'programs without a point that can be compared').toBeLessThan(0.08)
  expect(share(stats.lowered, programs), 'programs lowered without a front end').toBeGreaterThan(0.08)
  expect(share(stats.holding, programs), 'programs that hold something constant').toBeGreaterThan(0.25)
  // Of few, one alone would be too many.
  if (seconds >= 20) expect(share(stats.secondUnclear, seconds), 'the same of second derivatives').toBeLessThan(0.1)
  expect(share(devices, programs), 'programs run on a device').toBeGreaterThan(0.9)
  expect(share(stats.uncompiled, devices), 'programs that the device does not compile').toBeLessThan(0.05)
  expect(
    share(stats.silent + stats.overflows + stats.noise, devices),
    'programs of which the device says nothing',
  ).toBeLessThan(0.1)
}

describe('what generated programs call', () => {
  for (const f of prelude.values()) {
    it(`${f.name} has derivatives that agree with differences`, () => {
      const names = ['x', 'y'].slice(0, f.arity)
      const params = names.map(n => `float ${n}`).join(', ')
      const compiled = compile(
        `${f.text}[Differentiable] public float f(${params}) { return ${f.name}(${names.join(', ')}); }`,
        { verify: true },
      )
      expect(compiled.diagnostics.filter(d => d.severity === 'error')).toEqual([])
      const module = evaluate(compiled.js({ mode: 'f64' }).code)
      const direction = [0.6, -0.9]
      for (const point of [
        [0.3, 0.7],
        [-0.8, 1.4],
        [1.1, -0.6],
      ]) {
        const at = (h: number): number[] => [
          module['f']!(...names.map((_, i) => point[i]! + h * direction[i]!)) as number,
        ]
        const forward = (module['fwd_diff(f)']!(...names.map((_, i) => ({ p: point[i], d: direction[i] }))) as Pair)
          .d as number
        const whole = module['bwd_diff(f)']!(...names.map((_, i) => ({ p: point[i], d: 777 })), 1) as {
          out: Record<string, { d: number }>
        }
        const reverse = names.map((n, i) => whole.out[n]!.d * direction[i]!)
        expect(disagreement({ value: at, forward: [forward], reverse, weights: [1] }), `at ${point.join(', ')}`).toBe(
          undefined,
        )
      }
    })
  }
})

describe('generated programs', () => {
  it(
    'have derivatives of first and second order that agree with each other and with differences, and mean the same on every target',
    async () => {
      /** How to show what failed, in few words; that takes a while. */
      const failures: (() => Promise<string>)[] = []
      const note = (test: Check, seed: number, length: number, wrong: string): void => {
        failures.push(() => shrunk(test, seed, length, wrong))
        if (many) console.error(`seed ${seed}: ${wrong}`)
      }
      const start = Date.now()
      const said = (done: number): string =>
        `${done} of ${count} programs in ${Math.round((Date.now() - start) / 1000)} s, ${failures.length} disagreements; ${JSON.stringify(stats)}`
      /** What the device finds; it works on one program while the next is compiled. */
      let onDevice: Promise<() => void> = Promise.resolve(() => undefined)
      const finish = async (): Promise<void> => {
        ;(await onDevice)()
      }
      const ask = async (
        program: Program,
        seed: number,
        length: number,
        isSecond: boolean,
        samples: Samples,
      ): Promise<void> => {
        await finish()
        onDevice = checkOnDevice(program, seed, isSecond, samples).then(wrong => () => {
          if (wrong !== undefined) note(p => checkOnDevice(p, seed, isSecond), seed, length, wrong)
        })
      }
      for (let seed = first; seed < first + count && failures.length < mostFailures; seed++) {
        // Long programs find more, but take devices long to compile; those without bounds and with checkpoints, below, are long too.
        const length = seed % 8 === 0 ? size : Math.ceil(size / 2)
        const conditions = { second: seed % second === 0 }
        const program = programOf(seed, length)
        const samples: Samples = { first: [], second: [] }
        const message = check(program, seed, conditions, samples)
        if (message !== undefined) note(p => check(p, seed, conditions), seed, length, message)
        else {
          await ask(program, seed, length, false, samples)
          if (conditions.second && seed % (second * device) === 0) await ask(program, seed, length, true, samples)
        }
        if (many && (seed - first) % 50 === 49) console.error(said(seed - first + 1))
      }
      await finish()
      if (many) console.error(said(count))
      const small: string[] = []
      for (const shrink of failures) small.push(await shrink())
      closeGpu()
      expect(small.join('\n\n')).toBe('')
      expectCompared()
    },
    900_000 + count * 10_000,
  )
})
