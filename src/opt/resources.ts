/**
 * Specialises functions for the resources that calls pass to them, since targets pass no pointers. A call that passes a resource,
 * alone or in a struct, calls a copy of the function made for that resource. Calls that pass resources in other ways (in arrays, as
 * results, by choice) are inlined.
 *
 *   call @sum @data.pointer, %n   →   call @sum_data %n
 */
import { Builder } from '../ir/build.ts'
import type { OpName } from '../ir/op.ts'
import { holdsPointer, type Type } from '../ir/type.ts'
import { Func, Inst, Value, inputs, noRegions, type Global, type Module, type ParamSig } from '../ir/value.ts'
import { cloneRegion, walk, type ValueTable } from '../ir/walk.ts'
import { inlineAll } from './inline.ts'
import { definedBy } from './match.ts'

/** Removes all calls that pass pointers. Gives the functions whose bodies that changed. */
export function resources(module: Module): ReadonlySet<Func> {
  const changed = new Set<Func>()
  const copies = new Copies()
  const make: Make = (callee, given) => {
    const copy = specialised(callee, given, nameOf(callee, given))
    module.funcs.push(copy)
    changed.add(copy)
    return copy
  }
  for (let i = 0; i < module.funcs.length; i++) {
    const func = module.funcs[i]!
    if (func.body === undefined || func.sig.params.some(p => holdsPointer(p.type))) continue
    walk(func.body, inst => {
      if (inst.op === 'call' && inst.attr.body !== undefined && copies.redirect(inst, make)) changed.add(func)
    })
  }
  for (const func of module.funcs) {
    if (!handsPointers(func) && inlineAll(func, handsPointers)) changed.add(func)
  }
  return changed
}

/** True if a function takes or returns pointers, by themselves or in composites. */
function handsPointers(func: Func): boolean {
  return func.sig.params.some(p => holdsPointer(p.type)) || func.results.some(holdsPointer)
}

/** A specialised argument: a resource; a value that the copy takes as a parameter; or for a struct, one of these for each field. */
export type Known = Global | Value | readonly Known[]

/** Undefined if the value holds a resource that is not known here, or holds none. */
function known(value: Value): Known | undefined {
  const { type } = value
  const from = partOf(value)
  if (type.kind === 'ptr') return definedBy(from, 'global')?.attr
  if (type.kind !== 'struct') return undefined
  const made = definedBy(from, 'construct')
  if (made === undefined) return undefined
  const fields: Known[] = []
  for (const arg of made.args) {
    const field = holdsPointer(arg.type) ? known(arg) : arg
    if (field === undefined) return undefined
    fields.push(field)
  }
  return fields
}

/** The value, without a `construct` and `extract` that cancel out. */
function partOf(value: Value): Value {
  const taken = definedBy(value, 'extract')
  const whole = taken === undefined ? undefined : definedBy(partOf(taken.args[0]!), 'construct')
  return whole === undefined ? value : partOf(whole.args[taken!.attr]!)
}

/** For each parameter: what a copy knows of it; undefined where it takes it as the function does. */
export type Given = readonly (Known | undefined)[]

/** Makes a copy. */
type Make = (callee: Func, given: Given) => Func

/** The copies of functions for resources. */
export class Copies {
  readonly #copies: Map<Func, Map<string, Func>> = new Map()
  readonly #ids: Map<Global, number> = new Map()

