/**
 * The ops, and the type of a row of the op table. The interfaces below name every op with the kind of its immediate, one interface
 * for each way to differentiate; `ops.ts` has the rows. Code that must know every op has a `Record`, or a `switch` whose default takes plain ops
 * alone, so that an op that is left out is a type error. Code that only recognises some ops, such as a rule of the simplifier, has a default.
 */
import type { Builder } from './build.ts'
import type { Type } from './type.ts'
import type { Func, Global, Inst, Value } from './value.ts'

/** A scalar constant: bigint for 64-bit integers. */
export type Constant = number | boolean | bigint

/**
 * Of a loop: null, the bound that `[MaxIters]` gives, 'unroll' for `[ForceUnroll]`, 'ask' for `[unroll]`, 'keep' for `[loop]`, or the
 * number of states for `[Checkpoints]` and perhaps a bound.
 */
export type Hint = null | number | 'unroll' | 'ask' | 'keep' | readonly number[]

/** What an atomic access does to memory. */
export type AtomicOp = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exchange' | 'compare' | 'load' | 'store'

/** The memory that a barrier orders. */
export type Scope = 'workgroup' | 'storage' | 'all'

/** The kinds of immediate, with their types. Printing, parsing, verifying and cloning go by kind, without a case per op. */
export interface AttrKinds {
  none: null
  number: number
  value: Constant
  text: string
  atomic: AtomicOp
  scope: Scope
  numbers: readonly number[]
  func: Func
  global: Global
  label: Inst
  hint: Hint
}

/** No derivative. */
export interface FlatOps {
  /** A scalar constant. */
  const: 'value'
  /** All bits zero, of any value type. */
  zero: 'none'
  /** What an uninitialised variable holds: any value; targets give zero. */
  undef: 'none'
  /** Bitwise and; logical on booleans. */
  and: 'none'
  /** Bitwise or; logical on booleans. */
  or: 'none'
  /** Bitwise exclusive or; inequality on booleans. */
  xor: 'none'
  /** Bitwise complement; logical on booleans. */
  not: 'none'
  /** Shift left by the second operand modulo the bit width. */
  shl: 'none'
  /** Shift right by the second operand modulo the bit width: arithmetic for signed, logical for unsigned. */
  shr: 'none'
  /** Less than; false with a NaN. */
  lt: 'none'
  /** Less than or equal; false with a NaN. */
  le: 'none'
  /** Greater than; false with a NaN. */
  gt: 'none'
  /** Greater than or equal; false with a NaN. */
  ge: 'none'
  /** Equal; false with a NaN. */
  eq: 'none'
  /** Not equal; true with a NaN. */
  ne: 'none'
  /** To another type of the same shape and size, by bits. */
  bitcast: 'none'
  /** The same value, with its derivative cut. */
  detach: 'none'
  /** The number of elements of a runtime-sized array, as u32. */
  length: 'none'
}

/** Linear in its differentiable operands together: the tangent is the op itself, with zeros for absent tangents. */
export interface LinearOps {
  /** Sum; on arrays, lists and structs element by element (the accumulation of derivatives), which `expand` takes apart. */
  add: 'none'
  /** Difference. */
  sub: 'none'
  /** Negation. */
  neg: 'none'
  /** The second operand where the first is true, else the third; of any type. A boolean vector or matrix chooses lane by lane. */
  select: 'none'
  /**
   * To another scalar of the same shape, by value: float to int truncates (out of range is unspecified, without trap), to
   * bool tests against zero, bool to number gives 0 or 1.
   */
  convert: 'none'
  /** A vector of its lanes, a matrix of its rows, an array of its elements, a struct of its fields: one operand a component. */
  construct: 'none'
  /** A vector or matrix whose lanes are all the operand. */
  splat: 'none'
  /** A component with a constant index: lane, row, element or field. */
  extract: 'number'
  /** The first operand with one component replaced by the second. */
  insert: 'number'
  /** A vector of chosen lanes of a vector; several lanes, so never a scalar. */
  swizzle: 'numbers'
  /**
   * A lane of a vector or row of a matrix with a computed index; past the end, or below zero, the last. Arrays with computed
   * indices live in memory instead.
   */
  index: 'none'
  /** Rows to columns. */
  transpose: 'none'
}

/** Linear in each differentiable operand alone: the tangent is a sum of the op itself. */
export interface MultilinearOps {
  /** Product, lane by lane; matrices too. */
  mul: 'none'
  /** Inner product of two vectors. */
  dot: 'none'
  /** Row vector times matrix, matrix times column vector, or matrix times matrix. */
  matmul: 'none'
}

