/**
 * Each program under tests/target runs on the GPU, as WebAssembly and as JavaScript on the same contents of its buffers and
 * uniforms, and all three must agree. Where a `.wgsl` stands beside it, that is what it compiles to (`-u` rewrites it).
 * Each is compiled unoptimised too. `//! dispatch x y z` in its first line says how many groups; default is one.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { load } from '../src/cpu/index.ts'
import { pack, unpack, type Plain } from '../src/gpu/pack.ts'
import { compile, type BindingInfo, type DataType, type Level } from '../src/index.ts'
import { closeGpu, compileWgsl, refuse, runByName } from './gpu.ts'
import { random } from './generate-ir.ts'
import { evaluate } from './js-run.ts'

afterAll(closeGpu)

const folder = new URL('./target/', import.meta.url)
const elements = 64

/** Small repeatable contents: floats between 0 and 1, integers below 8. */
function contents(type: DataType, rand: (below: number) => number): Plain {
  switch (type.kind) {
    case 'scalar': return type.scalar === 'bool' ? rand(2) === 1 : type.scalar.startsWith('f') ? rand(64) / 64 : rand(8)
    case 'vector': return Array.from({ length: type.count }, () => contents({ kind: 'scalar', scalar: type.scalar, size: 4 }, rand))
    case 'matrix': return Array.from({ length: type.rows }, () => contents({ kind: 'vector', scalar: type.scalar, count: type.cols, size: 0 }, rand))
    case 'array': return Array.from({ length: type.count || elements }, () => contents(type.elem, rand))
    case 'struct': return Object.fromEntries(type.fields.map(f => [f.name, contents(f.type, rand)]))
    case 'void': return 0
  }
}

/** Bytes of a binding before the run: what the program reads is filled, what it writes begins as zeros. */
function initial(binding: BindingInfo, value: Plain): Uint8Array {
  const type = binding.type!
  const size = type.kind === 'array' && type.count === 0 ? type.stride * elements : Math.ceil(type.size / 16) * 16
  const bytes = new Uint8Array(size)
  if (binding.kind !== 'storage') pack(new DataView(bytes.buffer), 0, type, value, binding.name)
  return bytes
}

/** Numbers of a value, in order. */
function flat(value: Plain): number[] {
  if (typeof value === 'number' || typeof value === 'boolean') return [Number(value)]
  if ('length' in value && typeof value.length === 'number') return Array.from(value as ArrayLike<Plain>).flatMap(flat)
  return Object.values(value as Record<string, Plain>).flatMap(flat)
}

function disagreement(type: DataType, x: Uint8Array, y: Uint8Array, tolerance: number): string | undefined {
  const read = (bytes: Uint8Array): number[] => flat(unpack(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, type))
  const [a, b] = [read(x), read(y)]
  for (let i = 0; i < a.length; i++) {
    const [p, q] = [a[i]!, b[i]!]
    if (Object.is(p, q) || p === q || Math.abs(p - q) <= tolerance * (Math.abs(p) + Math.abs(q)) + tolerance) continue
    return `number ${i}: ${p} and ${q}`
  }
  return undefined
}

/** Compiles for all three targets and runs the entry point; throws where they disagree. Gives the WGSL. */
export async function agree(source: string, fileName: string, groups: readonly [number, number, number], level: Level = 2): Promise<string> {
  const program = compile(source, { fileName, verify: true, optimize: level })
  const errors = program.diagnostics.filter(d => d.severity === 'error')
  if (errors.length > 0) throw new Error(errors.map(d => `${d.code}: ${d.message}`).join('\n'))
  const { code, reflection } = program.wgsl()
  refuse(code, await compileWgsl(code))
  const entry = reflection.entries[0]!
  const bindings = reflection.bindings.filter(b => entry.bindings.includes(b.name))
  const rand = random(fileName.length)
  const values = new Map(bindings.map(b => [b.name, contents(b.type!, rand)]))
  const start = (): Record<string, Uint8Array> => Object.fromEntries(bindings.map(b => [b.name, initial(b, values.get(b.name)!)]))
  const uniforms = Object.fromEntries(bindings.filter(b => b.kind === 'uniform').map(b => [b.name, values.get(b.name)!]))

  const onGpu = await runByName(code, entry.target, bindings, start(), groups)

  const onWasm = start()
  const buffersOf = (all: Record<string, Uint8Array>): Record<string, Uint8Array> =>
    Object.fromEntries(bindings.filter(b => b.kind !== 'uniform').map(b => [b.name, all[b.name]!]))
  const machine = await load(program)
  machine.kernel(entry.name).dispatch(groups, { buffers: buffersOf(onWasm), uniforms })

  const onJs = start()
  const js = evaluate(program.js().code)
  js[entry.name]!(groups, { ...buffersOf(onJs), ...uniforms })

  for (const b of bindings) {
    if (b.kind !== 'storage') continue
    const cpu = disagreement(b.type!, onWasm[b.name]!, onJs[b.name]!, 1e-6)
    if (cpu !== undefined) throw new Error(`${b.name}: wasm and js disagree, ${cpu}\n${program.js().code}`)
    // Implementations of WGSL may be off by a little in sin, exp and the like.
    const gpu = disagreement(b.type!, onWasm[b.name]!, onGpu[b.name]!, 1e-4)
    if (gpu !== undefined) throw new Error(`${b.name}: wasm and wgsl disagree, ${gpu}\n${code}`)
    expect(onGpu[b.name]!.some(byte => byte !== 0), `${b.name} is written`).toBe(true)
  }
  return code
}

describe('wgsl, wasm and js agree', () => {
  for (const name of readdirSync(folder).filter(f => f.endsWith('.slang'))) {
    test(name.replace('.slang', ''), async () => {
      const source = readFileSync(new URL(name, folder), 'utf8')
      const [x = 1, y = 1, z = 1] = (/^\/\/! dispatch ([\d ]+)/.exec(source)?.[1] ?? '1').trim().split(' ').map(Number)
      await agree(source, name, [x, y, z], 0)
      const code = await agree(source, name, [x, y, z])
      const golden = new URL(name.replace('.slang', '.wgsl'), folder)
      if (existsSync(golden)) await expect(code).toMatchFileSnapshot(golden.pathname)
    })
  }
})

/** Slang files below a folder of the repository. */
function programsIn(name: string): string[] {
  const root = new URL(`../${name}/`, import.meta.url)
  if (!existsSync(root)) return []
  return (readdirSync(root, { recursive: true }) as string[]).filter(f => f.endsWith('.slang')).map(f => `${name}/${f}`)
}

describe('WebGPU accepts', () => {
  for (const path of [...programsIn('examples'), ...programsIn('bench/programs')]) {
    test(path, async () => {
      const program = compile(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'), { fileName: path, verify: true })
      expect(program.diagnostics.filter(d => d.severity === 'error')).toEqual([])
      const { code } = program.wgsl()
      refuse(code, await compileWgsl(code))
    })
  }
})
