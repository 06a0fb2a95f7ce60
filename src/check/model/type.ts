/**
 * Types and integer values of the language: how they are made, compared, substituted and shown. They are compared by `key`, a
 * string that is equal exactly for equal types, so nothing has to be interned. Types of generic code mention parameters;
 * `substitute` replaces them. If an associated type can be looked up (`T.Differential` with T = float), only
 * `CheckedProgram.substitute` normalises it, since it knows conformances. The function here only replaces.
 */
import { shownInterface } from './conjunct.ts'
import { LimitReached, deepest } from '../../base/limits.ts'
import type {
  AssocDecl,
  AssocType,
  EnumDecl,
  EnumType,
  FuncParam,
  GenericArg,
  Int,
  IntOp,
  InterfaceDecl,
  InterfaceType,
  ParamType,
  ScalarName,
  ScalarType,
  StructDecl,
  StructType,
  ThisType,
  Type,
  TypeParamDecl,
  ValueParamDecl,
} from './decl.ts'

export type {
  ArrayType,
  AssocType,
  Direction,
  EnumType,
  ErrorType,
  FuncParam,
  FuncType,
  GenericArg,
  Int,
  IntOp,
  InterfaceType,
  MatrixType,
  ParamType,
  ScalarName,
  ScalarType,
  ShapeType,
  StringType,
  StructType,
  ThisType,
  Type,
  VectorType,
  VoidType,
} from './decl.ts'

// ── Integers ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const errorInt: Int = { kind: 'error', key: '?' }

export function intConst(value: number): Int {
  return { kind: 'const', key: `${value}`, value }
}

export function intParam(decl: ValueParamDecl): Int {
  return { kind: 'param', key: `#${decl.id}`, decl }
}

export function intMember(base: Type, name: string): Int {
  return { kind: 'member', key: `${base.key}.${name}`, base, name }
}

/** The result of an operator on 32-bit integers, or null if it is undefined (division by zero). */
export function foldInt(op: IntOp, a: number, b: number): number | null {
  switch (op) {
    case '+':
      return (a + b) | 0
    case '-':
      return (a - b) | 0
    case '*':
      return Math.imul(a, b)
    case '/':
      return b === 0 ? null : Math.trunc(a / b)
    case '%':
      return b === 0 ? null : a % b
    case '<<':
      return b > 31 ? 0 : a << b
    case '>>':
      return a >> Math.min(b, 31)
    case '&':
      return a & b
    case '|':
      return a | b
    case '^':
      return a ^ b
    case 'min':
      return Math.min(a, b)
    case 'max':
      return Math.max(a, b)
    case '<':
      return +(a < b)
    case '<=':
      return +(a <= b)
    case '>':
      return +(a > b)
    case '>=':
      return +(a >= b)
    case '==':
      return +(a === b)
    case '!=':
      return +(a !== b)
  }
}

const commutative = '+*&|^'

/** An operation on integers: folded where both are known, else in one of the equal forms (`N+1` and `1+N` are the same). */
export function intOp(op: IntOp, left: Int, right: Int): Int {
  if (left.kind === 'error' || right.kind === 'error') return errorInt
  if (left.kind === 'const' && right.kind === 'const') {
    const value = foldInt(op, left.value, right.value)
    return value === null ? errorInt : intConst(value)
  }
  if (op === '-' && right.kind === 'const') return intOp('+', left, intConst(-right.value))
  if (commutative.includes(op)) {
    if (left.kind === 'const' || (right.kind !== 'const' && left.key > right.key)) [left, right] = [right, left]
    if (right.kind === 'const') {
      if (right.value === 0 && op === '+') return left
      if (right.value === 1 && op === '*') return left
      if (left.kind === 'op' && left.op === op && left.right.kind === 'const')
        return intOp(op, left.left, intOp(op, left.right, right))
    }
  }
  return { kind: 'op', key: `(${left.key}${op}${right.key})`, op, left, right }
}

/** The operand that a condition chooses. It is known if that operand is, whatever the other is. */
export function intChoice(cond: Int, then: () => Int, otherwise: () => Int): Int {
  if (cond.kind === 'const') return cond.value !== 0 ? then() : otherwise()
  const [a, b] = [then(), otherwise()]
  return { kind: 'choice', key: `(${cond.key}?${a.key}:${b.key})`, cond, then: a, otherwise: b }
}

