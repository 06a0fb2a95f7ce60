/**
 * The library: Slang source in, WGSL, WebAssembly, JavaScript or IR text out, derivatives included. Nothing here touches the
 * file system or the network; it runs in browsers, workers, Node, Deno and Bun alike.
 */
import type { Sink } from './base/diag.ts'
import { suggestAmong } from './base/near.ts'
import { notDifferentiable } from './base/errors/derivative.ts'
import { missingExport } from './base/errors/lower.ts'
import { flag, oneOf, record, text, values, type Kinds } from './base/options.ts'
import { isMapRequest, type MapRequest } from './base/map.ts'
import { checkedLimits, isRunLimits, type RunLimits } from './target/limits.ts'
import {
  Explainer,
  addMap,
  asWritten,
  core,
  finish,
  limitTrips,
  middle,
  stages,
  textureEmulation,
  type Explain,
  type Explanation,
  type MiddleOptions,
  type TextureEmulation,
  type Root,
  type Roots,
  type Stage,
  type Target,
} from './compile.ts'
import type { Checked } from './front.ts'
import { printFunc, printModule } from './ir/print.ts'
import * as verifier from './ir/verify.ts'
import { Derived, blame, type Blame } from './debug/blame.ts'
import { Reference } from './debug/reference.ts'
import { traceNonFinite, type NonFinite, type Weights } from './debug/trace.ts'
import { toData } from './debug/data.ts'
import type { Data } from './ir/run.ts'
import { inputs, type Func, type Module } from './ir/value.ts'
import { WgslProgram, type CompileOptions, type Derivatives } from './program.ts'
import { leaveOut } from './target/left-out.ts'
import { emulation, type Emulation } from './target/emulate/emulate.ts'
import { emitJs, type JsOutput } from './target/js/js.ts'
import type { WasmOptions } from './target/wasm/plan.ts'
import { compileWasm, type WasmOutput } from './target/wasm/wasm.ts'

export type { Diagnostic, Note, Severity } from './base/diag.ts'
export { SourceFile, Span, type Position } from './base/source.ts'
export { InternalError } from './base/diag.ts'
export type { Limits } from './base/limits.ts'
export { escapeControls, safeJson } from './base/escape.ts'
export {
  diagnosticJson,
  renderDiagnostic,
  renderDiagnostics,
  type JsonDiagnostic,
  type RenderOptions,
} from './base/render.ts'
export type { Level, Stage } from './compile.ts'
export { stages } from './compile.ts'
export type { DataField, DataParam, DataSignature, DataType } from './target/data.ts'
export { reflectionTypes } from './declare/entries.ts'
export { marker, moduleTypes, type Declared } from './declare/module.ts'
export type {
  Bytes,
  CompiledProgram,
  BufferName,
  BufferView,
  EntryOf,
  EntryTypes,
  Filled,
  FunctionTypes,
  IfKnown,
  KernelName,
  LoadableProgram,
  Member,
  Optional,
  ProgramTypes,
  TensorsOf,
  TypesOf,
  Unchecked,
  UnknownEntry,
  UnknownFunction,
  UnknownTypes,
} from './declare/types.ts'
export type {
  BindingInfo,
  BindingKind,
  EntryReflection,
  HandleInfo,
  PrintFormat,
  PrintInfo,
  Reflection,
  TextureDimension,
  VaryingInfo,
} from './target/reflect.ts'
export { sourceOf } from './host/origin.ts'
export { sourceMapJson, withSourceLines, type SourceMapOptions } from './target/wgsl/sourcemap.ts'
export type { SourceMapping, Wgsl } from './target/wgsl/emit.ts'
export type { Reference } from './debug/reference.ts'
export type { NonFinite, Weights } from './debug/trace.ts'
export type { JsOutput } from './target/js/js.ts'
export type { WasmOutput } from './target/wasm/wasm.ts'
export type {
  WasmBuffer,
  WasmFunction,
  WasmInterface,
  WasmKernel,
  WasmPrint,
  WasmUniform,
} from './target/wasm/interface.ts'
export type { RunLimits } from './target/limits.ts'
export type { Change, Explanation, Residual } from './compile.ts'
export {
  CompileError,
  type CompileOptions,
  type EntryPoint,
  type Emulation,
  type ExportedFunction,
  type PackedFile,
  type WgslProgram,
} from './program.ts'

/**
 * Compiles a program. Mistakes become `diagnostics`; it throws nothing for them.
 *
 * ```ts
 * const program = compile('export float square(float x) { return x * x; }')
 * program.js().code
 * ```
 */
export function compile(source: string, options: CompileOptions = {}): Program {
  return new Program(source, options, core, verifier)
}

/** How many values of IR may be made in search of the functions whose derivatives can be made. */
const mostTried = 250_000

