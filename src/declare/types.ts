/** The types that declarations of shaders refer to, and what hosts make of them. */
import type { MapRequest } from '../host/map.ts'
import type { EntryPoint, ExportedFunction } from '../program.ts'
import type { RunLimits } from '../target/limits.ts'
import type { Reflection } from '../target/reflect.ts'
import type { WasmOutput } from '../target/wasm/wasm.ts'
import type { Wgsl } from '../target/wgsl/emit.ts'

/** What an entry point takes, as `cotangent types` and `reflectionTypes` write it. */
export interface EntryTypes {
  /** By name, what each buffer may be filled with besides bytes. */
  readonly buffers: object
  /** Of what hosts do not dispatch: `'vertex'` or `'fragment'`. */
  readonly stage?: string
  /** By name, the values of uniforms. */
  readonly uniforms: object
  /** By name, what the elements of each tensor may be given as besides bytes; absent where there is none. */
  readonly tensors?: object
  /** The names of textures, as a union. */
  readonly textures: string
  /** The names of samplers, as a union. */
  readonly samplers: string
}

/** An exported function, as `cotangent types` writes it. */
export interface FunctionTypes {
  /** Of the `in` and `inout` parameters in order. */
  readonly params: readonly unknown[]
  /** The names of these parameters. */
  readonly names?: readonly string[]
  readonly result: unknown
  /** Of the `out` and `inout` parameters by name, where there are any. */
  readonly out?: object
  readonly differentiable?: 'forward' | 'backward'
  /** By parameter, in the shape of its differential; null where it has none. */
  readonly gradients?: readonly unknown[]
  /** Of the result, in the shape of its differential; null where it has none. */
  readonly tangent?: unknown
  /** Of the `out` and `inout` parameters by name, likewise. */
  readonly outTangent?: object
  /** What `map` gives for the result; with `out` or `inout` parameters, for `{ result, out }`. */
  readonly columns?: unknown
  /** What `map` gives for gradients by parameter, where it has a list of values for it. */
  readonly gradientColumns?: readonly unknown[]
  /** What `map` gives for tangents, in the form of `columns`. */
  readonly tangentColumns?: unknown
}

/** What is known only when a program is compiled. TypeScript does not check it. */
// oxlint-disable-next-line typescript/no-explicit-any -- an index signature would be undefined for each name, and unknown would need a cast
export type Unchecked = any

/** A function of which nothing is known before it is compiled: calls need no cast. */
export interface UnknownFunction {
  readonly params: Unchecked[]
  readonly result: Unchecked
  readonly gradients: readonly Unchecked[]
  readonly tangent: Unchecked
}

/** The entry points and exported functions of a program, by name. */
export interface ProgramTypes {
  readonly entries: object
  readonly functions: object
}

/** The types of a program of which nothing is known before it is compiled. */
export interface UnknownTypes {
  readonly entries: Readonly<Record<string, UnknownEntry>>
  readonly functions: Unchecked
}

/** An entry point of which nothing is known before it is compiled. */
export interface UnknownEntry {
  readonly buffers: Readonly<Record<string, unknown>>
  readonly uniforms: Readonly<Record<string, unknown>>
  readonly textures: string
  readonly samplers: string
}

/** A program that a build compiled: `import program from './fit.slang'`. It needs no compiler. */
export interface CompiledProgram<T extends ProgramTypes = UnknownTypes> {
  /** The WGSL of the entry points. */
  readonly code: string
  /** How a host binds their resources. */
  readonly reflection: Reflection
  /** The same as a `Program` gives it; with `reverseOf`, of the reverse derivative of an entry point. */
  wgsl(options?: { readonly reverseOf?: string | undefined }): Wgsl
  /** Functions of the source by name, with how far each can be differentiated. */
  readonly functions: readonly Pick<ExportedFunction, 'name' | 'differentiable'>[]
  /** Only for TypeScript: nothing is here when the program runs. */
  readonly types?: T
}

