import { attach } from 'cotangent/gpu'
import program from './fit.slang'
import { plot } from './plot.ts'

const message = document.querySelector<HTMLParagraphElement>('#message')!
const steps = document.querySelector<HTMLOutputElement>('#steps')!
const loss = document.querySelector<HTMLOutputElement>('#loss')!
const canvas = document.querySelector('canvas')!

/** Points of a wave that the shader does not know: x, y, x, y, … */
function samples(count: number): Float32Array<ArrayBuffer> {
  const points = new Float32Array(2 * count)
  for (let i = 0; i < count; i++) {
    const x = (6 * i) / count
    points.set([x, 1.5 * Math.sin(1.3 * x + 0.4)], 2 * i)
  }
  return points
}

async function main(): Promise<void> {
  const adapter = await navigator.gpu?.requestAdapter()
  if (!adapter) throw new Error('This page needs WebGPU, which this browser or this machine does not have.')
  const g = await attach(program, await adapter.requestDevice())

  const points = samples(256)
  const wave = g.buffer(new Float32Array([1, 1, 0]))
  const losses = g.buffer(new Float32Array(1))
  const train = g.kernel('train').bind({ buffers: { points, wave, losses }, uniforms: { rate: 0.02 } })

  for (let step = 1; ; step++) {
    train.dispatch([1, 1, 1])
    if (step % 10 === 0) {
      const [[now], [amplitude, frequency, phase]] = await Promise.all([losses.read(), wave.read()])
      steps.textContent = String(step)
      loss.textContent = now!.toFixed(6)
      plot(canvas, points, x => amplitude! * Math.sin(frequency! * x + phase!))
      await new Promise(requestAnimationFrame)
    }
  }
}

main().catch((error: unknown) => {
  message.textContent = error instanceof Error ? error.message : String(error)
})
