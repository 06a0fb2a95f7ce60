/**
 * Legalises functions for languages without vectors and without struct values. Every value becomes a scalar or an array of scalars:
 * a vector, matrix or struct becomes its leaves. One walk maps values to leaves, and pointers to access paths. `load` and `store`
 * of scalars and the intrinsics in `intrinsic.ts` access memory.
 */
import * as costs from '../../ir/costs.ts'
import { InternalError, type Sink } from '../../base/diag.ts'
import { Builder } from '../../ir/build.ts'
import type { OpName, OwnerOp, StructuralOp, Terminator } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import { component, type Type } from '../../ir/type.ts'
import { Func, Inst, Region, type Global, type ParamSig, type Value } from '../../ir/value.ts'
import { leafStart, leafType, leavesOf } from './leaf.ts'
import { Memory, variablePath, type AccessPath } from './access-path.ts'

/** What the functions of a module share. */
export interface LeafModule {
  readonly sink: Sink
  /** The intrinsic of the target that a call becomes; undefined for other functions. */
  intrinsic(func: Func): string | undefined
  /** The legal form of a function. Undefined if the target cannot have it, after a diagnostic. */
  want(func: Func): Func | undefined
  /** The access path of a global, for instructions of a builder. */
  globalPath(b: Builder, global: Global): AccessPath
}

/** The legal form of a function without a body: each parameter and result becomes one for each of its leaves. */
export function legalFunc(func: Func): Func {
  const params: ParamSig[] = []
  const add = (type: Type, name: string, dir: 'in' | 'out'): void => {
    for (const leaf of leavesOf(type))
      params.push({ name: name + leaf.suffix, type: leafType(leaf), dir, noDiff: true })
  }
  const named = func.sig.params.filter(p => p.dir !== 'out')
  const types = func.body === undefined ? named.map(p => p.type) : func.body.params.map(p => p.type)
  types.forEach((type, i) => add(type, named[i]?.name ?? '', 'in'))
  for (const type of func.results) add(type, '', 'out')
  return new Func(func.name, { params, result: t.voidType, resultNoDiff: true }, func.span)
}

/** Fills in the body of a function in leaves. */
export function legalize(from: Func, into: Func, module: LeafModule): void {
  new Legalizer(from, into, module).run()
}

type Leaves = readonly Value[]

/** Ops that make values from values. */
type PureOp = Exclude<OpName, StructuralOp | 'length'>
type ControlOp = OwnerOp | Terminator

class Legalizer {
  readonly #from: Func
  readonly #into: Func
  readonly #module: LeafModule
  readonly #b: Builder
  readonly #memory: Memory
  readonly #leaves: (Leaves | undefined)[] = []
  readonly #paths: (AccessPath | undefined)[] = []
  readonly #labels = new Map<Inst, Inst>()

  constructor(from: Func, into: Func, module: LeafModule) {
    this.#from = from
    this.#into = into
    this.#module = module
    this.#b = new Builder(into, (into.body = new Region()))
    this.#memory = new Memory(this.#b)
  }

  run(): void {
    this.#region(this.#from.body!, this.#into.body!)
  }

