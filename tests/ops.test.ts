import { describe, expect, test } from 'vitest'
import { Sink } from '../src/base/diag.ts'
import { adContext, newFunc } from '../src/ad/context.ts'
import { jvpOf, splitOf } from '../src/ad/extract.ts'
import { Builder, region } from '../src/ir/build.ts'
import * as ops from '../src/ir/ops.ts'
import { parseModule } from '../src/ir/parse.ts'
import { printModule } from '../src/ir/print.ts'
import { run, type Data } from '../src/ir/run.ts'
import * as t from '../src/ir/type.ts'
import { Module, type Value } from '../src/ir/value.ts'
import { verify } from '../src/ir/verify.ts'
import { dce } from '../src/opt/dce.ts'

const v3 = t.vec(t.f32, 3)

/** Each differentiable row of the op table, applied to what two vectors give. */
const uses: Readonly<Record<string, (b: Builder, x: Value, y: Value) => Value>> = {
  add: (b, x, y) => b.emit1(ops.add, [x, y]),
  sub: (b, x, y) => b.sub(x, y),
  mul: (b, x, y) => b.emit1(ops.mul, [x, y]),
  div: (b, x, y) => b.emit1(ops.div, [x, y]),
  rem: (b, x, y) => b.emit1(ops.rem, [x, y]),
  neg: (b, x) => b.neg(x),
  select: (b, x, y) => b.emit1(ops.select, [b.emit1(ops.lt, [x, y]), x, y]),
  convert: (b, x) => b.convert(b.convert(x, t.vec(t.f64, 3)), v3),
  construct: (b, x, y) => b.emit1(ops.construct, [b.extract(y, 1), b.extract(x, 2), b.extract(x, 2)], null, v3),
  splat: (b, x) => b.emit1(ops.splat, [b.extract(x, 1)], null, v3),
  extract: (b, x) => b.emit1(ops.extract, [x], 2),
  insert: (b, x, y) => b.insert(x, 1, b.extract(y, 0)),
  swizzle: (b, x) => b.swizzle(x, [2, 0, 0]),
  index: (b, x) => b.emit1(ops.index, [x, b.convert(b.extract(x, 0), t.i32)]),
  dot: (b, x, y) => b.emit1(ops.dot, [x, y]),
  matmul: (b, x, y) => b.emit1(ops.matmul, [b.emit1(ops.matmul, [x, b.construct(t.mat(t.f32, 3, 3), [x, y, x])]), b.construct(t.mat(t.f32, 3, 3), [y, x, y])]),
  transpose: (b, x, y) => b.extract(b.transpose(b.construct(t.mat(t.f32, 2, 3), [x, y])), 1),
}

const rows = [...ops.byName.values()].filter(op => op.ad.is === 'linear' || op.ad.is === 'multilinear' || op.ad.is === 'smooth')

describe('every differentiable row of the op table', () => {
  test('is used here', () => {
    expect(rows.map(r => r.name).filter(name => uses[name] === undefined)).toEqual([])
  })

  test.each(rows.map(r => r.name))('%s: finite differences, inner products, and its text', name => {
    const module = new Module()
    const sink = new Sink()
    const cx = adContext(module, {
      sink, derivatives: () => undefined, resolve: () => undefined, observe: () => undefined, isTidy: () => false,
      tidy: func => { dce(func); verify(func, name) },
    })
    const at = new Builder(newFunc(cx, 'shape', [], [], null), region())
    const [x, y] = [at.param(v3, 'x'), at.param(v3, 'y')]
    const func = newFunc(cx, 'f', [x, y], [t.f32], null)
    func.body = region()
    const b = new Builder(func, func.body)
    const used = uses[name]!(b, b.param(v3, 'x'), b.param(v3, 'y'))
    // Squares make the first derivative depend on the point, so that residuals count.
    b.emit(ops.ret, [b.sumLanes(b.mul(used, used))])
    module.funcs.splice(module.funcs.findIndex(f => f.name === 'shape'), 1)
    verify(func, name)
    const text = printModule(module)
    expect(printModule(parseModule(text))).toBe(text)

    const jvp = jvpOf(cx, func, [true, true])!
    const split = splitOf(cx, func, [true, true])!
    expect(sink.list).toEqual([])
    const call = (g: typeof func, args: readonly Data[]): readonly Data[] => run(g, args, { mode: 'f64' })
    const value = (p: readonly number[][]): number => call(func, p)[0] as number
    for (const [p, q] of [[[1.3, -0.7, 2.6], [0.4, 1.9, -1.1]], [[2.2, 0.6, -1.4], [-0.9, 0.25, 0.8]]] as const) {
      const [dp, dq] = [[0.3, -0.8, 0.5], [-0.2, 0.7, 0.9]]
      const h = 1e-6
      const moved = (s: number): number => value([p.map((a, i) => a + s * dp[i]!), q.map((a, i) => a + s * dq[i]!)])
      const difference = (moved(h) - moved(-h)) / (2 * h)
      const forward = call(jvp.func, [p, q, dp, dq]).at(-1) as number
      expect(Math.abs(forward - difference)).toBeLessThan(1e-6 * (1 + Math.abs(difference)))
      const out = call(split.primal, [p, q])
      const grads = call(split.vjp, [...split.needs.map(k => [p, q][k]!), ...out.slice(split.own), 1]) as number[][]
      const reverse = [dp, dq].reduce((sum, d, k) => sum + d.reduce((s, a, i) => s + a * grads[k]![i]!, 0), 0)
      expect(Math.abs(reverse - forward)).toBeLessThan(1e-9 * (1 + Math.abs(forward)))
    }
  })
})
