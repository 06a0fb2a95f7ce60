/** Mistakes about what WGSL has not. */
import { error, type Entry } from '../diag.ts'

export const typeNotInTarget: Entry<'func' | 'type' | 'instead'> = error(
  'E37001',
  'WGSL has no type {type}, which {func} uses',
  'use {instead}',
)

export const recursionInTarget: Entry<'func'> = error(
  'E37002',
  '{func} calls itself, which WGSL does not allow',
  'write the recursion as a loop',
)

export const noPosition: Entry<'name'> = error(
  'E37004',
  'the vertex entry point {name} gives no SV_Position',
  'give the semantic SV_Position to a float4 that it returns, or to an out parameter',
)

export const arrayTooLong: Entry<'count' | 'limit'> = error(
  'E37007',
  'an array of {count} elements is too long for WGSL, which allows {limit} here',
  'keep it in a buffer, or give inner loops a smaller [MaxIters]: a derivative stores values for each trip',
)

export const atomicTypeInTarget: Entry<'type'> = error(
  'E37010',
  'WGSL has no atomic operations on {type}',
  'use int, uint or float where several threads write',
)

export const notInStage: Entry<'what' | 'name' | 'stage' | 'needed'> = error(
  'E36107',
  '{what} cannot be used by {name}: it is a {stage} entry point, and only {needed} ones have it',
  'sample with SampleLevel; share memory in compute shaders; read StructuredBuffers in vertex shaders',
)

export const textureNotInTarget: Entry<'name' | 'type'> = error(
  'E37011',
  '{name} is a {type}, which WGSL has not',
  'use a texture of 1 to 3 dimensions, a cube, or an array of 2D textures or cubes, of 32-bit numbers',
)

export const formatNotInTarget: Entry<'name' | 'format'> = error(
  'E37012',
  '{name} would be written in the format {format}, which WGSL has not',
  'use a format of four channels, or of one or two of 32 bits, and texels of the same kind of number',
)

export const readWriteInTarget: Entry<'name' | 'format'> = error(
  'E37013',
  '{name} is read and written, which WGSL allows in formats of one 32-bit channel, not in {format}',
  'read another texture than is written, or use a buffer',
)

export const offsetInTarget: Entry = error(
  'E37014',
  'WGSL samples with constant offsets from -8 to 7 only',
  'write the offset in numbers, or add it to the coordinates',
)

const noSemantic = 'WGSL has no system value {semantic} in a {stage} entry point'
export const semanticNotInTarget: Entry<'semantic' | 'stage'> = error(
  'E37005',
  noSemantic,
  `compute: SV_DispatchThreadID, SV_GroupID, SV_GroupThreadID, SV_GroupIndex; vertex: SV_VertexID, SV_InstanceID, and SV_Position out; fragment: SV_Position, \
SV_IsFrontFace, SV_SampleIndex, SV_Coverage, and SV_Target, SV_Depth, SV_Coverage out`,
)

export const divergentBarrier: Entry<'func'> = error(
  'E37008',
  'threads of a workgroup may part before this barrier of {func}, which WGSL does not allow',
  'decide by uniforms, constants and SV_GroupID alone',
)

export const tooManyParams: Entry<'func' | 'count' | 'limit'> = error(
  'E37015',
  '{func} has {count} parameters, and WGSL allows {limit}',
  'pass an array or a struct',
)

export const nestedTooDeep: Entry<'func' | 'limit'> = error(
  'E37009',
  'statements of {func} are nested more than {limit} deep, which WGSL does not allow',
  'make inner statements a function of their own',
)

const resourceChoice = 'WGSL must know when compiling which resource this is'
export const resourceChoiceInTarget: Entry = error(
  'E37006',
  resourceChoice,
  'choose between the values read from the resources instead',
)

export const missingEntry: Entry<'name'> = error(
  'E38000',
  'there is no entry point {name}',
  'an entry point has [shader("compute")] or [numthreads(x, y, z)]; else give its stage (--stage)',
)
