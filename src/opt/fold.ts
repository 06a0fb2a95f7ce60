/** Constant folding: what an op gives on constants, with the rounding and wrapping of its type. */
import { roundTo } from '../base/number.ts'
import type { Constant, LaneOp } from '../ir/op.ts'
import { applyIfTaken, bitcastScalar, convertScalar, wrap } from '../ir/scalar.ts'
import type { ScalarName, Type } from '../ir/type.ts'
import * as t from '../ir/type.ts'
import type { Inst } from '../ir/value.ts'

/** Whether an instruction can be folded at all. */
export function isFoldable(inst: Inst): inst is Inst<LaneOp | 'convert' | 'bitcast'> {
  return inst.row.lanes !== undefined || inst.op === 'convert' || inst.op === 'bitcast'
}

/** The value of an op on scalar constants, as a constant of the result's type; undefined where it has none that targets can write. */
export function fold(
  op: LaneOp | 'convert' | 'bitcast',
  from: Type,
  to: Type,
  x: Constant,
  y: Constant = x,
): Constant | undefined {
  const scalar = from.scalar!
  if (op === 'bitcast') return foldBits(x, scalar, to.scalar!)
  // A constant keeps the digits of the source, for targets that compute floats in double precision; others round it when they print it.
  if (op === 'convert' && scalar === 'f64' && to === t.f32)
    return finite(Math.fround(Number(x))) === undefined ? undefined : x
  return finite(
    op === 'convert' ? convertScalar(scalar, to.scalar!, exact(x, scalar), 'f32') : evaluate(op, scalar, x, y),
  )
}

/** What an op gives on scalar constants, which may be infinite or NaN. */
export function evaluate(op: LaneOp, scalar: ScalarName, x: Constant, y: Constant = x): Constant | undefined {
  return applyIfTaken(op, scalar, exact(x, scalar), exact(y, scalar), 'f32')
}

/** A number rounded or wrapped to the scalar type; undefined where it is not finite. */
export function fit(value: number, scalar: ScalarName): Constant | undefined {
  return finite(wrap(scalar, value, 'f32'))
}

/** Constants of floats may have more digits than their type. */
function exact(x: Constant, scalar: ScalarName): Constant {
  return typeof x === 'number' ? roundTo(scalar, x) : x
}

/** Targets cannot write infinities and NaN as constants, so these are never made. */
function finite(x: Constant | undefined): Constant | undefined {
  return typeof x === 'number' && !Number.isFinite(x) ? undefined : x
}

const words: ReadonlySet<ScalarName> = new Set(['f32', 'i32', 'u32'])

function foldBits(x: Constant, from: ScalarName, to: ScalarName): Constant | undefined {
  if (!words.has(from) || !words.has(to)) return undefined
  const y = bitcastScalar(from, to, x)
  // Targets may flush denormals that are written as numbers.
  return to === 'f32' && typeof y === 'number' && y !== 0 && Math.abs(y) < 2 ** -126 ? undefined : finite(y)
}
