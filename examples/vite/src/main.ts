import { attach } from 'cotangent/gpu'
import program from './fit.slang'
import { plot } from './plot.ts'
import { samples } from './points.ts'

const steps = document.querySelector('#steps')!
const loss = document.querySelector('#loss')!
const message = document.querySelector('#message')!
const button = document.querySelector('button')!
const canvas = document.querySelector('canvas')!

let training = true
button.addEventListener('click', () => {
  training = !training
  button.textContent = training ? 'Pause' : 'Train'
  message.textContent = training ? '' : `Paused at step ${steps.textContent}, with loss ${loss.textContent}.`
})

async function main(): Promise<void> {
  const adapter = await navigator.gpu?.requestAdapter()
  if (!adapter) throw new Error('This page needs WebGPU, which this browser or this machine does not have.')
  const g = await attach(program, await adapter.requestDevice())

  const points = samples(256)
  const wave = g.buffer(new Float32Array([1, 1, 0]))
  const losses = g.buffer(new Float32Array(1))
  const train = g.kernel('train').bind({ buffers: { points, wave, losses }, uniforms: { rate: 0.02 } })
  button.hidden = false

  for (let step = 0; ; await new Promise(requestAnimationFrame)) {
    if (!training) continue
    for (let i = 0; i < 10; i++, step++) train.dispatch([1, 1, 1])
    const [[now], [amplitude, frequency, phase]] = await Promise.all([losses.read(), wave.read()])
    steps.textContent = String(step)
    loss.textContent = now!.toFixed(6)
    plot(canvas, points, x => amplitude! * Math.sin(frequency! * x + phase!))
  }
}

main().catch((error: unknown) => {
  message.textContent = error instanceof Error ? error.message : String(error)
})
