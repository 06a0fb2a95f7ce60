/** Copies the body of a function for values that stand for those of the source. */
import type { Sink } from '../../base/diag.ts'
import { atomicTypeInTarget, resourceChoiceInTarget, typeNotInTarget } from '../../base/errors/target.ts'
import { Builder } from '../../ir/build.ts'
import type { LaneOp } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'
import { layoutsOf } from '../../ir/layout.ts'
import { Inst, Region, type Attr, type Func, type Global, type Value } from '../../ir/value.ts'
import { Arithmetic } from './arithmetic.ts'
import { Memory, type Place } from './memory.ts'
import type { TypeMap } from './types.ts'

/** The functions of WGSL whose result is of no more digits than their operands. */
const exact: ReadonlySet<string> = new Set([
  'min',
  'max',
  'clamp',
  'saturate',
  'floor',
  'ceil',
  'trunc',
  'round',
  'step',
])

/** What the bodies of a module share. */
export interface Shared {
  readonly types: TypeMap
  readonly sink: Sink
  /** A function of the library. */
  helper(name: string): Func
  /** What stands for a function; its body may follow later. */
  func(of: Func): Func
  /** What stands for a variable. */
  global(of: Global): Global
  /** Whether a variable is addressed by words. */
  packed(of: Global): boolean
}

export class Body {
  readonly #cx: Shared
  readonly #from: Func
  readonly #into: Func
  readonly #b: Builder
  readonly #arithmetic: Arithmetic
  readonly #memory: Memory
  readonly #values: Value[] = []
  readonly #places: Place[] = []
  readonly #labels = new Map<Inst, Inst>()

  constructor(cx: Shared, from: Func, into: Func) {
    this.#cx = cx
    this.#from = from
    this.#into = into
    this.#b = new Builder(into, new Region())
    this.#arithmetic = new Arithmetic(this.#b, cx.types, name => cx.helper(name))
    this.#memory = new Memory(this.#b, cx.types, this.#arithmetic)
  }

  run(): void {
    const body = this.#b.at
    this.#region(this.#from.body!, body)
    this.#into.body = body
  }