/** A compiled program: its diagnostics, what it declares, and code for each target. */
export class Program extends WgslProgram {
  /** For each target, the functions whose derivatives can be made, where not all can. */
  readonly #derivable = new Map<string, readonly string[]>()

  /**
   * One derivative that cannot be made must not keep the others from being exported.
   *
   * @internal
   */
  protected override module(target: Target, derivatives: Derivatives, sink: Sink, wide: boolean): Module {
    if (derivatives !== 'all') return super.module(target, derivatives, sink, wide)
    const key = `${target} ${String(wide)}`
    let only = this.#derivable.get(key)
    if (only === undefined) {
      const own = this.sink()
      const all = super.module(target, 'all', own, wide)
      if (own.errors === 0) return all
      let left = mostTried
      // Few functions have mistakes: halves of those that have are tried, until single ones are left, or too much work is done.
      const derivable = (names: readonly string[]): readonly string[] => {
        if (names.length === 0 || left <= 0) return []
        const part = this.sink()
        const { funcs } = this.ready(target, { only: names }, part, undefined, wide)
        left -= funcs.reduce((sum, f) => sum + f.nextValue, 0)
        if (part.errors === 0) return names
        const half = names.length >> 1
        return half === 0 ? [] : [...derivable(names.slice(0, half)), ...derivable(names.slice(half))]
      }
      only = derivable(super.module(target, 'none', sink, wide).funcs.flatMap(f => f.info.exported ?? []))
      this.#derivable.set(key, only)
    }
    return super.module(target, { only }, sink, wide)
  }

  /**
   * A WebAssembly module of the exported functions and entry points. With `derivatives` (the default) each exported
   * differentiable function `f` comes with `fwd_diff(f)` and `bwd_diff(f)`, where they can be made; with `derivativesOf` it
   * is a module of that function and its derivatives alone. With `limits` it counts what it does, for a host to bound it.
   * With `shared` its memory is shared, and atomics are atomic among instances in several threads. Four threads of a kernel run at once,
   * by WebAssembly's vectors, where that takes less time; with `lanes: 4` wherever that can be, with `lanes: 1` nowhere. With `map` it is a module of the
   * kernels that call one function for arrays of arguments. Throws `CompileError`.
   */
  wasm(
    options: DerivativeOptions & {
      readonly limits?: RunLimits | undefined
      readonly shared?: boolean | undefined
      readonly lanes?: 1 | 4 | undefined
      readonly map?: MapRequest | undefined
    } = {},
  ): WasmOutput {
    const taken = this.taking('wasm', options, { ...emitKinds, shared: flag, lanes: [isLanes, '1 or 4'], map: mapKind })
    const limits = checkedLimits(taken.limits)
    if (taken.map !== undefined) return this.#map(taken.map, { limits, shared: taken.shared, lanes: taken.lanes })
    return this.emit('wasm', derivativesOf(taken), (module, sink) => {
      leaveOut(module, this.named(taken.derivativesOf), sink)
      return compileWasm(module, sink, { limits, shared: taken.shared, lanes: taken.lanes })
    })!
  }

