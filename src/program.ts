/**
 * A compiled program as far as all targets share it, and WGSL. This file imports nothing that only other targets need, so that a
 * page which compiles to WGSL does not carry their code.
 */
import { Sink, type Diagnostic } from './base/diag.ts'
import { notDifferentiable, unboundedLoop } from './base/errors/derivative.ts'
import { missingEntry } from './base/errors/target.ts'
import type { Limits } from './base/limits.ts'
import { readOptions, reportFault, strings, text, type Kinds } from './base/options.ts'
import { renderDiagnostics } from './base/render.ts'
import type { Position } from './base/source.ts'
import {
  Stores,
  bounded,
  finish,
  targets,
  middle,
  timed,
  type Level,
  type LibraryData,
  type MiddleOptions,
  type TextureEmulation,
  type Root,
  type Roots,
  type Target,
  type Verifier,
} from './compile.ts'
import type { PackedFile } from './check/modules/packed.ts'
import { front, type Checked, type FrontOptions } from './front.ts'
import { differential, type Type } from './ir/type.ts'
import type { Func, Module } from './ir/value.ts'
import { walk } from './ir/walk.ts'
import { dataSignature, dataType, type DataSignature, type DataType } from './target/data.ts'
import { layouts } from './ir/layout.ts'
import type { Emulation } from './target/emulate/emulate.ts'
import { emitWgsl, type Wgsl } from './target/wgsl/emit.ts'

export type { PackedFile } from './check/modules/packed.ts'
export type { Emulation } from './target/emulate/emulate.ts'

/** How to compile. Everything is optional. */
export interface CompileOptions extends FrontOptions {
  /** 0: only what targets need; 1: cheap passes; 2 (the default): all; 3: growing the code for speed. */
  readonly optimize?: Level | undefined
  /** For WebAssembly and JavaScript: a loop that makes more trips than its `[MaxIters]` allows stops the program and is named. */
  readonly debug?: boolean | undefined
  /**
   * How many bytes a reverse pass may keep in memory. It recomputes what does not fit; if that is impossible, an error says what is
   * in the way. Default: as many as are worth while.
   */
  readonly maxContext?: number | undefined
  /**
   * Limits on the work that the program may ask for. They are counts that do not depend on the machine. If one is exceeded, a
   * diagnostic names it.
   */
  readonly limits?: Limits | undefined
  /**
   * What replaces numbers that WGSL lacks, for `compile` of `cotangent/wgsl`: `emulation` of `cotangent/emulation`. It is large and few
   * programs need it. In `cotangent` it is there already.
   */
  readonly emulation?: Emulation | undefined
  /**
   * The rare parts of the core library, for `compile` of `cotangent/wgsl`: `library` of `cotangent/library`. docs/api.md lists them. In
   * `cotangent` they are there already.
   */
  readonly library?: readonly PackedFile[] | undefined
  /**
   * For WGSL: computes with `half` in `float` and rounds each result, for devices without `shader-f16`. What hosts see stays the same.
   * Slower than the halves of a device.
   */
  readonly emulateHalf?: boolean | undefined
  /** Check the IR after each pass; slow, for finding bugs in the compiler. */
  readonly verify?: boolean | undefined
}

/** An entry point of a program. */
export interface EntryPoint {
  readonly name: string
  readonly stage: 'compute' | 'vertex' | 'fragment'
  readonly workgroupSize: readonly [number, number, number]
  /** Where it is declared; undefined if the compiler made it. */
  readonly position: Position | undefined
}

/** A function that WebAssembly and JavaScript export. */
export interface ExportedFunction extends DataSignature {
  /** Whether `fwd_diff` and `bwd_diff` of it can be asked for. */
  readonly differentiable: 'none' | 'forward' | 'backward'
  /** Parameters that carry no derivative, by position. */
  readonly noDiff: readonly boolean[]
  /** The types of derivatives by parameter, where it carries one; else null. */
  readonly gradients: readonly (DataType | null)[]
  /** The type of the result's derivative; null where the result carries none. */
  readonly tangent: DataType | null
  /** The doc comment before it, in `///` lines or a block, without its marks; '' where there is none. */
  readonly doc: string
}

/** Thrown by the methods of a `Program` that has errors; compiling itself never throws. */
export class CompileError extends Error {
  readonly #diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(d => d.severity === 'error')
    super(renderDiagnostics(errors))
    this.name = 'CompileError'
    this.#diagnostics = diagnostics
  }

  // A getter, since Node prints the fields of an error that nobody catches: of each diagnostic the whole source.
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics
  }
}

