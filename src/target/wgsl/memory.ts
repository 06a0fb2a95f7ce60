/**
 * Loads, stores and atomics through pointers to memory whose type differs from the value's type (`Stored`). The IR that they emit
 * can be printed as it is.
 */
import * as costs from '../../ir/costs.ts'
import { Builder } from '../../ir/build.ts'
import type { AtomicOp } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import { Func, Region, type Global, type Value } from '../../ir/value.ts'
import type { Stored } from './layout.ts'

/** A pointer with the stored type of its pointee. */
export interface StoredPointer {
  readonly ptr: Value
  readonly stored: Stored
}

/** A pointer to a field; to a variable for one that memory leaves out. */
export function fieldPointer(b: Builder, pointer: StoredPointer, i: number): StoredPointer {
  const stored = pointer.stored.parts[i]!
  const ptr = isLeftOut(pointer, i) ? b.variable(stored.type) : b.field(pointer.ptr, pointer.stored.members?.[i] ?? i)
  return { ptr, stored }
}

const isLeftOut = ({ stored }: StoredPointer, i: number): boolean => stored.members?.[i] === -1

/** A pointer to an element, row or lane. */
export function elemPointer(b: Builder, pointer: StoredPointer, i: Value): StoredPointer {
  const elem = b.elem(pointer.ptr, i)
  return { ptr: pointer.stored.wrapped ? b.field(elem, 0) : elem, stored: pointer.stored.parts[0]! }
}

/** Loads through a pointer. */
export function read(b: Builder, pointer: StoredPointer): Value {
  const { ptr, stored } = pointer
  if (stored.plain) return b.load(ptr)
  const value = stored.value
  if (stored.atomic) return fromBits(b, b.emit1('intrinsic.read', [ptr], 'atomicLoad', bitsOf(value)), value)
  switch (value.kind) {
    case 'struct':
      return b.construct(
        value,
        value.fields.map((f, i) => (isLeftOut(pointer, i) ? b.zero(f.type) : read(b, fieldPointer(b, pointer, i)))),
      )
    case 'array': {
      if (value.count <= costs.convertedElements)
        return b.construct(
          value,
          range(value.count).map(i => read(b, elemPointer(b, pointer, b.const(t.u32, i)))),
        )
      const copy = b.variable(value, 'copy')
      b.each(value.count, i => b.store(b.elem(copy, i), read(b, elemPointer(b, pointer, i))))
      return b.load(copy)
    }
    case 'vec':
      if (stored.type.kind === 'vec') return fromBits(b, b.load(ptr), value)
      return b.construct(
        value,
        range(value.count).map(i => read(b, elemPointer(b, pointer, b.const(t.u32, i)))),
      )
    case 'mat':
      return b.construct(
        value,
        range(value.count).map(i => read(b, elemPointer(b, pointer, b.const(t.u32, i)))),
      )
    default:
      return fromBits(b, b.load(ptr), value)
  }
}

/** Loads from shared memory what all threads of the workgroup find there. */
export function uniformLoad(b: Builder, pointer: StoredPointer): Value {
  const { ptr, stored } = pointer
  const { value } = stored
  if (!stored.plain && (value.kind === 'struct' || value.kind === 'array' || value.kind === 'mat')) {
    const parts = range(value.count).map(i =>
      value.kind === 'struct' ? fieldPointer(b, pointer, i) : elemPointer(b, pointer, b.const(t.u32, i)),
    )
    return b.construct(
      value,
      parts.map(p => uniformLoad(b, p)),
    )
  }
  const raw = b.emit1('intrinsic.write', [ptr], 'workgroupUniformLoad', stored.atomic ? bitsOf(value) : stored.type)
  return stored.plain ? raw : fromBits(b, raw, value)
}

