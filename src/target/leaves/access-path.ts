/**
 * Access paths lead from pointers to leaves; `Memory` reads and writes by them. Elements of an array are loaded and stored; the rest
 * is calls of intrinsics (`intrinsic.ts`).
 */
import * as costs from '../../ir/costs.ts'
import type { Builder } from '../../ir/build.ts'
import * as t from '../../ir/type.ts'
import { component, type Type } from '../../ir/type.ts'
import { Region, type Global, type Value } from '../../ir/value.ts'
import type { Layouts } from '../../ir/layout.ts'
import { leafStart, leafType, leavesOf, stored, type Leaf } from './leaf.ts'

/** Leaves of a root from `start` on, in one of several variants where a lane or row was chosen by a computed index. */
interface Variant {
  readonly start: number
  /** When this variant is meant; undefined for the last. */
  readonly when: Value | undefined
}

/** A path into the variables that hold the leaves of a value. */
interface LeavesPath {
  readonly kind: 'leaves'
  /** Pointers to the variables. */
  readonly root: readonly Value[]
  readonly whole: readonly Leaf[]
  readonly type: Type
  readonly variants: readonly Variant[]
  /** The element of a typed array, or of the innermost plain one; undefined for the whole. */
  readonly at: Value | undefined
  /** The elements of lists, and of arrays of them, on the way. */
  readonly lists: readonly Value[]
}

/** A buffer as views of the host's memory, by the scalar that each holds. */
export interface Views {
  readonly layouts: Layouts
  readonly of: (scalar: t.ScalarName) => Global
  readonly length: Global
}

/** A path into the words of a buffer. */
interface WordsPath {
  readonly kind: 'words'
  readonly views: Views
  readonly type: Type
  readonly at: Value
  /** For an element of a buffer: its unclamped index, and whether that is in bounds. Stores use these. */
  readonly write: { readonly at: Value; readonly inside: Value } | undefined
}

export type AccessPath = LeavesPath | WordsPath

/** The path of a whole variable. */
export function variablePath(root: readonly Value[], type: Type): AccessPath {
  return {
    kind: 'leaves',
    root,
    whole: leavesOf(type),
    type,
    variants: [{ start: 0, when: undefined }],
    at: undefined,
    lists: [],
  }
}

/** Indices are doubles, whose sums and products need no care. */
const index = t.f64

/** Reads and writes memory by access paths, with instructions of a builder. */
export class Memory {
  readonly #b: Builder

  constructor(b: Builder) {
    this.#b = b
  }

  // ── Paths ────────────────────────────────────────────────────────────────────────────────────────────────────────

