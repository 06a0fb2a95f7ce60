/** Checks that link-time constants and types are exported somewhere, or have a default. */
import { doesNotConform } from '../../base/errors/generics.ts'
import * as errors from '../../base/errors/names.ts'
import * as ast from '../../syntax/ast.ts'
import type { AliasDecl, GlobalDecl, Type } from '../model/decl.ts'
import type { Cx } from '../model/context.ts'
import { conforms, linkedGlobal, linkedType, resolveType } from '../types/index.ts'
import { errorType, show, structType } from '../model/type.ts'

/** Reports a constant that is neither exported anywhere nor has a default. */
export function checkLinkedGlobal(cx: Cx, decl: GlobalDecl): void {
  const { syntax } = decl
  if (
    !ast.hasModifier(syntax, 'extern') ||
    syntax.kind === 'buffer' ||
    syntax.init !== undefined ||
    linkedGlobal(cx, decl) !== decl
  )
    return
  cx.sink.add(errors.unresolvedExternal, decl.span ?? undefined, { name: decl.name })
}

/** Reports a type that is neither exported anywhere nor has a default, and one without the interfaces that were promised. */
export function checkLinkedType(cx: Cx, decl: AliasDecl): void {
  if (decl.link === undefined) return
  const found = linkedType(cx, decl)
  if (found === null && decl.link.alias === undefined) {
    cx.sink.add(errors.unresolvedExternal, decl.span ?? undefined, { name: decl.name })
    return
  }
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