/** Stores through a pointer. */
export function write(b: Builder, pointer: StoredPointer, v: Value): void {
  const { ptr, stored } = pointer
  const value = stored.value
  if (stored.plain) b.store(ptr, v)
  else if (stored.atomic) b.emit('intrinsic.write', [ptr, toBits(b, v)], 'atomicStore', [])
  else if (value.kind === 'struct') {
    for (let i = 0; i < value.count; i++)
      if (!isLeftOut(pointer, i)) write(b, fieldPointer(b, pointer, i), b.extract(v, i))
  } else if (value.kind === 'array' && value.count > costs.convertedElements) {
    const copy = b.variable(value, 'copy')
    b.store(copy, v)
    b.each(value.count, i => write(b, elemPointer(b, pointer, i), b.load(b.elem(copy, i))))
  } else if (stored.type.kind === 'array') {
    for (let i = 0; i < value.count; i++) write(b, elemPointer(b, pointer, b.const(t.u32, i)), b.extract(v, i))
  } else b.store(ptr, toBits(b, v))
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i)
}

/** The integer type that holds the bits of a scalar in memory. */
function bitsOf(type: t.Type): t.Type {
  return t.withScalar(type, type.scalar === 'i32' ? t.i32 : t.u32)
}

function fromBits(b: Builder, raw: Value, type: t.Type): Value {
  if (raw.type === type) return raw
  if (type.scalar === 'bool') return b.emit1('ne', [raw, b.zero(raw.type)])
  return b.emit1('bitcast', [raw], null, type)
}

function toBits(b: Builder, v: Value): Value {
  const raw = bitsOf(v.type)
  if (raw === v.type) return v
  return b.emit1(v.type.scalar === 'bool' ? 'convert' : 'bitcast', [v], null, raw)
}

const direct: Readonly<Partial<Record<AtomicOp, string>>> = {
  add: 'atomicAdd',
  min: 'atomicMin',
  max: 'atomicMax',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  exchange: 'atomicExchange',
}

/** Helper functions for the atomics that take a loop, by what they do and where. */
export type Helpers = Map<string, Func>

/** An atomic read-modify-write; gives the old value. */
export function atomic(
  b: Builder,
  helpers: Helpers,
  pointer: StoredPointer,
  kind: AtomicOp,
  args: readonly Value[],
): Value | undefined {
  const value = pointer.stored.value
  if (kind === 'load') return read(b, pointer)
  if (kind === 'store') {
    write(b, pointer, args[0]!)
    return undefined
  }
  if (!pointer.stored.atomic) return emulate(b, pointer, kind, args)
  const raw = bitsOf(value)
  const name = direct[kind]
  if (name !== undefined && (raw === value || kind === 'exchange')) {
    return fromBits(b, b.emit1('intrinsic.write', [pointer.ptr, toBits(b, args[0]!)], name, raw), value)
  }
  const path = pathOf(pointer.ptr)
  if (path === undefined) return retry(b, pointer, kind, args)
  const key = `${kind} ${path.key} ${value.name}`
  let helper = helpers.get(key)
  if (helper === undefined) helpers.set(key, (helper = makeHelper(path, pointer.stored, kind, args)))
  return b.call(helper, [...path.indices, ...args])[0]!
}

/** On a variable that no other thread sees. */
function emulate(b: Builder, pointer: StoredPointer, kind: AtomicOp, args: readonly Value[]): Value {
  const old = read(b, pointer)
  write(b, pointer, combine(b, kind, old, args))
  return old
}

/** What a read-modify-write stores. */
function combine(b: Builder, kind: AtomicOp, old: Value, args: readonly Value[]): Value {
  const v = args[0]!
  switch (kind) {
    case 'add':
      return b.emit1('add', [old, v])
    case 'min':
      return b.select(b.emit1('lt', [v, old]), v, old)
    case 'max':
      return b.select(b.emit1('gt', [v, old]), v, old)
    case 'and':
      return b.emit1('and', [old, v])
    case 'or':
      return b.emit1('or', [old, v])
    case 'xor':
      return b.emit1('xor', [old, v])
    case 'compare':
      return b.select(b.emit1('eq', [toBits(b, old), toBits(b, v)]), args[1]!, old)
    default:
      return v
  }
}

