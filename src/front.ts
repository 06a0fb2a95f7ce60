/** A checked program, and the functions of it that a caller asked for. */
import type { Conformance } from './lower/variants.ts'
import type { Sink } from './base/diag.ts'
import { throwingEntry, throwingLeftOut } from './base/errors/thrown.ts'
import { missingEntry } from './base/errors/target.ts'
import { genericEntry, missingExport, noTarget } from './base/errors/lower.ts'
import { suggestAmong } from './base/near.ts'
import { check } from './check/check.ts'
import { checkAssigned } from './check/statements/assigned.ts'
import { checkStrictly } from './check/statements/strict.ts'
import type { Span } from './base/source.ts'
import type { FuncDecl } from './check/model/decl.ts'
import type { CheckedProgram } from './check/model/tree.ts'
import type { Subst } from './check/model/type.ts'
import type { LibraryData } from './check/modules/library.ts'
import type { DiffLevel } from './ir/value.ts'
import type { EntryRoot, ExportRoot, Roots } from './lower/lower.ts'
import { subjectsOf, type Subject } from './lower/subjects.ts'
import { docBefore } from './syntax/doc.ts'
import { timed } from './base/time.ts'

/** The sources to read, and what to compile of them. */
export interface FrontOptions {
  /** The name of the source in messages, and the place from which imports are looked up. Default `main.slang`. */
  readonly fileName?: string | undefined
  /** Sources by path, for `import`, `__include` and `#include`. */
  readonly files?: Readonly<Record<string, string>> | undefined
  /**
   * Finds a source that is not among `files`: its text, or undefined where there is no such file. Must answer at once: anything else (null, bytes,
   * a Promise) is an error at the place that asked. So is an exception; the diagnostic shows its message.
   *
   * The path is what the program asks for, behind the folder of the file that asks, each of `searchPaths`, or nothing, in that order until there
   * is an answer; `.` and `..` are taken out as far as they can be, and each path is asked for once. So it is whatever the author of the program
   * chose: it may be absolute, begin with `../`, or hold any character. Who compiles programs of strangers answers only for what they may read,
   * and where files are read, only regular ones of bounded size.
   */
  readonly resolve?: ((path: string) => string | undefined) | undefined
  /** Folders in which imports are looked up, after that of the importing file. */
  readonly searchPaths?: readonly string[] | undefined
  /** Macros, as by `#define`; `true` defines one as 1. */
  readonly defines?: Readonly<Record<string, string | number | boolean>> | undefined
  /**
   * How matrices lie in buffers and uniforms, where neither `row_major` nor `column_major` says it: row by row, as by default, or
   * column by column, as `slangc` has it by default.
   */
  readonly matrixLayout?: 'row-major' | 'column-major' | undefined
  /** Types for dynamic dispatch beyond those that the program makes: `Type:Interface` or `Type:Interface=id`. */
  readonly conformances?: readonly string[] | undefined
  /** Entry points to compile; default: every function with a stage. One without `[shader]` needs its stage here. */
  readonly entries?: readonly (string | { readonly name: string; readonly stage: Stages })[] | undefined
  /** Threads of a group of `[CUDAKernel]`s without `[numthreads]`, which in other places the launch says; default 64 × 1 × 1. */
  readonly blockSize?: readonly [number, number, number] | undefined
  /** Functions to export to WebAssembly and JavaScript; default: every `public` or `export` function of the source. */
  readonly exports?: readonly string[] | undefined
  /** Called with the time of each phase, in milliseconds. An exception of it goes through to the caller. */
  readonly time?: ((phase: string, ms: number) => void) | undefined
}

/** The stages of entry points. */
type Stages = 'compute' | 'vertex' | 'fragment'

/** A checked program with what was asked of it. */
export class Checked {
  readonly program: CheckedProgram
  readonly #options: FrontOptions

  constructor(program: CheckedProgram, options: FrontOptions) {
    this.program = program
    this.#options = options
  }

