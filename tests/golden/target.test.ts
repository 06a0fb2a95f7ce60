/**
 * Every entry point of each program under tests/target runs on the GPU, as WebAssembly and as JavaScript on the same contents
 * of its buffers and uniforms, and all three must agree. What some of them compile to stands beside them (`-u` rewrites it).
 * Each is compiled unoptimised too: then what it writes begins as zeros, else with contents like those of what it reads.
 * `//! dispatch x y z` in its first line says how many groups; default is one. Behind it, `not js`: JavaScript has not all that it uses;
 * `emulate half`: so does WGSL.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { pack, type Plain } from '../../src/gpu/pack.ts'
import { compile, type BindingInfo, type DataType, type Level, type Program } from '../../src/index.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { emitJs } from '../../src/target/js/js.ts'
import { compileWasm } from '../../src/target/wasm/wasm.ts'
import { emitWgsl } from '../../src/target/wgsl/emit.ts'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'
import { random } from '../support/generate-ir.ts'
import {
  bindingsOf,
  makeTargets,
  runEverywhere,
  targetsOf,
  type Groups,
  type Targets,
} from '../support/three-targets.ts'

afterAll(closeGpu)

const folder = new URL('../target/', import.meta.url)
const elements = 64

/** Programs beside which stands what they compile to. */
const goldens: ReadonlySet<string> = new Set([
  'atomic-float',
  'atomics',
  'bools-in-buffers',
  'break-continue',
  'constant-buffer',
  'constant-table',
  'groupshared',
  'long-variables',
  'matrix-products',
  'reserved-names',
  'scalars',
  'switch',
  'swizzles',
  'thread-ids',
  'uniforms',
])

/** A seed of its own for each text. */
const seedOf = (text: string): number =>
  [...text].reduce((seed, c) => (Math.imul(seed, 31) + c.codePointAt(0)!) >>> 0, 7)

/** Small repeatable contents: floats between 0 and 1, integers below 8. */
function contents(type: DataType, rand: (below: number) => number): Plain {
  switch (type.kind) {
    case 'scalar':
      return type.scalar === 'bool' ? rand(2) === 1 : type.scalar.startsWith('f') ? rand(64) / 64 : rand(8)
    case 'vector':
      return Array.from({ length: type.count }, () => contents({ kind: 'scalar', scalar: type.scalar, size: 4 }, rand))
    case 'matrix':
      return Array.from({ length: type.rows }, () =>
        contents({ kind: 'vector', scalar: type.scalar, count: type.cols, size: 0 }, rand),
      )
    case 'array':
      return Array.from({ length: type.count || elements }, () => contents(type.elem, rand))
    case 'struct':
      return Object.fromEntries(type.fields.map(f => [f.name, contents(f.type, rand)]))
    case 'void':
      return 0
  }
}

/** Bytes of a buffer before the run. */
function initial(binding: BindingInfo, value: Plain, filled: boolean): Uint8Array {
  const type = binding.type!
  const size = type.kind === 'array' && type.count === 0 ? type.stride * elements : Math.ceil(type.size / 16) * 16
  const bytes = new Uint8Array(size)
  if (filled) pack(new DataView(bytes.buffer), 0, type, value, binding.name)
  return bytes
}

/** Runs every entry point of a program on all targets; throws where they disagree, or where there is none. `filled`: what it writes too has contents before. */
async function agree(targets: Targets, name: string, groups: Groups, filled: boolean): Promise<void> {
  for (const { name: entry } of targets.wgsl.reflection.entries) {
    const bindings = bindingsOf(targets, entry)
    const rand = random(seedOf(`${name} ${entry}`))
    const values = new Map(bindings.map(b => [b.name, contents(b.type!, rand)]))
    const valueOf = (b: BindingInfo): Plain => values.get(b.name)!
    const of = <T>(isUniform: boolean, make: (b: BindingInfo) => T): Record<string, T> =>
      Object.fromEntries(bindings.filter(b => (b.kind === 'uniform') === isUniform).map(b => [b.name, make(b)]))
    const wrote = await runEverywhere(
      targets,
      entry,
      groups,
      of(false, b => initial(b, valueOf(b), filled || b.kind !== 'storage')),
      of(true, valueOf),
    )
    if (!filled)
      for (const b of bindings)
        if (b.kind === 'storage')
          expect(
            wrote[b.name]!.some(byte => byte !== 0),
            `${b.name} is written`,
          ).toBe(true)
  }
}

