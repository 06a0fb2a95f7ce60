/** The attributes that the checker knows, by what they stand on. Editors have a text for each. */

/** Those of functions, methods, properties and entry points. */
export const functionAttributes = [
  'Differentiable',
  'BackwardDifferentiable',
  'ForwardDifferentiable',
  'ForwardDerivative',
  'BackwardDerivative',
  'ForwardDerivativeOf',
  'BackwardDerivativeOf',
  'PrimalSubstitute',
  'PrimalSubstituteOf',
  'TreatAsDifferentiable',
  'NoDiffThis',
  'ForceInline',
  '__unsafeForceInlineEarly',
  'noinline',
  'NoInline',
  'PreferRecompute',
  'PreferCheckpoint',
  'mutating',
  'nonmutating',
  '__NoSideEffect',
  '__noSideEffect',
  '__readNone',
  '__ReadNone',
  'shader',
  'Shader',
  'numthreads',
  'NumThreads',
  'CUDAKernel',
  'CudaKernel',
  'AutoPyBindCUDA',
  'TorchEntryPoint',
  'CudaDeviceExport',
  'CUDADeviceExport',
  'CudaHost',
  'CUDAHost',
  'DllExport',
  'DllImport',
  'OverloadRank',
  'deprecated',
  'require',
  'KnownBuiltin',
  'WaveSize',
  'outputtopology',
  'maxvertexcount',
  'earlydepthstencil',
  'anyValueSize',
  'Specialize',
  'constref',
  'noRefInline',
  'PyExport',
  '__intrinsic_op',
  'vk::spirv_instruction',
  'UnscopedEnum',
  'Flags',
] as const
export type FunctionAttribute = (typeof functionAttributes)[number]

/** Those of loops and branches. Functions take some of them too, and do nothing with them. */
export const statementAttributes = [
  'ForceUnroll',
  'unroll',
  'loop',
  'fastopt',
  'allow_uav_condition',
  'MaxIters',
  'maxiters',
  'Checkpoints',
  'branch',
  'flatten',
] as const
export type StatementAttribute = (typeof statementAttributes)[number]

/** Those of fields, parameters, shader parameters and types. */
export const dataAttributes = [
  'DerivativeMember',
  'vk::binding',
  'vk_binding',
  'gl::binding',
  'vk::location',
  'vk_location',
  'format',
  'vk::image_format',
  'vk_image_format',
  '__AttributeUsage',
] as const
export type DataAttribute = (typeof dataAttributes)[number]

/** Those that only the core library may use, since nobody checks them. */
export const coreAttributes = [
  '__target_intrinsic',
  '__op',
  '__intrinsic',
  '__lanewise',
  '__pure',
  '__convergent',
  '__sample',
] as const
export type CoreAttribute = (typeof coreAttributes)[number]
