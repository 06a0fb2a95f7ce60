import { tidy } from '../support/passes.ts'
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { adContext } from '../../src/ad/context.ts'
import { jvpOf, splitOf } from '../../src/ad/extract.ts'
import { resolve as resolveRequest } from '../../src/ad/request.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { run } from '../../src/ir/run.ts'
import { verifyForm } from '../../src/ir/verify.ts'
import { printFunc } from '../../src/ir/print.ts'
import type { Func } from '../../src/ir/value.ts'

const points = [
  [0.7, 1.3],
  [1.9, 0.4],
  [3.1, 1.2],
  [-0.8, 0.6],
  [0.3, 0.2],
] as const
const dir = new URL('../ir/ad/', import.meta.url)
for (const file of readdirSync(dir)) {
  const text = readFileSync(new URL(file, dir), 'utf8')
  const tested = parseModule(text).funcs.filter(
    f =>
      f.sig.params.length === 2 &&
      f.sig.params.every(p => p.type.name === 'f32' && !p.noDiff) &&
      f.sig.result.name === 'f32',
  )
  describe(file, () => {
    test('has functions of two numbers', () => expect(tested.length).toBeGreaterThan(0))
    for (const f of tested)
      test(f.name, () => {
        const module = parseModule(text)
        const sink = new Sink()
        const cx = adContext(
          module,
          {
            sink,
            derivatives: () => undefined,
            tidy,
            isTidy: () => false,
            observe: (stage, func, form) => {
              if (process.env['AD_DEBUG']) console.log(`── ${stage}\n${printFunc(func)}`)
              if (form !== undefined) verifyForm(func, form, stage)
            },
          },
          resolveRequest,
        )
        const func = module.funcs.find(g => g.name === f.name)!
        const jvp = jvpOf(cx, func, [true, true])!
        const split = splitOf(cx, func, [true, true])!
        expect(sink.list).toEqual([])
        const call = (g: Func, args: readonly number[]): number[] => run(g, args, { mode: 'f64' }) as number[]
        for (const [x, y] of points) {
          const h = 1e-6
          const value = call(func, [x, y])[0]!
          const fd = [
            [h, 0],
            [0, h],
          ].map(([dx, dy]) => (call(func, [x + dx!, y + dy!])[0]! - call(func, [x - dx!, y - dy!])[0]!) / (2 * h))
          const near = (a: number, b: number): void => {
            expect(Math.abs(a - b), `${a} against ${b} at ${x}, ${y}`).toBeLessThan(1e-5 * (1 + Math.abs(b)))
          }
          const forward = [
            [1, 0],
            [0, 1],
          ].map(d => call(jvp.func, [x, y, ...d]))
          near(forward[0]![0]!, value)
          forward.forEach((r, i) => near(r[1]!, fd[i]!))
          const out = run(split.primal, [x, y], { mode: 'f64' })
          near(out[0] as number, value)
          const grads = run(split.vjp, [...split.needs.map(i => [x, y][i]!), ...out.slice(1), 1], {
            mode: 'f64',
          }) as number[]
          expect(grads.length).toBe(split.activeInputs.filter(a => a).length)
          let next = 0
          fd.forEach((slope, i) => near(split.activeInputs[i] === true ? grads[next++]! : 0, slope))
        }
      })
  })
}
