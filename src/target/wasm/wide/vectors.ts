/** The vector instructions that do in each lane what one of scalars does. */
import { f32x4, f64x2, i32x4, i64x2, mask2, mask4, op, type VectorType } from '../opcode.ts'

export interface VectorOp {
  readonly code: number
  readonly takes: VectorType
  readonly gives: VectorType
}

/** By the opcode of scalars. */
export const vectorOps: ReadonlyMap<number, VectorOp> = new Map([
  ...alike(f32x4, [
    [op.f32Abs, op.f32x4Abs],
    [op.f32Neg, op.f32x4Neg],
    [op.f32Ceil, op.f32x4Ceil],
    [op.f32Floor, op.f32x4Floor],
    [op.f32Trunc, op.f32x4Trunc],
    [op.f32Nearest, op.f32x4Nearest],
    [op.f32Sqrt, op.f32x4Sqrt],
    [op.f32Add, op.f32x4Add],
    [op.f32Sub, op.f32x4Sub],
    [op.f32Mul, op.f32x4Mul],
    [op.f32Div, op.f32x4Div],
    [op.f32Min, op.f32x4Min],
    [op.f32Max, op.f32x4Max],
  ]),
  ...alike(i32x4, [
    [op.i32Add, op.i32x4Add],
    [op.i32Sub, op.i32x4Sub],
    [op.i32Mul, op.i32x4Mul],
    [op.i32And, op.v128And],
    [op.i32Or, op.v128Or],
    [op.i32Xor, op.v128Xor],
  ]),
  ...alike(f64x2, [
    [op.f64Abs, op.f64x2Abs],
    [op.f64Neg, op.f64x2Neg],
    [op.f64Sqrt, op.f64x2Sqrt],
    [op.f64Add, op.f64x2Add],
    [op.f64Sub, op.f64x2Sub],
    [op.f64Mul, op.f64x2Mul],
    [op.f64Div, op.f64x2Div],
    [op.f64Min, op.f64x2Min],
    [op.f64Max, op.f64x2Max],
  ]),
  ...alike(i64x2, [
    [op.i64Add, op.i64x2Add],
    [op.i64Sub, op.i64x2Sub],
    [op.i64And, op.v128And],
    [op.i64Or, op.v128Or],
    [op.i64Xor, op.v128Xor],
  ]),
  ...across(f32x4, mask4, [
    [op.f32Eq, op.f32x4Eq],
    [op.f32Ne, op.f32x4Ne],
    [op.f32Lt, op.f32x4Lt],
    [op.f32Gt, op.f32x4Gt],
    [op.f32Le, op.f32x4Le],
    [op.f32Ge, op.f32x4Ge],
  ]),
  ...across(i32x4, mask4, [
    [op.i32Eq, op.i32x4Eq],
    [op.i32Ne, op.i32x4Ne],
    [op.i32LtS, op.i32x4LtS],
    [op.i32LtU, op.i32x4LtU],
    [op.i32GtS, op.i32x4GtS],
    [op.i32GtU, op.i32x4GtU],
    [op.i32LeS, op.i32x4LeS],
    [op.i32LeU, op.i32x4LeU],
    [op.i32GeS, op.i32x4GeS],
    [op.i32GeU, op.i32x4GeU],
  ]),
  ...across(f64x2, mask2, [
    [op.f64Eq, op.f64x2Eq],
    [op.f64Ne, op.f64x2Ne],
    [op.f64Lt, op.f64x2Lt],
    [op.f64Gt, op.f64x2Gt],
    [op.f64Le, op.f64x2Le],
    [op.f64Ge, op.f64x2Ge],
  ]),
  ...across(i64x2, mask2, [
    [op.i64Eq, op.i64x2Eq],
    [op.i64Ne, op.i64x2Ne],
  ]),
  ...across(f32x4, i32x4, [
    [op.i32TruncSatF32S, op.i32x4TruncSatF32x4S],
    [op.i32TruncSatF32U, op.i32x4TruncSatF32x4U],
    [op.i32ReinterpretF32, op.nop],
  ]),
  ...across(i32x4, f32x4, [
    [op.f32ConvertI32S, op.f32x4ConvertI32x4S],
    [op.f32ConvertI32U, op.f32x4ConvertI32x4U],
    [op.f32ReinterpretI32, op.nop],
  ]),
  ...across(f64x2, i64x2, [[op.i64ReinterpretF64, op.nop]]),
  ...across(i64x2, f64x2, [[op.f64ReinterpretI64, op.nop]]),
])

/** The shifts of vectors, which take one distance for all lanes. */
export const vectorShifts: ReadonlyMap<number, VectorOp> = new Map([
  ...alike(i32x4, [
    [op.i32Shl, op.i32x4Shl],
    [op.i32ShrS, op.i32x4ShrS],
    [op.i32ShrU, op.i32x4ShrU],
  ]),
  ...alike(i64x2, [
    [op.i64Shl, op.i64x2Shl],
    [op.i64ShrS, op.i64x2ShrS],
    [op.i64ShrU, op.i64x2ShrU],
  ]),
])

type Pairs = readonly (readonly [number, number])[]

function alike(type: VectorType, pairs: Pairs): [number, VectorOp][] {
  return across(type, type, pairs)
}

function across(takes: VectorType, gives: VectorType, pairs: Pairs): [number, VectorOp][] {
  return pairs.map(([scalar, code]) => [scalar, { code, takes, gives }])
}
