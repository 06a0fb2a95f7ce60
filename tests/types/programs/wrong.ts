import { compile } from 'cotangent'
import { load } from 'cotangent/cpu'
import { attach, type WebGpuDevice } from 'cotangent/gpu'
import program from './fit.slang'

const m = await load<typeof program>(compile(''))
const { fn } = m
const k = m.kernel('step')
const one = [1, 1, 1] as const
const p = { x: 1, y: 2 }
const buffers = {
  points: new Float32Array(8),
  loss_out: new Float32Array(4),
  ids: new Int32Array(4),
  items: new Uint8Array(8),
}
const uniforms = { rate: 1, dir: [1, 0, 0] } as const

m.kernel(/*!*/ 'stop')
m.kernel(/*!*/ 'corner')
fn.twice
  /*!*/ .valueAndGrad(1)
m.buffer(/*!*/ 'point', 4)
m.buffer('points', /*!*/ '4')
const /*!*/ wrongKind: Int32Array = m.buffer('points')
k.dispatch(one, { buffers, uniforms: { /*!*/ rate: 'fast', dir: [1, 0, 0] } })
k.dispatch(one, { buffers, /*!*/ uniforms: { rate: 1 } })
k.dispatch(one, { buffers, uniforms: { rate: 1, dir: [1, 0, 0], /*!*/ speed: 2 } })
k.dispatch(one, { /*!*/ buffers: { points: new Float32Array(8), ids: [1] }, uniforms })
// Before TypeScript 5.9 every view passes for an `ArrayBuffer`.
k.dispatch(one, { buffers: { ...buffers, /*!5.9*/ ids: new Float32Array(4) }, uniforms })
k.dispatch(/*!*/ [1, 1], { buffers, uniforms })
k
  /*!*/ .dispatch(one)
fn./*!*/ lost
fn.loss(/*!*/ 1, p)
fn
  /*!*/ .loss(p)
const /*!*/ text: string = fn.loss(p, p)
fn.loss.vjp([p, p], /*!*/ 'one')
m.map(/*!*/ 'lost', {})
m.map('loss', /*!*/ { p: [p] })
m.map('loss', { p: [p], /*!*/ goal: 'far' })
m.map('loss', { p: [p], goal: p }, { /*!*/ derivative: 'grad' })
m.map('loss', { p: [p], goal: p }, { mapped: [/*!*/ 'q'] })
m.map('loss', { p: [p], goal: p }, { derivative: 'jvp', tangents: { /*!*/ q: 1 } })

declare const device: WebGpuDevice
const g = await attach(program, device)
const gpu = g.kernel('step')
g.kernel(/*!*/ 'stop')
gpu.dispatch(one, { buffers, uniforms: { /*!*/ rate: 'fast', dir: [1, 0, 0] } })
gpu.bind({ /*!*/ buffers: { points: new Float32Array(8), ids: [1] }, uniforms })
const bound = gpu.bind({ buffers, uniforms })
/*!*/ bound.uniforms.rate = 'slow'
bound.uniforms./*!*/ speed = 2
bound
  /*!*/ .dispatch()
export { text, wrongKind }
