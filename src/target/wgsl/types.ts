/**
 * Maps types to those of WGSL. A vector of one lane becomes its scalar, a matrix of one row or column a vector, a matrix of
 * integers or booleans an array of row vectors, and an empty struct an `i32` that no memory of the host holds.
 */
import type { Sink } from '../../base/diag.ts'
import { arrayTooLong } from '../../base/errors/target.ts'
import type { Span } from '../../base/source.ts'
import * as t from '../../ir/type.ts'
import type { ScalarName, Type } from '../../ir/type.ts'

/** Scalars that every WGSL implementation has; `f16` has to be enabled. */
export function hasScalar(scalar: ScalarName): boolean {
  return scalar === 'bool' || scalar === 'i32' || scalar === 'u32' || scalar === 'f32' || scalar === 'f16'
}

/** An empty struct. */
export const nothing: Type = new t.Type('scalar', 'i32', 'i32', undefined, 0, [], undefined)

const maxCount = 65535
/** In any memory. */
const maxWords = 2 ** 30 - 1

/** Reports an array that is too long: by default for any memory but buffers, else for all. */
export function reportLength(sink: Sink, type: Type, span: Span | null, limit: number = maxCount): void {
  const words = t.wordsOf(type.count === 0 && type.kind === 'array' ? type.elem! : type)
  const [count, most] = words > maxWords ? [words, maxWords] : [longest(type), limit]
  if (count > most) sink.add(arrayTooLong, span ?? undefined, { count, limit: most })
}

const longest: (type: Type) => number = t.perType(({ kind, elem, count, fields }) =>
  kind === 'array' ? Math.max(count, longest(elem!)) : Math.max(0, ...fields.map(f => longest(f.type))),
)

/** Maps IR types to those that WGSL has. Structs that change are made anew, once a module. */
export class TypeMap {
  readonly #memo = new Map<Type, Type>()
  /** The scalars met that WGSL lacks, taken by the caller. */
  missing: ScalarName | undefined

  /** The WGSL counterpart of a value type; a scalar that WGSL lacks is noted in `missing` and stays. */
  value(type: Type): Type {
    switch (type.kind) {
      case 'scalar':
        if (!hasScalar(type.scalar!)) this.missing = type.scalar
        return type
      case 'vec':
        this.value(type.elem!)
        return type.count === 1 ? type.elem! : type
      case 'mat':
        return this.#matrix(type)
      case 'array': {
        const elem = this.value(type.elem!)
        return elem === type.elem ? type : t.array(elem, type.count, type.rule)
      }
      case 'struct':
        return this.#struct(type)
      default:
        return type
    }
  }

  #matrix(type: Type): Type {
    const row = type.elem!
    this.value(row.elem!)
    if (type.count === 1) return this.value(row)
    if (row.count === 1) return t.vec(row.elem!, type.count)
    return t.isFloat(type) ? type : t.array(row, type.count)
  }

  #struct(type: Type): Type {
    const known = this.#memo.get(type)
    if (known !== undefined) return known
    let result = type
    if (type.count === 0) result = nothing
    else {
      const fields = type.fields.map(f => ({ name: f.name, type: this.value(f.type) }))
      if (fields.some((f, i) => f.type !== type.fields[i]!.type)) result = t.struct(type.name, fields)
    }
    this.#memo.set(type, result)
    return result
  }
}

const letters: Partial<Record<ScalarName, string>> = { f32: 'f', f16: 'h', i32: 'i', u32: 'u' }

/** The text of a WGSL type; `structName` names structs. */
export function typeText(type: Type, structName: (type: Type) => string): string {
  switch (type.kind) {
    case 'scalar':
      return type.name
    case 'vec': {
      const letter = letters[type.scalar!]
      return letter === undefined ? `vec${type.count}<${type.scalar}>` : `vec${type.count}${letter}`
    }
    // A WGSL matrix counts columns first; its columns are our rows.
    case 'mat':
      return `mat${type.count}x${type.elem!.count}${letters[type.scalar!]!}`
    case 'array': {
      const elem = typeText(type.elem!, structName)
      return type.count === 0 ? `array<${elem}>` : `array<${elem}, ${type.count}>`
    }
    case 'struct':
      return structName(type)
    case 'opaque':
      return type.name
    default:
      return type.name
  }
}