// ── Types ────────────────────────────────────────────────────────────────────────────────────────────────────────

export const errorType: Type = { kind: 'error', key: '!' }
export const voidType: Type = { kind: 'void', key: 'void' }
export const stringType: Type = { kind: 'string', key: 'String' }

const scalarOf = (name: ScalarName): ScalarType => ({ kind: 'scalar', key: name, name })
export const scalars: Readonly<Record<ScalarName, ScalarType>> = {
  bool: scalarOf('bool'),
  i8: scalarOf('i8'),
  i16: scalarOf('i16'),
  i32: scalarOf('i32'),
  i64: scalarOf('i64'),
  u8: scalarOf('u8'),
  u16: scalarOf('u16'),
  u32: scalarOf('u32'),
  u64: scalarOf('u64'),
  f16: scalarOf('f16'),
  f32: scalarOf('f32'),
  f64: scalarOf('f64'),
}
export const boolType: ScalarType = scalars.bool
export const intType: ScalarType = scalars.i32
export const uintType: ScalarType = scalars.u32
export const floatType: ScalarType = scalars.f32

// Types without parameters, of which there are few: their keys are made, and hashed, once.
const vectors = new Map<Type, Type[]>()
const nullary = new WeakMap<StructDecl | InterfaceDecl, StructType | InterfaceType>()

export function vectorType(elem: Type, count: Int): Type {
  if (elem.kind !== 'scalar' || count.kind !== 'const' || count.value > 4) return newVector(elem, count)
  let known = vectors.get(elem)
  if (known === undefined) vectors.set(elem, (known = []))
  return (known[count.value] ??= newVector(elem, count))
}

function newVector(elem: Type, count: Int): Type {
  return { kind: 'vector', key: `v${count.key}<${elem.key}>`, elem, count }
}

export function matrixType(elem: Type, rows: Int, cols: Int, turned = false): Type {
  return { kind: 'matrix', key: `${turned ? 't' : 'm'}${rows.key}x${cols.key}<${elem.key}>`, elem, rows, cols, turned }
}

/** The matrix, or array of matrices, with the other order of rows and columns in memory, or with the default one. */
export function withOrder(type: Type, turned: boolean): Type {
  if (type.kind === 'matrix') return type.turned === turned ? type : matrixType(type.elem, type.rows, type.cols, turned)
  if (type.kind !== 'array') return type
  const elem = withOrder(type.elem, turned)
  return elem === type.elem ? type : arrayType(elem, type.count)
}

export function arrayType(elem: Type, count: Int | null): Type {
  return {
    kind: 'array',
    key: `${elem.key}[${count === null ? '' : count.key}]`,
    elem,
    count,
    levels: levelAbove([elem]),
  }
}

/** The longest name of a type. Substitution could otherwise go on making longer ones. */
const longestKey = 1_000_000

function argKeys(args: readonly GenericArg[]): string {
  if (args.length === 0) return ''
  let length = args.length
  for (const a of args) length += a.key.length
  if (length > longestKey) throw new LimitReached('typeText', longestKey, undefined)
  return `<${args.map(a => a.key).join(',')}>`
}

/** How many levels of generic types and arrays a type has. */
function levelsOf(type: GenericArg): number {
  return 'levels' in type ? type.levels : 0
}

/** One level more than the deepest of some types. Code that looks into types recurses. */
function levelAbove(types: readonly GenericArg[]): number {
  let levels = 0
  for (const t of types) levels = Math.max(levels, levelsOf(t))
  if (levels >= deepest) throw new LimitReached('nesting', deepest, undefined)
  return levels + 1
}

export function structType(decl: StructDecl, args: readonly GenericArg[]): StructType {
  return declared('struct', decl, args) as StructType
}

export function interfaceType(decl: InterfaceDecl, args: readonly GenericArg[]): InterfaceType {
  return declared('interface', decl, args) as InterfaceType
}

