/**
 * Buffers and uniforms as words, where their parts are smaller than a word: places in them are addresses. The layout is the one that
 * the host sees. A store of less than a word leaves the rest of the word as it is, even if another thread writes that at the same time.
 */
import * as costs from '../../ir/costs.ts'
import type { Builder } from '../../ir/build.ts'
import type { AtomicOp } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'
import { Region, type Value } from '../../ir/value.ts'
import { layouts, type Layout, type Layouts } from '../../ir/layout.ts'
import type { Arithmetic } from './arithmetic.ts'
import { type TypeMap } from './types.ts'

/** A place in words. */
export interface Place {
  /** The pointer to all words; of uniforms to vectors of four. */
  readonly words: Value
  readonly uniform: boolean
  readonly layouts: Layouts
  /** The type of the source that lies there. */
  readonly type: Type
  /** Where it is: `base` in words or in bytes, plus a number of bytes. */
  readonly base: Value | undefined
  readonly unit: 1 | 4
  readonly offset: number
}

/** The type of a buffer's or uniform's words. */
export function wordsOf(type: Type, uniform: boolean): Type {
  return uniform ? t.array(t.vec(t.u32, 4), Math.ceil(layouts.uniform.of(type).size / 16)) : t.array(t.u32, 0)
}

function layoutOf({ type, layouts }: Place): Layout {
  return layouts.of(type)
}

const full = 0xffffffff

export class Memory {
  readonly #b: Builder
  readonly #types: TypeMap
  readonly #arithmetic: Arithmetic

  constructor(b: Builder, types: TypeMap, arithmetic: Arithmetic) {
    this.#b = b
    this.#types = types
    this.#arithmetic = arithmetic
  }

