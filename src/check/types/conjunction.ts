/** `A & B`: what conforms to several interfaces. */
import { notInterface } from '../../base/errors/generics.ts'
import type * as ast from '../../syntax/ast.ts'
import { conjuncts } from '../model/conjunct.ts'
import type { Cx } from '../model/context.ts'
import type { InterfaceDecl } from '../model/decl.ts'
import type { Scope } from '../model/scope.ts'
import { errorType, interfaceType, type InterfaceType, type Type } from '../model/type.ts'
import { resolveType } from './resolve.ts'

/** The conjunction that `A & B` stands for, as an interface of the core library: the same in whichever order. */
export function conjunction(cx: Cx, e: ast.BinaryExpr, scope: Scope): Type {
  const joined = new Map<string, InterfaceType>()
  let known = true
  for (const side of [e.left, e.right]) {
    const type = resolveType(cx, side, scope)
    if (type.kind === 'interface') for (const i of conjuncts(type)) joined.set(i.key, i)
    else {
      known = false
      if (type.kind !== 'error') cx.sink.add(notInterface, side.span, { name: 'a conjunction' })
    }
  }
  if (!known) return errorType
  const both = cx.library.lookup('__Both')[0] as InterfaceDecl
  return [...joined.values()]
    .sort((a, b) => a.decl.id - b.decl.id || (a.key < b.key ? -1 : 1))
    .reduceRight((rest, first) => interfaceType(both, [first, rest]))
}
