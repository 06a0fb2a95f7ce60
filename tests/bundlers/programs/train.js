// Trains in a page for as long as it is open. What a test wants to know stands in `window.training`.
import { attach } from 'cotangent/gpu'
import { load } from 'cotangent/cpu'
import program from './fit.slang'
import cpu from './fit.slang?cpu'
import { packaged } from 'shady'

const training = { steps: 0, loss: NaN, first: NaN, error: '', scaled: [], cpuLoss: NaN }
window.training = training

async function main() {
  const adapter = await navigator.gpu?.requestAdapter()
  if (!adapter) throw new Error('no WebGPU')
  const device = await adapter.requestDevice()

  const other = await attach(packaged.program, device)
  const values = new Float32Array([1, 2, 3])
  await other.kernel('scale').dispatch([3, 1, 1], { buffers: { values } })
  training.scaled = [...values]
  training.cpuLoss = (await load(cpu)).fn.loss({ amplitude: 1, frequency: 1, phase: 0 }, [0, 1])

  const g = await attach(program, device)
  const points = new Float32Array(512)
  for (let i = 0; i < 256; i++) points.set([(6 * i) / 256, 1.5 * Math.sin((1.3 * 6 * i) / 256 + 0.4)], 2 * i)
  const wave = g.buffer(new Float32Array([1, 1, 0]))
  const losses = g.buffer(new Float32Array(1))
  const train = g.kernel('train').bind({ buffers: { points, wave, losses }, uniforms: { rate: 0.02 } })
  for (;;) {
    train.dispatch([1, 1, 1])
    training.steps++
    if (training.steps % 5 !== 1) continue
    const [now] = await losses.read()
    training.loss = now
    if (training.steps === 1) training.first = now
    await new Promise(requestAnimationFrame)
  }
}

main().catch(error => {
  training.error = String(error.stack ?? error)
})
