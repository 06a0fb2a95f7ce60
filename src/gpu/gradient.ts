/** Gradients of what a kernel is given; `grad` loads this file when it is first called. */
import type { BufferData, DispatchOptions } from './options.ts'
import { run } from './run.ts'
import { gpuBuffers, parametersOf, type Made } from './tensors.ts'
import { Signature, copyBuffer, refuse, storageBuffer, type Code, type Gradients, type Passage } from './core.ts'

/** The reverse of a kernel; undefined where it has none. */
async function reverseOf(of: Signature): Promise<Code | undefined> {
  const { program, load } = of.context
  if (!program.functions.some(f => f.name === of.name && f.differentiable === 'backward')) return undefined
  const wgsl = program.wgsl({ reverseOf: of.name })
  const { module, parts } = await load(wgsl)
  const context = { ...of.context, wgsl, parts }
  return { module, signature: new Signature(context, wgsl.reflection.entries[0]!, of) }
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
    if (code === of && !parameters.usesGradients && options.gradients === undefined)
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
