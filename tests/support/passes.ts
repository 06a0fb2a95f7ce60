import { Sink } from '../../src/base/diag.ts'
import { Module, type Func } from '../../src/ir/value.ts'
import type { Cx } from '../../src/opt/cx.ts'
import { copyElision } from '../../src/opt/copy-elision.ts'
import { dce } from '../../src/opt/dce.ts'
import { deadStores } from '../../src/opt/dead-stores.ts'
import { duplicateVariables } from '../../src/opt/duplicate-variables.ts'
import { effects } from '../../src/opt/effects.ts'
import { expand } from '../../src/opt/expand.ts'
import { gvn } from '../../src/opt/gvn.ts'
import { inline, inlineAll } from '../../src/opt/inline.ts'
import { licm } from '../../src/opt/licm.ts'
import { resources } from '../../src/opt/resources.ts'
import { simplify } from '../../src/opt/simplify.ts'
import { coalesce } from '../../src/opt/coalesce.ts'
import { sroa } from '../../src/opt/sroa.ts'
import { ssa } from '../../src/opt/ssa.ts'
import { verify, verifyForm } from '../../src/ir/verify.ts'
import { unused, unusedParams, unusedTypes } from '../../src/opt/unused.ts'
import { unroll, unrollSmall } from '../../src/opt/unroll.ts'

type Pass = (module: Module, cx: Cx) => void

const each =
  (pass: (func: Func, cx: Cx) => unknown): Pass =>
  (module, cx) => {
    for (const func of module.funcs) pass(func, cx)
  }

const plain: readonly (readonly [string, Pass])[] = [
  ['ssa', each(ssa)],
  ['sroa', each(sroa)],
  ['simplify', each(simplify)],
  ['coalesce', each(coalesce)],
  ['gvn', each(gvn)],
  ['dce', each(dce)],
  ['inline', each(inline)],
  ['effects', effects],
  ['licm', each(licm)],
  ['unroll', each(unroll)],
  ['unrollSmall', each(unrollSmall)],
  ['expand', each(expand)],
  ['copyElision', each(copyElision)],
  ['duplicateVariables', each(duplicateVariables)],
  ['deadStores', each(deadStores)],
  ['resources', resources],
  [
    'unused',
    module => {
      unused(module)
      unusedTypes(module)
    },
  ],
  ['unusedParams', unusedParams],
  ['inlineAll', each(func => inlineAll(func, () => true))],
]

/** Passes by the names that golden files use. Each verifies what it leaves, in the form that it promises. */
export const passes: ReadonlyMap<string, Pass> = new Map(
  plain.map(([name, pass]) => [
    name,
    (module, cx) => {
      pass(module, cx)
      for (const func of module.funcs) verifyForm(func, name === 'ssa' ? 'ssa' : 'surface', name)
    },
  ]),
)

/** Brings a function into clean SSA form, verified after each pass. */
export function tidy(func: Func): void {
  if (func.body === undefined) return
  verify(func, 'input of tidy')
  const module = new Module()
  module.funcs.push(func)
  for (const name of ['sroa', 'ssa', 'simplify', 'gvn', 'dce', 'simplify', 'dce'])
    passes.get(name)!(module, { sink: new Sink(), level: 2 })
}
