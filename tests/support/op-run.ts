/** Runs the functions and kernels that test an operation on each target. */
import { Sink } from '../../src/base/diag.ts'
import { core } from '../../src/check/core.generated.ts'
import { finish } from '../../src/compile.ts'
import { Machine } from '../../src/cpu/machine.ts'
import { libraryOf } from '../../src/program.ts'
import { Builder, region } from '../../src/ir/build.ts'
import { funcNamed, type Data } from '../../src/ir/run.ts'
import type { Mode, Scalar } from '../../src/ir/scalar.ts'
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import { Func, Global, Module, inputs, outputs, type Value } from '../../src/ir/value.ts'
import * as verifier from '../../src/ir/verify.ts'
import { emulation } from '../../src/target/emulate/emulate.ts'
import { emitJs } from '../../src/target/js/js.ts'
import { compileWasm } from '../../src/target/wasm/wasm.ts'
import { emitWgsl } from '../../src/target/wgsl/emit.ts'
import { runByName } from './gpu.ts'
import { callEmitted, evaluate, fromHost, toHost, type Evaluated } from './js-run.ts'
import { fromWords, scalarsIn, scalarsOf, toWords, assemble } from './op-values.ts'
import type { Case } from './op-maker.ts'

/** Calls a function of a module by its name. */
export type Call = (name: string, args: readonly Data[]) => readonly Data[]

function without(sink: Sink, what: string): void {
  if (sink.list.length > 0) throw new Error(`${what}: ${sink.list.map(d => `${d.code} ${d.message}`).join('; ')}`)
}

/** Exports the functions named. */
export function exporting(module: Module, names: readonly string[]): Module {
  for (const name of names) funcNamed(module, name).info.exported = name
  return module
}

/** Optimises a module, verifying after each pass. */
export function optimised(module: Module, wide = false): Module {
  const sink = new Sink()
  finish(module, sink, { level: 2, verifier, wide })
  without(sink, 'optimising')
  return module
}

/** What the emitted JavaScript of a module exports. */
export function javascript(module: Module, mode: Mode = 'f32'): Evaluated {
  const sink = new Sink()
  const { code } = emitJs(module, { mode }, sink)
  without(sink, 'JavaScript')
  return evaluate(code)
}

/** The emitted JavaScript of a module. */
export function inJavaScript(module: Module, mode: Mode = 'f32'): Call {
  const script = javascript(module, mode)
  return (name, args) => callEmitted(script, funcNamed(module, name), name, args)
}

/** A module as WebAssembly, instantiated. */
export function webAssembly(module: Module, print?: (text: string) => void): Machine {
  const sink = new Sink()
  const out = compileWasm(module, sink)
  without(sink, 'WebAssembly')
  return new Machine(new WebAssembly.Module(out!.bytes), out!.host, print === undefined ? {} : { print })
}

/** The functions of a module as WebAssembly. */
export function inWebAssembly(module: Module): Call {
  const machine = webAssembly(module)
  return (name, args) => {
    const func = funcNamed(module, name)
    const { out } = machine.call(
      name,
      inputs(func.sig).map((p, i) => toHost(p.type, args[i]!)),
    )
    return outputs(func.sig).map(p => fromHost(p.type, out[p.name]))
  }
}

/** True for types that every GPU computes with, if need be by others. */
function isShared(type: Type): boolean {
  return type.kind !== 'list' && scalarsOf(type).every(s => s !== 'f64')
}

/** Replaces numbers that GPUs lack. */
function emulated(module: Module): Module {
  if (!emulation.needed(module, true)) return module
  const sink = new Sink()
  emulation.apply(module, true, libraryOf(emulation, core), sink)
  without(sink, 'emulating')
  verifier.verifyModule(module, 'emulate')
  return module
}

/** True for a function that can be written for GPUs: it uses their types only. */
export function fitsGpu(c: Case): boolean {
  let fits = true
  const seen = new Set<Func>()
  const visit = (func: Func): void => {
    if (seen.has(func)) return
    seen.add(func)
    const check = (values: readonly Value[]): void => {
      for (const v of values) fits &&= isShared(v.type.kind === 'ptr' ? v.type.elem! : v.type)
    }
    const inner = (r: NonNullable<Func['body']>): void => {
      check(r.params)
      for (const inst of r.insts) {
        check(inst.results)
        if (inst.op === 'call') visit(inst.attr)
        inst.regions.forEach(inner)
      }
    }
    inner(func.body!)
  }
  visit(c.func)
  return fits
}

/** Threads of a workgroup: as many as software devices run at once, or some more. */
const threads = 16

