/** What can be said of a loop's trips without running it. */
import * as ops from '../ir/ops.ts'
import { Inst, Region, type Value } from '../ir/value.ts'
import { constantInt } from './match.ts'

/** A carried value that changes by the same amount each trip. */
export interface Induction {
  readonly param: Value
  readonly index: number
  readonly start: Value
  /** A constant. */
  readonly step: Value
  /** True where the step is subtracted. */
  readonly down: boolean
}

/** The carried integers of a loop whose next value is themselves plus or minus a constant. */
export function inductions(loop: Inst): Induction[] {
  const [head, body] = loop.regions as [Region, Region]
  const found: Induction[] = []
  if (body.end.op !== ops.next) return found
  head.params.forEach((param, index) => {
    const next = body.end.args[index]!.def
    if (!(next instanceof Inst) || (next.op !== ops.add && next.op !== ops.sub)) return
    const [x, y] = next.args as [Value, Value]
    if (x === param && constantInt(y) !== undefined) found.push({ param, index, start: loop.args[index]!, step: y, down: next.op === ops.sub })
    else if (y === param && next.op === ops.add && constantInt(x) !== undefined) found.push({ param, index, start: loop.args[index]!, step: x, down: false })
  })
  return found
}

/** How often a loop's body runs: exactly, where nothing leaves it early, and at most. */
export interface TripBound {
  readonly exact: number | undefined
  readonly max: number
}

/** The trips of a loop whose condition compares an induction from a constant with a constant, or is an `and` with such. */
export function tripBound(loop: Inst): TripBound | undefined {
  const head = loop.regions[0]!
  const list = inductions(loop)
  const bounds = conditions(head.end.args[0]!).map(c => boundOf(c, list)).filter(n => n !== undefined)
  const given = typeof loop.attr === 'number' ? [loop.attr] : []
  if (bounds.length + given.length === 0) return undefined
  const max = Math.min(...bounds, ...given)
  const sure = bounds.length === 1 && conditions(head.end.args[0]!).length === 1 && !leaves(loop)
  return { exact: sure ? bounds[0] : undefined, max }
}

function conditions(c: Value): Value[] {
  const def = c.def
  return def instanceof Inst && def.op === ops.and ? def.args.flatMap(conditions) : [c]
}

function leaves(loop: Inst): boolean {
  const inside = (r: Region): boolean => r.insts.some(i =>
    i.op === ops.ret || (i.op === ops.leave && !isInner(i.attr as Inst, loop)) || i.regions.some(inside))
  return inside(loop.regions[1]!)
}

function isInner(target: Inst, loop: Inst): boolean {
  const holds = (r: Region): boolean => r.insts.some(i => i === target || i.regions.some(holds))
  return target !== loop && loop.regions.some(holds)
}

const mirror = new Map([[ops.lt, ops.gt], [ops.le, ops.ge], [ops.gt, ops.lt], [ops.ge, ops.le], [ops.ne, ops.ne]])

function boundOf(c: Value, list: readonly Induction[]): number | undefined {
  const def = c.def
  if (!(def instanceof Inst) || !mirror.has(def.op)) return undefined
  const [x, y] = def.args as [Value, Value]
  let op = def.op
  let i = list.find(v => v.param === x)
  let limit = constantInt(y)
  if (i === undefined) {
    i = list.find(v => v.param === y)
    limit = constantInt(x)
    op = mirror.get(op)!
  }
  const start = i === undefined ? undefined : constantInt(i.start)
  if (i === undefined || limit === undefined || start === undefined) return undefined
  const step = (i.down ? -1 : 1) * constantInt(i.step)!
  if (step === 0) return undefined
  const span = op === ops.lt || op === ops.le ? limit - start : op === ops.gt || op === ops.ge ? start - limit : (limit - start) * Math.sign(step)
  const up = op === ops.lt || op === ops.le || (op === ops.ne && step > 0)
  if (span < 0 || (span === 0 && op !== ops.le && op !== ops.ge)) return op === ops.ne ? undefined : 0
  if (up !== step > 0) return undefined
  const by = Math.abs(step)
  if (op === ops.ne) return span % by === 0 ? span / by : undefined
  return op === ops.lt || op === ops.gt ? Math.ceil(span / by) : Math.floor(span / by) + 1
}
