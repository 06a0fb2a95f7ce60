/** What `cotangent/wgsl` needs to compile programs with `CoopVec`. `cotangent` has it already. */
import { cooperativeVectors as made } from './check/core-vectors.generated.ts'
import type { PackedFile } from './check/modules/packed.ts'

export type { PackedFile } from './check/modules/packed.ts'

/** For the option `library` of `compile`. */
export const cooperativeVectors: readonly PackedFile[] = made
