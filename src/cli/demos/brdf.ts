/** Recovers the colour and roughness of a surface, and draws it: everything that computes is in examples/brdf. */
import { join } from 'node:path'
import type { DemoContext } from './context.ts'
import { progress } from '../progress.ts'
import { backend } from './backend.ts'
import { writeCurve, writePng } from './pictures.ts'

const samples = 64
/** Pixels on each side of a picture. */
const size = 192

export async function run(cx: DemoContext): Promise<void> {
  const truth = [0.9, 0.5, 0.1, 0.35]
  const steps = cx.steps ?? 400
  const on = await backend(cx, 'picture.slang')
  cx.say(`${samples} samples, ${steps} steps on ${on.name}`)
  const [photos, losses, gradients] = [
    new Float32Array(samples * 4),
    new Float32Array(samples),
    new Float32Array(samples * 4),
  ]
  const estimate = Float32Array.from([0.5, 0.5, 0.5, 0.8])
  const moments = new Float32Array(2 * 4)
  const uniforms = { metallic: 0.6, iteration: 1, rate: 0.02, size }
  const draw = async (name: string, material: Float32Array): Promise<string> => {
    const pixels = new Float32Array(size * size * 4)
    await on.run('draw', size * size, { estimate: material, pixels }, uniforms)
    const file = join(cx.output, name)
    const data = pixels.filter((_, i) => i % 4 !== 3)
    writePng(file, { width: size, height: size, data })
    return file
  }

  await on.run('render', samples, { estimate: Float32Array.from(truth), photos }, uniforms)
  const pictures = [await draw('truth.png', Float32Array.from(truth)), await draw('start.png', estimate)]
  const curve: number[] = []
  const began = performance.now()
  const bar = progress(steps)
  for (let i = 1; i <= steps; i++) {
    uniforms.iteration = i
    await on.run('differentiate', samples, { estimate, photos, losses, gradients }, uniforms)
    await on.run('update', 1, { estimate, gradients, moments }, uniforms)
    curve.push(losses.reduce((sum, x) => sum + x, 0))
    bar.update(i, `loss ${curve.at(-1)!.toExponential(1)}`)
  }
  bar.stop()
  const seconds = (performance.now() - began) / 1000
  pictures.push(await draw('result.png', estimate))
  on.close()
  const picture = join(cx.output, 'loss.svg')
  writeCurve(picture, curve, { title: 'Mean squared difference of logarithms', x: 'step', y: 'loss', log: true })
  const show = (list: readonly number[]): string => {
    const [r, g, b, roughness] = list.map(v => v.toFixed(3))
    return `colour ${r}, ${g}, ${b}, roughness ${roughness}`
  }
  cx.say(`truth:     ${show(truth)}`)
  cx.say(`recovered: ${show([...estimate])}`)
  cx.say(`Pictures: ${pictures.join(', ')}`)
  cx.say(`Curve: ${picture}`)
  cx.say(
    `loss ${curve[0]!.toExponential(2)} to ${curve.at(-1)!.toExponential(2)} after ${steps} steps in ${seconds.toFixed(2)} s`,
  )
}