/** What `load` takes: a program that was just compiled, or that a build compiled (`import cpu from './fit.slang?cpu'`). */
export interface LoadableProgram {
  readonly exports: readonly ExportedFunction[]
  readonly functions: readonly Pick<ExportedFunction, 'name' | 'differentiable'>[]
  /** The entry points of a program that was just compiled. */
  readonly entries?: readonly EntryPoint[]
  /**
   * A module of the exported functions and kernels; of one function with its derivatives; of a kernel's reverse derivative; or of the
   * kernels that call a function for arrays of arguments, which what a build compiled does not have.
   */
  wasm(options?: {
    readonly derivatives?: boolean | undefined
    readonly derivativesOf?: string | undefined
    readonly reverseOf?: string | undefined
    readonly limits?: RunLimits | undefined
    readonly shared?: boolean | undefined
    readonly lanes?: 1 | 4 | undefined
    readonly map?: MapRequest | undefined
  }): Pick<WasmOutput, 'bytes' | 'host'>
}

/**
 * The types of `P`: of the type of a compiled program, as in `load<typeof program>(cpu)`; of `{ entries, functions }`; of `Entries`
 * alone; else nothing is known.
 */
export type TypesOf<P> =
  P extends CompiledProgram<infer T>
    ? T
    : P extends { readonly wgsl: unknown }
      ? UnknownTypes
      : P extends ProgramTypes
        ? P
        : P extends Readonly<Record<keyof P, EntryTypes>>
          ? { readonly entries: P; readonly functions: Unchecked }
          : UnknownTypes

/** `Known` for an entry point whose types are known, else `Else`. */
export type IfKnown<E extends EntryTypes, Known, Else> = string extends keyof E['buffers'] ? Else : Known

/** What the elements of each tensor of an entry point may be given as. */
export type TensorsOf<E extends EntryTypes> = E extends { readonly tensors: infer T } ? T : {}

/** The types of an entry point by its name. */
export type EntryOf<T extends ProgramTypes, N extends keyof T['entries']> = T['entries'][N] extends EntryTypes
  ? T['entries'][N]
  : UnknownEntry

/** The names of the entry points that are kernels. */
export type KernelName<T extends ProgramTypes> = {
  [N in keyof T['entries']]: T['entries'][N] extends { readonly stage: string } ? never : N
}[keyof T['entries']] &
  string

/** The types of any entry point of a program. */
type Entry<T extends ProgramTypes> = T['entries'][keyof T['entries']]

/** The names of a program's buffers and tensors; any where none is known. */
export type BufferName<T extends ProgramTypes> = [keyof T['entries']] extends [never] ? string : NameIn<Entry<T>>

/** The names of an entry point's buffers and tensors. */
type NameIn<E> = E extends EntryTypes ? (keyof E['buffers'] | keyof TensorsOf<E>) & string : never

/** The typed array through which a host sees a buffer in a program's memory: bytes if its numbers are of several kinds. */
export type BufferView<T extends ProgramTypes, N> = [keyof T['entries']] extends [never]
  ? Unchecked
  : ViewOf<ElementsOf<Entry<T>, N>>

/** What a host may give for a buffer or tensor of an entry point. */
type ElementsOf<E, N> = E extends EntryTypes
  ? N extends keyof E['buffers']
    ? Exclude<E['buffers'][N], undefined>
    : N extends keyof TensorsOf<E>
      ? TensorsOf<E>[N]
      : never
  : never

/** The typed array among what a host may give. */
type ViewOf<B> = unknown extends B
  ? Unchecked
  : ArrayBufferView extends B
    ? Uint32Array
    : [Extract<B, ArrayBufferView>] extends [never]
      ? Uint8Array
      : Extract<B, ArrayBufferView>

/** Bytes in the layout of reflection: what every buffer may be given as. */
export type Bytes = Uint8Array | DataView | ArrayBufferLike

/** By name, what buffers may be given as: `D` besides their own types. */
export type Filled<B, D> = { readonly [N in keyof B]: B[N] | D }

/** A member `K` of type `O`, which may be left out where `O` needs nothing. */
export type Member<K extends string, O> = {} extends O
  ? { readonly [P in K]?: O | undefined }
  : { readonly [P in K]: O }

/** The options of an entry point, which may be left out where it needs nothing. */
export type Optional<O> = {} extends O ? [options?: O] : [options: O]
