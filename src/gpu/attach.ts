/** Compiles a program for a WebGPU device. What only some programs need is a file of its own, which loads with them. */
import type { TypesOf } from '../index.ts'
import { attachProgram, type Attachable, type GpuProgram, type Loaders } from './core.ts'
import type { AttachOptions } from './options.ts'
import type { WebGpuDevice } from './webgpu.ts'

const loaders: Loaders = {
  textures: () => import('./texture.ts'),
  prints: () => import('./print.ts'),
  tensors: () => import('./tensors.ts'),
  rare: () => import('./rare.ts'),
  run: () => import('./run.ts'),
  gradients: () => import('./gradient.ts'),
  refusal: () => import('./refusal.ts'),
  replace: () => import('./replace.ts'),
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
  return attachProgram(loaders, program, gpu, options)
}
