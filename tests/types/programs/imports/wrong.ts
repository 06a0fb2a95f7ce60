import { load } from 'cotangent/cpu'
import { attach, type WebGpuDevice } from 'cotangent/gpu'
import program, { type /*!*/ Ware, /*!*/ trains } from './fit.slang'
import cpu from './fit.slang?cpu'

const m = await load<typeof program>(cpu)
const one = [1, 1, 1] as const
const buffers = { wave: new Float32Array(2), points: new Float32Array(8) }
const uniforms = { rate: 1, origin: [1, 0, 0] } as const

// A wrong uniform, by its type and by its name.
m.kernel('train').dispatch(one, { buffers, uniforms: { ...uniforms, /*!*/ rate: 'fast' } })
m.kernel('train').dispatch(one, { buffers, uniforms: { ...uniforms, /*!*/ speed: 1 } })
// A wrong name of a kernel.
m.kernel(/*!*/ 'tain')
// A missing buffer.
m.kernel('train').dispatch(one, { /*!*/ buffers: { wave: new Float32Array(2) }, uniforms })
m.fn./*!*/ lost
m.fn.loss(/*!*/ 1, [1, 2])
cpu./*!*/ code

// The same on a device.
declare const device: WebGpuDevice
const g = await attach(program, device)
g.kernel('train').bind({ buffers, uniforms: { ...uniforms, /*!*/ rate: 'fast' } })
g.kernel(/*!*/ 'tain')
g.kernel('train').bind({ /*!*/ buffers: { wave: new Float32Array(2) }, uniforms })
const bound = g.kernel('train').bind({ buffers, uniforms })
bound.uniforms./*!*/ speed = 1
/*!*/ bound.uniforms.origin = [1, 0]

export type W = Ware
export { trains }
