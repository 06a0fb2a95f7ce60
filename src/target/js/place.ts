/**
 * Pointers, which JavaScript does not have: at emission a pointer is a *place*, known down to expressions. Variables and
 * uniforms are leaves in variables of their own; buffers are words of the host's memory, laid out as on the GPU.
 */
import type { ScalarName, Type } from '../../ir/type.ts'
import { bounded, component } from '../../ir/type.ts'
import type { Layouts } from '../layout.ts'
import { arrayClass, leafStart, leavesOf, type Leaf } from './leaf.ts'
import type { Scalars } from './scalar.ts'
import { binary, call, cond, index, method, name, text, type Expr, type Local, type Stmt } from './tree.ts'

/** Leaves of a root from `start` on, in one of several variants where a lane or row was chosen by a computed index. */
interface Variant {
  readonly start: number
  /** When this variant is meant; undefined for the last. */
  readonly when: Expr | undefined
}

export type Place =
  | {
    readonly kind: 'leaves'; readonly root: readonly Local[]; readonly whole: readonly Leaf[]; readonly type: Type; readonly variants: readonly Variant[]
    /** The element of a typed array, or of the innermost plain one; undefined for the whole. */
    readonly at: Expr | undefined
    /** The elements of lists, and of arrays of them, on the way. */
    readonly lists: readonly Expr[]
  }
  | {
    readonly kind: 'words'; readonly buffer: string; readonly type: Type; readonly at: Expr
    /** Of an element of a buffer: where it is without a clamp, and when that is inside. Stores use these. */
    readonly write: { readonly at: Expr; readonly inside: Expr } | undefined
  }

/** The place of a whole variable. */
export function wholePlace(root: readonly Local[], type: Type): Place {
  return { kind: 'leaves', root, whole: leavesOf(type), type, variants: [{ start: 0, when: undefined }], at: undefined, lists: [] }
}

/** Fewer numbers than this are copied one by one. */
const fewest = 17

const zero = text('0')

/** Arguments that a call may have everywhere; engines allow more, but not as many as a table has. */
const mostArguments = 1000

/** A typed array of these elements. */
export function tableOf(array: string, items: readonly Expr[]): Expr {
  return items.length <= mostArguments ? call(`${array}.of`, ...items) : call(`new ${array}`, { kind: 'list', items })
}

/** Reads and writes places. `atom` makes an expression one that may be written twice. */
export class Memory {
  readonly #scalars: Scalars
  readonly #layouts: Layouts
  readonly #atom: (e: Expr, hint: string) => Expr
  readonly #emit: (s: Stmt) => void

  constructor(scalars: Scalars, layouts: Layouts, atom: (e: Expr, hint: string) => Expr, emit: (s: Stmt) => void) {
    this.#scalars = scalars
    this.#layouts = layouts
    this.#atom = atom
    this.#emit = emit
  }

  field(p: Place, i: number): Place {
    const type = component(p.type, i)
    if (p.kind === 'words') {
      const offset = this.#layouts.of(p.type).offsets[i]! / 4
      return { ...p, type, at: add(p.at, offset), write: p.write && { ...p.write, at: add(p.write.at, offset) } }
    }
    const shift = leafStart(p.type, i)
    return { ...p, type, variants: p.variants.map(v => ({ start: v.start + shift, when: v.when })) }
  }

