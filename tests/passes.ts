import type { Func, Module } from '../src/ir/value.ts'
import type { Cx } from '../src/opt/cx.ts'
import { dce } from '../src/opt/dce.ts'
import { effects } from '../src/opt/effects.ts'
import { expand } from '../src/opt/expand.ts'
import { gvn } from '../src/opt/gvn.ts'
import { inline, inlineAll } from '../src/opt/inline.ts'
import { licm } from '../src/opt/licm.ts'
import { memory } from '../src/opt/memory.ts'
import { resources } from '../src/opt/resources.ts'
import { simplify } from '../src/opt/simplify.ts'
import { slots } from '../src/opt/slots.ts'
import { sroa } from '../src/opt/sroa.ts'
import { ssa } from '../src/opt/ssa.ts'
import { unused, unusedParams, unusedTypes } from '../src/opt/unused.ts'
import { unroll, unrollSmall } from '../src/opt/unroll.ts'

type Pass = (module: Module, cx: Cx) => void

const each = (pass: (func: Func, cx: Cx) => unknown): Pass => (module, cx) => {
  for (const func of module.funcs) pass(func, cx)
}

/** Passes by the names that golden files use. */
export const passes: ReadonlyMap<string, Pass> = new Map<string, Pass>([
  ['ssa', each(ssa)],
  ['sroa', each(sroa)],
  ['simplify', each(simplify)],
  ['slots', each(slots)],
  ['gvn', each(gvn)],
  ['dce', each(dce)],
  ['inline', each(inline)],
  ['effects', effects],
  ['licm', each(licm)],
  ['unroll', each(unroll)],
  ['unrollSmall', each(unrollSmall)],
  ['expand', each(expand)],
  ['memory', each(memory)],
  ['resources', resources],
  ['unused', module => { unused(module); unusedTypes(module) }],
  ['unusedParams', unusedParams],
  ['inlineAll', each(func => inlineAll(func, () => true))],
])
