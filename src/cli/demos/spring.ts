/** Finds a throw that hits a goal: the simulation, its gradient and the descent are in examples/spring/spring.slang. */
import { join } from 'node:path'
import type { DemoContext } from './context.ts'
import { progress } from '../progress.ts'
import { backend } from './backend.ts'
import { writeCurve, writePath } from './pictures.ts'

/** First guesses: a square grid of velocities up to `fastest` along each axis. */
const [across, fastest] = [8, 4]
const count = across * across
/** Steps of the simulation. */
const length = 200
/** The squared distance within which a throw counts as a hit. */
const near = 1e-6

function guesses(): Float32Array {
  const at = (k: number): number => ((2 * k) / (across - 1) - 1) * fastest
  return Float32Array.from({ length: count * 2 }, (_, i) =>
    i % 2 === 0 ? at((i >> 1) % across) : at(Math.floor((i >> 1) / across)),
  )
}

export async function run(cx: DemoContext): Promise<void> {
  const steps = cx.steps ?? 200
  const on = await backend(cx, 'spring.slang')
  cx.say(`${count} throws of ${length} steps each, ${steps} steps of descent on ${on.name}`)
  const goal = [-0.8, 0.6]
  const throws = guesses()
  const [losses, moments] = [new Float32Array(count), new Float32Array(count * 4)]
  const path = new Float32Array((length + 1) * 2)
  const uniforms = { goal, stiffness: 8, count, chosen: 0, iteration: 1, rate: 0 }

  const curve: number[] = []
  const began = performance.now()
  const bar = progress(steps)
  // One descent more than there are steps, at rate 0, for the losses of where the last step led.
  for (let i = 1; i <= steps + 1; i++) {
    uniforms.iteration = i
    uniforms.rate = 0.2 * (0.5 + 0.5 * Math.cos((Math.PI * (i - 1)) / steps))
    await on.run('descend', count, { throws, losses, moments }, uniforms)
    curve.push(Math.min(...losses))
    bar.update(i, `loss ${curve.at(-1)!.toExponential(1)}`)
  }
  bar.stop()
  const seconds = (performance.now() - began) / 1000

  // Of those that hit, the gentlest.
  const speed = (i: number): number => Math.hypot(throws[i * 2]!, throws[i * 2 + 1]!)
  const all = [...losses.keys()]
  const hits = all.filter(i => losses[i]! < near).sort((a, b) => speed(a) - speed(b))
  const chosen = hits[0] ?? all.reduce((best, i) => (losses[i]! < losses[best]! ? i : best))
  await on.run('follow', length + 1, { throws, path }, { ...uniforms, chosen })
  on.close()
  const files = ['path.svg', 'loss.svg'].map(f => join(cx.output, f))
  writePath(
    files[0]!,
    path,
    goal,
    hits.length > 0 ? 'The gentlest throw that hits the goal' : 'The throw that comes nearest to the goal',
  )
  writeCurve(files[1]!, curve, {
    title: 'Squared distance of the best throw from the goal',
    x: 'step',
    y: 'loss',
    log: true,
  })
  const show = (list: Iterable<number>): string => `(${Array.from(list, v => v.toFixed(3)).join(', ')})`
  cx.say(`${hits.length} of ${count} throws hit ${show(goal)}`)
  cx.say(
    `initial velocity ${show(throws.subarray(chosen * 2, chosen * 2 + 2))} ends at ${show(path.subarray(length * 2))}`,
  )
  cx.say(`Pictures: ${files.join('\n          ')}`)
  cx.say(
    `loss ${curve[0]!.toExponential(2)} to ${losses[chosen]!.toExponential(2)} after ${steps} steps in ${seconds.toFixed(2)} s`,
  )
}
