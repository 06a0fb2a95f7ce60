/** What `cotangent/wgsl` needs to compile programs with integers of 8, 16 and 64 bits. `cotangent` has it already. */
export { emulation, type Emulation } from './target/emulate/emulate.ts'
