/** What can be trained in a program, and how to begin. */
import { CompileError, type BindingInfo, type ExportedFunction, type Program } from 'cotangent'
import { isFloats, labelOf, leavesOf, type DataType } from './layout.ts'
import type { Plan, Value } from './plan.ts'

/** A parameter of a function, or a buffer or tensor of a kernel, that can change. */
export interface Pick {
  readonly name: string
  readonly kind: 'parameter' | 'buffer' | 'tensor'
  /** The type of the parameter, or of an element. */
  readonly type: DataType
  /** Names of the numbers of the parameter or of an element: `x`, `position.y`; '' for a number by itself. */
  readonly labels: readonly string[]
}

/** A function that returns a scalar, or a kernel that writes one to a buffer named `loss`. */
export type Trainable =
  | { readonly kind: 'function'; readonly name: string; readonly picks: readonly Pick[]; readonly of: ExportedFunction }
  | {
      readonly kind: 'kernel'
      readonly name: string
      readonly picks: readonly Pick[]
      /** Whether the kernel itself has a reverse derivative; else it calls `bwd_diff`. */
      readonly reversible: boolean
      readonly workgroupSize: readonly [number, number, number]
      readonly bindings: readonly BindingInfo[]
    }

/** The buffers of a differentiable buffer or tensor: `loss_primal` belongs to `loss`, and so does `loss_primal_data`. */
const sides = /_(primal(?:_data)?|diff(?:_diff_data)?)$/

/** The name in the source of what a binding belongs to. */
export function ownerOf(binding: string): string {
  return binding.replace(sides, '')
}

/** Whether a binding is the gradient of another. */
export function isGradient(binding: string): boolean {
  return sides.exec(binding)?.[1]!.startsWith('diff') ?? false
}

/** All that can be trained, functions first. The program has no errors. Of a program without WGSL, such as one whose loops have no bound, it is the functions. */
export function trainables(program: Program): Trainable[] {
  const functions = program.exports.flatMap(functionOf)
  try {
    return [...functions, ...kernelsOf(program)]
  } catch (cause) {
    if (cause instanceof CompileError) return functions
    throw cause
  }
}

function functionOf(of: ExportedFunction): Trainable[] {
  const { result } = of
  if (of.differentiable !== 'backward' || of.tangent === null) return []
  if (result.kind !== 'scalar' || result.scalar !== 'f32' || of.params.some(p => p.dir !== 'in')) return []
  const picks = of.params.flatMap((p, i): Pick[] => {
    const gradient = of.gradients[i]
    // A field without a derivative makes the gradient another type than the parameter.
    const same = gradient !== null && gradient !== undefined && leavesOf(gradient).length === leavesOf(p.type).length
    return same && isFloats(p.type) ? [pickOf(p.name, 'parameter', p.type)] : []
  })
  return picks.length === 0 ? [] : [{ kind: 'function', name: of.name, picks, of }]
}

function kernelsOf(program: Program): Trainable[] {
  const compute = program.entries.filter(e => e.stage === 'compute')
  if (compute.length === 0) return []
  const { reflection } = program.wgsl()
  return compute.flatMap((entry): Trainable[] => {
    const used = reflection.entries.find(e => e.name === entry.name)!.bindings
    const reversible = program.functions.find(f => f.name === entry.name)?.differentiable === 'backward'
    const bindings = (reversible ? program.wgsl({ reverseOf: entry.name }).reflection : reflection).bindings.filter(
      b => reversible || used.includes(b.name),
    )
    const elementOf = (b: BindingInfo): DataType | undefined => (b.type?.kind === 'array' ? b.type.elem : undefined)
    const loss = bindings.find(b => ['loss', 'loss_primal', 'loss_primal_data'].includes(b.name))
    const element = loss === undefined ? undefined : elementOf(loss)
    if (element?.kind !== 'scalar' || element.scalar !== 'f32') return []
    const picks = bindings.flatMap((b): Pick[] => {
      const [, side] = sides.exec(b.name) ?? []
      const type = elementOf(b)
      const name = ownerOf(b.name)
      if (side === undefined || !side.startsWith('primal') || name === 'loss' || type === undefined) return []
      const has = bindings.some(d => d.name !== b.name && ownerOf(d.name) === name)
      return has && isFloats(type) ? [pickOf(name, side === 'primal' ? 'buffer' : 'tensor', type)] : []
    })
    const { name, workgroupSize } = entry
    return picks.length === 0 ? [] : [{ kind: 'kernel', name, picks, reversible, workgroupSize, bindings }]
  })
}

