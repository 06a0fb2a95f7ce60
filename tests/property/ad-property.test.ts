import { describe, expect, it } from 'vitest'
import { adContext } from '../../src/ad/context.ts'
import { jvpOf, splitOf } from '../../src/ad/extract.ts'
import { resolve } from '../../src/ad/request.ts'
import { Sink } from '../../src/base/diag.ts'
import { differential } from '../../src/ir/type.ts'
import type { Func, Inst, Module } from '../../src/ir/value.ts'
import { inputs } from '../../src/ir/value.ts'
import { run, type Data } from '../../src/ir/run.ts'
import { verifyForm, verifyModule } from '../../src/ir/verify.ts'
import { emitJs } from '../../src/target/js/js.ts'
import { generateProgram } from '../support/generate-slang.ts'
import type { Program } from '../support/program.ts'
import { programText } from '../support/program-text.ts'
import { random } from '../support/generate-ir.ts'
import { disagreement, fill, flatten, largestIn, moved } from '../support/gradients.ts'
import { callEmitted, evaluate, type Evaluated } from '../support/js-run.ts'
import { lowerMini, miniLibs } from '../support/lower-mini.ts'
import { isNear } from '../support/near.ts'
import { reduce } from '../support/reduce.ts'
import { tidy } from '../support/passes.ts'
import { setting } from '../support/setting.ts'

const first = setting('SEED', 0)
const count = setting('SEEDS', 120)
const size = setting('SIZE', 14)

/** What is wrong with the derivatives of a program; undefined where nothing is. */
function check(program: Program, seed: number): string | undefined {
  try {
    return tryCheck(program, seed)
  } catch (error) {
    const text = (error as Error).message
      .split('\n')
      .slice(0, process.env['SHOW'] === undefined ? 2 : 400)
      .join('\n')
    return `threw ${text} ${process.env['SHOW'] === undefined ? '' : ((error as Error).stack ?? '')}`
  }
}

const options = { mode: 'f64', steps: 1_000_000 } as const

function emit(module: Module, funcs: readonly Func[]): Evaluated {
  for (const func of funcs) func.info.exported = func.name
  const sink = new Sink()
  const { code } = emitJs(module, { mode: 'f64' }, sink)
  if (sink.errors > 0) throw new Error(sink.list.map(d => d.message).join('; '))
  return evaluate(code)
}

