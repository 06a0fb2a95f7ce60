/**
 * The state of lowering: the program, the module that grows, and one `Func` for each function instance that is asked for. A work
 * list holds the bodies to lower, so neither recursion nor the depth of calls matters.
 */
import type { Type } from '../ir/type.ts'
import { InternalError, type Sink } from '../base/diag.ts'
import { endlessInstances, unsupportedHere } from '../base/errors/lower.ts'
import { recursiveType } from '../base/errors/names.ts'
import type { FuncDecl, ParamDecl, GlobalDecl } from '../check/model/decl.ts'
import type { FuncRef, Signature } from '../check/model/func-ref.ts'
import type { CheckedProgram, AheadExpr, OldExpr } from '../check/model/tree.ts'
import * as s from '../check/model/type.ts'
import { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import { inPlace, wayKey, type Ways } from './by-reference.ts'
import { Func, Module, Region, inputs, type ParamSig, type Value, type Inst } from '../ir/value.ts'
import type { Ref } from './ref.ts'
import type { Variants } from './variants.ts'
import { Boxes } from './boxes.ts'
import { Names } from './names.ts'
import { Reach } from './reach.ts'
import { SystemValues } from './system.ts'
import type { TargetTraits } from './target.ts'
import { Types, typeName, holdsArray } from './type.ts'

/** A function that is known by name and still needs its body. */
export interface Pending {
  readonly func: Func
  readonly ref: FuncRef
  /** For each parameter of the source, `this` first: the way to the place that it is; undefined for a value. */
  readonly ways: Ways
  readonly depth: number
}

const maxDepth = 300

/** Emulates textures and samplers on targets that have none. */
export interface TextureEmulation {
  /** The struct of the library that emulates a type; undefined for other types. */
  readonly structFor: (program: CheckedProgram, type: s.StructType) => s.StructType | undefined
  /** An access to such a struct, `args[0]`: its value, undefined for a store, null for an access that is not emulated. */
  readonly access: (fn: Fn, intrinsic: string, args: readonly Value[], result: t.Type) => Value | null | undefined
}

/** Where module-level variables, buffers and uniforms live. */
export interface GlobalPlaces {
  /** Declares what entry points and the program's buffers need. */
  declare(entries: readonly { readonly func: FuncDecl; readonly uniforms: readonly ParamDecl[] }[]): void
  place(fn: Fn, decl: GlobalDecl, subst: s.Subst): Ref
  /** A uniform parameter of an entry point. */
  uniform(fn: Fn, param: ParamDecl): Ref
}

/** The state of one lowering. */
export class Lowering {
  readonly program: CheckedProgram
  readonly sink: Sink
  readonly module: Module = new Module()
  readonly names: Names = new Names()
  readonly types: Types
  readonly globals: GlobalPlaces
  readonly textureEmulation: TextureEmulation | undefined
  readonly variants: Variants
  readonly boxes: Boxes = new Boxes(this)
  readonly pending: Pending[] = []
  readonly refs: Map<Func, FuncRef> = new Map()
  readonly system: SystemValues = new SystemValues(this.names, this.module)
  /** The body that is lowered now. */
  current: Fn | undefined
  /** Tells of what no target has, where it is reached. */
  readonly reach: Reach = new Reach(this)
  /** How many instantiations led to the function that is lowered now. */
  depth = 0
  /** Identities of parameters of instances of entry points; those of the program are positive. */
  copies = 0
  /** Functions that were called to meet a requirement of a type parameter. */
  readonly serving: Set<FuncDecl> = new Set()
  /** Whether `{}` of a struct is anything but zero, by its key. */
  readonly defaulted: Map<string, boolean> = new Map()
  #endless = false
  /** By a function of `heldOf`: the function that it calls. */
  readonly held: Map<Func, Func> = new Map()
  readonly #instances = new Map<string, Func>()
  readonly #sums = new Map<string, t.Type>()
  readonly #opening = new Set<string>()
  readonly #interfaces = new Map<t.Type, s.InterfaceType>()

  readonly target: TargetTraits

  constructor(
    program: CheckedProgram,
    sink: Sink,
    variants: Variants,
    target: TargetTraits,
    textureEmulation: TextureEmulation | undefined,
    globals: (cx: Lowering) => GlobalPlaces,
  ) {
    this.program = program
    this.sink = sink
    this.target = target
    this.textureEmulation = textureEmulation
    this.variants = variants
    this.types = new Types(
      program,
      this.module,
      this.names,
      sink,
      ref => this.instance(ref),
      iface => this.sumType(iface),
      type => this.emulated(type),
      type => this.boxes.form(type),
      this.reach,
    )
    this.globals = globals(this)
  }

  /** The struct of the library that emulates a resource on targets without it; undefined for other types. */
  emulated(type: s.StructType): s.StructType | undefined {
    return this.textureEmulation?.structFor(this.program, type)
  }

  /** The struct that stands for values of an interface. */
  sumType(iface: s.InterfaceType): t.Type {
    let type = this.#sums.get(iface.key)
    if (type === undefined) {
      if (this.#opening.has(iface.key)) {
        this.sink.add(recursiveType, iface.decl.span ?? undefined, { name: iface.decl.name })
        return t.i32
      }
      this.#opening.add(iface.key)
      try {
        type = makeSum(this, iface)
      } finally {
        this.#opening.delete(iface.key)
      }
      this.#sums.set(iface.key, type)
      this.#interfaces.set(type, iface)
    }
    return type
  }

  /** The interface that a struct of `sumType` stands for. */
  interfaceOf(type: t.Type): s.InterfaceType | undefined {
    return this.#interfaces.get(type)
  }

  /** A struct of the user's modules that is not generic, by name. */
  typeNamed(name: string): s.Type | undefined {
    return this.program.typeNamed(name) ?? undefined
  }

  /** The reference with all types concrete, and dispatch resolved. */
  resolve(ref: FuncRef): FuncRef {
    if (ref.kind === 'derivative') {
      const of = this.resolve(ref.of)
      return of === ref.of ? ref : { kind: 'derivative', mode: ref.mode, of }
    }
    return ref.kind === 'requirement' ? this.program.resolve(ref) : ref
  }

  /** The function of a concrete reference, for such ways to its arguments; its body follows from the work list. */
  instance(unresolved: FuncRef, ways: Ways = []): Func {
    const ref = this.resolve(unresolved)
    const key = [refKey(ref), ...ways.map((way, k) => (way === undefined ? '' : `${k}:${wayKey(way)}`))].join('&')
    const known = this.#instances.get(key)
    if (known !== undefined) return known
    const decl = declOf(ref)
    const sig = this.reach.within(decl, decl.syntax.span, () => inPlace(this.signature(ref), ways))
    const span = ref.kind === 'direct' ? ref.decl.span : null
    this.sink.work.spend('instances', 1, span)
    this.sink.work.check('typeText', key.length, span)
    const func = new Func(this.names.unique(refName(ref)), sig, span)
    this.#instances.set(key, func)
    this.refs.set(func, ref)
    this.reach.asked(func)
    this.module.funcs.push(func)
    if (ref.kind === 'derivative') {
      func.request = { kind: ref.mode, of: this.instance(ref.of) }
      func.info.level = func.request.of.info.level
      return func
    }
    if (ref.kind === 'direct') this.#inform(func, ref)
    if (ref.kind === 'dynamic') func.info.level = this.program.attributes(ref.decl).level
    // One endless chain may be one of very many.
    if (this.#endless) return func
    if (this.depth >= maxDepth) {
      this.#endless = true
      this.sink.add(endlessInstances, func.span ?? undefined, { name: baseName(ref) })
      return func
    }
    const isIntrinsic = this.target.names !== undefined && func.info.intrinsics?.[this.target.names] !== undefined
    if (ref.kind === 'direct' && isIntrinsic && !this.program.attributes(ref.decl).marked) return func
    this.pending.push({ func, ref, ways, depth: this.depth + (generic(ref) ? 1 : 0) })
    return func
  }

  /** A function that only targets have, made when first asked for. */
  external(key: string, make: () => Func): Func {
    let func = this.#instances.get(key)
    if (func === undefined) {
      func = make()
      this.#instances.set(key, func)
      this.module.funcs.push(func)
    }
    return func
  }

  /**
   * The function that a call under `no_diff` calls: a wrapper of which no derivative is made. So calls inside it are not in
   * derivative code, where substitutes would apply, and pointers need no shadows.
   */
  heldOf(func: Func): Func {
    if (func.info.library || !(this.program.substitutes || t.takePointers(func.sig.params))) return func
    return this.external(`no_diff ${func.name}`, () => {
      const made = new Func(this.names.unique(`${func.name}_held`), func.sig, func.span)
      made.body = new Region()
      const b = new Builder(made, made.body)
      const params = inputs(func.sig).map(p => b.param(p.type, p.name))
      b.emit('ret', b.call(func, params))
      this.held.set(made, func)
      return made
    })
  }

  #inform(func: Func, ref: FuncRef & { readonly kind: 'direct' }): void {
    const attributes = this.program.attributes(ref.decl)
    const info = func.info
    info.level = this.program.level(ref.decl, ref.subst)
    info.marked = attributes.marked
    info.treatAsDifferentiable = attributes.treatAsDifferentiable
    info.forceInline = attributes.forceInline
    info.noInline = attributes.noInline
    info.prefer = attributes.prefer
    // What targets have a name for is mathematics, unless invocations do it together.
    info.pure = attributes.pure || (attributes.targetIntrinsics !== null && !attributes.convergent)
    info.library = ref.decl.module.isCore
    // A vector of one component is a scalar to targets, which have few functions of vectors for those.
    const first = func.sig.params[0]?.type
    const isScalar = first?.kind === 'vec' && first.count === 1 && !attributes.lanewise && !attributes.convergent
    if (attributes.targetIntrinsics !== null && !isScalar) {
      const { js, wgsl, ...others } = attributes.targetIntrinsics
      // JavaScript's mathematics is for doubles, not for bigints, and that of WGSL for words.
      const isBig = func.results[0]?.scalar === 'i64' || func.results[0]?.scalar === 'u64'
      info.intrinsics = isBig && !attributes.convergent ? others : attributes.targetIntrinsics
      if (attributes.lanewise && !isBig) info.computes = ref.decl.name
    }
    if (attributes.lanewise) {
      const scalar = scalarRef(ref)
      if (scalar !== undefined) info.lanewise = this.instance(scalar)
    }
  }

  /** The signature in IR: `this` comes first. */
  signature(ref: FuncRef): Func['sig'] {
    const source: Signature = this.program.signature(ref)
    const params: ParamSig[] = []
    if (source.self !== null) {
      const type = this.types.of(source.self)
      const noDiff = t.shadowType(type) === null && (source.selfNoDiff || t.differential(type) === null)
      params.push({ name: 'this', type, dir: source.mutating ? 'inout' : 'in', noDiff })
    }
    const chooser = source.self === null ? chosenBy(ref) : undefined
    if (chooser !== undefined) params.push({ name: 'this', type: this.types.of(chooser), dir: 'in', noDiff: true })
    for (const p of source.params) {
      const type = this.types.of(p.type)
      params.push({
        name: p.name,
        type,
        dir: p.dir,
        noDiff: p.noDiff || (t.differential(type) === null && t.shadowType(type) === null),
      })
    }
    const result = this.types.of(source.result)
    return { params, result, resultNoDiff: source.resultNoDiff || t.differential(result) === null }
  }
}

/** A string that is equal for equal references. */
export function refKey(ref: FuncRef): string {
  switch (ref.kind) {
    case 'direct':
      return `${ref.decl.id}[${s.substKey(ref.subst)}]`
    case 'requirement':
      return `${ref.type.key}:${ref.iface.key}.${ref.decl.id}[${s.substKey(ref.subst)}]`
    case 'derivative':
      return `${ref.mode}(${refKey(ref.of)})`
    case 'dynamic':
      return `dyn ${ref.over?.key ?? ''}:${ref.iface.key}.${ref.decl.id}[${s.substKey(ref.subst)}]`
  }
}

/** The declaration of a function, or of the one that is differentiated. */
export function declOf(ref: FuncRef): FuncDecl {
  return ref.kind === 'derivative' ? declOf(ref.of) : ref.decl
}

/** The interface whose value chooses a static function at run time. */
function chosenBy(ref: FuncRef): s.InterfaceType | undefined {
  if (ref.kind === 'derivative') return chosenBy(ref.of)
  return ref.kind === 'dynamic' && ref.decl.role === 'static' ? (ref.over ?? ref.iface) : undefined
}

const generic = (ref: FuncRef): boolean => ref.kind !== 'derivative' && ref.subst.args.size > 0

function baseName(ref: FuncRef): string {
  return ref.kind === 'derivative' ? baseName(ref.of) : ref.decl.name
}

/** A name for output: `Struct.method`, `f_float`, `fwd_f`. */
function refName(ref: FuncRef): string {
  if (ref.kind === 'derivative') return `${ref.mode === 'forward' ? 'fwd' : 'bwd'}_${refName(ref.of)}`
  const decl = ref.decl
  let name = clean(decl.name)
  const owner = decl.parent
  if (decl.role === 'accessor') name = `${name}_${decl.accessor}`
  if (decl.role === 'constructor') name = 'init'
  if (decl.role !== 'function' && owner !== null && owner.kind === 'struct') name = `${clean(owner.name)}.${name}`
  const args = [...ref.subst.args.values()].map(typeName).filter(a => a.length < 30)
  return args.length === 0 || args.length > 4 ? name : `${name}_${args.join('_')}`
}

const operators: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'rem',
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '>': 'gt',
  '<=': 'le',
  '>=': 'ge',
  '()': 'call',
  '[]': 'at',
}