/** The functions that emulation calls, by name. */
export function libraryOf({ source, names }: Emulation, core: LibraryData): ReadonlyMap<string, Func> {
  const sink = new Sink()
  const checked = front(source, { exports: names }, core, sink)
  const { funcs } = middle(checked.program, checked.roots(sink), sink, { level: 2, target: 'wgsl' })
  const library = new Map<string, Func>()
  for (const func of funcs) {
    const name = func.info.exported
    if (name !== undefined) library.set(name, func)
    func.info.exported = undefined
    // It is no text of the user's.
    func.span = null
    if (func.body !== undefined)
      walk(func.body, inst => {
        inst.span = null
      })
  }
  return library
}

/** The derivatives of exported functions that a module includes. */
export type Derivatives =
  | 'none'
  | 'all'
  | { readonly of: string }
  | { readonly only: readonly string[] }
  | { readonly reverseOf: string }

/** A compiled program: its diagnostics, what it declares, and its WGSL. */
export class WgslProgram {
  readonly #options: CompileOptions
  readonly #core: LibraryData
  readonly #verifier: Verifier | undefined
  /** Undefined if the program nests too deeply to be read. */
  readonly #checked: Checked | undefined
  readonly #diagnostics: Diagnostic[] = []
  /** Modules ready for emission, by target and derivatives. */
  readonly #modules = new Map<string, Module>()
  /** The module that the constructor built to find mistakes; the first WGSL is made of it. */
  #draft: Module | undefined
  readonly #errors: number = 0
  /** How long the source is, with what it imports. */
  readonly #characters: number = 0
  /** The entry points. */
  readonly entries: readonly EntryPoint[] = []
  /** The exported functions, with types as data; those that take or give resources are left out. */
  readonly exports: readonly ExportedFunction[] = []

