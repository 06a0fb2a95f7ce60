/** Link-time constants and types: `extern` refers to what another module exports, and may give a default. */
import * as errors from '../../base/errors/names.ts'
import * as ast from '../../syntax/ast.ts'
import type { Cx } from '../model/context.ts'
import type { AliasDecl, GlobalDecl, StructDecl } from '../model/decl.ts'

/** What a module exports under the name. */
function exported(cx: Cx, decl: AliasDecl | GlobalDecl): AliasDecl | GlobalDecl | StructDecl | undefined {
  const [found, other] = cx.exports.get(decl.name) ?? []
  if (other !== undefined)
    cx.sink.add(
      errors.redeclared,
      other.span ?? undefined,
      { name: decl.name },
      { span: found?.span ?? undefined, text: 'exported here as well' },
    )
  return found
}

/** The constant that an `extern` one stands for; itself where no module exports one. */
export function linkedGlobal(cx: Cx, decl: GlobalDecl): GlobalDecl {
  const found = ast.hasModifier(decl.syntax, 'extern') ? exported(cx, decl) : undefined
  return found?.kind === 'global' ? found : decl
}

/** Whether a constant is to come from another module, and none exports it. */
export function isUnresolved(cx: Cx, decl: GlobalDecl): boolean {
  const { syntax } = decl
  return (
    ast.hasModifier(syntax, 'extern') &&
    syntax.kind !== 'buffer' &&
    syntax.init === undefined &&
    linkedGlobal(cx, decl) === decl
  )
}

/** The type that an `extern` one stands for, or null: it is its default. */
export function linkedType(cx: Cx, decl: AliasDecl): AliasDecl | StructDecl | null {
  const found = isExtern(decl) ? exported(cx, decl) : undefined
  return found === undefined || found.kind === 'global' ? null : found
}

/** Whether a type is declared `extern`. */
function isExtern(decl: AliasDecl): boolean {
  return decl.link !== undefined && ast.hasModifier(decl.link, 'extern')
}
