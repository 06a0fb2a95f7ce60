import { attach, type WebGpuDevice } from 'cotangent/gpu'
import program from './renamed.slang'

declare const device: WebGpuDevice
const g = await attach(program, device)
export const bound = g
  .kernel('train')
  .bind({
    buffers: { wave: new Float32Array(2), points: new Float32Array(8) },
    uniforms: { origin: [1, 0, 0], /*!*/ rate: 0.5 },
  })
