/** What calls give, by the types of functions where they are known. */
import type { FunctionTypes } from '../index.ts'

/** What a call gives: the result, or `{ result, out }` where there are `out` or `inout` parameters. */
export type Given<F extends FunctionTypes> = F extends { readonly out: infer O }
  ? { readonly result: F['result']; readonly out: O }
  : F['result']

/** The tangent of what a call gives. */
export type Tangent<F extends FunctionTypes> = F extends { readonly outTangent: infer O }
  ? { readonly result: F['tangent']; readonly out: O }
  : F['tangent']
