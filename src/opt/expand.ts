/**
 * Expands operations that no target has. A sum of arrays or structs becomes sums of their parts, or a loop for a long array. A
 * choice between arrays, structs or matrices becomes an `if`.
 */
import { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import { type Func, type Region, type Value } from '../ir/value.ts'
import { resolved, substitute, type ValueTable } from '../ir/walk.ts'
import { definedBy } from './match.ts'
import * as costs from '../ir/costs.ts'

/** Expands `add` and `select` on composites. */
export function expand(func: Func): boolean {
  if (func.body === undefined) return false
  const replaced: ValueTable = []
  const b = new Builder(func, func.body)
  let changed = false
  const visit = (region: Region): void => {
    const insts = region.insts
    region.insts = []
    for (let i = 0; i < insts.length; i++) {
      const inst = insts[i]!
      b.at = region
      b.span = inst.span
      const result = inst.results[0]
      if (inst.op === 'add' && isComposite(result!.type))
        replaced[result!.id] = sum(
          b,
          result!.type,
          resolved(inst.args[0]!, replaced),
          resolved(inst.args[1]!, replaced),
        )
      else if (
        inst.op === 'select' &&
        inst.args[0]!.type === t.bool &&
        (isComposite(result!.type) || result!.type.kind === 'mat')
      ) {
        replaced[result!.id] = b.choice(inst.args[0]!, inst.args[1]!, inst.args[2]!)
      } else {
        region.insts.push(inst)
        for (let i = 0; i < inst.regions.length; i++) visit(inst.regions[i]!)
        continue
      }
      replaced[result!.id]!.name ||= result!.name
      changed = true
    }
  }
  visit(func.body)
  if (changed) substitute(func.body, replaced)
  return changed
}

function isComposite(type: Type): boolean {
  return type.kind === 'array' || type.kind === 'struct'
}

/** The sum of two values of any type; flags and handles in them come from the first. */
function sum(b: Builder, type: Type, x: Value, y: Value): Value {
  if (type.scalar !== undefined) return type.scalar === 'bool' ? x : b.add(x, y)
  if (type.kind === 'list') return b.emit1('add', [x, y])
  if (!isComposite(type)) return x
  const add = type.diff?.type === type ? type.diff.dadd : undefined
  if (add !== undefined) return b.call(add, [x, y])[0]!
  const limit =
    isWritten(x) || isWritten(y) ? Infinity : isLoaded(x) || isLoaded(y) ? costs.flatSumInMemory : costs.flatSum
  if (type.kind === 'array' && type.count > limit) return sumInLoop(b, type, x, y)
  const parts: Value[] = []
  for (let i = 0; i < type.count; i++) parts.push(sum(b, t.component(type, i), b.extract(x, i), b.extract(y, i)))
  return b.construct(type, parts)
}

/** Whether the elements are written out anyway; the sum with those that are zero costs nothing. */
function isWritten(x: Value): boolean {
  return definedBy(x, 'construct') !== undefined
}

function isLoaded(x: Value): boolean {
  return definedBy(x, 'load') !== undefined
}

function sumInLoop(b: Builder, type: Type, x: Value, y: Value): Value {
  const [to, from] = [b.variable(type, x.name), b.variable(type, y.name)]
  b.store(to, x)
  b.store(from, y)
  const add = (i: Value): void => {
    const place = b.elem(to, i)
    b.store(place, sum(b, type.elem!, b.load(place), b.load(b.elem(from, i))))
  }
  b.each(type.count, add, t.i32)
  return b.load(to)
}
