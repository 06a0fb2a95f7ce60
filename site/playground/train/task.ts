/** A plan with its program: everything checked, and every buffer filled. */
import type { BindingInfo, Program, Reflection } from 'cotangent'
import { isFloats, leavesOf, numbersOf, type DataType } from './layout.ts'
import { countOf, filled, PlanError, randomOf, type Fill, type Plan, type Value } from './plan.ts'
import { isGradient, ownerOf, trainables, type Pick, type Trainable } from './trainable.ts'
import { wrapped, wrapper } from './wrap.ts'

/** Where the numbers of a pick lie among all that is trained. */
export interface Slice {
  readonly pick: Pick
  readonly at: number
  readonly length: number
}

/** What a buffer holds at first. */
export interface Contents {
  readonly data: Float32Array | Int32Array | Uint32Array
  readonly element: DataType
  /** How many numbers an element takes in memory, with what lies unused behind it. */
  readonly stride: number
  readonly shape: readonly number[]
}

export interface Task {
  readonly program: Program
  readonly plan: Plan
  readonly trainable: Trainable
  readonly slices: readonly Slice[]
  /** All numbers that are trained, as they are at first. */
  readonly initial: Float32Array
  /** By the name in the source: of `weights_primal` it is `weights`. */
  readonly contents: ReadonlyMap<string, Contents>
  readonly groups: readonly [number, number, number]
  /** The resources of the program; undefined where it has none. */
  readonly reflection: Reflection | undefined
}

/** Checks a plan against its program. Throws a `PlanError`. */
export function taskOf(program: Program, plan: Plan): Task {
  const all = trainables(program)
  const trainable = all.find(t => t.name === plan.subject)
  if (trainable === undefined) {
    const others = all.length === 0 ? 'nothing can be' : `these can be: ${all.map(t => t.name).join(', ')}`
    throw new PlanError(`${plan.subject} cannot be trained; ${others}`)
  }
  const reflection = reflectionOf(program, trainable, plan)
  const contents = contentsOf(reflection, trainable, plan)
  checkValues(trainable, plan)
  const slices: Slice[] = []
  const numbers: Float32Array[] = []
  let at = 0
  for (const name of plan.parameters) {
    const pick = trainable.picks.find(p => p.name === name)
    if (pick === undefined)
      throw new PlanError(
        `${name} of ${plan.subject} has no gradient; these have one: ${trainable.picks.map(p => p.name).join(', ')}`,
      )
    const own =
      pick.kind === 'parameter'
        ? Float32Array.from(numbersOf(pick.type, plan.values?.[name]))
        : (contents.get(name)!.data as Float32Array)
    slices.push({ pick, at, length: own.length })
    numbers.push(own)
    at += own.length
  }
  if (slices.length === 0) throw new PlanError(`Nothing is picked to be trained in ${plan.subject}`)
  const initial = new Float32Array(at)
  slices.forEach((s, i) => initial.set(numbers[i]!, s.at))
  const groups = groupsOf(trainable, plan, contents)
  return { program, plan, trainable, slices, initial, contents, groups, reflection }
}

/** Values of a link may be anything: what does not fit the type of its argument is no number there. */
function checkValues(trainable: Trainable, plan: Plan): void {
  if (trainable.kind !== 'function') return
  for (const { name, type } of trainable.of.params)
    if (!numbersOf(type, plan.values?.[name]).every(n => Number.isFinite(Math.fround(n))))
      throw new PlanError(`values.${name} does not fit ${name} of ${plan.subject}, whose numbers are finite floats`)
}

/** The type of a binding that is a buffer of elements. */
export function arrayOf(b: BindingInfo): Extract<DataType, { kind: 'array' }> | undefined {
  const isBuffer = b.kind === 'storage' || b.kind === 'read-only-storage'
  return isBuffer && b.type?.kind === 'array' && b.type.count === 0 ? b.type : undefined
}

/** Reflection knows the resources of kernels; those that a function reads are known once a kernel calls it. */
function reflectionOf(program: Program, trainable: Trainable, plan: Plan): Reflection | undefined {
  if (trainable.kind === 'function' && (plan.buffers !== undefined || plan.uniforms !== undefined))
    return wrapped(program, trainable.of).wgsl().reflection
  return program.entries.length === 0 ? undefined : program.wgsl().reflection
}

