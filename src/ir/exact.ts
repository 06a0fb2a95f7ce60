/**
 * Functions of the library with one right answer, by the library's names (`computes` of `FuncInfo`): those that passes may
 * evaluate. Others round differently from target to target.
 */
export const exact: Readonly<Record<string, (...args: number[]) => number>> = {
  min: Math.min, max: Math.max, abs: Math.abs, floor: Math.floor, ceil: Math.ceil, trunc: Math.trunc, sign: Math.sign, sqrt: Math.sqrt,
  clamp: (x = 0, low = 0, high = 0) => Math.min(Math.max(x, low), high),
}
