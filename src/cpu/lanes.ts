/** How many threads of a kernel may run at once here. */
import { ShapeError } from './errors.ts'

/** How many threads of a kernel run at once, and why one alone does. */
export interface Lanes {
  readonly count: 1 | 4
  readonly reason: string | undefined
}

/** A module with one function: `i32.const 0; i8x16.splat; drop`. */
const withVectors = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11]

let known: boolean | undefined

/** What `lanes` of the options says; 1 where this engine has no vectors. */
export function lanesHere(asked: unknown): 1 | 4 | undefined {
  if (asked !== undefined && asked !== 1 && asked !== 4) throw new ShapeError('lanes', '1 or 4', asked)
  known ??= WebAssembly.validate(Uint8Array.from(withVectors))
  return known ? asked : 1
}
