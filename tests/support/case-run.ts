/** Holds a small program (cases.ts) to what it must show on every target, or be told. */
import { expect } from 'vitest'
import { renderDiagnostics } from '../../src/base/render.ts'
import { inspect } from './inspect.ts'
import { load } from '../../src/cpu/index.ts'
import { pack, type Plain, useRareValues } from '../../src/gpu/pack.ts'
import * as rare from '../../src/gpu/rare.ts'
import { compile, CompileError, type BindingInfo, type Diagnostic, type Level, type Program } from '../../src/index.ts'
import { dispatch, type Data } from '../../src/ir/run.ts'
import { framed, type Case } from './cases.ts'
import { compileWgsl, refuse, runWgsl, type GpuResource } from './gpu.ts'
import { evaluate } from './js-run.ts'
import { bindKnown } from './known-textures.ts'
import { isNear } from './near.ts'

const levels = [0, 2] as const

function compiled(c: Case, optimize: Level, matrixLayout?: 'column-major'): Program {
  return compile(c.numbers === undefined ? c.source : framed(c), {
    fileName: 'case.slang',
    files: c.files,
    optimize,
    matrixLayout,
  })
}

useRareValues(rare)

/** How to compile a program: its values do not hang on how matrices lie in memory. */
function ways(c: Case): (readonly [Level, 'column-major'?])[] {
  const all = levels.map(level => [level] as const)
  return /[234]x[234]|matrix/.test(c.source) ? [...all, ...levels.map(level => [level, 'column-major'] as const)] : all
}

/** All that is said of a program: where compiling finds no error that is announced, what is said when WGSL is asked for. */
function messages(c: Case, program: Program): readonly Diagnostic[] {
  if (program.ok && c.numbers === undefined) {
    try {
      program.wgsl()
    } catch (e) {
      if (!(e instanceof CompileError)) throw e
      return e.diagnostics
    }
    return [...program.diagnostics, ...program.wgslDiagnostics]
  }
  return program.diagnostics
}

function diagnosed(list: readonly Diagnostic[]): string[] {
  return list.map(d => {
    const at = d.span?.file.position(d.span.start)
    return `${at?.line ?? 0}:${at?.column ?? 0} ${d.code}`
  })
}

/** What the program shows where `run` executes it: slots for all expected numbers and one more, which must stay empty. */
async function shown(c: Case, execute: (bytes: Uint8Array) => Promise<Uint8Array> | void): Promise<number[]> {
  const bytes = new Uint8Array(4 * (c.numbers!.length + 1))
  const filled = (await execute(bytes)) ?? bytes
  return Array.from(new Float32Array(filled.slice().buffer, 0, c.numbers!.length + 1))
}

function same(got: readonly number[], c: Case, where: string): void {
  const wanted = [...c.numbers!, 0]
  if (!wanted.every((w, i) => isNear(got[i]!, w, 2e-4 * Math.max(1, Math.abs(w)))))
    throw new Error(
      `${where} shows ${got.slice(0, -1).join(' ')}${got.at(-1) !== 0 ? ` and ${got.at(-1)}` : ''}\n        instead of ${c.numbers!.join(' ')}`,
    )
}

/** Bytes of a buffer or uniform with its contents; a buffer has room for 64 words at least, which are zeros. */
function contents(b: BindingInfo | undefined, value: Plain | undefined): Uint8Array {
  if (b === undefined) return new Uint8Array(256)
  const type = b.type!
  const open = type.kind === 'array' && type.count === 0
  const count = open && value !== undefined ? (value as readonly Plain[]).length : 0
  const ends = type.kind === 'struct' ? type.fields.at(-1)?.type : undefined
  const size = open ? Math.max(type.stride * count, 256) : ends?.kind === 'array' && ends.count === 0 ? 256 : type.size
  const unit = open ? type.stride : 16
  const bytes = new Uint8Array(Math.ceil(size / unit) * unit)
  if (value !== undefined) pack(new DataView(bytes.buffer), 0, open ? { ...type, count } : type, value, b.name)
  return bytes
}

