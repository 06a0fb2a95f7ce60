/** Rewrites of instructions that put composites together and take them apart. */
import type { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Inst } from '../ir/value.ts'
import { type Value } from '../ir/value.ts'
import { constantInt, constantOf, definedBy } from './match.ts'
import * as costs from '../ir/costs.ts'

/** See `rewrite`: the rules for construct, extract, insert, swizzle, splat and index. */
export function rewriteComposite(b: Builder, inst: Inst): Value | undefined {
  const x = inst.args[0],
    y = inst.args[1]
  switch (inst.op) {
    case 'extract':
      return component(b, x!, inst.attr)
    case 'construct':
      return assemble(b, inst.results[0]!.type, inst.args)
    case 'insert':
      return replaced(b, inst)
    case 'swizzle':
      return swizzled(b, x!, inst.attr)
    case 'splat':
      return definedBy(x!, 'undef') === undefined ? undefined : b.emit1('undef', [], null, inst.results[0]!.type)
    case 'index': {
      const at = constantInt(y!)
      if (at === undefined) return uniformPart(b, x!)
      return b.extract(x!, t.bounded(at, x!.type.count))
    }
    case 'select': {
      const z = inst.args[2]!
      return definedBy(y!, 'undef') !== undefined ? z : definedBy(z, 'undef') !== undefined ? y : undefined
    }
    default:
      return undefined
  }
}

/** The one value of all components. */
function uniformPart(b: Builder, x: Value): Value | undefined {
  const splat = definedBy(x, 'splat')
  if (splat !== undefined) return b.splat(splat.args[0]!, x.type.elem!)
  return definedBy(x, 'zero') === undefined ? undefined : b.zero(x.type.elem!)
}

/** A component that is at hand. */
function component(b: Builder, x: Value, i: number): Value | undefined {
  let from = x
  for (let step = 0; step < costs.insertReach; step++) {
    const def = from.def
    if (def.op === 'param') break
    switch (def.op) {
      case 'construct':
        return def.args[i]
      case 'splat':
        return b.splat(def.args[0]!, t.component(from.type, i))
      case 'zero':
        return b.unset(t.component(from.type, i))
      case 'undef':
        return b.emit1('undef', [], null, t.component(from.type, i))
      case 'swizzle':
        return b.extract(def.args[0]!, def.attr[i]!)
      case 'insert':
        if (def.attr === i) return def.args[1]
        from = def.args[0]!
        continue
      default:
    }
    break
  }
  return from === x ? undefined : b.emit1('extract', [from], i)
}

/** True for a scalar constant whose bits are all zero, and for `zero`. */
function isBlank(x: Value): boolean {
  if (definedBy(x, 'zero') !== undefined) return true
  const c = constantOf(x)
  return Object.is(c, 0) || c === 0n || c === false
}

function assemble(b: Builder, type: Type, parts: readonly Value[]): Value | undefined {
  const first = parts[0]
  if (first === undefined) return undefined
  const source = definedBy(first, 'extract')
  if (source !== undefined) {
    const whole = source.args[0]!
    const picks: number[] = []
    for (const p of parts) {
      const pick = definedBy(p, 'extract')
      if (pick === undefined || pick.args[0] !== whole) break
      picks.push(pick.attr)
    }
    if (picks.length === parts.length) {
      if (whole.type === type && picks.every((p, i) => p === i)) return whole
      if (type.kind === 'vec' && type.count > 1 && whole.type.kind === 'vec') return b.emit1('swizzle', [whole], picks)
    }
  }
  if (parts.every(isBlank)) return b.zero(type)
  if (parts.every(p => definedBy(p, 'undef') !== undefined)) return b.emit1('undef', [], null, type)
  if (type.kind === 'vec' && type.count > 1 && parts.every(p => p === first)) return b.splat(first, type)
  return undefined
}

function replaced(b: Builder, inst: Inst<'insert'>): Value | undefined {
  const x = inst.args[0],
    part = inst.args[1]
  const i = inst.attr
  const { type } = x!
  const same = definedBy(part!, 'extract')
  if (same !== undefined && same.args[0] === x && same.attr === i) return x
  if (definedBy(part!, 'undef') !== undefined) return x
  if (type.count === 1) return b.emit1('construct', [part!], null, type)
  const below = definedBy(x!, 'insert')
  if (below !== undefined && below.attr === i) return b.insert(below.args[0]!, i, part!)
  if (type.count > costs.insertWidest) return undefined
  const parts: (Value | undefined)[] = Array.from({ length: type.count }, () => undefined)
  parts[i] = part!
  let known = 1
  for (let from = x!; known < type.count;) {
    const def = from.def
    if (def.op === 'param') return undefined
    if (def.op === 'insert') {
      const at = def.attr
      if (parts[at] === undefined) {
        parts[at] = def.args[1]!
        known++
      }
      from = def.args[0]!
    } else if (def.op === 'construct' || (type.kind === 'vec' && (def.op === 'splat' || def.op === 'zero'))) {
      for (let k = 0; k < type.count; k++) parts[k] ??= def.op === 'construct' ? def.args[k]! : b.extract(from, k)
      known = type.count
    } else return undefined
  }
  return b.emit1('construct', parts as Value[], null, type)
}

function swizzled(b: Builder, x: Value, lanes: readonly number[]): Value | undefined {
  if (lanes.length === x.type.count && lanes.every((l, i) => l === i)) return x
  const def = x.def
  if (def.op === 'param') return undefined
  const type = t.vec(x.type.elem!, lanes.length)
  switch (def.op) {
    case 'swizzle': {
      const inner = def.attr
      return b.swizzle(
        def.args[0]!,
        lanes.map(l => inner[l]!),
      )
    }
    case 'construct':
      return b.emit1(
        'construct',
        lanes.map(l => def.args[l]!),
        null,
        type,
      )
    case 'splat':
      return b.splat(def.args[0]!, type)
    case 'zero':
      return b.zero(type)
    case 'undef':
      return b.emit1('undef', [], null, type)
    case 'insert':
      return lanes.includes(def.attr) ? undefined : b.emit1('swizzle', [def.args[0]!], lanes)
    default:
      return undefined
  }
}
