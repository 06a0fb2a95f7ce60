/** Where names and types are declared. */
import { Span } from '../base/source.ts'
import type { Decl } from '../check/model/decl.ts'
import { isInt, type GenericArg, type Type } from '../check/model/type.ts'
import { fieldType, funcSig, globalInfo, selfType, typeTerm } from '../check/types/index.ts'
import type { Cx } from '../check/model/context.ts'
import { noSubst } from '../check/model/type.ts'
import type * as ast from '../syntax/ast.ts'
import { meaningAt, writtenAt } from './meaning.ts'
import type { Location, Position } from './range.ts'
import type { Workspace } from './workspace.ts'

/** Where what stands at a place is declared; for an import or include, the file. */
export function definition(workspace: Workspace, uri: string, position: Position): readonly Location[] {
  const place = workspace.at(uri, position)
  const meaning = place === undefined ? undefined : meaningAt(place)
  if (place === undefined || meaning === undefined) return []
  switch (meaning.kind) {
    case 'decl':
      return located(workspace, [writtenAt(place.analysis, meaning.decl)])
    case 'macro':
      return meaning.macro.span === undefined ? [] : [workspace.location(meaning.macro.span)]
    case 'file': {
      const start = { line: 0, character: 0 }
      return [{ uri: workspace.uri(meaning.path), range: { start, end: start } }]
    }
    case 'label':
      return [workspace.location(meaning.label.name.span)]
  }
}

/** Where the type of what stands at a place is declared; of `DifferentialPair<Splat>` first `Splat`. */
export function typeDefinition(workspace: Workspace, uri: string, position: Position): readonly Location[] {
  const place = workspace.at(uri, position)
  if (place === undefined) return []
  const { analysis, file, offset } = place
  const meaning = meaningAt(place)
  const type = meaning?.kind === 'decl' ? typeOfDecl(analysis.cx, meaning.decl) : null
  if (type !== null) return located(workspace, declsOf(type))
  for (const node of analysis.path(file, offset).toReversed()) {
    const term = analysis.names.known(node as ast.Expr)?.term
    const own =
      term?.kind === 'value'
        ? term.expr.type
        : term?.kind === 'place'
          ? term.place.type
          : term?.kind === 'type'
            ? term.type
            : null
    if (own !== null) return located(workspace, declsOf(own))
  }
  return []
}

function located(workspace: Workspace, decls: readonly Decl[]): readonly Location[] {
  return decls.flatMap(decl => {
    if (decl.kind === 'module') return [workspace.location(new Span(decl.file, 0, 0))]
    return decl.span === null ? [] : [workspace.location(decl.span)]
  })
}

/** The type that a declaration has, or is; null for what has none. */
export function typeOfDecl(from: Cx, decl: Decl): Type | null {
  const cx = decl.kind === 'module' || decl.kind === 'local' || decl.kind === 'parameter' ? from : from.of(decl)
  switch (decl.kind) {
    case 'local':
    case 'parameter':
      return decl.type
    case 'field':
      return fieldType(cx, decl)
    case 'global':
      return globalInfo(cx, decl).type
    case 'func':
      return decl.role === 'constructor' && decl.parent !== null ? selfType(cx, decl.parent) : funcSig(cx, decl).result
    case 'property':
    case 'subscript': {
      const accessor = decl.accessors.find(a => a.accessor !== 'set')
      return accessor === undefined ? null : funcSig(cx, accessor).result
    }
    case 'case':
      return selfType(cx, decl.owner)
    case 'struct':
    case 'enum':
    case 'interface':
    case 'extension':
      return selfType(cx, decl)
    case 'alias':
    case 'assoc':
    case 'typeparam': {
      const term = typeTerm(cx, decl, noSubst, null)
      return term?.kind === 'type' ? term.type : null
    }
    case 'valueparam':
    case 'module':
    case 'namespace':
      return null
  }
}

/** The declarations that make up a type, the most telling first. */
function declsOf(type: Type): readonly Decl[] {
  const inside = (args: readonly GenericArg[]): readonly Decl[] => args.flatMap(a => (isInt(a) ? [] : declsOf(a)))
  switch (type.kind) {
    case 'struct':
      // What a type of the library holds is what one looks for.
      return type.decl.module.isCore
        ? [...inside(type.args), type.decl]
        : [type.decl.differentialOf ?? type.decl, ...inside(type.args)]
    case 'interface':
      return [type.decl, ...inside(type.args)]
    case 'enum':
    case 'param':
    case 'this':
    case 'assoc':
      return [type.decl]
    case 'array':
    case 'vector':
    case 'matrix':
      return declsOf(type.elem)
    case 'shape':
      return declsOf(type.of)
    case 'func':
      return [...type.params.flatMap(p => declsOf(p.type)), ...declsOf(type.result)]
    case 'error':
    case 'void':
    case 'string':
    case 'scalar':
      return []
  }
}