/** A program whose entry point calls the function of each case with what its thread finds in `given`, and writes the results to `found`. */
export function gpuProgram(cases: readonly Case[]): Module {
  const funcs = cases.map(c => c.func)
  const module = new Module()
  module.funcs.push(...funcs)
  const words = t.array(t.u32, 0)
  const given = new Global('given', words, 'storage', 'structured', undefined, undefined, null)
  const found = new Global('found', words, 'storage_rw', 'structured', undefined, undefined, null)
  module.globals.push(given, found)
  const uint3 = t.vec(t.u32, 3)
  const entry = new Func(
    'entry',
    { params: [{ name: 'id', type: uint3, dir: 'in', noDiff: true }], result: t.voidType, resultNoDiff: true },
    null,
  )
  entry.info.entry = { stage: 'compute', numthreads: [threads, 1, 1], semantics: ['SV_DISPATCHTHREADID'] }
  entry.body = region()
  module.funcs.push(entry)
  const b = new Builder(entry, entry.body)
  const id = b.extract(b.param(uint3, 'id'), 0)
  const [from, to] = [b.emit1('global', [], given), b.emit1('global', [], found)]
  const start = (width: number): Value => b.emit1('mul', [id, b.const(t.u32, width)])
  const at = (pointer: Value, base: Value, k: number): Value =>
    b.elem(pointer, b.emit1('add', [base, b.const(t.u32, k)]))
  const input = start(width(funcs, f => inputs(f.sig).map(p => p.type)))
  const output = start(width(funcs, f => f.results))
  let [read, write] = [0, 0]
  const load = (type: Type): Value => {
    if (type.kind !== 'scalar')
      return b.emit1(
        'construct',
        Array.from({ length: type.count }, (_, i) => load(t.component(type, i))),
        null,
        type,
      )
    const word = b.load(at(from, input, read++))
    if (isLong(type)) {
      const high = b.convert(b.load(at(from, input, read++)), t.u64)
      const bits = b.emit1('or', [b.convert(word, t.u64), b.emit1('shl', [high, b.const(t.u64, 32n)])])
      return type === t.u64 ? bits : b.emit1('bitcast', [bits], null, type)
    }
    if (isSmall(type)) return b.convert(word, type)
    if (type === t.f16) return b.convert(b.emit1('bitcast', [word], null, t.f32), type)
    if (type === t.bool) return b.emit1('ne', [word, b.const(t.u32, 0)])
    return type === t.u32 ? word : b.emit1('bitcast', [word], null, type)
  }
  const store = (v: Value): void => {
    if (v.type.kind !== 'scalar') {
      for (let i = 0; i < v.type.count; i++) store(b.emit1('extract', [v], i))
      return
    }
    if (isLong(v.type)) {
      for (const word of [v, b.emit1('shr', [v, b.const(v.type, 32n)])])
        b.store(at(to, output, write++), b.convert(word, t.u32))
      return
    }
    const own = v.type === t.f16 ? b.convert(v, t.f32) : v
    b.store(
      at(to, output, write++),
      v.type === t.u32
        ? v
        : v.type === t.bool || isSmall(v.type)
          ? b.convert(v, t.u32)
          : b.emit1('bitcast', [own], null, t.u32),
    )
  }
  for (const func of funcs)
    b.call(
      func,
      inputs(func.sig).map(p => load(p.type)),
    ).forEach(store)
  b.emit('ret', [])
  return module
}

function width(funcs: readonly Func[], types: (func: Func) => readonly Type[]): number {
  const scalars = funcs.flatMap(f => types(f).flatMap(scalarsOf))
  return scalars.reduce((n, s) => n + wordsIn(s), 0)
}

const isLong = (type: Type): boolean => type === t.i64 || type === t.u64
const isSmall = ({ scalar }: Type): boolean => scalar!.endsWith('8') || scalar === 'i16' || scalar === 'u16'

/** Words of a scalar in the buffers. */
const wordsIn = (scalar: t.ScalarName): number => (isLong(t.scalars[scalar]) ? 2 : 1)

/** Runs the entry point of such a program for all points of the cases; gives the results by case and point. */
export async function onGpu(
  module: Module,
  cases: readonly Case[],
): Promise<readonly (readonly (readonly Data[])[])[]> {
  const sink = new Sink()
  const { code, reflection } = emitWgsl(emulated(module), {}, sink)
  without(sink, 'WGSL')
  const groups = Math.ceil(Math.max(...cases.map(c => c.points.length)) / threads)
  const count = groups * threads
  const funcs = cases.map(c => c.func)
  const [reads, writes] = [width(funcs, f => inputs(f.sig).map(p => p.type)), width(funcs, f => f.results)]
  const given = new Uint32Array(Math.max(1, count * reads))
  let at = 0
  for (let k = 0; k < count; k++) {
    for (const c of cases) {
      const point = c.points[k % c.points.length]!
      inputs(c.func.sig).forEach((p, i) => {
        const scalars = scalarsOf(p.type)
        scalarsIn(point[i]!).forEach((x, n) => {
          for (const word of toWords(scalars[n]!, x)) given[at++] = word
        })
      })
    }
  }
  const data = { given: new Uint8Array(given.buffer), found: new Uint8Array(count * writes * 4) }
  const out = await runByName(code, 'entry', reflection.bindings, data, [groups, 1, 1])
  const found = new Uint32Array(out['found']!.slice().buffer)
  let from = 0
  const byPoint = Array.from({ length: count }, () =>
    cases.map(c =>
      c.func.results.map(type => {
        const scalars = scalarsOf(type)
        let n = 0
        return assemble(type, (): Scalar => {
          const scalar = scalars[n++]!
          from += wordsIn(scalar)
          return fromWords(scalar, found.subarray(from - wordsIn(scalar), from))
        })
      }),
    ),
  )
  return cases.map((c, i) => c.points.map((_, k) => byPoint[k]![i]!))
}
