/** The built-in types: their names, and which interfaces of the core library they conform to. */
import type { InterfaceDecl, StructDecl } from './decl.ts'
import {
  bits,
  intConst,
  isFloatName,
  isIntName,
  isSignedName,
  matrixType,
  scalars,
  stringType,
  vectorType,
  voidType,
  type ScalarName,
  type Type,
} from './type.ts'

const scalarNames: ReadonlyMap<string, ScalarName> = new Map(
  Object.entries({
    bool: 'bool',
    int: 'i32',
    uint: 'u32',
    half: 'f16',
    float: 'f32',
    double: 'f64',
    int8_t: 'i8',
    int16_t: 'i16',
    int32_t: 'i32',
    int64_t: 'i64',
    uint8_t: 'u8',
    uint16_t: 'u16',
    uint32_t: 'u32',
    uint64_t: 'u64',
    float16_t: 'f16',
    float32_t: 'f32',
    float64_t: 'f64',
    dword: 'u32',
    intptr_t: 'i64',
    uintptr_t: 'u64',
    size_t: 'u64',
    ssize_t: 'i64',
    min16float: 'f16',
    min10float: 'f16',
    min16int: 'i16',
    min12int: 'i16',
    min16uint: 'u16',
  }),
)

/** The digits that the name of a vector or matrix ends in. */
const one = 49,
  four = 52

/** The type of a built-in name (`float3x4`, `int16_t`, `void`), or null. */
export function builtinType(name: string): Type | null {
  const scalar = scalarNames.get(name)
  if (scalar !== undefined) return scalars[scalar]
  if (name === 'void') return voidType
  if (name === 'String' || name === 'NativeString' || name === 'string') return stringType
  const last = name.charCodeAt(name.length - 1)
  if (last < one || last > four) return null
  const match = /^([a-z0-9_]*?[a-z_])([1-4])(?:x([1-4]))?$/.exec(name)
  if (match === null) return null
  const base = scalarNames.get(match[1]!)
  if (base === undefined) return null
  const rows = intConst(Number(match[2]))
  return match[3] === undefined
    ? vectorType(scalars[base], rows)
    : matrixType(scalars[base], rows, intConst(Number(match[3])))
}

/** Whether a scalar belongs to a `__Lanewise…` or `__Builtin…` interface. */
function scalarHas(name: ScalarName, iface: string): boolean {
  switch (iface) {
    case '__BuiltinType':
    case 'IComparable':
    case 'IRangedValue':
    case '__LanewiseAny':
      return true
    case '__BuiltinLogicalType':
    case 'ILogical':
      return !isFloatName(name)
    case '__BuiltinArithmeticType':
    case 'IArithmetic':
      return name !== 'bool'
    case '__BuiltinSignedArithmeticType':
      return name !== 'bool' && (isFloatName(name) || isSignedName(name))
    case 'IAtomicable':
    case 'IArithmeticAtomicable':
    case 'ITexelElement':
      return name !== 'bool'
    case '__BuiltinIntegerType':
    case 'IInteger':
    case 'IBitAtomicable':
    case '__LanewiseInt':
      return isIntName(name)
    case '__BuiltinInt32Type':
      return isIntName(name) && bits(name) === 32
    case '__BuiltinInt64Type':
      return isIntName(name) && bits(name) === 64
    case '__LanewiseBits':
      return name !== 'bool' && bits(name) === 32
    case '__BuiltinRealType':
    case '__BuiltinFloatingPointType':
    case 'IFloat':
    case 'IDifferentiable':
    case '__Lanewise':
      return isFloatName(name)
    default:
      return false
  }
}

const shaped = new Set([
  '__Lanewise',
  '__LanewiseInt',
  '__LanewiseBits',
  '__LanewiseAny',
  'IDifferentiable',
  'IArithmetic',
  'IFloat',
  'IInteger',
  'ILogical',
  'IComparable',
])

/** Whether a scalar, or a vector or matrix of it, conforms to an interface of the core library. */
export function builtinConforms(name: ScalarName, isScalar: boolean, iface: InterfaceDecl): boolean {
  return iface.module.isCore && (isScalar || shaped.has(iface.name)) && scalarHas(name, iface.name)
}

/** The core interfaces that a type parameter conforms to because it conforms to another. */
export function impliedBy(iface: string): readonly string[] {
  switch (iface) {
    case '__Lanewise':
      return ['__Lanewise', '__BuiltinFloatingPointType', '__BuiltinRealType']
    case '__LanewiseInt':
      return ['__LanewiseInt', '__BuiltinIntegerType', '__BuiltinInt32Type', '__BuiltinInt64Type', 'IInteger']
    case '__LanewiseAny':
      return ['__Lanewise', '__LanewiseInt', '__LanewiseBits', '__LanewiseAny', '__BuiltinType']
    case '__BuiltinFloatingPointType':
      return ['__BuiltinFloatingPointType', '__BuiltinRealType']
    case 'IDifferentiable':
      return ['IDifferentiable', '__Lanewise', '__BuiltinRealType', '__BuiltinFloatingPointType']
    case 'IAtomicable':
    case 'IArithmeticAtomicable':
      return [iface, '__BuiltinArithmeticType']
    case 'IBitAtomicable':
      return [iface, '__BuiltinIntegerType']
    default:
      return [iface]
  }
}

/** Interfaces whose conforming type parameters behave like numbers: operators, conversions from literals, splats. */
export function isNumeric(iface: string): boolean {
  return (
    iface.startsWith('__Lanewise') ||
    (iface.startsWith('__Builtin') && iface !== '__BuiltinType') ||
    iface === 'IFloat' ||
    iface === 'IArithmetic' ||
    iface === 'IInteger' ||
    iface === 'ILogical'
  )
}

/** Interfaces whose conforming type parameters are floats, and their own differential. */
export function isFloatBound(iface: string): boolean {
  return iface === '__Lanewise' || iface === '__BuiltinFloatingPointType' || iface === '__BuiltinRealType'
}

/** Whether a type is a texture, a sampler or a buffer of the library. */
export function isResource({ module, name }: StructDecl): boolean {
  return module.isCore && /^(?:RW|W)?(?:Texture|Sampler|StructuredBuffer|ByteAddressBuffer|Buffer)/.test(name)
}
