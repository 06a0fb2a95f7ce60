import { load } from 'cotangent/cpu'
import type program from './fit.slang'
import cpu from './fit.slang?cpu'

/** What the worker tells the page. */
export interface Progress {
  readonly step: number
  readonly loss: number
  readonly decay: { readonly start: number; readonly rate: number }
}

onmessage = async ({ data: points }: MessageEvent<readonly (readonly [number, number])[]>) => {
  const { fn } = await load<typeof program>(cpu)
  let decay = { start: 1, rate: 1 }
  for (let step = 1; step <= 2000; step++) {
    let [loss, byStart, byRate] = [0, 0, 0]
    for (const point of points) {
      const { value, grad } = fn.loss.valueAndGrad(decay, point)
      loss += value / points.length
      byStart += grad[0].start / points.length
      byRate += grad[0].rate / points.length
    }
    decay = { start: decay.start - 0.1 * byStart, rate: decay.rate - 0.1 * byRate }
    if (step % 100 === 0) postMessage({ step, loss, decay } satisfies Progress)
  }
}
