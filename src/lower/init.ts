/** Default values, of `{}` and of the fields of a struct that a constructor makes. */
import type { Fn } from './context.ts'
import type { Operand, Ref } from './ref.ts'
import type * as s from '../check/model/type.ts'
import type { Value } from '../ir/value.ts'
import { callWith } from './call.ts'
import { assemble } from './columns.ts'
import { impossible } from './context.ts'
import { lowerExpr } from './expr.ts'
import { componentOf, write } from './place.ts'
import { isPair } from './type.ts'

/** The value of `{}` for a concrete type. */
export function defaultValue(fn: Fn, type: s.Type): Value {
  const { b, cx } = fn
  if (type.kind === 'array' && type.count !== null && hasDefaults(fn, type.elem)) {
    const elem = defaultValue(fn, type.elem)
    return assemble(
      b,
      fn.type(type),
      Array.from({ length: fn.cx.types.number(type.count) }, () => elem),
    )
  }
  if (type.kind !== 'struct' || !hasDefaults(fn, type)) return b.unset(fn.type(type))
  const made = cx.program.defaultConstructor(type)
  if (made?.kind === 'direct') {
    const args = cx.program
      .signature(made)
      .params.map((p, i): Operand => ({
        dir: 'in',
        value: fn.elsewhere(made.subst, () =>
          lowerExpr(fn, { kind: 'paramDefault', type: p.type, span: null, func: made, index: i }),
        ),
      }))
    return callWith(fn, cx.resolve(made), null, args, null) ?? impossible('a constructor without a result')
  }
  const subst = cx.program.structSubst(type)
  const parts = cx.program.fields(type).map(field => {
    const init = cx.program.fieldDefault(field.decl)
    return init === null ? defaultValue(fn, field.type) : fn.elsewhere(subst, () => lowerExpr(fn, init))
  })
  return assemble(b, fn.type(type), parts)
}

/** Whether `{}` of the type is anything but zero. */
function hasDefaults(fn: Fn, type: s.Type): boolean {
  if (type.kind === 'array') return hasDefaults(fn, type.elem)
  if (type.kind !== 'struct' || isPair(type) || type.decl.intrinsic !== null) return false
  const { program, defaulted } = fn.cx
  let has = defaulted.get(type.key)
  if (has === undefined) {
    has =
      program.defaultConstructor(type) !== null ||
      fn.cx.sink.work.within(1, type.decl.span, () =>
        program.fields(type).some(f => program.fieldDefault(f.decl) !== null || hasDefaults(fn, f.type)),
      )
    defaulted.set(type.key, has)
  }
  return has
}

/** Writes the default values of fields into the object that a constructor makes: those of the fields, or of their types. */
export function defaultFields(fn: Fn, self: Ref): void {
  const type = fn.cx.types.source(fn.func.sig.result)
  if (type === undefined || isPair(type)) return
  const subst = fn.cx.program.structSubst(type)
  for (const field of fn.cx.program.fields(type)) {
    const init = fn.cx.program.fieldDefault(field.decl)
    const value =
      init !== null
        ? fn.elsewhere(subst, () => lowerExpr(fn, init))
        : hasDefaults(fn, field.type)
          ? defaultValue(fn, field.type)
          : undefined
    if (value !== undefined) write(fn, componentOf(fn, self, field.decl.index), value)
  }
}
