/**
 * Column-major matrices: in memory such a matrix is a struct with one field, its transpose. It exists only in structs, arrays and
 * buffers; reading it gives a matrix like any other.
 */
import type { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'

/** The struct of a column-major matrix. The caller makes the name unique within the program. */
export function columnsType(name: string, matrix: Type): Type {
  const columns = t.mat(matrix.elem!.elem!, matrix.elem!.count, matrix.count)
  const made = t.struct(name, [{ name: 'columns', type: columns }])
  made.columnsOf = matrix
  if (t.differential(matrix) !== null) made.diff = { type: made, fields: [0], dzero: undefined, dadd: undefined }
  return made
}

/** Reads a part of a struct, an array or a buffer as the value that it is. */
export function opened(b: Builder, part: Value): Value {
  return part.type.columnsOf === null ? part : b.transpose(b.extract(part, 0))
}

/** Makes a value the part of a struct, an array or a buffer of that type. */
export function closed(b: Builder, value: Value, type: Type): Value {
  return type.columnsOf === value.type ? b.construct(type, [b.transpose(value)]) : value
}

/** A struct or array of parts. */
export function assemble(b: Builder, type: Type, parts: readonly Value[]): Value {
  return b.construct(
    type,
    parts.map((p, i) => kept(b, p, type, i)),
  )
}

/** Makes a value a part of a struct, an array or a buffer. In a `no_diff` field, or in a struct without differential, it loses its derivative. */
export function kept(b: Builder, value: Value, whole: Type, index: number): Value {
  const part = closed(b, value, t.component(whole, index))
  return isFixed(whole, index) ? b.emit1('detach', [part]) : part
}

/** Whether a part of a type carries no derivative though its own type could. */
function isFixed(whole: Type, index: number): boolean {
  return (
    whole.kind === 'struct' &&
    (whole.diff?.fields[index] ?? -1) === -1 &&
    t.differential(whole.fields[index]!.type) !== null
  )
}

/** Whether a pointer leads into a field that carries no derivative. */
export function isInFixed(pointer: Value): boolean {
  const { def } = pointer
  if (def.op !== 'field' && def.op !== 'elem') return false
  const base = def.args[0]!
  return (def.op === 'field' && isFixed(base.type.elem!, def.attr)) || isInFixed(base)
}
