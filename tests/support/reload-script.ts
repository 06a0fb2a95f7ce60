// Runs in a process of its own, bundled: gradients of kernels that read memory again, on the CPU, on a device and by differences. Prints one JSON object.
import { loadSync, type GradResources, type KernelResources } from '../../src/cpu/index.ts'
import { attach, type DispatchOptions, type GradOptions } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { reloadProgram } from './reload-program.ts'
import { openDevice } from './script-device.ts'

const device = await openDevice()
const program = compile(reloadProgram, { verify: true })
const cpu = loadSync(program)
const gpu = await attach(program, device)

type Arrays = Record<string, Float32Array>
const wave = (n: number, step: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => Math.sin(step * (i + 1)))
const tensor = (data: Float32Array, ...shape: number[]): { data: Float32Array; shape: number[] } => ({ data, shape })

/** `run` is the kernel whose gradient is asked for, `forward` the one that gives the values. */
interface Case {
  readonly run: string
  readonly forward: string
  readonly arrays: () => Arrays
  readonly given: (arrays: Arrays) => GradOptions & DispatchOptions
  readonly output: string
}

const layer = (run: string): Case => ({
  run,
  forward: 'structs',
  arrays: () => ({ layer_weights: wave(6, 0.7), layer_bias: wave(2, 0.3), x: wave(3, 1.1), y: new Float32Array(2) }),
  given: a => ({
    tensors: {
      layer_weights: tensor(a['layer_weights']!, 2, 3),
      layer_bias: tensor(a['layer_bias']!, 2),
      x: tensor(a['x']!, 3),
      y: tensor(a['y']!, 2),
    },
  }),
  output: 'y',
})

const cases: readonly Case[] = [
  {
    run: 'nested',
    forward: 'nested',
    arrays: () => ({ weights: wave(20, 0.4), input: wave(8, 0.9), output: new Float32Array(2) }),
    given: a => ({
      tensors: {
        weights: { data: a['weights']!, shape: [3, 2], strides: [2, 7], offset: 3 },
        input: { data: a['input']!, shape: [2], strides: [3], offset: 1 },
        output: tensor(a['output']!, 2),
      },
    }),
    output: 'output',
  },
  layer('structs'),
  layer('ownStructs'),
  {
    run: 'buffers',
    forward: 'buffers',
    arrays: () => ({
      splats: Float32Array.from({ length: 16 }, (_, i) => 1 + ((i * 5) % 7) / 4),
      output: new Float32Array(3),
    }),
    given: a => ({
      tensors: { output: tensor(a['output']!, 3) },
      buffers: { splats_primal: a['splats']!, seen: new Float32Array(8) },
    }),
    output: 'output',
  },
  {
    run: 'counted',
    forward: 'counted',
    arrays: () => ({ weights: wave(3, 0.7), output: new Float32Array(3) }),
    given: a => ({ tensors: { weights: tensor(a['weights']!, 3), output: tensor(a['output']!, 3) } }),
    output: 'output',
  },
  {
    run: 'texels',
    forward: 'texels',
    arrays: () => ({ picture: wave(16, 0.8), output: new Float32Array(3) }),
    given: a => ({
      tensors: { output: tensor(a['output']!, 3) },
      textures: { picture_primal: { size: [4, 4], format: 'r32float', data: a['picture']! } },
    }),
    output: 'output',
  },
]

const groups = [1, 1, 1] as const
const uniforms = { count: 4, picture_address: [0, 0] }
const plain = (grads: Readonly<Record<string, unknown>>): Record<string, number[]> =>
  Object.fromEntries(Object.entries(grads).map(([name, v]) => [name, [...(v as Float32Array)]]))

/** The sum of what the kernel gives, each with a weight of its own. */
const weights = [1, -2, 0.5]
function value({ forward, arrays, given, output }: Case, name: string, at: number, by: number): number {
  const own = arrays()
  own[name]![at]! += by
  cpu.kernel(forward).dispatch(groups, { ...given(own), uniforms } as KernelResources)
  return own[output]!.reduce((sum, x, i) => sum + x * weights[i]!, 0)
}

const result: Record<string, unknown> = {}
for (const of of cases) {
  const cotangents = { [of.output]: weights.slice(0, of.arrays()[of.output]!.length) }
  const onCpu = plain(
    cpu.kernel(of.run).grad(groups, { ...of.given(of.arrays()), uniforms, cotangents } as GradResources),
  )
  const onGpu = plain(await gpu.kernel(of.run).grad(groups, { ...of.given(of.arrays()), uniforms, cotangents }))
  const differences: Record<string, number[]> = {}
  const h = 2 ** -7
  for (const [name, array] of Object.entries(of.arrays()))
    differences[name] = Array.from(array, (_, i) => (value(of, name, i, h) - value(of, name, i, -h)) / (2 * h))
  result[of.run] = { cpu: onCpu, gpu: onGpu, differences }
}

const overwritten = (): GradOptions & DispatchOptions => ({
  tensors: { state: tensor(new Float32Array([1, 2, -1, 0.5]), 4), output: tensor(new Float32Array(1), 1) },
  uniforms,
  cotangents: { output: 2 },
})
for (const kernel of ['inPlace', 'sameTwice'])
  result[kernel] = {
    cpu: plain(cpu.kernel(kernel).grad(groups, overwritten() as GradResources)),
    gpu: plain(await gpu.kernel(kernel).grad(groups, overwritten())),
  }
console.log(JSON.stringify(result))
process.exit(0)