function clean(name: string): string {
  const symbol = /^operator\s*(\W+)$/.exec(name)
  if (symbol !== null) return `operator_${operators[symbol[1]!] ?? 'op'}`
  return name.replace(/\W+$/, '').replace(/[^A-Za-z0-9_]/g, '_')
}

/** The scalar instance of a lane-wise function whose type arguments are vectors or matrices; undefined where it is scalar already. */
function scalarRef(ref: FuncRef & { readonly kind: 'direct' }): FuncRef | undefined {
  let changed = false
  const args = new Map<number, s.GenericArg>()
  for (const [id, arg] of ref.subst.args) {
    const lifted = arg.kind === 'vector' || arg.kind === 'matrix'
    if (lifted) changed = true
    args.set(id, lifted ? arg.elem : arg)
  }
  return changed ? { kind: 'direct', decl: ref.decl, subst: { args, self: ref.subst.self } } : undefined
}

/** For cases that the checker rules out. */
export function impossible(what: string): never {
  throw new InternalError('lower', what)
}

/** The state of lowering one body. */
export class Fn {
  readonly cx: Lowering
  readonly func: Func
  /** How many expressions of other declarations were lowered in this one. */
  #elsewhere = 0
  readonly b: Builder
  /** Puts concrete types for the generic parameters in scope. */
  subst: s.Subst
  readonly locals: Map<number, Ref> = new Map()
  readonly params: Map<number, Ref> = new Map()
  self: Ref | undefined
  /** Variables that hold copies of arguments, which the caller gets back; with the names of the parameters. */
  readonly copies: Map<Value, string> = new Map()
  /** The old values that updates being lowered have evaluated already. */
  readonly held: Map<OldExpr | AheadExpr, Value> = new Map()
  /** Instructions that a `leave` names. */
  readonly left: Set<Inst> = new Set()
  readonly breaks: Inst[] = []
  readonly continues: Inst[] = []
  /** Above 0 inside `no_diff`: calls get and give values without derivatives. */
  noDiff = 0
  /** Whether only the branch is lowered that a condition chooses which an instance knows: in the library, and with constants for parameters. */
  decides = false
  /** Whether this is a constructor, whose `return` gives `this`. */
  constructs = false
  /** Makes the results of a `return` in a graphics entry point from the returned value. */
  gives: ((value: Value | undefined) => readonly Value[]) | undefined

