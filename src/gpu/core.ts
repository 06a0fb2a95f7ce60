/**
 * What every program on a device needs. Parts of the runtime that load later import it from here alone: a bundler then keeps it in one piece,
 * which compresses better than one for each set of files that two parts share.
 */
export * from '../host/given.ts'
export { list, Parameters, type Part, type Prepared } from '../host/parameters.ts'
export * from '../host/record.ts'
export * from './bound.ts'
export * from './buffer.ts'
export * from './device.ts'
export * from './error.ts'
export * from './kernel.ts'
export * from './module.ts'
export * from './pack.ts'
export * from './parts.ts'
export * from './pipeline.ts'
export * from './program.ts'
export * from './read.ts'
export * from './resources.ts'
export * from './signature.ts'
export * from './uniform-slots.ts'
export * from './uniforms.ts'
export * from './usage.ts'