  /**
   * Use `compile`.
   *
   * @internal
   */
  constructor(source: string, options: CompileOptions, core: LibraryData, verifier?: Verifier) {
    const taken = readOptions(options)
    this.#options = 'fault' in taken ? {} : taken
    this.#core = core
    if (this.#options.verify === true) this.#verifier = verifier
    this.#characters = typeof source === 'string' ? source.length : 0
    const sink = this.sink()
    if ('fault' in taken) reportFault(sink, 'compile', taken.fault)
    else this.#checked = this.#bounded(sink, () => front(source, taken, core, sink))
    this.#characters = this.files.reduce((sum, f) => sum + f.text.length, 0)
    this.#measure(sink)
    if (sink.errors === 0) this.#draft = this.#bounded(sink, () => this.#draw('wgsl', 'none', sink))
    this.#diagnostics.push(...sink.list)
    this.#errors = sink.errors
    if (this.#draft === undefined || sink.errors > 0) return
    const { funcs } = this.#draft
    this.entries = funcs.flatMap(f =>
      f.info.entry === undefined
        ? []
        : [
            {
              name: f.name,
              stage: f.info.entry.stage,
              workgroupSize: f.info.entry.numthreads,
              position: f.span?.position,
            },
          ],
    )
    const docs = this.#checked!.docs()
    const derivative = (type: Type, held: boolean): DataType | null => {
      const own = held ? null : differential(type)
      return own === null ? null : (dataType(own, layouts.tight) ?? null)
    }
    this.exports = funcs.flatMap(f => {
      const { exported, level } = f.info
      const signature = exported === undefined ? undefined : dataSignature(f, exported, layouts.tight)
      if (signature === undefined) return []
      const { params, result, resultNoDiff } = f.sig
      return [
        {
          ...signature,
          differentiable: level,
          noDiff: params.map(p => p.noDiff),
          gradients: params.map(p => derivative(p.type, p.noDiff || level === 'none')),
          tangent: derivative(result, resultNoDiff || level === 'none'),
          doc: docs.get(signature.name) ?? '',
        },
      ]
    })
  }

  /** All errors and warnings, in order of stages, and last what the targets that were asked for have left out. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics
  }

  /**
   * Warnings of what a module without entry points would meet in WGSL: loops in differentiable functions whose trips nothing
   * bounds. With entry points, `wgsl` finds those that they reach, and a CPU can run them all.
   */
  get wgslDiagnostics(): readonly Diagnostic[] {
    const checked = this.#checked
    const sink = this.sink()
    if (checked !== undefined && checked.program.entries.length === 0 && this.#options.entries === undefined) {
      for (const span of checked.program.unbounded) sink.add(unboundedLoop, span, {})
    }
    return sink.list
  }

  /** Whether there are no errors. */
  get ok(): boolean {
    return this.#errors === 0
  }

  /** The files that the program was read from, with their texts: the source first, then what it imports. */
  get files(): readonly { readonly name: string; readonly text: string }[] {
    return this.#checked?.files() ?? []
  }

  /** Names of the functions of the source that are not generic and not methods, with how far each can be differentiated. */
  get functions(): readonly { readonly name: string; readonly differentiable: 'none' | 'forward' | 'backward' }[] {
    return this.#checked?.functions() ?? []
  }

  /**
   * The functions of the source's own file that can be called by name, with how far each can be differentiated: methods as
   * `Type.method`, the instances that the program makes of generic functions as `name<arguments>`.
   */
  get subjects(): readonly { readonly name: string; readonly differentiable: 'none' | 'forward' | 'backward' }[] {
    return this.ok && this.#checked !== undefined ? this.#checked.own() : []
  }

  /**
   * WGSL of the entry points, with the reflection that a host needs to bind them. With `reverseOf`: of the reverse derivative of
   * one of them, as an entry point with the same parameters. Throws `CompileError`.
   */
  wgsl(
    options: { readonly entries?: readonly string[] | undefined; readonly reverseOf?: string | undefined } = {},
  ): Wgsl {
    const taken = this.taking('wgsl', options, { entries: strings, reverseOf: text })
    const { reverseOf } = taken
    return this.emit('wgsl', reverseOf === undefined ? 'none' : { reverseOf }, (module, sink) =>
      emitWgsl(module, reverseOf === undefined ? taken : {}, sink),
    )
  }

  /**
   * Validates and copies the arguments of a method. Throws `CompileError` if one is of a wrong kind.
   *
   * @internal
   */
  protected taking<T extends object>(owner: string, given: T, kinds: Kinds, needed: readonly string[] = []): T {
    const taken = readOptions(given, kinds, needed)
    if (!('fault' in taken)) return taken
    const sink = this.sink()
    reportFault(sink, owner, taken.fault)
    throw new CompileError(sink.list)
  }

  /**
   * Does something with a program without errors. Throws `CompileError` where that finds some.
   *
   * @internal
   */
  protected attempt<T>(work: (checked: Checked, sink: Sink) => T | undefined): T {
    if (!this.ok) throw new CompileError(this.#diagnostics)
    const sink = this.sink()
    const made = this.#bounded(sink, () => work(this.#checked!, sink))
    if (sink.errors > 0) throw new CompileError(sink.list)
    return made!
  }

  /**
   * Emulates textures for targets that have none. The program that only makes WGSL leaves it out.
   *
   * @internal
   */
  protected textureEmulation(): TextureEmulation | undefined {
    return undefined
  }

  /**
   * Guards the loops of a function in debug builds, which WGSL does not have.
   *
   * @internal
   */
  protected limitTrips(): MiddleOptions['debug'] {
    return undefined
  }

  /**
   * Replaces numbers that WGSL lacks.
   *
   * @internal
   */
  protected emulation(): Emulation | undefined {
    return this.#options.emulation
  }

  /**
   * The target whose intrinsics IR for no target may call. The program that only makes WGSL has no bodies for them.
   *
   * @internal
   */
  protected leastTarget(): Target | undefined {
    return 'wgsl'
  }

  /**
   * The functions that the caller named, in the options of the program and of one call.
   *
   * @internal
   */
  protected named(also: string | undefined): readonly string[] {
    return [...(this.#options.exports ?? []), ...(also === undefined ? [] : [also])]
  }

  /** @internal */
  protected sink(): Sink {
    const sink = new Sink(this.#options.limits)
    this.#measure(sink)
    return sink
  }

  /** Says how large the program is, and whether its derivatives are to fit a budget. */
  #measure(sink: Sink): void {
    sink.work.measure(this.#characters, this.#options.maxContext !== undefined)
  }

  #bounded<T>(sink: Sink, work: () => T): T | undefined {
    return bounded(this.#core, sink, work)
  }

  /**
   * Emits the module for a target, with the derivatives asked for; throws where there are mistakes.
   *
   * @internal
   */
  protected emit<T>(
    target: Target,
    derivatives: Derivatives,
    emit: (module: Module, sink: Sink) => T,
    wide = false,
  ): T {
    return this.attempt((_checked, sink) => {
      const module = this.module(target, derivatives, sink, wide)
      if (sink.errors > 0) return undefined
      const out = timed(this.#options, 'emit', () => emit(module, sink))
      // A target leaves something out. Every call finds the same.
      for (const d of sink.list)
        if (d.severity === 'note' && !this.#diagnostics.some(o => o.code === d.code && o.message === d.message))
          this.#diagnostics.push(d)
      return out
    })
  }

  /**
   * The module for a target, which is made once.
   *
   * @internal
   */
  protected module(target: Target, derivatives: Derivatives, sink: Sink, wide: boolean): Module {
    const key = `${target} ${wide ? 'f64 ' : ''}${typeof derivatives === 'string' ? derivatives : JSON.stringify(derivatives)}`
    let module = this.#modules.get(key)
    if (module === undefined) {
      module = this.ready(target, derivatives, sink, undefined, wide)
      // One with mistakes is made again, so that each call tells them.
      if (sink.errors === 0) this.#modules.set(key, module)
    }
    return module
  }

  /**
   * A module that has been through all passes.
   *
   * @internal
   */
  protected ready(
    target: Target | undefined,
    derivatives: Derivatives,
    sink: Sink,
    dump: MiddleOptions['dump'],
    wide = false,
  ): Module {
    let module: Module
    if (target === 'wgsl' && derivatives === 'none' && this.#draft !== undefined) {
      module = this.#draft
      this.#draft = undefined
    } else {
      module = this.#draw(target ?? this.leastTarget(), derivatives, sink, dump, wide)
    }
    // WGSL has nothing to export a plain function to.
    if (target === 'wgsl') for (const f of module.funcs) f.info.exported = undefined
    const passes = this.passes(target, dump, wide)
    const halves = this.#options.emulateHalf === true
    const emulation = target === 'wgsl' ? this.emulation() : undefined
    const emulate =
      emulation?.needed(module, halves) === true
        ? (of: Module) => emulation.apply(of, halves, libraryOf(emulation, this.#core), sink)
        : undefined
    if (sink.errors === 0) finish(module, sink, { ...passes, emulate })
    return module
  }

  /** A module with its derivatives written. */
  #draw(
    target: Target | undefined,
    derivatives: Derivatives,
    sink: Sink,
    dump?: MiddleOptions['dump'],
    wide = false,
  ): Module {
    const checked = this.#checked!
    const roots = checked.roots(sink)
    if (typeof derivatives === 'object' && 'reverseOf' in derivatives)
      return this.#reversed(derivatives.reverseOf, roots, sink, target, wide)
    const { of: one, only }: { of?: string; only?: readonly string[] } =
      typeof derivatives === 'object' ? derivatives : {}
    const named = one === undefined ? roots.exports : roots.exports.filter(root => root.name === one)
    const subject = one === undefined || named.length > 0 ? undefined : checked.subject(one)
    const exports = (subject === undefined ? named : [{ ...subject, name: one!, mode: 'primal' as const }]).flatMap(
      (root): Root[] => {
        if (derivatives === 'none' || only?.includes(root.name) === false) return [root]
        const level = checked.level(root)
        return [
          root,
          ...(level === 'none' ? [] : [{ ...root, name: `fwd_diff(${root.name})`, mode: 'forward' as const }]),
          ...(level === 'backward' ? [{ ...root, name: `bwd_diff(${root.name})`, mode: 'backward' as const }] : []),
        ]
      },
    )
    return middle(
      checked.program,
      { ...roots, entries: one === undefined ? roots.entries : [], exports },
      sink,
      this.passes(target, dump, wide),
    )
  }

  /** A module of the reverse derivative of a compute entry point alone. */
  #reversed(
    name: string,
    { entries, conformances }: Roots,
    sink: Sink,
    target: Target | undefined,
    wide: boolean,
  ): Module {
    const checked = this.#checked!
    const entry = entries.find(e => e.func.name === name && e.stage === 'compute')
    if (entry === undefined) sink.add(missingEntry, undefined, { name })
    else if (checked.level(entry) !== 'backward')
      sink.add(notDifferentiable, entry.func.span ?? undefined, { name, level: 'backward' })
    const reversed = entry === undefined || sink.errors > 0 ? [] : [{ ...entry, reverse: true }]
    return middle(
      checked.program,
      { entries: reversed, exports: [], conformances },
      sink,
      this.passes(target, undefined, wide),
    )
  }

  /** @internal */
  protected passes(target: Target | undefined, dump: MiddleOptions['dump'], wide: boolean): MiddleOptions {
    const { optimize = 2, debug = false, time, maxContext } = this.#options
    const emulates = target !== undefined && !targets[target].textures
    const textureEmulation = emulates ? this.textureEmulation() : undefined
    return {
      level: optimize,
      verifier: this.#verifier,
      debug: debug && (target ?? this.leastTarget()) !== 'wgsl' ? this.limitTrips() : undefined,
      target,
      textureEmulation,
      wide,
      dump,
      time,
      maxContext,
      explain: maxContext === undefined ? undefined : new Stores(),
    }
  }
}
