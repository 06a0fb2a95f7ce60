// Libraries of arrays hold a batch in arrays of their own shapes; our programs read and write one row a thread.

/** One number of each row. */
export const column = (rows, width, k) =>
  Float32Array.from({ length: rows.length / width }, (_, i) => rows[i * width + k])

/** The shapes of the weights of 04_mlp, and where they begin in a row. */
const layers = { w1: [0, 8, 4], b1: [32, 8], w2: [40, 8, 8], b2: [104, 8], w3: [112, 8], b3: [120] }

/** The weights of 04_mlp as `array(numbers, shape)` makes them. */
export const weightsOf = (data, array) =>
  Object.fromEntries(
    Object.entries(layers).map(([name, [from, ...shape]]) => [
      name,
      array(data.slice(from, from + shape.reduce((s, x) => s * x, 1)), shape),
    ]),
  )

/** Samples of 04_mlp, five numbers each. */
export const samplesOf = data => data.subarray(121)

/** The nine parameters of the splats of 05_gauss2d: numbers of [12, tiles] each. */
export const splatsOf = data => {
  const tiles = data.length / 108
  return Array.from({ length: 9 }, (_, k) =>
    Float32Array.from({ length: 12 * tiles }, (_, i) => data[(i % tiles) * 108 + Math.floor(i / tiles) * 9 + k]),
  )
}

/** The pixels of a tile, their x or y. */
export const pixelsOf = (count, isY) =>
  Float32Array.from({ length: count }, (_, i) => (isY ? Math.floor((i % 64) / 8) : i % 8))

/** What 05_gauss2d adds behind all splats and aims at, for each of three colors. */
export const colors = [
  { behind: 0.05, goal: 0.4 },
  { behind: 0.05, goal: 0.5 },
  { behind: 0.1, goal: 0.6 },
]

/**
 * Gradients as our programs write them, `width` numbers a row: each block holds `values` of so many numbers a row as `to` has places in it, row
 * by row or, where the batch is the last axis, number by number.
 */
export function rowsOf(count, width, blocks) {
  const rows = new Float32Array(count * width)
  for (const { values, to, isLast } of blocks)
    for (let i = 0; i < count; i++)
      for (let k = 0; k < to.length; k++) rows[i * width + to[k]] = values[isLast ? k * count + i : i * to.length + k]
  return rows
}

const from = (start, length, step = 1) => Array.from({ length }, (_, k) => start + k * step)

/** Blocks of gradients: of 01_poly, of the weights of 04_mlp, and of the parameters of 05_gauss2d. */
export const blocksOf = {
  '01_poly': list => list.map((values, k) => ({ values, to: [k] })),
  '04_mlp': (weights, isLast) =>
    Object.entries(layers).map(([name, [start, ...shape]]) => ({
      values: weights[name],
      to: from(
        start,
        shape.reduce((s, x) => s * x, 1),
      ),
      isLast,
    })),
  '05_gauss2d': (list, isLast) => list.map((values, k) => ({ values, to: from(k, 12, 9), isLast })),
}
