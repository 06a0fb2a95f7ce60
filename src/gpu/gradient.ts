/** Gradients of what a kernel is given; `grad` loads this file when it is first called. */
import { refuse } from './error.ts'
import { compileModule } from './module.ts'
import { copyBuffer } from './read.ts'
import { storageBuffer } from './resources.ts'
import type { BufferData, DispatchOptions, GradOptions, Groups } from './options.ts'
import { loadParts } from './parts.ts'
import type { Code } from './pipeline.ts'
import { run, type Passage } from './run.ts'
import { Signature } from './signature.ts'
import { gpuBuffers, parametersOf, type Made } from './tensors.ts'

export interface Gradients {
  /** What runs: the reverse of the kernel, or the kernel itself. */
  readonly code: Code
  readonly make: (groups: Groups, options: GradOptions) => Promise<Readonly<Record<string, BufferData>>>
}

/** The reverse of a kernel; undefined where it has none. */
async function reverseOf(of: Signature): Promise<Code | undefined> {
  const { program, device, wgsl } = of.context
  if (!program.functions.some(f => f.name === of.name && f.differentiable === 'backward')) return undefined
  const derived = program.wgsl({ reverseOf: of.name })
  const [module, parts] = await Promise.all([
    compileModule(device, derived),
    loadParts(wgsl.reflection, derived.reflection),
  ])
  const context = { ...of.context, wgsl: derived, parts }
  return { module, signature: new Signature(context, derived.reflection.entries[0]!, of) }
}

/** Makes the gradients of a kernel: by its reverse, or by itself where it asks for derivatives. What they pass through on their way to an array is kept from call to call. */
export async function gradientsOf(of: Code): Promise<Gradients> {
  const code = (await reverseOf(of.signature)) ?? of
  const { signature } = code
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
  const make: Gradients['make'] = async (groups, options) => {
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
      await run(code, groups, { ...options, ...given } as DispatchOptions, ({ name }, data, size) => {
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
  return { code, make }
}