  /** The files it was read from, the root file first. */
  files(): readonly { readonly name: string; readonly text: string }[] {
    return this.program.modules
      .filter(m => !m.isCore)
      .flatMap(m => m.files)
      .map(f => ({ name: f.name, text: f.text }))
  }

  /** The user's functions at module level. */
  functions(): readonly { readonly name: string; readonly differentiable: DiffLevel }[] {
    return this.program.functions
      .filter(f => f.role === 'function' && f.hasBody)
      .map(f => ({ name: f.name, differentiable: this.program.attributes(f).level }))
  }

  /** Doc comments of the user's functions at module level, by name; of overloads the last. */
  docs(): ReadonlyMap<string, string> {
    return new Map(
      this.program.functions.flatMap(({ role, name, syntax: { span } }) => {
        const doc = role === 'function' ? docBefore(span.file, span.start) : ''
        return doc === '' ? [] : [[name, doc] as const]
      }),
    )
  }

  /** How far a function lets itself be differentiated. */
  level(root: Pick<ExportRoot, 'func'>): DiffLevel {
    return this.program.attributes(root.func).level
  }

  #subjects: ReadonlyMap<string, Subject> | undefined

  /** Every function that has a name of its own: methods and instances of generic functions too. */
  subjects(): ReadonlyMap<string, Subject> {
    const entries = this.program.entries.flatMap((func): EntryRoot[] => {
      const stage = stageOf(this.program.attributes(func).stage)
      return stage === undefined ? [] : [{ func, stage }]
    })
    return (this.#subjects ??= subjectsOf(this.program, entries))
  }

  #throws(func: FuncDecl): boolean {
    return this.program.params(func).at(-1)?.thrown === true
  }

  /** The subjects of the source's own file, with how far each can be differentiated; those that throw are none. */
  own(): readonly { readonly name: string; readonly differentiable: DiffLevel }[] {
    const root = this.program.modules[0]
    return [...this.subjects().values()]
      .filter(s => s.func.module === root && !this.#throws(s.func))
      .map(s => ({ name: s.name, differentiable: this.level(s) }))
  }

  /** The function of that name, however its generic arguments are spaced. */
  subject(name: string): Subject | undefined {
    const subjects = this.subjects()
    return subjects.get(name) ?? subjects.get(name.replace(/\s+/g, '').replaceAll(',', ', '))
  }

  /** Whether a function is exported without being asked for. Nobody asked for what an imported module has of other targets. */
  #isExported(func: FuncDecl): boolean {
    const { program } = this
    return program.attributes(func).exported && (func.module === program.modules[0] || !program.reachesLack(func))
  }

