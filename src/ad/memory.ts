/**
 * Which memory the reverse pass may read again instead of keeping what it read: memory that nothing writes while the derivative runs.
 *
 *     bwd_diff(layer)(weights, x):   reads weights.primal, adds to weights.diff   →   weights.primal may be read again
 *
 * What counts is all that the derivative of the outermost function runs: its primal pass, its reverse pass, and the derivatives that
 * users wrote. What the program writes before or after that does no harm.
 */
import { isReadOnly } from '../opt/alias.ts'
import { baseOf } from '../ir/pointer.ts'
import * as costs from '../ir/costs.ts'
import { calleesFirst } from '../ir/calls.ts'
import { holdsPointer } from '../ir/type.ts'
import { inputs, type Func, type Global, type Inst, type Region, type Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import type { AdContext } from './context.ts'
import type { Passed, Locations, Touched } from './model.ts'
import { planOf } from './plan.ts'

/** A resource or variable; undefined where it is not known. */
type Location = Global | Passed | undefined

function untouched(): Touched {
  const locations = (): Locations => ({ globals: new Set(), passed: new Map(), unknown: false })
  return { reads: locations(), writes: locations(), once: false }
}

/** What a function touches of which nothing is known. */
const anything: Touched = { ...untouched(), once: true }
anything.reads.unknown = anything.writes.unknown = true

function note(into: Locations, location: Location): void {
  if (location === undefined) into.unknown = true
  else if ('fields' in location) into.passed.set(`${location.input}:${location.fields.join('.')}`, location)
  else into.globals.add(location)
}

/** Adds the locations of a callee, as they are where it is called. */
function noteFrom(into: Locations, callee: Locations, args: readonly (Value | undefined)[], body: Region): void {
  for (const g of callee.globals) into.globals.add(g)
  into.unknown ||= callee.unknown
  for (const { input, fields } of callee.passed.values()) {
    const arg = args[input]
    note(into, arg === undefined ? undefined : locationOf(arg, body, fields))
  }
}

/** Where a pointer, or one in a field of a struct, points. `body` is the function's. */
function locationOf(pointer: Value, body: Region, fields: readonly number[] = []): Location {
  let at = baseOf(pointer)
  let rest = fields
  for (;;) {
    const { def } = at
    if (def.op === 'param') return def === body ? { input: at.index, fields: rest } : undefined
    if (def.op === 'global') return rest.length === 0 ? def.attr : undefined
    let next: Value | undefined
    if (def.op === 'extract') {
      rest = [def.attr, ...rest]
      next = def.args[0]
    } else if (def.op === 'construct') {
      next = def.args[rest[0]!]
      rest = rest.slice(1)
    }
    if (next === undefined) return undefined
    at = baseOf(next)
  }
}

/** Whether nothing in any program writes what lies behind a pointer. */
function isConstant(pointer: Value): boolean {
  const { space, elem } = pointer.type
  return isReadOnly(space!) && !(elem!.handle?.is === 'texture' && elem!.handle.access !== 'read')
}

/** Whether a pointer points to a variable of the function. */
function isLocal(pointer: Value): boolean {
  return pointer.type.space === 'function'
}

/** True for library functions of plain values whose derivatives the library has too: none of those touches memory. */
function isPlain(cx: AdContext, func: Func): boolean {
  if (!func.info.library || !inputs(func.sig).every(p => p.type.kind === 'scalar' || p.type.kind === 'vec'))
    return false
  cx.derivatives(func)
  const { forward, backward, substitute } = func.info
  return [forward, backward, substitute].every(own => own === undefined || own.info.library)
}

/** Whether invocations make a call together, so that it gives something else where others of them make it. */
export function isShared({ info, results, sig }: Func): boolean {
  // What else has an effect and a name that targets know takes a texture or gives nothing.
  return (
    info.intrinsics !== undefined && !info.pure && results.length > 0 && !sig.params.some(p => holdsPointer(p.type))
  )
}

/** What a call of a function touches. */
function touchedBy(cx: AdContext, func: Func): Touched {
  // Chains of calls are as long as programs are, so callees come first.
  for (const callee of calleesFirst([func], undefined, of => cx.touched.has(of))) {
    if (callee.body === undefined || cx.writing.has(callee) || cx.touched.has(callee)) continue
    cx.touched.set(callee, anything)
    const touched = untouched()
    const { body } = callee
    walk(body, inst => {
      if (inst.op !== 'call') {
        visit(inst, body, touched)
        return
      }
      addCall(inst, body, touched, of => cx.touched.get(of) ?? anything)
      // In a derivative the substitute runs.
      const { substitute } = inst.attr.info
      if (substitute !== undefined && substitute !== inst.attr) add(touchedBy(cx, substitute), inst.args, body, touched)
    })
    cx.touched.set(callee, touched)
  }
  return cx.touched.get(func) ?? anything
}

/** What the reverse derivative of a function touches, primal pass included. */
function touchedByDerivative(cx: AdContext, func: Func, depth: number = 0): Touched {
  const known = cx.derivativeTouches.get(func)
  if (known !== undefined) return known
  if (func.body === undefined || cx.writing.has(func) || depth >= costs.followedDerivatives) return anything
  // A function that calls itself has no derivative.
  cx.derivativeTouches.set(func, anything)
  const touched = untouched()
  const { body } = func
  walk(body, inst => {
    if (inst.op !== 'call') {
      visit(inst, body, touched)
      return
    }
    const { attr: callee, args } = inst
    if (isPlain(cx, callee)) return
    const plan = planOf(cx, callee, 'reverse')
    if (plan.is === 'transform') add(touchedByDerivative(cx, plan.func, depth + 1), args, body, touched)
    else {
      addCall(inst, body, touched, of => touchedBy(cx, of))
      if (plan.func !== callee) add(touchedBy(cx, plan.func), args, body, touched)
    }
    if (plan.is === 'rule') {
      const rule = touchedByDerivative(cx, plan.forward, depth + 1)
      add(rule, resourcesFor(plan.forward, callee, args), body, touched)
    } else if (plan.is === 'backward')
      add(touchedBy(cx, plan.backward), resourcesFor(plan.backward, callee, args), body, touched)
  })
  cx.derivativeTouches.set(func, touched)
  return touched
}

/** Adds what an instruction touches that is no call. */
function visit(inst: Inst, body: Region, into: Touched): void {
  switch (inst.op) {
    case 'load':
      if (!isLocal(inst.args[0]!) && !isConstant(inst.args[0]!)) note(into.reads, locationOf(inst.args[0]!, body))
      return
    case 'store':
      if (!isLocal(inst.args[0]!)) note(into.writes, locationOf(inst.args[0]!, body))
      return
    case 'atomic':
      into.once = true
      note(into.writes, locationOf(inst.args[0]!, body))
      return
    case 'var':
      return
    default:
      into.once ||= inst.row.effect === 'write'
  }
}

/** Adds what a call touches. */
function addCall(
  { attr: callee, args, results }: Inst<'call'>,
  body: Region,
  into: Touched,
  of: (callee: Func) => Touched,
): void {
  if (callee.info.pure) return
  into.once ||= isShared(callee)
  if (callee.body !== undefined || callee.info.intrinsics === undefined) {
    add(of(callee), args, body, into)
    return
  }
  // What a target has by name reads or writes the textures that it takes.
  for (const v of args)
    if (v.type.kind === 'ptr' && !isConstant(v))
      note(results.length === 0 ? into.writes : into.reads, locationOf(v, body))
}

function add(callee: Touched, args: readonly (Value | undefined)[], body: Region, into: Touched): void {
  noteFrom(into.reads, callee.reads, args, body)
  noteFrom(into.writes, callee.writes, args, body)
  into.once ||= callee.once
}

/** The resources that a user's derivative takes for a call: it takes them in the order in which the function does. */
function resourcesFor(derivative: Func, func: Func, args: readonly Value[]): (Value | undefined)[] {
  const given = inputs(func.sig).flatMap((p, i) => (holdsPointer(p.type) ? [args[i]!] : []))
  return inputs(derivative.sig).map(p => {
    const next = holdsPointer(p.type) ? given.shift() : undefined
    return next?.type === p.type ? next : undefined
  })
}

/**
 * The memory that a function or its derivative reads and that nothing writes while the outermost reverse derivative around runs. What it leaves
 * out is the same for all derivatives that share the halves of the function.
 */
export function keptMemory(cx: AdContext, func: Func): ReadonlySet<Global> {
  if (cx.root === undefined) return nothing
  const [own, derivative] = [touchedBy(cx, func).reads, touchedByDerivative(cx, func).reads]
  const reads = derivative.unknown ? cx.module.globals : [...new Set([...own.globals, ...derivative.globals])]
  if (reads.length === 0) return nothing
  const { unknown, passed, globals } = touchedByDerivative(cx, cx.root).writes
  if (unknown || passed.size > 0) return nothing
  return new Set(reads.filter(g => ![...globals].some(other => other === g || isSameBinding(other, g))))
}

const nothing: ReadonlySet<Global> = new Set()

function isSameBinding({ binding: a }: Global, { binding: b }: Global): boolean {
  return a !== undefined && b !== undefined && a.group === b.group && a.binding === b.binding
}

/** Whether a load gives the same when it is done again. `body` is that of the function around. */
export function mayLoadAgain(kept: ReadonlySet<Global>, load: Inst, body: Region): boolean {
  const pointer = load.args[0]!
  return isConstant(pointer) || (!isLocal(pointer) && isAmong(kept, locationOf(pointer, body)))
}

/** Whether what a call reads is the same when it is made again. */
export function readsTheSame(cx: AdContext, kept: ReadonlySet<Global>, call: Inst<'call'>, body: Region): boolean {
  const touched = untouched()
  addCall(call, body, touched, of => touchedBy(cx, of))
  return hasAll(kept, touched)
}

/** Whether a call may be made again: it has no effect, and gives the same. */
export function mayCallAgain(cx: AdContext, kept: ReadonlySet<Global>, call: Inst<'call'>, body: Region): boolean {
  const touched = untouched()
  addCall(call, body, touched, of => touchedBy(cx, of))
  const { writes, once } = touched
  return !once && !writes.unknown && writes.globals.size + writes.passed.size === 0 && hasAll(kept, touched)
}

function hasAll(kept: ReadonlySet<Global>, { reads }: Touched): boolean {
  return !reads.unknown && reads.passed.size === 0 && [...reads.globals].every(g => kept.has(g))
}

function isAmong(kept: ReadonlySet<Global>, location: Location): boolean {
  return location !== undefined && !('fields' in location) && kept.has(location)
}