  field(p: AccessPath, i: number): AccessPath {
    const type = component(p.type, i)
    if (p.kind === 'words') {
      const offset = p.views.layouts.of(p.type).offsets[i]! / 4
      return {
        ...p,
        type,
        at: this.#add(p.at, offset),
        write: p.write && { ...p.write, at: this.#add(p.write.at, offset) },
      }
    }
    const shift = leafStart(p.type, i)
    return { ...p, type, variants: p.variants.map(v => ({ start: v.start + shift, when: v.when })) }
  }

  elem(p: AccessPath, i: Value): AccessPath {
    const type = p.type.elem!
    if (p.type.kind === 'list' && p.kind === 'leaves') {
      const at = this.#number(i)
      return { ...p, type, at, lists: [...p.lists, at] }
    }
    const at = this.#clamped(p, i)
    if (p.kind === 'words') {
      const words = p.views.layouts.of(p.type).stride / 4
      const word = this.#add(p.at, this.#scale(at, words))
      if (p.type.count > 0)
        return {
          ...p,
          type,
          at: word,
          write: p.write && { ...p.write, at: this.#add(p.write.at, this.#scale(at, words)) },
        }
      const own = this.#number(i)
      const below = this.#b.emit1('lt', [own, this.#number(this.length(p.views))])
      const inside = t.isSigned(i.type)
        ? this.#b.emit1('and', [this.#b.emit1('ge', [own, this.#index(0)]), below])
        : below
      return { ...p, type, at: word, write: { at: this.#add(p.at, this.#scale(own, words)), inside } }
    }
    if (p.type.kind === 'array') {
      const whole = p.at === undefined ? at : this.#add(this.#scale(p.at, p.type.count), at)
      const lists = leavesOf(type).some(leaf => leaf.depth > 0) ? [...p.lists, at] : p.lists
      return { ...p, type, at: whole, lists }
    }
    const size = leavesOf(type).length
    const { count } = p.type
    const known = constantOf(at)
    if (known !== undefined)
      return { ...p, type, variants: p.variants.map(v => ({ start: v.start + known * size, when: v.when })) }
    const variants: Variant[] = []
    for (const v of p.variants) {
      for (let k = 0; k < count; k++) {
        const here = k === count - 1 ? undefined : this.#b.emit1('eq', [at, this.#index(k)])
        const when = v.when === undefined ? here : here === undefined ? v.when : this.#b.emit1('and', [v.when, here])
        variants.push({ start: v.start + k * size, when })
      }
    }
    return { ...p, type, variants }
  }

  /** How many elements a buffer has, as u32. */
  length(views: Views): Value {
    return this.#b.load(this.#b.emit1('global', [], views.length))
  }

  #index(value: number): Value {
    return this.#b.const(index, value)
  }

  /** A number of any integer type as an index; small integers are numbers already. */
  #number(i: Value): Value {
    if (i.def.op === 'const') return this.#index(Number(i.def.attr))
    return i.type === t.i64 || i.type === t.u64 ? this.#b.convert(i, index) : i
  }

  /** The index kept in bounds; constants are clamped here and now. */
  #clamped(p: AccessPath, i: Value): Value {
    const { count } = p.type
    if (i.def.op === 'const' && count > 0) return this.#index(t.bounded(Number(i.def.attr), count))
    const most = p.kind === 'words' && count === 0 ? this.#number(this.length(p.views)) : this.#index(count)
    return this.#b.emit1('intrinsic.pure', [this.#number(i), most], 'at', index)
  }

  #add(x: Value, y: Value | number): Value {
    const [m, n] = [constantOf(x), typeof y === 'number' ? y : constantOf(y)]
    if (n === 0) return x
    if (m !== undefined && n !== undefined) return this.#index(m + n)
    const by = typeof y === 'number' ? this.#index(y) : y
    return m === 0 ? by : this.#b.emit1('add', [this.#b.convert(x, index), this.#b.convert(by, index)])
  }

