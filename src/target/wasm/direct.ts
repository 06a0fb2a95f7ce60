/** Operations that are one instruction of WebAssembly: its opcode by scalar. `scalar.ts` makes the others of several. */
import type { LaneOp } from '../../ir/op.ts'
import type { ScalarName } from '../../ir/type.ts'
import { op } from './opcode.ts'

type Opcodes = Readonly<Partial<Record<ScalarName, number>>>

export const direct: Readonly<Record<LaneOp, Opcodes>> = {
  add: { f32: op.f32Add, f64: op.f64Add, i32: op.i32Add, u32: op.i32Add, i64: op.i64Add, u64: op.i64Add },
  sub: { f32: op.f32Sub, f64: op.f64Sub, i32: op.i32Sub, u32: op.i32Sub, i64: op.i64Sub, u64: op.i64Sub },
  mul: { f32: op.f32Mul, f64: op.f64Mul, i32: op.i32Mul, u32: op.i32Mul, i64: op.i64Mul, u64: op.i64Mul },
  div: { f32: op.f32Div, f64: op.f64Div },
  neg: { f32: op.f32Neg, f64: op.f64Neg },
  and: { i32: op.i32And, u32: op.i32And, bool: op.i32And, i64: op.i64And, u64: op.i64And },
  or: { i32: op.i32Or, u32: op.i32Or, bool: op.i32Or, i64: op.i64Or, u64: op.i64Or },
  xor: { i32: op.i32Xor, u32: op.i32Xor, bool: op.i32Xor, i64: op.i64Xor, u64: op.i64Xor },
  shl: { i32: op.i32Shl, u32: op.i32Shl, i64: op.i64Shl, u64: op.i64Shl },
  shr: { i32: op.i32ShrS, u32: op.i32ShrU, i64: op.i64ShrS, u64: op.i64ShrU },
  lt: { f32: op.f32Lt, f64: op.f64Lt, i32: op.i32LtS, u32: op.i32LtU, i64: op.i64LtS, u64: op.i64LtU },
  le: { f32: op.f32Le, f64: op.f64Le, i32: op.i32LeS, u32: op.i32LeU, i64: op.i64LeS, u64: op.i64LeU },
  gt: { f32: op.f32Gt, f64: op.f64Gt, i32: op.i32GtS, u32: op.i32GtU, i64: op.i64GtS, u64: op.i64GtU },
  ge: { f32: op.f32Ge, f64: op.f64Ge, i32: op.i32GeS, u32: op.i32GeU, i64: op.i64GeS, u64: op.i64GeU },
  eq: { f32: op.f32Eq, f64: op.f64Eq, i32: op.i32Eq, u32: op.i32Eq, bool: op.i32Eq, i64: op.i64Eq, u64: op.i64Eq },
  ne: { f32: op.f32Ne, f64: op.f64Ne, i32: op.i32Ne, u32: op.i32Ne, bool: op.i32Ne, i64: op.i64Ne, u64: op.i64Ne },
  rem: {},
  not: {},
}
