import { afterAll, describe, expect, test } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { Builder } from '../../src/ir/build.ts'
import { run, type Data } from '../../src/ir/run.ts'
import * as t from '../../src/ir/type.ts'
import type { Module } from '../../src/ir/value.ts'
import { Func, Global, Region, inputs } from '../../src/ir/value.ts'
import { verifyModule } from '../../src/ir/verify.ts'
import { Layouts } from '../../src/ir/layout.ts'
import { emitWgsl } from '../../src/target/wgsl/emit.ts'
import { Layouts as WgslLayouts } from '../../src/target/wgsl/layout.ts'
import { TypeMap } from '../../src/target/wgsl/types.ts'
import { generate, random } from '../support/generate-ir.ts'
import { closeGpu, runByName } from '../support/gpu.ts'
import { isNear } from '../support/near.ts'
import { passes } from '../support/passes.ts'
import { setting } from '../support/setting.ts'

afterAll(closeGpu)

const seeds = setting('SEEDS', 150)
const size = setting('SIZE', 30)

/** Adds an entry point that calls `main(i, x)` with what it finds in `args`, and writes its results to `results`. */
function withEntry(module: Module, main: Func): Func {
  const args = new Global('args', t.array(t.f32, 0), 'storage', 'structured', undefined, undefined, null)
  const results = new Global('results', t.array(t.f32, 0), 'storage_rw', 'structured', undefined, undefined, null)
  module.globals.push(args, results)
  const uint3 = t.vec(t.u32, 3)
  const entry = new Func(
    'entry',
    { params: [{ name: 'id', type: uint3, dir: 'in', noDiff: true }], result: t.voidType, resultNoDiff: true },
    null,
  )
  entry.info.entry = { stage: 'compute', numthreads: [1, 1, 1], semantics: ['SV_DISPATCHTHREADID'] }
  entry.body = new Region()
  const b = new Builder(entry, entry.body)
  const id = b.extract(b.param(uint3, 'id'), 0)
  const two = b.const(t.u32, 2)
  const at = (g: Global, k: number) => b.elem(b.emit1('global', [], g), b.add(b.mul(id, two), b.const(t.u32, k)))
  const values = inputs(main.sig).map((p, i) => b.convert(b.load(at(args, i)), p.type))
  const outs = b.call(main, values)
  outs.forEach((v, i) => b.store(at(results, i), b.convert(v, t.f32)))
  b.emit('ret', [])
  module.funcs.push(entry)
  return entry
}

function numbers(data: Data): number {
  return Math.fround(Number(data))
}

describe('generated programs mean the same as in the interpreter', () => {
  const rand = random(7)
  for (let seed = 0; seed < seeds; seed++) {
    test(`seed ${seed}`, async () => {
      const { module, main } = generate(seed, size)
      withEntry(module, main)
      // Every other program is optimised first, which makes other shapes of it.
      if (seed % 4 === 3) passes.get('inlineAll')!(module, { sink: new Sink(), level: 2 })
      if (seed % 2 === 1)
        for (const pass of ['sroa', 'ssa', 'simplify', 'gvn', 'licm', 'copyElision', 'deadStores', 'simplify', 'dce'])
          passes.get(pass)!(module, { sink: new Sink(), level: 2 })
      verifyModule(module, 'generated')
      const sink = new Sink()
      const { code, reflection } = emitWgsl(module, {}, sink)
      expect(sink.list).toEqual([])
      const count = 4
      const inputs = new Float32Array(count * 2).map((_, i) => (i % 2 === 0 ? rand(9) - 3 : (rand(200) - 100) / 16))
      const buffer = Array.from({ length: 8 }, (_, i) => i / 2 - 1)
      const expected: number[] = []
      const shared = [...buffer]
      for (let k = 0; k < count; k++) {
        const out = run(main, [inputs[k * 2]!, inputs[k * 2 + 1]!], { globals: { buf: shared, u: 0.75 } })
        expected.push(...out.map(numbers))
      }
      const found: number[] = []
      let held = new Uint8Array(new Float32Array(buffer).buffer)
      for (let k = 0; k < count; k++) {
        const out = await runByName(
          code,
          'entry',
          reflection.bindings,
          {
            args: new Uint8Array(inputs.slice(k * 2, k * 2 + 2).buffer),
            results: new Uint8Array(8),
            buf: held,
            u: new Uint8Array(new Float32Array([0.75, 0, 0, 0]).buffer),
          },
          [1, 1, 1],
        )
        if (out['buf'] !== undefined) held = new Uint8Array(out['buf'])
        found.push(...new Float32Array(out['results']!.slice().buffer))
      }
      expected.push(...shared.map(numbers))
      found.push(...new Float32Array(held.slice().buffer))
      expect(found.length).toBe(expected.length)
      for (let i = 0; i < expected.length; i++) {
        const [e, f] = [expected[i]!, found[i]!]
        if (!isNear(e, f, 1e-4 * (Math.abs(e) + Math.abs(f)) + 1e-5))
          throw new Error(`result ${i}: interpreter ${e}, GPU ${f}\n${code}`)
      }
    })
  }
})

describe('what reflection says of memory is how the WGSL declares it', () => {
  const small = t.struct('Small', [{ name: 'a', type: t.f32 }])
  const light = t.struct('Light', [
    { name: 'dir', type: t.vec(t.f32, 3) },
    { name: 'on', type: t.bool },
  ])
  const types = [
    t.f32,
    t.bool,
    t.vec(t.f32, 3),
    t.vec(t.u32, 2),
    t.mat(t.f32, 2, 2),
    t.mat(t.f32, 3, 3),
    t.mat(t.f32, 4, 2),
    t.mat(t.i32, 2, 2),
    t.mat(t.i32, 3, 3),
    t.mat(t.f32, 1, 3),
    t.mat(t.f32, 3, 1),
    small,
    light,
    t.array(t.f32, 3),
    t.array(t.vec(t.f32, 3), 2),
    t.array(small, 2),
    t.array(t.mat(t.f32, 2, 2), 2),
    t.array(t.array(t.f32, 2), 3),
    t.struct('Two', [
      { name: 'small', type: small },
      { name: 'after', type: t.f32 },
    ]),
  ]
  for (const kind of ['storage', 'uniform', 'natural'] as const) {
    for (const type of types) {
      test(`${kind} ${type.name}`, () => {
        const outer = t.struct('Outer', [
          { name: 'first', type: t.f32 },
          { name: 'it', type },
          { name: 'last', type: t.f32 },
          { name: 'again', type },
        ])
        const layouts = new WgslLayouts()
        const legal = new TypeMap().value(outer)
        const stored = layouts.stored(legal, kind)
        const said = new Layouts(kind).of(outer)
        expect(said.offsets).toEqual(layouts.offsets(stored.type))
        const { size } = layouts.extent(stored.type)
        expect(said.size).toBe(kind === 'uniform' ? Math.ceil(size / 16) * 16 : size)
      })
    }
  }
})
