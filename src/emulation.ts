/** What `cotangent/wgsl` needs to compile programs with integers of 8, 16 and 64 bits. `cotangent` has it already. */
import { emulation as made, type Emulation } from './target/emulate/emulate.ts'

export type { Emulation } from './target/emulate/emulate.ts'

/** For the option `emulation` of `compile`. */
export const emulation: Emulation = made
