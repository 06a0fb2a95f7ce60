/**
 * L-values. A `Place` of the typed tree is evaluated once, with bases and indices, into a `Ref`; the `Ref` can then be read and
 * written any number of times. If it is in memory, it is a pointer. A part of something else (a property, a swizzle) is written by
 * reading the whole, changing the part, and writing the whole.
 */
import type { Ref } from './ref.ts'
import type { LocalDecl, ParamDecl } from '../check/model/decl.ts'
import type { Fn } from './context.ts'
import { resourceElement } from '../base/errors/lower.ts'
import type { AccessorPlace, Place } from '../check/model/tree.ts'
import { isZero } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { boxed, loaded } from './box.ts'
import { adapt, callAccessor, evaluate, evaluateAccess } from './call.ts'
import { assemble, closed, isInFixed, kept, opened } from './columns.ts'
import { impossible } from './context.ts'
import { convert } from './convert.ts'
import { lowerExpr } from './expr.ts'
import { intrinsicPlace } from './intrinsic.ts'

/** Evaluates a place of the tree. */
export function lowerPlace(fn: Fn, place: Place): Ref {
  const saved = fn.b.span
  fn.b.span = place.span ?? saved
  const ref = placeOf(fn, place)
  fn.b.span = saved
  return ref
}

function placeOf(fn: Fn, place: Place): Ref {
  switch (place.kind) {
    case 'local':
      return local(fn, place.decl)
    case 'param':
      return parameter(fn, place.decl)
    case 'this':
      return fn.self ?? impossible('this outside a method')
    case 'global':
      return fn.cx.globals.place(fn, place.decl, place.subst)
    case 'field':
      return fieldOf(fn, lowerPlace(fn, place.base), place.field.index)
    case 'index': {
      const base = lowerPlace(fn, place.base)
      return chosen(fn, base, lowerExpr(fn, place.index), fn.type(place.type))
    }
    case 'swizzle': {
      const base = lowerPlace(fn, place.base)
      if (fn.type(place.base.type).kind === 'scalar')
        return place.lanes.length === 1 ? base : { kind: 'swizzle', base, lanes: place.lanes }
      if (place.lanes.length === 1) return componentOf(fn, base, place.lanes[0]!)
      return { kind: 'swizzle', base, lanes: place.lanes }
    }
    case 'elements': {
      const base = lowerPlace(fn, place.base)
      if (place.at.length === 1) return componentOf(fn, componentOf(fn, base, place.at[0]![0]), place.at[0]![1])
      return { kind: 'elements', base, at: place.at }
    }
    case 'parts':
      return { kind: 'parts', base: lowerPlace(fn, place.base), at: place.at, type: fn.type(place.type) }
    case 'ref': {
      const operands = [place.object, ...place.args].map(a => evaluate(fn, a))
      return intrinsicPlace(fn, fn.ref(place.func), operands)
    }
    case 'accessor': {
      const component = componentPlace(fn, place)
      if (component !== undefined) return component
      return {
        kind: 'accessor',
        get: place.get === null ? null : fn.ref(place.get),
        set: place.set === null ? null : fn.ref(place.set),
        ...evaluateAccess(fn, place.object, place.args),
        type: fn.type(place.type),
      }
    }
    case 'convert': {
      const base = lowerPlace(fn, place.base)
      return { kind: 'convert', base, type: fn.type(place.type), baseType: fn.type(place.base.type) }
    }
    case 'temp': {
      const value = lowerExpr(fn, place.value)
      return fn.variable(value.type, value.name, value)
    }
  }
}

/** A component of a vector of the library whose components lie in an array: as memory, it needs no calls. */
function componentPlace(fn: Fn, { set, object, args: [index], type }: AccessorPlace): Ref | undefined {
  const ref = set === null ? null : fn.ref(set)
  if (ref?.kind !== 'direct' || fn.cx.program.attributes(ref.decl).intrinsic !== 'setComponent') return undefined
  if (object?.dir !== 'inout' || index?.dir !== 'in') return undefined
  const components = fieldOf(fn, lowerPlace(fn, object.place), 0)
  return chosen(fn, components, lowerExpr(fn, index.value), fn.type(type))
}

