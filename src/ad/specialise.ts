/**
 * Differentiates functions for the resources that calls pass to them, so that their derivatives know which memory they read:
 *
 *     call @layer_bwd %view(@weights), %n   →   call @layer_bwd_1 %n      where @layer_1 reads @weights
 *
 * A function with a derivative that the user wrote stays as it is.
 */
import { holdsPointer, takePointers } from '../ir/type.ts'
import { inputs, type Func } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { specialised, type Given } from '../opt/resources.ts'
import { uniqueName, type AdContext } from './context.ts'
import { planOf } from './plan.ts'

/** Lets a function, which will be differentiated, call functions for the resources that it passes. True if that changed a call. */
export function specialiseCalls(cx: AdContext, func: Func): boolean {
  let changed = false
  const make = (of: Func, given: Given): Func => copyOf(cx, of, given)
  walk(func.body!, inst => {
    if (inst.op === 'call' && takesResources(inst.attr) && isOpen(cx, inst.attr) && cx.copies.redirect(inst, make))
      changed = true
  })
  return changed
}

/** Lets the program ask for reverse derivatives for the resources that it passes. */
export function specialiseRequests(cx: AdContext): void {
  const { funcs } = cx.module
  const called = new Set<Func>()
  for (let i = 0; i < funcs.length; i++) {
    const { body } = funcs[i]!
    if (body === undefined) continue
    walk(body, inst => {
      if (inst.op !== 'call') return
      if (isRequest(cx, inst.attr)) {
        cx.dropped.add(inst.attr)
        cx.requestCopies.redirect(inst, (stub, given) => requestFor(cx, stub, given))
      }
      called.add(inst.attr)
    })
  }
  for (const func of called) cx.dropped.delete(func)
  if (cx.dropped.size > 0) funcs.splice(0, funcs.length, ...funcs.filter(func => !cx.dropped.has(func)))
}

function copyOf(cx: AdContext, of: Func, given: Given): Func {
  const made = specialised(of, given, uniqueName(cx.module.funcs, of.name))
  cx.origins.set(made, of)
  cx.tidy(made)
  // Not earlier: what derivatives bring in is tidied with all that the module holds.
  cx.module.funcs.push(made)
  return made
}

function requestFor(cx: AdContext, stub: Func, given: Given): Func {
  const made = specialised(stub, given, uniqueName(cx.module.funcs, stub.name))
  const { kind, of } = stub.request!
  const resources = given.filter(g => g !== undefined)
  const own = inputs(of.sig).map(p => (holdsPointer(p.type) ? resources.shift() : undefined))
  made.request = { kind, of: cx.copies.of(of, own, (func, known) => copyOf(cx, func, known)) }
  // Whoever writes its body tidies it then; until that is done, nobody else may.
  cx.tidy(made)
  cx.module.funcs.push(made)
  return made
}

/** Whether a function stands for the reverse derivative of one that may be specialised. */
function isRequest(cx: AdContext, func: Func): boolean {
  const { request } = func
  if (request?.kind !== 'backward' || func.info.exported !== undefined || !takesResources(func)) return false
  const types = (taker: Func): string =>
    inputs(taker.sig)
      .flatMap(p => (holdsPointer(p.type) ? [p.type.name] : []))
      .join()
  return types(request.of) === types(func) && isOpen(cx, request.of)
}

function takesResources(func: Func): boolean {
  return func.sig.params.some(p => holdsPointer(p.type))
}

/** Whether a derivative comes from the function's body alone, and the function gives no resource back, as one that is `inout` would be. */
function isOpen(cx: AdContext, func: Func): boolean {
  if (func.body === undefined || func.request !== undefined || takePointers(func.sig.params)) return false
  if (func.results.some(holdsPointer)) return false
  const { is } = planOf(cx, func, 'reverse')
  const { forward, backward, substitute } = func.info
  return is === 'transform' && (forward ?? backward ?? substitute) === undefined
}
