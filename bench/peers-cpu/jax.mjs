// The gradients in jax-js, each in the forms that a good user of it would try; its functions end the arrays that they are given, and `.ref` keeps one.
import { blocksOf, colors, column, pixelsOf, samplesOf, splatsOf, weightsOf } from './rows.mjs'

/**
 * Every form makes, of the inputs of a batch, a `run` that begins to compute and `blocks` that read what it gave. The library starts threads where
 * there is a global `Worker`; Node has none.
 */
export function loadJax(require) {
  const { numpy: np, grad, valueAndGrad, vmap, jit, tree, blockUntilReady } = require('@jax-js/jax')
  const array = (numbers, shape) => np.array(numbers).reshape(shape)
  /** Calls a function and keeps what it is given. */
  const calling = (f, ...given) => ({ run: () => f(...given.map(x => tree.ref(x))) })
  const read = x => x.ref.dataSync()

  // ---- 01_poly ----

  const poly = ({ x, a, b, c }) => {
    const x2 = np.square(x.ref)
    return a.ref.mul(x2.ref).add(b.ref).mul(x2).add(c.ref).mul(x).add(a.mul(b).mul(c))
  }
  const byColumn = f => data => {
    const [x, a, b, c] = [0, 1, 2, 3].map(k => np.array(column(data, 4, k)))
    return { ...calling(jit(f), { x, a, b, c }), blocks: d => blocksOf['01_poly']([d.x, d.a, d.b, d.c].map(read)) }
  }

  // ---- 04_mlp ----

  const square = e => np.square(e)
  const perSample =
    tanh =>
    ({ w1, b1, w2, b2, w3, b3 }, x, goal) => {
      const h1 = tanh(np.dot(w1, x).add(b1))
      const h2 = tanh(np.dot(w2, h1).add(b2))
      return square(np.dot(w3, h2).add(b3).sub(goal))
    }
  /** In fewer kernels than numpy.tanh; for numbers that are not large. */
  const tanhByExp = x =>
    np
      .reciprocal(np.exp(x.mul(-2)).add(1))
      .mul(2)
      .sub(1)
  const samples = data => {
    const rows = samplesOf(data)
    const count = rows.length / 5
    const bySample = rows.filter((_, i) => i % 5 < 4)
    const byNumber = Float32Array.from(bySample, (_, i) => bySample[4 * (i % count) + Math.floor(i / count)])
    return {
      count,
      byNumber: array(byNumber, [4, count]),
      bySample: array(bySample, [count, 4]),
      goals: np.array(column(rows, 5, 4)),
    }
  }
  const weightBlocks = isLast => d =>
    blocksOf['04_mlp'](Object.fromEntries(Object.entries(d).map(([name, x]) => [name, read(x)])), isLast)
  const mapped = tanh => data => {
    const { bySample, goals } = samples(data)
    return {
      ...calling(jit(vmap(grad(perSample(tanh)), [null, 0, 0])), weightsOf(data, array), bySample, goals),
      blocks: weightBlocks(false),
    }
  }
  /** Gradients of what goes into each neuron, by matrix products of the whole batch, and of them those of the weights. */
  const byProducts = (tanh, isLast) => data => {
    const { count, byNumber, bySample, goals } = samples(data)
    const all = n => (isLast ? [n, count] : [count, n])
    const times = (w, h) => (isLast ? np.dot(w, h) : np.dot(h, w.ndim > 1 ? w.transpose() : w))
    const bias = b => (isLast ? b.reshape([8, 1]) : b)
    const outer = (d, h, n) =>
      isLast
        ? d.reshape([8, 1, count]).mul(h.reshape([1, n, count]))
        : d.reshape([count, 8, 1]).mul(h.reshape([count, 1, n]))
    const f = ({ w1, b1, w2, b2, w3, b3 }, x, goal) => {
      const loss = ({ z1, z2, z3 }, x) => {
        const h1 = tanh(times(w1, x).add(bias(b1)).add(z1))
        const h2 = tanh(times(w2, h1.ref).add(bias(b2)).add(z2))
        return [square(times(w3, h2.ref).add(b3).add(z3).sub(goal)).sum(), { h1, h2 }]
      }
      const zero = { z1: np.zeros(all(8)), z2: np.zeros(all(8)), z3: np.zeros([count]) }
      const [[value, { h1, h2 }], { z1, z2, z3 }] = valueAndGrad(loss, { hasAux: true })(zero, x.ref)
      value.dispose()
      return {
        w1: outer(z1.ref, x, 4),
        b1: z1,
        w2: outer(z2.ref, h1, 8),
        b2: z2,
        w3: z3.ref.reshape(all(1)).mul(h2),
        b3: z3,
      }
    }
    return {
      ...calling(jit(f), weightsOf(data, array), isLast ? byNumber : bySample, goals),
      blocks: weightBlocks(isLast),
    }
  }

  // ---- 05_gauss2d ----

  const splats = 12
  /** Of the light that each splat lets through, what reaches each: product by product. */
  const oneByOne = through => {
    const rows = Array.from({ length: splats - 1 }, (_, i) => through.ref.slice([i, i + 1]))
    through.dispose()
    const before = [np.ones(rows[0].shape)]
    for (const row of rows) before.push(before.at(-1).ref.mul(row))
    return np.concatenate(before, 0)
  }
  /** The same in log2(splats) steps over all. */
  const byScan = through => {
    const rest = through.shape.slice(1)
    const later = (x, k) => np.concatenate([np.ones([k, ...rest]), x.slice([0, splats - k])], 0)
    let before = later(through, 1)
    for (let k = 1; k < splats; k *= 2) before = before.ref.mul(later(before, k))
    return before
  }
  /** The splats are the first axis; the others are those of the parameters and of the pixels. */
  const blend = reaching => (parameters, px, py) => {
    const [mx, my, a, b, c, opacity, ...color] = parameters
    const [dx, dy] = [px.sub(mx), py.sub(my)]
    const power = a
      .mul(np.square(dx.ref))
      .add(c.mul(np.square(dy.ref)))
      .mul(-0.5)
      .sub(b.mul(dx).mul(dy))
    const most = np.minimum(opacity.mul(np.exp(power)), 0.99)
    const alpha = np.where(np.less(most.ref, 1 / 255), 0, most)
    const before = reaching(np.subtract(1, alpha.ref))
    const weight = np.where(np.less(before.ref, 1e-3), 0, alpha).mul(before)
    const last = np.subtract(1, weight.ref.sum(0))
    const losses = colors.map(({ behind, goal }, k) =>
      np.square(color[k].mul(weight.ref).sum(0).add(last.ref.mul(behind)).sub(goal)),
    )
    weight.dispose()
    last.dispose()
    return losses.reduce((x, y) => x.add(y)).sum()
  }
  const pixels = () => [pixelsOf(64, false), pixelsOf(64, true)].map(p => np.array(p))
  /** The gradients of copies of the parameters, one for each pixel. */
  const byCopies = reaching => data => {
    const tiles = data.length / 108
    const parameters = splatsOf(data).map(p => array(p, [splats, tiles, 1]))
    const f = (list, px, py) => {
      const copies = list.map(p => np.broadcastTo(p, [splats, tiles, 64]))
      return grad(blend(reaching))(copies, px, py)
    }
    return { ...calling(jit(f), parameters, ...pixels()), blocks: list => blocksOf['05_gauss2d'](list.map(read), true) }
  }
  const byMaps = reaching => data => {
    const parameters = splatsOf(data).map(p => array(p, [splats, data.length / 108]))
    const perPixel = vmap(grad(blend(reaching)), [null, 0, 0])
    return {
      ...calling(jit(vmap(perPixel, [1, null, null])), parameters, ...pixels()),
      blocks: list => blocksOf['05_gauss2d'](list.map(read), false),
    }
  }

  return {
    name: 'jax-js',
    call: run => blockUntilReady(run()),
    free: result => tree.dispose(result),
    forms: {
      '01_poly': { 'vmap of grad': byColumn(vmap(grad(poly))), 'grad of sum': byColumn(grad(p => poly(p).sum())) },
      '04_mlp': {
        'vmap of grad': mapped(np.tanh),
        'vmap of grad, tanh by exp': mapped(tanhByExp),
        products: byProducts(np.tanh, false),
        'products, batch last': byProducts(np.tanh, true),
        'products, tanh by exp': byProducts(tanhByExp, false),
        'products, tanh by exp, batch last': byProducts(tanhByExp, true),
      },
      '05_gauss2d': {
        'vmap of grad': byMaps(oneByOne),
        'vmap of grad, scan': byMaps(byScan),
        'grad of copies': byCopies(oneByOne),
        'grad of copies, scan': byCopies(byScan),
      },
    },
  }
}
