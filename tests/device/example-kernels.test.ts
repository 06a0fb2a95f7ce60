/**
 * Every kernel of every example runs on the GPU, as WebAssembly and as JavaScript from the same buffers, on a small problem of
 * the example's own kind, and the gradients that kernels write to buffers are held to what is known about them.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { load } from '../../src/cpu/index.ts'
import type { Plain } from '../../src/gpu/pack.ts'
import { compile, type Program } from '../../src/index.ts'
import { random } from '../support/generate-ir.ts'
import { closeGpu } from '../support/gpu.ts'
import { runEverywhere, targetsOf, type Bytes, type Targets } from '../support/three-targets.ts'

afterAll(closeGpu)

const examples = new URL('../../examples/', import.meta.url)

type Floats = Float32Array
type Arrays = Readonly<Record<string, Float32Array | Int32Array>>
type Uniforms = Readonly<Record<string, Plain>>

/** Runs a kernel everywhere; the arrays then hold what it wrote. */
class Example {
  readonly program: Program
  readonly #targets: Promise<Targets>
  readonly ran: Set<string> = new Set()

  constructor(name: string) {
    this.program = compile(readFileSync(new URL(`${name}/${name}.slang`, examples), 'utf8'), {
      fileName: `${name}.slang`,
      verify: true,
    })
    this.#targets = targetsOf(this.program)
  }

  async run(kernel: string, threads: number, arrays: Arrays, globalParams: Uniforms): Promise<void> {
    const size = this.program.entries.find(e => e.name === kernel)!.workgroupSize[0]
    const buffers: Bytes = Object.fromEntries(
      Object.entries(arrays).map(([name, a]) => [name, new Uint8Array(a.buffer)]),
    )
    const wrote = await runEverywhere(
      await this.#targets,
      kernel,
      [Math.ceil(threads / size), 1, 1],
      buffers,
      { globalParams },
      'largest',
    )
    for (const [name, bytes] of Object.entries(wrote)) buffers[name]!.set(bytes)
    this.ran.add(kernel)
  }

  /** Expects that no kernel was left out. */
  complete(): void {
    expect([...this.ran].sort()).toEqual(this.program.entries.map(e => e.name).sort())
  }
}

function close(found: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number): void {
  const size = Math.max(...Array.from(wanted, Math.abs))
  expect(found.length).toBe(wanted.length)
  for (let i = 0; i < wanted.length; i++) {
    expect(Math.abs(found[i]! - wanted[i]!), `${i}: ${found[i]} and ${wanted[i]}`).toBeLessThan(tolerance * size)
  }
}

/** Adds up columns: what stands at every `stride`-th place. */
function columns(list: Floats, stride: number): number[] {
  return Array.from({ length: stride }, (_, k) => list.reduce((sum, x, i) => (i % stride === k ? sum + x : sum), 0))
}

const brdf = async (): Promise<void> => {
  const example = new Example('brdf')
  const samples = 64
  const truth = [0.9, 0.5, 0.1, 0.35]
  const uniforms = { metallic: 0.6, iteration: 3, rate: 0.02 }
  const [photos, losses, gradients] = [
    new Float32Array(samples * 4),
    new Float32Array(samples),
    new Float32Array(samples * 4),
  ]
  await example.run('render', samples, { estimate: Float32Array.from(truth), photos }, uniforms)
  const estimate = Float32Array.from([0.5, 0.6, 0.3, 0.7])
  await example.run('differentiate', samples, { estimate, photos, losses, gradients }, uniforms)
  const { fn } = await load(example.program)
  const surface = { baseColor: truth.slice(0, 3), roughness: truth[3], metallic: 0.6 }
  const { value, grad } = fn['loss']!.valueAndGrad([...estimate].slice(0, 3), estimate[3], surface)
  close(columns(losses, 1), [value as number], 1e-6)
  close(columns(gradients, 4), [...(grad[0] as number[]), grad[1] as number], 1e-5)
  const before = [...estimate]
  await example.run('update', 1, { estimate, gradients, moments: new Float32Array(8).fill(0.01) }, uniforms)
  expect(before.map((x, i) => Math.sign(x - estimate[i]!))).toEqual(columns(gradients, 4).map(g => Math.sign(g + 0.09)))
  example.complete()
}

