// One call of the gradient of each program of the bench and the examples on the CPU, and one of its primal: what is timed.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { programs, rng } from './inputs.mjs'

const read = path => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')

/** Threads of a kernel of bench/programs, which divides them into groups of 64. */
const threads = 64

/** A kernel that every program of the bench has twice: `primalMain`, and `computeMain` with the gradient. */
function kernels({ grad, input }) {
  return module => {
    const inp = input(threads)
    const run = (name, outputs) => {
      const kernel = module.kernel(name)
      const buffers = { inp, outp: new Float32Array(threads * outputs) }
      return () => kernel.dispatch([threads / 64, 1, 1], { buffers })
    }
    return { primal: run('primalMain', 1), reverse: run('computeMain', grad) }
  }
}

/** A function `loss` and its derivative. */
function loss(...args) {
  return ({ fn }) => ({ primal: () => fn.loss(...args), reverse: () => fn.loss.vjp(args, 1) })
}

function splats(module) {
  const [width, height, count, tiles, per] = [128, 128, 600, 256, 64]
  const random = rng(7)
  const buffers = {
    splats: Float32Array.from(
      { length: count * 9 },
      (_, i) => [random() * width, random() * height, 1.1, 1.1, random() * 3, random(), random(), random(), 1.5][i % 9],
    ),
    photo: Float32Array.from({ length: width * height * 3 }, random),
    outShapes: new Float32Array(count * 9),
    outLists: new Int32Array(tiles * per),
    outListed: new Int32Array(tiles),
    outLoss: new Float32Array(tiles),
    outGrads: new Float32Array(tiles * per * 9),
  }
  Object.assign(buffers, { shapes: buffers.outShapes, lists: buffers.outLists, listed: buffers.outListed })
  const uniforms = { width, height, count, iteration: 1, rate: 0.01 }
  const run = name => () => module.kernel(name).dispatch([tiles / 16, 1, 1], { buffers, uniforms })
  run('shape')()
  run('bin')()
  return { primal: run('evaluate'), reverse: run('differentiate') }
}

/** Calls of the examples that are one program; the others are projects around one. */
const examples = {
  brdf: loss([0.9, 0.5, 0.1], 0.3, { baseColor: [0.2, 0.3, 0.4], roughness: 0.5, metallic: 0.2 }),
  spring: loss([0.3, 0.4], [1, 1], 8),
  splat2d: splats,
}

/** Each with its source, and with a function that makes `{ primal, reverse }`, two calls, of what `cotangent/cpu` loads. */
export const gradients = [
  ...Object.entries(programs).map(([name, how]) => ({
    name,
    source: read(`bench/programs/${name}.slang`),
    isExample: false,
    calls: kernels(how),
  })),
  ...Object.entries(examples).map(([name, calls]) => ({
    name,
    source: read(`examples/${name}/${name}.slang`),
    isExample: true,
    calls,
  })),
]