function tryCheck(program: Program, seed: number): string | undefined {
  const { module, main } = lowerMini(program)
  verifyModule(module, 'lower-mini')
  module.funcs.forEach(tidy)
  const sink = new Sink()
  const cx = adContext(
    module,
    {
      sink,
      derivatives: () => undefined,
      tidy,
      isTidy: () => false,
      observe: (stage, func, form) => {
        if (form !== undefined) verifyForm(func, form, stage)
      },
    },
    resolve,
  )
  const params = inputs(main.sig)
  const active = params.map(p => !p.noDiff)
  const jvp = jvpOf(cx, main, active)
  const split = splitOf(cx, main, active)
  if (jvp === undefined || split === undefined || sink.errors > 0)
    return `refused: ${sink.list.map(d => d.message).join('; ')}`
  verifyModule(module, 'ad')
  const emitted = seed % 4 === 0 ? emit(module, [main, jvp.func, split.primal, split.vjp]) : undefined
  const call = (func: Func, args: readonly Data[]): readonly Data[] => {
    const results = run(func, args, options)
    if (emitted !== undefined) {
      const other = callEmitted(emitted, func, func.name, args)
      const same = func.results.every((type, i) => {
        const [x, y] = [flatten(type, results[i]!), flatten(type, other[i]!)]
        return x.length === y.length && x.every((v, n) => isNear(v, y[n]!, 1e-9 * (1 + Math.abs(v))))
      })
      if (!same) throw new Error(`JavaScript of ${func.name} gives another value`)
    }
    return results
  }
  const rand = random(seed + 99)
  const number = (): number => (rand(2001) - 1000) / 700 + 0.0123
  for (let point = 0; point < 3; point++) {
    const args = params.map(p => fill(p.type, s => (s.name === 'i32' ? rand(4) : number())))
    const tangents = params.map(p => (active[params.indexOf(p)] ? fill(differential(p.type)!, number) : 0))
    const given = tangents.filter((_, i) => active[i])
    const own = main.results.length
    const flat = (values: readonly Data[]): number[] => main.results.flatMap((type, i) => flatten(type, values[i]!))
    // Differences hold what derivatives hold: `detach` gives the same values in the same order at every step.
    let held: Data[] = []
    const value = (h: number): number[] => {
      let at = 0
      if (h === 0) held = []
      const intercept = (inst: Inst, x: Data): Data =>
        inst.op !== 'detach' ? x : h === 0 ? (held.push(x), x) : (held[at++] ?? x)
      return flat(
        run(
          main,
          args.map((a, i) => (active[i] ? moved(params[i]!.type, a, tangents[i]!, h) : a)),
          { ...options, intercept },
        ),
      )
    }
    let largest = 0
    const watch = (_: unknown, x: Data): void => {
      largest = Math.max(largest, largestIn(x))
    }
    run(main, args, { ...options, watch })
    total++
    // Where numbers are that large, some derivative overflows, and zero times that is no number.
    if (largest > 1e6) {
      rough++
      continue
    }
    const weights = value(0).map(() => number())
    let used = 0
    const cts = main.results.map(type => fill(differential(type)!, () => weights[used++]!))
    const pushed = call(jvp.func, [...args, ...given])
    let k = own
    const forward = main.results.flatMap((type, i) =>
      jvp.results[i] === true
        ? flatten(differential(type)!, pushed[k++]!)
        : flatten(
            type,
            fill(type, () => 0),
          ),
    )
    const primal = call(split.primal, args)
    const pulled = call(split.vjp, [
      ...split.needs.map(i => args[i]!),
      ...primal.slice(own),
      ...cts.filter((_, i) => split.activeResults[i]),
    ])
    // Constants are folded in single precision.
    const plain = value(0)
    const sameValue = flat(primal).every((v, i) => isNear(v, plain[i]!, 1e-6 * (1 + Math.abs(v))))
    if (!sameValue) return 'the primal half gives another value'
    const types = params.filter((_, i) => active[i]).map(p => differential(p.type)!)
    const reverse = types.flatMap((type, i) => {
      const t = flatten(type, given[i]!)
      return flatten(type, pulled[i]!).map((x, n) => x * t[n]!)
    })
    const wrong = disagreement({ value, forward, reverse, weights })
    if (wrong !== undefined && wrong !== 'rough') return wrong
    if (wrong === 'rough') rough++
  }
  return undefined
}

let rough = 0
let total = 0
const kind = (message: string | undefined): string => (message ?? '').replace(/-?\d[\w.+-]*|%\S+/g, '#').slice(0, 60)

describe('derivatives of generated programs, lowered without a front end', () => {
  it('reverse = forward = finite differences', async () => {
    const failures: string[] = []
    for (let seed = first; seed < first + count && failures.length < setting('FAILURES', 3); seed++) {
      const make = (): Program => generateProgram(seed, { libs: miniLibs, size, objects: false })
      const message = check(make(), seed)
      if (message === undefined) continue
      const program = await reduce(make(), p => kind(check(p, seed)) === kind(message), 600)
      failures.push(`seed ${seed}: ${check(program, seed)}\n${programText(program)}`)
    }
    if (process.env['STATS'] !== undefined) console.log(`${rough} rough points of ${total}`)
    expect(failures.join('\n\n')).toBe('')
    expect(rough / total, 'points where nothing could be compared').toBeLessThan(0.15)
  }, 600_000)
})
