/** Ranges of integers, from constants and masks. */
import type { ScalarName, Type } from '../ir/type.ts'
import { Inst, type Value } from '../ir/value.ts'
import { constantInt } from './match.ts'

/** Inclusive bounds of an integer; infinite where nothing is known. */
export interface Range {
  readonly lo: number
  readonly hi: number
}

/** The range of each type, as far as numbers here are exact. */
export const limits: Readonly<Partial<Record<ScalarName, Range>>> = {
  bool: { lo: 0, hi: 1 },
  i8: { lo: -128, hi: 127 },
  u8: { lo: 0, hi: 255 },
  i16: { lo: -32768, hi: 32767 },
  u16: { lo: 0, hi: 65535 },
  i32: { lo: -(2 ** 31), hi: 2 ** 31 - 1 },
  u32: { lo: 0, hi: 2 ** 32 - 1 },
  i64: { lo: 1 - 2 ** 53, hi: 2 ** 53 - 1 },
  u64: { lo: 0, hi: 2 ** 53 - 1 },
}

/** The range of a value by its type alone: unsigned numbers are not negative. */
export function anyOf(type: Type): Range {
  return { lo: limits[type.scalar!]?.lo === 0 ? 0 : -Infinity, hi: type.scalar === 'bool' ? 1 : Infinity }
}

export const isFinite = ({ lo, hi }: Range): boolean => lo > -Infinity && hi < Infinity

export const union = (x: Range, y: Range): Range => ({ lo: Math.min(x.lo, y.lo), hi: Math.max(x.hi, y.hi) })

export const meet = (x: Range, y: Range): Range => ({ lo: Math.max(x.lo, y.lo), hi: Math.min(x.hi, y.hi) })

/** The range if the type holds all of it, so that nothing wraps around; else that of the type. */
function within(r: Range, type: Type): Range {
  const most = limits[type.scalar!]
  return most !== undefined && r.lo >= most.lo && r.hi <= most.hi ? r : anyOf(type)
}

const narrow: Readonly<Partial<Record<ScalarName, number>>> = { i8: 8, u8: 8, i16: 16, u16: 16 }

/** The range of an instruction's result, by the ranges of its operands. */
export function transfer(inst: Inst, type: Type, of: (v: Value) => Range): Range {
  const at = (i: number): Range => of(inst.args[i]!)
  switch (inst.op) {
    case 'const': {
      const c = constantInt(inst.results[0]!)
      return c === undefined ? anyOf(type) : within({ lo: c, hi: c }, type)
    }
    case 'add': {
      const [x, y] = [at(0), at(1)]
      return within({ lo: x.lo + y.lo, hi: x.hi + y.hi }, type)
    }
    case 'sub': {
      const [x, y] = [at(0), at(1)]
      return within({ lo: x.lo - y.hi, hi: x.hi - y.lo }, type)
    }
    case 'mul': {
      const [x, y] = [at(0), at(1)]
      return x.lo < 0 || y.lo < 0 ? anyOf(type) : within({ lo: x.lo * y.lo, hi: x.hi * y.hi }, type)
    }
    case 'and': {
      const masks = [at(0), at(1)].filter(m => m.lo >= 0)
      return masks.length === 0 ? anyOf(type) : { lo: 0, hi: Math.min(...masks.map(m => m.hi)) }
    }
    case 'rem': {
      const [x, y] = [at(0), at(1)]
      if (y.lo <= 0 && y.hi >= 0) return anyOf(type)
      const most = Math.max(Math.abs(y.lo), Math.abs(y.hi)) - 1
      return { lo: x.lo >= 0 ? 0 : -most, hi: most }
    }
    case 'div': {
      const [x, y] = [at(0), at(1)]
      return x.lo >= 0 && y.lo > 0 ? { lo: Math.floor(x.lo / y.hi), hi: Math.floor(x.hi / y.lo) } : anyOf(type)
    }
    case 'shr': {
      const [x, y] = [at(0), at(1)]
      // An amount counts modulo the width.
      if (x.lo < 0 || y.lo !== y.hi || y.lo < 0 || y.lo >= (narrow[type.scalar!] ?? 32)) return anyOf(type)
      return { lo: Math.floor(x.lo / 2 ** y.lo), hi: Math.floor(x.hi / 2 ** y.lo) }
    }
    case 'select': {
      const [x, y] = [at(1), at(2)]
      const least = selectsLess(inst)
      return least === undefined ? union(x, y) : least ? least2(x, y) : most2(x, y)
    }
    case 'convert': {
      const from = inst.args[0]!.type
      return limits[from.scalar!] === undefined ? anyOf(type) : within(at(0), type)
    }
    case 'call':
      return limits[type.scalar!] === undefined ? anyOf(type) : called(inst, type, at)
    default:
      return anyOf(type)
  }
}

const least2 = (x: Range, y: Range): Range => ({ lo: Math.min(x.lo, y.lo), hi: Math.min(x.hi, y.hi) })
const most2 = (x: Range, y: Range): Range => ({ lo: Math.max(x.lo, y.lo), hi: Math.max(x.hi, y.hi) })

/** The range of a library call whose result has bounds. */
function called(call: Inst<'call'>, type: Type, at: (i: number) => Range): Range {
  switch (call.attr.info.computes) {
    case 'min':
      return least2(at(0), at(1))
    case 'max':
      return most2(at(0), at(1))
    case 'clamp':
      return least2(most2(at(0), at(1)), at(2))
    default:
      return anyOf(type)
  }
}

/** True for `x < y ? x : y`, false for `x < y ? y : x`, undefined for any other choice. */
function selectsLess(select: Inst): boolean | undefined {
  const test = select.args[0]!.def
  if (!(test instanceof Inst) || test.args.length !== 2) return undefined
  const less = test.op === 'lt' || test.op === 'le'
  if (!less && test.op !== 'gt' && test.op !== 'ge') return undefined
  const [x, y] = [select.args[1], select.args[2]]
  if (same(test.args[0]!, x!) && same(test.args[1]!, y!)) return less
  return same(test.args[0]!, y!) && same(test.args[1]!, x!) ? !less : undefined
}

function same(x: Value, y: Value): boolean {
  if (x === y) return true
  const c = constantInt(x)
  return c !== undefined && c === constantInt(y)
}
