/** Mistakes that only an optimisation can see. */
import { error, type Entry } from '../diag.ts'

/** A `[ForceUnroll]` loop whose end cannot be computed. */
export const unrollForever: Entry<'limit'> = error(
  'E40020',
  'loop does not end within {limit} trips that can be computed, so it cannot be unrolled',
  'let start, limit and step be constants, or use [MaxIters(n)]',
)
