/**
 * Cuts long loops into segments for a GPU. There, an array that is indexed at run time lives in slow local memory, and WGSL clears
 * it before use, so that a slot for each trip costs dearly. If only a bound of the trips is known, the loop keeps the states of its
 * last trips instead (`window.ts`). Otherwise it becomes a loop of fewer trips, each of which calls a function that runs one
 * segment of the old trips:
 *
 *     %y = loop %x (%s) { test %c, … } { …; next %t }   →
 *     %y = loop %x (%s) { test %c, … } { %t = call @segment %s; next %t }
 *     func @segment(%s) { %t = loop %s, 0 (%s, %k) { test (and %c (lt %k n)), %s } { …; next %t, (add %k 1) }; ret %t }
 *
 * The function is marked to be computed again. So the reverse pass keeps the state before each segment, and the states within one
 * segment at a time. With segments as long as there are many, that is the square root of the trips. If that is still too much, the
 * loop in the segment is cut again when the segment is differentiated.
 */
import { Builder } from '../ir/build.ts'
import { i32 } from '../ir/type.ts'
import { Inst, Region, type Func, type Value } from '../ir/value.ts'
import { captured, cloneInst, type ValueTable } from '../ir/walk.ts'
import { boundOf, inductions, tripBound } from '../opt/loops.ts'
import { loopLimit } from './budget.ts'
import { carryingIn, newFunc, type AdContext } from './context.ts'
import { capturesOf, extract, holdsResource, unrepeatable } from './checkpointed-loop.ts'
import { mayCallAgain } from './memory.ts'
import { bytesOf, inMemory } from './residual.ts'
import { trueFlags, liveState, windowsFor } from './window.ts'
import * as costs from '../ir/costs.ts'

/**
 * Cuts the outermost long loops of a function in reversible form into segments. Where memory is short, it also cuts inner loops, or
 * makes functions of them that are called again. True if it changed something.
 */
export function segmentLoops(cx: AdContext, func: Func): boolean {
  const limit = loopLimit(cx)
  if (cx.growable === true && limit === undefined) return false
  let found = false
  const visit = (region: Region, times: number): void => {
    for (const inst of region.insts.slice()) {
      if (inst.op !== 'loop') {
        for (const r of inst.regions) visit(r, times)
        continue
      }
      const length = lengthOf(inst, limit, times)
      if (
        length !== undefined &&
        (window(cx, func, region, inst, length, times) || cut(cx, func, region, inst, length))
      )
        found = true
      else visit(inst.regions[1]!, times * (tripBound(inst)?.max ?? boundOf(inst.attr) ?? costs.assumedTrips))
    }
  }
  visit(func.body!, 1)
  return found
}

interface Length {
  readonly bound: number
  /** Trips of one segment; all trips if the loop only becomes a function. */
  readonly trips: number
  /** Bytes of a state. */
  readonly bytes: number
  /** True if the loop makes all of its trips, or where memory is short. */
  readonly exact: boolean
}

/** How to cut a loop that runs `times` times; undefined if it stays whole. */
function lengthOf(loop: Inst<'loop'>, given: number | undefined, times: number): Length | undefined {
  const known = tripBound(loop)
  const bound = known?.max ?? boundOf(loop.attr)
  if (bound === undefined || bound * times < costs.segmentTripsFewest) return undefined
  const bytes = liveState(loop).reduce((sum, p) => sum + bytesOf(p.type), 0)
  const exact = given !== undefined || known?.exact !== undefined
  const limit = given ?? (exact ? costs.stateBytesExact : costs.stateBytesBounded)
  if (bound * bytes * times <= limit) return undefined
  if (bound * bytes <= limit) return { bound, trips: bound, bytes, exact: true }
  let levels = 2
  while (levels < costs.segmentLevels && levels * bytes * Math.ceil(bound ** (1 / levels)) > limit) levels++
  const trips = Math.ceil(bound ** ((levels - 1) / levels))
  return trips >= bound ? undefined : { bound, trips, bytes, exact }
}

