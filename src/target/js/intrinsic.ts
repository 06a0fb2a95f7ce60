/** The target intrinsics of JavaScript: the functions that calls of the core library become. */
import { InternalError } from '../../base/diag.ts'

interface Intrinsic {
  /** Its results need no rounding where its operands needed none. */
  readonly isExact?: true
  /** A function of emitted code (`helper.ts`), not of the engine. */
  readonly isHelper?: true
}

/** The target intrinsics by name. */
export const intrinsics: ReadonlyMap<string, Intrinsic> = new Map(
  Object.entries<Intrinsic>({
    'Math.abs': { isExact: true },
    'Math.acos': {},
    'Math.acosh': {},
    'Math.asin': {},
    'Math.asinh': {},
    'Math.atan': {},
    'Math.atan2': {},
    'Math.atanh': {},
    'Math.ceil': { isExact: true },
    'Math.cos': {},
    'Math.cosh': {},
    'Math.exp': {},
    'Math.floor': { isExact: true },
    'Math.log': {},
    'Math.log10': {},
    'Math.log2': {},
    'Math.max': { isExact: true },
    'Math.min': { isExact: true },
    'Math.pow': {},
    'Math.sin': {},
    'Math.sinh': {},
    'Math.sqrt': {},
    'Math.tan': {},
    'Math.tanh': {},
    'Math.trunc': { isExact: true },
    exp2: { isHelper: true },
  }),
)

/** The target intrinsic of that name. */
export function intrinsicNamed(name: string): Intrinsic {
  const found = intrinsics.get(name)
  if (found === undefined) throw new InternalError('target/js', `no target intrinsic ${name}`)
  return found
}