function declared(
  kind: 'struct' | 'interface',
  decl: StructDecl | InterfaceDecl,
  args: readonly GenericArg[],
): StructType | InterfaceType {
  const known = args.length > 0 ? undefined : nullary.get(decl)
  if (known !== undefined) return known
  const made = {
    kind,
    key: `${decl.name}@${decl.id}${argKeys(args)}`,
    decl,
    args,
    levels: args.length === 0 ? 0 : levelAbove(args),
  } as StructType | InterfaceType
  if (args.length === 0) nullary.set(decl, made)
  return made
}

export function enumType(decl: EnumDecl): EnumType {
  return { kind: 'enum', key: `${decl.name}@${decl.id}`, decl }
}

export function paramType(decl: TypeParamDecl): ParamType {
  return { kind: 'param', key: `${decl.name}#${decl.id}`, decl }
}

export function thisType(decl: InterfaceDecl): ThisType {
  return { kind: 'this', key: `This@${decl.id}`, decl }
}

export function assocType(base: Type, iface: InterfaceType, decl: AssocDecl): AssocType {
  return { kind: 'assoc', key: `${base.key}.${decl.name}`, base, iface, decl }
}

/** The type with a given scalar in the shape of another. */
export function shapeType(scalar: Type, of: Type): Type {
  switch (of.kind) {
    case 'scalar':
    case 'enum':
      return scalar
    case 'vector':
      return vectorType(scalar, of.count)
    case 'matrix':
      return matrixType(scalar, of.rows, of.cols)
    case 'error':
      return errorType
    case 'shape':
      return shapeType(scalar, of.of)
    default:
      return { kind: 'shape', key: `shape<${scalar.key},${of.key}>`, scalar, of }
  }
}

/** `bool`, or the boolean vector or matrix of the shape of a type. */
export function boolShape(of: Type): Type {
  return shapeType(boolType, of)
}

export function funcType(params: readonly FuncParam[], result: Type): Type {
  const key = params.map(p => `${p.noDiff ? 'no_diff ' : ''}${p.dir} ${p.type.key}`).join(',')
  return { kind: 'func', key: `(${key})->${result.key}`, params, result }
}

// ── Questions ────────────────────────────────────────────────────────────────────────────────────────────────────

export function same(a: GenericArg, b: GenericArg): boolean {
  return a === b || a.key === b.key
}

export function isInt(arg: GenericArg): arg is Int {
  return (
    arg.kind === 'const' ||
    arg.kind === 'op' ||
    arg.kind === 'choice' ||
    arg.kind === 'member' ||
    (arg.kind === 'param' && arg.decl.kind === 'valueparam') ||
    arg.key === errorInt.key
  )
}

/** The scalar of a scalar, vector or matrix whose element is known, else null. */
export function scalarName(type: Type): ScalarName | null {
  if (type.kind === 'scalar') return type.name
  if ((type.kind === 'vector' || type.kind === 'matrix') && type.elem.kind === 'scalar') return type.elem.name
  return null
}

export function isFloatName(name: ScalarName): boolean {
  return name === 'f32' || name === 'f64' || name === 'f16'
}

export function isIntName(name: ScalarName): boolean {
  return name !== 'bool' && !isFloatName(name)
}

export function isSignedName(name: ScalarName): boolean {
  return name.charCodeAt(0) === 105
}

/** More elements than this, of any type, have more bytes than a target can address. */
export const maxElements: number = 0x3fffffff

export function bits(name: ScalarName): number {
  return name === 'bool' ? 1 : Number(name.slice(1))
}

/** The number behind a constant, or null. */
export function known(value: Int | null): number | null {
  return value !== null && value.kind === 'const' ? value.value : null
}

/** A type whose members are known only by its bounds. */
export function isOpen(type: Type): boolean {
  return type.kind === 'param' || type.kind === 'this' || type.kind === 'assoc'
}

/** `ConstantBuffer<T>` and `ParameterBlock<T>`. */
export function isWrapper(type: StructType): boolean {
  return type.decl.intrinsic === 'ConstantBuffer' || type.decl.intrinsic === 'ParameterBlock'
}

