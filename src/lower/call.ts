/** Calls: arguments from left to right, copy-in and copy-out, and the lowering of calls of the core library. */
import type { Operand } from './ref.ts'
import type { Fn } from './context.ts'
import type { Arg, CallExpr } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import { show } from '../check/model/type.ts'
import { differential, type Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { loaded } from './box.ts'
import { baseOf } from '../ir/pointer.ts'
import { placeParams, sharedPlace } from './by-reference.ts'
import { builtinMember } from './builtin.ts'
import { forConstants } from './constexpr.ts'
import { impossible } from './context.ts'
import { convert } from './convert.ts'
import { over } from './dispatch.ts'
import { lowerExpr } from './expr.ts'
import { emitOp, intrinsic } from './intrinsic.ts'
import { componentOf, isCopied, lowerPlace, read, typeOfRef, write } from './place.ts'

/** Evaluates an argument: its value, or its reference. A `no_diff` around the call does not apply to calls among its arguments. */
export function evaluate(fn: Fn, arg: Arg): Operand {
  const { noDiff } = fn
  fn.noDiff = 0
  const operand: Operand =
    arg.dir === 'in' ? { dir: 'in', value: lowerExpr(fn, arg.value) } : { dir: arg.dir, ref: lowerPlace(fn, arg.place) }
  fn.noDiff = noDiff
  return operand
}

/** Evaluates an argument of a single call, with a copy of what is not in memory. */
function evaluateOnce(fn: Fn, arg: Arg): Operand {
  const operand = evaluate(fn, arg)
  return arg.dir === 'inout' && operand.dir !== 'in' && isCopied(arg.place)
    ? { ...operand, copy: read(fn, operand.ref) }
    : operand
}

/** Evaluates the operands of an accessor: the object comes before the arguments and is read after them. */
export function evaluateAccess(
  fn: Fn,
  object: Arg | null,
  args: readonly Arg[],
): { readonly object: Operand | null; readonly args: readonly Operand[] } {
  const place = object?.dir === 'in' && object.value.kind === 'read' ? lowerPlace(fn, object.value.place) : undefined
  const before = object === null || place !== undefined ? null : evaluate(fn, object)
  const given = args.map(a => evaluate(fn, a))
  return { object: place === undefined ? before : { dir: 'in', value: read(fn, place) }, args: given }
}

/** The value of an operand; for an `inout` argument, its current value. */
export function valueOf(fn: Fn, operand: Operand): Value {
  return operand.dir === 'in' ? operand.value : (operand.copy ?? read(fn, operand.ref))
}

/** Lowers a call; undefined where it returns nothing. */
export function lowerCall(fn: Fn, call: CallExpr): Value | undefined {
  const ref = forConstants(fn, fn.ref(call.func), call.args)
  const { object, args } = isAccessor(ref)
    ? evaluateAccess(fn, call.object, call.args)
    : {
        object: call.object === null ? null : evaluateOnce(fn, call.object),
        args: call.args.map(a => evaluateOnce(fn, a)),
      }
  const result = callWith(fn, ref, object, args, call)
  return result === undefined || ref === call.func ? result : adapt(fn, result, fn.type(call.type))
}

/**
 * Adapts a value to a type: a function that meets a requirement may have numbers of other types than the requirement, and a method
 * may be called on a block that holds the object.
 */
export function adapt(fn: Fn, value: Value, type: Type): Value {
  if (value.type.kind === 'ptr' && fn.cx.boxes.valueType(value.type.elem!) === type) return loaded(fn, value)
  const pair = (of: Type): boolean => fn.cx.types.source(of)?.decl.intrinsic === 'DifferentialPair'
  return (value.type.scalar !== undefined && type.scalar !== undefined) || (pair(value.type) && pair(type))
    ? convert(fn, value, type)
    : value
}

const isAccessor = (ref: FuncRef): boolean => ref.kind !== 'derivative' && ref.decl.role === 'accessor'

/** Whether the call needs no object, neither for dispatch nor as `this`. */
function isStatic(ref: FuncRef): boolean {
  if (ref.kind === 'derivative') return isStatic(ref.of)
  return ref.kind !== 'dynamic' && ref.decl.role === 'static'
}

/** Calls `get`, or `set` with the value as the last argument. */
export function callAccessor(
  fn: Fn,
  ref: FuncRef,
  object: Operand | null,
  args: readonly Operand[],
  value: Value | undefined,
): Value | undefined {
  return callWith(fn, ref, object, value === undefined ? args : [...args, { dir: 'in', value }], null)
}

/** Calls a concrete function with evaluated operands. `call` is the tree's call where there is one. */
export function callWith(
  fn: Fn,
  ref: FuncRef,
  given: Operand | null,
  args: readonly Operand[],
  call: CallExpr | null,
): Value | undefined {
  const object = isStatic(ref) ? null : given
  const operands = object === null ? args : [object, ...args]
  switch (ref.kind) {
    case 'requirement':
      return guarded(fn, builtinMember(fn, ref, operands))
    case 'dynamic':
      return callFunc(fn, object === null ? ref : over(fn, ref, object), operands)
    case 'derivative':
      return callFunc(fn, ref, operands)
    case 'direct': {
      const attributes = fn.cx.program.attributes(ref.decl)
      if (attributes.op !== null)
        return guarded(
          fn,
          emitOp(
            fn,
            attributes,
            operands.map(o => valueOf(fn, o)),
            resultType(fn, ref),
          ),
        )
      if (attributes.intrinsic !== null)
        return guarded(fn, intrinsic(fn, attributes.intrinsic, operands, resultType(fn, ref), call))
      return callFunc(fn, ref, operands)
    }
  }
}

/** The IR type of the result of a concrete reference. */
function resultType(fn: Fn, ref: FuncRef): ReturnType<Fn['type']> {
  return fn.cx.types.of(fn.cx.program.signature(ref).result)
}

const guarded = (fn: Fn, value: Value | undefined): Value | undefined =>
  value === undefined ? undefined : cut(fn, value)

/** Detaches the value inside `no_diff`. */
export function cut(fn: Fn, value: Value): Value {
  return fn.noDiff > 0 && differential(value.type) !== null ? fn.b.emit1('detach', [value]) : value
}

/** `this` for a method of a base struct, which may meet a requirement of the derived one. */
function inherited(fn: Fn, operand: Operand, type: Type): Operand {
  const has = operand.dir === 'in' ? operand.value.type : fn.cx.boxes.valueType(typeOfRef(operand.ref))
  if (has === type || fn.cx.types.source(has)?.decl.fields[0]?.isBase !== true) return operand
  return inherited(
    fn,
    operand.dir === 'in'
      ? { dir: 'in', value: fn.b.extract(operand.value, 0) }
      : { dir: operand.dir, ref: componentOf(fn, operand.ref, 0) },
    type,
  )
}

/** The function that a reference differentiates, or calls. */
function primalOf(ref: FuncRef): FuncRef {
  return ref.kind === 'derivative' ? primalOf(ref.of) : ref
}

/** Whether an argument is memory of this invocation alone. */
function isOwn({ copies }: Fn, operand: Operand): boolean {
  if (operand.dir === 'in') return true
  if (operand.ref.kind !== 'pointer') return false
  const base = baseOf(operand.ref.pointer)
  return (base.type.space === 'function' || base.type.space === 'private') && !copies.has(base)
}

function callFunc(fn: Fn, ref: FuncRef, given: readonly Operand[]): Value | undefined {
  const { b, cx } = fn
  const wanted = given.some(o => o.dir === 'inout') ? placeParams(cx.program, ref) : undefined
  const sig = wanted === undefined ? cx.instance(ref).sig : cx.signature(ref)
  const isMethod =
    ref.kind === 'direct' &&
    ref.decl.role !== 'function' &&
    ref.decl.role !== 'static' &&
    given.length === sig.params.length
  const operands =
    isMethod && given.length > 0 ? [inherited(fn, given[0]!, sig.params[0]!.type), ...given.slice(1)] : given
  const places = operands.map((o, k) =>
    wanted?.[k] === true ? sharedPlace(cx.boxes, o, sig.params[k]!.type) : undefined,
  )
  const ways = operands.map((o, k) => places[k]?.way ?? (wanted?.[k] === true && !isOwn(fn, o) ? 'copy' : undefined))
  const callee = cx.instance(ref, ways.every(w => w === undefined) ? [] : ways)
  if (ref.kind === 'direct' && cx.serving.has(ref.decl)) callee.info.serves = true
  const primal = primalOf(ref)
  if (operands.length !== sig.params.length && primal.kind === 'dynamic') {
    fn.unsupported(`a call of ${primal.decl.name} without a value whose type says which is meant`)
    return sig.result.kind === 'void' ? undefined : fn.b.emit1('undef', [], null, sig.result)
  }
  if (operands.length !== sig.params.length)
    return impossible(`a call of ${callee.name} with ${operands.length} operands`)
  const values: Value[] = []
  for (let i = 0; i < operands.length; i++) {
    const operand = operands[i]!
    if (sig.params[i]!.dir === 'out') continue
    const place = places[i]
    if (place !== undefined) {
      values.push(...place.values)
      continue
    }
    const value = cut(fn, valueOf(fn, operand))
    const adapted = operand.dir === 'in' ? adapt(fn, value, sig.params[i]!.type) : value
    if (adapted.type !== sig.params[i]!.type) return mismatch(fn, ref)
    values.push(adapted)
  }
  const results = b.call(fn.noDiff > 0 ? fn.cx.heldOf(callee) : callee, values)
  let at = sig.result.kind === 'void' ? 0 : 1
  for (let i = 0; i < operands.length; i++) {
    if (sig.params[i]!.dir === 'in' || places[i] !== undefined) continue
    const operand = operands[i]!
    const result = results[at++]!
    result.name = sig.params[i]!.name
    if (operand.dir !== 'in') write(fn, operand.ref, cut(fn, result))
  }
  return sig.result.kind === 'void' ? undefined : cut(fn, results[0]!)
}

function mismatch(fn: Fn, ref: FuncRef): Value | undefined {
  const sig = fn.cx.program.signature(ref)
  // A type that has been complained of already is why the arguments do not fit.
  if (fn.cx.sink.errors === 0) {
    const types = sig.params.map(p => show(p.type)).join(', ')
    fn.unsupported(`a call with these argument types of a function that takes (${types})`)
  }
  const type = fn.cx.types.of(sig.result)
  return type.kind === 'void' ? undefined : fn.b.emit1('undef', [], null, type)
}
