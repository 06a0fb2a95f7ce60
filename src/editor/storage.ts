/** Where the parts of a type lie in a storage buffer, for hovers. */
import type { CheckedProgram } from '../check/model/tree.ts'
import { isGeneric, known, type Type } from '../check/model/type.ts'
import * as ir from '../ir/type.ts'
import { layouts, type Layout } from '../ir/layout.ts'

/** The layout of a type in storage buffers; undefined of one that is no plain data of a known size. */
export function storageLayout(program: CheckedProgram, type: Type): Layout | undefined {
  const made = isGeneric(type) ? undefined : plain(program, type)
  return made === undefined ? undefined : layouts.storage.of(made)
}

function plain(program: CheckedProgram, type: Type): ir.Type | undefined {
  switch (type.kind) {
    case 'scalar':
      return ir.scalars[type.name]
    case 'enum':
      return plain(program, program.enumTag(type))
    case 'vector': {
      const [elem, count] = [plain(program, type.elem), known(type.count)]
      return elem === undefined || count === null ? undefined : ir.vec(elem, count)
    }
    case 'matrix': {
      const [elem, rows, cols] = [plain(program, type.elem), known(type.rows), known(type.cols)]
      if (elem === undefined || rows === null || cols === null) return undefined
      // In the other order its columns lie one after the other.
      return type.turned === program.columnMajor ? ir.mat(elem, rows, cols) : ir.mat(elem, cols, rows)
    }
    case 'array': {
      const [elem, count] = [plain(program, type.elem), type.count === null ? null : known(type.count)]
      return elem === undefined || count === null || count < 1 ? undefined : ir.array(elem, count)
    }
    case 'struct': {
      if (type.decl.intrinsic !== null) return undefined
      const fields: ir.Field[] = []
      for (const f of program.fields(type)) {
        const part = plain(program, f.type)
        if (part === undefined) return undefined
        fields.push({ name: f.name, type: part })
      }
      return fields.length === 0 ? undefined : ir.struct(type.decl.name, fields)
    }
    default:
      return undefined
  }
}
