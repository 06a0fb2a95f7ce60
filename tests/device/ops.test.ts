/**
 * Every row of the op table, on every type and shape that it takes, at operands where operations tend to be wrong: the verifier
 * accepts it before and after each pass, its text reads back, every target computes what the interpreter does, and its
 * derivatives agree with each other and with finite differences. `op-cases.ts` says what is built for each row.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import type { CommonOp } from '../../src/ir/op.ts'
import { opNames, rowOf as tableRow } from '../../src/ir/ops.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { printModule } from '../../src/ir/print.ts'
import { dispatch } from '../../src/ir/run.ts'
import type { Module } from '../../src/ir/value.ts'
import { type Func } from '../../src/ir/value.ts'
import { verifyModule } from '../../src/ir/verify.ts'
import { walk } from '../../src/ir/walk.ts'
import { emitWgsl } from '../../src/target/wgsl/emit.ts'
import { closeGpu, runByName } from '../support/gpu.ts'
import { opCases } from '../support/op-cases.ts'
import {
  answers,
  differences,
  gpuDifferences,
  interpreted,
  wrongDerivatives,
  type Answers,
} from '../support/op-compare.ts'
import { Maker, type Case, type KernelCase } from '../support/op-maker.ts'
import {
  exporting,
  fitsGpu,
  gpuProgram,
  inJavaScript,
  inWebAssembly,
  javascript,
  onGpu,
  optimised,
  webAssembly,
} from '../support/op-run.ts'
import { scalarsOf } from '../support/op-values.ts'
import { passes } from '../support/passes.ts'

afterAll(closeGpu)

const everyRow = Object.keys(opCases) as CommonOp[]
/** Rows with cases of their own. */
const rows = everyRow.filter(name => typeof opCases[name] !== 'string')

interface Row {
  readonly maker: Maker
  readonly text: string
  /** What the interpreter says. */
  readonly expected: Answers
}

const made = new Map<CommonOp, Row>()

/** The tests of a row, built once. */
function rowOf(name: CommonOp): Row {
  const known = made.get(name)
  if (known !== undefined) return known
  const cases = opCases[name]
  if (typeof cases === 'string') return rowOf(cases)
  const maker = new Maker(name)
  cases(maker)
  verifyModule(maker.module, name)
  // Second derivatives are for the interpreter alone.
  maker.module.funcs.splice(0, maker.module.funcs.length, ...maker.cases.map(c => c.func))
  const row = { maker, text: printModule(maker.module), expected: answers(maker.cases, interpreted(maker.module)) }
  made.set(name, row)
  return row
}

function uses(func: Func, row: CommonOp): boolean {
  let found = false
  walk(func.body!, inst => {
    found ||= inst.op === row
  })
  return found
}

describe('the op table', () => {
  test('every row is tested', () => {
    expect(opNames.filter(name => !name.startsWith('intrinsic.') && !everyRow.some(row => row === name))).toEqual([])
  })

  test.each(everyRow)('%s is used by its cases', name => {
    const { maker } = rowOf(name)
    expect(maker.cases.length + maker.kernels.length).toBeGreaterThan(0)
    expect(maker.cases.filter(c => c.isOwn && !uses(c.func, name)).map(c => c.name)).toEqual([])
    expect(maker.kernels.filter(k => !uses(k.entry, name)).map(k => k.name)).toEqual([])
  })

  test('every differentiable row has its derivative tested', () => {
    const flat = rows.filter(name => !['flat', 'structure'].includes(tableRow(name).ad.is))
    expect(flat.filter(name => rowOf(name).maker.derivatives.length === 0)).toEqual([])
  })
})

describe.each(rows)('%s', name => {
  const names = (): string[] => rowOf(name).maker.cases.map(c => c.func.name)
  const fresh = (): Module => exporting(parseModule(rowOf(name).text), names())

  test('is printed and read back as the same text', () => {
    for (const source of [rowOf(name).text, ...rowOf(name).maker.kernels.map(k => printModule(k.module))])
      expect(printModule(parseModule(source))).toBe(source)
  })

  test('stays what it is through every pass', () => {
    const { maker, expected } = rowOf(name)
    const module = fresh()
    for (const [pass, apply] of passes) {
      apply(module, { sink: new Sink(), level: 2 })
      verifyModule(module, pass)
    }
    expect(differences(maker.cases, expected, interpreted(module))).toEqual([])
  })

  test('is the same in JavaScript and WebAssembly', () => {
    const { maker, expected } = rowOf(name)
    const module = fresh()
    expect(differences(maker.cases, expected, inJavaScript(module))).toEqual([])
    expect(differences(maker.cases, expected, inWebAssembly(module))).toEqual([])
    optimised(module)
    expect(differences(maker.cases, expected, inJavaScript(module))).toEqual([])
    expect(differences(maker.cases, expected, inWebAssembly(module))).toEqual([])
  })

  test('is the same in JavaScript in double precision', () => {
    const { maker } = rowOf(name)
    const cases = maker.cases.filter(c => c.func.results.some(type => scalarsOf(type).some(s => s.startsWith('f'))))
    const wide = answers(cases, interpreted(maker.module, 'f64'))
    expect(differences(cases, wide, inJavaScript(optimised(fresh(), true), 'f64'))).toEqual([])
  })

  test('has derivatives that agree with differences and with each other', () => {
    expect(rowOf(name).maker.derivatives.flatMap(wrongDerivatives)).toEqual([])
  })
})