  /** Whether a function is an entry point once its generic arguments are known. */
  #isOpenEntry(func: FuncDecl): boolean {
    const { program } = this
    return (
      func.generics !== null &&
      func.module === program.modules[0] &&
      func.role === 'function' &&
      func.hasBody &&
      program.attributes(func).stage !== null
    )
  }

  /** The functions that are asked for by name: entry points of several stages may share one, and that of the stage in question comes first. */
  #named(name: string, asked: string | { readonly stage: Stages }, free: readonly FuncDecl[]): readonly FuncDecl[] {
    const stage = (func: FuncDecl): string | null => this.program.attributes(func).stage
    const all = free.filter(f => f.name === name)
    const fitting = all.filter(f => (typeof asked === 'string' ? stage(f) !== null : stage(f) === asked.stage))
    return fitting.length > 0 ? fitting : all.slice(0, 1)
  }

  /** The roots of lowering: what the options name, else all entry points and all exported functions. */
  roots(sink: Sink): Roots {
    const { program } = this
    const options = this.#options
    const free = program.functions.filter(f => f.role === 'function' && f.hasBody)
    const entries: EntryRoot[] = []
    const take = (func: FuncDecl, stage: string, subst?: Subst): void => {
      const known = stageOf(stage)
      if (this.#throws(func)) sink.add(throwingEntry, func.span ?? undefined, { name: func.name })
      if (known !== undefined && (subst === undefined || known === 'compute'))
        entries.push({ func, stage: known, blockSize: options.blockSize, subst })
      else if (known !== undefined)
        sink.add(noTarget, func.span ?? undefined, { feature: `a ${known} entry point with generic parameters` })
      else sink.add(noTarget, stageAt(func), { feature: `the stage ${stage}` })
    }
    if (options.entries === undefined) {
      for (const func of program.entries) take(func, program.attributes(func).stage!)
      for (const decl of program.declarations)
        if (decl.kind === 'func' && this.#isOpenEntry(decl))
          sink.add(genericEntry, decl.span ?? undefined, { name: decl.name })
    } else {
      for (const asked of options.entries) {
        const name = typeof asked === 'string' ? asked : asked.name
        const errors = sink.errors
        const instance = name.includes('<') ? program.instance(name, sink) : null
        if (sink.errors > errors) continue
        const found = instance === null ? this.#named(name, asked, free) : [instance.decl]
        const staged = found.flatMap(func => {
          const stage = typeof asked === 'string' ? program.attributes(func).stage : asked.stage
          return stage === null ? [] : [{ func, stage }]
        })
        for (const { func, stage } of staged) take(func, stage, instance?.subst)
        if (staged.length === 0)
          sink.add(
            missingEntry,
            undefined,
            { name },
            ...suggestAmong(
              name,
              program.entries.map(f => f.name),
            ),
          )
      }
    }
    const names = options.exports
    const exports: ExportRoot[] = []
    const taken = new Set<string>()
    for (const func of free) {
      const wanted = names === undefined ? this.#isExported(func) : names.includes(func.name)
      if (!wanted || taken.has(func.name) || entries.some(e => e.func === func)) continue
      taken.add(func.name)
      if (this.#throws(func)) {
        if (names === undefined) sink.add(throwingLeftOut, func.span ?? undefined, { func: func.name })
        else sink.add(throwingEntry, func.span ?? undefined, { name: func.name })
        continue
      }
      exports.push({ func, name: func.name, mode: 'primal' })
    }
    for (const name of names ?? []) {
      if (taken.has(name)) continue
      const subject = this.subject(name)
      if (subject === undefined)
        sink.add(missingExport, undefined, { name }, ...suggestAmong(name, [...this.subjects().keys()]))
      else if (this.#throws(subject.func)) sink.add(throwingEntry, subject.func.span ?? undefined, { name })
      else exports.push({ ...subject, name, mode: 'primal' })
    }
    return { entries, exports, conformances: (options.conformances ?? []).map(conformance) }
  }
}

/** The stage of an attribute; undefined for one that no target has. */
function stageOf(stage: string | null): Stages | undefined {
  if (stage === 'pixel') return 'fragment'
  return stage === 'vertex' || stage === 'fragment' || stage === 'compute' ? stage : undefined
}

/** Where a function says its stage. */
function stageAt({ syntax, span }: FuncDecl): Span | undefined {
  return syntax.attributes.find(a => a.name.toLowerCase() === 'shader')?.span ?? span ?? undefined
}

/** Reads `Type:Interface` or `Type:Interface=id`. */
function conformance(text: string): Conformance {
  const [, type = text, iface = '', id] = /^(.*?):([^:=]*)(?:=(\d+))?$/.exec(text) ?? []
  return { type: type.trim(), iface: iface.trim(), id: id === undefined ? undefined : Number(id) }
}

/** Parses and checks a program. Mistakes, and warnings about a program without mistakes, become diagnostics. */
export function front(source: string, options: FrontOptions, core: LibraryData, sink: Sink): Checked {
  const program = timed(options, 'check', () =>
    check(
      {
        source,
        fileName: options.fileName ?? 'main.slang',
        files: options.files ?? {},
        resolve: options.resolve,
        searchPaths: options.searchPaths ?? [],
        defines: options.defines ?? {},
        columnMajor: options.matrixLayout === 'column-major',
      },
      core,
      sink,
    ),
  )
  if (sink.errors === 0) {
    checkAssigned(program, sink)
    checkStrictly(program, sink)
  }
  return new Checked(program, options)
}
