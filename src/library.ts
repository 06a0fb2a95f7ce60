/** The rare parts of the core library, which `cotangent/wgsl` keeps out of its bundle; docs/api.md lists them. `cotangent` has them already. */
import { rareCore } from './check/core-rare.generated.ts'
import type { PackedFile } from './check/modules/packed.ts'

export type { PackedFile } from './check/modules/packed.ts'

/** For the option `library` of `compile`. */
export const library: readonly PackedFile[] = rareCore
