/** The data that the steps of the derivative transforms pass to each other. */
import type { Span } from '../base/source.ts'
import type { Tangents } from '../ir/op.ts'
import type { Type } from '../ir/type.ts'
import type { Global, Func, Inst, Region, Value } from '../ir/value.ts'
import type { Primal, Recipe } from './residual.ts'

/** A function split for reverse mode: `primal(inputs) → (results, context)`, `vjp(needed inputs, context, cotangents) → cotangents`. */
export interface Split {
  readonly primal: Func
  /** Number of results of `primal` that are the function's own; the rest is the context. */
  readonly own: number
  readonly vjp: Func
  /** Indices of the inputs that `vjp` takes, in order. */
  readonly needs: readonly number[]
  /** Per input: whether it gets a cotangent. Per result: whether `vjp` takes one. */
  readonly activeInputs: readonly boolean[]
  readonly activeResults: readonly boolean[]
  /** True if `vjp` must be called for its effects even where all cotangents are zero. */
  readonly effects: boolean
}

/** `(inputs, tangents of active inputs) → (results, tangents of active results)`. */
export interface Jvp {
  readonly func: Func
  readonly results: readonly boolean[]
  /** For a user's rule: whether it passes pairs to functions with derivatives that the user wrote. */
  readonly callsPairs?: boolean
}

/** What is known of a loop of the linear tree. */
export interface Trips {
  readonly primal: Inst<'loop'>
  /** The trip number, from 0, as a value of the primal loop's head. */
  readonly counter: Value
  /** How many trips the loop made, as a value beside the primal loop. */
  readonly count: Value
}

/** The two trees of a function, numbered by one function, `work`. */
export interface Trees {
  readonly work: Func
  readonly primal: Region
  readonly linear: Region
  /** Per input: the parameter of the linear tree, where the input is active. */
  readonly tangents: Tangents
  readonly results: readonly Value[]
  readonly resultTangents: Tangents
  /** The primal regions that a region of the linear tree mirrors: one, or head and body of a loop. */
  readonly mirrors: Map<Region, readonly Region[]>
  readonly trips: Map<Inst, Trips>
  /** False where a user's forward rule uses its tangents other than linearly. */
  readonly isLinear: boolean
}

export interface Adjoint {
  readonly body: Region
  /** The cotangents of the results, as parameters; undefined where a result has no tangent. */
  readonly cotangents: readonly (Value | undefined)[]
  /** The cotangents of the inputs; undefined where none flows to an active input, or the input is inactive. */
  readonly inputs: readonly (Value | undefined)[]
  /** The primal regions that a region of the adjoint mirrors. */
  readonly mirrors: Map<Region, readonly Region[]>
  /** For a body region of a reversed loop: its trip number, and the loop it reverses. */
  readonly trips: Map<Region, { readonly number: Value; readonly of: Trips }>
}

/** An entry of the context: a stored residual, in as many slots as the loops around it make trips. */
export interface ContextEntry {
  /** The primal value that it holds; for a variable, what the variable holds in the end. */
  readonly value: Value
  readonly type: Type
  /** The value that the primal half returns. */
  readonly out: Value
  /** The parameter of the adjoint that takes it. */
  readonly in: Value
}

export type Choice = 'free' | 'store' | 'recompute'

/** The decisions of `checkpoint` about a function, before the trees change. `explain` reads them. */
export interface Decisions {
  readonly trees: Trees
  readonly adjoint: Adjoint
  readonly primal: Primal
  readonly entries: readonly ContextEntry[]
  readonly choices: ReadonlyMap<Value, Choice>
  /** By loop: the value that numbers its trips. */
  readonly counters: ReadonlyMap<Inst, Value>
  /** The primal values that the reverse pass names. */
  needed(): readonly Value[]
  recipe(v: Value): Recipe | undefined
  bound(loop: Inst<'loop'>): { readonly max: number; readonly exact: boolean } | undefined
  /** The choices if some values had to be stored, or had to be computed again. */
  decide(values: readonly Value[], as: 'store' | 'recompute'): ReadonlyMap<Value, Choice>
}

