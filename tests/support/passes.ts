import { Sink } from '../../src/base/diag.ts'
import { verify, verifyForm } from '../../src/ir/verify.ts'
import { Module, type Func } from '../../src/ir/value.ts'
import type { Cx } from '../../src/opt/cx.ts'
import { inlineAll } from '../../src/opt/inline.ts'
import { limitTrips } from '../../src/opt/limit.ts'
import { differentiatedSteps, loweredSteps, moduleSteps, tidySteps, type Step } from '../../src/opt/pipeline.ts'

type Pass = (module: Module, cx: Cx) => void

const wholes = moduleSteps.filter(row => typeof row === 'object')

/** All steps over functions. */
const steps: ReadonlySet<Step> = new Set([
  ...loweredSteps,
  ...tidySteps,
  ...differentiatedSteps,
  ...wholes.flatMap(step => step.leaves ?? []),
])

/** Rows that only say in which functions steps are due. */
const asking: ReadonlySet<string> = new Set(['least', 'final', 'lists'])

/**
 * Passes by the names that golden files use: those of the pipeline, and one that inlines whatever it can. Each verifies what it leaves,
 * in the form that it promises.
 */
export const passes: ReadonlyMap<string, Pass> = new Map<string, Pass>([
  ...[...steps, { name: 'inlineAll', pass: (func: Func) => inlineAll(func, () => true), form: undefined }].map(
    ({ name, pass, form }): [string, Pass] => [
      name,
      (module, cx) => {
        for (const func of module.funcs) pass(func, { debug: limitTrips, ...cx })
        for (const func of module.funcs) verifyForm(func, form ?? 'surface', name)
      },
    ],
  ),
  ...wholes
    .filter(step => !asking.has(step.name))
    .map(({ name, pass }): [string, Pass] => [
      name,
      (module, cx) => {
        pass(module, cx)
        for (const func of module.funcs) verifyForm(func, 'surface', name)
      },
    ]),
])

/** The steps that each function goes through at the end. */
export const finalSteps: readonly Step[] = wholes.find(step => step.name === 'final')!.leaves!

/** Brings a function into clean SSA form, verified after each pass. */
export function tidy(func: Func): void {
  if (func.body === undefined) return
  verify(func, 'input of tidy')
  const module = new Module()
  module.funcs.push(func)
  for (const name of ['sroa', 'ssa', 'simplify', 'gvn', 'dce', 'simplify', 'dce'])
    passes.get(name)!(module, { sink: new Sink(), level: 2 })
}
