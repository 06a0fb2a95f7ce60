/**
 * Real numbers that carry derivatives: dual numbers nested as deep as derivatives are. Each derivative that is taken has a tag of
 * its own, higher than those of the derivatives around it, so that two perturbations never mix. Nothing here knows the compiler.
 */

export type Num = number | Dual

/** `p + d·ε` for the ε of a tag; `p` and `d` carry lower tags only. */
export class Dual {
  readonly tag: number
  readonly p: Num
  readonly d: Num

  constructor(tag: number, p: Num, d: Num) {
    this.tag = tag
    this.p = p
    this.d = d
  }
}

/** How the derivative of a tag is taken: which derivatives of the user count depends on it. */
export type Mode = 'fwd' | 'bwd'

/** What a run is watched for, and how its arithmetic errs. */
export interface Watch {
  /** The least distance to a place where a function has a kink or a jump, or a condition turns, relative to the numbers there. */
  margin: number
  /** The largest number met. */
  largest: number
  /** Relative errors of arithmetic, to be chosen at random up to it. */
  noise: number
  /** Absolute errors of sines and cosines, likewise: devices are allowed much. */
  waves: number
  random: () => number
}

export const watch: Watch = { margin: Infinity, largest: 0, noise: 0, waves: 0, random: Math.random }

const modes: Mode[] = ['fwd']

/** Forgets all tags: a new run begins. */
export function forgetTags(): void {
  modes.length = 1
}

export function newTag(mode: Mode): number {
  modes.push(mode)
  return modes.length - 1
}

export const modeOf = (tag: number): Mode => modes[tag]!

export const tagOf = (x: Num): number => (typeof x === 'number' ? 0 : x.tag)

/** What a number is but for the ε of a tag that is the highest there is. */
export const primalAt = (x: Num, tag: number): Num => (typeof x !== 'number' && x.tag === tag ? x.p : x)

export const tangentAt = (x: Num, tag: number): Num => (typeof x !== 'number' && x.tag === tag ? x.d : 0)

/** The number alone. */
export function real(x: Num): number {
  while (typeof x !== 'number') x = x.p
  return x
}

function rounded(x: number): number {
  const size = Math.abs(x)
  if (size > watch.largest) watch.largest = size
  return watch.noise === 0 ? x : x * (1 + watch.noise * (2 * watch.random() - 1))
}

/** Notes that what follows depends on which of two numbers is larger. Equal ones are so on purpose, as a rule: noise shows where not. */
export function compared(x: number, y: number): void {
  if (x === y) return
  const margin = Math.abs(x - y) / (1 + Math.max(Math.abs(x), Math.abs(y)))
  // A comparison of what is no number tells nothing.
  if (!(margin >= watch.margin)) watch.margin = Number.isNaN(margin) ? 0 : margin
}

/** Notes that what follows depends on between which integers a number lies. */
export function between(x: number): void {
  compared(x, Math.round(x))
}

/**
 * A tangent as one of the operands of a sum. What reverse mode adds up for a value is one number for each of its uses: they err each by
 * itself, even where all of them together are nothing, as for `v - v`.
 */
function used(d: Num): Num {
  if (watch.noise === 0) return d
  return typeof d === 'number' ? rounded(d) : new Dual(d.tag, used(d.p), used(d.d))
}

export function add(x: Num, y: Num): Num {
  if (typeof x === 'number') {
    if (typeof y === 'number') return x === 0 ? y : y === 0 ? x : rounded(x + y)
    return x === 0 ? y : new Dual(y.tag, add(x, y.p), used(y.d))
  }
  if (typeof y === 'number') return y === 0 ? x : new Dual(x.tag, add(x.p, y), used(x.d))
  if (x.tag === y.tag) return new Dual(x.tag, add(x.p, y.p), add(used(x.d), used(y.d)))
  return x.tag > y.tag ? new Dual(x.tag, add(x.p, y), used(x.d)) : new Dual(y.tag, add(x, y.p), used(y.d))
}

export function neg(x: Num): Num {
  return typeof x === 'number' ? -x : new Dual(x.tag, neg(x.p), neg(x.d))
}

