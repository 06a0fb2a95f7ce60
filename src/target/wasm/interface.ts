/** The interface of a module to its host: plain data that can be printed as JSON. */
import type { ScalarName } from '../../ir/type.ts'
import type { DataSignature, DataType } from '../data.ts'
import type { RunLimits } from '../limits.ts'
import type { ParameterInfo } from '../reflect.ts'
import type { LimitCells } from './plan.ts'

/** An exported function. Its WASM parameters are the scalars of flat inputs and addresses of others, in order, then addresses for results that are not flat. */
export interface WasmFunction extends DataSignature, Touched {
  /** Per parameter: taken as scalars, or by address. */
  readonly flat: readonly boolean[]
  /** Per parameter: given back as scalars, or in memory. */
  readonly outFlat: readonly boolean[]
  readonly resultFlat: boolean
}

/** The resources that code touches, or what it calls: names of buffers, and of blocks of uniforms. */
export interface Touched {
  readonly buffers: readonly string[]
  readonly uniforms: readonly string[]
}

/** An exported entry point, called with (groups x, y, z, first group, group after the last). */
export interface WasmKernel extends Touched {
  readonly name: string
  readonly numthreads: readonly [number, number, number]
  /** How many threads run at once: 4, by vectors, or 1, and why not more. */
  readonly lanes: { readonly count: 4 } | { readonly count: 1; readonly reason: string }
}

/** A buffer: its address and lengths are the exported WASM globals `NAME.base`, `NAME.length` (elements, or bytes of what is no array) and `NAME.last`. */
export interface WasmBuffer {
  readonly name: string
  readonly writable: boolean
  /** The element of a runtime-sized array; of other buffers the whole, whose size is the least that the buffer has. */
  readonly elem: DataType
  /** Bytes from one element to the next; 0 where the buffer is not an array. */
  readonly stride: number
  /** True of a byte-address buffer, which says nothing of what lies in it. */
  readonly raw: boolean
}

/** A uniform block at a fixed place. */
export interface WasmUniform {
  readonly name: string
  readonly type: DataType
  readonly at: number
}

/** A `printf`: its format and the kinds of its arguments, which lie 8 bytes apart. */
export interface WasmPrint {
  readonly format: string
  readonly args: readonly ScalarName[]
}

/**
 * What a host must know of a WebAssembly module to call its functions. Addresses and strides are in bytes. Addresses count from the beginning of
 * the module's region, which the import `host.base` says.
 */
export interface WasmInterface {
  readonly functions: readonly WasmFunction[]
  readonly kernels: readonly WasmKernel[]
  readonly buffers: readonly WasmBuffer[]
  readonly uniforms: readonly WasmUniform[]
  /** All shader parameters by the names of the source, also those that no kernel uses. */
  readonly parameters: readonly ParameterInfo[]
  readonly prints: readonly WasmPrint[]
  /** Where the arguments of a `printf` lie. */
  readonly printAt: number
  /** What each failed check says. */
  readonly traps: readonly string[]
  /** Whether the memory that it imports has to be shared; absent where it must not be. */
  readonly shared?: true
  /** Bytes of the module's region: the address of the first byte that belongs to the host. */
  readonly heap: number
  /**
   * The address of two i32s that say where in memory lists begin, anew with each call, and where they must end. The module sets them to
   * the end of its region and to the end of what memory can have. The host sets the first before each call to the end of the memory
   * that it uses itself: lists lie behind all else, and memory grows with them. 0 for a program without lists.
   */
  readonly tapeAt: number
  /**
   * The limits of the program, the address of the counters, which the host sets as i32s before each call, and the names of loops;
   * null without limits.
   */
  readonly limits: (RunLimits & { readonly cells: LimitCells; readonly loops: readonly string[] }) | null
}
