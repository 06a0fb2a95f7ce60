import { checkDerivatives, load } from 'cotangent/cpu'
import { expect, test } from 'vitest'
import type program from './fit.slang'
import cpu from './fit.slang?cpu'
import live from './fit.slang?runtime'
import { samples } from './points.ts'

test('derivatives agree with finite differences', async () => {
  const report = await checkDerivatives(live.compile(), { seed: 1 })
  expect(report.functions.filter(f => f.status !== 'ok')).toEqual([])
  expect(report.ok).toBe(true)
})

test('training finds the wave', async () => {
  const train = (await load<typeof program>(cpu)).kernel('train')
  const wave = new Float32Array([1, 1, 0])
  const buffers = { points: samples(64), wave, losses: new Float32Array(1) }
  for (let step = 0; step < 2000; step++) train.dispatch([1, 1, 1], { buffers, uniforms: { rate: 0.02 } })
  const [amplitude, frequency, phase] = wave
  expect(amplitude).toBeCloseTo(1.5, 2)
  expect(frequency).toBeCloseTo(1.3, 2)
  expect(phase).toBeCloseTo(0.4, 2)
})
