/** Fixes of mistakes about generic parameters and interfaces. */
import * as errors from '../../base/errors/generics.ts'
import type { FuncDecl } from '../../check/model/decl.ts'
import { row, textOf, type Edit, type Mistake, type Row } from './fix.ts'
import { atEnd, before, conform, indentAt, lineBefore, replace } from './text.ts'

/** The declaration of a requirement as a member with a body that does nothing; undefined where it speaks of the interface's parameters. */
function stub(requirement: FuncDecl): string | undefined {
  const { syntax } = requirement
  if (syntax.kind !== 'func' || requirement.owner === null || requirement.owner.generics !== null) return undefined
  const { file, start, end } = syntax.span
  const text = file.text.slice(start, syntax.body?.span.start ?? end).replace(/[\s;]+$/, '')
  const head = text.replaceAll(`\n${indentAt(file, start)}`, '\n')
  const isVoid = syntax.result === undefined || textOf(syntax.result.span) === 'void'
  return `${head} { ${isVoid ? '' : 'return {}; '}}`
}

/** The functions that an interface requires of those that conform to it, without those that it has a body for. */
function required(at: Mistake, name: string): readonly FuncDecl[] {
  const decl = at.interface(name)
  return at.analysis.program.declarations.filter(
    (d): d is FuncDecl => d.kind === 'func' && d.owner === decl && decl !== undefined && !d.hasBody,
  )
}

/** Adds what a struct lacks for an interface. */
function stubs(at: Mistake, type: string, requirements: readonly FuncDecl[]): readonly Edit[] | undefined {
  const struct = at.struct(type)
  const texts = requirements.map(stub)
  if (struct?.members === undefined || texts.includes(undefined)) return undefined
  return texts.length === 0 ? [] : [atEnd(struct.span, texts.join('\n'))]
}

export const genericsFixes: readonly Row[] = [
  row(errors.extendsInterface, {
    does: 'extend all that conform to it: extension<T : {name}> T',
    isPreferred: true,
    edit: at => {
      const found = at.inner('extension')
      if (found === undefined || found.generics !== undefined) return undefined
      return [replace(at.part(found.span.start, found.target.span.end), `extension<T : ${at.given.name}> T`)]
    },
  }),
  row(errors.doesNotConform, {
    does: 'declare the conformance',
    with: '{type} : {interface}',
    edit: at => {
      const { type, interface: iface } = at.given
      const struct = at.struct(String(type))
      const base = struct && conform(struct, String(iface))
      // The library's own interfaces ask for more than a stub can tell, unless the compiler makes it.
      const known = iface === 'IDifferentiable' ? [] : at.interface(String(iface)) && required(at, String(iface))
      const members = known && stubs(at, String(type), known)
      return base === undefined || members === undefined ? undefined : [base, ...members]
    },
  }),
  row(errors.notGeneric, {
    title: 'leave the arguments out',
    isPreferred: true,
    edit: at => {
      const found = at.inner('generic')
      return found && [replace(at.part(found.base.span.end, found.span.end), '')]
    },
  }),
  row(errors.missingRequirement, {
    title: 'add {name}',
    isPreferred: true,
    edit: at => {
      const { type, name, interface: iface } = at.given
      const requirements = required(at, String(iface)).filter(f => f.name === name)
      return requirements.length === 0 ? undefined : stubs(at, String(type), requirements)
    },
  }),
  row(errors.missingOverride, {
    does: 'write override before it',
    isPreferred: true,
    edit: at => {
      const func = at.inner('func')
      if (func === undefined) return undefined
      const first = func.modifiers[0]?.span ?? func.result?.span ?? func.name.span
      return [before(first, 'override ')]
    },
  }),
  row(
    errors.notDifferentiableRequirement,
    {
      does: 'mark it [Differentiable]',
      isPreferred: true,
      edit: at => {
        const func = at.func()
        return func && [lineBefore(func.span, '[Differentiable]')]
      },
    },
    {
      does: ['mark it', '[TreatAsDifferentiable]'],
      edit: at => {
        const func = at.func()
        return func && [lineBefore(func.span, '[TreatAsDifferentiable]')]
      },
    },
  ),
  row(errors.eachOutside, {
    does: `write 'expand' before the expression that is meant for each part`,
    edit: at => {
      const statement = at.inner('expr')
      return statement && [before(statement.span, 'expand ')]
    },
  }),
  row(errors.packHere, {
    does: 'hold the parts in a tuple: Tuple<expand each T>',
    isPreferred: true,
    edit: at => (/^expand each \w+$/.test(at.text) ? [replace(at.span, `Tuple<${at.text}>`)] : undefined),
  }),
]
