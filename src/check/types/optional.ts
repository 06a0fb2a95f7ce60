/** Types of the library: `Optional<T>`, that of `none`, and pointers. */
import type { Cx } from '../model/context.ts'
import type { StructType, Type } from '../model/decl.ts'
import { intConst, structType } from '../model/type.ts'
/** `Optional<elem>`. */
export function optionalType(cx: Cx, elem: Type): StructType {
  return structType(cx.library.the('struct', 'Optional'), [elem])
}

/** The element type of an `Optional`; null for any other type. */
export function optionalElem(type: Type): Type | null {
  return type.kind === 'struct' && type.decl.intrinsic === 'Optional' ? (type.args[0] as Type) : null
}

/** The element type of a `Conditional`; null for any other type. */
export function conditionalElem(type: Type): Type | null {
  return type.kind === 'struct' && type.decl.intrinsic === 'Conditional' ? (type.args[0] as Type) : null
}

/** Whether it is the type of `none`. */
export function isNone(type: Type): boolean {
  return type.kind === 'struct' && type.decl.intrinsic === 'none'
}

/** `elem*`. */
export function pointerType(cx: Cx, elem: Type): StructType {
  return structType(cx.library.the('struct', 'Ptr'), [elem, intConst(0), intConst(0)])
}
