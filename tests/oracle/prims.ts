/** Functions of the library by their mathematics, and how they are asked for without coming near a kink or the end of their domain. */
import * as d from './dual.ts'
import type { Num } from './dual.ts'
import { list, num, type Value } from './value.ts'

const dot = (x: Value, y: Value): Num =>
  list(x).reduce<Num>((sum, v, i) => d.add(sum, d.mul(num(v), num(list(y)[i]!))), 0)
const length = (x: Value): Num => d.sqrt(dot(x, x))
const scaled = (x: Value, k: Num): Value => list(x).map(v => d.mul(num(v), k))
const sum = (x: Value, y: Value): Value => list(x).map((v, i) => d.add(num(v), num(list(y)[i]!)))
const transpose = (m: Value): Value => list(list(m)[0]!).map((_, c) => list(m).map(row => list(row)[c]!))

function determinant(m: Value): Num {
  const rows = list(m)
  if (rows.length === 1) return num(list(rows[0]!)[0]!)
  return list(rows[0]!).reduce<Num>((total, v, c) => {
    const minor = determinant(rows.slice(1).map(row => list(row).filter((_, k) => k !== c)))
    return d.add(total, d.mul(c % 2 === 0 ? num(v) : d.neg(num(v)), minor))
  }, 0)
}

function smoothstep(low: Num, high: Num, x: Num): Num {
  const t = d.clamp(d.div(d.sub(x, low), d.sub(high, low)), 0, 1)
  return d.mul(d.mul(t, t), d.sub(3, d.mul(2, t)))
}

/** Of numbers; on vectors lane by lane. */
export const lanewise: Readonly<Record<string, (...args: Num[]) => Num>> = {
  sin: d.sin,
  cos: d.cos,
  exp: d.exp,
  log: d.log,
  sqrt: d.sqrt,
  sinh: d.sinh,
  cosh: d.cosh,
  tanh: d.tanh,
  atan: d.atan,
  asin: d.asin,
  acos: d.acos,
  tan: x => d.div(d.sin(x), d.cos(x)),
  exp2: x => d.exp(d.mul(x, Math.LN2)),
  log2: x => d.div(d.log(x), Math.LN2),
  log10: x => d.div(d.log(x), Math.LN10),
  rsqrt: x => d.rcp(d.sqrt(x)),
  rcp: d.rcp,
  pow: d.pow,
  atan2: d.atan2,
  abs: d.abs,
  min: d.min,
  max: d.max,
  clamp: d.clamp,
  smoothstep,
  saturate: x => d.clamp(x, 0, 1),
  frac: d.fract,
  floor: x => d.stepwise(x, Math.floor),
  ceil: x => d.stepwise(x, Math.ceil),
  sign: x => (d.less(x, 0) ? -1 : d.less(0, x) ? 1 : 0),
  step: (edge, x) => (d.less(x, edge) ? 0 : 1),
  // Both parts round, also where they are of one number: noise then shows what depends on it.
  lerp: (x, y, t) => d.add(d.mul(x, d.sub(1, t)), d.mul(y, t)),
  fma: (x, y, z) => d.add(d.mul(x, y), z),
  mad: (x, y, z) => d.add(d.mul(x, y), z),
  radians: x => d.mul(x, Math.PI / 180),
  degrees: x => d.mul(x, 180 / Math.PI),
  fmod: (x, y) => d.sub(x, d.mul(y, d.stepwise(d.div(x, y), Math.trunc))),
}

/** Of vectors and matrices as wholes. */
export const whole: Readonly<Record<string, (...args: Value[]) => Value>> = {
  dot,
  length,
  determinant,
  transpose,
  distance: (x, y) => length(list(x).map((v, i) => d.sub(num(v), num(list(y)[i]!)))),
  normalize: x => scaled(x, d.rcp(length(x))),
  cross: (x, y) =>
    [
      [1, 2],
      [2, 0],
      [0, 1],
    ].map(([i, j]) => d.sub(d.mul(num(list(x)[i!]!), num(list(y)[j!]!)), d.mul(num(list(x)[j!]!), num(list(y)[i!]!)))),
  reflect: (x, n) => sum(x, scaled(n, d.mul(-2, dot(n, x)))),
  mulMV: (m, v) => list(m).map(row => dot(row, v)),
  mulVM: (v, m) => list(transpose(m)).map(column => dot(v, column)),
  mulMM: (a, b) => {
    const columns = list(transpose(b))
    return list(a).map(row => columns.map(column => dot(row, column)))
  },
}

/** `#` stands for an expression of a number, and the function is asked at the pattern around it: so that it is smooth there, or nearly always. */
export const safely: readonly { readonly name: string; readonly args: readonly string[]; readonly rare?: boolean }[] = [
  { name: 'sin', args: ['#'] },
  { name: 'sin', args: ['#'] },
  { name: 'cos', args: ['#'] },
  { name: 'tanh', args: ['#'] },
  { name: 'atan', args: ['#'] },
  { name: 'exp', args: ['bounded'] },
  { name: 'exp2', args: ['bounded'] },
  { name: 'sinh', args: ['bounded'] },
  { name: 'cosh', args: ['bounded'] },
  { name: 'tan', args: ['bounded'] },
  { name: 'log', args: ['positive'] },
  { name: 'log2', args: ['positive'] },
  { name: 'log10', args: ['positive'] },
  { name: 'sqrt', args: ['positive'] },
  { name: 'rsqrt', args: ['positive'] },
  { name: 'rcp', args: ['positive'] },
  { name: 'asin', args: ['small'] },
  { name: 'acos', args: ['small'] },
  { name: 'pow', args: ['positive', 'bounded'] },
  { name: 'atan2', args: ['#', 'positive'] },
  { name: 'abs', args: ['#'] },
  { name: 'min', args: ['#', '#'] },
  { name: 'max', args: ['#', '#'] },
  { name: 'clamp', args: ['#', 'low', 'high'] },
  { name: 'saturate', args: ['#'] },
  { name: 'smoothstep', args: ['low', 'high', '#'] },
  { name: 'lerp', args: ['#', '#', '#'] },
  { name: 'fma', args: ['#', '#', '#'] },
  { name: 'mad', args: ['#', '#', '#'] },
  { name: 'radians', args: ['#'] },
  { name: 'frac', args: ['#'] },
  { name: 'floor', args: ['#'] },
  { name: 'sign', args: ['#'] },
  { name: 'step', args: ['#', '#'] },
  { name: 'fmod', args: ['#', 'positive'] },
]