/** What is bound beside `shown`: contents by the case, textures of known texels, zeros elsewhere. */
function bound(c: Case, b: BindingInfo, bytes: Uint8Array): GpuResource {
  if (b.name === 'shown') return { group: b.group, binding: b.binding, kind: 'storage', bytes }
  if (b.handle !== null) return bindKnown(b)
  return { group: b.group, binding: b.binding, kind: b.kind as 'storage', bytes: contents(b, c.inputs[b.name]) }
}

/** The interpreter as lowered and optimised (verified after each pass), the GPU as lowered, the CPU targets as optimised. */
async function runEverywhere(c: Case): Promise<void> {
  for (const [level, layout] of ways(c)) {
    const program = compiled(c, level, layout)
    expect(diagnosed(program.diagnostics).sort(), renderDiagnostics(program.diagnostics)).toEqual(
      [...c.diagnostics].sort(),
    )
    const module = inspect(framed(c), 'case.slang', level, c.files)()
    const wgsl = c.only === 'cpu' ? undefined : program.wgsl()
    const entry = wgsl?.reflection.entries.find(e => e.name === 'main')
    const bindings = wgsl?.reflection.bindings.filter(b => entry!.bindings.includes(b.name)) ?? []
    if (wgsl !== undefined)
      for (const name of Object.keys(c.inputs))
        if (!bindings.some(b => b.name === name)) throw new Error(`${name} is no binding`)
    if (bindings.length < 2 && c.only !== 'gpu')
      same(
        await shown(c, bytes => {
          const globals: Record<string, Data> = { shown: Array.from(bytes.slice(0, bytes.length / 4)) }
          dispatch(
            module.funcs.find(f => f.info.entry !== undefined)!,
            [1, 1, 1],
            [],
            { globals },
          )
          return Promise.resolve(new Uint8Array(Float32Array.from(globals['shown'] as number[]).buffer))
        }),
        c,
        `the interpreter at -O${level}`,
      )
    if (level === 2 && c.only !== 'gpu') {
      const machine = await load(program)
      const kernel = machine.kernel('main')
      const storage = (bytes: Uint8Array): Record<string, Uint8Array> => ({
        ...Object.fromEntries(
          kernel.buffers.map(name => [
            name,
            contents(
              bindings.find(b => b.name === name),
              c.inputs[name],
            ),
          ]),
        ),
        shown: bytes,
      })
      const uniforms = Object.fromEntries(
        bindings.filter(b => b.kind === 'uniform').map(b => [b.name, c.inputs[b.name]]),
      )
      same(
        await shown(
          c,
          bytes => void evaluate(program.js().code)['main']!([1, 1, 1], { ...storage(bytes), ...uniforms }),
        ),
        c,
        'JavaScript',
      )
      same(await shown(c, bytes => kernel.dispatch([1, 1, 1], { buffers: storage(bytes), uniforms })), c, 'WebAssembly')
    }
    if (wgsl === undefined) continue
    if (level === 2 && c.only !== 'gpu') {
      refuse(wgsl.code, await compileWgsl(wgsl.code))
      continue
    }
    const at = bindings.find(b => b.name === 'shown')!
    same(
      await shown(c, async bytes =>
        (
          await runWgsl(
            wgsl.code,
            entry!.target,
            bindings.map(b => bound(c, b, bytes)),
            [1, 1, 1],
          )
        ).get(`${at.group}:${at.binding}`)!,
      ),
      c,
      'WGSL',
    )
  }
}

/** Runs a program everywhere and compares, or compares what it is told. */
export async function check(c: Case): Promise<void> {
  if (c.numbers !== undefined) return runEverywhere(c)
  const list = messages(c, compiled(c, 2))
  expect(diagnosed(list).sort(), renderDiagnostics(list)).toEqual([...c.diagnostics].sort())
  for (const words of c.words) expect(list.map(d => d.message).join('\n')).toContain(words)
}
