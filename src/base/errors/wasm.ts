/** Mistakes that only WebAssembly has. */
import { error, remark, type Entry } from '../diag.ts'

export const recursiveMemory: Entry<'func'> = error(
  'E37101',
  '{func} calls itself and keeps an array in memory, which the wasm target cannot do',
  'write the recursion as a loop, or pass the array as an inout parameter of a function that does not recurse',
)

export const resourceMissing: Entry<'func'> = error(
  'E37102',
  '{func} hands over a resource, which only shaders can',
  'export a function of numbers, vectors, matrices, arrays and structs, and read module-level buffers inside',
)

export const resourceLeftOut: Entry<'func'> = remark(
  'N37102',
  '{func} takes or gives a resource, which only shaders can, so it is left out of the exported functions',
  'make it internal if only shaders call it; else read module-level buffers inside of it',
)

export const semanticMissing: Entry<'semantic'> = error(
  'E37103',
  'a compute kernel on the CPU has no system value {semantic}',
  'use SV_DispatchThreadID, SV_GroupID, SV_GroupThreadID or SV_GroupIndex',
)

export const missingIntrinsic: Entry<'func'> = error(
  'E37104',
  '{func} has neither an instruction nor a body on the CPU',
  'use it in GPU code only, and read numbers from a buffer on the CPU',
)

export const barrierInside: Entry<'func'> = error(
  'E37105',
  '{func} calls itself around a barrier, so its threads cannot be run in step on the CPU',
  'write the recursion as a loop',
)

export const memoryMissing: Entry<'bytes'> = error(
  'E37106',
  'the program keeps {bytes} bytes in variables, more than WebAssembly can hold',
  'use smaller arrays, or give inner loops a smaller [MaxIters]: a derivative stores values for each trip',
)

export const tooManyLocals: Entry<'func' | 'count' | 'what' | 'limit'> = error(
  'E37107',
  '{func} has {count} {what}, and engines for WebAssembly allow {limit}',
  'use arrays, which lie in memory, or divide the function',
)