const spring = async (): Promise<void> => {
  const example = new Example('spring')
  // Of the last thread's throw the kernel must keep its hands off.
  const count = 12
  const rand = random(3)
  const throws = Float32Array.from({ length: (count + 1) * 2 }, () => rand(200) / 50 - 2)
  const [losses, moments] = [new Float32Array(count + 1), new Float32Array((count + 1) * 4)]
  const uniforms = { goal: [-0.8, 0.6], stiffness: 8, count, chosen: 5, iteration: 1, rate: 0.1 }
  const before = [...throws]
  await example.run('descend', count, { throws, losses, moments }, uniforms)
  const { fn } = await load(example.program)
  for (let i = 0; i < count; i++) {
    const { value, grad } = fn['loss']!.valueAndGrad(before.slice(i * 2, i * 2 + 2), uniforms.goal, uniforms.stiffness)
    close([losses[i]!], [value as number], 1e-5)
    close(
      moments.subarray(i * 4, i * 4 + 2).map(m => m * 10),
      grad[0] as number[],
      1e-4,
    )
  }
  expect([...throws].slice(count * 2)).toEqual(before.slice(count * 2))
  const path = new Float32Array(201 * 2)
  await example.run('follow', 201, { throws, path }, uniforms)
  expect([...path.subarray(0, 2)]).toEqual([1, 0])
  close(path.subarray(400), fn['positionAt']!([...throws.subarray(10, 12)], 8, 200) as number[], 1e-5)
  example.complete()
}

/** A picture of 20 by 12 pixels, which is not a whole number of tiles. */
const splat2d = async (): Promise<void> => {
  const example = new Example('splat2d')
  const [width, height, tiles, params, perTile] = [20, 12, 6, 9, 64]
  const rand = random(11)
  const between = (low: number, high: number): number => low + ((high - low) * rand(1000)) / 1000
  const photo = Float32Array.from({ length: width * height * 3 }, () => between(0, 1))
  const [lists, listed, loss] = [new Int32Array(tiles * perTile), new Int32Array(tiles), new Float32Array(tiles)]
  const grads = new Float32Array(tiles * perTile * params)
  const scene = (count: number, logScale: readonly [number, number], logit: readonly [number, number]): Floats =>
    Float32Array.from(
      Array.from({ length: count }, () => [
        between(0, width),
        between(0, height),
        between(...logScale),
        between(...logScale),
        between(0, 3),
        between(0, 1),
        between(0, 1),
        between(0, 1),
        between(...logit),
      ]).flat(),
    )
  const uniforms = { width, height, count: 24, iteration: 3, rate: 0.01 }

  // Small ones, which reach some tiles and not others.
  const splats = scene(24, [0.4, 1.2], [-1, 1])
  const shapes = new Float32Array(24 * params)
  const view = { shapes, lists, listed }
  await example.run('shape', 24, { splats, outShapes: shapes }, uniforms)
  await example.run('bin', tiles, { splats, outLists: lists, outListed: listed }, uniforms)
  expect(Math.min(...listed)).toBeGreaterThan(3)
  expect(Math.min(...listed)).toBeLessThan(20)
  await example.run('evaluate', tiles, { ...view, photo, outLoss: loss }, uniforms)
  await example.run('differentiate', tiles, { ...view, photo, outGrads: grads }, uniforms)
  await example.run('render', width * height, { ...view, outImage: new Float32Array(width * height * 3) }, uniforms)
  const moments = new Float32Array(24 * params * 2).fill(0.01)
  await example.run('update', 24, { lists, listed, grads, splats, outSplats: splats.slice(), moments }, uniforms)
  example.complete()

  // Wide ones, of which no pixel is left out for being faint: there the picture changes smoothly with them.
  const count = 6
  const wide = scene(count, [2.3, 2.6], [-1, 0])
  const machine = await load(example.program)
  const run = (kernel: string, buffers: Arrays): void => {
    machine.kernel(kernel).dispatch([1, 1, 1], { buffers, uniforms: { ...uniforms, count } })
  }
  const seen = { shapes: new Float32Array(count * params), lists, listed, photo }
  run('shape', { splats: wide, outShapes: seen.shapes })
  run('bin', { splats: wide, outLists: lists, outListed: listed })
  run('differentiate', { ...seen, outGrads: grads })
  // The first moments of Adam begin with a tenth of the gradient.
  const first = new Float32Array(count * params * 2)
  run('update', { lists, listed, grads, splats: wide, outSplats: wide.slice(), moments: first })
  const moved = (at: number, by: number): number => {
    const splats = wide.slice()
    splats[at]! += by
    run('shape', { splats, outShapes: seen.shapes })
    run('evaluate', { ...seen, outLoss: loss })
    return columns(loss, 1)[0]!
  }
  for (let i = 0; i < count; i++) {
    const found = Array.from({ length: params }, (_, k) => first[(i * params + k) * 2]! / 0.1)
    close(
      found,
      found.map((_, k) => (moved(i * params + k, 0.01) - moved(i * params + k, -0.01)) / 0.02),
      1e-3,
    )
  }
}

describe('kernels of the examples agree on all targets', () => {
  const cases: Readonly<Record<string, () => Promise<void>>> = { brdf, splat2d, spring }
  // An example with a program of its name is that program; tests/projects runs the others.
  const names = readdirSync(examples).filter(name => existsSync(new URL(`${name}/${name}.slang`, examples)))
  for (const name of names) test(name, () => cases[name]!())
})
