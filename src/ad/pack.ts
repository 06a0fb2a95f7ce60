/**
 * Packs a large context into one struct. WebAssembly allows a thousand parameters and results, and a large context is better passed
 * by address. A small context stays a list of values, which optimisers see through.
 */
import { differential, struct, type Field, type Type } from '../ir/type.ts'
import { Inst, type Value } from '../ir/value.ts'
import type { Builder } from '../ir/build.ts'
import { bytesOf } from './residual.ts'
import { uniqueName, type AdContext } from './context.ts'
import * as costs from '../ir/costs.ts'

/** True if a context has too many entries to pass them one by one. */
export function isLarge(types: readonly Type[]): boolean {
  return types.reduce((sum, type) => sum + bytesOf(type) / 4, 0) > costs.looseScalars
}

/** The struct of a context's entries. It has a differential made of those of its entries. */
export function contextType(cx: AdContext, name: string, types: readonly Type[]): Type {
  const fields = types.map((type, i): Field => ({ name: `s${i}`, type }))
  const type = struct(uniqueName(cx.module.structs, name), fields)
  cx.sink.work.check('scalars', type.scalars)
  const carrying = fields.flatMap((f): Field[] => {
    const d = differential(f.type)
    return d === null ? [] : [{ name: f.name, type: d }]
  })
  const isOwn = carrying.length === fields.length && carrying.every((f, i) => f.type === fields[i]!.type)
  const diff = isOwn ? type : struct(uniqueName(cx.module.structs, `${name}.Differential`), carrying)
  let next = 0
  type.diff = {
    type: diff,
    fields: fields.map(f => (differential(f.type) === null ? -1 : next++)),
    dzero: undefined,
    dadd: undefined,
  }
  if (!isOwn) {
    diff.diff = { type: diff, fields: carrying.map((_, i) => i), dzero: undefined, dadd: undefined }
    cx.module.structs.push(diff)
  }
  cx.module.structs.push(type)
  return type
}

/** Packs the entries at the end of the primal half, and gives the packed context. */
export function pack(b: Builder, type: Type, entries: readonly Value[]): Value {
  return b.emit1('construct', [...entries], null, type)
}

/** The instructions that unpack a context at the start of the reverse half. They define the same values as before. */
export function unpack(context: Value, entries: readonly Value[]): Inst[] {
  return entries.map((entry, i) => {
    const inst = new Inst('extract', [context], i, [], null)
    inst.results.push(entry)
    entry.def = inst
    entry.index = 0
    return inst
  })
}
