/** What the attributes of the language mean. A new attribute of the checker does not compile without a row here. */
import type { DataAttribute, FunctionAttribute, StatementAttribute } from '../check/model/attribute-names.ts'

/** What an attribute stands on. */
export type Carrier = 'function' | 'method' | 'interface' | 'loop' | 'branch' | 'field' | 'variable' | 'type' | 'enum'

export interface AttributeText {
  readonly text: string
  /** On what it is offered; nowhere if it only is accepted. */
  readonly on: readonly Carrier[]
  /** The arguments as a snippet. */
  readonly args?: string
}

type KnownAttribute = FunctionAttribute | StatementAttribute | DataAttribute

const functions: readonly Carrier[] = ['function', 'method']
const accepted: readonly Carrier[] = []
const without = (what: string): AttributeText => ({
  text: `${what} Accepted for programs written for Slang; without effect here.`,
  on: accepted,
})

const bothWays =
  'Makes the function differentiable: `fwd_diff(f)` and `bwd_diff(f)` are made by transforming its body, and calls of it carry derivatives.'
const ofFunction = (what: string): string =>
  `Names the function whose ${what} this function is. It stands on the derivative; the other function may be in another module.`
const inlined = 'Calls of the function are replaced by its body.'
const notInlined = 'Calls of the function stay calls.'
const pure = 'Promises that the function changes nothing outside of itself.'
const size =
  'The number of threads in a group along x, y and z: at most 1024 together. A function with it is a compute entry point.'
const stage = 'Makes the function an entry point of a stage: `"compute"`, `"vertex"` or `"fragment"`.'
const kernel = 'Makes the function an entry point that works on tensors: the host gives the number of threads.'
const host = 'It is about the host code that Slang makes for CUDA.'
const maxIters =
  'The most trips that the loop makes. The reverse derivative makes room for the states of that many trips.'
const binding = 'The binding of a resource, and its group: `[[vk::binding(0, 1)]]` is `@group(1) @binding(0)` in WGSL.'
const location = 'The location of a value that passes between stages, or of a render target.'
const format = 'The format of the texels of a writable texture, such as `"rgba8"` or `"r32f"`.'
const loopHint = 'A hint of HLSL, without effect.'