  /** A module of the kernels that call a function, or a derivative of it, for arrays of arguments. */
  #map(request: MapRequest, options: WasmOptions): WasmOutput {
    const mode = ({ value: undefined, gradient: 'backward', tangent: 'forward' } as const)[request.mode]
    return this.attempt((checked, sink) => {
      const roots = this.#only(request.of, mode === undefined ? ['primal'] : ['primal', mode], checked, sink)
      const passes = this.passes('wasm', undefined, false)
      const module = sink.errors > 0 ? undefined : middle(checked.program, roots, sink, passes)
      if (module === undefined || sink.errors > 0) return undefined
      const func = primalOf(module)
      const { length } = inputs(func.sig)
      const hasAll = [request.primals, request.tangents].every(list => list.length === length)
      this.taking(
        'wasm',
        { map: request },
        { map: [() => hasAll, `lists of ${length}, as many as ${request.of} takes`] },
      )
      const derivative = module.funcs.find(f => f.info.exported === `${mode} derivative`)
      addMap(module, { func, derivative }, request)
      finish(module, sink, passes)
      return compileWasm(module, sink, options)
    })
  }

  /**
   * A JavaScript module likewise; `f64` computes floats in double precision. A call that takes more than `limits` allow throws
   * an error named `TrapError`. Throws `CompileError`.
   */
  js(
    options: DerivativeOptions & {
      readonly mode?: 'f32' | 'f64' | undefined
      readonly limits?: RunLimits | undefined
    } = {},
  ): JsOutput {
    const taken = this.taking('js', options, { ...emitKinds, mode: oneOf('f32', 'f64') })
    const { mode = 'f32' } = taken
    const limits = checkedLimits(taken.limits)
    return this.emit(
      'js',
      derivativesOf(taken),
      (module, sink) => {
        leaveOut(module, this.named(undefined), sink)
        return emitJs(module, { mode, limits }, sink)
      },
      mode === 'f64',
    )
  }

  /** IR as text after a stage, of the whole program or of the functions made of `name`. Throws `CompileError`. */
  ir(stage: Stage = 'final', name?: string): string {
    this.taking('ir', { stage, name }, { stage: oneOf(...stages), name: text })
    const texts: string[] = []
    const derivatives =
      name !== undefined && stage !== 'lower' && this.exports.some(f => f.name === name) ? { of: name } : 'none'
    const take: MiddleOptions['dump'] = (at, what) => {
      const func = 'funcs' in what ? undefined : what.name
      if (
        at !== stage ||
        !(
          func === undefined ||
          name === undefined ||
          func === name ||
          func.startsWith(`${name}.`) ||
          func.startsWith(`${name}_`)
        )
      )
        return
      texts.push('funcs' in what ? printModule(what) : printFunc(what))
    }
    this.attempt((_checked, sink) => this.ready(undefined, derivatives, sink, take))
    return texts.join('\n')
  }

  /**
   * Lowers the program for an observer of derivatives: one function that can be called by name, in some modes, or all that the
   * entry points and exported functions need.
   */
  #watch(
    name: string | undefined,
    explain: Explain,
    modes: readonly Root['mode'][] = ['backward'],
    textureEmulation?: TextureEmulation,
  ): Module {
    return this.attempt((checked, sink) => {
      const roots = this.#only(name, modes, checked, sink)
      const passes = { ...this.passes(undefined, undefined, false), explain, textureEmulation }
      return sink.errors > 0 ? undefined : middle(checked.program, roots, sink, passes)
    })
  }

  #only(name: string | undefined, modes: readonly Root['mode'][], checked: Checked, sink: Sink): Roots {
    const isEntry = this.entries.some(e => e.name === name)
    const subject = name === undefined || isEntry ? undefined : checked.subject(name)
    if (name !== undefined && !isEntry && subject === undefined)
      sink.add(missingExport, undefined, { name }, ...suggestAmong(name, [...checked.subjects().keys()]))
    if (subject !== undefined && checked.level(subject) === 'none' && modes.some(m => m !== 'primal')) {
      sink.add(notDifferentiable, subject.func.span ?? undefined, { name: subject.name, level: 'backward' })
    }
    return subject === undefined
      ? checked.roots(sink)
      : {
          entries: [],
          exports: modes.map(mode => ({
            ...subject,
            mode,
            name: mode === 'primal' ? subject.name : `${mode} derivative`,
          })),
          conformances: checked.roots(sink).conformances,
        }
  }

  /** @internal */
  protected override textureEmulation(): TextureEmulation {
    return textureEmulation
  }

  /** @internal */
  protected override limitTrips(): typeof limitTrips {
    return limitTrips
  }

  /** @internal */
  protected override emulation(): Emulation {
    return emulation
  }

  /** @internal */
  protected override leastTarget(): Target | undefined {
    return undefined
  }

  /**
   * The values that the reverse pass of a function keeps, recomputes and stores, and why. With a name: of that function, methods as
   * `Type.method` and instances as `name<arguments>`; for an entry point, of all functions that it differentiates. Without a name:
   * of all functions that the program differentiates. Throws `CompileError`.
   */
  explain(name?: string): readonly Explanation[] {
    this.taking('explain', { name }, { name: text })
    const explainer = new Explainer()
    this.#watch(name, explainer)
    return explainer.explanations()
  }

  /**
   * The first instruction that makes a NaN or an infinity out of finite numbers when a function is called in float32, and with
   * `gradient` its reverse derivative after it; null where there is none. `weights` are those of the outputs by name, the
   * result as '', by default one for the result. Uniforms that are not given are zero, buffers empty. Throws `CompileError`.
   */
  traceNonFinite(
    name: string,
    args: readonly unknown[],
    options: { readonly gradient?: boolean; readonly weights?: Weights; readonly globals?: Globals } = {},
  ): NonFinite | null {
    this.taking('traceNonFinite', { name, args, options }, { name: text, args: values, options: record }, [
      'name',
      'args',
      'options',
    ])
    this.taking('traceNonFinite', options, { gradient: flag, weights: record, globals: record })
    const module = this.#watch(
      name,
      new Derived(),
      options.gradient === true ? ['primal', 'backward'] : ['primal'],
      textureEmulation,
    )
    const find = (exported: string): Func | undefined => module.funcs.find(f => f.info.exported === exported)
    const primal = primalOf(module)
    const { length } = inputs(primal.sig)
    this.taking(
      'traceNonFinite',
      { args },
      { args: [() => args.length === length, `a list of ${length}, as many as ${name} takes`] },
    )
    return (
      traceNonFinite(
        primal,
        options.gradient === true ? find('backward derivative') : undefined,
        args,
        options.weights,
        contents(module, options.globals),
      ) ?? null
    )
  }

  /**
   * Central differences of a function that can be called by name. They are taken of the program as written, not of compiled code.
   * They hold constant what the program holds constant, also in derivatives that the function takes itself. Throws `CompileError`.
   */
  reference(name: string): Reference {
    this.taking('reference', { name }, { name: text }, ['name'])
    const { module, derivatives } = this.attempt((checked, sink) => {
      const roots = this.#only(name, ['primal'], checked, sink)
      return sink.errors > 0 ? undefined : asWritten(checked.program, roots, sink, textureEmulation)
    })
    const func = primalOf(module)
    return new Reference(func, derivatives, globals => contents(module, globals))
  }

  /**
   * Finds the function whose derivative disagrees with central differences when that of a function is taken at some inputs, along
   * some tangents: the first that is wrong although those of all its callees agree. `agrees` if none is, since these differences
   * hold constant what the program holds constant on purpose; null if it is unknown. Throws `CompileError`.
   */
  blame(
    name: string,
    mode: 'forward' | 'reverse',
    inputs: readonly unknown[],
    tangents: readonly unknown[],
    globals: Globals = {},
  ): Blamed | 'agrees' | null {
    this.taking(
      'blame',
      { name, mode, inputs, tangents, globals },
      { name: text, mode: oneOf('forward', 'reverse'), inputs: values, tangents: values, globals: record },
      ['name', 'mode', 'inputs', 'tangents'],
    )
    const derived = new Derived()
    const module = this.#watch(name, derived, ['primal', mode === 'forward' ? 'forward' : 'backward'], textureEmulation)
    const func = primalOf(module)
    const found = blame(derived, func, { mode, inputs, tangents, globals: contents(module, globals) })
    if (found === null || found === 'agrees') return found
    const { span, ...rest } = found
    const position = span?.file.position(span.start)
    return {
      ...rest,
      file: span?.presumed?.file ?? span?.file.name ?? '',
      line: span?.presumed?.line ?? position?.line ?? 0,
      column: position?.column ?? 0,
    }
  }
}

