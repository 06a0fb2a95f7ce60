/**
 * Names of Slang's library that mean something which no target of this compiler has. A program may mention them; only what an
 * entry point or export reaches is reported.
 */
import type { Cx } from '../model/context.ts'

const foreign = wholly([
  'ConstPtr|CDataLayout|__DynamicResource|DescriptorAccess|(?:Resource|Sampler)DescriptorHeap',
  'TorchTensor|RaytracingAccelerationStructure|RayQuery|Trace(?:Motion)?Ray|HitObject|ReportHit(?:Optix)?|CallShader|ReorderThread',
  'AcceptHitAndEndSearch|IgnoreHit|DispatchRays(?:Index|Dimensions)|(?:World|Object)Ray(?:Origin|Direction)|Ray(?:TMin|TCurrent|Flags|CurrentTime)',
  '(?:Primitive|Instance|Geometry)Index|InstanceID|HitKind|HitTriangleVertexPosition|(?:ObjectToWorld|WorldToObject)(?:3x4|4x3)?',
  '(?:RAY_QUERY|COMMITTED|CANDIDATE|HIT_KIND)_[A-Z_]+',
  'RWTexture2DMS(?:Array)?|RasterizerOrdered[A-Z]\\w*|FeedbackTexture2D(?:Array)?|SubpassInput(?:MS)?',
  '(?:Point|Line|Triangle)Stream|(?:Input|Output)Patch|Output(?:Vertices|Indices|Primitives)|SetMeshOutputCounts|DispatchMesh',
  'coopVecLoadCoherent|CoopMat(?:[A-Z]\\w*)?|coopMatLoad|WaveM(?:atch|ultiPrefix[A-Z]\\w*)',
  '__apply|NativeString|CalculateLevelOfDetail(?:Unclamped)?|getStringHash',
])

/** Names in files of the core library that a bundle for WGSL alone may lack. */
const apart = wholly([
  '[cC]oopVec(?:[A-Z]\\w*)?|I(?:RW)?PhysicalBuffer',
  '(?:Wave(?!Match|Multi)|Quad)[A-Z]\\w*',
  '(?:Diff)?TensorView|DiffTexture2D|IDiffTensorWrapper|AtomicAdd|cuda(?:ThreadIdx|BlockIdx|BlockDim)',
  'Sampler(?:[123]D|Cube)(?:Array)?(?:Shadow)?',
  'f16tof32|f32tof16_|(?:un)?pack(?:Half2x16|[US]norm(?:4x8|2x16)|_(?:clamp_)?[us]8\\w*)|unpack\\w+To(?:Float|Half)|u?int8_t4_packed|dot(?:2add|4add_[ui]8packed)',
  'as(?:u?int|float)16|asdouble|nextafter|frexp|bitfield(?:Extract|Insert)|dst|lit|determinant|(?:Immutable)?Ptr|Access|AddressSpace',
  '(?:Append|Consume)StructuredBuffer|(?:RW)?ByteAddressBuffer|__atomic_\\w+|RayDesc|RAY_FLAG(?:_\\w+)?|BuiltInTriangleIntersectionAttributes',
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