export const attributeTexts: Readonly<Record<KnownAttribute, AttributeText>> = {
  Differentiable: { text: bothWays, on: ['function', 'method', 'interface'] },
  BackwardDifferentiable: { text: `${bothWays} The same as \`[Differentiable]\`.`, on: functions },
  ForwardDifferentiable: {
    text: 'Makes the function differentiable in forward mode alone: `fwd_diff(f)` is made by transforming its body.',
    on: functions,
  },
  ForwardDerivative: {
    text: 'Names the function that is the forward derivative of this one, in place of one made of its body.',
    on: functions,
    args: '${1:derivative}',
  },
  BackwardDerivative: {
    text: 'Names the function that is the backward derivative of this one, in place of one made of its body.',
    on: functions,
    args: '${1:derivative}',
  },
  ForwardDerivativeOf: { text: ofFunction('forward derivative'), on: functions, args: '${1:function}' },
  BackwardDerivativeOf: { text: ofFunction('backward derivative'), on: functions, args: '${1:function}' },
  PrimalSubstitute: {
    text: 'Names the function that is differentiated in place of this one.',
    on: functions,
    args: '${1:substitute}',
  },
  PrimalSubstituteOf: { text: ofFunction('primal substitute'), on: functions, args: '${1:function}' },
  TreatAsDifferentiable: {
    text: 'The function counts as differentiable, with a derivative of zero unless somebody writes one.',
    on: ['function', 'method', 'interface'],
  },
  NoDiffThis: { text: 'Derivatives do not flow through `this` of the method.', on: ['method'] },
  ForceInline: { text: inlined, on: functions },
  __unsafeForceInlineEarly: { text: inlined, on: accepted },
  noinline: { text: notInlined, on: accepted },
  NoInline: { text: notInlined, on: functions },
  PreferRecompute: {
    text: 'The reverse pass runs the function again for what it needs of it, instead of storing that. The function must have no effects.',
    on: functions,
  },
  PreferCheckpoint: {
    text: 'The reverse pass stores what it needs of the function, instead of running it again.',
    on: functions,
  },
  mutating: { text: 'The method may change its object.', on: ['method'] },
  nonmutating: { text: 'The accessor does not change its object, though it is a `set` or `ref`.', on: ['method'] },
  __NoSideEffect: { text: pure, on: accepted },
  __noSideEffect: { text: pure, on: accepted },
  __readNone: { text: `${pure} Nor does it read anything.`, on: accepted },
  __ReadNone: { text: `${pure} Nor does it read anything.`, on: accepted },
  shader: { text: stage, on: ['function'], args: '"${1|compute,vertex,fragment|}"' },
  Shader: { text: stage, on: accepted, args: '"${1|compute,vertex,fragment|}"' },
  numthreads: { text: size, on: ['function'], args: '${1:64}, ${2:1}, ${3:1}' },
  NumThreads: { text: size, on: accepted, args: '${1:64}, ${2:1}, ${3:1}' },
  CUDAKernel: { text: kernel, on: ['function'] },
  CudaKernel: { text: kernel, on: accepted },
  AutoPyBindCUDA: without(host),
  TorchEntryPoint: without(host),
  CudaDeviceExport: without(host),
  CUDADeviceExport: without(host),
  CudaHost: without(host),
  CUDAHost: without(host),
  DllExport: { text: 'Exports the function: it is compiled also where nothing calls it.', on: accepted },
  DllImport: without('The function comes from a library.'),
  OverloadRank: {
    text: 'Of overloads that take the arguments equally well, the one with the higher rank is called.',
    on: functions,
    args: '${1:1}',
  },
  deprecated: {
    text: 'Each call of the function gives a warning with this text.',
    on: functions,
    args: '"${1:use … instead}"',
  },
  require: without('The capability that the function asks of a target.'),
  KnownBuiltin: without('A name by which the compiler knows the function.'),
  WaveSize: without('The number of lanes in a wave.'),
  outputtopology: without('The primitives that a geometry or mesh shader makes.'),
  maxvertexcount: without('The most vertices that a geometry shader makes.'),
  earlydepthstencil: without('Depth and stencil tests run before the fragment shader.'),
  anyValueSize: without('The bytes that a value of an interface type has at most.'),
  Specialize: without('The function is compiled anew for each type.'),
  constref: without('`this` is passed by reference.'),
  noRefInline: without('References are kept.'),
  PyExport: without(host),
  __intrinsic_op: {
    text: 'The function is an operation of the real compiler. Operation 0 gives the operand as another type.',
    on: accepted,
  },
  'vk::spirv_instruction': {
    text: 'The function is an instruction of SPIR-V: from 126 to 133, negation, sum, difference and product.',
    on: functions,
    args: '${1:128}',
  },
  UnscopedEnum: { text: 'The cases of the enum can be named without it.', on: accepted },
  Flags: { text: 'The cases of the enum are bits: 1, 2, 4 … where they have no value.', on: ['enum'] },
  ForceUnroll: {
    text: 'Unrolls the loop before it is differentiated. The number of trips must be known.',
    on: ['loop'],
  },
  unroll: {
    text: 'Asks that the loop is unrolled. It stays where its trips are not known, or are too many.',
    on: ['loop'],
  },
  loop: { text: 'Keeps the loop: it is not unrolled.', on: ['loop'] },
  fastopt: { text: loopHint, on: accepted },
  allow_uav_condition: { text: loopHint, on: accepted },
  MaxIters: { text: maxIters, on: ['loop'], args: '${1:64}' },
  maxiters: { text: maxIters, on: accepted, args: '${1:64}' },
  Checkpoints: {
    text: 'The reverse pass keeps at most so many states of the loop at a time, and runs the trips between two of them again.',
    on: ['loop'],
    args: '${1:16}',
  },
  branch: { text: 'A hint to branch.', on: ['branch'] },
  flatten: { text: 'A hint to compute both sides and to choose.', on: ['branch'] },
  DerivativeMember: {
    text: 'Names the field of the differential that holds the derivative of this field: `[DerivativeMember(Differential.x)]`.',
    on: ['field'],
    args: 'Differential.${1:field}',
  },
  'vk::binding': { text: binding, on: ['variable'], args: '${1:0}, ${2:0}' },
  vk_binding: { text: binding, on: accepted, args: '${1:0}, ${2:0}' },
  'gl::binding': { text: binding, on: accepted, args: '${1:0}, ${2:0}' },
  'vk::location': { text: location, on: ['field'], args: '${1:0}' },
  vk_location: { text: location, on: accepted, args: '${1:0}' },
  format: { text: format, on: ['variable'], args: '"${1:rgba8}"' },
  'vk::image_format': { text: format, on: ['variable'], args: '"${1:rgba8}"' },
  vk_image_format: { text: format, on: accepted, args: '"${1:rgba8}"' },
  __AttributeUsage: {
    text: 'Makes the struct an attribute: `[__AttributeUsage(_AttributeTargets.Function)] struct NameAttribute` is `[Name]`.',
    on: ['type'],
    args: '_AttributeTargets.${1:Function}',
  },
}

/** What an attribute means; undefined for one that nobody knows. */
export function attributeText(name: string): AttributeText | undefined {
  return Object.hasOwn(attributeTexts, name) ? attributeTexts[name as KnownAttribute] : undefined
}
