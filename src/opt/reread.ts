/**
 * Reads elements again where they came from: an array that only holds a copy of memory that nothing writes need not be kept.
 *
 *   store %a, (construct (load (elem %buffer %t)), (load (elem %buffer %t + 1)) …); load (elem %a %i)   →   load (elem %buffer %t + %i)
 */
import { Builder } from '../ir/build.ts'
import { Region, type Func, type Inst, type Value } from '../ir/value.ts'
import { substitute, type ValueTable } from '../ir/walk.ts'
import { Locals, type Local } from './locals.ts'
import { definedBy } from './match.ts'
import { seriesAt } from './series.ts'

/** Reads elements of copies where they came from; true where there were some. */
export function reread(func: Func): boolean {
  if (func.body === undefined) return false
  const to: ValueTable = []
  for (const local of new Locals(func.body).all.values()) if (isCopy(local)) replaceLoads(func, local, to)
  return substitute(func.body, to)
}

/** True for a variable that is stored once, before all else, part by part. */
function isCopy({ declared, stores: [store, ...more], writes, uses, escapes }: Local): boolean {
  return (
    more.length + writes.length === 0 &&
    !escapes &&
    store !== undefined &&
    store === uses[0] &&
    store.region === declared.region &&
    store.inst.args[1]!.def.op === 'construct'
  )
}

function replaceLoads(func: Func, { pointer, stores, uses }: Local, to: ValueTable): void {
  const elements = stores[0]!.inst.args[1]!.def as Inst
  const reads = uses
    .filter(({ inst }) => inst.op === 'load')
    .map(({ inst, region }) => {
      const b = new Builder(func, new Region())
      const of = (p: Value): Value | undefined => {
        const elem = definedBy(p, 'elem')
        if (elem?.args[0] === pointer) return seriesAt(b, elem.args[1]!)(elements.args)
        const field = definedBy(p, 'field')
        const whole = field && of(field.args[0]!)
        return whole && b.extract(whole, field.attr)
      }
      return { inst, insts: region.insts, value: of(inst.args[0]!), from: b.at.insts }
    })
  if (reads.some(({ value }) => value === undefined)) return
  for (const { inst, insts, value, from } of reads) {
    insts.splice(insts.indexOf(inst), 1, ...from)
    to[inst.results[0]!.id] = value
  }
}
