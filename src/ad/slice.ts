/**
 * The part of a loop that makes one of its results. The reverse pass can run it again where nothing can be kept: in a loop around of
 * which no bound is known.
 *
 *     %sum, %n = loop 0, 0 (%s, %j) { test (lt %j %c), %s, %j } { …; next (add %s %x), (add %j 1) }
 *         %n →   loop 0 (%j) { test (lt %j %c), %j } { next (add %j 1) }
 */
import { Inst, Region, Value, type Func } from '../ir/value.ts'
import { captured, cloneInst, mapValues, type ValueTable } from '../ir/walk.ts'

export interface Slice {
  /** The carried values that it needs, by number. */
  readonly carried: readonly number[]
  /** The instructions that it needs of the head and of the body. */
  readonly insts: ReadonlySet<Inst>
  /** The values that it needs from outside, first values of what it carries included. */
  readonly from: readonly Value[]
}

/** The slice for a result of a loop. Undefined if it needs an instruction that may not be done again. */
export function sliceOf(result: Value, func: Func, mayRepeat: (inst: Inst) => boolean): Slice | undefined {
  const loop = result.def as Inst
  const [head, body] = loop.regions as [Region, Region]
  if (head.end.op !== 'test' || body.end.op !== 'next') return undefined
  const inside = new Set([...head.insts, ...body.insts])
  const carried = new Set<number>()
  const insts = new Set<Inst>()
  const from = new Set<Value>()
  const open = [head.end.args[0]!, head.end.args[result.index + 1]!]
  for (let v = open.pop(); v !== undefined; v = open.pop()) {
    const { def } = v
    if (def === head) {
      if (carried.has(v.index)) continue
      carried.add(v.index)
      from.add(loop.args[v.index]!)
      open.push(body.end.args[v.index]!)
    } else if (def instanceof Inst && inside.has(def)) {
      if (insts.has(def)) continue
      if (!mayRepeat(def)) return undefined
      insts.add(def)
      // The body of a loop uses what its head defines.
      const own = new Set(def.regions.flatMap(r => [...r.params, ...r.insts.flatMap(inner => inner.results)]))
      open.push(...def.args, ...def.regions.flatMap(r => captured(r, func)).filter(u => !own.has(u)))
    } else from.add(v)
  }
  return { carried: [...carried].sort((a, b) => a - b), insts, from: [...from] }
}

/** The loop that makes a result again. `values` says what stands for values from outside. */
export function cloneSlice({ carried, insts }: Slice, result: Value, into: Func, values: ValueTable): Inst<'loop'> {
  const loop = result.def as Inst<'loop'>
  const [head, body] = loop.regions as [Region, Region]
  const [newHead, newBody] = [new Region(), new Region()]
  const inits = mapValues(
    carried.map(k => loop.args[k]!),
    values,
  )
  const copy = new Inst('loop', inits, loop.attr, [newHead, newBody], loop.span)
  newHead.params = carried.map((k, i) => {
    const { id, type, name } = head.params[k]!
    return (values[id] = new Value(into.nextValue++, type, newHead, i, name))
  })
  for (const [old, made] of [
    [head, newHead],
    [body, newBody],
  ] as const)
    for (const inst of old.insts) if (insts.has(inst)) made.insts.push(cloneInst(inst, into, values))
  const exits = mapValues([head.end.args[0]!, head.end.args[result.index + 1]!], values)
  newHead.insts.push(new Inst('test', exits, null, [], head.end.span))
  const nexts = mapValues(
    carried.map(k => body.end.args[k]!),
    values,
  )
  newBody.insts.push(new Inst('next', nexts, null, [], body.end.span))
  copy.results = [new Value(into.nextValue++, result.type, copy, 0, result.name)]
  return copy
}
