// What the programs of docs/gallery.md are run with, and the numbers that are right: by hand, and by differences in double precision.
//
// `f` is the function that a program differentiates, written anew in JavaScript. `differences` says how the numbers of a program follow from it.

/** The derivative of `f` by its argument `i`: central differences whose error is of fourth order. */
const slope = (f, at, i, h = 1e-3) => {
  const by = k => f(...at.map((x, j) => (j === i ? x + k * h : x)))
  return (8 * (by(1) - by(-1)) - (by(2) - by(-2))) / (12 * h)
}

/** The derivatives by each of the first `n` arguments. */
const slopes = n => (f, at) => Array.from({ length: n }, (_, i) => slope(f, at, i))

/** The second derivative. */
const bend = (f, [x], h = 1e-3) => {
  const sides = k => f(x + k * h) + f(x - k * h)
  return [(16 * sides(1) - sides(2) - 30 * f(x)) / (12 * h * h)]
}

const remainder = (x, size) => x - size * Math.trunc(x / size)

/**
 * Each program: its inputs, the names of its numbers, those by hand, and the function with its differences. `wrong` lists the targets on which
 * our number is known not to be that of mathematics: the page says why.
 */
export const programs = {
  coincide: {
    at: [3, 2, 0],
    names: ['by v₀', 'by v₁'],
    hand: [6, 0],
    f: (v0, v1, i) => [v0, v1][i] * [v0, v1][i],
    differences: slopes(2),
  },
  inplace: {
    at: [0.7],
    names: ['by x'],
    hand: [15.61042],
    f: x => {
      const a = [x, x * x, 1]
      for (let i = 0; i < 3; i++) a[i] = a[(i * 2) % 3] * a[i] + x
      return a[0] * a[1] * a[2]
    },
    differences: slopes(1),
  },
  structs: {
    at: [0.7],
    names: ['by x'],
    hand: [1.372],
    f: x => {
      const p = [0, 1, 2].map(i => ({ mass: x * i, speed: x * x }))
      return p.reduce((sum, q, i) => sum + q.mass * q.speed * p[2 - i].mass, 0)
    },
    differences: slopes(1),
  },
  exponentials: {
    at: [1.5],
    names: ['of `exp2`', 'of `log2`', 'of `log10`'],
    hand: [2 ** 1.5 * Math.LN2, 1 / (1.5 * Math.LN2), 1 / (1.5 * Math.LN10)],
    f: x => [2 ** x, Math.log2(x), Math.log10(x)],
    differences: (f, at) => [0, 1, 2].map(k => slope(x => f(x)[k], at, 0)),
  },
  highlight: {
    at: [-0.5, 0.1, 2],
    names: ['value', 'by brightness'],
    hand: [2 * 10 ** -0.7, 10 ** -0.7],
    f: (cosine, exponent, brightness) => brightness * Math.max(cosine, 1e-7) ** exponent,
    differences: (f, at) => [f(...at), slope(f, at, 2)],
  },
  tile: { at: [7.5, 2], names: ['by x', 'by size'], hand: [1, -3], f: remainder, differences: slopes(2) },
  nested: {
    at: [1.1],
    names: ['second derivative'],
    hand: [56 * 1.1 ** 6],
    f: x => {
      let y = x
      for (let i = 0; i < 3; i++) y *= y
      return y
    },
    differences: bend,
  },
  promise: {
    at: [0.7],
    names: ['by x'],
    hand: [0.3197586],
    f: x => {
      let y = x
      for (let i = 0; i < 6; i++) y = Math.sin(y)
      return y
    },
    differences: slopes(1),
  },
  inner: {
    at: [2],
    names: ['by x'],
    hand: [112],
    f: x => {
      let [y, total] = [x, 0]
      for (let i = 0; i < 2; i++) {
        for (let j = 0; j < 4; j++) {
          y *= x
          if (y > 10) break
        }
        total += y
      }
      return total
    },
    differences: slopes(1),
  },
  fall: { at: [0.7, 0], names: ['by x'], hand: [2.4], f: x => x * x + x, differences: slopes(1) },
  percent: { at: [7.5, 2], names: ['by x', 'by size'], hand: [1, -3], f: remainder, differences: slopes(2) },
  negate: { at: [0.7], names: ['by x'], hand: [1.4], f: x => x * x, differences: slopes(1) },
  zero: { at: [0, 0], names: ['by x', 'by y'], hand: [0, 0], f: Math.hypot, differences: slopes(2) },
  angle: { at: [1, -2], names: ['by y', 'by x'], hand: [-0.4, -0.2], f: Math.atan2, differences: slopes(2) },
  early: {
    at: [1],
    names: ['by x'],
    hand: [5],
    f: x => {
      let t = 0
      for (let i = 0; i < 4; i++) {
        t = t * t + x
        if (t > 1.5) return t * x
      }
      return t
    },
    differences: slopes(1),
  },
  swap: {
    at: [0.5, 2],
    names: ['by x', 'by y'],
    hand: [6, 2.25],
    f: (x, y) => {
      let [a, b] = [x, y]
      for (let i = 0; i < 2; i++) [a, b] = [a * b, a + b]
      return a
    },
    differences: slopes(2),
  },
  dispatch: {
    at: [0.5, 1],
    names: ['by x'],
    hand: [2.25],
    f: (x, kind) => (kind === 0 ? 2 * x * x : 3 * x * x * x),
    differences: slopes(1),
  },
  square: {
    at: [-1.5],
    names: ['by x'],
    hand: [-3],
    f: x => x ** 2,
    differences: slopes(1),
    wrong: ['webgpu', 'wasm', 'js'],
  },
}
