/** A function body under construction, and how parameters, `this` and results come in and go out. */
import { missingBody, unsupportedHere } from '../base/errors/lower.ts'
import type { FuncAttributes, LocalDecl, ParamDecl } from '../check/model/decl.ts'
import type { AheadExpr, Body, FuncRef, OldExpr } from '../check/model/tree.ts'
import * as s from '../check/model/type.ts'
import { Builder } from '../ir/build.ts'
import type { Type } from '../ir/type.ts'
import { Region, outputs, type Func, type Inst, type Value } from '../ir/value.ts'
import type { Lowering, Pending } from './context.ts'
import { impossible } from './context.ts'
import { dispatchBody } from './dispatch.ts'
import { closed } from './flow.ts'
import { defaultFields } from './init.ts'
import { opBody } from './intrinsic.ts'
import { lowerStmts } from './stmt.ts'
import { holdsArray } from './type.ts'
import { read, type Ref } from './place.ts'

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
  /** What the updates being lowered have found already. */
  readonly held: Map<OldExpr | AheadExpr, Value> = new Map()
  /** Instructions that a `leave` names. */
  readonly left: Set<Inst> = new Set()
  readonly breaks: Inst[] = []
  readonly continues: Inst[] = []
  /** Above 0 inside `no_diff`: calls get and give values without derivatives. */
  noDiff = 0
  /** What a `return` gives in a constructor. */
  constructs = false
  /** What a `return` gives in an entry point of a graphics stage, made of the value returned. */
  gives: ((value: Value | undefined) => readonly Value[]) | undefined

  constructor(cx: Lowering, func: Func, subst: s.Subst) {
    this.cx = cx
    this.func = func
    this.subst = subst
    func.body = new Region()
    this.b = new Builder(func, func.body)
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
    if (ref.kind === 'requirement' && concrete.kind === 'direct' && !this.cx.program.attributes(ref.decl).treatAsDifferentiable) this.cx.serving.add(concrete.decl)
    return concrete
  }

  /** Reports what the place being lowered asks for and no target has. */
  unsupported(what: string): void {
    this.cx.sink.add(unsupportedHere, this.b.span ?? undefined, { what })
  }

  int(value: s.Int): number | null {
    return s.known(this.cx.program.substituteInt(value, this.subst))
  }

  /** Lowers an expression that stands in another declaration, with the types of that declaration put in. */
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

  /** Where a parameter lives: the value itself where nothing writes it and no computed index reaches into it. */
  incoming(value: Value, written: boolean): Ref {
    return written || holdsArray(value.type) ? this.variable(value.type, value.name, value) : { kind: 'value', value }
  }
}

/** Fills in the body of an instance. */
export function lowerBody(cx: Lowering, pending: Pending): void {
  const { func, ref } = pending
  if (ref.kind === 'dynamic') {
    dispatchBody(cx, func, ref)
    return
  }
  if (ref.kind !== 'direct') return
  const attributes: FuncAttributes = cx.program.attributes(ref.decl)
  if (attributes.op !== null || attributes.intrinsic !== null) {
    opBody(new Fn(cx, func, ref.subst), attributes)
    return
  }
  if (func.info.lanewise !== undefined && !attributes.marked && !attributes.treatAsDifferentiable) {
    lanesBody(new Fn(cx, func, ref.subst), func.info.lanewise)
    return
  }
  const body = cx.program.body(ref.decl)
  if (body === null) {
    const { forward, backward, substitute } = cx.program.derivatives(ref)
    // Where only the derivative is called, nobody misses the body.
    const derived = forward !== null || backward !== null || substitute !== null
    if (func.info.spell === undefined && !func.info.library && !derived) cx.sink.add(missingBody, func.span ?? undefined, { name: ref.decl.name })
    return
  }
  const fn = new Fn(cx, func, ref.subst)
  fn.constructs = ref.decl.role === 'constructor'
  enter(fn, body)
  lowerStmts(fn, body.stmts)
  if (!closed(fn.b.at)) leaveFunction(fn, undefined)
}

/** The body of a lane-wise function of the library on vectors or matrices, where its text may know scalars only: a call for each lane. */
function lanesBody(fn: Fn, scalar: Func): void {
  const { b, func } = fn
  const params = func.sig.params.map(p => b.param(p.type, p.name))
  const map = (type: Type, args: readonly Value[]): Value => {
    if (type.kind === 'scalar') return b.call(scalar, [...args])[0]!
    const parts: Value[] = []
    for (let i = 0; i < type.count; i++) parts.push(map(type.elem!, args.map(a => a.type.kind === 'scalar' ? a : b.extract(a, i))))
    return b.construct(type, parts)
  }
  b.emit('ret', [map(func.sig.result, params)])
}

/** Makes the region's parameters and the variables behind them. */
function enter(fn: Fn, body: Body): void {
  const { b, func } = fn
  const sig = func.sig.params
  const method = sig.length - body.params.length
  if (method > 0) {
    const p = sig[0]!
    const value = b.param(p.type, 'this')
    fn.self = fn.incoming(value, p.dir !== 'in')
  }
  for (let i = 0; i < body.params.length; i++) {
    const decl: ParamDecl = body.params[i]!
    const p = sig[i + method]!
    if (p.dir === 'out') {
      fn.params.set(decl.id, fn.variable(p.type, decl.name))
      continue
    }
    const value = b.param(p.type, decl.name)
    fn.params.set(decl.id, fn.incoming(value, p.dir === 'inout' || !decl.constant))
  }
  if (fn.constructs) {
    const self = fn.variable(func.sig.result, 'this')
    fn.self = self
    defaultFields(fn, self)
  }
}

/** Emits the return with the result and what `out` and `inout` parameters hold. */
export function leaveFunction(fn: Fn, value: Value | undefined): void {
  const { b, func } = fn
  if (fn.gives !== undefined) {
    b.emit('ret', [...fn.gives(value)])
    return
  }
  const results: Value[] = []
  if (fn.constructs) results.push(read(fn, fn.self!))
  else if (func.sig.result.kind !== 'void') results.push(value ?? b.emit1('undef', [], null, func.sig.result))
  const places = [...fn.params.values()]
  const method = func.sig.params.length - places.length
  for (const p of outputs(func.sig)) {
    const index = func.sig.params.indexOf(p)
    results.push(read(fn, index < method ? fn.self! : places[index - method]!))
  }
  b.emit('ret', results)
}

/** Where a local lives. */
export function local(fn: Fn, decl: LocalDecl): Ref {
  const known = fn.locals.get(decl.id)
  if (known !== undefined) return known
  fn.unsupported(`an initial value of a static variable that takes the local ${decl.name}`)
  return { kind: 'value', value: fn.b.emit1('undef', [], null, fn.type(decl.type)) }
}

/** Where a parameter lives. */
export function parameter(fn: Fn, decl: ParamDecl): Ref {
  return fn.params.get(decl.id) ?? impossible(`parameter ${decl.name} of another function`)
}