  #scale(x: Value, by: number): Value {
    const m = constantOf(x)
    return by === 1
      ? x
      : m === undefined
        ? this.#b.emit1('mul', [this.#b.convert(x, index), this.#index(by)])
        : this.#index(m * by)
  }

  // ── Variables ────────────────────────────────────────────────────────────────────────────────────────────────────

  load(p: AccessPath): Value[] {
    if (p.kind === 'words') return this.#loadWords(p.views, p.type, p.at)
    return leavesOf(p.type).map((leaf, k) => {
      let all: Value | undefined
      for (let n = p.variants.length - 1; n >= 0; n--) {
        const v = p.variants[n]!
        const depth = p.whole[v.start + k]!.depth
        const one =
          depth > 0 ? this.#readList(p, v.start + k, depth, leaf) : this.#read(p.root[v.start + k]!, leaf, p.at)
        all = all === undefined || v.when === undefined ? one : this.#b.select(v.when, one, all)
      }
      return all!
    })
  }

  #read(root: Value, leaf: Leaf, at: Value | undefined): Value {
    const b = this.#b
    if (leaf.count > 0) {
      const from = at === undefined ? undefined : this.#scale(at, leaf.count)
      return b.emit1(
        'intrinsic.read',
        from === undefined ? [root] : [root, from, this.#add(from, leaf.count)],
        'slice',
        leafType(leaf),
      )
    }
    return at === undefined ? b.load(root) : this.#fromStored(b.load(b.elem(root, at)), leaf)
  }

  #readList(p: LeavesPath, k: number, depth: number, leaf: Leaf): Value {
    const b = this.#b
    const root = p.root[k]!
    if (leaf.depth > 0)
      return b.emit1('intrinsic.read', [root, ...p.lists.slice(0, depth - leaf.depth)], 'copyOfList', leafType(leaf))
    const path = [root, ...p.lists.slice(0, depth - 1)]
    if (leaf.count > 0)
      return b.emit1('intrinsic.read', [...path, this.#scale(p.at!, leaf.count)], 'partOfList', leafType(leaf))
    return this.#fromStored(b.emit1('intrinsic.read', [...path, p.at!], 'itemOfList', stored(leaf.scalar)), leaf)
  }

  store(p: AccessPath, parts: readonly Value[]): void {
    if (p.kind === 'words') {
      const write = (): void => this.#storeWords(p.views, p.type, p.write?.at ?? p.at, parts, { next: 0 })
      if (p.write === undefined) write()
      else this.#when(p.write.inside, write, () => undefined)
      return
    }
    leavesOf(p.type).forEach((leaf, k) => {
      const write = (n: number): void => {
        const v = p.variants[n]!
        const depth = p.whole[v.start + k]!.depth
        const one = (): void => {
          if (depth > 0) this.#writeList(p, v.start + k, depth, leaf, parts[k]!)
          else this.#write(p.root[v.start + k]!, leaf, p.at, parts[k]!)
        }
        if (v.when === undefined) one()
        else this.#when(v.when, one, () => write(n + 1))
      }
      write(0)
    })
  }

  #when(cond: Value, yes: () => void, no: () => void): void {
    const b = this.#b
    const regions = [new Region(), new Region()] as const
    b.emit('if', [cond], null, [], regions)
    regions.forEach((region, k) =>
      b.within(region, () => {
        if (k === 0) yes()
        else no()
        b.emit('yield', [])
      }),
    )
  }

  #write(root: Value, leaf: Leaf, at: Value | undefined, value: Value): void {
    const b = this.#b
    if (leaf.count > 0)
      b.emit(
        'intrinsic.write',
        at === undefined ? [root, value] : [root, value, this.#scale(at, leaf.count)],
        'set',
        [],
      )
    else if (at === undefined) b.store(root, value)
    else b.store(b.elem(root, at), this.toStored(value))
  }

  #writeList(p: LeavesPath, k: number, depth: number, leaf: Leaf, value: Value): void {
    const b = this.#b
    const root = p.root[k]!
    if (leaf.depth > 0) b.emit('intrinsic.write', [root, ...p.lists.slice(0, depth - leaf.depth), value], 'setList', [])
    else {
      const path = [root, ...p.lists.slice(0, depth - 1)]
      if (leaf.count > 0)
        b.emit('intrinsic.write', [...path, this.#scale(p.at!, leaf.count), value], 'setPartOfList', [])
      else b.emit('intrinsic.write', [...path, p.at!, this.toStored(value)], 'setItemOfList', [])
    }
  }

  /** A scalar as arrays keep it. */
  toStored(value: Value): Value {
    if (value.type !== t.bool) return value
    return value.def.op === 'const'
      ? this.#b.const(t.u8, value.def.attr === true ? 1 : 0)
      : this.#b.convert(value, t.u8)
  }

  #fromStored(value: Value, leaf: Leaf): Value {
    return leaf.scalar === 'bool' ? this.#b.convert(value, t.bool) : value
  }

  /** An element with a constant index of an array value; `leaf` is the element's. */
  element(array: Value, leaf: Leaf, i: number): Value {
    const b = this.#b
    if (leaf.count > 0)
      return b.emit1(
        'intrinsic.pure',
        [array, this.#index(i * leaf.count), this.#index((i + 1) * leaf.count)],
        'subarray',
        leafType(leaf),
      )
    return this.#fromStored(b.emit1('extract', [array], i, stored(leaf.scalar)), leaf)
  }

  // ── Buffers: words of the host's memory ──────────────────────────────────────────────────────────────────────────

  #view(views: Views, scalar: t.ScalarName): Value {
    return this.#b.emit1('global', [], views.of(scalar === 'bool' ? 'u32' : scalar))
  }

  /** The element of the view of a scalar that begins at a word. */
  #wordAt(scalar: t.ScalarName, at: Value): Value {
    if (!isWide(scalar)) return at
    const known = constantOf(at)
    return known === undefined ? this.#b.emit1('intrinsic.pure', [at], 'halved', index) : this.#index(known >> 1)
  }

  #loadWords(views: Views, type: Type, at: Value): Value[] {
    const b = this.#b
    if (type.kind === 'scalar') {
      const word = b.load(b.elem(this.#view(views, type.scalar!), this.#wordAt(type.scalar!, at)))
      return [type === t.bool ? b.emit1('ne', [word, b.const(t.u32, 0)]) : word]
    }
    if (type.kind === 'array') return this.#loadArray(views, type, at)
    return this.#parts(views, type, at).flatMap(part => this.#loadWords(views, part.type, part.at))
  }

  /** An array value: one typed array for each leaf, gathered element by element. */
  #loadArray(views: Views, type: Type, at: Value): Value[] {
    const b = this.#b
    const run = this.#run(views, type)
    if (run !== undefined) {
      const from = this.#wordAt(run.scalar, at)
      return [
        b.emit1(
          'intrinsic.read',
          [this.#view(views, run.scalar), from, this.#add(from, run.count)],
          'sliceOfView',
          leafType(leavesOf(type)[0]!),
        ),
      ]
    }
    const all: Value[][] = []
    for (let i = 0; i < type.count; i++)
      all.push(this.#loadWords(views, type.elem!, this.#add(at, (i * views.layouts.of(type).stride) / 4)))
    return leavesOf(type).map((leaf, k) =>
      b.emit1(
        'construct',
        all.map(one => this.toStored(one[k]!)),
        null,
        leafType(leaf),
      ),
    )
  }

  /** The elements of an array of numbers, where they are many and lie one after the other: they are copied at once. */
  #run({ layouts }: Views, type: Type): { readonly scalar: t.ScalarName; readonly count: number } | undefined {
    let elem = type
    let count = 1
    for (; elem.kind === 'array'; elem = elem.elem!) count *= elem.count
    const { scalar } = elem
    if (elem.kind !== 'scalar' || scalar === undefined || scalar === 'bool' || count < costs.copiedNumbers)
      return undefined
    let size = isWide(scalar) ? 8 : 4
    const nested: Type[] = []
    for (let part = type; part.kind === 'array'; part = part.elem!) nested.unshift(part)
    for (const part of nested) {
      if (layouts.of(part).stride !== size) return undefined
      size *= part.count
    }
    return { scalar, count }
  }

  #storeWords(views: Views, type: Type, at: Value, parts: readonly Value[], take: { next: number }): void {
    const b = this.#b
    if (type.kind === 'scalar') {
      const value = parts[take.next++]!
      const word = type === t.bool ? b.select(value, b.const(t.u32, 1), b.const(t.u32, 0)) : value
      b.store(b.elem(this.#view(views, type.scalar!), this.#wordAt(type.scalar!, at)), word)
    } else if (type.kind === 'array') {
      const run = this.#run(views, type)
      if (run !== undefined) {
        b.emit(
          'intrinsic.write',
          [this.#view(views, run.scalar), parts[take.next++]!, this.#wordAt(run.scalar, at)],
          'set',
          [],
        )
        return
      }
      const arrays = leavesOf(type).map(() => parts[take.next++]!)
      const inner = leavesOf(type.elem!)
      for (let i = 0; i < type.count; i++) {
        const one = inner.map((leaf, k) => this.element(arrays[k]!, leaf, i))
        this.#storeWords(views, type.elem!, this.#add(at, (i * views.layouts.of(type).stride) / 4), one, { next: 0 })
      }
    } else {
      for (const part of this.#parts(views, type, at)) this.#storeWords(views, part.type, part.at, parts, take)
    }
  }

  #parts({ layouts }: Views, type: Type, at: Value): { type: Type; at: Value }[] {
    const layout = layouts.of(type)
    const all: { type: Type; at: Value }[] = []
    for (let i = 0; i < type.count; i++) {
      const offset = type.kind === 'struct' ? layout.offsets[i]! : i * layout.stride
      all.push({ type: component(type, i), at: this.#add(at, offset / 4) })
    }
    return all
  }
}

function isWide(scalar: t.ScalarName): boolean {
  return scalar === 'i64' || scalar === 'u64' || scalar === 'f64'
}

function constantOf(v: Value): number | undefined {
  return v.def.op === 'const' ? Number(v.def.attr) : undefined
}
