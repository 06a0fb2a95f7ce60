/**
 * Finds the rule by which values follow each other, and writes the one with a number that only a run knows:
 *
 *   [load (elem %p, %t), load (elem %p, %t + 9), load (elem %p, %t + 18)], %i   →   load (elem %p, %t + %i · 9)
 */
import type { Builder } from '../ir/build.ts'
import type { OpName } from '../ir/op.ts'
import * as costs from '../ir/costs.ts'
import * as t from '../ir/type.ts'
import { Inst, type Value } from '../ir/value.ts'
import { isReadOnly } from './alias.ts'
import { offsetOf } from './loops.ts'
import { constantInt, isPure } from './match.ts'

/** Gives the value that has the number `index` of the values of all numbers; undefined where they follow no rule, or only by much work. */
export type Series = (values: readonly Value[]) => Value | undefined

/** What may be done again each time that an element is read. */
const cheap: ReadonlySet<OpName> = new Set(['construct', 'extract', 'global', 'field', 'elem'])

/**
 * Writes values where a builder is. What `late` defines is not known there. Of an array `whole`, the element is `element`.
 */
export function seriesAt(
  b: Builder,
  index: Value,
  late: ReadonlySet<unknown> = new Set(),
  whole?: Value,
  element?: Value,
): Series {
  let left: number = costs.seriesSteps
  const series: Series = values => {
    const first = values[0]!
    const { def, type } = first
    if (!late.has(def) && values.every(v => v === first)) return first
    if (left-- <= 0) return undefined
    const isInt = type === t.i32 || type === t.u32
    if (isInt) {
      const steps = values.map(v => {
        const c = constantInt(v)
        return c === undefined ? offsetOf(v) : ([undefined, c] as const)
      })
      const [base, start] = steps[0]!
      const pace = (steps[1]?.[1] ?? start) - start
      if (
        (base !== first || pace !== 0) &&
        steps.every(([of, offset], k) => of === base && offset === start + k * pace)
      ) {
        const number = (n: number): Value => b.const(type, type === t.i32 ? n | 0 : n >>> 0)
        const from = base === undefined ? number(0) : series([base])
        return from && b.add(b.add(from, b.mul(b.convert(index, type), number(pace))), number(start))
      }
    }
    if (!(def instanceof Inst)) return undefined
    const { op, attr, args } = def
    const all = values.map(v => v.def as Inst)
    if (op === 'extract' && args[0] === whole)
      return all.every((it, k) => it.op === op && it.args[0] === whole && it.attr === k) ? element : undefined
    const mayRepeat =
      op === 'load'
        ? isReadOnly(args[0]!.type.space!)
        : isPure(def) && op !== 'call' && (whole !== undefined || isInt || cheap.has(op))
    const isLike = (it: Inst): boolean =>
      it.op === op && it.attr === attr && it.args.length === args.length && it.results[0]!.type === type
    if (!mayRepeat || !all.every(isLike)) return undefined
    const inner = args.map((_, k) => series(all.map(it => it.args[k]!)))
    return inner.includes(undefined) ? undefined : b.emit1(op as 'extract', inner as Value[], attr as number, type)
  }
  return series
}
