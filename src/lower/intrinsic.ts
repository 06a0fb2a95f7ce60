/** Lowers calls of `__op` and `__intrinsic` functions of the core library. */
import type { Fn } from './context.ts'
import type { Operand, Ref } from './ref.ts'
import { atomicOnCopy } from '../base/errors/lower.ts'
import type { FuncAttributes } from '../check/model/decl.ts'
import type { FuncRef, Signature } from '../check/model/func-ref.ts'
import type { CallExpr } from '../check/model/tree.ts'
import type * as s from '../check/model/type.ts'
import type { AtomicOp, Scope } from '../ir/op.ts'
import { isOp, rowOf } from '../ir/ops.ts'
import { layouts } from '../ir/layout.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import { baseOf } from '../ir/pointer.ts'
import { outputs, type Value } from '../ir/value.ts'
import { loadBytes, storeBytes, wordAt, type Bytes } from './bytes.ts'
import { valueOf } from './call.ts'
import { boxed, loaded, reinterpret, unboxed } from './box.ts'
import { closed, opened } from './columns.ts'
import { impossible } from './context.ts'
import { convert } from './convert.ts'
import { fromBits } from './dispatch.ts'
import { unary } from './expr.ts'
import { at, chosen, constantOf, fieldOf, indexOf, indexValue, read, write } from './place.ts'
import { isTextureAccess, textureAccess } from './texture.ts'
import { zeroDifferential } from './zero.ts'

type Handler = (fn: Fn, args: readonly Operand[], result: Type, call: CallExpr | null) => Value | undefined

const value = (fn: Fn, args: readonly Operand[], i: number): Value =>
  valueOf(fn, args[i] ?? impossible('too few operands of an intrinsic'))

/** Whether an array has no elements, which no IR has. */
const isEmpty = (array: Value): boolean => array.type.kind === 'struct'

