/** What `cotangent/wgsl` needs to compile programs with `CoopVec`. `cotangent` has it already. */
export { cooperativeVectors } from './check/core-vectors.generated.ts'
export type { PackedFile as LibraryFile } from './check/modules/packed.ts'