// ── GPUs: some cases a module, so that the driver compiles few, and none that is large ────────────────────────────

interface Answered {
  readonly c: Case
  readonly wanted: Answers[number]
  /** Worth a second shader: passes change what it is more than that they fold it. */
  readonly changes: boolean
}

/** The cases for GPUs of all rows, cut up. */
function batches(): Answered[][] {
  const all = rows.flatMap(name => {
    const { maker, expected } = rowOf(name)
    return maker.cases
      .map((c, i) => ({ c, wanted: expected[i]!, changes: !c.isOwn || tableRow(name).ad.is === 'structure' }))
      .filter(({ c }) => !c.cpuOnly && fitsGpu(c))
  })
  return Array.from({ length: Math.ceil(all.length / 40) }, (_, k) => all.slice(40 * k, 40 * (k + 1)))
}

describe('in WGSL', () => {
  test.each(batches().map(batch => ({ batch, first: batch[0]!.c.name, last: batch.at(-1)!.c.name })))(
    '$first to $last',
    async ({ batch }) => {
      const agree = async (list: readonly Answered[], variant: (module: Module) => Module): Promise<void> => {
        if (list.length === 0) return
        const cases = list.map(({ c }) => c)
        const module = variant(parseModule(printModule(gpuProgram(cases))))
        expect(
          gpuDifferences(
            cases,
            list.map(({ wanted }) => wanted),
            await onGpu(module, cases),
          ),
        ).toEqual([])
      }
      await agree(
        batch.filter(({ c }) => c.isOwn),
        module => module,
      )
      await agree(
        batch.filter(({ changes }) => changes),
        optimised,
      )
    },
  )
})

const arrays = { f32: Float32Array, i32: Int32Array, u32: Uint32Array } as const
const kernels = rows.flatMap(name => rowOf(name).maker.kernels.map(k => ({ name: k.name, k })))

describe('kernels', () => {
  const buffersOf = (k: KernelCase): Record<string, Float32Array | Int32Array | Uint32Array> =>
    Object.fromEntries(Object.entries(k.buffers).map(([name, { scalar, data }]) => [name, new arrays[scalar](data)]))
  const numbers = (buffers: Record<string, Float32Array | Int32Array | Uint32Array>): Record<string, number[]> =>
    Object.fromEntries(Object.entries(buffers).map(([name, data]) => [name, [...data]]))

  test.each(kernels)('$name', async ({ k }) => {
    const source = printModule(k.module)
    const variants = (): Module[] => [parseModule(source), optimised(parseModule(source))]
    verifyModule(k.module, k.name)
    const wanted = numbers(buffersOf(k))
    const reference = (): void => dispatch(k.entry, k.groups, [], { globals: { ...wanted, ...k.uniforms } })
    if (k.trap === undefined) reference()
    else expect(reference).toThrow(k.trap)
    for (const module of variants()) {
      const [js, wasm] = [buffersOf(k), buffersOf(k)]
      const printed: string[] = []
      const script = javascript(module)
      const machine = webAssembly(module, line => printed.push(line))
      const inScript = (): void => {
        script['computeMain']!(k.groups, { ...js, ...k.uniforms })
      }
      const inMachine = (): void => machine.dispatch('computeMain', k.groups, { buffers: wasm, uniforms: k.uniforms })
      if (k.trap === undefined) {
        inScript()
        inMachine()
      } else {
        expect(inScript).toThrow(k.trap)
        expect(inMachine).toThrow(k.trap)
      }
      expect(numbers(js)).toEqual(wanted)
      // What a kernel that stopped has written is not read back.
      if (k.trap === undefined) expect(numbers(wasm)).toEqual(wanted)
      expect(printed).toEqual(k.prints)
      // GPUs leave traps out.
      if (k.prints.length > 0 || k.trap !== undefined) continue
      const sink = new Sink()
      const { code, reflection } = emitWgsl(module, {}, sink)
      expect(sink.list).toEqual([])
      const data = Object.fromEntries(Object.entries(buffersOf(k)).map(([name, a]) => [name, new Uint8Array(a.buffer)]))
      for (const [name, x] of Object.entries(k.uniforms))
        data[name] = new Uint8Array(new Float32Array([x, 0, 0, 0]).buffer)
      const out = await runByName(code, 'computeMain', reflection.bindings, data, k.groups)
      const found = Object.fromEntries(
        Object.entries(out).map(([name, bytes]) => [
          name,
          [...new arrays[k.buffers[name]!.scalar](bytes.slice().buffer)].slice(0, wanted[name]!.length),
        ]),
      )
      const written = Object.keys(k.buffers).filter(name => k.buffers[name]!.readonly !== true)
      expect(Object.keys(found).sort()).toEqual(written.sort())
      for (const [name, list] of Object.entries(found)) expect(list, name).toEqual(wanted[name])
    }
  })
})
