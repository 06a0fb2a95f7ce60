/** Replaces the code of an attached program while it runs. Only programs of a development server load this file. */
import type { Wgsl } from '../index.ts'
import { GpuError, bindingsOf, descriptorOf, refuse, type Attached, type Kernel } from './core.ts'
import { compile } from './run.ts'

/**
 * Compiles new code whenever the program has some. Kernels, and what is bound to them, run the old pipelines until all new ones exist, and stay with
 * them where the new code cannot be used. Buffers stay.
 */
export function follow(attached: Attached, listeners: Set<() => void>): void {
  const { gpu } = attached.context.device
  let last = 0
  const replace = async (): Promise<void> => {
    const own = ++last
    try {
      const before = used(attached)
      const put = await replacement(attached)
      // Newer code may have overtaken this, or a kernel have run for the first time, which needs a new pipeline too.
      if (own !== last) return
      if (used(attached) === before) put()
      else await replace()
    } catch (mistake) {
      if (own === last && !(mistake instanceof GpuError && mistake.name === 'DeviceLost'))
        console.error('cotangent: the new code cannot be used, so the old code stays.', mistake)
    }
  }
  const listener = (): void => void replace()
  listeners.add(listener)
  void gpu.lost.then(() => listeners.delete(listener))
}

/** How many kernels, pipelines and gradients there are. */
function used({ kernels }: Attached): number {
  return Array.from(kernels.values(), ({ code, gradients }) => [code, code.compiled ?? code.compiling, gradients])
    .flat()
    .filter(made => made !== undefined).length
}

/** Makes all that new code needs; what it gives puts that in the place of the old. */
async function replacement(attached: Attached): Promise<() => void> {
  const { program, load } = attached.context
  const wgsl = program.wgsl()
  const { module } = await load(wgsl)
  const parts = await Promise.all(Array.from(attached.kernels.values(), k => replacementOf(k, wgsl, module)))
  return () => {
    attached.context = { ...attached.context, wgsl }
    attached.module = module
    for (const put of parts) put()
  }
}

async function replacementOf(kernel: Kernel, wgsl: Wgsl, module: GPUShaderModule): Promise<() => void> {
  const { code } = kernel
  const { signature } = code
  const { device, name, bindings } = signature
  const entry = wgsl.reflection.entries.find(e => e.name === name && e.stage === 'compute')
  if (entry === undefined) refuse('NoSuchKernel', `there is no kernel ${name} any more`)
  if (JSON.stringify(bindingsOf(wgsl, entry)) !== JSON.stringify(bindings))
    refuse('CompileError', `${name} has other bindings than before: attach the program again`)
  // What the device refused before may be what the new code mends.
  const compiled = code.compiled ?? (await code.compiling?.catch(() => undefined))
  const pipeline =
    compiled && (await device.until(device.gpu.createComputePipelineAsync(descriptorOf(module, entry, compiled))))
  const gradients = kernel.gradients && (await kernel.makeGradients())
  if (gradients !== undefined && gradients.code !== code) await compile(gradients.code)
  return () => {
    code.module = module
    if (compiled !== undefined && pipeline !== undefined) compiled.pipeline = pipeline
    else code.compiling = undefined
    if (gradients !== undefined) kernel.gradients = Promise.resolve(gradients)
    signature.entry = entry
    signature.prints = wgsl.reflection.prints
  }
}