  #region(from: Region, into: Region): void {
    const b = this.#b
    b.within(into, () => {
      for (const p of from.params) this.#set(p, b.param(this.#cx.types.value(p.type), p.name))
      for (const inst of from.insts) {
        const before = b.func.nextValue
        b.span = inst.span
        this.#inst(inst)
        if (inst.regions.length === 0) this.#cx.sink.work.spend('instructions', b.func.nextValue - before, inst.span)
      }
    })
  }

  #set(of: Value, is: Value): void {
    if (is.name === '') is.name = of.name
    this.#values[of.id] = is
  }

  #value(of: Value): Value {
    const value = this.#values[of.id]
    if (value !== undefined) return value
    // Where memory is addressed by words, a pointer that the run chooses leads nowhere.
    this.#cx.sink.add(resourceChoiceInTarget, this.#b.span ?? undefined, {})
    return this.#b.unset(this.#cx.types.value(of.type))
  }

  /** The number of the region that a 64-bit value selects. */
  #chooser({ args: [of], attr: labels, regions }: Inst<'switch'>): Value {
    const b = this.#b
    const value = this.#value(of!)
    let at = b.const(t.i32, regions.length - 1)
    for (let i = 0; i < labels.length; i += 2) {
      const label = this.#arithmetic.constant(of!.type, labels[i]!)
      at = b.select(this.#arithmetic.op('eq', of!.type, [value, label], t.bool), b.const(t.i32, labels[i + 1]!), at)
    }
    return at
  }

  /** The operation itself, on what stands for its operands. */
  #copy(inst: Inst): void {
    const chooses = inst.op === 'switch' && this.#cx.types.kind(inst.args[0]!.type) === 'long'
    const attr: Attr = chooses
      ? inst.regions.slice(1).flatMap((_, i) => [i, i])
      : inst.attr instanceof Inst
        ? (this.#labels.get(inst.attr) ?? inst.attr)
        : inst.attr
    const args = chooses ? [this.#chooser(inst)] : inst.args.map(a => this.#value(a))
    const regions = inst.regions.map(() => new Region())
    const types = inst.results.map(r => this.#cx.types.value(r.type))
    const copy = this.#b.emit(inst.op, args, attr, types, regions)
    this.#labels.set(inst, copy)
    for (let i = 0; i < regions.length; i++) this.#region(inst.regions[i]!, regions[i]!)
    for (let i = 0; i < types.length; i++) this.#set(inst.results[i]!, copy.results[i]!)
  }

  #inst(inst: Inst): void {
    const { types, sink } = this.#cx
    const b = this.#b
    const [first] = inst.args
    const result = inst.results[0]
    const place = first === undefined ? undefined : this.#places[first.id]
    const arg = (i: number): Value => this.#value(inst.args[i]!)
    switch (inst.op) {
      case 'global': {
        const global = this.#cx.global(inst.attr)
        const words = b.emit1('global', [], global)
        if (this.#cx.packed(inst.attr)) {
          const uniform = global.space === 'uniform'
          const layouts = layoutsOf(inst.attr)
          this.#places[result!.id] = {
            words,
            uniform,
            layouts,
            type: inst.attr.type,
            base: undefined,
            unit: 4,
            offset: 0,
          }
        } else this.#set(result!, words)
        return
      }
      case 'field':
        if (place !== undefined) this.#places[result!.id] = this.#memory.field(place, inst.attr)
        else this.#copy(inst)
        return
      case 'elem':
        if (place !== undefined) this.#places[result!.id] = this.#memory.elem(place, this.#index(inst.args[1]!))
        else this.#set(result!, b.elem(arg(0), this.#index(inst.args[1]!)))
        return
      case 'load':
        if (place !== undefined) this.#set(result!, this.#memory.load(place))
        else this.#copy(inst)
        return
      case 'store':
        if (place !== undefined) this.#memory.store(place, arg(1))
        else this.#copy(inst)
        return
      case 'length':
        if (place !== undefined) this.#set(result!, this.#memory.length(place))
        else this.#copy(inst)
        return
      case 'atomic': {
        const of = first!.type.elem!
        if (types.holds(of)) {
          sink.add(atomicTypeInTarget, inst.span ?? undefined, { type: t.sourceName(of.scalar!) })
          if (result !== undefined) this.#set(result, b.zero(types.value(of)))
        } else if (place === undefined) this.#copy(inst)
        else
          this.#set(
            result!,
            this.#memory.atomic(
              place,
              inst.attr,
              inst.args.slice(1).map(a => this.#value(a)),
            ),
          )
        return
      }
      case 'call':
        this.#call(inst)
        return
      case 'printf':
        b.emit(
          'printf',
          inst.args.map(a => this.#printed(a)),
          inst.attr,
        )
        return
      default:
        if (result !== undefined && this.#isEmulated(inst)) this.#set(result, this.#pure(inst, result.type))
        else this.#copy(inst)
    }
  }

  #isEmulated(inst: Inst): boolean {
    const { types } = this.#cx
    return (
      inst.regions.length === 0 &&
      (types.holds(inst.results[0]!.type) || inst.args.some(a => types.kind(a.type) !== undefined))
    )
  }

  /** An index may have 64 bits. */
  #index(of: Value): Value {
    const b = this.#b
    const i = this.#value(of)
    if (this.#cx.types.kind(of.type) !== 'long') return i
    return b.select(b.emit1('eq', [b.extract(i, 1), b.const(t.u32, 0)]), b.extract(i, 0), b.const(t.u32, 0xffffffff))
  }

  /** What only computes a value. */
  #pure(inst: Inst, type: Type): Value {
    const { types } = this.#cx
    const b = this.#b
    const arithmetic = this.#arithmetic
    const of = inst.args[0]?.type ?? type
    const arg = (i: number): Value => this.#value(inst.args[i]!)
    const isLong = types.kind(type) === 'long'
    switch (inst.op) {
      case 'const':
        return arithmetic.constant(type, inst.attr)
      case 'convert':
        return arithmetic.convert(arg(0), of, type)
      case 'bitcast':
        return arithmetic.bitcast(arg(0), of, type)
      case 'select':
        if (!isLong || of.kind === 'scalar') break
        return arithmetic.lanes(type, [arg(0), arg(1), arg(2)], ([c, x, y]) => b.select(c!, x!, y!))
      case 'splat':
        if (!isLong) break
        return arithmetic.lanes(type, [], () => arg(0))
      case 'swizzle':
        if (!isLong) break
        return b.construct(
          types.value(type),
          inst.attr.map(lane => b.extract(arg(0), lane)),
        )
      case 'index': {
        if (!isLong) break
        const copy = b.variable(types.value(of), 'copy')
        b.store(copy, arg(0))
        return b.load(b.elem(copy, this.#index(inst.args[1]!)))
      }
      case 'transpose':
        if (!isLong) break
        return b.construct(
          types.value(type),
          Array.from({ length: type.count }, (_, i) =>
            b.construct(
              types.value(type.elem!),
              Array.from({ length: type.elem!.count }, (_, j) => b.extract(b.extract(arg(0), j), i)),
            ),
          ),
        )
      case 'dot':
        return arithmetic.dot(lanesOf(b, arg(0), of), lanesOf(b, arg(1), of), type)
      case 'matmul':
        return this.#product(arg(0), arg(1), of, inst.args[1]!.type, type)
      case 'zero':
      case 'undef':
      case 'detach':
      case 'construct':
      case 'extract':
      case 'insert':
        break
      default:
        if (inst.row.lanes !== undefined)
          return arithmetic.op(
            inst.op as LaneOp,
            of,
            inst.args.map(a => this.#value(a)),
            type,
          )
    }
    return b.emit1(
      inst.op,
      inst.args.map(a => this.#value(a)),
      inst.attr,
      types.value(type),
    )
  }

  /** A product of matrices, or of a matrix and a vector. */
  #product(x: Value, y: Value, xType: Type, yType: Type, type: Type): Value {
    const b = this.#b
    const scalar = t.scalars[type.scalar!]
    const row = (i: number): readonly Value[] =>
      xType.kind === 'vec' ? lanesOf(b, x, xType) : lanesOf(b, b.extract(x, i), xType.elem!)
    const column = (j: number): readonly Value[] =>
      yType.kind === 'vec' ? lanesOf(b, y, yType) : lanesOf(b, y, yType).map(r => b.extract(r, j))
    const at = (i: number, j: number): Value => this.#arithmetic.dot(row(i), column(j), scalar)
    const parts = (of: Type, f: (i: number) => Value): Value =>
      b.construct(
        this.#cx.types.value(of),
        Array.from({ length: of.count }, (_, i) => f(i)),
      )
    if (type.kind === 'mat') return parts(type, i => parts(type.elem!, j => at(i, j)))
    return parts(type, i => (xType.kind === 'vec' ? at(0, i) : at(i, 0)))
  }

  /** A 64-bit integer is printed as a struct of its words. */
  #printed(of: Value): Value {
    const value = this.#value(of)
    if (this.#cx.types.kind(of.type) !== 'long') return value
    const words = t.printedWords[of.type.scalar as 'i64' | 'u64']
    return printable(this.#b, value, of.type, words)
  }

  #call(inst: Inst<'call'>): void {
    const { types, sink } = this.#cx
    const callee = inst.attr
    // WGSL calls its own function, also where there is a body.
    const name = callee.info.intrinsics?.['wgsl']
    const own = inst.args.concat(inst.results).map(v => v.type)
    const long = name === undefined ? undefined : own.find(type => types.kind(type) === 'long')
    if (long !== undefined)
      sink.add(typeNotInTarget, inst.span ?? undefined, {
        type: t.sourceName(long.scalar!),
        func: callee.name,
        instead: 'a 32-bit type, or compile for wasm or js',
      })
    const made = this.#cx.func(callee)
    const results = this.#b.call(
      made,
      inst.args.map(a => this.#value(a)),
    )
    inst.results.forEach((r, i) => {
      const value = results[i]!
      const kind = name === undefined || exact.has(name) ? undefined : types.kind(r.type)
      if (kind === 'small') this.#set(r, this.#arithmetic.wrapped(value, r.type))
      else if (kind === 'half') this.#set(r, this.#arithmetic.rounded(value))
      else this.#set(r, value)
    })
  }
}

function lanesOf(b: Builder, x: Value, { count }: Type): readonly Value[] {
  return Array.from({ length: count }, (_, i) => b.extract(x, i))
}

function printable(b: Builder, value: Value, type: Type, words: Type): Value {
  if (type.kind === 'scalar') return b.construct(words, [b.extract(value, 0), b.extract(value, 1)])
  return b.construct(
    t.array(words, type.count),
    lanesOf(b, value, type).map(v => printable(b, v, type.elem!, words)),
  )
}
