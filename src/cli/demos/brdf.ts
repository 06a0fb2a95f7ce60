/** Recovers the colour and roughness of a surface: the model and its loss are in examples/brdf/brdf.slang. */
import { join } from 'node:path'
import { load } from '../../cpu/index.ts'
import type { DemoContext } from '../demo.ts'
import { Adam } from './adam.ts'
import { writeCurve } from './pictures.ts'

export async function run(cx: DemoContext): Promise<void> {
  const machine = await load(cx.compile('brdf.slang'))
  const loss = machine.fn['loss']!
  const truth = { baseColor: [0.9, 0.5, 0.1], roughness: 0.35, metallic: 0.6 }
  const steps = cx.steps ?? 400
  let params = [0.5, 0.5, 0.5, 0.8]
  const adam = new Adam(0.02)
  const curve: number[] = []
  const began = performance.now()
  for (let i = 0; i < steps; i++) {
    const { value, grad } = loss.valueAndGrad(params.slice(0, 3), params[3]!, truth)
    curve.push(value as number)
    params = adam.step(params, [...grad[0] as number[], grad[1] as number]).map(p => Math.min(1, Math.max(0.02, p)))
  }
  const seconds = (performance.now() - began) / 1000
  writeCurve(join(cx.output, 'loss.svg'), curve, { title: 'Mean squared difference of logarithms', x: 'step', y: 'loss', log: true })
  const show = (list: readonly number[]): string => list.map(v => v.toFixed(3)).join(', ')
  cx.say(`truth:     colour ${show(truth.baseColor)}, roughness ${truth.roughness.toFixed(3)}`)
  cx.say(`recovered: colour ${show(params.slice(0, 3))}, roughness ${params[3]!.toFixed(3)}`)
  cx.say(`Curve: ${join(cx.output, 'loss.svg')}`)
  cx.say(`loss ${curve[0]!.toExponential(2)} to ${curve.at(-1)!.toExponential(2)} after ${steps} steps in ${seconds.toFixed(2)} s`)
}
