/** Compiles a program for a WebGPU device. */
import type { EntryOf, ProgramTypes, TypesOf, UnknownTypes, Wgsl } from '../index.ts'
import { sourceOf } from '../host/origin.ts'
import { isCount } from '../host/given.ts'
import { OwnBuffer } from './buffer.ts'
import { Device } from './device.ts'
import { errorOf, refuse } from './error.ts'
import { Kernel, type GpuKernel } from './kernel.ts'
import type { AttachOptions, BufferOptions, DeviceBuffer, SameKind, TypedArray } from './options.ts'
import { loadParts } from './parts.ts'
import { refuseOptions, Signature } from './signature.ts'
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

/** What can be attached: a program of `cotangent`, of `cotangent/wgsl`, or one that a build compiled (`import program from './fit.slang'`). */
export interface Attachable {
  wgsl(options?: { readonly reverseOf?: string | undefined }): Wgsl
  readonly functions: readonly { readonly name: string; readonly differentiable: 'none' | 'forward' | 'backward' }[]
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
    refuse('UnknownOption', `print is a function, and ${String(print)} came`)
  if (printBytes !== undefined && !isCount(printBytes))
    refuse('UnknownOption', `printBytes is a whole number of bytes, and ${String(printBytes)} came`)
  const wgsl = program.wgsl()
  if (wgsl.code === '') refuse('CompileError', 'the program has no entry point')
  const device = new Device(gpu)
  const submissions = { count: 0 }
  const { reflection } = wgsl
  const [parts, module] = await Promise.all([loadParts(reflection), compileModule(device, wgsl)])
  const differentiable = new Set(program.functions.filter(f => f.differentiable === 'backward').map(f => f.name))
  const reverseOf = async (of: Signature): Promise<Kernel> => {
    const derived = program.wgsl({ reverseOf: of.name })
    const module = await compileModule(device, derived)
    const context = { device, options, parts: await loadParts(reflection, derived.reflection), wgsl: derived }
    return new Kernel(module, new Signature(context, derived.reflection.entries[0]!, of), submissions)
  }
  const { entries } = reflection
  const kernels = new Map(
    entries
      .filter(e => e.stage === 'compute')
      .map(e => {
        const signature = new Signature({ device, options, parts, wgsl }, e)
        const makeReverse = differentiable.has(e.name) ? () => reverseOf(signature) : undefined
        return [e.name, new Kernel(module, signature, submissions, makeReverse)]
      }),
  )
  return {
    wgsl,
    kernel: <N extends keyof T['entries'] & string>(name: N) => {
      const kernel = kernels.get(name)
      // The types of a kernel are narrower than what it checks.
      if (kernel !== undefined) return kernel as unknown as GpuKernel<EntryOf<T, N>>
      const other = entries.find(e => e.name === name)
      return refuse(
        'NoSuchKernel',
        other === undefined
          ? `there is no entry point ${String(name)}; there are: ${entries.map(e => e.name).join(', ')}`
          : `${name} is an entry point of the ${other.stage} stage, and only those of the compute stage can be run from here`,
      )
    },
    buffer: <T extends TypedArray>(data: T, given?: BufferOptions) =>
      new OwnBuffer(device, data, given) as DeviceBuffer as DeviceBuffer<SameKind<T>>,
    submitted: () => {
      submissions.count++
    },
  }
}

async function compileModule(device: Device, wgsl: Wgsl): Promise<GPUShaderModule> {
  const missing = wgsl.reflection.features.filter(f => !device.gpu.features.has(f))
  if (missing.length > 0)
    refuse(
      'MissingFeature',
      `the program needs ${missing.join(' and ')}; ask for it by requestDevice({ requiredFeatures })`,
    )
  const { result: module, accepted } = device.watched('the WGSL', () =>
    device.gpu.createShaderModule({ code: wgsl.code }),
  )
  const refusal = await accepted.then(
    () => undefined,
    (cause: unknown) => errorOf(cause),
  )
  device.check()
  const info = await device.until(module.getCompilationInfo())
  const message = info.messages.find(m => m.type === 'error')
  if (message !== undefined) {
    const place = sourceOf(wgsl, message.lineNum)
    const origin = place === undefined ? '' : ` (${place.file}:${place.line})`
    refuse('CompileError', `line ${message.lineNum} of the WGSL${origin}: ${message.message}`)
  }
  if (refusal !== undefined) refuse('CompileError', refusal.message)
  return module
}

/** Throws for a value without a method that an attached program or device has. */
function refuseOthers(what: string, given: unknown, method: string): void {
  if (typeof given === 'object' && given !== null && typeof (given as Record<string, unknown>)[method] === 'function')
    return
  refuse(
    'UnknownOption',
    `attach takes ${what}, and ${given === null ? 'null' : `a value of type ${typeof given}`} came`,
  )
}