const handlers: Readonly<Record<string, Handler>> = {
  pair: (fn, args, result) => fn.b.construct(result, [value(fn, args, 0), value(fn, args, 1)]),
  pair_zero: (fn, args, result) => {
    const p = value(fn, args, 0)
    return fn.b.construct(result, [p, zeroDifferential(fn, p.type)])
  },
  pair_p: (fn, args) => fn.b.extract(value(fn, args, 0), 0),
  pair_d: (fn, args) => fn.b.extract(value(fn, args, 0), 1),
  reinterpret: (fn, args, result) => reinterpret(fn, value(fn, args, 0), result),
  dynamicObject: (fn, args, result) => fromBits(fn, value(fn, args, 0), value(fn, args, 1), result),
  width: (fn, args) => fn.b.const(t.u32, t.bitsOf(value(fn, args, 0).type.scalar!)),
  stringHash: (fn, args) => fn.b.convert(value(fn, args, 0), t.i32),
  uniformLoad: (fn, args) => {
    const place = args[0]!
    if (place.dir === 'in' || place.ref.kind !== 'pointer' || place.ref.pointer.type.space !== 'workgroup')
      return value(fn, args, 0)
    if (fn.cx.target.uniformLoads) return fn.b.emit1('barrier', [place.ref.pointer], 'workgroup')
    fn.b.emit('barrier', [], 'workgroup')
    const all = fn.b.load(place.ref.pointer)
    fn.b.emit('barrier', [], 'workgroup')
    return all
  },
  element: (fn, args) => opened(fn.b, loaded(fn, elementOf(fn, args))),
  bufferLength: (fn, args) => fn.b.emit1('length', [value(fn, args, 0)]),
  bufferStride: (fn, args) => {
    const { elem } = value(fn, args, 0).type
    return fn.b.const(t.u32, layouts[elem!.rule].of(elem!).stride)
  },
  loadWord: (fn, args) => fn.b.load(wordAt(fn, bytesOf(fn, args))),
  loadBytes: (fn, args, result, call) => {
    const type = inMemory(fn, result, call, f => f.result)
    return unboxed(fn, opened(fn.b, loadBytes(fn, type, bytesOf(fn, args))))
  },
  storeBytes: (fn, args, _result, call) => {
    const given = value(fn, args, 2)
    const type = inMemory(fn, given.type, call, f => f.params[1]!.type)
    storeBytes(fn, boxed(fn, closed(fn.b, given, type), type), bytesOf(fn, args))
    return undefined
  },
  component: (fn, args, result) => {
    const components = fn.b.extract(value(fn, args, 0), 0)
    const index = value(fn, args, 1)
    return isEmpty(components) ? fn.b.zero(result) : indexValue(fn, components, index)
  },
  setComponent: (fn, args) => {
    const [place, given] = [args[0]!, value(fn, args, 2)]
    if (place.dir !== 'in') write(fn, chosen(fn, fieldOf(fn, place.ref, 0), value(fn, args, 1), given.type), given)
    return undefined
  },
  storeVector: (fn, args) => {
    const [vector, place] = [fn.b.extract(value(fn, args, 0), 0), args[1]!]
    if (isEmpty(vector)) return undefined
    const bytes = fn.b.const(t.i32, t.bitsOf(vector.type.elem!.scalar!) / 8)
    const start = fn.b.div(fn.b.convert(value(fn, args, 2), t.i32), bytes)
    for (let i = 0; i < vector.type.count && place.dir !== 'in'; i++)
      write(fn, indexOf(fn, place.ref, fn.b.add(start, fn.b.const(t.i32, i))), fn.b.extract(vector, i))
    return undefined
  },
  accumulate: (fn, args) => {
    const place = args[0]
    if (place?.dir !== 'in' && place?.ref.kind === 'pointer') accumulate(fn, place.ref.pointer, value(fn, args, 1))
    return undefined
  },
  printf: (fn, args, _result, call) => {
    const texts = call?.args.map(a => (a.dir === 'in' && a.value.kind === 'string' ? a.value.value : undefined)) ?? []
    const given = args.slice(1)
    let at = 0
    // Literal strings become part of the format.
    const format = (texts[0] ?? '').replace(/%(?:%|[-+ 0#]*\d*(?:\.\d+)?[hl]*[a-zA-Z])/g, all =>
      all === '%%' ? all : (texts[++at]?.replaceAll('%', '%%') ?? all),
    )
    fn.b.emit(
      'printf',
      given.filter((_, i) => texts[i + 1] === undefined).map(a => valueOf(fn, a)),
      format,
    )
    return undefined
  },
}

/** What of the signature of the function that is called lies in memory as a type. */
function inMemory(fn: Fn, type: Type, call: CallExpr | null, of: (signature: Signature) => s.Type): Type {
  return type.kind !== 'mat' || call === null
    ? fn.cx.boxes.form(type)
    : fn.cx.types.part(of(fn.cx.program.signature(fn.ref(call.func))))
}

function elementOf(fn: Fn, args: readonly Operand[]): Value {
  const buffer = value(fn, args, 0)
  return fn.b.elem(buffer, value(fn, args, 1))
}

/** A byte-address buffer and the address that are the first two operands. */
const bytesOf = (fn: Fn, args: readonly Operand[]): Bytes => ({
  buffer: value(fn, args, 0),
  address: fn.b.convert(value(fn, args, 1), t.u32),
})

/** Atomically adds each number of a value to memory. */
function accumulate(fn: Fn, pointer: Value, value: Value): void {
  const { b } = fn
  const { type } = value
  if (type.kind === 'scalar') {
    if (t.isFloat(type)) b.emit1('atomic', [pointer, value], 'add', type)
    return
  }
  for (let i = 0; i < type.count; i++) {
    accumulate(
      fn,
      type.kind === 'struct' ? b.field(pointer, i) : b.elem(pointer, b.const(t.u32, i)),
      b.extract(value, i),
    )
  }
}

/** The IR's atomic for each of the library: a difference is the sum with the negative. */
const atomics: Readonly<Record<string, AtomicOp>> = {
  add: 'add',
  add1: 'add',
  sub: 'add',
  sub1: 'add',
  min: 'min',
  max: 'max',
  and: 'and',
  or: 'or',
  xor: 'xor',
  exchange: 'exchange',
  compare: 'compare',
  load: 'load',
  store: 'store',
}

const barriers: Readonly<Record<string, Scope>> = { workgroup: 'workgroup', storage: 'storage', all: 'all' }

/** Operands that an atomic takes besides the pointer. */
const operandCount: Readonly<Record<string, number>> = { load: 0, add1: 0, sub1: 0, compare: 2 }

/**
 * Emits an atomic. The old value is the result, or goes to an `out` operand, or to nobody. The atomic computes in the type of the
 * memory; `given` is that of the operands.
 */
function atomic(
  fn: Fn,
  name: string,
  pointer: Value,
  args: readonly Operand[],
  result: Type,
  given: Type = pointer.type.elem!,
): Value | undefined {
  const { b } = fn
  const type = pointer.type.elem!
  if (type.kind !== 'scalar') {
    fn.unsupported('an atomic operation on more than one number')
    return result.kind === 'void' ? undefined : b.zero(given)
  }
  const values = args.slice(0, operandCount[name] ?? 1).map(a => convert(fn, valueOf(fn, a), type))
  if (t.isFloat(type) && (name === 'and' || name === 'or' || name === 'xor')) {
    fn.unsupported('a bitwise atomic operation on a float')
    return b.zero(given)
  }
  if (name === 'store') {
    b.emit1('atomic', [pointer, ...values], 'store', type)
    return undefined
  }
  if (name === 'add1' || name === 'sub1') values.push(b.one(type))
  if (name === 'sub' || name === 'sub1') values[0] = unary(fn, '-', values[0]!)
  const kind = atomics[name] ?? impossible(`no atomic ${name}`)
  const old = convert(fn, b.emit1('atomic', [pointer, ...values], kind, type), given)
  const out = args.find(a => a.dir === 'out')
  if (out !== undefined && out.dir !== 'in') write(fn, out.ref, old)
  return result.kind === 'void' ? undefined : old
}

/** Emits an intrinsic; undefined where it gives nothing. */
export function intrinsic(
  fn: Fn,
  name: string,
  args: readonly Operand[],
  result: Type,
  call: CallExpr | null,
): Value | undefined {
  const handler = handlers[name]
  if (handler !== undefined) return handler(fn, args, result, call)
  const [family, which = ''] = name.split('.')
  const first = args[0]
  if (family === 'barrier') {
    fn.b.emit('barrier', [], barriers[which] ?? impossible(`no barrier of ${which}`))
    return undefined
  }
  if (family === 'combined') {
    const [both, ...rest] = args.map(a => valueOf(fn, a))
    const parts = [fn.b.extract(both!, 0), fn.b.extract(both!, 1)]
    return textureAccess(fn, name.slice(family.length + 1), [...parts, ...rest], result)
  }
  if (isTextureAccess(name))
    return textureAccess(
      fn,
      name,
      args.map(a => valueOf(fn, a)),
      result,
    )
  if (family === 'wave' && !fn.cx.target.waves) return fn.b.const(t.u32, which === 'count' ? 1 : 0)
  if (family === 'wave') return fn.cx.system.read(fn.b, which === 'count' ? 'SV_WAVELANECOUNT' : 'SV_WAVELANEINDEX')
  if (family === 'systemValue') return fn.cx.system.read(fn.b, which)
  if (family === 'atomicBytes') return atomic(fn, which, wordAt(fn, bytesOf(fn, args)), args.slice(2), result)
  if (family === 'atomic' && first !== undefined && first.dir !== 'in') {
    const { ref } = first
    const place = ref.kind === 'convert' ? ref.base : ref
    if (place.kind === 'pointer') {
      const name = fn.copies.get(baseOf(place.pointer))
      if (name !== undefined) fn.cx.sink.add(atomicOnCopy, fn.b.span ?? undefined, { name })
      return atomic(fn, which, place.pointer, args.slice(1), result, ref.kind === 'convert' ? ref.type : undefined)
    }
  }
  fn.unsupported(family === 'atomic' ? 'an atomic operation on something that is not in memory' : name)
  return result.kind === 'void' ? undefined : fn.b.zero(result)
}

/** The reference that a `ref` accessor of the core library gives. */
export function intrinsicPlace(fn: Fn, ref: FuncRef, args: readonly Operand[]): Ref {
  const name = ref.kind === 'direct' ? fn.cx.program.attributes(ref.decl).intrinsic : null
  if (name === 'element') return at(fn, elementOf(fn, args))
  if (name === 'pointee') {
    const [base, next] = [0, 1].map(i => fn.b.extract(value(fn, args, 0), i))
    const index = value(fn, args, 1)
    if (base!.type.elem!.kind === 'array')
      return at(fn, fn.b.elem(base!, fn.b.sub(fn.b.add(next!, index), fn.b.const(t.i32, 1))))
    // What ends with an array without a length is the only one.
    if (constantOf(index) !== 0) fn.unsupported(`more than one ${base!.type.elem!.name}`)
    return at(fn, base!)
  }
  return impossible(`no place for ${name ?? 'a ref accessor'}`)
}

/** Emits the operation that `__op` names. */
export function emitOp(fn: Fn, attributes: FuncAttributes, args: readonly Value[], result: Type): Value | undefined {
  const name = attributes.op!
  if (!isOp(name)) impossible(`no operation ${name}`)
  const types = rowOf(name).type === undefined ? (result.kind === 'void' ? [] : [result]) : undefined
  return fn.b.emit(name, [...args], null, types).results[0]
}

/** Makes a body for such a function, for its derivative or to use it as a value. */
export function opBody(fn: Fn, attributes: FuncAttributes): void {
  const { b, func } = fn
  const operands: Operand[] = func.sig.params.map(p => {
    if (p.dir === 'in') return { dir: 'in', value: b.param(p.type, p.name) }
    return { dir: p.dir, ref: fn.variable(p.type, p.name, p.dir === 'out' ? undefined : b.param(p.type, p.name)) }
  })
  const out =
    attributes.op !== null
      ? emitOp(
          fn,
          attributes,
          operands.map(o => valueOf(fn, o)),
          func.sig.result,
        )
      : intrinsic(fn, attributes.intrinsic!, operands, func.sig.result, null)
  const results: Value[] = out === undefined ? [] : [out]
  for (const p of outputs(func.sig)) {
    const operand = operands[func.sig.params.indexOf(p)]!
    if (operand.dir !== 'in') results.push(read(fn, operand.ref))
  }
  b.emit('ret', results)
}