/** The tangent is written in linear ops, and its transpose follows from theirs. */
export interface SmoothOps {
  /** Quotient; of integers truncated, where x / 0 is x, and the least integer by -1 itself. */
  div: 'none'
  /** Remainder with the sign of the first operand, x - y * trunc(x / y); of integers x % 0 is 0. */
  rem: 'none'
}

/** Memory, effects, calls and control: the passes of ad/ and the targets know each by name. */
export interface StructuralOps {
  /** A local variable of the enclosing region: a function pointer to it. Uninitialised; targets give zero. */
  var: 'none'
  /** A pointer to a module-level variable or resource. */
  global: 'global'
  /** A pointer to a field of the struct pointed to. */
  field: 'number'
  /**
   * A pointer to an element, row or lane; the index is clamped or the access dropped where it is out of bounds, never memory
   * of another variable. A list grows to hold it.
   */
  elem: 'none'
  /** The value pointed to. */
  load: 'none'
  /** Writes the second operand where the first points. */
  store: 'none'
  /**
   * Read-modify-write of the scalar pointed to: add, min, max, and, or, xor, exchange, or compare (operands: pointer, expected,
   * new); gives the old value. `load` and `store` are the atomic plain accesses; what `store` gives is unspecified.
   */
  atomic: 'atomic'
  /**
   * workgroup, storage or all: waits for the workgroup and orders its memory. With a pointer to shared memory, which is for
   * WGSL alone, it loads what all threads find there, between two barriers.
   */
  barrier: 'scope'
  /** Prints the operands by a format string. */
  printf: 'text'
  /** Stops the program where the condition is false; the text says why. GPU targets leave it out. */
  trap: 'text'
  /** Calls a function: operands are its inputs, results its result and outputs. */
  call: 'func'
  /** Two regions, then and else, each ended by `yield`; results are what they yield. */
  if: 'none'
  /** One region a case and the default last, each ended by `yield`. The immediate lists label, region, label, region …. */
  switch: 'numbers'
  /**
   * Region 0, the head, takes the carried values and ends in `test`; region 1, the body, sees the head's values and ends in
   * `next`. Results are the exits of `test` or of a `leave`.
   */
  loop: 'hint'
  /** One region that runs once; results are what it yields, or what a `leave` carries. */
  block: 'none'
  /** Ends a region of `if`, `switch` or `block` with the results. */
  yield: 'none'
  /** Ends the head of a loop: goes on to the body where the first operand is true, else leaves the loop with the other operands. */
  test: 'none'
  /** Ends the body of a loop with the values of the next trip. */
  next: 'none'
  /** Leaves the enclosing `loop`, `block`, `if` or `switch` that the label names, with its results. */
  leave: 'label'
  /** Returns from the function. */
  ret: 'none'
  /** Cannot be reached. */
  unreachable: 'none'
}

/** Ops that only legalised code has: calls of the target's own functions. */
export interface IntrinsicOps {
  /** A call of a built-in function without effects; the immediate is its name. */
  'intrinsic.pure': 'text'
  /** A call of a built-in function that reads memory; pointers among the operands are passed by address. */
  'intrinsic.read': 'text'
  /** A call of a built-in function that writes memory or waits; pointers among the operands are passed by address. */
  'intrinsic.write': 'text'
  /** The operand, in a `let`, so that the target's compiler does not evaluate what uses it and refuse the outcome. */
  'intrinsic.hide': 'none'
}

interface Kinds extends FlatOps, LinearOps, MultilinearOps, SmoothOps, StructuralOps, IntrinsicOps {}

export type OpName = keyof Kinds
/** Ops that programs have before they are legalised for a target. */
export type CommonOp = Exclude<OpName, keyof IntrinsicOps>
/** Ops that compare two numbers. */
export type Comparison = 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne'

/** Ops on one or two scalars, or on composites of one type lane by lane. */
export type LaneOp =
  | Comparison
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'rem'
  | 'neg'
  | 'and'
  | 'or'
  | 'xor'
  | 'not'
  | 'shl'
  | 'shr'

export type StructuralOp = keyof StructuralOps

/** Ops that compute one value and do nothing else. */
export type PlainOp = Exclude<CommonOp, StructuralOp>

/** Ops that end a region. */
export type Terminator = 'yield' | 'test' | 'next' | 'leave' | 'ret' | 'unreachable'

/** Ops that own regions. */
export type OwnerOp = 'if' | 'switch' | 'loop' | 'block'

/** Ops without regions, calls aside. */
export type Single = Exclude<CommonOp, OwnerOp | Terminator | 'call'>

/** The immediate of each op. */
export type Attrs = { readonly [K in OpName]: AttrKinds[Kinds[K]] }