/** Makes a function of the loop that keeps windows of its states. False if that is impossible, or costs more. */
function window(
  cx: AdContext,
  func: Func,
  region: Region,
  loop: Inst<'loop'>,
  { bound, bytes, exact }: Length,
  times: number,
): boolean {
  const windows = windowsFor(bound, bytes)
  if (
    exact ||
    !cx.policy.windows ||
    windows.count === 1 ||
    unrepeatable(cx, loop, func.body!) !== undefined ||
    loop.regions[0]!.params.some(v => holdsResource(v.type))
  )
    return false
  // Arrays are handed from trip to trip as a whole, cotangents of those that are only read too.
  let handed = 0
  for (const { type, def } of new Set(loop.regions.flatMap(r => captured(r, func)))) {
    if (!(def instanceof Inst && def.op === 'global')) handed += inMemory(type)
  }
  if (bound * bytes * times <= Math.min(costs.slotBytesMost, handed * costs.slotsPerArrayByte)) return false
  cx.windowed.some = true
  extract(cx, func, region, loop, windows, times === 1 ? 'checkpoint' : 'none')
  return true
}

/** Cuts a loop. False if it has effects that may not be repeated, or uses memory of its function. */
function cut(cx: AdContext, func: Func, region: Region, loop: Inst<'loop'>, { bound, trips }: Length): boolean {
  const [head, body] = loop.regions as [Region, Region]
  if (
    head.end.op !== 'test' ||
    body.end.op !== 'next' ||
    head.insts.some(
      i => i.row.effect === 'write' && !(i.op === 'call' && mayCallAgain(cx, cx.policy.kept, i, func.body!)),
    )
  )
    return false
  if (unrepeatable(cx, loop, func.body!) !== undefined) return false
  const { values, roots, outside } = capturesOf(loop, func)
  if (roots.size > 0 || values.some(v => v.type.kind === 'ptr')) return false

  const whole = trips >= bound
  const outs = whole ? loop.results : head.params
  const ins = [...head.params, ...values]
  const types = outs.map(p => p.type)
  const made = newFunc(cx, `${func.name}_segment`, ins, types, loop.span, carryingIn(func, ins))
  made.info.prefer = 'recompute'
  cx.explain?.segment?.(made)
  made.body = new Region()
  const b = new Builder(made, made.body)
  b.span = loop.span
  const table: ValueTable = []
  const state = head.params.map(p => b.param(p.type, p.name))
  for (const v of values) table[v.id] = b.param(v.type, v.name)
  for (const inst of outside) b.at.insts.push(cloneInst(inst, made, table))
  const inner = cloneInst(loop, made, table)
  if (whole) inner.args = state
  else shorten(b, inner, state, trips)
  made.body.insts.push(inner)
  b.emit('ret', [...inner.results])
  cx.tidy(made)
  if (whole) {
    const call = new Inst('call', [...loop.args, ...values], made, [], loop.span)
    call.results = loop.results
    for (const v of call.results) v.def = call
    region.insts[region.insts.indexOf(loop)] = call
    return true
  }
  // A segment that ends early is the last, so each begins where as many full ones lead.
  const steps = inductions(loop)
  const flags = trueFlags(loop)
  const outer = new Region()
  const c = new Builder(func, outer)
  c.span = loop.span
  const before = new Region()
  loop.args.push(c.within(before, () => c.const(i32, 0)))
  const at = c.param(i32, 'segment', head)
  const begin = head.params.slice(0, -1).map(p => {
    const step = steps.find(s => s.param === p)
    if (flags.has(p)) return c.const(p.type, true)
    if (step === undefined) return p
    const wide = p.type.scalar === 'i64' || p.type.scalar === 'u64'
    return c.add(
      step.start,
      c.mul(c.convert(at, p.type), c.const(p.type, wide ? BigInt(step.step * trips) : step.step * trips)),
    )
  })
  c.emit('next', [...c.call(made, [...begin, ...values]), c.add(at, c.const(i32, 1))])
  loop.regions = [head, outer]
  loop.attr = Math.ceil(bound / trips)
  region.insts.splice(region.insts.indexOf(loop), 0, ...before.insts)
  return true
}

/** Ends the loop of a segment after so many trips, with the carried values as results. */
function shorten(b: Builder, inner: Inst, state: readonly Value[], trips: number): void {
  const [head, body] = inner.regions as [Region, Region]
  inner.attr = trips
  inner.args = [...state, b.const(i32, 0)]
  const k = b.param(i32, 'trip', head)
  const test = head.insts.pop()!
  b.within(head, () => {
    const go = b.emit1('and', [test.args[0]!, b.emit1('lt', [k, b.const(i32, trips)])])
    b.emit('test', [go, ...head.params.slice(0, -1)])
  })
  const next = body.insts.pop()!
  b.within(body, () => b.emit('next', [...next.args, b.add(k, b.const(i32, 1))]))
  inner.results = state.map((p, i) => b.value(p.type, inner, i, p.name))
}
