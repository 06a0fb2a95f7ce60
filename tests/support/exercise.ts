/** Takes a program, sound or not, through everything that a compiler does with it, and finds what no program may cause. */
import { InternalError, Sink } from '../../src/base/diag.ts'
import { LimitReached } from '../../src/base/limits.ts'
import { diagnosticJson, renderDiagnostics } from '../../src/base/render.ts'
import { core } from '../../src/check/core.generated.ts'
import { finish, middle, type MiddleOptions } from '../../src/compile.ts'
import { Checked, front } from '../../src/front.ts'
import { CompileError, compile } from '../../src/index.ts'
import { Builder } from '../../src/ir/build.ts'
import * as t from '../../src/ir/type.ts'
import { Func, Global, Region, inputs, type Module } from '../../src/ir/value.ts'
import * as verifier from '../../src/ir/verify.ts'
import { emitWgsl } from '../../src/target/wgsl/emit.ts'

/** What came of a program. */
export interface Outcome {
  /** It has no errors. */
  readonly compiled: boolean
  /** Modules that a WebGPU implementation must accept. */
  readonly wgsl: readonly string[]
  /** What the slowest target took of the processor, in milliseconds. */
  readonly slowest: number
}

/**
 * Compiles a program for each target, with all derivatives of all functions that take and give plain data. Throws where that
 * ends in anything but code or a diagnostic, and where the code is no WebAssembly or no JavaScript.
 */
export async function exercise(source: string, verify: boolean): Promise<Outcome> {
  let slowest = 0
  // Time of the processor, not of the wall: tests share their machine.
  const timed = <T>(work: () => T): T => {
    const before = process.cpuUsage()
    const made = work()
    const { user, system } = process.cpuUsage(before)
    slowest = Math.max(slowest, (user + system) / 1000)
    return made
  }
  const wgsl: string[] = []
  const program = timed(() => {
    const made = compile(source, { verify })
    const code = made.ok ? attempt(() => made.wgsl().code) : undefined
    if (code !== undefined && code !== '') wgsl.push(code)
    return made
  })
  renderDiagnostics(program.diagnostics)
  program.diagnostics.map(diagnosticJson)
  if (!program.ok) return { compiled: false, wgsl, slowest }
  timed(() => attempt(() => program.js()))
  timed(() => attempt(() => program.wasm()))
  const entries = new Set(program.entries.map(e => e.name))
  const names = [...new Set(program.functions.map(f => f.name))].filter(name => !entries.has(name))
  let all = timed(() => compile(source, { verify, exports: names }))
  if (all.ok) {
    // What takes resources cannot be exported.
    if (all.exports.length < names.length) all = compile(source, { verify, exports: all.exports.map(f => f.name) })
    const code = timed(() => attempt(() => all.js().code))
    if (code !== undefined)
      new Function(code.replace(/^export (const |\{.*)/gm, (_, rest: string) => (rest === 'const ' ? rest : '')))
    const bytes = timed(() => attempt(() => all.wasm().bytes))
    // Compiling says what is wrong, where validating only says that something is.
    if (bytes !== undefined) await WebAssembly.compile(bytes)
  }
  const everything = timed(() => wgslOfEverything(source, verify))
  if (everything !== undefined) wgsl.push(everything)
  return { compiled: true, wgsl, slowest }
}

/** The result, or undefined where a target refuses the program with a diagnostic. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof CompileError) return undefined
    throw error
  }
}

/** WGSL of all functions on plain data and their derivatives: an entry point calls each with arguments that nothing is known of. */
export function wgslOfEverything(source: string, verify: boolean): string | undefined {
  const options: MiddleOptions = { level: 2, verifier: verify ? verifier : undefined, target: 'wgsl' }
  const module = bounded(() => {
    const sink = new Sink()
    const { program } = front(source, {}, core, sink)
    const checked = new Checked(program, {
      exports: [...new Set(new Checked(program, {}).functions().map(f => f.name))],
    })
    const build = (derivatives: boolean): Module | undefined => {
      const own = new Sink()
      const roots = checked.roots(own)
      const exports = roots.exports.flatMap(root => [
        root,
        ...(derivatives && checked.level(root) !== 'none'
          ? [{ ...root, name: `fwd_diff(${root.name})`, mode: 'forward' as const }]
          : []),
        ...(derivatives && checked.level(root) === 'backward'
          ? [{ ...root, name: `bwd_diff(${root.name})`, mode: 'backward' as const }]
          : []),
      ])
      const made = middle(program, { ...roots, entries: [], exports }, own, options)
      return own.errors > 0 ? undefined : made
    }
    return build(true) ?? build(false)
  })
  if (module === undefined) return undefined
  addEntry(module)
  const sink = new Sink()
  return bounded(() => {
    finish(module, sink, options)
    const { code } = emitWgsl(module, {}, sink)
    return sink.errors > 0 || code === '' ? undefined : code
  })
}

/** The library gives a diagnostic where a program outgrows a limit. */
function bounded<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    const cause = error instanceof InternalError ? error.cause : error
    if (cause instanceof LimitReached) return undefined
    throw error
  }
}

function addEntry(module: Module): void {
  const entry = new Func('exercise', { params: [], result: t.voidType, resultNoDiff: true }, null)
  entry.body = new Region()
  entry.info.entry = { stage: 'compute', numthreads: [1, 1, 1], semantics: [] }
  const b = new Builder(entry, entry.body)
  const place = (type: t.Type): ReturnType<Builder['emit1']> => {
    const global = new Global(`place${module.globals.length}`, type, 'private', 'none', undefined, undefined, null)
    module.globals.push(global)
    return b.emit1('global', [], global)
  }
  for (const func of module.funcs.filter(f => f.info.exported !== undefined)) {
    func.info.exported = undefined
    if (![...func.results, ...inputs(func.sig).map(p => p.type)].every(isPlain)) continue
    const results = b.call(
      func,
      inputs(func.sig).map(p => b.load(place(p.type))),
    )
    for (const r of results) b.store(place(r.type), r)
  }
  b.emit('ret', [])
  module.funcs.push(entry)
}

function isPlain(type: t.Type): boolean {
  if (type.kind === 'scalar' || type.kind === 'vec' || type.kind === 'mat') return true
  if (type.kind === 'array') return type.count > 0 && isPlain(type.elem!)
  return type.kind === 'struct' && type.fields.every(f => isPlain(f.type))
}
