import { readFileSync } from 'node:fs'
import { compile } from 'cotangent'
import { load } from 'cotangent/cpu'
import type program from './fit.slang'

const source = readFileSync(new URL('fit.slang', import.meta.url), 'utf8')
const { fn } = await load<typeof program>(compile(source, { fileName: 'fit.slang' }))

/** Points of the decay that is to be found. */
const points = Array.from({ length: 100 }, (_, i) => [i / 25, 2 * Math.exp(-0.7 * (i / 25))] as const)

let decay = { start: 1, rate: 1 }
for (let step = 1; step <= 1000; step++) {
  let [loss, byStart, byRate] = [0, 0, 0]
  for (const point of points) {
    const { value, grad } = fn.loss.valueAndGrad(decay, point)
    loss += value / points.length
    byStart += grad[0].start / points.length
    byRate += grad[0].rate / points.length
  }
  decay = { start: decay.start - 0.1 * byStart, rate: decay.rate - 0.1 * byRate }
  if (step % 100 === 0) console.log(`step ${step}: loss ${loss.toExponential(2)}`)
}
console.log(`y = ${decay.start.toFixed(3)} · exp(-${decay.rate.toFixed(3)} · x)`)
