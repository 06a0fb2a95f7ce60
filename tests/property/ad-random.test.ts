import type { Split } from '../../src/ad/model.ts'
import { expect, test } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { adContext, newFunc, type AdContext } from '../../src/ad/context.ts'
import { jvpOf, splitOf } from '../../src/ad/extract.ts'
import { Builder, region } from '../../src/ir/build.ts'
import { printFunc } from '../../src/ir/print.ts'
import { run, type Data } from '../../src/ir/run.ts'
import * as t from '../../src/ir/type.ts'
import type { Module } from '../../src/ir/value.ts'
import { type Func, type Value } from '../../src/ir/value.ts'
import { verify, verifyForm } from '../../src/ir/verify.ts'
import { walk } from '../../src/ir/walk.ts'
import { generate } from '../support/generate-ir.ts'
import { tidy } from '../support/passes.ts'
import { setting } from '../support/setting.ts'

const debug = process.env['AD_SEED'] !== undefined
const first = setting('AD_SEED', 1)
const count = debug ? 1 : setting('AD_COUNT', 300)

/** `(i, x) → dL/dx` for a split function, as an ordinary function. The weights move with `x`, so that the derivative of this is not zero where the program is linear. */
function gradient(cx: AdContext, main: Func, split: Split): Func {
  const [i, x] = main.body!.params as [Value, Value]
  const func = newFunc(cx, 'gradient', [i, x], [t.f32], null)
  func.body = region()
  const b = new Builder(func, func.body)
  const inputs = [b.param(t.i32, 'i'), b.param(t.f32, 'x')]
  const out = b.call(split.primal, inputs)
  const cts = split.activeResults.filter(a => a).map((_, k) => b.add(inputs[1]!, b.const(t.f32, 1 + k)))
  b.emit('ret', b.call(split.vjp, [...split.needs.map(k => inputs[k]!), ...out.slice(split.own), ...cts]))
  return func
}

/** Makes the structs of a generated program differentiable, without their integers. */
function differentiable(module: Module): void {
  for (const s of module.structs.slice()) {
    const kept = s.fields.filter(f => t.differential(f.type) !== null)
    const diff = t.struct(
      `${s.name}D`,
      kept.map(f => ({ name: f.name, type: t.differential(f.type)! })),
    )
    diff.diff = { type: diff, fields: kept.map((_, i) => i), dzero: undefined, dadd: undefined }
    let next = 0
    s.diff = {
      type: diff,
      fields: s.fields.map(f => (t.differential(f.type) === null ? -1 : next++)),
      dzero: undefined,
      dadd: undefined,
    }
    module.structs.push(diff)
  }
  for (const func of module.funcs) {
    func.info.level = 'backward'
    func.info.forceInline = false
    walk(func.body!, inst => {
      if (inst.op === 'loop' && inst.attr === null) inst.attr = 64
    })
  }
}

test('forward and reverse agree on random programs', { timeout: 120000 }, () => {
  let compared = 0,
    nonzero = 0,
    curved = 0
  for (let seed = first; seed < first + count; seed++) {
    const { module, main } = generate(seed)
    differentiable(module)
    const sink = new Sink()
    const cx: AdContext = adContext(
      module,
      {
        sink,
        derivatives: () => undefined,
        tidy,
        isTidy: () => false,
        observe: (stage, func, form) => {
          if (debug) console.log(`── ${stage}\n${printFunc(func)}`)
          if (form !== undefined) verifyForm(func, form, stage)
        },
      },
      () => undefined,
    )
    const active = [false, true]
    let message = `seed ${seed}`
    try {
      const jvp = jvpOf(cx, main, active)!
      const split = splitOf(cx, main, active)!
      message += sink.list.map(d => d.message).join()
      expect(sink.errors).toBe(0)
      const grad = gradient(cx, main, split)
      const jvp2 = jvpOf(cx, grad, active)!
      const split2 = splitOf(cx, grad, active)!
      expect(sink.errors).toBe(0)
      for (const made of [jvp.func, split.primal, split.vjp, grad, jvp2.func, split2.primal, split2.vjp])
        verify(made, 'derivatives')
      for (const [i, x] of [
        [1, 0.7],
        [3, -1.3],
      ] as const) {
        const buffers = (): Data[] => Array.from({ length: 8 }, (_, k) => k * 0.3 - 1)
        const options = () => ({ mode: 'f64' as const, steps: 200000, globals: { buf: buffers(), u: 0.8 } })
        const plain = run(main, [i, x], options())
        const forward = run(jvp.func, [i, x, 1], options())
        const out = run(split.primal, [i, x], options())
        expect(forward.slice(0, plain.length), 'primal of jvp').toEqual(plain)
        expect(out.slice(0, plain.length), 'primal of split').toEqual(plain)
        let pushed = plain.length
        const tangents = jvp.results.map(active => (active ? (forward[pushed++] as number) : 0))
        const cts = split.activeResults.filter(a => a).map((_, k) => x + 1 + k)
        let weight = 0
        const weights = split.activeResults.map(active => (active ? cts[weight++]! : 0))
        // What one mode takes for constant has no derivative in the other.
        tangents.forEach((v, k) => {
          if (!split.activeResults[k]) expect(v, `tangent ${k}`).toBe(0)
        })
        const grads = run(
          split.vjp,
          [...split.needs.map(k => [i, x][k]!), ...out.slice(split.own), ...cts],
          options(),
        ) as number[]
        const want = tangents.reduce((sum, v, k) => sum + v * weights[k]!, 0)
        const got = grads[0] ?? 0
        if (!Number.isFinite(want) || Math.abs(want) > 1e9) continue
        compared++
        if (want !== 0) nonzero++
        expect(Math.abs(got - want), `${got} against ${want}`).toBeLessThan(1e-6 * (1 + Math.abs(want)))
        const second = (run(jvp2.func, [i, x, 1], options())[1] ?? 0) as number
        if (!Number.isFinite(second) || Math.abs(second) > 1e9) continue
        const out2 = run(split2.primal, [i, x], options())
        expect(out2[0], 'gradient by the primal of its split').toBeCloseTo(got)
        const grads2 = split2.activeResults[0]
          ? (run(
              split2.vjp,
              [...split2.needs.map(k => [i, x][k]!), ...out2.slice(split2.own), 1],
              options(),
            )[0] as number)
          : 0
        expect(Math.abs(grads2 - second), `second order: ${grads2} against ${second}`).toBeLessThan(
          1e-6 * (1 + Math.abs(second)),
        )
        if (second !== 0) curved++
      }
    } catch (error) {
      throw new Error(`${message}: ${(error as Error).message}`, { cause: error })
    }
  }
  expect(compared).toBeGreaterThan(count / 2)
  if (!debug) expect(nonzero).toBeGreaterThan(count / 4)
  if (!debug) expect(curved).toBeGreaterThan(count / 4)
})