  #number(value: number): Value {
    return this.#b.const(t.u32, value)
  }

  // ── Places ───────────────────────────────────────────────────────────────────────────────────────────────────────

  field(place: Place, i: number): Place {
    return { ...place, type: place.type.fields[i]!.type, offset: place.offset + layoutOf(place).offsets[i]! }
  }

  /** The number of elements of an array that goes on to the end of a buffer. */
  length(place: Place): Value {
    const b = this.#b
    const { stride } = layoutOf(place)
    const { offset } = place
    const all = b.emit1('length', [place.words])
    if (offset % 4 !== 0) return b.div(b.sub(b.mul(all, this.#number(4)), this.#number(offset)), this.#number(stride))
    const words = offset === 0 ? all : b.sub(all, this.#number(offset / 4))
    if (stride % 4 === 0) return b.div(words, this.#number(stride / 4))
    if (4 % stride === 0) return b.mul(words, this.#number(4 / stride))
    return b.div(b.mul(words, this.#number(4)), this.#number(stride))
  }

  /** An element; an index past the end, or below zero, means the last. */
  elem(place: Place, index: Value): Place {
    const b = this.#b
    const { stride } = layoutOf(place)
    const { count, elem } = place.type
    const { def } = index
    if (count > 0 && def.op === 'const')
      return { ...place, type: elem!, offset: place.offset + stride * t.bounded(Number(def.attr), count) }
    const i = b.convert(index, t.u32)
    const end = count > 0 ? this.#number(count) : this.length(place)
    const kept = b.select(b.emit1('lt', [i, end]), i, b.sub(end, this.#number(1)))
    const unit = place.unit === 4 && stride % 4 === 0 ? 4 : 1
    const step = b.mul(kept, this.#number(stride / unit))
    let { base } = place
    if (base !== undefined && place.unit > unit) base = b.emit1('shl', [base, this.#number(2)])
    return { ...place, type: elem!, unit, base: base === undefined ? step : b.add(base, step) }
  }

  /** The pointer to a word from so many bytes on. */
  #word({ words, uniform, base, unit, offset }: Place, bytes = 0): Value {
    const b = this.#b
    const at = offset + bytes
    if (base === undefined || unit === 4) {
      const own = Math.floor(at / 4)
      if (uniform && base === undefined) return b.elem(b.elem(words, this.#number(own >> 2)), this.#number(own & 3))
      return this.#elem(words, uniform, this.#sum(base, own))
    }
    return this.#elem(words, uniform, b.emit1('shr', [this.#sum(base, at), this.#number(2)]))
  }

  #sum(base: Value | undefined, offset: number): Value {
    if (base === undefined) return this.#number(offset)
    return offset === 0 ? base : this.#b.add(base, this.#number(offset))
  }

  #elem(words: Value, uniform: boolean, at: Value): Value {
    const b = this.#b
    if (!uniform) return b.elem(words, at)
    return b.elem(b.elem(words, b.emit1('shr', [at, this.#number(2)])), b.emit1('and', [at, this.#number(3)]))
  }

  /** How far up in its word a part of so many bytes begins. */
  #shift({ base, unit, offset }: Place, bytes: number): Value {
    const b = this.#b
    if (base === undefined || unit === 4) return this.#number((offset & (4 - bytes)) * 8)
    return b.emit1('shl', [b.emit1('and', [this.#sum(base, offset), this.#number(4 - bytes)]), this.#number(3)])
  }

  // ── Loads ────────────────────────────────────────────────────────────────────────────────────────────────────────

  load(place: Place): Value {
    const b = this.#b
    const { type } = place
    const made = this.#types.value(type)
    if (type.kind === 'scalar') return this.#scalar(place, made)
    if (type.kind === 'struct')
      return b.construct(
        made,
        type.fields.map((_, i) => this.load(this.field(place, i))),
      )
    if (type.count <= costs.convertedElements)
      return b.construct(
        made,
        Array.from({ length: type.count }, (_, i) => this.load(this.elem(place, this.#number(i)))),
      )
    const copy = b.variable(made, 'copy')
    b.each(type.count, i => b.store(b.elem(copy, i), this.load(this.elem(place, i))))
    return b.load(copy)
  }

  #scalar(place: Place, made: Type): Value {
    const b = this.#b
    const { scalar } = place.type
    const bits = scalar === 'bool' ? 32 : t.bitsOf(scalar!)
    if (scalar === 'f64') return b.zero(made)
    if (bits === 64) return b.construct(made, [b.load(this.#word(place)), b.load(this.#word(place, 4))])
    const word = b.load(this.#word(place))
    if (bits === 32) return this.#ofBits(word, place.type)
    const part = b.emit1('shr', [word, this.#shift(place, bits / 8)])
    if (t.isFloat(place.type))
      return b.convert(this.#arithmetic.halfOf(b.emit1('and', [part, this.#number(0xffff)])), made)
    return this.#arithmetic.wrapped(b.convert(part, made), place.type)
  }

  #ofBits(word: Value, type: Type): Value {
    if (type === t.u32) return word
    return type === t.bool ? this.#b.emit1('ne', [word, this.#number(0)]) : this.#b.emit1('bitcast', [word], null, type)
  }

  // ── Stores ───────────────────────────────────────────────────────────────────────────────────────────────────────

  store(place: Place, value: Value): void {
    const parts = new Map<number, { place: Place; mask: number; bits: Value | undefined }>()
    this.#collect(place, value, parts)
    for (const { place, mask, bits } of parts.values()) this.#put(place, this.#number(mask), bits!, mask === full)
  }

  /** Stores what fills words, and gathers in `parts` by the words that they lie in what does not, where that is known here. */
  #collect(
    place: Place,
    value: Value,
    parts: Map<number, { place: Place; mask: number; bits: Value | undefined }>,
  ): void {
    const b = this.#b
    const { type, base, unit, offset } = place
    if (type.kind !== 'scalar') {
      if (type.count > costs.convertedElements && type.kind !== 'struct') {
        const copy = b.variable(value.type, 'copy')
        b.store(copy, value)
        b.each(type.count, i => this.store(this.elem(place, i), b.load(b.elem(copy, i))))
        return
      }
      for (let i = 0; i < type.count; i++)
        this.#collect(
          type.kind === 'struct' ? this.field(place, i) : this.elem(place, this.#number(i)),
          b.extract(value, i),
          parts,
        )
      return
    }
    const { scalar } = type
    if (scalar === 'f64') return
    const size = scalar === 'bool' ? 32 : t.bitsOf(scalar!)
    if (size === 64) {
      for (let i = 0; i < 2; i++) b.store(this.#word(place, 4 * i), b.extract(value, i))
      return
    }
    if (size === 32) {
      b.store(this.#word(place), this.#bits(value))
      return
    }
    const bits = t.isFloat(type)
      ? this.#arithmetic.bitsOfHalf(b.convert(value, t.f32))
      : t.isSigned(type)
        ? b.emit1('and', [b.convert(value, t.u32), this.#number(2 ** size - 1)])
        : value
    const shift = this.#shift(place, size / 8)
    if (base !== undefined && unit === 1) {
      this.#put(place, b.emit1('shl', [this.#number(2 ** size - 1), shift]), b.emit1('shl', [bits, shift]), false)
      return
    }
    const by = (offset & (4 - size / 8)) * 8
    const known = parts.get(offset >> 2)
    const moved = by === 0 ? bits : b.emit1('shl', [bits, shift])
    parts.set(offset >> 2, {
      place,
      mask: ((known?.mask ?? 0) | ((2 ** size - 1) << by)) >>> 0,
      bits: known?.bits === undefined ? moved : b.emit1('or', [known.bits, moved]),
    })
  }

  /** Writes the bits of a word that a mask has. */
  #put(place: Place, mask: Value, bits: Value, whole: boolean): void {
    const b = this.#b
    const word = this.#word(place)
    if (whole) {
      b.store(word, bits)
      return
    }
    b.emit1('atomic', [word, b.emit1('not', [mask])], 'and', t.u32)
    b.emit1('atomic', [word, bits], 'or', t.u32)
  }

  #bits(value: Value): Value {
    if (value.type === t.u32) return value
    return value.type === t.bool ? this.#b.convert(value, t.u32) : this.#b.emit1('bitcast', [value], null, t.u32)
  }

  // ── Atomics ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** An atomic on a number of 32 bits. */
  atomic(place: Place, op: AtomicOp, args: readonly Value[]): Value {
    const b = this.#b
    const { type } = place
    const word = this.#word(place)
    const asBits = op === 'exchange' || op === 'compare' || op === 'load' || op === 'store'
    if (type === t.u32 || asBits || (type === t.i32 && op !== 'min' && op !== 'max'))
      return this.#ofBits(b.emit1('atomic', [word, ...args.map(a => this.#bits(a))], op, t.u32), type)
    const [v] = args
    const [head, body, done, again] = [new Region(), new Region(), new Region(), new Region()]
    const loop = b.emit('loop', [b.emit1('atomic', [word], 'load', t.u32)], null, [t.u32], [head, body])
    const old = b.param(t.u32, 'old', head)
    b.within(head, () => b.emit('test', [b.const(t.bool, true), old]))
    b.within(body, () => {
      const before = this.#ofBits(old, type)
      const after =
        op === 'add'
          ? b.emit1('add', [before, v!])
          : b.select(b.emit1(op === 'min' ? 'lt' : 'gt', [v!, before]), v!, before)
      const found = b.emit1('atomic', [word, old, this.#bits(after)], 'compare', t.u32)
      b.emit('if', [b.emit1('eq', [found, old])], null, [], [done, again])
      b.within(done, () => b.emit('leave', [old], loop))
      b.within(again, () => b.emit('yield', []))
      b.emit('next', [found])
    })
    return this.#ofBits(loop.results[0]!, type)
  }
}
