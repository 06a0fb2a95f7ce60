import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { disagreement } from '../support/gradients.ts'
import { evaluate } from '../support/js-run.ts'

type Pair = { readonly p: number; readonly d: number }

const folder = join(import.meta.dirname, '../grad')

describe('gradients', () => {
  for (const file of readdirSync(folder).filter(f => f.endsWith('.slang'))) {
    const source = readFileSync(join(folder, file), 'utf8')
    const points = [...source.matchAll(/^\/\/! at (.*)$/gm)].map(m => m[1]!.trim().split(/\s+/).map(Number))

    it(`${file}: reverse, forward and differences agree, in JavaScript and WebAssembly`, () => {
      const program = compile(source, { fileName: file, verify: true })
      expect(program.diagnostics.filter(d => d.severity === 'error').map(d => d.message)).toEqual([])
      const script = evaluate(program.js({ mode: 'f64' }).code)
      const wasm = loadSync(program)
      const subjects = program.exports.filter(e => e.differentiable === 'backward')
      expect(subjects.length * points.length).toBeGreaterThan(0)
      for (const f of subjects) {
        for (const at of points) {
          const point = at.slice(0, f.params.length)
          const where = `${f.name}(${point.join(', ')})`
          const direction = point.map((_, i) => (i % 2 === 0 ? 0.6 : -0.9) + 0.1 * i)
          const value = (h: number): number[] => [
            script[f.name]!(...point.map((x, i) => x + h * direction[i]!)) as number,
          ]
          const forward = (
            script[`fwd_diff(${f.name})`]!(...point.map((p, i): Pair => ({ p, d: direction[i]! }))) as Pair
          ).d
          const { out } = script[`bwd_diff(${f.name})`]!(...point.map((p): Pair => ({ p, d: 777 })), 1) as {
            readonly out: Readonly<Record<string, Pair>>
          }
          const grads = f.params.map(p => out[p.name]!.d)
          expect(
            disagreement({ value, forward: [forward], reverse: grads.map((g, i) => g * direction[i]!), weights: [1] }),
            where,
          ).toBe(undefined)
          const single = wasm.fn[f.name]!.valueAndGrad(...point)
          expect(single.grad.length, where).toBe(grads.length)
          expect(Math.abs((single.value as number) - value(0)[0]!), where).toBeLessThan(
            1e-4 * (1 + Math.abs(value(0)[0]!)),
          )
          const { tangent } = wasm.fn[f.name]!.jvp(point, direction)
          expect(Math.abs((tangent as number) - forward), where).toBeLessThan(1e-3 * (1 + Math.abs(forward)))
          grads.forEach((g, i) =>
            expect(Math.abs((single.grad[i] as number) - g), where).toBeLessThan(1e-3 * (1 + Math.abs(g))),
          )
        }
      }
    })
  }
})
