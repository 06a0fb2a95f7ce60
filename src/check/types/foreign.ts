/**
 * Names of Slang's library that mean something which no target of this compiler has. A program may mention them; only what an
 * entry point or export reaches is reported.
 */

const names: ReadonlySet<string> = new Set(
  `Ptr ConstPtr Conditional DescriptorHandle DescriptorAccess Access AddressSpace getDescriptorFromHandle
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
  CoopVec CoopVecMatrixLayout CoopVecComponentType coopVecMatMul coopVecMatMulAdd coopVecMatMulPacked coopVecMatMulAddPacked
  coopVecOuterProductAccumulate coopVecReduceSumAccumulate coopVecMatrixSize
  CoopMat CoopMatScope CoopMatMatrixUse CoopMatMatrixLayout CoopMatMatrixOperands CoopMatClampMode coopMatLoad
  WaveMatch WaveMultiPrefixCountBits WaveMultiPrefixSum WaveMultiPrefixProduct WaveMultiPrefixBitAnd WaveMultiPrefixBitOr
  WaveMultiPrefixBitXor
  NativeString CalculateLevelOfDetail CalculateLevelOfDetailUnclamped getStringHash`.split(/\s+/),
)

const families = /^(?:RAY_QUERY_|COMMITTED_|CANDIDATE_|HIT_KIND_)[A-Z_]+$/

/** Whether a name is one of Slang's that no target has. */
export function isForeign(name: string): boolean {
  return names.has(name) || families.test(name)
}
