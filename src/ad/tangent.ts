/** The tangent of one instruction without regions, by the rule of its row. */
import { InternalError } from '../base/diag.ts'
import type { Builder } from '../ir/build.ts'
import type { Tangents } from '../ir/op.ts'
import { differential, type Type } from '../ir/type.ts'
import type { Inst, Value } from '../ir/value.ts'

/**
 * The tangent of the only result of `inst`, given the tangents of its operands; undefined if it is zero. `inst` is a copy whose
 * operands are values of the primal code. `zero` makes the zero of a differential type.
 */
export function tangentOf(b: Builder, inst: Inst, ts: Tangents, zero: (type: Type) => Value): Value | undefined {
  const type = inst.results.length === 1 ? differential(inst.results[0]!.type) : null
  if (type === null || ts.every(t => t === undefined)) return undefined
  const { ad } = inst.row
  const itself = (args: Value[]): Value =>
    b.emit1(inst.op, args, inst.attr, inst.row.type === undefined ? type : undefined)
  switch (ad.is) {
    case 'flat':
      return undefined
    case 'structure':
      throw new InternalError('linearize', `${inst.op} has no rule`)
    case 'smooth':
      return ad.jvp(b, inst, ts, zero)
    case 'linear':
      return ad.jvp !== undefined
        ? ad.jvp(b, inst, ts, zero)
        : itself(inst.args.map((a, i) => ts[i] ?? zero(differential(a.type)!)))
    case 'multilinear': {
      let sum: Value | undefined
      for (let i = 0; i < ts.length; i++) {
        const t = ts[i]
        if (t === undefined) continue
        const term = itself(inst.args.map((a, k) => (k === i ? t : a)))
        sum = sum === undefined ? term : b.add(sum, term)
      }
      return sum
    }
  }
}
