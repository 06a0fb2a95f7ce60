/** The graph of the IR: values, instructions, regions, functions, globals and the module that holds them. */
import type { Span } from '../base/source.ts'
import type { Attr, Attrs, Op, OpName } from './op.ts'
import { rowOf } from './ops.ts'
import type { ScalarName, Space, Type } from './type.ts'

/** An SSA value: the `index`-th result of an instruction, or the `index`-th parameter of a region. */
export class Value {
  /** Dense within a function; only for side tables. Changes when a pass moves the value into another function. */
  id: number
  readonly type: Type
  /** Who defines it; moves when a pass moves the definition into another function. */
  def: Inst | Region
  index: number
  /** A hint from the source, used for names in output; '' where there is none. */
  name: string

  constructor(id: number, type: Type, def: Inst | Region, index: number, name: string) {
    this.id = id
    this.type = type
    this.def = def
    this.index = index
    this.name = name
  }
}

/** The single shape that all instructions have at run time, which keeps every pass monomorphic. */
class AnyInst {
  readonly op: OpName
  /** What the op table says of the op. */
  readonly row: Op
  args: Value[]
  attr: Attr
  regions: readonly Region[]
  results: Value[]
  span: Span | null
  /** A mark that a pass sets for its own use. It means nothing after that pass. */
  mark = 0

  constructor(op: OpName, args: Value[], attr: Attr, regions: readonly Region[], span: Span | null) {
    this.row = rowOf(op)
    // The name as the table has it: engines compare text that they have once in memory by where it lies.
    this.op = this.row.name
    this.args = args
    this.attr = attr
    this.regions = regions
    this.results = []
    this.span = span
  }
}

interface InstOf<K extends OpName> extends AnyInst {
  readonly op: K
  attr: Attrs[K]
}

/** An instruction of one of the ops: a test of `op` tells what its immediate is. */
export type Inst<K extends OpName = OpName> = { [P in K]: InstOf<P> }[K]

interface InstConstructor {
  readonly prototype: AnyInst
  new <K extends OpName>(op: K, args: Value[], attr: Attrs[K], regions: readonly Region[], span: Span | null): Inst<K>
}

export const Inst: InstConstructor = AnyInst as InstConstructor

/** A list of instructions with one way in; the last instruction is the terminator. */
export class Region {
  /** No op: `def.op` says what defines a value. It is text, as names of ops are: engines compare like with like fast. */
  readonly op: 'param' = 'param' as const
  params: Value[] = []
  insts: Inst[] = []

  /** The terminator. */
  get end(): Inst {
    return this.insts[this.insts.length - 1]!
  }
}

/** Whether a parameter is read, written, or both. */
export type Direction = 'in' | 'out' | 'inout'

/** A parameter as the source declares it. */
export interface ParamSig {
  readonly name: string
  readonly type: Type
  readonly dir: Direction
  /** True where the parameter carries no derivative: `no_diff`, or a type without a differential. */
  readonly noDiff: boolean
}

/**
 * A signature as the source declares it. The function itself has values only: its region parameters are the `in` and
 * `inout` parameters in order; its results are the result (unless void) and then the `out` and `inout` parameters in order.
 */
export interface Signature {
  readonly params: readonly ParamSig[]
  readonly result: Type
  readonly resultNoDiff: boolean
}

export type DiffLevel = 'none' | 'forward' | 'backward'

/** Facts about a function beyond its body, from attributes and the source. All optional parts start undefined. */
export interface FuncInfo {
  /** How far the source lets it be differentiated. */
  level: DiffLevel
  /** Whether it is marked differentiable itself. Derivatives are made from its body unless the user gives one. */
  marked: boolean
  /** User-written derivatives, with the signatures of the user guide. */
  forward: Func | undefined
  backward: Func | undefined
  /**
   * Of a reverse derivative: the two that do the same. The first gives what the function gives and last a context; the second takes the
   * context and cotangents of results, and gives those of the inputs that carry one.
   */
  halves: { readonly primal: Func; readonly reverse: Func } | undefined
  /** Of a derivative that the user wrote: its name in the source. */
  derives: string | undefined
  /** Stands in for the function wherever a derivative is taken through a call of it. */
  substitute: Func | undefined
  /** `[TreatAsDifferentiable]`: derivatives are zero. */
  treatAsDifferentiable: boolean
  /** True if generic code calls it to meet a requirement. When that call was checked, nobody knew whether it has a derivative. */
  serves: boolean
  forceInline: boolean
  noInline: boolean
  prefer: 'none' | 'recompute' | 'checkpoint'
  /** True if it returns or takes a context. On targets that pass it by value, a call copies it. */
  carriesContext: boolean
  /** What it computes, by name, for library functions that passes or the interpreter know. */
  computes: string | undefined
  /** By target: the intrinsic of the target that a call becomes. Targets without one call the body, if there is a body. */
  intrinsics: Readonly<Record<string, string>> | undefined
  /** The function applies a scalar function to each lane: a vector call may be taken apart into scalar calls of this. */
  lanewise: Func | undefined
  /**
   * True if it has no effect and uses no memory but its own: calls may be merged, moved and dropped. `opt/effects` computes it for
   * functions with a body.
   */
  pure: boolean
  /** True for functions of core/. A forward derivative of one may be transposed whatever its marks. */
  library: boolean
  entry: EntryInfo | undefined
  /** Name under which WASM and JS export it; undefined where they do not. */
  exported: string | undefined
}

