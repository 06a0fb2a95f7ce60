/** Copies a function into the legal form for WGSL. One walk maps values, types and pointers, and expands what WGSL lacks. */
import * as costs from '../../ir/costs.ts'
import { InternalError, type Sink } from '../../base/diag.ts'
import {
  atomicTypeInTarget,
  offsetInTarget,
  resourceChoiceInTarget,
  typeNotInTarget,
} from '../../base/errors/target.ts'
import type { Span } from '../../base/source.ts'
import type { Builder } from '../../ir/build.ts'
import type { PlainOp } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'
import type { Func } from '../../ir/value.ts'
import { defining } from '../../ir/walk.ts'
import { Inst, Region, type Attr, type Global, type Value } from '../../ir/value.ts'
import * as expand from './expand.ts'
import { intrinsicOf, type Intrinsic } from './intrinsic.ts'
import type { Layouts, Stored } from './layout.ts'
import { float32Bits, isInexpressible } from './literal.ts'
import * as memory from './memory.ts'
import type { Helpers, StoredPointer } from './memory.ts'
import { constantOffset, depthCall, takesOffset } from './texture.ts'
import { reportLength, type TypeMap } from './types.ts'

/** What the copies of all functions of a module share. */
export interface ModuleCopy {
  readonly sink: Sink
  readonly types: TypeMap
  readonly layouts: Layouts
  readonly helpers: Helpers
  /** The copy of a function; its body may not be filled in yet. */
  func(of: Func): Func
  /** Emits a `printf`. */
  print(b: Builder, format: string, values: readonly Value[]): void
  /** The copy of a global, with how it lies in memory. */
  global(of: Global): { readonly global: Global; readonly stored: Stored }
  /** A module-level variable that only one place uses. */
  variable(type: Type, name: string): Global
}

/** A struct with the results of a function that has several; they are fields in order. */
export function resultType(types: TypeMap, func: Func): Type {
  if (func.results.length === 0) return t.voidType
  if (func.results.length === 1) return types.value(func.results[0]!)
  const names = func.sig.params.filter(p => p.dir !== 'in').map(p => p.name)
  if (func.sig.result.kind !== 'void') names.unshift('result')
  return t.struct(
    `${func.name}_result`,
    func.results.map((r, i) => ({ name: names[i] ?? '', type: types.value(r) })),
  )
}

/** An index into a buffer is at most this, which is past the end of any. */
const maxLength = 2 ** 31

/** Copies one function's body. */
export class Copier {
  readonly #cx: ModuleCopy
  readonly #from: Func
  readonly #b: Builder
  readonly #values: Value[] = []
  readonly #pointers: StoredPointer[] = []
  readonly #labels = new Map<Inst, Inst>()
  readonly #reported = new Set<string>()
  #counted: number

  constructor(cx: ModuleCopy, from: Func, b: Builder) {
    this.#cx = cx
    this.#from = from
    this.#b = b
    this.#counted = b.func.nextValue
  }

