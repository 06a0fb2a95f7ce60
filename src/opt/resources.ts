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
  const copies = new Map<Func, Map<string, Func>>()
  const ids = new Map<Global, number>()
  const changed = new Set<Func>()
  for (let i = 0; i < module.funcs.length; i++) {
    const func = module.funcs[i]!
    if (func.body === undefined || func.sig.params.some(p => holdsPointer(p.type))) continue
    if (specialiseCalls(module, func, copies, ids)) changed.add(func)
  }
  for (const of of copies.values()) for (const copy of of.values()) changed.add(copy)
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
type Known = Global | Value | readonly Known[]

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

function specialiseCalls(
  module: Module,
  func: Func,
  copies: Map<Func, Map<string, Func>>,
  ids: Map<Global, number>,
): boolean {
  let changed = false
  walk(func.body!, inst => {
    if (inst.op !== 'call') return
    const callee = inst.attr
    const ins = inputs(callee.sig)
    if (callee.body === undefined || !ins.some(p => holdsPointer(p.type)) || callee.results.some(holdsPointer)) return
    const given = inst.args.map(a => (holdsPointer(a.type) ? known(a) : undefined))
    // One that is not known here makes a function with pointers all the same, which is inlined.
    if (ins.some((p, k) => holdsPointer(p.type) && given[k] === undefined)) return
    const key = given.map(g => (g === undefined ? '' : keyOf(g, ids))).join()
    let made = copies.get(callee)
    if (made === undefined) copies.set(callee, (made = new Map()))
    let copy = made.get(key)
    if (copy === undefined) {
      copy = specialised(callee, given)
      made.set(key, copy)
      module.funcs.push(copy)
    }
    inst.attr = copy
    inst.args = inst.args.flatMap((a, k) => (given[k] === undefined ? [a] : leavesOf(given[k])))
    changed = true
  })
  return changed
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

/** Copies a function with some parameters replaced by the given globals, or by structs made of globals and parameters. */
function specialised(func: Func, given: readonly (Known | undefined)[]): Func {
  const ins = inputs(func.sig)
  const parts = new Map<ParamSig, readonly ParamSig[]>()
  ins.forEach((p, k) => {
    if (given[k] !== undefined)
      parts.set(
        p,
        leavesOf(given[k]).map((v, i) => ({ ...p, name: `${p.name}_${i}`, type: v.type })),
      )
  })
  const name = [func.name, ...given.flatMap(globalsOf).map(g => g.name)].join('_')
  const copy = new Func(name, { ...func.sig, params: func.sig.params.flatMap(p => parts.get(p) ?? [p]) }, func.span)
  Object.assign(copy.info, func.info)
  copy.info.entry = undefined
  copy.info.exported = undefined
  const values: ValueTable = []
  const body = cloneRegion(func.body!, copy, values)
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
