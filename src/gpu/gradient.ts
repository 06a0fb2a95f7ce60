/** Gradients of what a kernel is given; `grad` loads this file when it is first called. */
import type { BindingInfo } from '../index.ts'
import { refuse } from './error.ts'
import { copyBuffer } from './read.ts'
import { storageBuffer } from './resources.ts'
import type { BufferData, DispatchOptions, DispatchResult, GradOptions, Groups } from './options.ts'
import type { Signature } from './signature.ts'
import { gpuBuffers, parametersOf, type Made } from './tensors.ts'

/** Memory of the device that a gradient is made in and read from. */
export interface Passage {
  readonly buffer: GPUBuffer
  readonly copy: GPUBuffer
  /** Whether the device is to set it to zero. */
  readonly zero: boolean
}

/** Gives memory for data that a kernel writes; undefined where a dispatch makes its own. */
export type PassageFor = (info: BindingInfo, data: BufferData, size: number) => Passage | undefined

/** A kernel that makes gradients: one that asks for derivatives itself, or the reverse of one. */
export interface Differentiable {
  readonly signature: Signature
  readonly run: (groups: Groups, from: DispatchOptions, passages: PassageFor) => Promise<DispatchResult>
}

export type Gradients = (groups: Groups, options: GradOptions) => Promise<Readonly<Record<string, BufferData>>>

/** Makes the gradients of a kernel. What they pass through on their way to an array is kept from call to call. */
export function gradientsOf({ signature, run }: Differentiable): Gradients {
  const parameters = parametersOf(signature)
  const kept = new Map<string, Passage>()
  const destroy = ({ buffer, copy }: Passage): void => {
    buffer.destroy()
    copy.destroy()
  }
  /** The memory that the last call left for a gradient of this size, or new memory. A call that runs at the same time has its own. */
  const take = (name: string, size: number, zero: boolean): Passage => {
    const last = kept.get(name)
    kept.delete(name)
    if (last?.buffer.size === size) return { ...last, zero }
    if (last !== undefined) destroy(last)
    return { buffer: storageBuffer(signature, size), copy: copyBuffer(signature.device, size), zero }
  }
  const keep = (name: string, passage: Passage): void => {
    passage.copy.unmap()
    if (kept.has(name)) destroy(passage)
    else kept.set(name, passage)
  }
  return async (groups, options) => {
    if (!signature.isReverse && !parameters.usesGradients && options.gradients === undefined)
      refuse(
        'NoDerivative',
        `${signature.name} has no reverse derivative and uses no gradients: mark it [Differentiable], or say which buffers it adds gradients to`,
      )
    const made: Made = { device: [], memory: new Map() }
    const taken: [name: string, Passage][] = []
    try {
      const buffers = gpuBuffers(signature, options, made)
      const { given, gradients } = parameters.withGradients<BufferData>(options, buffers, new Float32Array())
      await run(groups, { ...options, ...given } as DispatchOptions, ({ name }, data, size) => {
        const filled = made.memory.get(data)
        if (filled === undefined) return undefined
        const passage = take(name, size, !filled)
        taken.push([name, passage])
        return passage
      })
      for (const [name, passage] of taken.splice(0)) keep(name, passage)
      return gradients
    } catch (mistake) {
      // Nobody but us knows of these.
      for (const buffer of made.device) buffer.destroy()
      for (const [, passage] of taken) destroy(passage)
      throw mistake
    }
  }
}
