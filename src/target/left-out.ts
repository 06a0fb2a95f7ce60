/** Functions that cannot be exported to a host, since they take or give resources. */
import type { Sink } from '../base/diag.ts'
import { resourceLeftOut, resourceMissing } from '../base/errors/wasm.ts'
import type { Module } from '../ir/value.ts'
import { dataSignature } from './data.ts'
import { layouts } from '../ir/layout.ts'

/** Says which functions are left out: an error where the caller named one, else a note. Their derivatives go without saying. */
export function leaveOut(module: Module, named: readonly string[], sink: Sink): void {
  for (const func of module.funcs) {
    const { exported } = func.info
    if (exported === undefined || dataSignature(func, exported, layouts.tight) !== undefined) continue
    if (named.includes(exported)) sink.add(resourceMissing, func.span ?? undefined, { func: exported })
    else if (func.request === undefined && func.span !== null) sink.add(resourceLeftOut, func.span, { func: exported })
  }
}
