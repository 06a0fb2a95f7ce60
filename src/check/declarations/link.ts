/** Checks link-time types: that what is exported has the interfaces that were promised. */
import { doesNotConform } from '../../base/errors/generics.ts'
import type { AliasDecl, Type } from '../model/decl.ts'
import type { Cx } from '../model/context.ts'
import { conforms, linkedType, resolveType } from '../types/index.ts'
import { errorType, show, structType } from '../model/type.ts'

/** Reports a type without the interfaces that were promised. */
export function checkLinkedType(cx: Cx, decl: AliasDecl): void {
  if (decl.link === undefined) return
  const found = linkedType(cx, decl)
  // It is missing only where something reaches it.
  if (found === null && decl.link.alias === undefined) return
  const type: Type =
    found === null || found.kind === 'alias'
      ? resolveType(cx, (found ?? decl).target, (found ?? decl).inner)
      : structType(found, [])
  for (const b of decl.link.bases) {
    const iface = resolveType(cx, b, decl.inner)
    if (iface.kind === 'interface' && type !== errorType && !conforms(cx, type, iface))
      cx.sink.add(doesNotConform, b.span, { type: show(type), interface: show(iface) })
  }
}