function pickOf(name: string, kind: Pick['kind'], type: DataType): Pick {
  return { name, kind, type, labels: leavesOf(type).map(l => labelOf(l, type)) }
}

/** How many elements a buffer gets of which nobody has said it. */
const guessed = 64

/**
 * A plan to begin with: all that can be picked is, by Adam. Numbers begin at 0.5, where few functions have a kink or an edge; other arguments and uniforms
 * are 1, and buffers have random numbers from −0.5 to 0.5.
 */
export function defaultPlan(trainable: Trainable, program?: Program): Plan {
  const { name: subject, picks } = trainable
  const picture = program && pictureOf(program, subject)
  const shared = {
    subject,
    parameters: picks.map(p => p.name),
    optimizer: { kind: 'adam', rate: 0.01 },
    ...(picture !== undefined && { picture }),
  } as const
  if (trainable.kind === 'function') {
    const values = trainable.of.params.map(p => [p.name, full(p.type, picks.some(k => k.name === p.name) ? 0.5 : 1)])
    return { ...shared, values: Object.fromEntries(values) as Record<string, Value> }
  }
  const buffers = trainable.bindings
    .filter(b => b.kind === 'storage' || b.kind === 'read-only-storage')
    .map(b => ownerOf(b.name))
    .map(name => [
      name,
      name === 'loss'
        ? { count: 1 }
        : picks.some(p => p.name === name)
          ? { count: guessed, low: -0.5, high: 0.5 }
          : { count: guessed },
    ])
  const globals = trainable.bindings.find(b => b.name === 'globalParams')?.type
  const fields =
    globals?.kind === 'struct'
      ? globals.fields.filter(f => !f.name.includes('_primal_') && !f.name.includes('_diff_'))
      : []
  return {
    ...shared,
    buffers: Object.fromEntries(buffers) as NonNullable<Plan['buffers']>,
    uniforms: Object.fromEntries(fields.map(f => [f.name, full(f.type, 1)])),
  }
}

/** The kernel that draws: the only one that writes to `outputTexture` and is not trained itself. */
function pictureOf(program: Program, subject: string): string | undefined {
  if (program.entries.length === 0) return undefined
  try {
    const { entries, bindings } = program.wgsl().reflection
    const isDrawn = bindings.some(b => b.name === 'outputTexture')
    const drawing = entries.filter(e => e.name !== subject && e.bindings.includes('outputTexture'))
    return isDrawn && drawing.length === 1 ? drawing[0]!.name : undefined
  } catch (cause) {
    if (cause instanceof CompileError) return undefined
    throw cause
  }
}

/** A value all of whose numbers are the same. */
function full(type: DataType, number: number): Value {
  switch (type.kind) {
    case 'void':
      return 0
    case 'scalar':
      return type.scalar === 'bool' ? number !== 0 : type.scalar.startsWith('f') ? number : Math.round(number)
    case 'vector':
      return Array.from({ length: type.count }, () => number)
    case 'matrix':
      return Array.from({ length: type.rows }, () => Array.from({ length: type.cols }, () => number))
    case 'array':
      return Array.from({ length: type.count }, () => full(type.elem, number))
    case 'struct':
      return Object.fromEntries(type.fields.map(f => [f.name, full(f.type, number)]))
  }
}
