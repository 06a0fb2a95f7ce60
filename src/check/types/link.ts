/** Link-time constants and types: `extern` asks for what another module says with `export`, and may say what holds without. */
import { doesNotConform } from '../../base/errors/generics.ts'
import * as errors from '../../base/errors/names.ts'
import * as ast from '../../syntax/ast.ts'
import { conforms } from './conform.ts'
import type { Cx } from '../model/context.ts'
import type { AliasDecl, GlobalDecl, StructDecl } from '../model/decl.ts'
import { resolveType } from './resolve.ts'
import { errorType, show, structType, type Type } from '../model/type.ts'

/** What a module exports under the name. */
function exported(cx: Cx, decl: AliasDecl | GlobalDecl): AliasDecl | GlobalDecl | StructDecl | undefined {
  const [found, other] = cx.exports.get(decl.name) ?? []
  if (other !== undefined) cx.sink.add(errors.redeclared, other.span ?? undefined, { name: decl.name }, { span: found?.span ?? undefined, text: 'exported here as well' })
  return found
}

/** The constant that an `extern` one stands for; itself where no module exports one. */
export function linkedGlobal(cx: Cx, decl: GlobalDecl): GlobalDecl {
  const found = ast.hasModifier(decl.syntax, 'extern') ? exported(cx, decl) : undefined
  return found?.kind === 'global' ? found : decl
}

/** The type that an `extern` one stands for, or null: it is its default. */
export function linkedType(cx: Cx, decl: AliasDecl): AliasDecl | StructDecl | null {
  const found = isExtern(decl) ? exported(cx, decl) : undefined
  return found === undefined || found.kind === 'global' ? null : found
}

/** Whether a type is declared to be another module's. */
function isExtern(decl: AliasDecl): boolean {
  return decl.link !== undefined && ast.hasModifier(decl.link, 'extern')
}

/** Reports a constant that is neither exported anywhere nor has a default. */
export function checkLinkedGlobal(cx: Cx, decl: GlobalDecl): void {
  const { syntax } = decl
  if (!ast.hasModifier(syntax, 'extern') || syntax.kind === 'buffer' || syntax.init !== undefined || linkedGlobal(cx, decl) !== decl) return
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
  const type: Type = found === null || found.kind === 'alias' ? resolveType(cx, (found ?? decl).target, (found ?? decl).inner) : structType(found, [])
  for (const b of decl.link.bases) {
    const iface = resolveType(cx, b, decl.inner)
    if (iface.kind === 'interface' && type !== errorType && !conforms(cx, type, iface)) cx.sink.add(doesNotConform, b.span, { type: show(type), interface: show(iface) })
  }
}
