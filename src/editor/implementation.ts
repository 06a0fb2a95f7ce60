/** What conforms to an interface, and what meets a requirement of one. */
import type { Span } from '../base/source.ts'
import type { Cx } from '../check/model/context.ts'
import type { Decl, InterfaceDecl } from '../check/model/decl.ts'
import type { InterfaceType } from '../check/model/type.ts'
import { closure, declaredBases, extensionInfo } from '../check/types/index.ts'
import { definition } from './definition.ts'
import { familyOf } from './family.ts'
import { meaningAt } from './meaning.ts'
import type { Location, Position } from './range.ts'
import { keyOf, programsFor } from './references.ts'
import type { Workspace } from './workspace.ts'

/** Where the interface, or the requirement, at a place is implemented; of any other name the definition. */
export function implementation(workspace: Workspace, uri: string, position: Position): readonly Location[] {
  const place = workspace.at(uri, position)
  const meaning = place === undefined ? undefined : meaningAt(place)
  if (place === undefined || meaning?.kind !== 'decl') return []
  const { span } = meaning
  const [asked] = place.analysis.declared(new Set([keyOf(place.analysis, meaning.decl)]))
  const decl = asked ?? meaning.decl
  if (decl.kind !== 'interface' && interfaceOf(decl) === undefined) return definition(workspace, uri, position)
  const found = new Map<string, Span>()
  const seen = new Set<string>()
  const queue = [{ analysis: place.analysis, decl }]
  // Interfaces that extend this one have conforming types in files that do not name it.
  for (const { analysis, decl } of queue) {
    const key = keyOf(analysis, decl)
    if (seen.size === seen.add(key).size) continue
    for (const program of programsFor(workspace, analysis, { kind: 'decl', span, decl })) {
      const own = 'module' in decl && decl.module.isCore ? [decl] : program.declared(new Set([key]))
      for (const one of own.flatMap(d => implementing(program.cx, d))) {
        if (one.kind === 'interface' || interfaceOf(one) !== undefined) queue.push({ analysis: program, decl: one })
        else {
          const at = one.kind === 'extension' ? one.syntax.target.span : 'span' in one ? one.span : null
          if (at !== null) found.set(`${at.file.name}:${at.start}`, at)
        }
      }
    }
  }
  return [...found.values()].map(at => workspace.location(at))
}

/** The interface that a declaration is a requirement of. */
function interfaceOf(decl: Decl): InterfaceDecl | undefined {
  const owner = 'scope' in decl && decl.scope.kind === 'type' ? decl.scope.owner : null
  return owner?.kind === 'interface' ? owner : undefined
}

/** What stands for a declaration: types and interfaces for an interface, members for a requirement. */
function implementing(cx: Cx, decl: Decl): readonly Decl[] {
  if (decl.kind !== 'interface') return [...familyOf(cx, decl)].filter(d => d !== decl)
  const conforms = (bases: readonly InterfaceType[]): boolean =>
    bases.some(base => closure(cx, base).some(i => i.decl === decl))
  return cx.userDecls.filter(d => {
    switch (d.kind) {
      case 'struct':
      case 'enum':
      case 'interface':
        return d !== decl && conforms(declaredBases(cx, d))
      case 'extension':
        return conforms(extensionInfo(cx, d)?.bases ?? [])
      default:
        return false
    }
  })
}
