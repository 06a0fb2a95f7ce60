/**
 * The target intrinsics of WGSL: all of its built-in functions that calls of the core library become, or that legalising calls
 * itself. What the target must know of one stands in its row.
 */
import { InternalError } from '../../base/diag.ts'
import type { Func } from '../../ir/value.ts'

interface Properties {
  /** The rule of WGSL's uniformity analysis that a call triggers: the pixels of a quad, or the threads of a subgroup, call it together. */
  readonly uniformity?: 'derivative' | 'subgroup'
  /** The only stage that has it. */
  readonly stage?: 'fragment'
  /** Its name in messages, where the source has another one than WGSL. */
  readonly source?: string
  /** What it does with a texture: asks for its size, reads or writes a texel, samples, or gathers a channel of four texels. */
  readonly texture?: 'query' | 'load' | 'store' | 'sample' | 'gather'
  /** Compares depths; its sampler is a comparison sampler. */
  readonly compares?: true
  /** Its last float is a level, which is a whole number where the texture holds depths. */
  readonly takesLevel?: true
  /**
   * What it asks of its last two operands where they are constants, even where the first is not: that they are in order, or that an offset and a number of
   * bits lie inside of the number.
   */
  readonly bounds?: 'inOrder' | 'insideOfWidth'
  /** Why devices may compute it wrongly, as WGSL allows, for operands that programs have (`expand.ts` mends it). */
  readonly mend?: 'signOfZero' | 'cancellation'
  /** A statement, written without parentheses. */
  readonly isStatement?: true
  /** Has an effect, and yet WGSL wants its result to be used. */
  readonly mustUse?: true
}

/** A target intrinsic of WGSL. */
export interface Intrinsic extends Properties {
  readonly name: string
}

/** What compares values of neighbouring pixels. */
const derivative = (source: string): Properties => ({ uniformity: 'derivative', stage: 'fragment', source })

const subgroup: Properties = { uniformity: 'subgroup' }

const table: Readonly<Record<string, Properties>> = {
  abs: {},
  acos: {},
  acosh: {},
  all: {},
  any: {},
  arrayLength: {},
  asin: {},
  asinh: { mend: 'cancellation' },
  atan: {},
  atan2: { mend: 'signOfZero' },
  atanh: {},
  atomicAdd: {},
  atomicAnd: {},
  atomicCompareExchangeWeak: {},
  atomicExchange: {},
  atomicLoad: {},
  atomicMax: {},
  atomicMin: {},
  atomicOr: {},
  atomicStore: {},
  atomicXor: {},
  ceil: {},
  clamp: { bounds: 'inOrder' },
  cos: {},
  cosh: {},
  countOneBits: {},
  cross: {},
  degrees: {},
  determinant: {},
  discard: { stage: 'fragment', isStatement: true },
  distance: {},
  dpdx: derivative('ddx'),
  dpdxCoarse: derivative('ddx_coarse'),
  dpdxFine: derivative('ddx_fine'),
  dpdy: derivative('ddy'),
  dpdyCoarse: derivative('ddy_coarse'),
  dpdyFine: derivative('ddy_fine'),
  exp: {},
  extractBits: { bounds: 'insideOfWidth' },
  exp2: {},
  faceForward: {},
  firstLeadingBit: {},
  firstTrailingBit: {},
  floor: {},
  fma: {},
  fract: {},
  fwidth: derivative('fwidth'),
  insertBits: { bounds: 'insideOfWidth' },
  inverseSqrt: {},
  length: {},
  log: {},
  log2: {},
  max: {},
  min: {},
  mix: {},
  normalize: {},
  pack2x16float: {},
  pack2x16snorm: {},
  pack2x16unorm: {},
  pack4x8snorm: {},
  pack4x8unorm: {},
  pow: {},
  quadSwapDiagonal: subgroup,
  quadSwapX: subgroup,
  quadSwapY: subgroup,
  radians: {},
  reflect: {},
  refract: {},
  reverseBits: {},
  round: {},
  saturate: {},
  sign: {},
  sin: {},
  sinh: {},
  sqrt: {},
  step: {},
  storageBarrier: {},
  subgroupAdd: subgroup,
  subgroupAll: subgroup,
  subgroupAnd: subgroup,
  subgroupAny: subgroup,
  subgroupBallot: subgroup,
  subgroupBroadcastFirst: subgroup,
  subgroupElect: subgroup,
  subgroupExclusiveAdd: subgroup,
  subgroupExclusiveMul: subgroup,
  subgroupMax: subgroup,
  subgroupMin: subgroup,
  subgroupMul: subgroup,
  subgroupOr: subgroup,
  subgroupShuffle: subgroup,
  subgroupXor: subgroup,
  tan: {},
  tanh: {},
  textureDimensions: { texture: 'query' },
  textureGather: { texture: 'gather' },
  textureGatherCompare: { texture: 'gather', compares: true },
  textureLoad: { texture: 'load' },
  textureNumLayers: { texture: 'query' },
  textureNumLevels: { texture: 'query' },
  textureNumSamples: { texture: 'query' },
  textureSample: { texture: 'sample', ...derivative('Sample') },
  textureSampleBias: { texture: 'sample', ...derivative('SampleBias') },
  textureSampleCompare: { texture: 'sample', compares: true, ...derivative('SampleCmp') },
  textureSampleCompareLevel: { texture: 'sample', compares: true },
  textureSampleGrad: { texture: 'sample' },
  textureSampleLevel: { texture: 'sample', takesLevel: true },
  textureStore: { texture: 'store' },
  trunc: {},
  unpack2x16float: {},
  unpack2x16snorm: {},
  unpack2x16unorm: {},
  unpack4x8snorm: {},
  unpack4x8unorm: {},
  workgroupBarrier: {},
  workgroupUniformLoad: { mustUse: true },
}

/** The target intrinsics by name. */
export const intrinsics: ReadonlyMap<string, Intrinsic> = new Map(
  Object.entries(table).map(([name, row]) => [name, { name, ...row }]),
)

/** The target intrinsic of that name. */
export function intrinsicNamed(name: string): Intrinsic {
  const found = intrinsics.get(name)
  if (found === undefined) throw new InternalError('wgsl', `no target intrinsic ${name}`)
  return found
}

/** The target intrinsic that calls of a function become; undefined for a function with a body of its own. */
export function intrinsicOf(func: Func): Intrinsic | undefined {
  const name = func.info.intrinsics?.['wgsl']
  return name === undefined ? undefined : intrinsicNamed(name)
}
