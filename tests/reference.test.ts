/** Runs every program under `tests/reference` on all targets, and holds `docs/reference.md` to them. */
import { afterAll, describe, expect, it } from 'vitest'
import { core } from '../src/check/core.generated.ts'
import { renderDiagnostics } from '../src/base/render.ts'
import { inspect } from '../src/compile.ts'
import { load } from '../src/cpu/index.ts'
import { compile, CompileError, type Diagnostic, type Level, type Program } from '../src/index.ts'
import { dispatch, type Data } from '../src/ir/run.ts'
import { closeGpu, compileWgsl, refuse, runByName } from './gpu.ts'
import { evaluate } from './js-run.ts'
import { frame, number, readCases, readExcused, renderPage, type Case } from './reference-cases.ts'

afterAll(closeGpu)

const cases = readCases()
const levels = [0, 2] as const

function compiled(c: Case, optimize: Level): Program {
  return compile(c.numbers === undefined ? c.source : c.source + frame, { fileName: 'case.slang', files: c.files, optimize })
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
  const filled = await execute(bytes) ?? bytes
  return Array.from(new Float32Array(filled.slice().buffer, 0, c.numbers!.length + 1))
}

function same(got: readonly number[], c: Case, where: string): void {
  const wanted = [...c.numbers!, 0]
  const isClose = (a: number, b: number): boolean => Object.is(a, b) || a === b || Math.abs(a - b) <= 2e-4 * Math.max(1, Math.abs(b))
  if (!wanted.every((w, i) => isClose(got[i]!, w))) throw new Error(`${where} shows ${got.slice(0, -1).join(' ')}${got.at(-1) !== 0 ? ` and ${got.at(-1)}` : ''}\n        instead of ${c.numbers!.join(' ')}`)
}

/** The interpreter as lowered and optimised (verified after each pass), the GPU as lowered, the CPU targets as optimised. */
async function runEverywhere(c: Case): Promise<void> {
  for (const level of levels) {
    const program = compiled(c, level)
    expect(diagnosed(program.diagnostics).sort(), renderDiagnostics(program.diagnostics)).toEqual([...c.diagnostics].sort())
    const module = inspect(c.source + frame, 'case.slang', level, core, c.files)()
    same(await shown(c, bytes => {
      const globals: Record<string, Data> = { shown: Array.from(bytes.slice(0, bytes.length / 4)) }
      dispatch(module.funcs.find(f => f.info.entry !== undefined)!, [1, 1, 1], [], { globals })
      return Promise.resolve(new Uint8Array(Float32Array.from(globals['shown'] as number[]).buffer))
    }), c, `the interpreter at -O${level}`)
    if (level === 2) {
      same(await shown(c, bytes => void evaluate(program.js().code)['main']!([1, 1, 1], { shown: bytes })), c, 'JavaScript')
      const machine = await load(program)
      same(await shown(c, bytes => machine.kernel('main').dispatch([1, 1, 1], { buffers: { shown: bytes } })), c, 'WebAssembly')
    }
    if (c.cpuOnly) continue
    const { code, reflection } = program.wgsl()
    if (level === 2) {
      refuse(code, await compileWgsl(code))
      continue
    }
    const entry = reflection.entries[0]!
    const bindings = reflection.bindings.filter(b => entry.bindings.includes(b.name))
    same(await shown(c, async bytes => (await runByName(code, entry.target, bindings, { shown: bytes }, [1, 1, 1]))['shown']!), c, 'WGSL')
  }
}

describe('the reference', () => {
  for (const c of cases) {
    it(`${c.file}: ${c.name}`, async () => {
      if (c.numbers !== undefined) return runEverywhere(c)
      const list = messages(c, compiled(c, 2))
      expect(diagnosed(list).sort(), renderDiagnostics(list)).toEqual([...c.diagnostics].sort())
    })
  }

  it('has a test or a reason for every sentence, once', () => {
    const ids = [...cases.flatMap(c => c.sentences), ...readExcused()].map(s => s.id)
    for (const prefix of new Set(ids.map(id => id.slice(0, 2)))) {
      const own = ids.filter(id => id.startsWith(prefix)).map(number).sort((a, b) => a - b)
      expect(own, prefix).toEqual(own.map((_, i) => i + 1))
    }
    expect(cases.flatMap(c => c.also).filter(id => !ids.includes(id))).toEqual([])
    expect(cases.filter(c => c.sentences.length + c.also.length === 0).map(c => c.name), 'shows nothing').toEqual([])
    expect(readExcused().filter(e => e.reason === '')).toEqual([])
    expect(new Set(cases.map(c => c.name)).size, 'names of programs').toBe(cases.length)
  })

  it('is listed in docs/reference.md', async () => {
    await expect(renderPage(cases, readExcused())).toMatchFileSnapshot('../docs/reference.md')
  })
})
