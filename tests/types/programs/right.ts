import { compile, type CompiledProgram, type Program } from 'cotangent'
import { load, loadSync } from 'cotangent/cpu'
import { attach, type WebGpuBuffer, type WebGpuComputePass, type WebGpuDevice } from 'cotangent/gpu'
import { compile as compileWgsl } from 'cotangent/wgsl'
import program, { code, entryPoints, reflection, step, type Entries, type Vec2 } from './fit.slang'

declare const cpu: Program

/** Fails where two types differ; `any` differs from all others. */
type Same<X, Y> = (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false
const same = <X, Y>(_: Same<X, Y>): void => {}

const m = await load<typeof program>(cpu)
const from: Vec2 = { x: 1, y: 2 }
const distance = m.fn.loss(from, { x: 0, y: 0 })
same<typeof distance, number>(true)
same<Parameters<typeof m.fn.loss>, [p: Vec2, goal: Vec2]>(true)
const { value, grad } = m.fn.loss.valueAndGrad(from, from)
same<typeof value, number>(true)
same<typeof grad, [p: Vec2, goal: null]>(true)
const { tangent } = m.fn.loss.jvp([from, from], [{ x: 1, y: 0 }, null])
same<typeof tangent, number>(true)
const [toP] = m.fn.loss.vjp([from, from], 1)
same<typeof toP, Vec2>(true)
const both = m.fn.split(new Float32Array(3), [1, 2], 4)
same<typeof both, { readonly result: void; readonly out: { s: number; b: readonly [number, number] } }>(true)
m.fn.split.vjp([[1, 2, 3], [1, 2], 4], { out: { s: 1 } })
m.fn.split.run([1, 2, 3], [1, 2], 4).out.s.toFixed()

// Functions over arrays.
const losses = m.map('loss', { p: [from], goal: from })
same<typeof losses, Float32Array>(true)
losses.reduce((sum, x) => sum + x, 0).toFixed()
same<ReturnType<typeof m.map<'twice', { x: number[] }>>, Uint32Array>(true)
const maps = m.map('loss', { p: { x: new Float32Array(3), y: [1, 2, 3] }, goal: from }, { derivative: 'valueAndGrad' })
same<typeof maps.value, Float32Array>(true)
same<typeof maps.grad.goal, null>(true)
same<typeof maps.grad.p, { readonly x: Float32Array; readonly y: Float32Array }>(true)
const held = m.map('loss', { p: from, goal: [from] }, { derivative: 'valueAndGrad' })
same<typeof held.grad.p, Vec2>(true)
const values = m.map('loss', { p: [from], goal: from }, { derivative: 'valueAndGrad' })
same<typeof values.grad.p, readonly Vec2[]>(true)
const splits = await m.mapAsync(
  'split',
  { a: new Float32Array(6), b: [1, 2], k: [1, 2] },
  { derivative: 'jvp', tangents: { a: [1, 0, 0], b: null }, mapped: ['a'], held: ['b'] },
)
same<
  typeof splits.value,
  { readonly result: undefined; readonly out: { readonly s: Float32Array; readonly b: Float32Array } }
>(true)
same<typeof splits.tangent.out.s, Float32Array>(true)
m.kernel('step').dispatch([1, 1, 1], {
  buffers: {
    points: new Float32Array(8),
    loss_out: new ArrayBuffer(16),
    ids: [1, 2],
    items: [{ weight: 1, count: 2 }],
  },
  uniforms: { rate: 0.1, dir: [1, 0, 0] },
})

// Buffers in the memory of the module.
const points = m.buffer('points', 4)
same<typeof points, Float32Array>(true)
const ids = m.buffer('ids')
same<typeof ids, Int32Array>(true)
const items = m.buffer('items', 2)
same<typeof items, Uint8Array>(true)
m.kernel('step').dispatch([1, 1, 1], {
  buffers: { points, loss_out: m.buffer('loss_out', 4), ids, items },
  uniforms: { rate: 0.1, dir: [1, 0, 0] },
})
m.close()

// What only reflection knows.
const entries = await load<Entries>(cpu)
entries
  .kernel('step')
  .grad([1, 1, 1], {
    buffers: { points: [from], loss_out: [0], ids: new Int32Array(1), items: new ArrayBuffer(8) },
    uniforms: { rate: 0.1, dir: new Float32Array(3) },
    gradients: { d_points: 'points' },
  })

// On a device.
declare const device: WebGpuDevice
declare const weights: WebGpuBuffer
declare const pass: WebGpuComputePass
const g = await attach(program, device)
const given = {
  buffers: {
    points: weights,
    loss_out: { buffer: weights, offset: 256 },
    ids: new Int32Array(1),
    items: new Uint8Array(8),
  },
  uniforms: { rate: 1, dir: [1, 0, 0] },
} as const
const written = await g.kernel('step').dispatch([1, 1, 1], given)
void written.points
const bound = g.kernel('step').bind(given)
bound.uniforms.rate = 2
bound.uniforms.dir = [0, 1, 0]
bound.encode(pass, [1, 1, 1])
const own = g.buffer(new Float32Array(4))
const numbers: Float32Array = await own.read()
g.kernel('step')
  .bind({ ...given, buffers: { ...given.buffers, points: own } })
  .dispatch([1, 1, 1])
;(await attach<Entries>(compile(''), device)).kernel('step').grad([1, 1, 1], { ...given, cotangents: { points: 1 } })
const any = await attach(compile(''), device)
await any.kernel('whatever').dispatch([1, 1, 1], { buffers: { o: numbers }, uniforms: { k: 1 } })
await (await attach(compileWgsl(''), device)).kernel('whatever').dispatch([1, 1, 1])

// Nothing is known: calls need neither `!` nor a cast.
const plain = loadSync(compile('public float f(float x) { return x; }'), { print: text => void text })
const result: number = plain.fn.f(1)
const gradient: number = plain.fn.f.valueAndGrad(1).grad[0]
const slope: number = plain.map('f', { x: [1] }, { derivative: 'valueAndGrad' }).grad.x[0]
plain.kernel('any').dispatch([1, 1, 1], { buffers: { o: new Float32Array(1) }, uniforms: { k: 1 } })
plain.kernel('any').dispatch([1, 1, 1])
const bytes: Uint8Array = plain.buffer('any', 4)

same<typeof step.name, 'step'>(true)
same<(typeof entryPoints)[0]['workgroupSize'], readonly [64, 1, 1]>(true)
const known: CompiledProgram = program
const texts: string[] = [code, program.code, reflection.bindings[0]?.name ?? '', known.wgsl().code]
compileWgsl('', { defines: { A: '1' } })
  .wgsl()
  .code.trim()
export { bytes, distance, gradient, result, slope, texts }
