/** What the tests ask of the library: small differentiable functions with arguments, made of the samples that `core/` gives. */
import { readFileSync, readdirSync } from 'node:fs'

/** A differentiable Slang function `f` to test: its source, the types of its parameters and result, and arguments lane by lane. */
export interface LibraryCase {
  readonly name: string
  readonly source: string
  readonly params: readonly string[]
  readonly result: string
  /** The lanes of all arguments, one after the other. */
  readonly args: readonly (readonly number[])[]
  /** The value of the library function on scalars, where mathematics has a name for it. */
  readonly reference: ((...x: number[]) => number) | undefined
}

/** How many numbers a type holds. */
export function lanesOf(type: string): number {
  const shape = /(\d)(?:x(\d))?$/.exec(type)
  return shape === null ? 1 : Number(shape[1]) * Number(shape[2] ?? 1)
}

const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high)
const roundEven = (x: number): number => {
  const low = Math.floor(x)
  const rest = x - low
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1
}

/** What the functions are in mathematics. */
const references: Readonly<Record<string, (...x: number[]) => number>> = {
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round: roundEven,
  rint: roundEven,
  frac: x => x - Math.floor(x),
  step: (edge, x) => (x < edge ? 0 : 1),
  abs: Math.abs,
  max: Math.max,
  min: Math.min,
  max3: Math.max,
  min3: Math.min,
  fmax: Math.max,
  fmin: Math.min,
  clamp: (x, a, b) => clamp(x, a, b),
  saturate: x => clamp(x, 0, 1),
  lerp: (x, y, s) => x + (y - x) * s,
  smoothstep: (a, b, x) => {
    const t = clamp((x - a) / (b - a), 0, 1)
    return t * t * (3 - 2 * t)
  },
  fma: (a, b, c) => a * b + c,
  mad: (a, b, c) => a * b + c,
  fmod: (x, y) => x % y,
  copysign: (x, y) => Math.abs(x) * Math.sign(y),
  radians: x => (x * Math.PI) / 180,
  degrees: x => (x * 180) / Math.PI,
  sqrt: Math.sqrt,
  rsqrt: x => 1 / Math.sqrt(x),
  rcp: x => 1 / x,
  exp: Math.exp,
  exp2: x => 2 ** x,
  exp10: x => 10 ** x,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  pow: Math.pow,
  ldexp: (x, e) => x * 2 ** e,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  atan2: Math.atan2,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
}

/** Every function of the library with samples, on scalars, vectors and matrices. */
function sampled(): LibraryCase[] {
  const out: LibraryCase[] = []
  const folder = new URL('../../core/', import.meta.url)
  for (const file of readdirSync(folder)
    .filter(f => f.endsWith('.slang'))
    .sort()) {
    const text = readFileSync(new URL(file, folder), 'utf8')
    for (const [, samples, name, params] of text.matchAll(
      /\[__sample\(([^)]*)\)\]\s*T (\w+)<T : __Lanewise>\(([^)]*)\)/g,
    )) {
      const arity = params!.split(',').length
      const numbers = samples!.split(',').map(Number)
      const points = Array.from({ length: numbers.length / arity }, (_, k) => numbers.slice(k * arity, (k + 1) * arity))
      const names = Array.from({ length: arity }, (_, k) => 'xyz'[k]!)
      for (const type of ['float', 'float3', 'float2x2']) {
        const lanes = lanesOf(type)
        // Neighbouring lanes take neighbouring samples, a little apart, so that no lane repeats another.
        const args = points.map((_, at) =>
          names.flatMap((_n, k) =>
            Array.from({ length: lanes }, (_l, lane) => points[(at + lane) % points.length]![k]! * (1 + 0.01 * lane)),
          ),
        )
        out.push({
          name: `${name} of ${type}`,
          params: names.map(() => type),
          result: type,
          args,
          reference: references[name!],
          source: `[Differentiable] public ${type} f(${names.map(n => `${type} ${n}`).join(', ')}) { return ${name}(${names.join(', ')}); }`,
        })
      }
    }
  }
  return out
}

