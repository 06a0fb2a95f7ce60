/**
 * Parameters that are the place of the argument, where that is memory that invocations share: a copy, as `inout` makes one, would lose
 * what others write meanwhile. The function is lowered for the way to the place. It takes the memory, and the indices on the way.
 *
 *   void bump(__ref uint n)    bump(cells[i].count)    →    call @bump_at @cells, %i
 */
import type { FuncRef } from '../check/model/func-ref.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import type * as s from '../check/model/type.ts'
import type { Builder } from '../ir/build.ts'
import type { Type } from '../ir/type.ts'
import type { Func, ParamSig, Value } from '../ir/value.ts'
import type { Boxes } from './boxes.ts'
import type { Operand } from './ref.ts'

/** The way from memory to a place in it: a field by its number, or an element by an index of that type. */
export interface Way {
  readonly memory: Type
  readonly steps: readonly (number | Type)[]
}

/** For each parameter, `this` first, the way to its place; `copy` where it is a copy of what others may change; undefined for one's own value. */
export type Ways = readonly (Way | 'copy' | undefined)[]

/** A place: its way, and the memory and the indices. */
export interface SharedPlace {
  readonly way: Way
  readonly values: readonly Value[]
}

/**
 * For each parameter, `this` first, whether it is the place of its argument: those that are declared as references, and those whose type
 * has atomics. Undefined if none is. What is differentiated works on copies, for its derivatives get and give values.
 */
export function placeParams(program: CheckedProgram, ref: FuncRef): readonly boolean[] | undefined {
  if (ref.kind !== 'direct' || program.level(ref.decl, ref.subst) !== 'none') return undefined
  const body = program.body(ref.decl)
  if (body === null) return undefined
  const { self, mutating, params } = program.signature(ref)
  const all = params.map(
    (p, k) =>
      p.dir === 'inout' &&
      (hasAtomics(program, p.type) || body.params[k]!.modifiers.some(m => m === 'ref' || m === '__ref')),
  )
  if (self !== null) all.unshift(mutating && hasAtomics(program, self))
  return all.includes(true) ? all : undefined
}

/** Where an argument for a parameter of that type lies, if in memory that invocations share. */
export function sharedPlace(boxes: Boxes, operand: Operand, type: Type): SharedPlace | undefined {
  if (operand.dir !== 'inout' || operand.ref.kind !== 'pointer') return undefined
  const { pointer } = operand.ref
  return boxes.valueType(pointer.type.elem!) === type ? placeAt(pointer) : undefined
}

/** Whether numbers lie in a value that invocations change together. */
function hasAtomics(program: CheckedProgram, type: s.Type): boolean {
  if (type.kind === 'array') return hasAtomics(program, type.elem)
  if (type.kind !== 'struct') return false
  if (type.decl.intrinsic !== null) return type.decl.intrinsic === 'Atomic'
  return program.fields(type).some(f => hasAtomics(program, f.type))
}

function placeAt(place: Value): SharedPlace | undefined {
  const steps: (number | Type)[] = []
  const indices: Value[] = []
  let at = place
  for (let { def } = at; def.op === 'field' || def.op === 'elem'; { def } = at) {
    at = def.args[0]!
    if (def.op === 'field') {
      steps.unshift(def.attr)
      continue
    }
    steps.unshift(def.args[1]!.type)
    indices.unshift(def.args[1]!)
  }
  const { space } = at.type
  if (space !== 'storage_rw' && space !== 'workgroup') return undefined
  return { way: { memory: at.type, steps }, values: [at, ...indices] }
}

/** Whether a parameter is a place. */
export const isWay = (way: Ways[number]): way is Way => way !== undefined && way !== 'copy'

/** Tells functions for different ways apart. */
export const wayKey = (way: Way | 'copy'): string =>
  way === 'copy'
    ? way
    : [way.memory.name, ...way.steps.map(step => (typeof step === 'number' ? step : step.name))].join('.')

/** The signature of a function whose parameters are the places that such ways lead to. */
export function inPlace(sig: Func['sig'], ways: Ways): Func['sig'] {
  const params = sig.params.flatMap((p, k) => (isWay(ways[k]) ? wayParams(ways[k], p.name) : [p]))
  return { ...sig, params }
}

function wayParams({ memory, steps }: Way, name: string): ParamSig[] {
  const types = [memory, ...steps.filter(step => typeof step !== 'number')]
  return types.map((type, k) => ({ name: k === 0 ? name : `${name}_at`, type, dir: 'in', noDiff: true }))
}

/** The place that a parameter is, from those that stand for it. */
export function placeOf(b: Builder, way: Way, name: string): Value {
  const [memory, ...indices] = wayParams(way, name).map(p => b.param(p.type, p.name))
  return way.steps.reduce<Value>(
    (at, step) => (typeof step === 'number' ? b.field(at, step) : b.elem(at, indices.shift()!)),
    memory!,
  )
}
