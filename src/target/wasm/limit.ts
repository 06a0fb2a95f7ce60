/** Counters for hosts that bound what a program does: cells in memory, which the host fills before each call. */
import type { Inst, Func } from '../../ir/value.ts'
import { loopName, tooDeepCalls, tooManyTrips } from '../limits.ts'
import type { Body } from './body.ts'
import { i32, op } from './opcode.ts'

/** Where the counters lie. */
export interface LimitCells {
  readonly trips: number
  readonly depth: number
  /** The number of the loop that began a trip last, counted from 1. */
  readonly where: number
}

/** Counts a trip of a loop, and stops the program where it may make no more. */
export function countTrip(body: Body, inst: Inst): void {
  const { g, plan, func } = body
  const { limits, cells } = plan
  if (limits.bytes !== undefined) {
    const id = plan.loop(loopName(inst, func))
    g.stmt({ kind: 'store', op: op.i32Store, addr: g.i32(0), value: g.i32(id), offset: cells.where, object: undefined })
  }
  if (limits.trips !== undefined) countDown(body, cells.trips, tooManyTrips(loopName(inst, func), limits.trips))
}

/** Makes a call of a function that calls itself one that is counted. */
export function countDepth(body: Body, callee: Func, call: () => void): void {
  const { limits, cells } = body.plan
  if (limits.depth === undefined) {
    call()
    return
  }
  countDown(body, cells.depth, tooDeepCalls(callee, limits.depth))
  call()
  const { g } = body
  const left = g.read(op.i32Load, i32, g.i32(0), cells.depth, false)
  g.stmt({ kind: 'store', op: op.i32Store, addr: g.i32(0), value: g.add(left, g.i32(1)), offset: cells.depth, object: undefined })
}

function countDown(body: Body, at: number, text: string): void {
  const { g, plan } = body
  const left = g.code.local(i32)
  g.stmt({ kind: 'set', local: left, value: g.read(op.i32Load, i32, g.i32(0), at, false) })
  g.when(g.eqz(g.get(left)), () => {
    const { callee, id } = plan.stop(text)
    g.stmt({ kind: 'call', func: callee, args: [g.i32(id)], locals: [], pure: false })
    g.stmt({ kind: 'unreachable' })
    g.at.open = false
  })
  g.stmt({ kind: 'store', op: op.i32Store, addr: g.i32(0), value: g.add(g.get(left), g.i32(-1)), offset: at, object: undefined })
}
