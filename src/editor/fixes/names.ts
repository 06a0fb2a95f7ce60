/** Fixes of mistakes about names, declarations, modules and attributes. */
import * as errors from '../../base/errors/names.ts'
import { nearest } from '../../base/near.ts'
import type { Span } from '../../base/source.ts'
import type { Decl } from '../../check/model/decl.ts'
import type { Modifier } from '../../syntax/ast.ts'
import { row, type Edit, type Found, type Mistake, type Row } from './fix.ts'
import { before, behind, remove, removeAttribute, replace } from './text.ts'

/** Puts a name in place of the wrong one that the span covers. */
function respell(at: Mistake<'name'>, { best }: Found): readonly Edit[] | undefined {
  return at.text === at.given.name ? [replace(at.span, best!)] : undefined
}

const stages = ['compute', 'vertex', 'fragment']

type Modified = { readonly span: Span; readonly modifiers: readonly Modifier[] }

/** The only member of a name in the program: the checker does not say which it was where it may not be used. */
function memberOf(at: Mistake<'name'>): Modified | undefined {
  const isMember = (d: Decl): boolean =>
    'parent' in d && d.parent !== null && d.parent.kind !== 'func' && 'name' in d && d.name === at.given.name
  const [only, ...others] = at.analysis.program.declarations.filter(isMember)
  if (only === undefined || others.length > 0 || !('syntax' in only) || only.syntax === null) return undefined
  return 'modifiers' in only.syntax ? only.syntax : undefined
}

/** A module that has a public declaration of a name and is not imported here: one of the program, else one that could be. */
function moduleWith(at: Mistake<'name'>): Found | undefined {
  const { modules } = at.analysis.program
  const own = modules.find(m => m.files.includes(at.file))
  for (const module of modules) {
    if (module === own || own?.imports.some(i => i.module === module) === true) continue
    const decls = module.inner.names.get(at.given.name as string) ?? []
    if (module.name !== '' && decls.some(d => 'visibility' in d && d.visibility === 'public'))
      return { module: module.name }
  }
  const [other] = at.modules?.declaring(at.given.name as string) ?? []
  return other === undefined ? undefined : { module: other }
}

export const namesFixes: readonly Row[] = [
  row(
    errors.undefinedName,
    { does: 'mend the spelling', with: '{best}', isPreferred: true, find: at => at.suggestion(), edit: respell },
    {
      does: 'import the module that does',
      with: '{module}',
      find: moduleWith,
      edit: (at, { module }) => {
        const imports = at.analysis.tree(at.file)?.decls.filter(d => d.kind === 'import' || d.kind === 'moduleDecl')
        const last = imports?.at(-1)
        return [
          last === undefined ? before(at.part(0), `import ${module!};\n`) : behind(last.span, `\nimport ${module!};`),
        ]
      },
    },
  ),
  row(errors.noModule, {
    does: 'check the name',
    with: '{best}',
    isPreferred: true,
    find: at => {
      const best = nearest(at.given.name as string, at.modules?.names() ?? [])
      return best === null ? undefined : { best }
    },
    edit: respell,
  }),
  row(errors.noMember, { title: 'write {best}', isPreferred: true, find: at => at.suggestion(), edit: respell }),
  row(errors.noNamespaceMember, {
    title: 'write {best}',
    isPreferred: true,
    find: at => {
      const names = at.analysis.program.declarations.flatMap(d =>
        d.kind === 'namespace' && d.name === at.given.namespace ? [...d.inner.names.keys()] : [],
      )
      const best = nearest(at.given.name as string, names)
      return best === null ? undefined : { best }
    },
    edit: respell,
  }),
  row(errors.needsObject, {
    does: 'declare it static',
    with: '{name}',
    edit: at => {
      const member = memberOf(at)
      return member && [before(startOf(member), 'static ')]
    },
  }),
  row(errors.notVisible, {
    does: 'declare it public',
    with: '{name}',
    isPreferred: true,
    edit: at => {
      const member = memberOf(at)
      const kept = member?.modifiers.find(m => m.name === 'private' || m.name === 'internal')
      return kept === undefined ? member && [before(startOf(member), 'public ')] : [replace(kept.span, 'public')]
    },
  }),
  row(
    errors.unknownAttribute,
    { title: 'write {best}', isPreferred: true, find: at => at.suggestion(), edit: respell },
    {
      title: 'remove [{name}]',
      edit: at => {
        const attribute = at.inner('attribute')
        return attribute && [removeAttribute(attribute.span)]
      },
    },
  ),
  row(errors.unknownStage, {
    title: 'write {best}',
    isPreferred: true,
    find: at => {
      const best = nearest(at.given.name as string, stages)
      return best === null ? undefined : { best }
    },
    edit: (at, { best }) => {
      const name = at.inner('attribute')?.args[0]?.span
      return name && [replace(name, `"${best!}"`)]
    },
  }),
  row(errors.groupSize, {
    title: 'use one thread in that direction',
    edit: at => {
      const zero = at.inner('attribute')?.args.find(a => a.span.file.text.slice(a.span.start, a.span.end) === '0')
      return zero && [replace(zero.span, '1')]
    },
  }),
  row(errors.importCycle, {
    title: 'remove this import',
    edit: at => {
      const found = at.inner('import')
      return found && [remove(found.span)]
    },
  }),
  row(errors.unresolvedExternal, {
    does: 'give it a default value',
    with: '{name}',
    edit: at => {
      const found = at.analysis.program.declarations.find(
        d => d.kind === 'global' && d.name === at.given.name && at.analysis.program.isUnresolved(d),
      )
      return found?.kind === 'global' && found.span?.file === at.file ? [behind(found.span, ' = {}')] : undefined
    },
  }),
  row(errors.redefined, {
    does: 'give one of the two another name',
    edit: at => [replace(at.span, at.fresh(at.given.name as string))],
  }),
]

/** Where modifiers stand: behind the attributes of a declaration. */
function startOf({ span, modifiers }: Modified): Span {
  return modifiers[0]?.span ?? span
}
