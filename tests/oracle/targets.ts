/** What the compiler makes of a program, as functions from inputs to the numbers it shows. */
import { compile, type Program as Compiled } from '../../src/index.ts'
import { loadSync } from '../../src/cpu/index.ts'
import { runByName } from '../support/gpu.ts'
import { programText, type Entry, type Precision } from './text.ts'
import type { Program } from './tree.ts'

export type Target = 'js' | 'wasm' | 'webgpu'

export const targets: readonly Target[] = ['js', 'wasm', 'webgpu']

/** Runs a program at points at once. */
export type Runner = (points: readonly (readonly number[])[]) => Promise<readonly (readonly number[])[]>

/** A program that the compiler has mistakes to report of. */
export class Refused extends Error {}

/** No loop of a program makes more trips. */
const mostTrips = 1e6

/** The text of a program as a target gets it. */
export function textFor(program: Program, target: Target): { readonly source: string; readonly count: number } {
  const [precision, entry]: [Precision, Entry] = target === 'webgpu' ? ['float', 'kernel'] : ['double', 'function']
  return programText(program, precision, entry)
}

type Test = (x: readonly number[]) => ArrayLike<number>

/** The exported function of a module of JavaScript. */
function script(code: string): Test {
  const body = code.replace(/^export const /gm, 'const ').replace(/export \{.*\}/, 'return test')
  return (new Function(body) as () => Test)()
}

const onCpu =
  (test: Test): Runner =>
  points =>
    Promise.resolve(points.map(x => Array.from(test(x))))

function onDevice(compiled: Compiled, count: number): Runner {
  const { code, reflection } = compiled.wgsl()
  const bindings = reflection.bindings
  return async points => {
    const ins = new Float32Array(points.flat())
    const outs = new Float32Array(points.length * count)
    const found = await runByName(
      code,
      'computeMain',
      bindings,
      { ins: new Uint8Array(ins.buffer), outs: new Uint8Array(outs.buffer) },
      [points.length, 1, 1],
    )
    const all = new Float32Array(found['outs']!.slice().buffer)
    return points.map((_, i) => Array.from(all.subarray(i * count, (i + 1) * count)))
  }
}

/** Compiles a program, with its IR verified after each pass if asked; how it fails is the caller's to report. */
export function prepare(program: Program, target: Target, verify: boolean): Runner {
  const { source, count } = textFor(program, target)
  const compiled = compile(source, { verify, limits: { instructions: 1_000_000 } })
  const errors = compiled.diagnostics.filter(e => e.severity === 'error')
  if (errors.length > 0) throw new Refused(errors.map(e => `${e.code} ${e.message}`).join('\n'))
  switch (target) {
    case 'js':
      return onCpu(script(compiled.js({ derivatives: false, limits: { trips: mostTrips } }).code))
    case 'wasm':
      return onCpu(loadSync(compiled).fn['test'])
    case 'webgpu':
      return onDevice(compiled, count)
  }
}
