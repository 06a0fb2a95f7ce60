/**
 * What `cotangent/wgsl` needs to compile programs with tensors, `DiffTexture2D`, waves, `CoopVec`, `Sampler2D` and its kin,
 * `AppendStructuredBuffer`, `ByteAddressBuffer`, pointers, `RayDesc`, numbers packed into words, or numbers of 16 and 64 bits as
 * bits. `cotangent` has it already.
 */
import { rareCore } from './check/core-rare.generated.ts'
import type { PackedFile } from './check/modules/packed.ts'

export type { PackedFile } from './check/modules/packed.ts'

/** For the option `library` of `compile`. */
export const library: readonly PackedFile[] = rareCore