/** A scalar or vector that a vertex or fragment entry point takes from the pipeline or gives to it. */
export interface Varying {
  /** The path of fields in the source. */
  readonly name: string
  /** In upper case, with its number unless it is a system value: `TEXCOORD0`, `SV_POSITION`, `SV_TARGET1`. */
  readonly semantic: string
  readonly type: Type
  /** Null for a system value other than `SV_TARGETn`. */
  readonly location: number | null
  /** `flat`, `linear`, or `perspective`, with `, centroid` or `, sample`; '' where a target's own choice is meant. */
  readonly interpolation: string
}

export interface EntryInfo {
  readonly stage: 'compute' | 'vertex' | 'fragment'
  readonly numthreads: readonly [number, number, number]
  /** For each parameter of the signature: its system value in upper case (`SV_DISPATCHTHREADID`), or '' for a uniform. */
  readonly semantics: readonly string[]
  /** For vertex and fragment entry points: the varyings of each parameter of the signature; absent for compute. */
  readonly varyings?: readonly Varying[]
}

/** A derivative that ad/ has not written yet: the function's body is empty until then. */
export interface Request {
  readonly kind: 'forward' | 'backward'
  readonly of: Func
}

export class Func {
  name: string
  readonly sig: Signature
  /** Result types, as `sig` implies them. */
  readonly results: readonly Type[]
  /** Undefined for a function that is only a target intrinsic, and while `request` is open. */
  body: Region | undefined
  request: Request | undefined
  readonly info: FuncInfo
  span: Span | null
  nextValue = 0
  /** Memo: whether the function is part of a circle of calls (`opt/recursion.ts`). */
  recursive: boolean | undefined
  /** Where a dump shows one tree of a function: the tree whose values it may use without defining them. */
  outer: Func | undefined
  /** Of a forward derivative made of a body: where the tangents begin in its inputs. While values are held, it is linear in them. */
  tangentsFrom: number = Infinity

  constructor(name: string, sig: Signature, span: Span | null) {
    this.name = name
    this.sig = sig
    this.results = resultTypes(sig)
    this.body = undefined
    this.request = undefined
    this.recursive = undefined
    this.outer = undefined
    this.span = span
    this.info = {
      level: 'none',
      marked: false,
      forward: undefined,
      backward: undefined,
      halves: undefined,
      derives: undefined,
      substitute: undefined,
      treatAsDifferentiable: false,
      serves: false,
      forceInline: false,
      noInline: false,
      prefer: 'none',
      carriesContext: false,
      computes: undefined,
      intrinsics: undefined,
      lanewise: undefined,
      pure: false,
      library: false,
      entry: undefined,
      exported: undefined,
    }
  }
}

/** The parameters that a function takes as values: those not `out`. */
export function inputs(sig: Signature): readonly ParamSig[] {
  return sig.params.filter(p => p.dir !== 'out')
}

/** The parameters that a function returns as values: those not `in`. */
export function outputs(sig: Signature): readonly ParamSig[] {
  return sig.params.filter(p => p.dir !== 'in')
}

export function resultTypes(sig: Signature): readonly Type[] {
  const types = outputs(sig).map(p => p.type)
  return sig.result.kind === 'void' ? types : [sig.result, ...types]
}

/** A `ParameterBlock`. Its resources are bound as one group, whose number the source gives or the compiler chooses. */
export interface ParameterBlock {
  readonly group: number | undefined
}

/** The group of a resource, and its number there. */
export interface Binding {
  readonly group: number
  readonly binding: number
}

/** A module-level variable or resource; `global` makes a pointer to it. */
export class Global {
  name: string
  /** Storage of a structured buffer is `array(T, 0)`, of a byte-address buffer `array(u32, 0)`. */
  readonly type: Type
  /** The type that the source gives it, which the host sees. A target may use another one for the same memory. */
  declared: Type
  readonly space: Space
  /** Explicit binding, or undefined where declaration order decides. */
  readonly binding: Binding | undefined
  /** Structured, byte-address, constant buffer …: for reflection. */
  readonly resource: 'structured' | 'bytes' | 'uniform' | 'texture' | 'sampler' | 'none'
  /** Of a texture that is written: its format as the source says it. */
  format: string | undefined = undefined
  /** Of a resource in a struct or array: its variable, then names of fields and indices; else undefined. */
  path: readonly (string | number)[] | undefined = undefined
  /** The block that it belongs to. */
  block: ParameterBlock | undefined = undefined
  /** For `private` globals: a function without parameters that gives the initial value. */
  readonly init: Func | undefined
  readonly span: Span | null

  constructor(
    name: string,
    type: Type,
    space: Space,
    resource: Global['resource'],
    binding: Global['binding'],
    init: Func | undefined,
    span: Span | null,
  ) {
    this.name = name
    this.type = type
    this.declared = type
    this.space = space
    this.resource = resource
    this.binding = binding
    this.init = init
    this.span = span
  }
}

/** A resource or a plain value among the shader parameters, however deep in structs, and where it lies. */
export interface ParameterPart {
  /** Its variable or parameter, then names of fields and indices. */
  readonly path: readonly (string | number)[]
  /** The entry point whose parameter it belongs to; null for variables of the module. */
  readonly entry: string | null
  readonly global: Global
  /** Which field of the global's struct; null for the whole. */
  readonly field: number | null
}

/** A whole program in IR. */
export class Module {
  readonly funcs: Func[] = []
  readonly globals: Global[] = []
  readonly parameters: ParameterPart[] = []
  /** Struct types in order of definition, so that a type stands after those it uses. */
  readonly structs: Type[] = []
}

export type { Attr, ScalarName }
export const noRegions: readonly Region[] = []
