/** Fits 2D Gaussians to a photograph: everything that computes is in examples/splat2d/splat2d.slang. */
import { join } from 'node:path'
import type { DemoContext } from './context.ts'
import { progress } from '../progress.ts'
import { backend } from './backend.ts'
import { halved, psnr, readPng, writeCurve, writePng, type Picture } from './pictures.ts'

const [tile, perTile, params] = [8, 64, 9]
const rate = 0.012

/** Gaussians on a jittered grid, each with the colour of the photograph under it. */
function start(photo: Picture, count: number): Float32Array {
  const splats = new Float32Array(count * params)
  let state = 12345
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
  const across = Math.ceil(Math.sqrt((count * photo.width) / photo.height))
  const down = Math.ceil(count / across)
  for (let i = 0; i < count; i++) {
    const x = (((i % across) + 0.2 + 0.6 * random()) * photo.width) / across
    const y = ((Math.floor(i / across) + 0.2 + 0.6 * random()) * photo.height) / down
    const pixel =
      (Math.min(photo.height - 1, Math.floor(y)) * photo.width + Math.min(photo.width - 1, Math.floor(x))) * 3
    const spread = Math.log((photo.width / across) * 0.55)
    splats.set([x, y, spread, spread, random() * Math.PI, ...photo.data.subarray(pixel, pixel + 3), 1.5], i * params)
  }
  return splats
}

export async function run(cx: DemoContext): Promise<void> {
  const whole = readPng(join(cx.dir, 'astronaut.png'))
  const [photo, count] = cx.large ? [whole, 2000] : [halved(whole), 600]
  const { width, height } = photo
  const steps = cx.steps ?? 150
  const on = await backend(cx, 'splat2d.slang')
  cx.say(`${count} Gaussians, ${width}x${height} pixels, ${steps} steps on ${on.name}`)
  const tiles = Math.ceil(width / tile) * Math.ceil(height / tile)
  const splats = start(photo, count)
  const [lists, listed, grads, loss] = [
    new Int32Array(tiles * perTile),
    new Int32Array(tiles),
    new Float32Array(tiles * perTile * params),
    new Float32Array(tiles),
  ]
  const shapes = new Float32Array(count * params)
  const next = new Float32Array(count * params)
  const moments = new Float32Array(count * params * 2)
  const image = new Float32Array(width * height * 3)
  const uniforms = { width, height, count, iteration: 1, rate }
  const prepare = async (): Promise<void> => {
    await on.run('shape', count, { splats, outShapes: shapes }, uniforms)
    await on.run('bin', tiles, { splats, outLists: lists, outListed: listed }, uniforms)
  }
  const seen = { shapes, lists, listed }
  const render = async (): Promise<Picture> => {
    await prepare()
    await on.run('render', width * height, { ...seen, outImage: image }, uniforms)
    return { width, height, data: image.slice() }
  }

  writePng(join(cx.output, 'target.png'), photo, 4)
  writePng(join(cx.output, 'start.png'), await render(), 4)
  const curve: number[] = []
  const began = performance.now()
  const bar = progress(steps)
  for (let i = 1; i <= steps; i++) {
    // The rate falls to a tenth, by a cosine.
    uniforms.rate = rate * (0.55 + 0.45 * Math.cos((Math.PI * (i - 1)) / steps))
    uniforms.iteration = i
    await prepare()
    await on.run('evaluate', tiles, { photo: photo.data, ...seen, outLoss: loss }, uniforms)
    await on.run('differentiate', tiles, { photo: photo.data, ...seen, outGrads: grads }, uniforms)
    await on.run('update', count, { lists, listed, grads, splats, outSplats: next, moments }, uniforms)
    splats.set(next)
    curve.push(loss.reduce((sum, x) => sum + x, 0) / (width * height * 3))
    bar.update(i, `PSNR ${(-10 * Math.log10(curve.at(-1)!)).toFixed(1)} dB`)
  }
  bar.stop()
  const seconds = (performance.now() - began) / 1000
  const result = await render()
  on.close()
  writePng(join(cx.output, 'result.png'), result, 4)
  writeCurve(join(cx.output, 'loss.svg'), curve, { title: 'Mean squared error', x: 'step', y: 'loss', log: true })
  cx.say(
    `Pictures: ${['target.png', 'start.png', 'result.png', 'loss.svg'].map(f => join(cx.output, f)).join('\n          ')}`,
  )
  cx.say(`PSNR ${psnr(result.data, photo.data).toFixed(1)} dB after ${steps} steps in ${seconds.toFixed(1)} s`)
}