  /** The copy of a function for such parameters. */
  of(callee: Func, given: Given, make: Make): Func {
    const key = given.map(g => (g === undefined ? '' : keyOf(g, this.#ids))).join()
    let made = this.#copies.get(callee)
    if (made === undefined) this.#copies.set(callee, (made = new Map()))
    let copy = made.get(key)
    if (copy === undefined) made.set(key, (copy = make(callee, given)))
    return copy
  }

  /** Lets a call that passes resources call the copy for these. False if it passes none, or one that is not known. */
  redirect(inst: Inst<'call'>, make: Make): boolean {
    const given = givenBy(inst)
    if (given === undefined) return false
    inst.attr = this.of(inst.attr, given, make)
    inst.args = inst.args.flatMap((a, k) => (given[k] === undefined ? [a] : leavesOf(given[k])))
    return true
  }
}

/** The resources that a call passes. Undefined if it passes none or one that is not known, or its results hold some. */
function givenBy({ attr: callee, args }: Inst<'call'>): Given | undefined {
  const ins = inputs(callee.sig)
  if (!ins.some(p => holdsPointer(p.type)) || callee.results.some(holdsPointer)) return undefined
  const given = args.map(a => (holdsPointer(a.type) ? known(a) : undefined))
  // One that is not known here makes a function with pointers all the same, which is inlined.
  return ins.some((p, k) => holdsPointer(p.type) && given[k] === undefined) ? undefined : given
}

function keyOf(of: Known, ids: Map<Global, number>): string {
  if (isList(of)) return `(${of.map(k => keyOf(k, ids)).join()})`
  if (of instanceof Value) return ''
  let id = ids.get(of)
  if (id === undefined) ids.set(of, (id = ids.size))
  return String(id)
}

const isList = (of: Known): of is readonly Known[] => Array.isArray(of)

/** The values among it, in order. */
function leavesOf(of: Known): Value[] {
  return isList(of) ? of.flatMap(leavesOf) : of instanceof Value ? [of] : []
}

function globalsOf(of: Known | undefined): Global[] {
  return of === undefined || of instanceof Value ? [] : isList(of) ? of.flatMap(globalsOf) : [of]
}

/** A name for a copy, which says its resources. */
function nameOf(func: Func, given: Given): string {
  return [func.name, ...given.flatMap(globalsOf).map(g => g.name)].join('_')
}

/** Copies a function with some parameters replaced by the given globals, or by structs made of globals and parameters. */
export function specialised(func: Func, given: Given, name: string): Func {
  const ins = inputs(func.sig)
  const parts = new Map<ParamSig, readonly ParamSig[]>()
  ins.forEach((p, k) => {
    if (given[k] !== undefined)
      parts.set(
        p,
        leavesOf(given[k]).map((v, i) => ({ ...p, name: `${p.name}_${i}`, type: v.type })),
      )
  })
  const copy = new Func(name, { ...func.sig, params: func.sig.params.flatMap(p => parts.get(p) ?? [p]) }, func.span)
  Object.assign(copy.info, func.info)
  copy.info.entry = undefined
  copy.info.exported = undefined
  if (func.body === undefined) return copy
  const values: ValueTable = []
  const body = cloneRegion(func.body, copy, values)
  const start: Inst[] = []
  const params: Value[] = []
  const b = new Builder(copy, body)
  /** Defines the value by an instruction at the start. */
  const define = (value: Value, op: OpName, args: Value[], attr: Global | null): Value => {
    const inst = new Inst(op, args, attr, noRegions, func.span)
    value.def = inst
    value.index = 0
    inst.results.push(value)
    start.push(inst)
    return value
  }
  const make = (of: Known, type: Type, whole: Value | undefined, name: string): Value => {
    const value = whole ?? b.value(type, body, 0, name)
    if (isList(of))
      return define(
        value,
        'construct',
        of.map((k, i) => make(k, type.fields[i]!.type, undefined, `${name}_${type.fields[i]!.name}`)),
        null,
      )
    if (!(of instanceof Value)) return define(value, 'global', [], of)
    params.push(value)
    return value
  }
  body.params.forEach((p, k) => {
    if (given[k] === undefined) params.push(p)
    else make(given[k], p.type, p, p.name)
  })
  body.insts.unshift(...start)
  body.params = params
  params.forEach((p, k) => {
    p.def = body
    p.index = k
  })
  copy.body = body
  return copy
}
