/** Resources that the run chooses, which the targets for CPUs refuse. */
import type { Sink } from '../base/diag.ts'
import { choiceOnCpu } from '../base/errors/js.ts'
import * as ops from '../ir/ops.ts'
import type { Module } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'

/** Reports resources that the run chooses by control flow or takes out of arrays; gives whether there are any. */
export function reportChoices(module: Module, sink: Sink): boolean {
  const before = sink.errors
  for (const func of module.funcs) {
    if (func.body === undefined) continue
    walk(func.body, inst => {
      const chooses = inst.regions.length > 0 || inst.op === ops.select || inst.op === ops.load
      if (chooses && inst.results.some(r => r.type.kind === 'ptr')) sink.add(choiceOnCpu, inst.span ?? undefined, {})
    })
  }
  return sink.errors > before
}
