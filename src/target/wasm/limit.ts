/** Counters for limits: cells in memory that the host sets before each call. */
import type { Inst, Func } from '../../ir/value.ts'
import { endless, loopName, tooDeepCalls, tooManyTrips } from '../limits.ts'
import type { Body } from './body.ts'
import type { Node } from './node.ts'
import { i32, op } from './opcode.ts'

/** Counts a trip of a loop, and stops the program where it may make no more. */
export function countTrip(body: Body, inst: Inst): void {
  const { g, plan, func } = body
  const { limits, cells } = plan
  if (body.trips.get(inst) === 0) return
  if (limits.bytes !== undefined) {
    const id = plan.loop(loopName(inst, func))
    g.stmt({ kind: 'store', op: op.i32Store, addr: g.base(), value: g.i32(id), offset: cells.where, object: undefined })
  }
  if (limits.trips !== undefined)
    countDown(body, cells.trips, body.countOf(inst), tooManyTrips(loopName(inst, func), limits.trips))
}

/** Counts a call of a recursive function. */
export function countDepth(body: Body, callee: Func, call: () => void): void {
  const { limits, cells } = body.plan
  if (limits.depth === undefined) {
    call()
    return
  }
  countDown(body, cells.depth, body.g.i32(1), tooDeepCalls(callee, limits.depth))
  call()
  const { g } = body
  const left = g.read(op.i32Load, i32, g.base(), cells.depth, false)
  g.stmt({
    kind: 'store',
    op: op.i32Store,
    addr: g.base(),
    value: g.add(left, g.i32(1)),
    offset: cells.depth,
    object: undefined,
  })
}

/** Stops the program where it comes to a loop that is not there because nothing ends it. Without limits the engine's own trap does. */
export function stopEndless(body: Body, inst: Inst): void {
  const { g, plan, func } = body
  if (Object.values(plan.limits).some(limit => limit !== undefined)) stop(body, endless(loopName(inst, func)))
  else g.stmt({ kind: 'unreachable' })
  g.at.open = false
}

function stop({ g, plan }: Body, text: string): void {
  const { callee, id } = plan.stop(text)
  g.stmt({ kind: 'call', func: callee, args: [g.i32(id)], locals: [], pure: false })
  g.stmt({ kind: 'unreachable' })
}

function countDown(body: Body, at: number, by: Node, text: string): void {
  const { g } = body
  const left = g.code.local(i32)
  g.stmt({ kind: 'set', local: left, value: g.read(op.i32Load, i32, g.base(), at, false) })
  const isOver = by === g.i32(1) ? g.eqz(g.get(left)) : g.pure(op.i32LtU, i32, g.get(left), by)
  g.when(isOver, () => {
    stop(body, text)
    g.at.open = false
  })
  g.stmt({
    kind: 'store',
    op: op.i32Store,
    addr: g.base(),
    value: g.add(g.get(left), g.pure(op.i32Sub, i32, g.i32(0), by)),
    offset: at,
    object: undefined,
  })
}
