/** A program on a WebGPU device. */
import type { EntryOf, KernelName, ProgramTypes, UnknownTypes, Wgsl } from '../index.ts'
import { has, isCount, shown } from '../host/given.ts'
import { OwnBuffer } from './buffer.ts'
import { Device } from './device.ts'
import { refuse } from './error.ts'
import { Kernel, type CallLoaders, type GpuKernel } from './kernel.ts'
import type { AttachOptions, BufferOptions, DeviceBuffer, SameKind, TypedArray } from './options.ts'
import { compileModule, type RefusalLoader } from './module.ts'
import { loadParts, type PartLoaders } from './parts.ts'
import { refuseOptions, Signature, type Attachable, type Context } from './signature.ts'

/** A program on a device. */
export interface GpuProgram<T extends ProgramTypes = UnknownTypes> {
  /** The compiled module. */
  readonly wgsl: Wgsl
  /** The compute entry point of that name. Throws a `GpuError` where there is none. */
  kernel<N extends KernelName<T>>(name: N): GpuKernel<EntryOf<T, N>>
  /**
   * Makes a buffer of the device that holds a copy of an array, to be bound wherever a kernel uses a buffer. Does not wait. Throws a `GpuError` named
   * `BufferError` for what is no typed array, is empty, or is larger than the device allows.
   */
  buffer<T extends TypedArray>(data: T, options?: BufferOptions): DeviceBuffer<SameKind<T>>
  /**
   * Says that every pass into which bound kernels of this program were recorded by `encode` is submitted by now. Then they use the memory for
   * uniforms of these passes again. Call it after `queue.submit`, in each step or now and then.
   */
  submitted(): void
}

/** What is attached. */
export interface Attached {
  context: Context
  module: GPUShaderModule
  readonly kernels: ReadonlyMap<string, Kernel>
}

/** How what only some programs or calls need is loaded. */
export interface Loaders extends PartLoaders, CallLoaders {
  readonly refusal: RefusalLoader
  readonly replace: () => Promise<{ follow(attached: Attached, listeners: Set<() => void>): void }>
}

/** Attaches a program. */
export async function attachProgram<T extends ProgramTypes>(
  loaders: Loaders,
  program: Attachable,
  gpu: GPUDevice,
  options: AttachOptions,
): Promise<GpuProgram<T>> {
  refuseOthers('a program that compile made', program, 'wgsl')
  refuseOthers('a GPUDevice', gpu, 'createShaderModule')
  refuseOptions('attach takes no option', options, ['print', 'printBytes'])
  const { print, printBytes } = options
  if (print !== undefined && typeof print !== 'function')
    refuse('UnknownOption', `print is a function, and ${shown(print)} came`)
  if (printBytes !== undefined && !isCount(printBytes))
    refuse('UnknownOption', `printBytes is a whole number of bytes, and ${shown(printBytes)} came`)
  const wgsl = program.wgsl()
  if (wgsl.code === '') refuse('CompileError', 'the program has no entry point')
  const device = new Device(gpu)
  const submissions = { count: 0 }
  const load: Context['load'] = async other => {
    const [module, parts] = await Promise.all([
      compileModule(device, other, loaders.refusal),
      loadParts(loaders, [wgsl.reflection, other.reflection]),
    ])
    return { module, parts }
  }
  const { module, parts } = await load(wgsl)
  const kernels = new Map<string, Kernel>()
  const attached: Attached = { context: { program, device, options, parts, wgsl, submissions, load }, module, kernels }
  if (program.listeners !== undefined) (await loaders.replace()).follow(attached, program.listeners)
  return {
    get wgsl() {
      return attached.context.wgsl
    },
    kernel: <N extends KernelName<T>>(name: N) => {
      const { context, module } = attached
      const { entries } = context.wgsl.reflection
      const entry = entries.find(e => e.name === name && e.stage === 'compute')
      if (entry === undefined)
        refuse(
          'NoSuchKernel',
          `${String(name)} is no compute entry point; there are: ${entries.map(e => `${e.stage} ${e.name}`).join(', ')}`,
        )
      const kernel = kernels.get(name) ?? new Kernel({ module, signature: new Signature(context, entry) }, loaders)
      kernels.set(name, kernel)
      // The types of a kernel are narrower than what it checks.
      return kernel as unknown as GpuKernel<EntryOf<T, N>>
    },
    buffer: <T extends TypedArray>(data: T, given?: BufferOptions) =>
      new OwnBuffer(device, data, given) as DeviceBuffer as DeviceBuffer<SameKind<T>>,
    submitted: () => {
      submissions.count++
    },
  }
}

/** Throws for a value without a method that an attached program or device has. */
function refuseOthers(what: string, given: unknown, method: string): void {
  if (!has(given, method) || typeof given[method] !== 'function')
    refuse('UnknownOption', `attach takes ${what}, and ${shown(given)} came`)
}