/** Contents of buffers (arrays of elements) and uniforms, by name. */
export type Globals = Readonly<Record<string, unknown>>

/** The function itself, among the functions that were lowered for an observer. */
function primalOf(module: Module): Func {
  return module.funcs.find(f => f.info.exported !== undefined && !f.info.exported.endsWith(' derivative'))!
}

/** The contents of a module's globals, for the interpreter. */
function contents(module: Module, globals: Globals = {}): Record<string, Data> {
  return Object.fromEntries(
    module.globals.flatMap(g => {
      const given = globals[g.name]
      const isBuffer = g.type.kind === 'array' && g.type.count === 0
      return given === undefined
        ? []
        : [[g.name, isBuffer ? (given as readonly unknown[]).map(x => toData(g.type.elem!, x)) : toData(g.type, given)]]
    }),
  )
}

/** The function whose derivative disagrees, and its position: the user's function, or the one that the compiler differentiated. */
export interface Blamed extends Omit<Blame, 'span'> {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Which derivatives to export. */
export interface DerivativeOptions {
  /** Whether each exported function comes with those derivatives that can be made; the default. */
  readonly derivatives?: boolean | undefined
  /** Only this function, and its derivatives; one that cannot be made is an error. */
  readonly derivativesOf?: string | undefined
  /** Only the reverse derivative of this entry point, as an entry point that takes what that takes; one that cannot be made is an error. */
  readonly reverseOf?: string | undefined
}

const isLanes = (value: unknown): boolean => value === 1 || value === 4

/** The kinds of the options of `wasm` and `js`. */
const emitKinds: Kinds = {
  derivatives: flag,
  derivativesOf: text,
  reverseOf: text,
  limits: [isRunLimits, 'an object of trips, depth, bytes and groups, whole numbers, none below 0'],
}

/** The kind of the option `map` of `wasm`. */
const mapKind: Kinds[string] = [isMapRequest, 'what m.map of cotangent/cpu asks for']

function derivativesOf(options: DerivativeOptions): Derivatives {
  if (options.reverseOf !== undefined) return { reverseOf: options.reverseOf }
  return options.derivativesOf !== undefined
    ? { of: options.derivativesOf }
    : options.derivatives === false
      ? 'none'
      : 'all'
}
