/** Queries about values and instructions that many passes share. */
import type { Comparison, OpName } from '../ir/op.ts'
import { baseOf } from '../ir/pointer.ts'
import type { Inst } from '../ir/value.ts'
import { type Region, type Value } from '../ir/value.ts'

/** The value of a scalar constant. */
export function constantOf(value: Value): number | boolean | bigint | undefined {
  const { def } = value
  if (def.op === 'const') return def.attr
  if (def.op !== 'zero' || value.type.kind !== 'scalar') return undefined
  const scalar = value.type.scalar
  return scalar === 'bool' ? false : scalar === 'i64' || scalar === 'u64' ? 0n : 0
}

/** The value of a constant integer as a number. */
export function constantInt(value: Value): number | undefined {
  const c = constantOf(value)
  if (typeof c === 'bigint') return Number(c)
  return typeof c === 'number' ? c : undefined
}

/** A constant index that is in range, else undefined. */
export function constantIndex(value: Value, count: number): number | undefined {
  const c = constantInt(value)
  return c !== undefined && Number.isInteger(c) && c >= 0 && c < count ? c : undefined
}

/** The instruction that defines a value, where it is of the given op. */
export function definedBy<K extends OpName>(value: Value, op: K): Inst<K> | undefined {
  const { def } = value
  return def.op === op ? (def as Inst<K>) : undefined
}

/** True if the instruction has no effect but to define its results. */
export function isPure(inst: Inst): boolean {
  if (inst.op === 'call') return isPureCall(inst)
  return inst.row.effect === 'none' && inst.regions.length === 0
}

/** True for a call whose function touches no memory but its own. */
export function isPureCall(inst: Inst): boolean {
  return inst.op === 'call' && inst.attr.info.pure
}

/** True for commutative ops. */
export function isCommutative(op: OpName): boolean {
  return op === 'add' || op === 'mul' || op === 'and' || op === 'or' || op === 'xor' || op === 'eq' || op === 'ne'
}

/** The variable or global that a pointer derives from, if its definition shows it. */
export function rootOf(pointer: Value): Inst | undefined {
  const { def } = baseOf(pointer)
  return def.op === 'var' || def.op === 'global' ? def : undefined
}

/** Index of the region that a `switch` takes for a selector; the default for one that has no label. */
export function caseOf(inst: Inst<'switch'>, selector: number | undefined): number {
  const labels = inst.attr
  for (let i = 0; i < labels.length; i += 2) if (labels[i] === selector) return labels[i + 1]!
  return inst.regions.length - 1
}

/** True if control reaches the instruction after the region's owner from the region's end. */
export function fallsThrough(region: Region): boolean {
  const end = region.end.op
  return end === 'yield' || end === 'next' || end === 'test'
}

/** The opposite comparison. For floats, which may be NaN, only `eq` and `ne` are opposites. */
export const inverse: Readonly<Record<Comparison, Comparison>> = {
  lt: 'ge',
  le: 'gt',
  gt: 'le',
  ge: 'lt',
  eq: 'ne',
  ne: 'eq',
}

/** The same comparison with its operands turned round. */
export const turned: Readonly<Record<Comparison, Comparison>> = {
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
  eq: 'eq',
  ne: 'ne',
}

export function isComparison(op: OpName): op is Comparison {
  return Object.hasOwn(turned, op)
}
