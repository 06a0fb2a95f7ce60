/** What the `where` clauses of an interface say of its associated types: `associatedtype A : I where A.B == int where A.C : J`. */
import { notInterface } from '../../base/errors/generics.ts'
import type * as ast from '../../syntax/ast.ts'
import type { Cx, Facts } from '../model/context.ts'
import { conjuncts } from '../model/conjunct.ts'
import type { AssocDecl, InterfaceDecl } from '../model/decl.ts'
import { isOpen, show, thisType, type AssocType, type InterfaceType, type Type } from '../model/type.ts'
import { boundsOf, put, substFor } from './conform.ts'
import { resolveType } from './resolve.ts'

/** Whether a clause is a bound of the associated type itself: `associatedtype A where A : I`. */
export const isOwnBound = (decl: AssocDecl, w: ast.Where): boolean =>
  w.kind === 'conforms' && w.subject.kind === 'name' && w.subject.name === decl.name

/** What an interface says, in terms of its `This`. */
export function factsOf(from: Cx, iface: InterfaceDecl): Facts {
  const cx = from.of(iface)
  const known = cx.facts.get(iface)
  if (known !== undefined) return known
  const facts: Facts = { bounds: [], equal: [] }
  cx.facts.set(iface, { bounds: [], equal: [] })
  for (const decl of [...iface.inner.names.values()].flat())
    if (decl.kind === 'assoc') for (const w of decl.syntax.where) if (!isOwnBound(decl, w)) add(cx, facts, decl, w)
  cx.facts.set(iface, facts)
  return facts
}

function add(cx: Cx, facts: Facts, decl: AssocDecl, w: ast.Where): void {
  if (w.kind === 'conforms') {
    const subject = resolveType(cx, w.subject, decl.scope)
    for (const b of w.bounds) {
      const type = resolveType(cx, b, decl.scope)
      if (type.kind === 'interface') for (const i of conjuncts(type)) facts.bounds.push([subject, i])
      else if (type.kind !== 'error') cx.sink.add(notInterface, b.span, { name: show(subject) })
    }
  } else if (w.kind === 'equals') {
    const [left, right] = [resolveType(cx, w.left, decl.scope), resolveType(cx, w.right, decl.scope)]
    if (left.kind === 'assoc') facts.equal.push([left, right])
    else if (right.kind === 'assoc') facts.equal.push([right, left])
  }
}

/** The interfaces that those of `T` say that the associated type `T.A.B` conforms to. */
export function saidBounds(cx: Cx, type: AssocType): readonly InterfaceType[] {
  return said(cx, type, facts => facts.bounds)
}

/** The type that an interface of `T` says that `T.A.B` is. */
export function saidType(cx: Cx, type: AssocType): Type | undefined {
  return said<Type>(cx, type, facts => facts.equal)[0]
}

/** What is said of a type by the interfaces of those that it is an associated type of. */
function said<T extends Type>(cx: Cx, type: AssocType, of: (facts: Facts) => readonly (readonly [Type, T])[]): T[] {
  const found: T[] = []
  if (cx.interfacesWithFacts.size === 0) return found
  for (let root: Type = type.base; isOpen(root);) {
    for (const iface of boundsOf(cx, root)) {
      if (!cx.interfacesWithFacts.has(iface.decl)) continue
      const length = thisType(iface.decl).key.length
      for (const [subject, is] of of(factsOf(cx, iface.decl)))
        if (root.key + subject.key.slice(length) === type.key)
          found.push(put(cx, is, substFor(iface.decl, iface.args, root)) as T)
    }
    if (root.kind !== 'assoc') break
    root = root.base
  }
  return found
}
