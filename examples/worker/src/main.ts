import type { Progress } from './worker.ts'

const button = document.querySelector('button')!
const status = document.querySelector('p')!
const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })

/** Points of the decay that the worker is to find. */
const points = Array.from({ length: 100 }, (_, i) => [i / 25, 2 * Math.exp(-0.7 * (i / 25))])

button.addEventListener('click', () => {
  button.disabled = true
  worker.postMessage(points)
})

worker.addEventListener('message', ({ data: { step, loss, decay } }: MessageEvent<Progress>) => {
  status.textContent = `Step ${step}: y = ${decay.start.toFixed(3)} · exp(-${decay.rate.toFixed(3)} · x), loss ${loss.toExponential(2)}`
  button.disabled = step < 2000
})

worker.addEventListener('error', ({ message }) => {
  status.textContent = message
})