/** Functions whose shapes differ: parameter types, result type, body. */
const shaped: readonly (readonly [name: string, params: readonly string[], result: string, body: string])[] = [
  ['dot', ['float3', 'float3'], 'float', 'return dot(x, y);'],
  ['dot of float2', ['float2', 'float2'], 'float', 'return dot(x, y);'],
  ['cross', ['float3', 'float3'], 'float3', 'return cross(x, y);'],
  ['length', ['float3'], 'float', 'return length(x);'],
  ['length of float2', ['float2'], 'float', 'return length(x);'],
  [
    'functions of vectors on scalars',
    ['float', 'float'],
    'float',
    'return dot(x, y) + length(x) * distance(x, y) + normalize(y);',
  ],
  ['distance', ['float3', 'float3'], 'float', 'return distance(x, y);'],
  ['normalize', ['float3'], 'float3', 'return normalize(x);'],
  ['normalize of float4', ['float4'], 'float4', 'return normalize(x);'],
  ['reflect', ['float3', 'float3'], 'float3', 'return reflect(x, y);'],
  ['refract', ['float3', 'float3', 'float'], 'float3', 'return refract(normalize(x), normalize(-y), z * 0.5);'],
  ['faceforward', ['float3', 'float3', 'float3'], 'float3', 'return faceforward(x, y, z);'],
  ['dst', ['float4', 'float4'], 'float4', 'return dst(x, y);'],
  ['lit', ['float', 'float', 'float'], 'float4', 'return lit(x, y, z);'],
  ['sincos', ['float3'], 'float3', 'float3 s; float3 c; sincos(x, s, c); return s * c + c;'],
  ['modf', ['float3'], 'float3', 'float3 i; float3 f = modf(x, i); return f * f + i;'],
  ['lerp by a scalar', ['float3', 'float3', 'float'], 'float3', 'return lerp(x, y, z);'],
  ['max with a literal', ['float3'], 'float3', 'return max(x, 0.5);'],
  ['pow with a literal', ['float3'], 'float3', 'return pow(x, 2.5);'],
  ['select', ['float3', 'float3'], 'float3', 'return select(x > y, x * y, y);'],
  ['select of matrices', ['float2x2', 'float2x2'], 'float2x2', 'return select(x > y, x * y, y);'],
  ['select by one condition', ['float3', 'float3'], 'float3', 'return select(x.x > y.x, x * y, y);'],
  ['detach', ['float', 'float3'], 'float3', 'return x * y * detach(floor(x * 8) + float3(1, 2, 3));'],
  [
    'pairs',
    ['float', 'float'],
    'float',
    'var p = diffPair(x * x, y); p.updatePrimal(p.p * y); p.updateDiff(p.d + x); var q = diffPair(y); q.updatePair(p.getDifferential(), p.getPrimal() * x); return p.v * q.p + q.d * p.d;',
  ],
  [
    'updates of pairs',
    ['float3', 'float'],
    'float3',
    'var p = diffPair(x, x * y); updatePrimal(p, p.d * p.p); updateDiff(p, p.p - x); var q = p; updatePair(q, p.d * y, p.p); unused(x); return q.p * p.d + q.d;',
  ],
  ['makeTuple of 1', ['float', 'float'], 'float', 'let t = makeTuple(x); return t._0 * (t._0 * 1) + y;'],
  ['makeTuple of 2', ['float', 'float'], 'float', 'let t = makeTuple(x, y); return t._0 * (t._0 * 1 + t._1 * 2) + y;'],
  [
    'makeTuple of 3',
    ['float', 'float'],
    'float',
    'let t = makeTuple(x, y, x * y); return t._0 * (t._0 * 1 + t._1 * 2 + t._2 * 3) + y;',
  ],
  [
    'makeTuple of 4',
    ['float', 'float'],
    'float',
    'let t = makeTuple(x, y, x * y, x - y); return t._0 * (t._0 * 1 + t._1 * 2 + t._2 * 3 + t._3 * 4) + y;',
  ],
  [
    'makeTuple of 5',
    ['float', 'float'],
    'float',
    'let t = makeTuple(x, y, x * y, x - y, x * x); return t._0 * (t._0 * 1 + t._1 * 2 + t._2 * 3 + t._3 * 4 + t._4 * 5) + y;',
  ],
  [
    'makeTuple of 6',
    ['float', 'float'],
    'float',
    'let t = makeTuple(x, y, x * y, x - y, x * x, y * y); return t._0 * (t._0 * 1 + t._1 * 2 + t._2 * 3 + t._3 * 4 + t._4 * 5 + t._5 * 6) + y;',
  ],
  [
    'makeTuple of 7',
    ['float', 'float'],
    'float',
    'let t = makeTuple(x, y, x * y, x - y, x * x, y * y, x + y); return t._0 * (t._0 * 1 + t._1 * 2 + t._2 * 3 + t._3 * 4 + t._4 * 5 + t._5 * 6 + t._6 * 7) + y;',
  ],
  [
    'makeTuple of 8',
    ['float', 'float'],
    'float',
    'let t = makeTuple(x, y, x * y, x - y, x * x, y * y, x + y, x / y); return t._0 * (t._0 * 1 + t._1 * 2 + t._2 * 3 + t._3 * 4 + t._4 * 5 + t._5 * 6 + t._6 * 7 + t._7 * 8) + y;',
  ],
  [
    'concat',
    ['float', 'float'],
    'float',
    'let t = concat(makeTuple(x), makeTuple(y, x * y)); return t._0 * (t._0 * 1 + t._1 * 2 + t._2 * 3) + y;',
  ],
  ['mul of row vector and matrix', ['float2', 'float2x3'], 'float3', 'return mul(x, y);'],
  ['mul of matrix and column vector', ['float2x3', 'float3'], 'float2', 'return mul(x, y);'],
  ['mul of matrices', ['float2x3', 'float3x2'], 'float2x2', 'return mul(x, y);'],
  ['mul of square matrices', ['float3x3', 'float3x3'], 'float3x3', 'return mul(x, y);'],
  ['mul by a scalar', ['float2x2', 'float'], 'float2x2', 'return mul(x, y) + mul(y, x);'],
  ['mul of vectors', ['float4', 'float4'], 'float', 'return mul(x, y);'],
  ['mul of vectors by scalars', ['float3', 'float'], 'float3', 'return mul(x, mul(y, y)) + mul(y, x);'],
  ['transpose', ['float2x3'], 'float3x2', 'return transpose(x);'],
  ['determinant 1', ['float1x1'], 'float', 'return determinant(x) * x[0][0];'],
  ['determinant 2', ['float2x2'], 'float', 'return determinant(x);'],
  ['determinant 3', ['float3x3'], 'float', 'return determinant(x);'],
  ['determinant 4', ['float4x4'], 'float', 'return determinant(x);'],
  ['float remainder', ['float3', 'float3'], 'float3', 'return (x * 7.0) % y;'],
  ['matrix quotient', ['float2x2', 'float2x2'], 'float2x2', 'return x / y;'],
  ['matrix negation', ['float2x2'], 'float2x2', 'return -x * x;'],
]

const spread = [0.71, 0.34, 1.27, 0.52, 0.93, 1.61, 0.18, 1.09, 0.83, 0.41, 1.43, 0.66]

export const libraryCases: readonly LibraryCase[] = [
  ...sampled(),
  ...shaped.map(([name, params, result, body]): LibraryCase => {
    let at = 0
    const args = params.flatMap(type =>
      Array.from({ length: lanesOf(type) }, () => spread[at++ % spread.length]! + 0.017 * at),
    )
    const list = params.map((type, k) => `${type} ${'xyz'[k]!}`).join(', ')
    return {
      name,
      params,
      result,
      args: [args],
      reference: undefined,
      source: `[Differentiable] public ${result} f(${list}) { ${body} }`,
    }
  }),
]
