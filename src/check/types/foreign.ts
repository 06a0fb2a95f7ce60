/**
 * Names of Slang's library that mean something which no target of this compiler has. A program may mention them; only what an
 * entry point or export reaches is reported.
 */
import type { Cx } from '../model/context.ts'

const names: ReadonlySet<string> = new Set(
  `ConstPtr __DynamicResource Conditional DescriptorAccess ResourceDescriptorHeap
  SamplerDescriptorHeap
  TorchTensor RaytracingAccelerationStructure RayQuery TraceRay TraceMotionRay HitObject ReportHit ReportHitOptix CallShader
  AcceptHitAndEndSearch IgnoreHit DispatchRaysIndex DispatchRaysDimensions WorldRayOrigin WorldRayDirection ObjectRayOrigin
  ObjectRayDirection RayTMin RayTCurrent RayFlags RayCurrentTime PrimitiveIndex InstanceID InstanceIndex GeometryIndex HitKind
  ObjectToWorld ObjectToWorld3x4 ObjectToWorld4x3 WorldToObject WorldToObject3x4 WorldToObject4x3 HitTriangleVertexPosition
  ReorderThread
  RWTexture2DMS RWTexture2DMSArray
  RasterizerOrderedBuffer RasterizerOrderedByteAddressBuffer RasterizerOrderedStructuredBuffer RasterizerOrderedTexture1D
  RasterizerOrderedTexture1DArray RasterizerOrderedTexture2D RasterizerOrderedTexture2DArray RasterizerOrderedTexture3D
  PointStream LineStream TriangleStream InputPatch OutputPatch OutputVertices OutputIndices OutputPrimitives
  SetMeshOutputCounts DispatchMesh SubpassInput SubpassInputMS FeedbackTexture2D FeedbackTexture2DArray
  coopVecLoadCoherent CoopMat CoopMatScope CoopMatMatrixUse CoopMatMatrixLayout CoopMatMatrixOperands CoopMatClampMode coopMatLoad
  WaveMatch WaveMultiPrefixCountBits WaveMultiPrefixSum WaveMultiPrefixProduct WaveMultiPrefixBitAnd WaveMultiPrefixBitOr
  WaveMultiPrefixBitXor
  __apply NativeString CalculateLevelOfDetail CalculateLevelOfDetailUnclamped getStringHash`.split(/\s+/),
)

const families = /^(?:RAY_QUERY_|COMMITTED_|CANDIDATE_|HIT_KIND_)[A-Z_]+$/

/** Names of a file of the core library that a bundle for WGSL alone may lack. */
const apart = /^(?:CoopVec|CoopVecComponentType|CoopVecMatrixLayout|coopVec[A-Z]\w*)$/

/** What a name is called if it is one of Slang's that no target has, or that the core library given lacks; else null. */
export function foreignFeature(cx: Cx, name: string): string | null {
  if (apart.test(name) && cx.library.lookup('CoopVec').length === 0)
    return `${name} without cotangent/cooperative-vectors in the option library`
  return names.has(name) || families.test(name) ? name : null
}