/** The place that a pointer points to. */
export function at(fn: Fn, pointer: Value): Ref {
  return pointer.type.elem!.columnsOf === null
    ? { kind: 'pointer', pointer }
    : { kind: 'columns', pointer: fn.b.field(pointer, 0) }
}

/** A field. A pointer to a block counts as the block. */
export function fieldOf(fn: Fn, base: Ref, index: number): Ref {
  const ref = deref(fn, base)
  if (ref.kind === 'pointer') {
    const inner = ref.pointer.type.elem!
    return at(fn, fn.b.field(inner.kind === 'ptr' ? fn.b.load(ref.pointer) : ref.pointer, index))
  }
  return componentOf(fn, ref, index)
}

/** A block that is passed as a value is the pointer to it. */
function deref(fn: Fn, ref: Ref): Ref {
  return ref.kind === 'value' && ref.value.type.kind === 'ptr' ? at(fn, ref.value) : ref
}

/** A component with a constant index. */
export function componentOf(fn: Fn, base: Ref, index: number): Ref {
  switch (base.kind) {
    case 'pointer':
      if (base.pointer.type.elem!.kind === 'struct') return at(fn, fn.b.field(base.pointer, index))
      return at(fn, fn.b.elem(base.pointer, fn.b.const(t.i32, index)))
    case 'columns':
    case 'row':
      return turned(fn, base, fn.b.const(t.i32, index))
    case 'bundle':
      if (index < base.parts.length) return base.parts[index]!
      fn.cx.sink.add(resourceElement, fn.b.span ?? undefined, {})
      return base.parts[0] ?? impossible('an array without resources')
    case 'value':
      return { kind: 'value', value: part(fn, base.value, index) }
    default:
      return { kind: 'part', base, index }
  }
}

/** A row of a matrix whose columns lie in memory, or an element of such a row. */
function turned(fn: Fn, base: Ref & { readonly kind: 'columns' | 'row' }, index: Value): Ref {
  if (base.kind === 'columns') return { kind: 'row', columns: base.pointer, index }
  return { kind: 'pointer', pointer: elementOf(fn, base, index) }
}

function elementOf(fn: Fn, row: Ref & { readonly kind: 'row' }, col: Value): Value {
  return fn.b.elem(fn.b.elem(row.columns, col), row.index)
}

/** A component with a constant index of a value; past the end it is unspecified. */
function part(fn: Fn, value: Value, index: number): Value {
  if (index >= 0 && index < value.type.count) return opened(fn.b, fn.b.extract(value, index))
  return fn.b.emit1('undef', [], null, t.component(value.type, 0))
}

/** The number that a constant is, else undefined. */
export function constantOf(value: Value): number | undefined {
  if (isZero(value)) return 0
  const def = value.def
  return def.op !== 'param' && def.op === 'const' && typeof def.attr === 'number' ? def.attr : undefined
}

/** The number that arithmetic on constants gives. */
function computed(value: Value): number | undefined {
  const { def } = value
  if (def.op === 'convert') return computed(def.args[0]!)
  if (def.op !== 'add' && def.op !== 'sub' && def.op !== 'mul') return constantOf(value)
  const [x, y] = [computed(def.args[0]!), computed(def.args[1]!)]
  return x === undefined || y === undefined ? undefined : def.op === 'add' ? x + y : def.op === 'sub' ? x - y : x * y
}

/** A component with a computed index. */
export function indexOf(fn: Fn, from: Ref, index: Value): Ref {
  const base = deref(fn, from)
  const known = constantOf(index)
  if (base.kind === 'pointer') {
    const inner = base.pointer.type.elem!
    const pointer = inner.kind === 'ptr' ? fn.b.load(base.pointer) : base.pointer
    return at(fn, fn.b.elem(pointer, index))
  }
  if (base.kind === 'columns' || base.kind === 'row') return turned(fn, base, index)
  if (base.kind === 'bundle') {
    const chosen = computed(index)
    if (chosen !== undefined && chosen in base.parts) return componentOf(fn, base, chosen)
    fn.cx.sink.add(resourceElement, fn.b.span ?? undefined, {})
    return base.parts[0]!
  }
  if (known !== undefined) return componentOf(fn, base, known)
  if (base.kind === 'value') return { kind: 'value', value: indexValue(fn, base.value, index) }
  return { kind: 'indexed', base, index }
}

