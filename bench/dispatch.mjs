// Gradients of the bench on the CPU: inputs and outputs lie in the memory of the module, where nothing copies them.
import { readFileSync } from 'node:fs'
import { compile } from '../dist/index.js'
import { programs } from './inputs.mjs'

/** A program of the bench. */
export const compiled = name =>
  compile(readFileSync(new URL(`programs/${name}.slang`, import.meta.url), 'utf8'), { fileName: `${name}.slang` })

/** The gradient of a program by a module of it: `run` computes it for so many threads from `data`, and `output()` has it. */
export function gradientOf(module, name, threads) {
  const { grad, input } = programs[name]
  const data = input(threads)
  module.buffer('inp', data.length)
  module.buffer('outp', threads * grad)
  // A view is gone when memory grows for the next.
  const buffers = { inp: module.buffer('inp'), outp: module.buffer('outp') }
  buffers.inp.set(data)
  const kernel = module.kernel('computeMain')
  return { data, run: () => kernel.dispatch([threads / 64, 1, 1], { buffers }), output: () => module.buffer('outp') }
}

/** Milliseconds of a call. */
export const time = run => {
  const begin = performance.now()
  run()
  return performance.now() - begin
}
