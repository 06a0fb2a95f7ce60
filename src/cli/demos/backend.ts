/** Where the kernels of a demo run: on the CPU, or with `--gpu` on a WebGPU device. */
import { load } from '../../cpu/index.ts'
import { attach } from '../../gpu/index.ts'
import { findDevice } from '../device.ts'
import type { DemoContext } from './context.ts'

/** Contents of buffers by name; what a kernel writes is written in place. */
export type Arrays = Readonly<Record<string, Float32Array | Int32Array>>

/** Uniforms by name. */
export type Uniforms = Readonly<Record<string, number | readonly number[]>>

export interface Backend {
  /** For people: what it runs on. */
  readonly name: string
  /** Runs at least `threads` threads of a kernel with the buffers that it uses. */
  readonly run: (kernel: string, threads: number, buffers: Arrays, uniforms: Uniforms) => Promise<void>
  /** Lets go of the device. */
  readonly close: () => void
}

const groups = (threads: number, [size]: readonly [number, number, number]): [number, number, number] => [
  Math.ceil(threads / size),
  1,
  1,
]

/** Compiles a file of the example and makes its kernels ready to run. */
export async function backend(cx: DemoContext, file: string): Promise<Backend> {
  const program = cx.compile(file)
  if (!cx.gpu) {
    const machine = await load(program)
    return {
      name: 'CPU (WebAssembly)',
      run: (name, threads, buffers, uniforms) => {
        const kernel = machine.kernel(name)
        kernel.dispatch(groups(threads, kernel.workgroupSize), { buffers, uniforms })
        return Promise.resolve()
      },
      close: () => undefined,
    }
  }
  const found = await findDevice()
  const on = await attach(program, found.device)
  return {
    name: `WebGPU (${found.name})`,
    run: async (name, threads, buffers, uniforms) => {
      const kernel = on.kernel(name)
      await kernel.dispatch(groups(threads, kernel.workgroupSize), { buffers, uniforms })
    },
    close: () => found.close(),
  }
}
