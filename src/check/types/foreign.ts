/**
 * Names of Slang's library that mean something which no target of this compiler has. A program may mention them; only what an
 * entry point or export reaches is reported.
 */
import type { Cx } from '../model/context.ts'

const foreign = wholly([
  'Const(?:BufferPointer|Ptr)|CDataLayout|__DynamicResource|DescriptorAccess|(?:Resource|Sampler)DescriptorHeap',
  'TorchTensor|RaytracingAccelerationStructure|RayQuery|Trace(?:Motion)?Ray|HitObject|ReportHit\\w*|CallShader|ReorderThread',
  'AcceptHitAndEndSearch|IgnoreHit|DispatchRays\\w*|(?:World|Object)Ray\\w*|Ray(?:TMin|T?Current\\w*|Flags)',
  '(?:Primitive|Instance|Geometry)Index|InstanceID|Hit(?:Kind|Triangle)\\w*|(?:ObjectToWorld|WorldToObject)\\w*',
  '(?:RAY_QUERY|COMMITTED|CANDIDATE|HIT_KIND)_\\w*',
  'RWTexture2DMS\\w*|RasterizerOrdered\\w*|FeedbackTexture2D\\w*|SubpassInput\\w*',
  '(?:Point|Line|Triangle)Stream|(?:Input|Output)Patch|Output(?:Vertices|Indices|Primitives)|SetMesh\\w*|DispatchMesh',
  'coopVecLoadCoherent|CoopMat\\w*|coopMatLoad|WaveM(?:atch|ultiPrefix\\w*)',
  '__apply|NativeString|CalculateLevelOfDetail\\w*|getStringHash|GetAttributeAtVertex',
])

/** Names in files of the core library that a bundle for WGSL alone may lack. */
const apart = wholly([
  '[cC]oopVec\\w*|I(?:RW)?PhysicalBuffer',
  '(?:Wave(?!Match|Multi)|Quad)[A-Z]\\w*',
  '(?:Diff)?TensorView|DiffTexture2D|IDiffTensorWrapper|AtomicAdd|cuda(?:ThreadIdx|BlockIdx|BlockDim)',
  'texture2D|Sampler(?:[123]D|Cube)\\w*',
  'f16tof32|f32tof16_|(?:un)?pack(?:Half2x16|[US]norm(?:4x8|2x16)|_(?:clamp_)?[us]8\\w*)|unpack\\w+To(?:Float|Half)|u?int8_t4_packed|dot(?:2add|4add_[ui]8packed)',
  'as(?:u?int|float)16|asdouble|nextafter|frexp|bitfield(?:Extract|Insert)|dst|lit|determinant|(?:Immutable)?Ptr|Access|AddressSpace',
  '(?:Append|Consume)StructuredBuffer|(?:RW)?ByteAddressBuffer|__atomic_\\w+|RayDesc|RAY_FLAG\\w*|BuiltInTriangleIntersectionAttributes',
])

/** A whole name of one of the lists. */
function wholly(lists: readonly string[]): RegExp {
  return new RegExp(`^(?:${lists.join('|')})$`)
}

/** What a name is called if it is one of Slang's that no target has, or that the core library given lacks; else null. */
export function foreignFeature(cx: Cx, name: string): string | null {
  if (apart.test(name) && cx.library.lookup('CoopVec').length === 0)
    return `${name} without cotangent/library in the option library`
  return foreign.test(name) ? name : null
}
