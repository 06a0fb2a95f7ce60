/**
 * Stores elements as soon as they are known: where each trip of a loop makes one element of an array, and all that happens to the array
 * afterwards is that its parts are stored to a buffer, the loop stores to the buffer.
 *
 *   loop { … store (elem %a %i) %x … }; %w = load %a; store %p0 (extract 0 %w); store %p1 (extract 1 %w)   →   loop { … store %pi %x … }
 *
 * Gradients of arrays are such arrays. The loop counts down to zero, and elements that it does not reach are zeros.
 */
import { Builder, isZero } from '../ir/build.ts'
import { Exits } from '../ir/exits.ts'
import { Region, type Func, type Inst, type Value } from '../ir/value.ts'
import { substitute, walk, type ValueTable } from '../ir/walk.ts'
import { areApart, pathOf } from './alias.ts'
import { isSilent } from './effects.ts'
import { Locals, remove, type Local } from './locals.ts'
import { inductions, offsetOf, tripBound } from './loops.ts'
import { definedBy, isPure } from './match.ts'
import { seriesAt } from './series.ts'

/** Moves stores of elements into the loops that make these; true where there were some. */
export function storeEarly(func: Func): boolean {
  if (func.body === undefined) return false
  const to: ValueTable = []
  const exits = Exits.in(func)
  for (const local of new Locals(func.body).all.values()) move(func, local, exits, to)
  return substitute(func.body, to)
}

function move(func: Func, { declared, pointer, uses, escapes }: Local, exits: Exits, to: ValueTable): void {
  if (escapes || uses.map(u => u.inst.op).join() !== 'store,elem,load,store,load') return
  const home = declared.region
  const [zero, elem, old, write, load] = uses.map(u => u.inst) as [Inst, Inst, Inst, Inst, Inst]
  const { region } = uses[3]!
  const loop = home.insts.find(inst => inst.op === 'loop' && inst.regions[1] === region) as Inst<'loop'> | undefined
  const [index, place, whole] = [elem.args[1]!, elem.results[0]!, load.results[0]!]
  // Each trip has an element of its own, which is zero until the trip stores it.
  if (
    loop === undefined ||
    uses.some((u, k) => u.region !== (k % 4 === 0 ? home : region)) ||
    old.args[0] !== place ||
    write.args[0] !== place ||
    load.args[0] !== pointer ||
    !isZero(zero.args[1]!)
  )
    return
  const { count } = pointer.type.elem!
  const first = countedFrom(loop, index, count)
  const sinks = sinksOf(func.body!, whole, home)
  if (first === undefined || sinks === undefined) return
  const after = home.insts.indexOf(loop) + 1
  const between = home.insts.slice(after, home.insts.indexOf(sinks[sinks.length - 1]!))
  const isQuiet = (inst: Inst): boolean => sinks.includes(inst) || (isSilent(inst) && !exits.leavesAround(inst))
  if (exits.isLeft(loop) || ![loop, ...between].every(isQuiet)) return
  const b = new Builder(func, new Region())
  const late = new Set(home.insts.slice(after - 1))
  const each = sinks.length / count
  const storeAll = (index: Value, element: Value): boolean => {
    for (let j = 0; j < each; j++) {
      const those = sinks.filter((_, k) => k % each === j)
      const [place, value] = [0, 1].map(a => seriesAt(b, index, late, whole, element)(those.map(s => s.args[a]!)))
      if (place === undefined || value === undefined || those.length !== count) return false
      b.store(place, value)
    }
    return true
  }
  if (!storeAll(index, write.args[1]!)) return
  region.insts.splice(region.insts.indexOf(write), 1, ...b.at.insts)
  b.at = home
  const rest = home.insts.splice(after - 1)
  const none = b.zero(place.type.elem!)
  to[old.results[0]!.id] = none
  home.insts.push(rest.shift()!)
  const start = b.zero(index.type)
  b.each(count, i => storeAll(i, none), index.type, b.select(b.emit1('lt', [first, start]), start, first))
  home.insts.push(...rest)
  remove(home, new Set(sinks))
}

/** Where a loop begins that counts down to zero, if its trips have the indices below that number, all of them below `count`. */
function countedFrom(loop: Inst<'loop'>, index: Value, count: number): Value | undefined {
  const [counter, offset] = offsetOf(index)
  const { end } = loop.regions[0]!
  const test = end.op === 'test' ? definedBy(end.args[0]!, 'gt') : undefined
  const own = inductions(loop).find(i => i.param === counter)
  const fits =
    offset === -1 &&
    own?.step === -1 &&
    test?.args[0] === counter &&
    isZero(test.args[1]!) &&
    (tripBound(loop)?.max ?? Infinity) <= count
  return fits ? own.start : undefined
}

/** The stores of what is made of an array, if nothing else is done with it, and they do not overlap. */
function sinksOf(body: Region, whole: Value, home: Region): Inst[] | undefined {
  const parts = new Set([whole])
  const sinks: Inst[] = []
  let others = false
  walk(body, (inst, region) => {
    if (!inst.args.some(arg => parts.has(arg))) return
    if (isPure(inst)) for (const r of inst.results) parts.add(r)
    else if (inst.op === 'store' && region === home && inst.args[0]!.type.space === 'storage_rw') sinks.push(inst)
    else others = true
  })
  return others || !areApart(sinks.map(s => pathOf(s.args[0]!))) ? undefined : sinks
}
