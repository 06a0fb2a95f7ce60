// The gradients in TensorFlow.js, on its WebAssembly backend with SIMD and one thread, each in the forms that a good user of it would try.
import { blocksOf, colors, column, pixelsOf, samplesOf, splatsOf, weightsOf } from './rows.mjs'

/** Every form makes, of the inputs of a batch, a `run` that computes and `blocks` that read what it gave. */
export async function loadTfjs(require) {
  const tf = require('@tensorflow/tfjs')
  require('@tensorflow/tfjs-backend-wasm')
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false)
  await tf.setBackend('wasm')
  const read = x => x.dataSync()

  // ---- 01_poly ----

  const poly = (x, a, b, c) => {
    const x2 = tf.square(x)
    return a.mul(x2).add(b).mul(x2).add(c).mul(x).add(a.mul(b).mul(c))
  }
  const byColumn = data => {
    const given = [0, 1, 2, 3].map(k => tf.tensor1d(column(data, 4, k)))
    const f = tf.grads(poly)
    return { run: () => f(given), blocks: list => blocksOf['01_poly'](list.map(read)) }
  }

  // ---- 04_mlp ----

  const samples = data => {
    const [x, goal] = tf.split(tf.tensor(samplesOf(data), [samplesOf(data).length / 5, 5]), [4, 1], 1)
    return { count: x.shape[0], x, goal }
  }
  const weightBlocks = isLast => list => {
    const [w1, b1, w2, b2, w3, b3] = list.map(read)
    return blocksOf['04_mlp']({ w1, b1, w2, b2, w3, b3 }, isLast)
  }
  /** Gradients of copies of the weights, one for each sample: TensorFlow.js has no vmap. */
  const byCopies = data => {
    const { count, x, goal } = samples(data)
    const matrix = { w1: [8, 4], b1: [8, 1], w2: [8, 8], b2: [8, 1], w3: [1, 8], b3: [1, 1] }
    const weights = weightsOf(data, tf.tensor)
    const copies = Object.entries(matrix).map(([name, shape]) =>
      weights[name].reshape([1, ...shape]).tile([count, 1, 1]),
    )
    const [inputs, goals] = [x.reshape([count, 4, 1]), goal.reshape([count, 1, 1])]
    const f = tf.grads((w1, b1, w2, b2, w3, b3) => {
      const h1 = tf.tanh(tf.matMul(w1, inputs).add(b1))
      const h2 = tf.tanh(tf.matMul(w2, h1).add(b2))
      return tf.matMul(w3, h2).add(b3).sub(goals).square()
    })
    return { run: () => f(copies), blocks: weightBlocks(false) }
  }
  /** Gradients of what goes into each neuron, by matrix products of the whole batch, and of them those of the weights. */
  const byProducts = isLast => data => {
    const given = samples(data)
    const { count } = given
    const [x, goal] = [given.x, given.goal].map(t => (isLast ? t.transpose() : t))
    const weights = weightsOf(data, tf.tensor)
    const all = n => (isLast ? [n, count] : [count, n])
    const [b1, b2, b3] = [weights.b1, weights.b2, weights.b3].map(b => b.reshape(isLast ? [-1, 1] : [1, -1]))
    const [w1, w2, w3] = [weights.w1, weights.w2, weights.w3.reshape([1, 8])]
    const times = (w, h) => (isLast ? tf.matMul(w, h) : tf.matMul(h, w, false, true))
    const left = d => d.reshape(isLast ? [8, 1, count] : [count, 8, 1])
    const right = (h, n) => h.reshape(isLast ? [1, n, count] : [count, 1, n])
    const [zero2, zero3, inputs] = [tf.zeros(all(8)), tf.zeros(all(1)), right(x, 4)]
    const run = () => {
      let h1, h2
      const f = tf.grads((z1, z2, z3) => {
        h1 = tf.keep(tf.tanh(z1))
        h2 = tf.keep(tf.tanh(times(w2, h1).add(b2).add(z2)))
        return times(w3, h2).add(b3).add(z3).sub(goal).square()
      })
      const [d1, d2, d3] = f([times(w1, x).add(b1), zero2, zero3])
      const gradients = [left(d1).mul(inputs), d1, left(d2).mul(right(h1, 8)), d2, d3.mul(h2), d3]
      tf.dispose([h1, h2])
      return gradients
    }
    return { run, blocks: weightBlocks(isLast) }
  }

  // ---- 05_gauss2d ----

  /** Of the light that each splat lets through, what reaches each: product by product. */
  const oneByOne = through => {
    const rows = tf.unstack(through).slice(0, -1)
    const before = [tf.onesLike(rows[0])]
    for (const row of rows) before.push(before.at(-1).mul(row))
    return tf.stack(before)
  }
  /** The same by sums of logarithms, a product with the matrix of those before each. The gradient of `cumsum` fails on a first axis. */
  const earlier = tf.tensor(
    Float32Array.from({ length: 144 }, (_, i) => (i % 12 < Math.floor(i / 12) ? 1 : 0)),
    [12, 12],
  )
  const byLogarithms = through => tf.matMul(earlier, through.log()).exp()
  /** What is not at least a bound is zero. Comparisons have no gradient of their own in TensorFlow.js, not even zero. */
  const where = (x, compared, bound) =>
    tf.customGrad((x, save) => {
      const isKept = compared.greaterEqual(bound)
      save([isKept])
      return { value: tf.where(isKept, x, 0), gradFunc: (d, [isKept]) => tf.where(isKept, d, 0) }
    })(x)
  const byPixel = reaching => data => {
    const [tiles, splats] = [data.length / 108, 12]
    const count = tiles * 64
    // One copy for each pixel, made before the clock starts.
    const copies = splatsOf(data).map(p => tf.tensor(p, [splats, tiles, 1]).tile([1, 1, 64]).reshape([splats, count]))
    const [px, py] = [pixelsOf(count, false), pixelsOf(count, true)].map(p => tf.tensor(p, [1, count]))
    const f = tf.grads((mx, my, a, b, c, opacity, ...color) => {
      const [dx, dy] = [px.sub(mx), py.sub(my)]
      const power = a.mul(dx.square()).add(c.mul(dy.square())).mul(-0.5).sub(b.mul(dx).mul(dy))
      const most = opacity.mul(power.exp()).clipByValue(0, 0.99)
      const alpha = where(most, most, 1 / 255)
      const before = reaching(tf.sub(1, alpha))
      const weight = where(alpha, before, 1e-3).mul(before)
      const last = tf.sub(1, weight.sum(0))
      return colors
        .map(({ behind, goal }, k) => color[k].mul(weight).sum(0).add(last.mul(behind)).sub(goal).square())
        .reduce((x, y) => x.add(y))
    })
    return { run: () => f(copies), blocks: list => blocksOf['05_gauss2d'](list.map(read), true) }
  }

  return {
    name: 'tfjs',
    /** What is computed on the way is freed. */
    call: run => tf.tidy(run),
    free: result => tf.dispose(result),
    forms: {
      '01_poly': { 'grad of sum': byColumn },
      '04_mlp': { 'grad of copies': byCopies, products: byProducts(false), 'products, batch last': byProducts(true) },
      '05_gauss2d': { 'grad of copies': byPixel(oneByOne), 'grad of copies, logarithms': byPixel(byLogarithms) },
    },
  }
}