function compiled(source: string, fileName: string, optimize: Level): Program {
  const emulateHalf = /^\/\/!.* emulate half\n/.test(source)
  const program = compile(source, { fileName, verify: true, optimize, emulateHalf })
  expect(program.diagnostics.filter(d => d.severity === 'error')).toEqual([])
  return program
}

const dispatchOf = (source: string): Groups => {
  const [x = 1, y = 1, z = 1] = (/^\/\/! dispatch ([\d ]+)/.exec(source)?.[1] ?? '1').trim().split(' ').map(Number)
  return [x, y, z]
}

const programs = readdirSync(folder).filter(f => f.endsWith('.slang'))

describe('wgsl, wasm and js agree', () => {
  test('on many programs', () => expect(programs.length).toBeGreaterThanOrEqual(100))

  test('beside which stands what some of them compile to, and nothing else', () => {
    expect(
      readdirSync(folder)
        .filter(f => f.endsWith('.wgsl'))
        .sort(),
    ).toEqual([...goldens].map(name => `${name}.wgsl`).sort())
  })

  for (const name of programs) {
    test(name.replace('.slang', ''), async () => {
      const source = readFileSync(new URL(name, folder), 'utf8')
      const withJs = !/^\/\/!.* not js/.test(source)
      await agree(await targetsOf(compiled(source, name, 0), withJs), name, dispatchOf(source), false)
      const targets = await targetsOf(compiled(source, name, 2), withJs)
      await agree(targets, name, dispatchOf(source), true)
      const golden = new URL(name.replace('.slang', '.wgsl'), folder)
      if (goldens.has(name.replace('.slang', ''))) await expect(targets.wgsl.code).toMatchFileSnapshot(golden.pathname)
    })
  }
})

describe('wgsl, wasm and js agree on kernels in IR', () => {
  for (const name of readdirSync(new URL('kernels/', folder))) {
    test(name, async () => {
      const source = readFileSync(new URL(`kernels/${name}`, folder), 'utf8')
      const sink = new Sink()
      // Each target makes a module fit for itself.
      const [forWgsl, forWasm, forJs] = [parseModule(source), parseModule(source), parseModule(source)]
      const targets = await makeTargets(
        emitWgsl(forWgsl, {}, sink),
        compileWasm(forWasm, sink)!,
        emitJs(forJs, {}, sink).code,
      )
      expect(sink.list).toEqual([])
      await agree(targets, name, dispatchOf(source), false)
    })
  }
})

/** Slang files below a folder of the repository. */
function programsIn(name: string): string[] {
  const root = new URL(`../../${name}/`, import.meta.url)
  return (readdirSync(root, { recursive: true }) as string[]).filter(f => f.endsWith('.slang')).map(f => `${name}/${f}`)
}

describe('WebGPU accepts', () => {
  for (const path of [...programsIn('examples'), ...programsIn('bench/programs')]) {
    test(path, async () => {
      const at = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))
      const program = compile(readFileSync(at(path), 'utf8'), {
        fileName: path,
        verify: true,
        resolve: name => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined),
      })
      expect(program.diagnostics).toEqual([])
      // Some programs are for CPUs only: they export functions.
      expect(program.entries.length + program.exports.length).toBeGreaterThan(0)
      const { code } = program.wgsl()
      refuse(code, await compileWgsl(code))
    })
  }
})
