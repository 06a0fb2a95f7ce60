/** Items of a completion list. Their shape is that of the Language Server Protocol. */
import type { Cx } from '../check/model/context.ts'
import type { Decl, FuncDecl } from '../check/model/decl.ts'
import { isGeneric, noSubst, type Type } from '../check/model/type.ts'
import { attributesOf, differentialOf, put, template } from '../check/types/index.ts'
import type * as ast from '../syntax/ast.ts'
import { printParam, printType } from '../syntax/print-expr.ts'
import type { Distance, Named } from './complete-names.ts'
import { codeBlock, docMarkdown, docOf, markdown, type Markup } from './doc.ts'
import { keywordText } from './keywords.ts'
import type { Range } from './range.ts'
import { constantText, declText, heldType, kindText, listText, shownType, typeText } from './show.ts'
import type { Snippet } from './complete-words.ts'

/** Kinds of items by the numbers of the protocol. */
export const itemKinds = {
  method: 2,
  function: 3,
  constructor: 4,
  field: 5,
  variable: 6,
  interface: 8,
  module: 9,
  property: 10,
  value: 12,
  enum: 13,
  keyword: 14,
  snippet: 15,
  file: 17,
  folder: 19,
  enumMember: 20,
  constant: 21,
  struct: 22,
  typeParameter: 25,
} as const
export type ItemKind = (typeof itemKinds)[keyof typeof itemKinds]

/** The formats of inserted text by the numbers of the protocol. */
export const plainText = 1
export const snippetText = 2

export interface CompletionItem {
  readonly label: string
  readonly labelDetails?: { readonly detail?: string; readonly description?: string }
  readonly kind: ItemKind
  readonly detail?: string
  readonly documentation?: Markup
  readonly sortText: string
  readonly filterText?: string
  readonly insertTextFormat?: typeof plainText | typeof snippetText
  readonly textEdit: { readonly range: Range; readonly newText: string }
  /** 1: one should not use it any more. */
  readonly tags?: readonly 1[]
  readonly preselect?: boolean
  /** The number of the item in its list, for `resolve`. */
  readonly data: number
}

/** What is offered, before it is an item: what stands in for the word at the cursor, and what is found out when somebody asks. */
export interface Offer {
  readonly label: string
  readonly kind: ItemKind
  /** Less comes first. */
  readonly rank: string
  /** What is inserted, if that is not the label. */
  readonly snippet?: string
  readonly text?: string
  readonly labelDetails?: CompletionItem['labelDetails']
  readonly isOld?: boolean
  readonly preselect?: boolean
  /** Adds what takes time. */
  readonly more?: () => { readonly detail?: string; readonly documentation?: Markup }
}

/** The ranks of distances: what is nearer comes first. */
const ranks: Readonly<Record<Distance, string>> = { local: '1', member: '2', global: '3', imported: '4', core: '5' }
export const expectedRank = '0'
export const wordRank = '6'
export const snippetRank = '7'

function kindOfItem(decl: Decl): ItemKind {
  switch (decl.kind) {
    case 'module':
    case 'namespace':
      return itemKinds.module
    case 'struct':
      return decl.isBlock ? itemKinds.variable : itemKinds.struct
    case 'enum':
    case 'interface':
      return itemKinds[decl.kind]
    case 'case':
      return itemKinds.enumMember
    case 'alias':
    case 'assoc':
    case 'extension':
      return itemKinds.struct
    case 'typeparam':
      return itemKinds.typeParameter
    case 'valueparam':
      return itemKinds.constant
    case 'func':
      return decl.role === 'function' ? itemKinds.function : itemKinds.method
    case 'subscript':
      return itemKinds.method
    case 'property':
    case 'field':
      return itemKinds[decl.kind]
    case 'global':
      return decl.storage === 'constant' ? itemKinds.constant : itemKinds.variable
    case 'local':
    case 'parameter':
      return itemKinds.variable
  }
}

/** Escapes a text for a snippet. */
export function escaped(text: string): string {
  return text.replace(/[\\$}]/g, '\\$&')
}

const paramsOf = (func: FuncDecl): readonly ast.Param[] => (func.syntax.kind === 'accessor' ? [] : func.syntax.params)

/** The call of a function as a snippet: with the arguments that it needs, if there is only one function of its name. */
export function callSnippet(name: string, funcs: readonly FuncDecl[]): string {
  const [only, ...others] = funcs
  const params = only === undefined || others.length > 0 ? null : paramsOf(only).filter(p => p.fallback === undefined)
  if (params === null) return funcs.every(f => paramsOf(f).length === 0) ? `${escaped(name)}()` : `${escaped(name)}($1)`
  return `${escaped(name)}(${params.map((p, i) => `\${${i + 1}:${escaped(p.name?.text ?? `p${i}`)}}`).join(', ')})`
}

