/** Components of a vector or a matrix by name: `v.xyz`, `s.xxx`, `m._m01`. */
import * as types from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import { lookupMember } from '../types/index.ts'
import type { Env } from '../model/context.ts'
import { errorTerm, value, type Term } from '../model/term.ts'
import { intConst, known, show, vectorType, type Type } from '../model/type.ts'

const letters: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, w: 3, r: 0, g: 1, b: 2, a: 3 }

/** `v.xyz`, `s.xxx`, `m._m01`; null where the name is no swizzle of the type. */
export function swizzle(
  env: Env,
  base: Term & { readonly kind: 'value' | 'place' },
  type: Type,
  name: string,
  span: Span,
): Term | null {
  if (type.kind === 'matrix') return elements(env, base, type, name, span)
  if (type.kind !== 'vector' && type.kind !== 'scalar' && !(type.kind === 'shape')) return null
  if (!/^(?:[xyzw]{1,4}|[rgba]{1,4})$/.test(name)) {
    if (type.kind === 'vector' && lookupMember(env.cx, type, name).length === 0) {
      env.cx.sink.add(types.badSwizzle, span, { name, type: show(type) })
      return errorTerm
    }
    return null
  }
  const count = type.kind === 'vector' ? known(type.count) : 1
  const lanes = [...name].map(c => letters[c]!)
  if (count !== null && lanes.some(l => l >= count)) {
    env.cx.sink.add(types.badSwizzle, span, { name, type: show(type) })
    return errorTerm
  }
  const elem = type.kind === 'vector' ? type.elem : type
  const result = lanes.length === 1 ? elem : vectorType(elem, intConst(lanes.length))
  if (base.kind === 'place') {
    const repeated = new Set(lanes).size < lanes.length
    return {
      kind: 'place',
      place: { kind: 'swizzle', type: result, span, base: base.place, lanes },
      fixed: base.fixed ?? (repeated ? 'a lane stands in it twice' : null),
    }
  }
  return value({ kind: 'swizzle', type: result, span, base: base.expr, lanes })
}

function elements(
  env: Env,
  base: Term & { readonly kind: 'value' | 'place' },
  type: Type & { readonly kind: 'matrix' },
  name: string,
  span: Span,
): Term | null {
  const zeroBased = /^(?:_m[0-3][0-3]){1,4}$/.test(name)
  if (!zeroBased && !/^(?:_[1-4][1-4]){1,4}$/.test(name)) return null
  const at: (readonly [number, number])[] = []
  for (const m of name.matchAll(zeroBased ? /_m(\d)(\d)/g : /_(\d)(\d)/g))
    at.push([Number(m[1]) - (zeroBased ? 0 : 1), Number(m[2]) - (zeroBased ? 0 : 1)])
  const [rows, cols] = [known(type.rows), known(type.cols)]
  if (at.some(([r, c]) => (rows !== null && r >= rows) || (cols !== null && c >= cols))) {
    env.cx.sink.add(types.badSwizzle, span, { name, type: show(type) })
    return errorTerm
  }
  const result = at.length === 1 ? type.elem : vectorType(type.elem, intConst(at.length))
  if (base.kind === 'place') {
    const repeated = new Set(at.map(String)).size < at.length
    return {
      kind: 'place',
      place: { kind: 'elements', type: result, span, base: base.place, at },
      fixed: base.fixed ?? (repeated ? 'an element stands in it twice' : null),
    }
  }
  return value({ kind: 'elements', type: result, span, base: base.expr, at })
}
