/** Finds an initial velocity by differentiating through 200 steps: the simulation is in examples/spring/spring.slang. */
import { join } from 'node:path'
import { load } from '../../cpu/index.ts'
import type { DemoContext } from '../demo.ts'
import { Adam } from './adam.ts'
import { writeCurve } from './pictures.ts'

export async function run(cx: DemoContext): Promise<void> {
  const machine = await load(cx.compile('spring.slang'))
  const loss = machine.fn['loss']!
  const [goal, stiffness] = [[-0.8, 0.6], 8]
  const steps = cx.steps ?? 200
  let velocity = [0.5, 0.5]
  const adam = new Adam(0.05)
  const curve: number[] = []
  const began = performance.now()
  for (let i = 0; i < steps; i++) {
    const { value, grad } = loss.valueAndGrad(velocity, goal, stiffness)
    curve.push(value as number)
    velocity = adam.step(velocity, grad[0] as number[])
  }
  const seconds = (performance.now() - began) / 1000
  const end = machine.fn['positionAt']!(velocity, stiffness, 200) as number[]
  writeCurve(join(cx.output, 'loss.svg'), curve, { title: 'Squared distance from the goal', x: 'step', y: 'loss', log: true })
  const show = (list: readonly number[]): string => `(${list.map(v => v.toFixed(4)).join(', ')})`
  cx.say(`initial velocity ${show(velocity)} ends at ${show(end)}; the goal is ${show(goal)}`)
  cx.say(`Curve: ${join(cx.output, 'loss.svg')}`)
  cx.say(`loss ${curve[0]!.toExponential(2)} to ${curve.at(-1)!.toExponential(2)} after ${steps} steps in ${seconds.toFixed(2)} s`)
}
