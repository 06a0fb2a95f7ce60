// What a bench says in the end: whether numbers agree, and whether a bar is met. The exit status is 1 if one is not.
import process from 'node:process'

/** Gradients in float32, in another order of operations, differ by less. */
export const mostDifference = 1e-2

/** The greatest difference of two gradients, against the greatest of their numbers; infinite where only one is finite. */
export function difference(x, y) {
  let most = x.length === y.length ? 0 : Infinity,
    scale = 1e-30
  for (let i = 0; i < x.length; i++) {
    const [isFinite, isOther] = [Number.isFinite(x[i]), Number.isFinite(y[i])]
    if (isFinite !== isOther) return Infinity
    if (!isFinite) continue
    most = Math.max(most, Math.abs(x[i] - y[i]))
    scale = Math.max(scale, Math.abs(x[i]))
  }
  return most / scale
}

function told(isMet, text) {
  if (!isMet) process.exitCode = 1
  console.log(`${isMet ? 'PASS' : 'FAIL'}  ${text}`)
}

/** Prints whether a value is at most a bar. */
export function verdict(what, value, bar) {
  told(value <= bar, `${what}: ${value.toFixed(2)}, at most ${bar.toFixed(2)}`)
}

/** Prints whether a value is at least a bar. */
export function reached(what, value, bar) {
  told(value >= bar, `${what}: ${value.toFixed(2)}, at least ${bar.toFixed(2)}`)
}

/** Prints a mistake that no number says. */
export function failure(what) {
  told(false, what)
}