/** One primal value that the reverse pass needs, itself or to compute others again. */
export interface Residual {
  /** Its name in the source, or the text that computes it. */
  readonly value: string
  readonly file: string
  readonly line: number
  readonly column: number
  /**
   * `kept`: at hand anyway, as a parameter, a trip number, or because the two passes are one function where they are called;
   * `recomputed`: in the reverse pass; `stored`: in the context.
   */
  readonly decision: 'kept' | 'recomputed' | 'stored'
  /** False where only values that are computed again need it. */
  readonly used: boolean
  /** Bytes of one of it. */
  readonly bytes: number
  /** How often one call computes it: the product of the bounds of the loops around it; null where nothing bounds them. */
  readonly trips: number | null
  /** Bytes of the context that hold it; those of one trip if nothing bounds the trips. */
  readonly stored: number
  /** Operations of one call that compute it again. */
  readonly operations: number
  readonly reason: string
  /** What the other choice would change, if there is one: bytes and operations of the whole function, per call. */
  readonly change: Change | undefined
}

/** What an attribute on the called function, or on a function around the expression, would change. */
export interface Change {
  readonly attribute: 'PreferRecompute' | 'PreferCheckpoint'
  /** The function that is called; '' where the expression would have to become one. */
  readonly on: string
  readonly bytes: number
  readonly operations: number
}

/** The reverse pass of one function, and of the functions that it calls. */
export interface Explanation {
  readonly name: string
  readonly file: string
  readonly line: number
  /** True where the reverse derivative is the user's own: it stores nothing. */
  readonly custom: boolean
  readonly residuals: readonly Residual[]
  /** Bytes of the context of one call, the contexts of callees that it holds included. */
  readonly bytes: number
  /** Bytes of memory that one call takes besides registers: its context, and the contexts of callees that the reverse pass makes again. */
  readonly memory: number
  /** Operations that one call recomputes, without those of callees. */
  readonly operations: number
  /** The functions that it still calls, each once. */
  readonly callees: readonly Explanation[]
}

/** A residual that takes memory, and where it is in the source. */
export interface Held {
  readonly residual: Residual
  readonly span: Span | null
  readonly func: Func
}

/** Memory that a function reaches through a parameter: the parameter's number, and the fields that lead to the resource. */
export interface Passed {
  readonly input: number
  readonly fields: readonly number[]
}

/** Some of the memory that outlives calls or that several invocations share. */
export interface Locations {
  readonly globals: Set<Global>
  /** By text. */
  readonly passed: Map<string, Passed>
  /** Whether memory is among them that is not known. */
  unknown: boolean
}

/** What a function touches besides local variables and read-only memory. */
export interface Touched {
  readonly reads: Locations
  readonly writes: Locations
  /** Whether it does anything else that may be done only once: output, barriers, traps. */
  once: boolean
}

export interface Budget {
  readonly max: number
  /**
   * `context`: bytes of context that are not registers, by the primal half of a split function. `inside`: bytes that a reverse half
   * has besides its context, by the reverse half.
   */
  readonly context: Map<Func, number>
  readonly inside: Map<Func, number>
}

/** Windows of states: the states of the last `size` trips are kept. `count` is the most windows that the trips may make up. */
export interface Windows {
  readonly size: number
  readonly count: number
}

/** A loop as a function of its own, of which only some states are kept. Its inputs are the initial values, then `values`, then the contents of `memory`. */
export interface CheckpointedLoop {
  /** The original loop. Its captured values are values of the function that it was in. */
  readonly loop: Inst<'loop'>
  /** How many states it may keep at a time, or the windows that it keeps. */
  readonly states: number | Windows
  /** The most trips of a run; null if nothing bounds them. */
  readonly bound: number | null
  readonly values: readonly Value[]
  /** Captured variables; the first `written` of them are those that the loop writes. */
  readonly memory: readonly Value[]
  readonly written: number
  /** Captured constants, and pointers into `memory`. The new functions make them again. */
  readonly outside: readonly Inst[]
}