/** An element of an array. Where that has none, what is written is lost, and zero is read. */
export function chosen(fn: Fn, array: Ref, index: Value, type: Type): Ref {
  return typeOfRef(array).kind === 'struct' ? fn.variable(type, '', fn.b.zero(type)) : indexOf(fn, array, index)
}

/** An element of a value; arrays with computed indices go through memory. */
export function indexValue(fn: Fn, value: Value, index: Value): Value {
  const known = constantOf(index)
  if (known !== undefined) return part(fn, value, known)
  if (value.type.kind !== 'array') return fn.b.emit1('index', [value, index])
  const whole = fn.b.variable(value.type, value.name)
  fn.b.store(whole, value)
  return opened(fn.b, fn.b.load(fn.b.elem(whole, index)))
}

/** The type of the value, without reading it. */
export function typeOfRef(ref: Ref): Type {
  switch (ref.kind) {
    case 'pointer':
      return ref.pointer.type.elem!
    case 'columns': {
      const of = ref.pointer.type.elem!
      return t.mat(of.elem!.elem!, of.elem!.count, of.count)
    }
    case 'row': {
      const of = ref.columns.type.elem!
      return t.vec(of.elem!.elem!, of.count)
    }
    case 'value':
      return ref.value.type
    case 'bundle':
    case 'parts':
    case 'accessor':
    case 'convert':
      return ref.type
    case 'part':
      return partType(typeOfRef(ref.base), ref.index)
    case 'indexed':
      return partType(typeOfRef(ref.base), 0)
    case 'swizzle':
      return lanesOf(typeOfRef(ref.base), ref.lanes.length)
    case 'elements':
      return lanesOf(typeOfRef(ref.base).elem!, ref.at.length)
  }
}

/** The type of a component as a value: a matrix, even if memory holds its columns. */
function partType(whole: Type, index: number): Type {
  const type = t.component(whole, index < whole.count ? index : 0)
  return type.columnsOf ?? type
}

function lanesOf(type: Type, count: number): Type {
  const scalar = type.kind === 'scalar' ? type : type.elem!
  return count === 1 ? scalar : t.vec(scalar, count)
}

/** The value in a place. */
export function read(fn: Fn, ref: Ref): Value {
  const { b } = fn
  switch (ref.kind) {
    case 'pointer':
      return loaded(fn, ref.pointer)
    case 'columns':
      return b.transpose(b.load(ref.pointer))
    case 'row': {
      const of = ref.columns.type.elem!
      return b.construct(
        t.vec(of.elem!.elem!, of.count),
        Array.from({ length: of.count }, (_, i) => b.load(elementOf(fn, ref, b.const(t.i32, i)))),
      )
    }
    case 'value':
      return ref.value
    case 'bundle':
      return assemble(
        b,
        ref.type,
        ref.parts.map(p => read(fn, p)),
      )
    case 'part':
      return part(fn, read(fn, ref.base), ref.index)
    case 'indexed':
      return indexValue(fn, read(fn, ref.base), ref.index)
    case 'swizzle':
      return swizzle(fn, read(fn, ref.base), ref.lanes)
    case 'elements':
      return elements(fn, read(fn, ref.base), ref.at)
    case 'parts':
      return assemble(
        b,
        ref.type,
        ref.at.map(i => read(fn, componentOf(fn, ref.base, i))),
      )
    case 'accessor':
      return adapt(
        fn,
        callAccessor(fn, ref.get ?? impossible('read of a place without get'), ref.object, ref.args, undefined)!,
        ref.type,
      )
    case 'convert':
      return convert(fn, read(fn, ref.base), ref.type)
  }
}

/** Whether a place is not memory that can be changed in place. Then it is read as soon as it is evaluated, and a copy is changed. */
export function isCopied(place: Place): boolean {
  switch (place.kind) {
    case 'elements':
    case 'parts':
      return true
    case 'swizzle':
      return place.lanes.length > 1 || isCopied(place.base)
    case 'accessor':
      return !place.byRef
    case 'field':
    case 'index':
    case 'convert':
      return isCopied(place.base)
    default:
      return false
  }
}

