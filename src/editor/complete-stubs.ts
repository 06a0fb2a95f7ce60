/** What the interfaces of a type ask of it and it has not yet, as members to fill in. */
import type { Cx } from '../check/model/context.ts'
import type { Decl, ExtensionDecl, FuncDecl, StructDecl } from '../check/model/decl.ts'
import type { InterfaceType, Type } from '../check/model/type.ts'
import {
  closure,
  declaredBases,
  extensionInfo,
  funcSig,
  globalInfo,
  lookupMember,
  put,
  selfType,
  substFor,
  template,
} from '../check/types/index.ts'
import { escaped, itemKinds, type Offer } from './complete-items.ts'
import { docMarkdown, docOf, markdown } from './doc.ts'
import { genericsText, nameOf, typeText, whereText } from './show.ts'

/** Requirements that the compiler meets where nobody else does. */
const ownInterfaces: ReadonlySet<string> = new Set(['IDifferentiable', 'IDifferentiablePtrType'])

/** The members that a type lacks. `isOverride`: those that have a default and may be replaced, behind the word `override`. */
export function stubs(cx: Cx, decl: StructDecl | ExtensionDecl, isOverride: boolean): readonly Offer[] {
  const type = selfType(cx, decl)
  if (type === null) return []
  const bases = decl.kind === 'struct' ? declaredBases(cx, decl) : (extensionInfo(cx, decl)?.bases ?? [])
  const found: Offer[] = []
  const seen = new Set<string>()
  for (const base of bases)
    for (const iface of closure(cx, base)) {
      if (seen.has(iface.key) || (iface.decl.module.isCore && ownInterfaces.has(iface.decl.name))) continue
      seen.add(iface.key)
      for (const requirements of iface.decl.inner.names.values())
        for (const r of requirements) {
          const hasDefault = r.kind === 'func' && r.hasBody
          if (isOverride && !hasDefault) continue
          if (lookupMember(cx, type, r.name).some(m => m.via < 2)) continue
          const body = bodyOf(cx, r, iface, type)
          if (body === null) continue
          const text = hasDefault && !isOverride ? `override ${body}` : body
          found.push({
            label: r.kind === 'func' ? nameOf(r) : r.name,
            kind: r.kind === 'func' ? itemKinds.method : r.kind === 'property' ? itemKinds.property : itemKinds.struct,
            rank: hasDefault ? '2' : '0',
            snippet: text,
            labelDetails: { description: `${hasDefault ? 'replaces the default' : 'asked for'} by ${iface.decl.name}` },
            more: () => ({ documentation: markdown(docMarkdown(docOf(r))) }),
          })
        }
    }
  return found
}

/** A member that meets a requirement, as a snippet; null for what is met in another way. */
function bodyOf(cx: Cx, r: Decl, iface: InterfaceType, type: Type): string | null {
  const subst = substFor(iface.decl, iface.args, type)
  switch (r.kind) {
    case 'assoc':
      return `typealias ${r.name} = $0;`
    case 'global': {
      const of = put(cx, globalInfo(cx, r).type, subst)
      return `static const ${escaped(typeText(of))} ${r.name} = $0;`
    }
    case 'property': {
      const get = r.accessors.find(a => a.accessor === 'get')
      if (get === undefined) return null
      const of = put(cx, funcSig(cx, get).result, subst)
      const set = r.accessors.some(a => a.accessor !== 'get') ? '\n\tset { $2 }' : ''
      return `property ${escaped(typeText(of))} ${r.name}\n{\n\tget { return $1; }${set}\n}$0`
    }
    case 'func':
      return r.role === 'accessor' ? null : functionStub(cx, r, iface, type)
    default:
      return null
  }
}

function functionStub(cx: Cx, r: FuncDecl, iface: InterfaceType, type: Type): string {
  const sig = template(cx, r, substFor(iface.decl, iface.args, type))
  const { syntax } = r
  const attributes = syntax.attributes
    .filter(a => /Differentiable$|^mutating$/.test(a.name))
    .map(a => `[${a.name}]\n`)
    .join('')
  // `template` also calls constant what can have no derivative; the requirement says what its author meant.
  const own = funcSig(cx, r)
  const params = sig.params.map((p, i) =>
    [own.params[i]?.noDiff === true ? 'no_diff' : '', p.dir === 'in' ? '' : p.dir, typeText(p.type), p.name]
      .filter(word => word !== '')
      .join(' '),
  )
  const generics = syntax.kind === 'accessor' ? undefined : syntax.generics
  const result = `${own.resultNoDiff ? 'no_diff ' : ''}${typeText(sig.result)} `
  const before = r.role === 'constructor' ? '' : `${r.role === 'static' ? 'static ' : ''}${result}`
  const head = `${before}${nameOf(r)}${genericsText(generics)}(${params.join(', ')})${whereText(generics)}`
  return `${attributes}${escaped(head)}\n{\n\t$0\n}`
}