export const sub = (x: Num, y: Num): Num => add(x, neg(y))

export function mul(x: Num, y: Num): Num {
  if (typeof x === 'number') {
    if (typeof y === 'number') return rounded(x * y)
    return new Dual(y.tag, mul(x, y.p), mul(x, y.d))
  }
  if (typeof y === 'number' || x.tag > y.tag) return new Dual(x.tag, mul(x.p, y), mul(x.d, y))
  if (y.tag > x.tag) return new Dual(y.tag, mul(x, y.p), mul(x, y.d))
  return new Dual(x.tag, mul(x.p, y.p), add(mul(x.d, y.p), mul(x.p, y.d)))
}

/** A smooth function of one number, with its slope. */
export function smooth(x: Num, f: (x: number) => number, slope: (x: Num) => Num): Num {
  return typeof x === 'number' ? rounded(f(x)) : new Dual(x.tag, smooth(x.p, f, slope), mul(slope(x.p), x.d))
}

export const rcp = (x: Num): Num =>
  smooth(
    x,
    v => 1 / v,
    v => {
      const r = rcp(v)
      return neg(mul(r, r))
    },
  )
export const div = (x: Num, y: Num): Num => mul(x, rcp(y))

function wave(x: Num, f: (x: number) => number, slope: (x: Num) => Num): Num {
  return smooth(x, watch.waves === 0 ? f : v => f(v) + watch.waves * (2 * watch.random() - 1), slope)
}
export const sin = (x: Num): Num => wave(x, Math.sin, cos)
export const cos = (x: Num): Num => wave(x, Math.cos, v => neg(sin(v)))
export const exp = (x: Num): Num => smooth(x, Math.exp, exp)
export const log = (x: Num): Num => smooth(x, Math.log, rcp)
export const sqrt = (x: Num): Num => smooth(x, Math.sqrt, v => mul(0.5, rcp(sqrt(v))))
export const sinh = (x: Num): Num => smooth(x, Math.sinh, cosh)
export const cosh = (x: Num): Num => smooth(x, Math.cosh, sinh)
export const tanh = (x: Num): Num =>
  smooth(x, Math.tanh, v => {
    const t = tanh(v)
    return sub(1, mul(t, t))
  })
export const atan = (x: Num): Num => smooth(x, Math.atan, v => rcp(add(1, mul(v, v))))
const arc = (v: Num): Num => rcp(sqrt(sub(1, mul(v, v))))
export const asin = (x: Num): Num => smooth(x, Math.asin, arc)
export const acos = (x: Num): Num => smooth(x, Math.acos, v => neg(arc(v)))
export const pow = (x: Num, y: Num): Num => exp(mul(y, log(x)))
/** The angle of a point whose second coordinate is positive. */
export const atan2 = (y: Num, x: Num): Num => atan(div(y, x))

/** Which of two numbers is larger decides. */
export const less = (x: Num, y: Num): boolean => {
  const [a, b] = [real(x), real(y)]
  compared(a, b)
  return a < b
}
const isTie = (x: Num, y: Num): boolean => real(x) === real(y)
/** Where two are equal, each has half of the slope. */
const half = (x: Num, y: Num): Num => mul(0.5, add(x, y))
export const abs = (x: Num): Num => (isTie(x, 0) ? 0 : less(x, 0) ? neg(x) : x)
export const min = (x: Num, y: Num): Num => (isTie(x, y) ? half(x, y) : less(y, x) ? y : x)
export const max = (x: Num, y: Num): Num => (isTie(x, y) ? half(x, y) : less(x, y) ? y : x)
/** At a bound the number itself counts. */
export const clamp = (x: Num, low: Num, high: Num): Num => (less(x, low) ? low : less(high, x) ? high : x)

/** A function that is constant between jumps at integers. */
export function stepwise(x: Num, f: (x: number) => number): number {
  const v = real(x)
  between(v)
  return f(v)
}
export const fract = (x: Num): Num => sub(x, stepwise(x, Math.floor))
