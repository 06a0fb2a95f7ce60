/**
 * Library functions with a single right answer, by the library's names (`computes` of `FuncInfo`). Passes may evaluate them. Other
 * functions round differently from target to target.
 */
export const exact: Readonly<Record<string, (...args: number[]) => number>> = {
  min: Math.min,
  max: Math.max,
  abs: Math.abs,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  sign: Math.sign,
  sqrt: Math.sqrt,
  clamp: (x = 0, low = 0, high = 0) => Math.min(Math.max(x, low), high),
}

/** The library functions that JavaScript has, rounded as its engine rounds them. */
export const computed: typeof exact = {
  ...exact,
  exp: Math.exp,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  pow: Math.pow,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  atan2: Math.atan2,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
}
