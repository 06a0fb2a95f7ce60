// Runs in a process of its own, bundled: programs whose code a development server replaces. Prints one JSON object.
import { attach, type Attachable, type BoundKernel } from '../../src/gpu/index.ts'
import { compile, type Program, type Wgsl } from '../../src/index.ts'
import { device, failure, inPass } from './bound-setup.ts'
import { openDevice } from './script-device.ts'

const result: Record<string, unknown> = {}

const source = (amount: string, more = ''): string => `
uniform float rate;
RWStructuredBuffer<float> values;
DiffStructuredBuffer<float> weights;
RWStructuredBuffer<float> sums;
[shader("compute")] [numthreads(1, 1, 1)]
void step() { values[0] += rate * ${amount}; printf("by ${amount}\\n"); ${more} }
[shader("compute")] [numthreads(1, 1, 1)]
void last() { values[1] = ${amount}; }
[shader("compute")] [numthreads(1, 1, 1)]
void other() { values[1] = 2 * ${amount}; }
[Differentiable] float loss(uint i) { return 0.1 * ${amount} * weights[i] * weights[i]; }
[shader("compute")] [numthreads(1, 1, 1)]
void train(uint3 id : SV_DispatchThreadID) { bwd_diff(loss)(id.x, 1.0); }
[CUDAKernel] [Differentiable] void scale(DiffTensorView x, DiffTensorView y) { y[0] = ${amount} * x[0]; }
`

/** A program as a development server makes it. */
class Served implements Attachable {
  readonly listeners = new Set<() => void>()
  program: Program
  broken: Wgsl | undefined

  constructor(program: Program) {
    this.program = program
  }

  get functions(): Attachable['functions'] {
    return this.program.functions
  }

  wgsl(options?: { readonly reverseOf?: string | undefined }): Wgsl {
    return this.broken ?? this.program.wgsl(options)
  }

  /** New code, as the server announces it. */
  announce(): void {
    for (const listener of this.listeners) listener()
  }
}

const served = new Served(compile(source('1'), { verify: true }))
const printed: string[] = []
const g = await attach(served, device, { print: text => printed.push(text) })
const tick = (ms = 5): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
const errors: string[] = []
console.error = (...words: unknown[]) => {
  errors.push(words.map(word => (word instanceof Error ? `${word.name}: ${word.message}` : String(word))).join(' '))
}

const values = g.buffer(new Float32Array(2))
const kernel = g.kernel('step')
const bound = kernel.bind<{ rate: number }>({ buffers: { values }, uniforms: { rate: 1 } })
const values0 = async (): Promise<number> => (await values.read())[0]!
const weights = new Float32Array([5])
const slope = async (): Promise<number> => {
  const { weights: gradient } = await g.kernel('train').grad([1, 1, 1], { buffers: { weights_primal: weights } })
  return Math.round((gradient as Float32Array)[0]!)
}
const reverse = async (): Promise<number> => {
  const tensors = { x: { data: new Float32Array(1), shape: [1] }, y: { data: new Float32Array(1), shape: [1] } }
  const { x } = await g.kernel('scale').grad([1, 1, 1], { tensors, uniforms: { rate: 1 }, cotangents: { y: 1 } })
  return (x as Float32Array)[0]!
}
const once = async (): Promise<number> => {
  const own = new Float32Array(2)
  await kernel.dispatch([1, 1, 1], { buffers: { values: own }, uniforms: { rate: 1 } })
  return own[0]!
}
bound.dispatch([1, 1, 1])
result['first'] = [await values0(), await once(), await slope(), await reverse()]

// The old code runs until the new pipelines exist, and what is bound stays.
served.program = compile(source('10'), { verify: true })
served.announce()
bound.dispatch([1, 1, 1])
result['meanwhile'] = await values0()
while (g.wgsl.code !== served.program.wgsl().code) await tick()
bound.uniforms.rate = 2
bound.dispatch([1, 1, 1])
inPass(pass => bound.encode(pass, [1, 1, 1]))
printed.length = 0
result['then'] = [await values0(), await once(), await slope(), await reverse()]
await bound.flush()
result['printed'] = [...new Set(printed)]

// A kernel that first runs afterwards has the new code.
await g.kernel('last').dispatch([1, 1, 1], { buffers: { values } })
result['late'] = [...(await values.read())]

// The newest code wins, also where the older is compiled later.
const compileAside = device.createComputePipelineAsync.bind(device)
let delay = 100
device.createComputePipelineAsync = async descriptor => {
  await tick((delay = Math.max(0, delay - 20)))
  return compileAside(descriptor)
}
for (const amount of ['15', '20']) {
  served.program = compile(source(amount), { verify: true })
  served.announce()
}
while (g.wgsl.code !== served.program.wgsl().code) await tick()
await tick(200)
result['newest'] = await once()

// A kernel that first runs while new code compiles gets it too.
let other: BoundKernel | undefined
device.createComputePipelineAsync = async descriptor => {
  await tick()
  other ??= g.kernel('other').bind({ buffers: { values } })
  return compileAside(descriptor)
}
served.program = compile(source('30'), { verify: true })
served.announce()
while (g.wgsl.code !== served.program.wgsl().code) await tick()
other!.dispatch([1, 1, 1])
result['meanwhileFirst'] = (await values.read())[1]
device.createComputePipelineAsync = compileAside

// What cannot be used is reported, and the old code stays.
const fine = served.program.wgsl()
const refused = async (wgsl: Wgsl): Promise<unknown> => {
  served.broken = wgsl
  errors.length = 0
  served.announce()
  while (errors.length === 0) await tick()
  served.broken = undefined
  return [errors.join('\n'), await once(), await reverse(), g.wgsl === fine || g.wgsl.code === fine.code]
}
result['module'] = await refused({ ...fine, code: fine.code.replace('fn step', 'fn step nothing') })
result['pipeline'] = await refused({
  ...fine,
  code: fine.code.replace(/@workgroup_size\([^)]*\)\s*fn step/, '@workgroup_size(100000) fn step'),
})
result['bindings'] = await refused(compile(source('1', 'sums[0] = 1.0;')).wgsl())
result['kernel'] = await refused(compile(source('1').replaceAll('step', 'stop')).wgsl())
result['stage'] = await failure(() => g.kernel('stop'))

// New code mends what the device refused.
const sized = (threads: number): Program =>
  compile(`RWStructuredBuffer<float> o; [shader("compute")] [numthreads(${threads}, 1, 1)] void fill() { o[0] = 7; }`)
const large = new Served(sized(1024))
const mended = await attach(large, device)
const filled = new Float32Array(1)
const fill = (): Promise<unknown> => mended.kernel('fill').dispatch([1, 1, 1], { buffers: { o: filled } })
const before = await failure(fill)
large.program = sized(1)
large.announce()
while (mended.wgsl.code !== large.program.wgsl().code) await tick()
result['mended'] = [before, await failure(fill), filled[0]]

// A lost device no longer listens.
const gone = await openDevice()
await attach(served, gone)
const listening = served.listeners.size
gone.destroy()
await gone.lost
await tick()
result['listeners'] = [listening, served.listeners.size]

console.log(JSON.stringify(result))
process.exit(0)
