/** References to places, and operands, before they are read. */
import type { FuncRef } from '../check/model/func-ref.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'

/** Where something that can be read, and perhaps written, lives. */
export type Ref =
  | { readonly kind: 'pointer'; readonly pointer: Value }
  /** A column-major matrix behind the pointer, or a row of one. */
  | { readonly kind: 'columns'; readonly pointer: Value }
  | { readonly kind: 'row'; readonly columns: Value; readonly index: Value }
  /** What nothing writes. */
  | { readonly kind: 'value'; readonly value: Value }
  /** A struct or array of resources: one reference a component. */
  | { readonly kind: 'bundle'; readonly type: Type; readonly parts: readonly Ref[] }
  /** A component with a constant index, or one with a computed index, of something that is not in memory. */
  | { readonly kind: 'part'; readonly base: Ref; readonly index: number }
  | { readonly kind: 'indexed'; readonly base: Ref; readonly index: Value }
  | { readonly kind: 'swizzle'; readonly base: Ref; readonly lanes: readonly number[] }
  | { readonly kind: 'elements'; readonly base: Ref; readonly at: readonly (readonly [number, number])[] }
  /** Fields of a struct, as another struct. */
  | { readonly kind: 'parts'; readonly base: Ref; readonly at: readonly number[]; readonly type: Type }
  | {
      readonly kind: 'accessor'
      readonly get: FuncRef | null
      readonly set: FuncRef | null
      readonly object: Operand | null
      readonly args: readonly Operand[]
      /** The type that the tree says; a function that meets a requirement may use other types of numbers. */
      readonly type: Type
    }
  | { readonly kind: 'convert'; readonly base: Ref; readonly type: Type; readonly baseType: Type }

/** An argument that has been evaluated. */
export type Operand =
  | { readonly dir: 'in'; readonly value: Value }
  /** `copy`: the value that the argument had when it was evaluated, if the callee gets that. */
  | { readonly dir: 'out' | 'inout'; readonly ref: Ref; readonly copy?: Value }