  constructor(cx: Lowering, func: Func, subst: s.Subst) {
    this.cx = cx
    this.func = func
    this.subst = subst
    func.body = new Region()
    this.b = new Builder(func, func.body)
    cx.current = this
  }

  /** The concrete source type. */
  source(type: s.Type): s.Type {
    return this.cx.program.substitute(type, this.subst)
  }

  /** The IR type of a type of the tree. */
  type(type: s.Type): Type {
    return this.cx.types.of(this.source(type))
  }

  /** A concrete reference. */
  ref(ref: FuncRef): FuncRef {
    const concrete = this.cx.resolve(this.cx.program.substituteRef(ref, this.subst))
    if (
      ref.kind === 'requirement' &&
      concrete.kind === 'direct' &&
      !this.cx.program.attributes(ref.decl).treatAsDifferentiable
    )
      this.cx.serving.add(concrete.decl)
    return concrete
  }

  /** Reports a feature at the current source position that no target has. */
  unsupported(what: string): void {
    this.cx.sink.add(unsupportedHere, this.b.span ?? undefined, { what })
  }

  int(value: s.Int): number | null {
    return s.known(this.cx.program.substituteInt(value, this.subst))
  }

  /** Lowers an expression of another declaration, with that declaration's type arguments. */
  elsewhere<T>(subst: s.Subst, f: () => T): T {
    const saved = this.subst
    this.subst = subst
    // Defaults that need two others each double, and do so before the function is there to be counted.
    this.cx.sink.work.check('instructions', Math.max(++this.#elsewhere, this.func.nextValue), this.b.span)
    const out = this.cx.sink.work.within(2, this.b.span, f)
    this.subst = saved
    return out
  }

  /** A new variable. */
  variable(type: Type, name: string, init?: Value): Ref {
    const pointer = this.b.variable(type, name)
    if (init !== undefined) this.b.store(pointer, init)
    return { kind: 'pointer', pointer }
  }

  /** The reference of a parameter: the value itself if nothing writes it and no computed index reaches into it. */
  incoming(value: Value, written: boolean): Ref {
    return written || holdsArray(value.type) ? this.variable(value.type, value.name, value) : { kind: 'value', value }
  }
}

/** Makes the struct that stands for values of an interface. */
function makeSum(cx: Lowering, iface: s.InterfaceType): t.Type {
  const variants = [...cx.variants.of(cx, iface)]
  const name = cx.names.unique(`Any_${typeName(iface)}`)
  const fields: t.Field[] = [{ name: 'tag', type: t.u32 }]
  for (const v of variants)
    fields.push({ name: `as_${typeName(v.type).replaceAll('.', '_')}`, type: cx.types.of(v.type) })
  const made = t.struct(name, fields)
  cx.module.structs.push(made)
  if (cx.program.differentialOf(iface) === null) return made
  const map = [-1]
  const parts: t.Field[] = []
  for (const f of fields.slice(1)) {
    const diff = t.differential(f.type)
    map.push(diff === null ? -1 : parts.length)
    if (diff !== null) parts.push({ name: f.name, type: diff })
  }
  const diff = t.struct(cx.names.unique(`${name}.Differential`), parts)
  diff.diff = { type: diff, fields: parts.map((_, i) => i), dzero: undefined, dadd: undefined }
  cx.module.structs.push(diff)
  made.diff = { type: diff, fields: map, dzero: undefined, dadd: undefined }
  return made
}
