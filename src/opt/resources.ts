/**
 * Targets pass no pointers to functions. A call that hands a resource to a function calls a copy of the function made for
 * that resource; calls that hand resources about in other ways (in structs, as results, by choice) are inlined.
 *
 *   call @sum @data.pointer, %n   →   call @sum_data %n
 */
import * as ops from '../ir/ops.ts'
import type { Type } from '../ir/type.ts'
import { Func, Inst, Value, inputs, noRegions, type Global, type Module, type ParamSig } from '../ir/value.ts'
import { cloneRegion, walk, type ValueTable } from '../ir/walk.ts'
import { inlineAll } from './inline.ts'
import { definedBy } from './match.ts'

/** Leaves no function that takes or gives a pointer to be called. Gives the functions whose bodies that changed. */
export function resources(module: Module): ReadonlySet<Func> {
  const copies = new Map<Func, Map<string, Func>>()
  const ids = new Map<Global, number>()
  const changed = new Set<Func>()
  for (let i = 0; i < module.funcs.length; i++) {
    const func = module.funcs[i]!
    if (func.body === undefined || func.sig.params.some(p => p.type.kind === 'ptr')) continue
    if (specialiseCalls(module, func, copies, ids)) changed.add(func)
  }
  for (const of of copies.values()) for (const copy of of.values()) changed.add(copy)
  for (const func of module.funcs) {
    if (!handsPointers(func) && inlineAll(func, handsPointers)) changed.add(func)
  }
  return changed
}

/** True where a function takes or gives pointers, by themselves or in composites. */
function handsPointers(func: Func): boolean {
  return func.sig.params.some(p => holdsPointer(p.type)) || func.results.some(holdsPointer)
}

function holdsPointer(type: Type): boolean {
  if (type.kind === 'ptr') return true
  return type.kind === 'array' ? holdsPointer(type.elem!) : type.kind === 'struct' && type.fields.some(f => holdsPointer(f.type))
}

function specialiseCalls(module: Module, func: Func, copies: Map<Func, Map<string, Func>>, ids: Map<Global, number>): boolean {
  let changed = false
  walk(func.body!, inst => {
    if (inst.op !== ops.call) return
    const callee = inst.attr as Func
    const ins = inputs(callee.sig)
    if (callee.body === undefined || !ins.some(p => p.type.kind === 'ptr') || callee.results.some(holdsPointer)) return
    const given = inst.args.map(a => a.type.kind === 'ptr' ? definedBy(a, ops.global)?.attr as Global | undefined : undefined)
    // One that is not known here makes a function with pointers all the same, which is inlined.
    if (ins.some((p, k) => holdsPointer(p.type) && given[k] === undefined)) return
    const key = given.map(g => g === undefined ? '' : idOf(g, ids)).join()
    let known = copies.get(callee)
    if (known === undefined) copies.set(callee, known = new Map())
    let copy = known.get(key)
    if (copy === undefined) {
      copy = specialised(callee, given)
      known.set(key, copy)
      module.funcs.push(copy)
    }
    inst.attr = copy
    inst.args = inst.args.filter((_, k) => given[k] === undefined)
    changed = true
  })
  return changed
}

function idOf(global: Global, ids: Map<Global, number>): number {
  let id = ids.get(global)
  if (id === undefined) ids.set(global, id = ids.size)
  return id
}

/** A copy of a function in which some parameters are the given globals. */
function specialised(func: Func, given: readonly (Global | undefined)[]): Func {
  const ins = inputs(func.sig)
  const bound = new Set<ParamSig>(ins.filter((_, k) => given[k] !== undefined))
  const name = [func.name, ...given.filter(g => g !== undefined).map(g => g.name)].join('_')
  const copy = new Func(name, { ...func.sig, params: func.sig.params.filter(p => !bound.has(p)) }, func.span)
  Object.assign(copy.info, func.info)
  copy.info.entry = undefined
  copy.info.exported = undefined
  const values: ValueTable = []
  const body = cloneRegion(func.body!, copy, values)
  const pointers = body.params.map((p, k) => {
    const global = given[k]
    if (global === undefined) return undefined
    const inst = new Inst(ops.global, [], global, noRegions, func.span)
    p.def = inst
    p.index = 0
    inst.results.push(p)
    return inst
  })
  body.insts.unshift(...pointers.filter(p => p !== undefined))
  body.params = body.params.filter((_, k) => given[k] === undefined)
  body.params.forEach((p: Value, k) => { p.index = k })
  copy.body = body
  return copy
}
