/** What must hold of any differentiable function: reverse, forward and finite differences agree. */
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import type { Data } from '../../src/ir/run.ts'
import { component } from '../../src/ir/type.ts'

/** The float leaves of a value, in order. */
export function flatten(type: Type, data: Data, out: number[] = []): number[] {
  if (type.kind === 'scalar') {
    if (t.isFloat(type)) out.push(data as number)
    return out
  }
  const parts = data as readonly Data[]
  for (let i = 0; i < type.count; i++) flatten(component(type, i), parts[i]!, out)
  return out
}

/** The float leaves of a value that carry derivatives, in the order of its differential. */
export function flattenActive(type: Type, data: Data, out: number[] = []): number[] {
  if (type.kind === 'scalar') return flatten(type, data, out)
  ;(data as readonly Data[]).forEach((part, i) => {
    if (type.kind !== 'struct' || type.diff!.fields[i]! >= 0) flattenActive(component(type, i), part, out)
  })
  return out
}

/** A value made by asking for each scalar. */
export function fill(type: Type, next: (type: Type) => Data): Data {
  if (type.kind === 'scalar') return next(type)
  return Array.from({ length: type.count }, (_, i) => fill(component(type, i), next))
}

/** The value plus `h` times a tangent, on its floats. */
export function moved(type: Type, data: Data, tangent: Data, h: number): Data {
  if (type.kind === 'scalar') return t.isFloat(type) ? (data as number) + h * (tangent as number) : data
  const [parts, ts] = [data as readonly Data[], tangent as readonly Data[]]
  return parts.map((part, i) => {
    const at = type.kind === 'struct' ? type.diff!.fields[i]! : i
    return at < 0 ? part : moved(component(type, i), part, ts[at]!, h)
  })
}

/** The three ways to a directional derivative `⟨w, J t⟩`. */
export interface Derivatives {
  /** Results flattened, at the inputs moved by `h` along the tangent. */
  readonly value: (h: number) => readonly number[]
  /** Results, then their tangents. */
  readonly forward: readonly number[]
  /** The terms of `⟨Jᵀ w, t⟩` by reverse mode. */
  readonly reverse: readonly number[]
  readonly weights: readonly number[]
}

/** Says what is wrong; undefined where all agree; 'rough' where the function is not smooth enough there to tell. */
export function disagreement(d: Derivatives): string | undefined {
  const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0)
  const terms = (x: readonly number[]): number[] => x.map((v, i) => v * d.weights[i]!)
  const at = terms(d.value(0))
  const slope = (h: number): number => (sum(terms(d.value(h))) - sum(terms(d.value(-h)))) / (2 * h)
  const h = 1e-5
  const [fine, coarse] = [slope(h), slope(2 * h)]
  const tangents = terms(d.forward)
  const [forward, reverse] = [sum(tangents), sum(d.reverse)]
  // Large terms may cancel: what is left is as exact as they are.
  const largest = Math.max(...[...at, ...tangents, ...d.reverse].map(Math.abs))
  const scale = 1 + Math.abs(fine) + largest * 1e-5
  if (!Number.isFinite(sum(at)) || !Number.isFinite(fine) || largest > 1e9) return 'rough'
  // Reverse and forward are the same sums in another order: they agree far better than differences do, but for constants
  // that were folded in single precision.
  if (!(Math.abs(forward - reverse) <= 1e-6 * (1 + Math.abs(forward)) + 1e-9 * largest))
    return `forward says ${forward}, reverse ${reverse}, differences ${fine}`
  if (Math.abs(fine - coarse) > 1e-5 * scale) return 'rough'
  if (!(Math.abs(forward - fine) <= 1e-4 * scale)) return `forward says ${forward}, differences ${fine}`
  return undefined
}

/** The largest size of a number in a value; infinity where there is one that is no number. */
export function largestIn(data: Data): number {
  if (typeof data === 'number') return Number.isNaN(data) ? Infinity : Math.abs(data)
  return Array.isArray(data)
    ? (data as readonly Data[]).reduce<number>((most, part) => Math.max(most, largestIn(part)), 0)
    : 0
}
