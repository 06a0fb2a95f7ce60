/** What the bodies of a module's functions share while they are compiled. */
import type { Sink } from '../../base/diag.ts'
import type { ScalarName } from '../../ir/type.ts'
import type { Func, Global, Inst } from '../../ir/value.ts'
import type { Layouts } from '../layout.ts'
import type { Graph } from './graph.ts'
import type { RunLimits } from '../limits.ts'
import type { Leaves } from './leaf.ts'
import type { LimitCells } from './limit.ts'
import type { Place } from './memory.ts'
import type { Callee } from './node.ts'
import type { TapeName } from './tape.ts'

export interface Plan {
  readonly sink: Sink
  readonly leaves: Leaves
  readonly tight: Layouts
  /** The function that calls of `func` reach: parameters and results fall apart as `leaves` says; memory results are addresses that come last. */
  readonly calleeOf: (func: Func) => Callee
  /** Which inputs and results of a function travel as scalars; others by address. */
  readonly passing: (func: Func) => Passing
  /** The memory of a module-level variable. */
  readonly placeOf: (g: Graph, global: Global) => Place
  /** The address of so many bytes that stay zero. */
  readonly zeros: (size: number) => number
  /** The address of constant bytes. */
  readonly constants: (bytes: Uint8Array) => number
  /** A helper written for the target. */
  readonly helper: (name: 'fmod32' | 'fmod64') => Callee
  /** A helper that stands for a library function of floats, by its spelling. */
  readonly elementary: (spelling: string, func: Func) => Callee
  /** A function that keeps lists. */
  readonly tape: (name: TapeName) => Callee
  /** The host's function for a `printf`, its number, and the address of the memory for its arguments, 8 bytes each. */
  readonly print: (format: string, args: readonly ScalarName[]) => { readonly callee: Callee; readonly id: number; readonly at: number }
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
  | { readonly kind: 'op'; readonly spelling: string }
  /** A helper that stands for a scalar library function, lane by lane. */
  | { readonly kind: 'helper'; readonly spelling: string; readonly func: Func }
  /** A scalar function, lane by lane. */
  | { readonly kind: 'lanes'; readonly func: Func }
  | { readonly kind: 'call'; readonly func: Func }
  | { readonly kind: 'none' }