/** Writes a value into a place. */
export function write(fn: Fn, ref: Ref, value: Value): void {
  const { b } = fn
  switch (ref.kind) {
    case 'pointer':
      b.store(
        ref.pointer,
        isInFixed(ref.pointer) && t.differential(value.type) !== null
          ? b.emit1('detach', [value])
          : boxed(fn, value, ref.pointer.type.elem!),
      )
      return
    case 'columns':
      b.store(ref.pointer, b.transpose(value))
      return
    case 'row':
      for (let i = 0; i < value.type.count; i++) b.store(elementOf(fn, ref, b.const(t.i32, i)), b.extract(value, i))
      return
    case 'value':
    case 'bundle':
      return impossible(`a write to a ${ref.kind}`)
    case 'part': {
      const whole = read(fn, ref.base)
      write(fn, ref.base, b.insert(whole, ref.index, kept(b, value, whole.type, ref.index)))
      return
    }
    case 'indexed':
      write(fn, ref.base, replaceAt(fn, read(fn, ref.base), ref.index, value))
      return
    case 'swizzle':
      writeLanes(fn, ref.base, ref.lanes, value)
      return
    case 'elements': {
      for (let k = 0; k < ref.at.length; k++) {
        const [row, col] = ref.at[k]!
        write(fn, componentOf(fn, componentOf(fn, ref.base, row), col), b.extract(value, k))
      }
      return
    }
    case 'parts':
      ref.at.forEach((index, k) => {
        write(fn, componentOf(fn, ref.base, index), part(fn, value, k))
      })
      return
    case 'accessor':
      callAccessor(fn, ref.set ?? impossible('a write to a place without set'), ref.object, ref.args, value)
      return
    case 'convert':
      write(fn, ref.base, convert(fn, value, ref.baseType))
      return
  }
}

function writeLanes(fn: Fn, base: Ref, lanes: readonly number[], value: Value): void {
  const { b } = fn
  const old = read(fn, base)
  if (old.type.kind === 'scalar') {
    write(fn, base, b.extract(value, lanes.length - 1))
    return
  }
  const parts: Value[] = []
  for (let i = 0; i < old.type.count; i++) {
    const k = lanes.lastIndexOf(i)
    parts.push(k < 0 ? b.extract(old, i) : b.extract(value, k))
  }
  write(fn, base, b.construct(old.type, parts))
}

function replaceAt(fn: Fn, whole: Value, index: Value, value: Value): Value {
  const { b } = fn
  const memory = b.variable(whole.type, whole.name)
  b.store(memory, whole)
  b.store(b.elem(memory, index), closed(b, value, t.component(whole.type, 0)))
  return b.load(memory)
}

/** Lanes of a vector, of a vector of vectors, or of a scalar; one lane stands alone. */
export function swizzle(fn: Fn, value: Value, lanes: readonly number[]): Value {
  const { b } = fn
  if (value.type.kind === 'scalar') return lanes.length === 1 ? value : b.splat(value, t.vec(value.type, lanes.length))
  if (lanes.length === 1) return b.extract(value, lanes[0]!)
  const { elem } = value.type
  if (elem!.kind === 'scalar') return b.swizzle(value, lanes)
  return b.construct(
    t.array(elem!, lanes.length),
    lanes.map(lane => b.extract(value, lane)),
  )
}

/** Elements of a matrix; one gives a scalar. */
export function elements(fn: Fn, value: Value, at: readonly (readonly [number, number])[]): Value {
  const parts = at.map(([row, col]) => fn.b.extract(fn.b.extract(value, row), col))
  return parts.length === 1 ? parts[0]! : fn.b.construct(t.vec(value.type.elem!.elem!, parts.length), parts)
}

/** Where a local lives. */
function local(fn: Fn, decl: LocalDecl): Ref {
  const known = fn.locals.get(decl.id)
  if (known !== undefined) return known
  fn.unsupported(`an initial value of a static variable that takes the local ${decl.name}`)
  return { kind: 'value', value: fn.b.emit1('undef', [], null, fn.type(decl.type)) }
}

/** The reference of a parameter. */
function parameter(fn: Fn, decl: ParamDecl): Ref {
  return fn.params.get(decl.id) ?? impossible(`parameter ${decl.name} of another function`)
}
