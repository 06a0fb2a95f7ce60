/**
 * Flattens values into scalars and arrays of scalars. A vector, matrix or struct becomes its leaves, and an array one array for
 * each leaf of its element: `array<struct { float2 p; int n[3]; }, 4>` is three arrays, `p_x` and `p_y` of 4 and `n` of 12
 * elements. Leaves of a list are lists, which grow; an array of lists is a list too.
 */
import { array, list, scalars, u8, type ScalarName, type Type } from '../../ir/type.ts'

export interface Leaf {
  readonly scalar: ScalarName
  /** Elements of an array; 0 for a plain scalar. */
  readonly count: number
  /** How many lists nest around it; the innermost holds the scalars of all its elements. */
  readonly depth: number
  /** Added to the name of the value. */
  readonly suffix: string
}

const known = new WeakMap<Type, readonly Leaf[]>()

/** The leaves of a type, in order. */
export function leavesOf(type: Type): readonly Leaf[] {
  let leaves = known.get(type)
  if (leaves === undefined) {
    leaves = compute(type)
    known.set(type, leaves)
  }
  return leaves
}

function compute(type: Type): readonly Leaf[] {
  switch (type.kind) {
    case 'scalar':
      return [{ scalar: type.scalar!, count: 0, depth: 0, suffix: '' }]
    case 'vec':
      return parts(
        type.count,
        () => type.elem!,
        i => `_${'xyzw'[i]}`,
      )
    case 'mat': {
      const all: Leaf[] = []
      for (let r = 0; r < type.count; r++) {
        for (let c = 0; c < type.elem!.count; c++)
          all.push({ scalar: type.scalar!, count: 0, depth: 0, suffix: `_${r}${c}` })
      }
      return all
    }
    case 'struct':
      return parts(
        type.count,
        i => type.fields[i]!.type,
        i => `_${type.fields[i]!.name}`,
      )
    case 'array':
      return leavesOf(type.elem!).map(l =>
        l.depth > 0 ? { ...l, depth: l.depth + 1 } : { ...l, count: Math.max(1, l.count) * Math.max(1, type.count) },
      )
    case 'list':
      return leavesOf(type.elem!).map(l => ({ ...l, depth: l.depth + 1 }))
    default:
      return []
  }
}

function parts(count: number, type: (i: number) => Type, suffix: (i: number) => string): readonly Leaf[] {
  const all: Leaf[] = []
  for (let i = 0; i < count; i++) {
    for (const leaf of leavesOf(type(i))) all.push({ ...leaf, suffix: suffix(i) + leaf.suffix })
  }
  return all
}

/** Where the leaves of a component of a vector, matrix or struct begin. */
export function leafStart(type: Type, component: number): number {
  if (type.kind !== 'struct') return component * leavesOf(type.elem!).length
  let start = 0
  for (let i = 0; i < component; i++) start += leavesOf(type.fields[i]!.type).length
  return start
}

/** The type of a scalar in an array: a boolean is a byte there. */
export function stored(scalar: ScalarName): Type {
  return scalar === 'bool' ? u8 : scalars[scalar]
}

/** The type of a leaf as a value. */
export function leafType({ scalar, count, depth }: Leaf): Type {
  let type = count > 0 ? array(stored(scalar), count) : depth > 0 ? stored(scalar) : scalars[scalar]
  for (let n = 0; n < depth; n++) type = list(type)
  return type
}
