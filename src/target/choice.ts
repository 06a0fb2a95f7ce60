/** Finds resources that are only chosen at run time, which CPU targets refuse. */
import type { Sink } from '../base/diag.ts'
import { choiceOnCpu } from '../base/errors/js.ts'
import { holdsPointer } from '../ir/type.ts'
import type { Module, Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'

/** Adds a diagnostic for each resource that control flow chooses or that comes from an array. True if there are any. */
export function reportChoices(module: Module, sink: Sink): boolean {
  const before = sink.errors
  for (const func of module.funcs) {
    if (func.body === undefined) continue
    const used = new Set<Value>()
    walk(func.body, inst => {
      for (const v of inst.args) used.add(v)
    })
    walk(func.body, inst => {
      // What was never set is chosen by nobody.
      const isUnset = (inst.op === 'undef' || inst.op === 'zero') && used.has(inst.results[0]!)
      const chooses =
        inst.regions.length > 0 || inst.op === 'select' || inst.op === 'load' || inst.op === 'index' || isUnset
      // A texture is a struct of resources here.
      const isResource = (v: Value): boolean => v.type.kind === 'ptr' || (used.has(v) && holdsPointer(v.type))
      if (chooses && inst.results.some(isResource)) sink.add(choiceOnCpu, inst.span ?? undefined, {})
      else if (inst.op === 'loop' && inst.regions.some(r => r.params.some(isResource)))
        sink.add(choiceOnCpu, inst.span ?? undefined, {})
    })
  }
  return sink.errors > before
}