/** Whether an error type stands anywhere in it, so that a message about it would only repeat an earlier one. */
export function poisoned(type: GenericArg): boolean {
  switch (type.kind) {
    case 'error':
      return true
    case 'vector':
      return poisoned(type.elem) || poisoned(type.count)
    case 'matrix':
      return poisoned(type.elem) || poisoned(type.rows) || poisoned(type.cols)
    case 'array':
      return poisoned(type.elem) || (type.count !== null && poisoned(type.count))
    case 'struct':
    case 'interface':
      return type.args.some(poisoned)
    case 'assoc':
      return poisoned(type.base)
    case 'shape':
      return poisoned(type.scalar) || poisoned(type.of)
    case 'func':
      return poisoned(type.result) || type.params.some(p => poisoned(p.type))
    default:
      return false
  }
}

/** Whether a generic parameter, `This` or an associated type of one stands anywhere in it. */
export function isGeneric(type: GenericArg): boolean {
  switch (type.kind) {
    case 'param':
    case 'this':
    case 'assoc':
    case 'shape':
    case 'member':
      return true
    case 'op':
      return isGeneric(type.left) || isGeneric(type.right)
    case 'choice':
      return true
    case 'vector':
      return isGeneric(type.elem) || isGeneric(type.count)
    case 'matrix':
      return isGeneric(type.elem) || isGeneric(type.rows) || isGeneric(type.cols)
    case 'array':
      return isGeneric(type.elem) || (type.count !== null && isGeneric(type.count))
    case 'struct':
    case 'interface':
      return type.args.some(isGeneric)
    case 'func':
      return isGeneric(type.result) || type.params.some(p => isGeneric(p.type))
    default:
      return false
  }
}

// ── Substitution ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Generic parameters (by `id`) to arguments, and what `This` is. Parameters that are not listed stay. */
export interface Subst {
  readonly args: ReadonlyMap<number, GenericArg>
  readonly self: Type | null
}

export const noSubst: Subst = { args: new Map(), self: null }

/** A string that is equal for equal substitutions. */
export function substKey(subst: Subst): string {
  if (subst.args.size === 0 && subst.self === null) return ''
  return `${[...subst.args].map(([id, arg]) => `${id}=${arg.key}`).join(',')}${subst.self === null ? '' : `;${subst.self.key}`}`
}

/** Makes the constant that an interface requires of a replaced type. */
export type MakeMember = (base: Type, name: string) => Int

export function substituteInt(value: Int, subst: Subst, member: MakeMember = intMember): Int {
  const put = (part: Int): Int => substituteInt(part, subst, member)
  switch (value.kind) {
    case 'param': {
      const arg = subst.args.get(value.decl.id)
      return arg === undefined ? value : (arg as Int)
    }
    case 'op':
      return intOp(value.op, put(value.left), put(value.right))
    case 'choice':
      return intChoice(
        put(value.cond),
        () => put(value.then),
        () => put(value.otherwise),
      )
    case 'member':
      return member(substitute(value.base, subst), value.name)
    default:
      return value
  }
}

export function substituteArg(arg: GenericArg, subst: Subst): GenericArg {
  return isInt(arg) ? substituteInt(arg, subst) : substitute(arg, subst)
}

/** Makes the associated type of a replaced base. */
export type MakeAssoc = (base: Type, iface: InterfaceType, decl: AssocDecl) => Type

/**
 * Replaces parameters. `assoc` and `member` look up associated types and constants of types that become concrete; without these
 * functions they stay.
 */
export function substitute(
  type: Type,
  subst: Subst,
  assoc: MakeAssoc = assocType,
  member: MakeMember = intMember,
): Type {
  if (subst.args.size === 0 && subst.self === null) return type
  const arg = (a: GenericArg): GenericArg =>
    isInt(a) ? substituteInt(a, subst, member) : substitute(a, subst, assoc, member)
  switch (type.kind) {
    case 'param': {
      const to = subst.args.get(type.decl.id)
      return to === undefined ? type : (to as Type)
    }
    case 'this':
      return subst.self ?? type
    case 'vector':
      return vectorType(substitute(type.elem, subst, assoc, member), substituteInt(type.count, subst, member))
    case 'matrix':
      return matrixType(
        substitute(type.elem, subst, assoc, member),
        substituteInt(type.rows, subst, member),
        substituteInt(type.cols, subst, member),
        type.turned,
      )
    case 'array':
      return arrayType(
        substitute(type.elem, subst, assoc, member),
        type.count === null ? null : substituteInt(type.count, subst, member),
      )
    case 'struct':
      return type.args.length === 0 ? type : structType(type.decl, type.args.map(arg))
    case 'interface':
      return type.args.length === 0 ? type : interfaceType(type.decl, type.args.map(arg))
    case 'assoc':
      return assoc(
        substitute(type.base, subst, assoc, member),
        substitute(type.iface, subst, assoc, member) as InterfaceType,
        type.decl,
      )
    case 'shape':
      return shapeType(substitute(type.scalar, subst, assoc, member), substitute(type.of, subst, assoc, member))
    case 'func':
      return funcType(
        type.params.map(p => ({ ...p, type: substitute(p.type, subst, assoc, member) })),
        substitute(type.result, subst, assoc, member),
      )
    default:
      return type
  }
}