  elem(p: Place, i: Expr, indexType: ScalarName): Place {
    const type = p.type.elem!
    if (p.type.kind === 'list' && p.kind === 'leaves') {
      const at = this.#atom(i, 'at')
      return { ...p, type, at, lists: [...p.lists, at] }
    }
    const at = this.#clamped(p, i, indexType)
    if (p.kind === 'words') {
      const words = this.#layouts.of(p.type).stride / 4
      const word = this.#atom(add(p.at, scale(at, words)), 'word')
      if (p.type.count > 0) return { ...p, type, at: word, write: p.write && { ...p.write, at: this.#atom(add(p.write.at, scale(at, words)), 'word') } }
      const own = this.#atom(indexType === 'i64' || indexType === 'u64' ? call('Number', i) : i, 'at')
      const below = binary('<', own, text(`${p.buffer}_length`))
      const inside = indexType.startsWith('i') ? binary('&&', binary('>=', own, zero), below) : below
      return { ...p, type, at: word, write: { at: add(p.at, scale(own, words)), inside } }
    }
    if (p.type.kind === 'array') {
      const whole = p.at === undefined ? at : add(scale(p.at, p.type.count), at)
      const lists = leavesOf(type).some(leaf => leaf.depth > 0) ? [...p.lists, this.#atom(at, 'at')] : p.lists
      return { ...p, type, at: this.#atom(whole, 'at'), lists }
    }
    const size = leavesOf(type).length
    const count = p.type.count
    if (at.kind === 'text') {
      const k = Number(at.text)
      return { ...p, type, variants: p.variants.map(v => ({ start: v.start + k * size, when: v.when })) }
    }
    const chosen = this.#atom(at, 'lane')
    const variants: Variant[] = []
    for (const v of p.variants) {
      for (let k = 0; k < count; k++) {
        const here = k === count - 1 ? undefined : binary('===', chosen, text(String(k)))
        const when = v.when === undefined ? here : here === undefined ? v.when : binary('&&', v.when, here)
        variants.push({ start: v.start + k * size, when })
      }
    }
    return { ...p, type, variants }
  }

  /** The index kept in bounds; constants are clamped here and now. */
  #clamped(p: Place, i: Expr, indexType: ScalarName): Expr {
    const count = p.type.count
    const big = indexType === 'i64' || indexType === 'u64'
    if (i.kind === 'text') {
      const k = Number(i.text.replace('n', ''))
      if (count > 0) return text(String(bounded(k, count)))
    }
    const n = big ? call('Number', i) : i
    if (p.kind === 'words' && count === 0) return this.#scalars.help('at', n, text(`${p.buffer}_length`))
    return this.#scalars.help('at', n, text(String(count)))
  }

  load(p: Place): Expr[] {
    if (p.kind === 'words') return this.#loadWords(p.buffer, p.type, p.at)
    return leavesOf(p.type).map((leaf, k) => {
      let e: Expr | undefined
      for (let n = p.variants.length - 1; n >= 0; n--) {
        const v = p.variants[n]!
        const depth = p.whole[v.start + k]!.depth
        const one = depth > 0 ? this.#readList(p, v.start + k, depth, leaf) : this.#read(p.root[v.start + k]!, leaf.scalar, leaf.count, p.at)
        e = e === undefined || v.when === undefined ? one : cond(v.when, one, e)
      }
      return e!
    })
  }

  /** The plain array in which leaf `k` of a place, or the list of it, lies. */
  #plain(p: Place & { kind: 'leaves' }, k: number, steps: number): Expr {
    let e = name(p.root[k]!)
    for (let n = 0; n < steps; n++) e = this.#scalars.help('inner', e, p.lists[n]!)
    return e
  }

  #readList(p: Place & { kind: 'leaves' }, k: number, depth: number, leaf: Leaf): Expr {
    if (leaf.depth > 0) return this.#scalars.help('copied', this.#plain(p, k, depth - leaf.depth))
    const plain = this.#plain(p, k, depth - 1)
    if (leaf.count > 0) {
      const whole = call(`new ${arrayClass(leaf.scalar, this.#scalars.mode)}`, text(String(leaf.count)))
      return this.#scalars.help('taken', plain, scale(p.at!, leaf.count), whole)
    }
    const e = this.#scalars.help(leaf.scalar === 'i64' || leaf.scalar === 'u64' ? 'orZeroBig' : 'orZero', index(plain, p.at!))
    return leaf.scalar === 'bool' ? binary('!==', e, zero) : e
  }

  #writeList(p: Place & { kind: 'leaves' }, k: number, depth: number, leaf: Leaf, value: Expr): Stmt {
    if (leaf.depth > 0) {
      const steps = depth - leaf.depth
      const target = steps === 0 ? name(p.root[k]!) : index(this.#plain(p, k, steps - 1), p.lists[steps - 1]!)
      return { kind: 'set', target, value: this.#scalars.help('copied', value) }
    }
    const plain = this.#plain(p, k, depth - 1)
    if (leaf.count > 0) {
      const put = this.#scalars.help('given', plain, scale(p.at!, leaf.count), value)
      return { kind: 'do', value: { ...put, pure: false } as Expr }
    }
    return { kind: 'set', target: index(plain, this.#scalars.help('room', p.at!)), value: leaf.scalar === 'bool' ? bit(value) : value }
  }

  #read(root: Local, scalar: ScalarName, count: number, at: Expr | undefined): Expr {
    if (count > 0) {
      if (at === undefined) return method(name(root), 'slice')
      const from = scale(at, count)
      return method(name(root), 'slice', from, add(from, count))
    }
    if (at === undefined) return name(root)
    const e = index(name(root), at)
    return scalar === 'bool' ? binary('!==', e, zero) : e
  }

  store(p: Place, parts: readonly Expr[]): void {
    if (p.kind === 'words') {
      const set: Stmt[] = []
      this.#storeWords(p.buffer, p.type, p.write?.at ?? p.at, parts, { next: 0 }, set)
      if (p.write === undefined) set.forEach(this.#emit)
      else this.#emit({ kind: 'if', c: p.write.inside, yes: set, no: [], labelled: false })
      return
    }
    leavesOf(p.type).forEach((leaf, k) => {
      let rest: Stmt | undefined
      for (let n = p.variants.length - 1; n >= 0; n--) {
        const v = p.variants[n]!
        const depth = p.whole[v.start + k]!.depth
        const one = depth > 0 ? this.#writeList(p, v.start + k, depth, leaf, parts[k]!) : this.#write(p.root[v.start + k]!, leaf.scalar, leaf.count, p.at, parts[k]!)
        rest = rest === undefined || v.when === undefined ? one : { kind: 'if', c: v.when, yes: [one], no: [rest], labelled: false }
      }
      this.#emit(rest!)
    })
  }

  #write(root: Local, scalar: ScalarName, count: number, at: Expr | undefined, value: Expr): Stmt {
    if (count > 0) return { kind: 'do', value: method(name(root), 'set', value, ...(at === undefined ? [] : [scale(at, count)])) }
    if (at === undefined) return { kind: 'set', target: name(root), value }
    return { kind: 'set', target: index(name(root), at), value: scalar === 'bool' ? bit(value) : value }
  }

  // ── Buffers: words of the host's memory ──────────────────────────────────────────────────────────────────────────

  #loadWords(buffer: string, type: Type, at: Expr): Expr[] {
    if (type.kind === 'scalar') return [this.#word(buffer, type.scalar!, at)]
    if (type.kind === 'array') return this.#loadArray(buffer, type, at)
    return this.#parts(type, at).flatMap(part => this.#loadWords(buffer, part.type, part.at))
  }

  #word(buffer: string, scalar: ScalarName, at: Expr): Expr {
    if (scalar === 'bool') return binary('!==', index(text(`${buffer}_u32`), at), zero)
    if (scalar === 'i64' || scalar === 'u64' || scalar === 'f64') return index(text(`${buffer}_${scalar}`), binary('>>', at, text('1')))
    return index(text(`${buffer}_${scalar}`), at)
  }

  /** An array value: one typed array for each leaf, gathered element by element. */
  #loadArray(buffer: string, type: Type, at: Expr): Expr[] {
    const run = this.#run(buffer, type, at)
    if (run !== undefined) {
      const end = add(run.from, run.count)
      const wider = this.#scalars.mode === 'f64' && run.scalar === 'f32'
      return [wider ? call('new Float64Array', method(run.view, 'subarray', run.from, end)) : method(run.view, 'slice', run.from, end)]
    }
    const all: Expr[][] = []
    for (let i = 0; i < type.count; i++) all.push(this.#loadWords(buffer, type.elem!, add(at, i * this.#layouts.of(type).stride / 4)))
    return leavesOf(type).map((leaf, k) => {
      const items = all.map(one => one[k]!)
      return leavesOf(type.elem!)[k]!.count > 0 ? this.#scalars.help('joined', { kind: 'list', items })
        : tableOf(arrayClass(leaf.scalar, this.#scalars.mode), items)
    })
  }

  /** The elements of an array of numbers, where they are many and lie one after the other: they are copied at once. */
  #run(buffer: string, type: Type, at: Expr): { readonly view: Expr; readonly scalar: ScalarName; readonly from: Expr; readonly count: number } | undefined {
    let elem = type
    let count = 1
    for (; elem.kind === 'array'; elem = elem.elem!) count *= elem.count
    const { scalar } = elem
    if (elem.kind !== 'scalar' || scalar === undefined || scalar === 'bool' || count < fewest) return undefined
    const wide = scalar === 'i64' || scalar === 'u64' || scalar === 'f64'
    let size = wide ? 8 : 4
    const nested: Type[] = []
    for (let t = type; t.kind === 'array'; t = t.elem!) nested.unshift(t)
    for (const t of nested) {
      if (this.#layouts.of(t).stride !== size) return undefined
      size *= t.count
    }
    return { view: text(`${buffer}_${scalar}`), scalar, from: wide ? binary('>>', at, text('1')) : at, count }
  }

  #storeWords(buffer: string, type: Type, at: Expr, parts: readonly Expr[], take: { next: number }, out: Stmt[]): void {
    if (type.kind === 'scalar') {
      const value = parts[take.next++]!
      const wide = type.scalar === 'i64' || type.scalar === 'u64' || type.scalar === 'f64'
      const view = type.scalar === 'bool' ? 'u32' : type.scalar!
      out.push({ kind: 'set', target: index(text(`${buffer}_${view}`), wide ? binary('>>', at, text('1')) : at), value: type.scalar === 'bool' ? bit(value) : value })
    } else if (type.kind === 'array') {
      const run = this.#run(buffer, type, at)
      if (run !== undefined) {
        out.push({ kind: 'do', value: method(run.view, 'set', parts[take.next++]!, run.from) })
        return
      }
      const arrays = leavesOf(type).map(() => parts[take.next++]!)
      const inner = leavesOf(type.elem!)
      for (let i = 0; i < type.count; i++) {
        const one = inner.map((leaf, k) => this.element(arrays[k]!, leaf.scalar, leaf.count, i))
        this.#storeWords(buffer, type.elem!, add(at, i * this.#layouts.of(type).stride / 4), one, { next: 0 }, out)
      }
    } else {
      for (const part of this.#parts(type, at)) this.#storeWords(buffer, part.type, part.at, parts, take, out)
    }
  }

  /** An element with a constant index of an array value; `count` is that of the element's leaf. */
  element(array: Expr, scalar: ScalarName, count: number, i: number): Expr {
    if (count > 0) return method(array, 'subarray', text(String(i * count)), text(String((i + 1) * count)))
    const e = index(array, text(String(i)))
    return scalar === 'bool' ? binary('!==', e, zero) : e
  }

  #parts(type: Type, at: Expr): { type: Type; at: Expr }[] {
    const layout = this.#layouts.of(type)
    const all: { type: Type; at: Expr }[] = []
    for (let i = 0; i < type.count; i++) {
      const offset = type.kind === 'struct' ? layout.offsets[i]! : i * layout.stride
      all.push({ type: component(type, i), at: add(at, offset / 4) })
    }
    return all
  }
}

/** A boolean as memory keeps it. */
function bit(e: Expr): Expr {
  return e.kind === 'text' ? text(e.text === 'true' ? '1' : '0') : cond(e, text('1'), zero)
}

function add(x: Expr, y: Expr | number): Expr {
  if (typeof y === 'number') return y === 0 ? x : isNumber(x) ? text(String(Number(x.text) + y)) : binary('+', x, text(String(y)))
  if (isNumber(x) && isNumber(y)) return text(String(Number(x.text) + Number(y.text)))
  return isNumber(x) && x.text === '0' ? y : isNumber(y) && y.text === '0' ? x : binary('+', x, y)
}

function scale(x: Expr, by: number): Expr {
  return by === 1 ? x : isNumber(x) ? text(String(Number(x.text) * by)) : binary('*', x, text(String(by)))
}

function isNumber(e: Expr): e is { kind: 'text'; text: string } {
  return e.kind === 'text' && /^\d+$/.test(e.text)
}