/** The kind of each immediate, of the ops that have one. */
export type Immediates = { readonly [K in OpName as Kinds[K] extends 'none' ? never : K]: Kinds[K] }

/** The immediate of an instruction. */
export type Attr = Attrs[OpName]

/** Ops whose immediate may be left out. */
export type BareOp = { [K in OpName]: null extends Attrs[K] ? K : never }[OpName]

/**
 * none: pure · read: reads memory · write: writes memory or the outside world, or may stop the program · control: owns regions or
 * ends one.
 */
export type Effect = 'none' | 'read' | 'write' | 'control'

/** Tangents by operand; undefined is zero. */
export type Tangents = readonly (Value | undefined)[]

/** The cotangent of one component of an operand. */
export interface Part {
  readonly component: number
  readonly ct: Value
}

/** The cotangent of operand `i`, or of its components, given that of the only result. Other operands of `inst` are residuals. */
type Transpose<K extends OpName> = (b: Builder, inst: Inst<K>, i: number, ct: Value) => Value | readonly Part[]

/** The tangent of the only result, written in linear ops; `zero` makes the zero of a differential type. */
type Jvp<K extends OpName> = (b: Builder, inst: Inst<K>, ts: Tangents, zero: (type: Type) => Value) => Value | undefined

/** For an op that is linear in only one operand: which operand, and its cotangent. */
interface LinearIn<K extends OpName> {
  readonly operand: number
  readonly transpose: (b: Builder, inst: Inst<K>, ct: Value) => Value
}

/** How an op differentiates: the rule that its class asks for. A linear op says its tangent where that is not the op itself. */
type AdOf<K extends OpName> = K extends keyof LinearOps
  ? { readonly is: 'linear'; readonly transpose: Transpose<K>; readonly jvp?: Jvp<K> }
  : K extends keyof MultilinearOps
    ? { readonly is: 'multilinear'; readonly transpose: Transpose<K> }
    : K extends keyof SmoothOps
      ? { readonly is: 'smooth'; readonly jvp: Jvp<K>; readonly linearIn?: LinearIn<K> }
      : K extends keyof StructuralOps
        ? { readonly is: 'structure' }
        : { readonly is: 'flat' }

/** A row; columns that are left out have their plain value. */
export type Row<K extends OpName> = {
  readonly ad: AdOf<K>
  readonly effect?: Effect
  readonly type?: (args: readonly Value[], attr: Attrs[K]) => readonly Type[]
} & (K extends Terminator ? { readonly ends: true } : { readonly ends?: never }) &
  (K extends LaneOp ? { readonly lanes: Lanes } : { readonly lanes?: never })

/**
 * The result of an op on scalars of one kind, before it is rounded or wrapped to the type. A kind that is left out is not
 * supported. Folding and the reference interpreter both use this.
 */
export interface Lanes {
  readonly float?: (x: number, y: number) => number | boolean
  /** Of up to 32 bits. */
  readonly int?: (x: number, y: number, bits: number) => number | boolean
  /** Where unsigned integers differ from signed ones. */
  readonly uint?: (x: number, y: number, bits: number) => number
  /** Of 64 bits. */
  readonly long?: (x: bigint, y: bigint) => bigint | boolean
  readonly bool?: (x: boolean, y: boolean) => boolean
}

/** The rules of any row. They are methods, which TypeScript lets take the instructions and immediates of their own op alone. */
interface Rules {
  type(args: readonly Value[], attr: Attr): readonly Type[]
  transpose(...given: Parameters<Transpose<OpName>>): Value | readonly Part[]
  jvp(...given: Parameters<Jvp<OpName>>): Value | undefined
  linearIn(b: Builder, inst: Inst, ct: Value): Value
}

/** How an op differentiates, for code that handles any op. */
export type Ad =
  | { readonly is: 'linear'; readonly transpose: Rules['transpose']; readonly jvp?: Rules['jvp'] }
  | { readonly is: 'multilinear'; readonly transpose: Rules['transpose'] }
  | {
      readonly is: 'smooth'
      readonly jvp: Rules['jvp']
      readonly linearIn?: { readonly operand: number; readonly transpose: Rules['linearIn'] }
    }
  | { readonly is: 'flat' | 'structure' }

/** A row, for code that asks of any op. */
export interface Op {
  readonly name: OpName
  /** A number that few others have, to hash by. */
  readonly hash: number
  readonly effect: Effect
  /** Ends a region. */
  readonly ends: boolean
  /** Result types from operands and immediate; undefined where the instruction states them (constants, calls, control). */
  readonly type: Rules['type'] | undefined
  readonly ad: Ad
  readonly lanes: Lanes | undefined
}
