/** Values of a program as flat lists of numbers, and back. */
import type { ExportedFunction } from 'cotangent'
import type { Value } from './plan.ts'

/** A type as the compiler describes it to hosts. */
export type DataType = ExportedFunction['params'][number]['type']

/** A number inside a value. */
export interface Leaf {
  /** Fields and indices that lead to it: `['position', 0]`. */
  readonly path: readonly (string | number)[]
  readonly scalar: string
  /** Bytes from the start of the value. */
  readonly offset: number
}

const letters = ['x', 'y', 'z', 'w']

/** All numbers of a value, in order. */
export function leavesOf(type: DataType, path: Leaf['path'] = [], offset = 0): Leaf[] {
  switch (type.kind) {
    case 'void':
      return []
    case 'scalar':
      return [{ path, scalar: type.scalar, offset }]
    case 'vector':
      return Array.from({ length: type.count }, (_, i) => ({
        path: [...path, i],
        scalar: type.scalar,
        offset: offset + i * (type.size / type.count),
      }))
    case 'matrix':
      return Array.from({ length: type.rows * type.cols }, (_, i) => {
        const [row, col] = [Math.floor(i / type.cols), i % type.cols]
        const at = type.columnMajor === true ? col * type.stride + row * 4 : row * type.stride + col * 4
        return { path: [...path, row, col], scalar: type.scalar, offset: offset + at }
      })
    case 'array':
      return Array.from({ length: type.count }, (_, i) =>
        leavesOf(type.elem, [...path, i], offset + i * type.stride),
      ).flat()
    case 'struct':
      return type.fields.flatMap(f => leavesOf(f.type, [...path, f.name], offset + f.offset))
  }
}

/** Whether a value consists of 32-bit floats only. */
export function isFloats(type: DataType): boolean {
  const leaves = leavesOf(type)
  return leaves.length > 0 && leaves.every(l => l.scalar === 'f32')
}

/** The name of a number for people: `position.x`, `2`, '' for the value itself. */
export function labelOf({ path }: Leaf, type: DataType): string {
  const parts: string[] = []
  let at: DataType | undefined = type
  for (const step of path) {
    parts.push(at?.kind === 'vector' && typeof step === 'number' ? letters[step]! : String(step))
    at = at?.kind === 'struct' ? at.fields.find(f => f.name === step)?.type : at?.kind === 'array' ? at.elem : undefined
  }
  return parts.join('.')
}

/** The numbers of a value in order; what is missing is zero. */
export function numbersOf(type: DataType, value: unknown): number[] {
  return leavesOf(type).map(({ path }) => {
    const found = path.reduce<unknown>(
      (at, step) => (at as Record<string | number, unknown> | undefined)?.[step],
      value,
    )
    return Number(found ?? 0)
  })
}

/** A value of numbers in order. */
export function valueOf(type: DataType, numbers: ArrayLike<number>): Value {
  let next = 0
  const make = (t: DataType): Value => {
    switch (t.kind) {
      case 'void':
        return 0
      case 'scalar':
        return t.scalar === 'bool' ? numbers[next++] !== 0 : numbers[next++]!
      case 'vector':
        return Array.from({ length: t.count }, () => numbers[next++]!)
      case 'matrix':
        return Array.from({ length: t.rows }, () => Array.from({ length: t.cols }, () => numbers[next++]!))
      case 'array':
        return Array.from({ length: t.count }, () => make(t.elem))
      case 'struct':
        return Object.fromEntries(t.fields.map(f => [f.name, make(f.type)]))
    }
  }
  return make(type)
}
