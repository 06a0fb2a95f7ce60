/** What the bodies of a module's functions share while they are compiled. */
import type { Sink } from '../../base/diag.ts'
import type { ScalarName } from '../../ir/type.ts'
import type { Func, Global, Inst } from '../../ir/value.ts'
import type { Layouts } from '../../ir/layout.ts'
import type { Graph } from './graph.ts'
import type { RunLimits } from '../limits.ts'
import type { Leaves } from './leaf.ts'
import type { Location } from './memory.ts'
import type { Callee } from './node.ts'
import type { TapeName } from './tape.ts'

/** How a module is made. */
export interface WasmOptions {
  /** Array values of more scalars than this lie in memory instead of locals; default 4. */
  readonly maxArray?: number | undefined
  /** Whether the module imports a shared memory, so that instances in several threads can work on the same buffers. */
  readonly shared?: boolean | undefined
  /** How many threads of a kernel run at once: 4, by vectors, where that can be, or 1. By default the compiler estimates for each kernel which takes less time. */
  readonly lanes?: 1 | 4 | undefined
  /** What a call or dispatch may take. */
  readonly limits?: RunLimits | undefined
}

/** Where the counters lie. */
export interface LimitCells {
  readonly trips: number
  readonly depth: number
  /** The number of the loop that began a trip last, counted from 1. */
  readonly where: number
}

export interface Plan {
  readonly sink: Sink
  /** Whether threads share the buffers, so that atomics have to be atomic. */
  readonly shared: boolean
  readonly leaves: Leaves
  readonly tight: Layouts
  /**
   * The function that calls of `func` call. Parameters and results are flattened as `leaves` says; addresses for results in memory
   * come last.
   */
  readonly calleeOf: (func: Func) => Callee
  /** Which inputs and results of a function are passed as scalars; the others are passed by address. */
  readonly passing: (func: Func) => Passing
  /** The memory of a module-level variable. */
  readonly locationOf: (g: Graph, global: Global) => Location
  /** The address of so many bytes that stay zero. */
  readonly zeros: (size: number) => number
  /** The address of constant bytes. */
  readonly constants: (bytes: Uint8Array) => number
  /** A helper written for the target. */
  readonly helper: (name: 'fmod32' | 'fmod64') => Callee
  /** A helper that stands for a library function of floats, by its intrinsic: of one, or of four at once. */
  readonly elementary: (intrinsic: string, func: Func, wide?: boolean) => Callee
  /** A function that keeps lists. */
  readonly tape: (name: TapeName) => Callee
  /** The host's function for a `printf`, its number, and the address of the memory for its arguments, 8 bytes each. */
  readonly print: (
    format: string,
    args: readonly ScalarName[],
  ) => { readonly callee: Callee; readonly id: number; readonly at: number }
  /** The host's function for a failed check, and its number. */
  readonly trap: (inst: Inst) => { readonly callee: Callee; readonly id: number }
  /** What the host bounds, and where it counts. */
  readonly limits: RunLimits
  readonly cells: LimitCells
  /** The host's function for a stop with a text, and the text's number. */
  readonly stop: (text: string) => { readonly callee: Callee; readonly id: number }
  /** The number of a loop, by its name. */
  readonly loop: (name: string) => number
  /** What a call compiles to. */
  readonly target: (func: Func) => CallTarget
}

export interface Passing {
  readonly params: readonly boolean[]
  readonly results: readonly boolean[]
}

export type CallTarget =
  /** One instruction, lane by lane. */
  | { readonly kind: 'op'; readonly intrinsic: string }
  /** A helper that stands for a scalar library function, lane by lane. */
  | { readonly kind: 'helper'; readonly intrinsic: string; readonly func: Func }
  /** A scalar function, lane by lane. */
  | { readonly kind: 'lanes'; readonly func: Func }
  | { readonly kind: 'call'; readonly func: Func }
  | { readonly kind: 'none' }