/** The substitution that does `first` and then `then`. */
export function compose(first: Subst, then: Subst): Subst {
  if (first.args.size === 0 && first.self === null) return then
  const args = new Map<number, GenericArg>()
  for (const [id, arg] of first.args) args.set(id, substituteArg(arg, then))
  for (const [id, arg] of then.args) if (!args.has(id)) args.set(id, arg)
  return { args, self: first.self === null ? then.self : substitute(first.self, then) }
}

// ── Spelling ─────────────────────────────────────────────────────────────────────────────────────────────────────

const spelled: Readonly<Record<ScalarName, string>> = {
  bool: 'bool',
  i8: 'int8_t',
  i16: 'int16_t',
  i32: 'int',
  i64: 'int64_t',
  u8: 'uint8_t',
  u16: 'uint16_t',
  u32: 'uint',
  u64: 'uint64_t',
  f16: 'half',
  f32: 'float',
  f64: 'double',
}

function showArgs(args: readonly GenericArg[]): string {
  return args.length === 0 ? '' : `<${args.map(show).join(', ').replace(', DefaultDataLayout', '')}>`
}

/** A type or integer as a user would write it, for messages. */
export function show(type: GenericArg): string {
  switch (type.kind) {
    case 'error':
      return '?'
    case 'void':
      return 'void'
    case 'string':
      return 'String'
    case 'scalar':
      return spelled[type.name]
    case 'vector':
      return type.elem.kind === 'scalar' && type.count.kind === 'const'
        ? `${show(type.elem)}${type.count.value}`
        : `vector<${show(type.elem)}, ${show(type.count)}>`
    case 'matrix':
      return type.elem.kind === 'scalar' && type.rows.kind === 'const' && type.cols.kind === 'const'
        ? `${show(type.elem)}${type.rows.value}x${type.cols.value}`
        : `matrix<${show(type.elem)}, ${show(type.rows)}, ${show(type.cols)}>`
    case 'array': {
      let elem: Type = type
      let dims = ''
      while (elem.kind === 'array') {
        dims = `[${elem.count === null ? '' : show(elem.count)}]${dims}`
        elem = elem.elem
      }
      return show(elem) + dims
    }
    case 'struct':
      if (type.decl.intrinsic === 'Ptr' && type.args[1]?.key === '0') return `${show(type.args[0]!)}*`
      return (type.decl.nested ?? type.decl.name).replace(/^__Tuple\d/, 'Tuple') + showArgs(type.args)
    case 'interface':
      return shownInterface(type, show)
    case 'enum':
    case 'param':
      return type.decl.name
    case 'this':
      return 'This'
    case 'assoc':
      return `${show(type.base)}.${type.decl.name}`
    case 'shape':
      return `__Shape<${show(type.scalar)}, ${show(type.of)}>`
    case 'func':
      return `(${type.params.map(p => (p.dir === 'in' ? '' : `${p.dir} `) + show(p.type)).join(', ')}) -> ${show(type.result)}`
    case 'const':
      return `${type.value}`
    case 'op':
      return `${show(type.left)} ${type.op} ${show(type.right)}`
    case 'choice':
      return `${show(type.cond)} ? ${show(type.then)} : ${show(type.otherwise)}`
    case 'member':
      return `${show(type.base)}.${type.name}`
  }
}
