/** The target intrinsics of WebAssembly: the functions of scalars that calls of the core library become. */
import { InternalError } from '../../base/diag.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'

type Opcodes = Readonly<Record<number, number>>

/** A target intrinsic. For a type that its row does not name, the body of the library's function is compiled. */
export interface Intrinsic {
  /** The instruction that it is, by the type of its operands. */
  readonly opcodes?: Opcodes
  /** What comparisons and choices make of integers, which have no instruction for it. */
  readonly ofIntegers?: 'min' | 'max' | 'abs'
  /** A helper computes it for floats (`elementary.ts`). */
  readonly isElementary?: true
}

const ofFloats = (single: number, double: number): Opcodes => ({ [f32]: single, [f64]: double })
const ofIntegers = (narrow: number, wide: number): Opcodes => ({ [i32]: narrow, [i64]: wide })
const elementary: Intrinsic = { isElementary: true }

/** The target intrinsics by name. */
export const intrinsics: ReadonlyMap<string, Intrinsic> = new Map(
  Object.entries<Intrinsic>({
    abs: { opcodes: ofFloats(op.f32Abs, op.f64Abs), ofIntegers: 'abs' },
    acos: elementary,
    acosh: elementary,
    asin: elementary,
    asinh: elementary,
    atan: elementary,
    atan2: elementary,
    atanh: elementary,
    ceil: { opcodes: ofFloats(op.f32Ceil, op.f64Ceil) },
    copysign: { opcodes: ofFloats(op.f32Copysign, op.f64Copysign) },
    cos: elementary,
    cosh: elementary,
    exp: elementary,
    exp2: elementary,
    floor: { opcodes: ofFloats(op.f32Floor, op.f64Floor) },
    log: elementary,
    log2: elementary,
    max: { opcodes: ofFloats(op.f32Max, op.f64Max), ofIntegers: 'max' },
    min: { opcodes: ofFloats(op.f32Min, op.f64Min), ofIntegers: 'min' },
    nearest: { opcodes: ofFloats(op.f32Nearest, op.f64Nearest) },
    popcnt: { opcodes: ofIntegers(op.i32Popcnt, op.i64Popcnt) },
    pow: elementary,
    sin: elementary,
    sinh: elementary,
    sqrt: { opcodes: ofFloats(op.f32Sqrt, op.f64Sqrt) },
    tan: elementary,
    tanh: elementary,
    trunc: { opcodes: ofFloats(op.f32Trunc, op.f64Trunc) },
  }),
)

/** The target intrinsic of that name. */
export function intrinsicNamed(name: string): Intrinsic {
  const found = intrinsics.get(name)
  if (found === undefined) throw new InternalError('wasm', `no target intrinsic ${name}`)
  return found
}
