/** The semantics that entry points use: what each is, where it may stand, and of what type it is. */

export interface SemanticText {
  readonly text: string
  readonly type: string
  readonly stages: string
}

export const semantics: Readonly<Record<string, SemanticText>> = {
  SV_DispatchThreadID: { text: 'The number of the thread in the whole dispatch.', type: 'uint3', stages: 'compute' },
  SV_GroupID: { text: 'The number of the thread group.', type: 'uint3', stages: 'compute' },
  SV_GroupThreadID: { text: 'The number of the thread in its group.', type: 'uint3', stages: 'compute' },
  SV_GroupIndex: {
    text: 'The number of the thread in its group, counted along x, then y, then z.',
    type: 'uint',
    stages: 'compute',
  },
  SV_VertexID: { text: 'The number of the vertex.', type: 'uint', stages: 'vertex' },
  SV_VulkanVertexID: { text: 'The number of the vertex, as Vulkan counts.', type: 'uint', stages: 'vertex' },
  SV_VulkanInstanceID: { text: 'The number of the instance, as Vulkan counts.', type: 'uint', stages: 'vertex' },
  SV_InstanceID: { text: 'The number of the instance.', type: 'uint', stages: 'vertex' },
  SV_Position: {
    text: 'The position that a vertex gets, and where the fragment lies on the target.',
    type: 'float4',
    stages: 'vertex, fragment',
  },
  SV_Target: {
    text: 'The colour for the first render target; `SV_Target1` is that for the second.',
    type: 'float4',
    stages: 'fragment',
  },
  SV_Depth: { text: 'The depth of the fragment.', type: 'float', stages: 'fragment' },
  SV_DepthGreaterEqual: {
    text: 'The depth of the fragment, not less than that of the surface.',
    type: 'float',
    stages: 'fragment',
  },
  SV_DepthLessEqual: {
    text: 'The depth of the fragment, not more than that of the surface.',
    type: 'float',
    stages: 'fragment',
  },
  SV_Coverage: { text: 'Which samples the fragment covers, as bits.', type: 'uint', stages: 'fragment' },
  SV_IsFrontFace: {
    text: 'Whether the fragment is part of a face that points to the viewer.',
    type: 'bool',
    stages: 'fragment',
  },
  SV_SampleIndex: { text: 'The number of the sample.', type: 'uint', stages: 'fragment' },
  SV_WaveLaneIndex: { text: 'The number of the lane in its wave.', type: 'uint', stages: 'compute, fragment' },
  SV_WaveLaneCount: { text: 'The number of lanes in a wave.', type: 'uint', stages: 'compute, fragment' },
}

/** What a semantic is, whatever its case and number; undefined for one that an author made up. */
export function semanticText(name: string): { readonly name: string; readonly is: SemanticText } | undefined {
  const wanted = name.toUpperCase().replace(/\d+$/, '')
  for (const [known, is] of Object.entries(semantics)) if (known.toUpperCase() === wanted) return { name: known, is }
  return undefined
}