/** The result of a compare-and-exchange in WGSL: a struct without a name. */
const exchanged = t.perType(raw =>
  t.struct('exchanged', [
    { name: 'old_value', type: raw },
    { name: 'exchanged', type: t.bool },
  ]),
)

/** Tries until no other thread came between the read and the write. */
function retry(b: Builder, pointer: StoredPointer, kind: AtomicOp, args: readonly Value[]): Value {
  const value = pointer.stored.value
  const raw = bitsOf(value)
  const compares = kind === 'compare'
  const expected = compares ? toBits(b, args[0]!) : undefined
  const start = expected === undefined ? [b.emit1('intrinsic.read', [pointer.ptr], 'atomicLoad', raw)] : []
  const [head, body, done, again] = [new Region(), new Region(), new Region(), new Region()]
  const loop = b.emit('loop', start, null, [raw], [head, body])
  const old = expected ?? b.param(raw, 'old', head)
  b.within(head, () => b.emit('test', [b.const(t.bool, true), old]))
  b.within(body, () => {
    const next = compares ? toBits(b, args[1]!) : toBits(b, combine(b, kind, fromBits(b, old, value), args))
    const tried = b.emit1('intrinsic.write', [pointer.ptr, old, next], 'atomicCompareExchangeWeak', exchanged(raw))
    tried.name = 'tried'
    const [found, stored] = [b.extract(tried, 0), b.extract(tried, 1)]
    const over = compares ? b.emit1('or', [stored, b.emit1('ne', [found, old])]) : stored
    b.emit('if', [over], null, [], [done, again])
    b.within(done, () => b.emit('leave', [compares ? found : old], loop))
    b.within(again, () => b.emit('yield', []))
    b.emit('next', compares ? [] : [found])
  })
  const result = loop.results[0]!
  result.name = 'old'
  return fromBits(b, result, value)
}

interface Path {
  readonly global: Global
  readonly key: string
  /** Steps from the global: a field by number, or an element by one of `indices`. */
  readonly steps: readonly (number | 'index')[]
  readonly indices: readonly Value[]
}

/** How a pointer is reached from a global, or undefined where it points to a local variable. */
function pathOf(ptr: Value): Path | undefined {
  const steps: (number | 'index')[] = []
  const indices: Value[] = []
  let at = ptr
  for (;;) {
    const def = at.def
    if (def.op === 'param') return undefined
    if (def.op === 'global') {
      const global = def.attr
      steps.reverse()
      indices.reverse()
      return {
        global,
        steps,
        indices,
        key: `${global.name} ${steps.join(' ')} ${indices.map(i => i.type.name).join(' ')}`,
      }
    }
    if (def.op === 'field') steps.push(def.attr)
    else if (def.op === 'elem') {
      steps.push('index')
      indices.push(def.args[1]!)
    } else return undefined
    at = def.args[0]!
  }
}

/** A function that does the atomic in a loop; its parameters are the indices on the way and the operands. */
function makeHelper(path: Path, stored: Stored, kind: AtomicOp, args: readonly Value[]): Func {
  const params = [
    ...path.indices.map((v, i) => ({ name: i === 0 ? 'index' : `index${i}`, type: v.type })),
    ...args.map((v, i) => ({ name: kind === 'compare' && i === 0 ? 'expected' : 'value', type: v.type })),
  ]
  const func = new Func(
    `${path.global.name}_${kind}`,
    { params: params.map(p => ({ ...p, dir: 'in' as const, noDiff: true })), result: stored.value, resultNoDiff: true },
    null,
  )
  func.body = new Region()
  const b = new Builder(func, func.body)
  const values = params.map(p => b.param(p.type, p.name))
  let ptr = b.emit1('global', [], path.global)
  let used = 0
  for (const step of path.steps) ptr = step === 'index' ? b.elem(ptr, values[used++]!) : b.field(ptr, step)
  b.emit('ret', [retry(b, { ptr, stored }, kind, values.slice(used))])
  return func
}