/** How many numbers all buffers have at most: 64 MB, and the optimiser remembers two more for each. A link may ask for anything. */
const mostNumbers = 2 ** 24

function contentsOf(reflection: Reflection | undefined, trainable: Trainable, plan: Plan): Map<string, Contents> {
  const contents = new Map<string, Contents>()
  let total = 0
  // What the picture needs stands there too.
  const bindings = [...(trainable.kind === 'kernel' ? trainable.bindings : []), ...(reflection?.bindings ?? [])]
  for (const b of bindings) {
    const type = arrayOf(b)
    const name = ownerOf(b.name)
    if (b.name === wrapper.input || b.name === wrapper.output) continue
    if (type === undefined || contents.has(name) || isGradient(b.name)) continue
    const element = type.elem
    const stride = type.stride / 4
    const fill = plan.buffers?.[name] ?? { count: 1 }
    total += countOf(fill, stride) * stride
    if (total > mostNumbers)
      throw new PlanError(`The buffers would take more than ${mostNumbers} numbers: ${name} must be smaller`)
    const shape = ('count' in fill ? fill.shape : undefined) ?? [countOf(fill, stride)]
    if (shape.reduce((a, b) => a * b, 1) !== countOf(fill, stride))
      throw new PlanError(`buffers.${name} has ${countOf(fill, stride)} elements, and its shape ${shape.join(' × ')}`)
    contents.set(name, { data: dataOf(name, fill, element, stride, plan), element, stride, shape })
  }
  const unknown = Object.keys(plan.buffers ?? {}).find(name => !contents.has(name))
  if (unknown !== undefined)
    throw new PlanError(`The program has no buffer ${unknown}; it has ${[...contents.keys()].join(', ')}`)
  return contents
}

function dataOf(name: string, fill: Fill, element: DataType, stride: number, plan: Plan): Contents['data'] {
  const floats = filled(fill, element, stride, randomOf(plan, name))
  if (isFloats(element)) return floats
  const kinds = new Set(leavesOf(element).map(l => l.scalar))
  if (kinds.size === 1 && kinds.has('i32')) return Int32Array.from(floats)
  if (kinds.size === 1 && (kinds.has('u32') || kinds.has('bool'))) return Uint32Array.from(floats)
  throw new PlanError(`The buffer ${name} holds ${[...kinds].join(', ')}; training takes float, int or uint alone`)
}

function groupsOf(
  trainable: Trainable,
  plan: Plan,
  contents: ReadonlyMap<string, Contents>,
): readonly [number, number, number] {
  if (plan.groups !== undefined) return plan.groups
  if (trainable.kind === 'function') return [1, 1, 1]
  const [x, y, z] = trainable.workgroupSize
  return [Math.ceil((contents.get('loss')?.shape[0] ?? 1) / (x * y * z)), 1, 1]
}

/** Arguments of a function in order, of all numbers that are trained. */
export function argumentsOf(task: Task, parameters: Float32Array): number[][] {
  const { trainable, plan } = task
  if (trainable.kind !== 'function') return []
  return trainable.of.params.map(p => {
    const slice = task.slices.find(s => s.pick.name === p.name)
    return slice === undefined
      ? numbersOf(p.type, plan.values?.[p.name])
      : [...parameters.subarray(slice.at, slice.at + slice.length)]
  })
}

/** The uniforms that a program declares outside of blocks, and its blocks. */
export function uniformsOf(task: Task, values: Readonly<Record<string, Value>>): Record<string, Value> {
  if (task.reflection === undefined) return {}
  const { bindings, globalParams } = task.reflection
  const declared = new Set(bindings.filter(b => b.kind === 'uniform').map(b => b.name))
  if (globalParams?.kind === 'struct') for (const f of globalParams.fields) declared.add(f.name)
  const given = { ...values, ...task.plan.uniforms }
  return Object.fromEntries(Object.entries(given).filter(([name]) => declared.has(name)))
}

/** What is trained and what a function is called with, by name: a picture may have uniforms of these names. */
export function namedValues(
  task: Task,
  parameters: Float32Array,
  make: (type: DataType, numbers: number[]) => Value,
): Record<string, Value> {
  const { trainable } = task
  if (trainable.kind !== 'function') return {}
  const args = argumentsOf(task, parameters)
  return Object.fromEntries(trainable.of.params.map((p, i) => [p.name, make(p.type, args[i]!)]))
}
