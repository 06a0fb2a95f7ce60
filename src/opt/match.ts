/** Questions about values that many passes ask. */
import * as ops from '../ir/ops.ts'
import { Inst, type Region, type Value } from '../ir/value.ts'

/** The value of a scalar constant. */
export function constantOf(value: Value): number | boolean | bigint | undefined {
  const { def } = value
  if (def.op === ops.constant) return def.attr as number | boolean | bigint
  if (def.op !== ops.zero || value.type.kind !== 'scalar') return undefined
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
export function definedBy(value: Value, op: ops.Op): Inst | undefined {
  const { def } = value
  return def.op === op ? def as Inst : undefined
}

/** True where running the instruction has no effect and no result but its values; it may trap or read memory only if asked for. */
export function isPure(inst: Inst): boolean {
  const { op } = inst
  if (op === ops.call) return isPureCall(inst)
  return op.effect === 'none' && inst.regions.length === 0
}

/** True for a call whose function touches no memory but its own. */
export function isPureCall(inst: Inst): boolean {
  return inst.op === ops.call && (inst.attr as { info: { pure: boolean } }).info.pure
}

/** True for ops whose two operands may change places. */
export function isCommutative(op: ops.Op): boolean {
  return op === ops.add || op === ops.mul || op === ops.and || op === ops.or || op === ops.xor || op === ops.eq || op === ops.ne
}

/** The variable or global that a pointer derives from, where that can be seen. */
export function rootOf(pointer: Value): Inst | undefined {
  let at = pointer
  for (;;) {
    const def = at.def
    if (def.op === undefined) return undefined
    if (def.op === ops.variable || def.op === ops.global) return def
    if (def.op !== ops.field && def.op !== ops.elem) return undefined
    at = def.args[0]!
  }
}

/** True where control goes past the end of the region to what follows its owner. */
export function fallsThrough(region: Region): boolean {
  const end = region.end.op
  return end === ops.yield_ || end === ops.next || end === ops.test
}
