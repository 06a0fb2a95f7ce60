/** The tangent of one instruction without regions, by the rule of its row. */
import { InternalError } from '../base/diag.ts'
import type { Builder } from '../ir/build.ts'
import { component, differential, type Type } from '../ir/type.ts'
import type { Inst, Value } from '../ir/value.ts'

/** Tangents by operand; undefined is zero. */
export type Tangents = readonly (Value | undefined)[]

/** The index of a component's counterpart in the differential, or -1 where the component has none. */
export function tangentIndex(type: Type, index: number): number {
  return type.kind === 'struct' ? type.diff === null ? -1 : type.diff.fields[index]! : index
}

/**
 * The tangent of the only result of `inst`, given those of its operands; undefined where it is zero. `inst` is a copy
 * whose operands are values of the primal code. `zero` makes the zero of a differential type.
 */
export function tangentOf(b: Builder, inst: Inst, ts: Tangents, zero: (type: Type) => Value): Value | undefined {
  const type = inst.results.length === 1 ? differential(inst.results[0]!.type) : null
  if (type === null || ts.every(t => t === undefined)) return undefined
  const ad = inst.row.ad
  switch (ad.is) {
    case 'flat': return undefined
    case 'structure': throw new InternalError('linearize', `${inst.op} has no rule`)
    case 'smooth': return ad.jvp(b, inst, ts)
    case 'multilinear': {
      let sum: Value | undefined
      for (let i = 0; i < ts.length; i++) {
        const t = ts[i]
        if (t === undefined) continue
        const args = inst.args.map((a, k) => k === i ? t : a)
        const term = b.emit1(inst.op, args, inst.attr, inst.row.type === undefined ? type : undefined)
        sum = sum === undefined ? term : b.add(sum, term)
      }
      return sum
    }
    case 'linear': return linear(b, inst, ts, type, zero)
  }
}

function linear(b: Builder, inst: Inst, ts: Tangents, type: Type, zero: (type: Type) => Value): Value | undefined {
  const orZero = (i: number): Value => ts[i] ?? zero(differential(inst.args[i]!.type)!)
  switch (inst.op) {
    case 'add': return ts[0] === undefined ? ts[1] : ts[1] === undefined ? ts[0] : b.emit1('add', [ts[0], ts[1]])
    case 'sub': return ts[1] === undefined ? ts[0] : ts[0] === undefined ? b.neg(ts[1]) : b.sub(ts[0], ts[1])
    case 'select': return b.select(inst.args[0]!, orZero(1), orZero(2))
    case 'index': return b.emit1('index', [ts[0]!, inst.args[1]!])
    case 'convert': return b.convert(ts[0]!, type)
    case 'extract': {
      const at = tangentIndex(inst.args[0]!.type, inst.attr)
      return at < 0 ? undefined : b.extract(ts[0]!, at)
    }
    case 'insert': {
      const at = tangentIndex(inst.args[0]!.type, inst.attr)
      return at < 0 ? ts[0] : b.insert(orZero(0), at, orZero(1))
    }
    case 'construct': {
      const of = inst.results[0]!.type
      const parts = new Array<Value | undefined>(type.count)
      for (let i = 0; i < inst.args.length; i++) {
        const at = tangentIndex(of, i)
        if (at >= 0) parts[at] = ts[i] ?? zero(differential(component(of, i))!)
      }
      for (let i = 0; i < parts.length; i++) parts[i] ??= zero(component(type, i))
      return b.construct(type, parts as Value[])
    }
    default: return b.emit1(inst.op, inst.args.map((_, i) => orZero(i)), inst.attr, inst.row.type === undefined ? type : undefined)
  }
}