  /** The WGSL type. A scalar that WGSL lacks is reported, and so is a resource in a struct that is left: nobody knows which one it is. */
  type(type: Type, span: Span | null = this.#b.span): Type {
    const { types } = this.#cx
    if (type.kind !== 'ptr' && t.holdsPointer(type) && !this.#reported.has(type.name)) {
      this.#reported.add(type.name)
      this.#cx.sink.add(resourceChoiceInTarget, span ?? this.#from.span ?? undefined, {})
    }
    const legal = types.value(type)
    if (types.missing !== undefined) {
      const missing = types.missing
      types.missing = undefined
      if (!this.#reported.has(missing)) {
        this.#reported.add(missing)
        this.#cx.sink.add(typeNotInTarget, span ?? this.#from.span ?? undefined, {
          type: t.sourceName(missing),
          func: this.#from.name,
          instead:
            missing === 'f64'
              ? 'float, or compile for wasm or js'
              : "`emulation` of 'cotangent/emulation' as an option of compile",
        })
      }
    }
    return legal
  }

  /** Sets the copy of a value. */
  set(of: Value, is: Value): void {
    if (is.name === '' && of.name !== '') is.name = of.name
    this.#values[of.id] = is
  }

  /** Reports a resource that only the run chooses. */
  #refuseChoice(span: Span | null | undefined): void {
    this.#cx.sink.add(resourceChoiceInTarget, span ?? this.#b.span ?? undefined, {})
  }

  #value(of: Value): Value {
    const v = this.#values[of.id]
    // A resource among values is one that the run chooses.
    if (v === undefined && of.type.kind === 'ptr') this.#refuseChoice(defining(of)?.span)
    if (v === undefined && this.#cx.sink.errors > 0) return this.#b.zero(this.type(of.type))
    if (v !== undefined) return v
    throw new InternalError(
      'wgsl',
      `value ${of.id} of ${this.#from.name} (${of.type.name}) is used before it is defined`,
    )
  }

  #pointerOf(of: Value): StoredPointer {
    const pointer = this.#pointers[of.id]
    if (pointer !== undefined) return pointer
    // What is no path from a global or variable was chosen by the run: by a branch, a call, or what a buffer holds.
    this.#refuseChoice(defining(of)?.span)
    const type = this.type(of.type.elem!)
    return { ptr: this.#b.variable(type), stored: this.#cx.layouts.local(type) }
  }

  /** Copies the instructions of a region to the end of another. */
  region(from: Region, into: Region): void {
    this.#b.within(into, () => {
      for (let i = 0; i < from.params.length; i++) {
        const p = from.params[i]!
        this.set(p, this.#b.param(this.type(p.type), p.name))
      }
      for (let i = 0; i < from.insts.length; i++) {
        this.#inst(from.insts[i]!)
        this.#count()
      }
    })
  }

  /** Counts what was made since this was last called. */
  #count(): void {
    const { func, span } = this.#b
    this.#cx.sink.work.spend('output', costs.valueOutput * (func.nextValue - this.#counted), span)
    this.#counted = func.nextValue
  }

  #inst(inst: Inst): void {
    const b = this.#b
    b.span = inst.span
    switch (inst.op) {
      case 'field':
      case 'elem':
      case 'global':
      case 'var':
        this.#pointer(inst)
        return
      case 'store':
        memory.write(b, this.#pointerOf(inst.args[0]!), this.#value(inst.args[1]!))
        return
      case 'atomic': {
        const { scalar } = inst.args[0]!.type.elem!
        if (scalar !== 'i32' && scalar !== 'u32' && scalar !== 'f32') {
          this.#cx.sink.add(atomicTypeInTarget, inst.span ?? undefined, { type: t.sourceName(scalar!) })
        }
        const args = inst.args.slice(1).map(a => this.#value(a))
        const old = memory.atomic(b, this.#cx.helpers, this.#pointerOf(inst.args[0]!), inst.attr, args)
        if (old !== undefined && inst.results[0] !== undefined) this.set(inst.results[0], old)
        return
      }
      case 'barrier':
        if (inst.args.length > 0) {
          this.set(inst.results[0]!, memory.uniformLoad(b, this.#pointerOf(inst.args[0]!)))
          return
        }
        if (inst.attr !== 'storage') b.emit('intrinsic.write', [], 'workgroupBarrier', [])
        if (inst.attr === 'storage' || inst.attr === 'all') b.emit('intrinsic.write', [], 'storageBarrier', [])
        return
      case 'trap':
        return
      case 'printf':
        this.#cx.print(
          b,
          inst.attr,
          inst.args.map(a => this.#value(a)),
        )
        return
      case 'call':
        this.#call(inst)
        return
      case 'ret': {
        const result = b.func.sig.result
        // What an entry point for the CPU returns, nobody takes on the GPU.
        const values = result.kind === 'void' ? [] : inst.args.map(a => this.#value(a))
        b.emit('ret', values.length > 1 ? [b.construct(result, values)] : values)
        return
      }
      case 'if':
      case 'switch':
      case 'loop':
      case 'block':
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
      case 'unreachable':
        this.#control(inst)
        return
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        throw new InternalError('wgsl', `${inst.op} before legal code is made`)
      default:
        this.set(inst.results[0]!, this.#pure(inst))
    }
  }

  #pure(inst: Inst<PlainOp | 'load'>): Value {
    const b = this.#b
    const { types } = this.#cx
    const type = this.type(inst.results[0]!.type)
    const of = inst.args[0]?.type
    const arg = (i: number): Value => this.#value(inst.args[i]!)
    switch (inst.op) {
      case 'const':
        return this.#constant(type, inst.attr)
      case 'zero':
      case 'undef':
        return b.zero(type)
      case 'load': {
        const value = memory.read(b, this.#pointerOf(inst.args[0]!))
        // Once and for all uses; of what is larger, only components that are used as constants.
        return type.kind === 'scalar' ? expand.hidden(b, value) : value
      }
      case 'length':
        return b.emit1('intrinsic.pure', [this.#pointerOf(inst.args[0]!).ptr], 'arrayLength', t.u32)
      case 'detach':
        return arg(0)
      case 'select':
        return expand.select(b, arg(0), arg(1), arg(2))
      case 'convert':
      case 'bitcast':
        return expand.recast(b, inst.op, arg(0), type)
      case 'construct': {
        const args = inst.args.map(a => this.#value(a))
        const source = inst.results[0]!.type
        if (source.kind === 'struct' && source.count === 0) return b.zero(type)
        return args.length === 1 && args[0]!.type === type && source.kind !== 'array'
          ? args[0]!
          : b.construct(type, args)
      }
      case 'splat':
        return expand.splat(b, arg(0), type)
      case 'extract':
        return this.#single(of!) ? arg(0) : b.extract(arg(0), inst.attr)
      case 'insert':
        return this.#single(of!) ? arg(1) : expand.insert(b, arg(0), inst.attr, arg(1))
      case 'swizzle':
        return expand.swizzle(b, arg(0), inst.attr, type)
      case 'index':
        return this.#single(of!) ? arg(0) : expand.index(b, arg(0), arg(1), type)
      case 'dot':
        return expand.dot(b, arg(0), arg(1), type)
      case 'matmul':
        return expand.matmul(b, types, arg(0), arg(1), of!, inst.args[1]!.type, inst.results[0]!.type)
      case 'transpose':
        return expand.transpose(b, types, arg(0), of!, inst.results[0]!.type)
      default:
        return expand.arithmetic(
          b,
          inst.op,
          inst.args.map(a => this.#value(a)),
          type,
        )
    }
  }

  /** True for a vector of one lane or a matrix of one row: its only component stands for it. */
  #single(type: Type): boolean {
    return (type.kind === 'vec' || type.kind === 'mat') && type.count === 1
  }

  #constant(type: Type, value: number | boolean | bigint): Value {
    const b = this.#b
    if (!isInexpressible(type.scalar!, value)) return b.const(type, value)
    const bits = expand.hidden(b, b.const(t.u32, float32Bits(value as number)))
    bits.name = Number.isNaN(value) ? 'nan_bits' : 'inf_bits'
    return b.convert(b.emit1('bitcast', [bits], null, t.f32), type)
  }

  #pointer(inst: Inst): void {
    const b = this.#b
    const result = inst.results[0]!
    switch (inst.op) {
      case 'var': {
        const type = this.type(result.type.elem!)
        reportLength(this.#cx.sink, type, inst.span)
        // It is zero where its function begins, as a module-level variable is. Drivers take that faster if it is long.
        const isLong =
          this.#from.info.entry !== undefined && b.at === b.func.body && t.wordsOf(type) > costs.functionWords
        const ptr = isLong ? b.emit1('global', [], this.#cx.variable(type, result.name)) : b.variable(type, result.name)
        this.#pointers[result.id] = { ptr, stored: this.#cx.layouts.local(type) }
        return
      }
      case 'global': {
        const { global, stored } = this.#cx.global(inst.attr)
        this.#pointers[result.id] = { ptr: b.emit1('global', [], global), stored }
        return
      }
      default: {
        const base = this.#pointerOf(inst.args[0]!)
        if (inst.op === 'field') this.#pointers[result.id] = memory.fieldPointer(b, base, inst.attr)
        else if (this.#single(inst.args[0]!.type.elem!)) this.#pointers[result.id] = base
        else this.#pointers[result.id] = memory.elemPointer(b, base, this.#bounded(base, this.#value(inst.args[1]!)))
      }
    }
  }

  /** A constant index past the end is an error in WGSL; it names the last element instead. */
  #bounded(base: StoredPointer, i: Value): Value {
    const count = base.stored.value.count || maxLength
    const known = expand.constantOf(i)
    if (known === undefined) return expand.hidden(this.#b, i)
    const clamped = t.bounded(Number(known), count)
    return clamped === Number(known) ? i : this.#b.const(i.type, clamped)
  }

  #call(inst: Inst<'call'>): void {
    const b = this.#b
    const callee = inst.attr
    const intrinsic = intrinsicOf(callee)
    if (intrinsic !== undefined && inst.results.length <= 1) {
      this.#builtin(inst, callee, intrinsic)
      return
    }
    for (const a of inst.args) {
      if (a.type.kind !== 'ptr') continue
      this.#refuseChoice(inst.span)
      for (const r of inst.results) if (r.type.kind !== 'ptr') this.set(r, b.zero(this.type(r.type)))
      return
    }
    const args = inst.args.map(a => this.#value(a))
    const copy = this.#cx.func(callee)
    const [result] = b.call(copy, args)
    if (result === undefined) return
    if (inst.results.length === 1) this.set(inst.results[0]!, result)
    else for (let i = 0; i < inst.results.length; i++) this.set(inst.results[i]!, b.extract(result, i))
  }

  /** Emits a call of a target intrinsic. Textures and samplers are passed as they are. */
  #builtin(inst: Inst, callee: Func, intrinsic: Intrinsic): void {
    const { name } = intrinsic
    const b = this.#b
    const args = inst.args.map(a => (a.type.kind === 'ptr' ? this.#pointerOf(a).ptr : this.#value(a)))
    const result = inst.results[0]
    if (takesOffset(intrinsic, args)) {
      const offset = constantOffset(b, args[args.length - 1]!)
      if (offset === undefined) this.#cx.sink.add(offsetInTarget, inst.span ?? undefined, {})
      else args[args.length - 1] = offset
    }
    const depth =
      result === undefined
        ? undefined
        : depthCall(b, intrinsic, args, this.type(result.type), (given, type) =>
            b.emit1('intrinsic.pure', given, name, type),
          )
    if (result === undefined) b.emit('intrinsic.write', args, name, [])
    else if (depth !== undefined) this.set(result, depth)
    else if (callee.info.pure) this.set(result, expand.callBuiltin(b, intrinsic, args, this.type(result.type)))
    else this.set(result, b.emit1('intrinsic.read', args, name, this.type(result.type)))
  }

  #control(inst: Inst): void {
    const b = this.#b
    if (inst.results.some(r => r.type.kind === 'ptr') || inst.args.some(a => a.type.kind === 'ptr')) {
      this.#refuseChoice(inst.span)
      return
    }
    const args = inst.args.map(a => this.#value(a))
    const attr: Attr = inst.attr instanceof Inst ? (this.#labels.get(inst.attr) ?? inst.attr) : inst.attr
    const regions = inst.regions.map(() => new Region())
    const copy = b.emit(
      inst.op,
      args,
      attr,
      inst.results.map(r => this.type(r.type)),
      regions,
    )
    this.#labels.set(inst, copy)
    for (let i = 0; i < regions.length; i++) this.region(inst.regions[i]!, regions[i]!)
    for (let i = 0; i < inst.results.length; i++) this.set(inst.results[i]!, copy.results[i]!)
  }
}
