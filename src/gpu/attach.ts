/** Compiles a program for a WebGPU device. */
import type { EntryOf, ProgramTypes, TypesOf, UnknownTypes, Wgsl } from '../index.ts'
import { isCount, shown } from '../host/given.ts'
import { OwnBuffer } from './buffer.ts'
import { Device } from './device.ts'
import { refuse } from './error.ts'
import { Kernel, type GpuKernel } from './kernel.ts'
import type { AttachOptions, BufferOptions, DeviceBuffer, SameKind, TypedArray } from './options.ts'
import { compileModule } from './module.ts'
import { loadParts } from './parts.ts'
import type { Attached } from './replace.ts'
import { refuseOptions, Signature, type Attachable } from './signature.ts'
import type { WebGpuDevice } from './webgpu.ts'

/** A program on a device. */
export interface GpuProgram<T extends ProgramTypes = UnknownTypes> {
  /** The compiled module. */
  readonly wgsl: Wgsl
  /** The compute entry point of that name. Throws a `GpuError` where there is none. */
  kernel<N extends keyof T['entries'] & string>(name: N): GpuKernel<EntryOf<T, N>>
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

/**
 * Compiles a program for a device: a browser's, or Dawn's in Node. Throws the program's `CompileError` where it has errors,
 * and a `GpuError` where it has no entry point or the device refuses it. Kernels are typed if the program is an imported shader, or if `E` says
 * what `reflectionTypes` wrote: `attach<Entries>(program, device)`.
 *
 * ```ts
 * const g = await attach(compile(source), device)
 * await g.kernel('computeMain').dispatch([4, 1, 1], { buffers: { inp, outp }, uniforms: { scale: 2 } })
 * ```
 */
export function attach<E = never, P extends Attachable = Attachable>(
  program: P,
  gpu: WebGpuDevice,
  options: AttachOptions = {},
): Promise<GpuProgram<TypesOf<[E] extends [never] ? P : E>>> {
  return attached(program, gpu, options)
}

async function attached<T extends ProgramTypes>(
  program: Attachable,
  gpu: GPUDevice,
  options: AttachOptions,
): Promise<GpuProgram<T>> {
  refuseOthers('a program', program, 'wgsl')
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
  const [parts, module] = await Promise.all([loadParts(wgsl.reflection), compileModule(device, wgsl)])
  const kernels = new Map<string, Kernel>()
  const attached: Attached = { context: { program, device, options, parts, wgsl, submissions }, module, kernels }
  if (program.listeners !== undefined) (await import('./replace.ts')).follow(attached, program.listeners)
  return {
    get wgsl() {
      return attached.context.wgsl
    },
    kernel: <N extends keyof T['entries'] & string>(name: N) => {
      const { context, module } = attached
      const { entries } = context.wgsl.reflection
      const entry = entries.find(e => e.name === name)
      if (entry === undefined)
        refuse(
          'NoSuchKernel',
          `there is no entry point ${String(name)}; there are: ${entries.map(e => e.name).join(', ')}`,
        )
      if (entry.stage !== 'compute')
        refuse(
          'NoSuchKernel',
          `${name} is an entry point of the ${entry.stage} stage, and only those of the compute stage can be run from here`,
        )
      const kernel = kernels.get(name) ?? new Kernel({ module, signature: new Signature(context, entry) })
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
  if (typeof given === 'object' && given !== null && typeof (given as Record<string, unknown>)[method] === 'function')
    return
  refuse('UnknownOption', `attach takes ${what}, and ${shown(given)} came`)
}