  // ── Values ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #use(v: Value): Leaves {
    const leaves = this.#leaves[v.id]
    if (leaves === undefined) throw new InternalError('leaves', `%${v.name} of ${this.#from.name} has no leaves`)
    return leaves
  }

  #all(values: readonly Value[]): Value[] {
    return values.flatMap(v => this.#use(v))
  }

  #path(v: Value): AccessPath {
    const path = this.#paths[v.id]
    if (path === undefined) throw new InternalError('leaves', `a pointer in ${this.#from.name} comes from nowhere`)
    return path
  }

  #define(v: Value, leaves: Leaves): void {
    this.#leaves[v.id] = leaves
    if (v.name === '') return
    const types = leavesOf(v.type)
    leaves.forEach((leaf, k) => {
      if (leaf.name === '') leaf.name = v.name + types[k]!.suffix
    })
  }

  #zeros(type: Type): Leaves {
    return leavesOf(type).map(leaf => this.#b.zero(leafType(leaf)))
  }

  // ── Control ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #region(from: Region, into: Region): void {
    const b = this.#b
    b.within(into, () => {
      for (const p of from.params)
        this.#leaves[p.id] = leavesOf(p.type).map(leaf =>
          b.param(leafType(leaf), p.name === '' ? '' : p.name + leaf.suffix),
        )
      for (const inst of from.insts) {
        b.span = inst.span
        this.#inst(inst)
        this.#count(inst)
      }
    })
  }

  /** Counts what an instruction became: a number for each leaf that it gives, or hands over. */
  #count(inst: Inst): void {
    let leaves = 0
    for (let i = 0; i < inst.results.length; i++) leaves += leavesOf(inst.results[i]!.type).length
    if (inst.op === 'call' || inst.op === 'store')
      for (let i = 0; i < inst.args.length; i++) leaves += leavesOf(inst.args[i]!.type).length
    this.#module.sink.work.spend('output', costs.leafOutput * leaves, inst.span)
  }

  #control(inst: Inst<ControlOp>): void {
    const b = this.#b
    const attr = inst.attr instanceof Inst ? this.#labels.get(inst.attr)! : inst.attr
    const regions = inst.regions.map(() => new Region())
    const types = inst.results.flatMap(r => leavesOf(r.type).map(leafType))
    const copy = b.emit(inst.op as OpName, this.#all(inst.args), attr, types, regions)
    this.#labels.set(inst, copy)
    inst.regions.forEach((region, i) => this.#region(region, regions[i]!))
    let next = 0
    for (const r of inst.results)
      this.#define(
        r,
        leavesOf(r.type).map(() => copy.results[next++]!),
      )
  }

  // ── Instructions ─────────────────────────────────────────────────────────────────────────────────────────────────

  #inst(inst: Inst): void {
    const b = this.#b
    switch (inst.op) {
      case 'if':
      case 'switch':
      case 'loop':
      case 'block':
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
      case 'ret':
      case 'unreachable':
        this.#control(inst)
        return
      case 'call':
        this.#call(inst)
        return
      case 'var': {
        const v = inst.results[0]!
        const type = v.type.elem!
        this.#paths[v.id] = variablePath(
          leavesOf(type).map(leaf => b.variable(leafType(leaf), v.name === '' ? '' : v.name + leaf.suffix)),
          type,
        )
        return
      }
      case 'global':
        this.#paths[inst.results[0]!.id] = this.#module.globalPath(b, inst.attr)
        return
      case 'field':
        this.#paths[inst.results[0]!.id] = this.#memory.field(this.#path(inst.args[0]!), inst.attr)
        return
      case 'elem':
        this.#paths[inst.results[0]!.id] = this.#memory.elem(this.#path(inst.args[0]!), this.#use(inst.args[1]!)[0]!)
        return
      case 'load':
        this.#define(inst.results[0]!, this.#memory.load(this.#path(inst.args[0]!)))
        return
      case 'store':
        this.#memory.store(this.#path(inst.args[0]!), this.#use(inst.args[1]!))
        return
      case 'atomic':
        this.#atomic(inst)
        return
      case 'barrier':
        b.emit('barrier', [], inst.attr, [])
        return
      case 'length':
        this.#define(inst.results[0]!, [this.#length(inst.args[0]!)])
        return
      case 'printf':
        b.emit('printf', this.#all(inst.args), inst.attr, [])
        return
      case 'trap':
        b.emit('trap', this.#all(inst.args), inst.attr, [])
        return
      default:
        this.#define(inst.results[0]!, this.#pure(inst, inst.results[0]!.type))
    }
  }

  #length(pointer: Value): Value {
    const path = this.#path(pointer)
    if (path.type.count > 0 || path.kind !== 'words') return this.#b.const(t.u32, path.type.count)
    return this.#memory.length(path.views)
  }

  #atomic(inst: Inst<'atomic'>): void {
    const b = this.#b
    const path = this.#path(inst.args[0]!)
    const type = path.type
    const before = this.#memory.load(path)[0]!
    const inside = path.kind === 'words' ? path.write?.inside : undefined
    const x = inside === undefined ? before : b.select(inside, before, b.zero(type))
    const result = inst.results[0]
    if (result !== undefined) this.#define(result, [x])
    const y = inst.args[1] === undefined ? x : this.#use(inst.args[1])[0]!
    let value: Value
    switch (inst.attr) {
      case 'load':
        return
      case 'add':
        value = b.emit1('add', [x, y])
        break
      case 'and':
        value = b.emit1('and', [x, y])
        break
      case 'or':
        value = b.emit1('or', [x, y])
        break
      case 'xor':
        value = b.emit1('xor', [x, y])
        break
      case 'min':
        value = b.select(b.emit1('lt', [x, y]), x, y)
        break
      case 'max':
        value = b.select(b.emit1('gt', [x, y]), x, y)
        break
      case 'compare': {
        // Floats are compared by their bits.
        const same = t.isFloat(type) ? b.emit1('intrinsic.pure', [x, y], 'sameBits', t.bool) : b.emit1('eq', [x, y])
        value = b.select(same, this.#use(inst.args[2]!)[0]!, x)
        break
      }
      case 'store':
      case 'exchange':
        value = y
    }
    this.#memory.store(path, [value])
  }

  #call(inst: Inst<'call'>): void {
    const b = this.#b
    const callee = inst.attr
    const intrinsic = this.#module.intrinsic(callee)
    if (intrinsic !== undefined) {
      const result = inst.results[0]!
      const parts = inst.args.map(a => this.#use(a))
      this.#define(
        result,
        leavesOf(result.type).map((leaf, k) =>
          b.emit1(
            'intrinsic.pure',
            parts.map(p => (p.length === 1 ? p[0]! : p[k]!)),
            intrinsic,
            leafType(leaf),
          ),
        ),
      )
      return
    }
    const legal = this.#module.want(callee)
    if (legal === undefined) {
      for (const r of inst.results) this.#define(r, this.#zeros(r.type))
      return
    }
    const { results } = b.emit('call', this.#all(inst.args), legal, legal.results)
    let next = 0
    for (const r of inst.results)
      this.#define(
        r,
        leavesOf(r.type).map(() => results[next++]!),
      )
  }

  #pure(inst: Inst<PureOp>, type: Type): Leaves {
    const make = Legalizer.#makers[inst.op] as (inst: Inst, type: Type, l: Legalizer) => Leaves
    return make(inst, type, this)
  }

  static readonly #makers: { readonly [K in PureOp]: (inst: Inst<K>, type: Type, l: Legalizer) => Leaves } = (() => {
    const first = (inst: Inst, _type: Type, l: Legalizer): Leaves => l.#use(inst.args[0]!)
    const second = (inst: Inst, _type: Type, l: Legalizer): Leaves => l.#use(inst.args[1]!)
    const zeros = (_inst: Inst, type: Type, l: Legalizer): Leaves => l.#zeros(type)
    /** Applies an op leaf by leaf. A scalar is paired with each leaf of the other operand. */
    const each = (inst: Inst, type: Type, l: Legalizer): Leaves => {
      const parts = inst.args.map(a => l.#use(a))
      return leavesOf(type).map((leaf, k) =>
        l.#b.emit1(
          inst.op as 'add',
          parts.map(p => p[p.length === 1 ? 0 : k]!),
          null,
          leafType(leaf),
        ),
      )
    }
    const illegal = (inst: Inst): Leaves => {
      throw new InternalError('leaves', `${inst.op} before legal code is made`)
    }
    return {
      const: (inst, type, l) => [l.#b.const(type, inst.attr)],
      zero: zeros,
      undef: zeros,
      detach: first,
      add: each,
      sub: each,
      mul: each,
      div: each,
      rem: each,
      neg: each,
      and: each,
      or: each,
      xor: each,
      not: each,
      shl: each,
      shr: each,
      lt: each,
      le: each,
      gt: each,
      ge: each,
      eq: each,
      ne: each,
      select: (inst, type, l) => {
        const [c, x, y] = [first(inst, type, l), second(inst, type, l), l.#use(inst.args[2]!)]
        return x.map((e, k) => l.#b.select(c[c.length === 1 ? 0 : k]!, e, y[k]!))
      },
      convert: (inst, type, l) => first(inst, type, l).map(e => l.#b.convert(e, t.scalars[type.scalar!])),
      bitcast: (inst, type, l) => {
        const [x, leaves] = [first(inst, type, l), leavesOf(type)]
        if (leaves.length !== x.length) throw new InternalError('leaves', 'a bitcast between shapes')
        return leaves.map((leaf, k) =>
          x[k]!.type === leafType(leaf) ? x[k]! : l.#b.emit1('bitcast', [x[k]!], null, leafType(leaf)),
        )
      },
      construct: (inst, type, l) => (type.kind === 'array' ? l.#array(type, inst.args) : l.#all(inst.args)),
      splat: (inst, type, l) => leavesOf(type).map(() => first(inst, type, l)[0]!),
      extract: (inst, type, l) => l.#extract(first(inst, type, l), inst.args[0]!.type, inst.attr),
      insert: (inst, type, l) => l.#insert(first(inst, type, l), inst.args[0]!.type, inst.attr, second(inst, type, l)),
      swizzle: (inst, type, l) => inst.attr.map(lane => first(inst, type, l)[lane]!),
      index: (inst, type, l) => l.#index(first(inst, type, l), inst.args[0]!.type, second(inst, type, l)[0]!),
      dot: (inst, type, l) => [l.#dot(first(inst, type, l), second(inst, type, l))],
      matmul: (inst, _type, l) => l.#matmul(inst.args[0]!, inst.args[1]!),
      transpose: (inst, type, l) => {
        const [rows, cols] = [type.elem!.count, inst.args[0]!.type.elem!.count]
        return leavesOf(type).map((_, k) => first(inst, type, l)[(k % rows) * cols + Math.floor(k / rows)]!)
      },
      'intrinsic.pure': illegal,
      'intrinsic.read': illegal,
      'intrinsic.write': illegal,
      'intrinsic.hide': illegal,
    }
  })()

  #array(type: Type, args: readonly Value[]): Leaves {
    return leavesOf(type).map((leaf, k) =>
      this.#b.emit1(
        'construct',
        args.map(a => (leaf.depth > 0 ? this.#use(a)[k]! : this.#memory.toStored(this.#use(a)[k]!))),
        null,
        leafType(leaf),
      ),
    )
  }

  #extract(x: Leaves, type: Type, i: number): Leaves {
    const inner = leavesOf(component(type, i))
    if (type.kind === 'array') {
      const wholes = leavesOf(type)
      return inner.map((leaf, k) =>
        wholes[k]!.depth > 0
          ? this.#b.emit1('extract', [x[k]!], i, leafType(leaf))
          : this.#memory.element(x[k]!, leaf, i),
      )
    }
    const start = leafStart(type, i)
    return x.slice(start, start + inner.length)
  }

  #insert(x: Leaves, type: Type, i: number, part: Leaves): Leaves {
    if (type.kind === 'array') {
      const inner = leavesOf(type.elem!)
      return x.map((e, k) => {
        const at = inner[k]!.depth > 0 ? i : i * Math.max(1, inner[k]!.count)
        return this.#b.emit1(
          'insert',
          [e, inner[k]!.depth > 0 ? part[k]! : this.#memory.toStored(part[k]!)],
          at,
          e.type,
        )
      })
    }
    const start = leafStart(type, i)
    return [...x.slice(0, start), ...part, ...x.slice(start + part.length)]
  }

  /** A lane or row with a computed index: a cascade of choices, the last for all that is past the end. */
  #index(x: Leaves, type: Type, at: Value): Leaves {
    const b = this.#b
    const size = leavesOf(type.elem!).length
    const big = at.type === t.i64 || at.type === t.u64
    return leavesOf(type.elem!).map((_, k) => {
      let e = x[(type.count - 1) * size + k]!
      for (let i = type.count - 2; i >= 0; i--)
        e = b.select(b.emit1('eq', [at, b.const(at.type, big ? BigInt(i) : i)]), x[i * size + k]!, e)
      return e
    })
  }

  #dot(x: Leaves, y: Leaves): Value {
    const b = this.#b
    let sum = b.emit1('mul', [x[0]!, y[0]!])
    for (let i = 1; i < x.length; i++) sum = b.emit1('add', [sum, b.emit1('mul', [x[i]!, y[i]!])])
    return sum
  }

  #matmul(left: Value, right: Value): Leaves {
    const [x, y] = [this.#use(left), this.#use(right)]
    const inner = left.type.kind === 'vec' ? left.type.count : left.type.elem!.count
    const rows = left.type.kind === 'vec' ? 1 : left.type.count
    const cols = right.type.kind === 'vec' ? 1 : right.type.elem!.count
    const out: Value[] = []
    for (let r = 0; r < rows; r++) {
      const row = x.slice(r * inner, (r + 1) * inner)
      for (let c = 0; c < cols; c++)
        out.push(
          this.#dot(
            row,
            row.map((_, k) => y[k * cols + c]!),
          ),
        )
    }
    return out
  }
}
