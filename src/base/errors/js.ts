/** Mistakes that only JavaScript and WebAssembly have. */
import { error, type Entry } from '../diag.ts'

export const notInScript: Entry<'name'> = error('E37101', 'JavaScript has no {name}', 'compile this for wgsl')

export const storageInScript: Entry<'type'> = error(
  'E37102',
  'JavaScript buffers cannot hold {type}',
  'use 32-bit or 64-bit types in buffers',
)

export const choiceOnCpu: Entry = error(
  'E37103',
  'which resource this is depends on the run, and JavaScript and WebAssembly need to know when compiling',
  'choose between the values read from the resources instead',
)