/** How a named thing is offered. */
export interface Offering {
  readonly cx: Cx
  /** Functions are offered as calls. */
  readonly calls: boolean
  readonly rank?: string
}

/** Names as offers; overloads are one. */
export function offerOf({ name, decls, distance, members }: Named, { cx, calls, rank }: Offering): Offer {
  const decl = decls[0]!
  const kind = kindOfItem(decl)
  const own = rank ?? ranks[distance]
  const subst = members[0]?.subst
  const more = (): ReturnType<NonNullable<Offer['more']>> => ({
    detail:
      decls.length > 4
        ? `${declText(cx, decl)} (+${decls.length - 1} overloads)`
        : decls.map(d => declText(cx, d)).join('\n'),
    documentation: markdown(
      [`*${kindText(decl)}*`, docMarkdown(decls.map(docOf).find(doc => doc !== '') ?? '')]
        .filter(s => s !== '')
        .join('\n\n'),
    ),
  })
  if (decl.kind !== 'func') {
    const held = distance === 'core' ? null : heldType(cx, decl)
    // What the type that has the member says of its generic parameters is known here.
    const type = held === null || subst === undefined ? held : put(cx, held, subst)
    const value = decl.kind === 'case' ? constantText(cx, decl) : null
    return {
      label: name,
      kind,
      rank: own,
      more,
      ...(type === null || decl.kind === 'case' ? {} : { labelDetails: { description: shownType(cx, type) } }),
      ...(value === null ? {} : { labelDetails: { detail: ` = ${value}` } }),
    }
  }
  const funcs = decls.filter(d => d.kind === 'func')
  const overloads = funcs.length > 1 ? `+${funcs.length - 1} overload${funcs.length > 2 ? 's' : ''}` : ''
  const result =
    decl.syntax.kind === 'func' && decl.syntax.result !== undefined ? printType(decl.syntax.result) : 'void'
  const detail = `(${paramsOf(decl).map(printParam).join(', ')})`
  const settled = subst === undefined || subst.args.size === 0 ? null : template(cx, decl, subst)
  const isOld = funcs.every(f => f.syntax.attributes.some(a => a.name === 'deprecated'))
  return {
    label: name,
    kind,
    rank: own,
    more,
    labelDetails: {
      detail: settled === null ? detail : listText(settled, paramsOf(decl)),
      description: overloads !== '' ? overloads : settled === null ? result : typeText(settled.result),
    },
    ...(calls ? { snippet: callSnippet(name, funcs) } : {}),
    ...(isOld ? { isOld } : {}),
  }
}

export function keywordOffer(word: string): Offer {
  const text = keywordText(word)
  return {
    label: word,
    kind: itemKinds.keyword,
    rank: wordRank,
    ...(text === undefined ? {} : { more: () => ({ detail: 'keyword', documentation: markdown(text) }) }),
  }
}

export function snippetOffer({ label, detail, body }: Snippet): Offer {
  return {
    label,
    kind: itemKinds.snippet,
    rank: snippetRank,
    snippet: body,
    labelDetails: { description: detail },
    more: () => ({ detail, documentation: markdown(codeBlock(plainOf(body))) }),
  }
}

/** A snippet as it reads before anybody fills it in. */
export function plainOf(snippet: string): string {
  return snippet
    .replace(/\$\{\d+\|([^,|]*)[^|]*\|\}/g, '$1')
    .replace(/\$\{\d+:((?:\\.|[^\\}])*)\}/g, '$1')
    .replace(/\$\d+/g, '')
    .replace(/\\([\\$}])/g, '$1')
    .replaceAll('\t', '    ')
}

/** Whether a function may stand in `fwd_diff(…)` or `bwd_diff(…)`. */
export function isDifferentiable(cx: Cx, decl: Decl, mode: 'forward' | 'backward'): boolean {
  if (decl.kind !== 'func') return false
  const { level } = attributesOf(cx, decl)
  if (level !== 'backward' && (mode !== 'forward' || level !== 'forward')) return false
  // What the library makes of an operation counts as differentiable though nothing may come out that carries a derivative.
  const carries = (type: Type): boolean =>
    type.kind === 'shape' ? carries(type.scalar) : isGeneric(type) || differentialOf(cx, type) !== null
  const { params, result } = template(cx, decl, noSubst)
  return !decl.module.isCore || carries(result) || params.some(p => p.dir !== 'in' && carries(p.type))
}
