/**
 * Runs an entry point on the GPU, as WebAssembly and as JavaScript in its float32 mode, on the same contents of its buffers and
 * uniforms, and compares what they write, number by number. Integers and booleans must be equal. Floats may differ by
 * `rounding` of their size: each target rounds to float32 after every operation, but WGSL lets a device fuse and reorder, and
 * allows it a few units in the last place in division, `sqrt`, `exp` and `log`. Of sine and cosine WGSL asks 2⁻¹¹ only, and
 * SwiftShader makes use of it: what calls them is held to that.
 */
import { Machine } from '../../src/cpu/machine.ts'
import { pack, unpack, useRareValues, type Plain } from '../../src/gpu/pack.ts'
import * as rare from '../../src/gpu/rare.ts'
import type { BindingInfo, DataType, Program, Wgsl } from '../../src/index.ts'
import type { WasmOutput } from '../../src/target/wasm/wasm.ts'
import { compileWgsl, refuse, runByName } from './gpu.ts'
import { evaluate, type Evaluated } from './js-run.ts'
import { isNear, sizeOf } from './near.ts'

useRareValues(rare)

/** Relative where numbers are larger than one, absolute below: 16 units in the last place of a float32. */
export const rounding: number = 2 ** -20

const ofSine = 2 ** -11

/** A program in the three forms. */
export interface Targets {
  readonly wgsl: Wgsl
  readonly machine: Machine
  /** Undefined where the program uses what JavaScript has not. */
  readonly js: Evaluated | undefined
  readonly jsCode: string
}

export type Bytes = Readonly<Record<string, Uint8Array>>
export type Groups = readonly [number, number, number]

/** Puts the three forms of a program together; throws where WebGPU refuses the WGSL, or where there is none. */
export async function makeTargets(
  wgsl: Wgsl,
  wasm: Pick<WasmOutput, 'bytes' | 'host'>,
  jsCode: string | undefined,
): Promise<Targets> {
  if (wgsl.code.trim() === '' || wgsl.reflection.entries.length === 0) throw new Error('there is no entry point')
  refuse(wgsl.code, await compileWgsl(wgsl.code))
  const machine = new Machine(new WebAssembly.Module(wasm.bytes), wasm.host)
  return { wgsl, machine, js: jsCode === undefined ? undefined : evaluate(jsCode), jsCode: jsCode ?? '' }
}

/** All forms of a compiled program, perhaps without JavaScript; throws what it was refused for. */
export function targetsOf(program: Program, withJs = true): Promise<Targets> {
  return makeTargets(
    program.wgsl(),
    program.wasm({ derivatives: false }),
    withJs ? program.js({ derivatives: false, mode: 'f32' }).code : undefined,
  )
}

/** What an entry point is bound to, in order of bindings. */
export function bindingsOf(targets: Targets, entry: string): BindingInfo[] {
  const { reflection } = targets.wgsl
  const found = reflection.entries.find(e => e.name === entry)
  if (found === undefined) throw new Error(`there is no entry point ${entry}`)
  return reflection.bindings.filter(b => found.bindings.includes(b.name))
}

/** What a float's difference is measured against: its own size, or for sums of many terms of both signs the largest of its buffer. */
export type Measure = 'itself' | 'largest'

/**
 * Runs an entry point on all targets, from copies of `buffers`; throws where they disagree, or write nothing. Uniforms are by
 * binding. Gives what WebAssembly wrote.
 */
export async function runEverywhere(
  targets: Targets,
  entry: string,
  groups: Groups,
  buffers: Bytes,
  uniforms: Readonly<Record<string, Plain>>,
  measure: Measure = 'itself',
): Promise<Bytes> {
  const bindings = bindingsOf(targets, entry)
  const code = targets.wgsl.code
  const own = bindings.filter(b => b.kind !== 'uniform').map(b => b.name)
  const start = (): Record<string, Uint8Array> => Object.fromEntries(own.map(name => [name, buffers[name]!.slice()]))
  const [onWasm, onJs, forGpu] = [start(), start(), start()]
  for (const b of bindings) if (b.kind === 'uniform') forGpu[b.name] = packed(b, uniforms[b.name]!)
  const onGpu = await runByName(
    code,
    targets.wgsl.reflection.entries.find(e => e.name === entry)!.target,
    bindings,
    forGpu,
    groups,
  )
  targets.machine.dispatch(entry, groups, { buffers: onWasm, uniforms })
  targets.js?.[entry]!(groups, { ...onJs, ...uniforms })

  let changed = 0
  for (const b of bindings) {
    if (b.kind !== 'storage') continue
    const [wasm, js, gpu] = [onWasm[b.name]!, onJs[b.name]!, onGpu[b.name]!]
    const byRounding = targets.js === undefined ? undefined : disagreement(b.type!, wasm, js, rounding, measure)
    if (byRounding !== undefined)
      throw new Error(`${entry}: ${b.name}: wasm and js disagree, ${byRounding}\n${targets.jsCode}`)
    const byDevice = disagreement(b.type!, wasm, gpu, /\b(sin|cos|tan)\(/.test(code) ? ofSine : rounding, measure)
    if (byDevice !== undefined) throw new Error(`${entry}: ${b.name}: wasm and wgsl disagree, ${byDevice}\n${code}`)
    if (wasm.some((byte, i) => byte !== buffers[b.name]![i])) changed++
  }
  if (changed === 0) throw new Error(`${entry} writes nothing that could be compared`)
  return onWasm
}

/** A uniform's bytes. */
function packed(binding: BindingInfo, value: Plain): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(binding.type!.size / 16) * 16)
  pack(new DataView(bytes.buffer), 0, binding.type!, value, binding.name)
  return bytes
}

const numeric = (value: Plain): number | bigint => (typeof value === 'bigint' ? value : Number(value))

/** The scalars of a value, each with its type. */
function scalars(type: DataType, value: Plain): [number | bigint, string][] {
  switch (type.kind) {
    case 'scalar':
      return [[numeric(value), type.scalar]]
    case 'struct':
      return type.fields.flatMap(f => scalars(f.type, (value as Record<string, Plain>)[f.name]!))
    case 'array':
      return Array.from(value as ArrayLike<Plain>).flatMap(x => scalars(type.elem, x))
    case 'vector':
      return Array.from(value as ArrayLike<Plain>, x => [numeric(x), type.scalar])
    case 'matrix':
      return Array.from(value as ArrayLike<Plain>).flatMap(row =>
        scalars({ ...type, kind: 'vector', count: type.cols }, row),
      )
    case 'void':
      return []
  }
}

/** The first number that is not the same in both; undefined where there is none. */
function disagreement(
  type: DataType,
  x: Uint8Array,
  y: Uint8Array,
  tolerance: number,
  measure: Measure,
): string | undefined {
  const read = (bytes: Uint8Array): [number | bigint, string][] =>
    scalars(type, unpack(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, type))
  const [a, b] = [read(x), read(y)]
  const least = measure === 'itself' ? 1 : sizeOf(a.map(([p]) => Number(p)))
  if (a.length !== b.length) return `${a.length} numbers and ${b.length}`
  for (let i = 0; i < a.length; i++) {
    const [[p, scalar], [q]] = [a[i]!, b[i]!]
    if (p === q) continue
    const [x, y] = [Number(p), Number(q)]
    if (scalar.startsWith('f') && isNear(x, y, tolerance * Math.max(least, Math.abs(x), Math.abs(y)))) continue
    return `number ${i}: ${p} and ${q}`
  }
  return undefined
}
