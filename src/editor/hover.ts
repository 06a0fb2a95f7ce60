/** What an editor shows of the name under the pointer. */
import { Span, type SourceFile } from '../base/source.ts'
import { builtinType } from '../check/model/builtin.ts'
import type { Decl, FuncDecl } from '../check/model/decl.ts'
import type { CallExpr } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import { isGeneric, type Type } from '../check/model/type.ts'
import { typeOf } from '../check/model/term.ts'
import { attributesOf, resolveType, selfType, signatureOf } from '../check/types/index.ts'
import type * as ast from '../syntax/ast.ts'
import type { Analysis } from './analysis.ts'
import { attributeText } from './attributes.ts'
import { differentialText } from './derivative/differential.ts'
import { differentiabilityOf, reasonText } from './derivative/reasons.ts'
import { readable } from './core.ts'
import { codeBlock, docMarkdown, docOf, markdown, type Markup } from './doc.ts'
import { keywordText } from './keywords.ts'
import { definitionText, expansionAt, macrosOf } from './macros.ts'
import { meaningAt, writtenAt } from './meaning.ts'
import { functionOf, nameSpan } from './names.ts'
import type { Node } from './path.ts'
import { positionOf, rangeOf, type Range } from './range.ts'
import { semanticText } from './semantics.ts'
import { declText, heldType, kindText, settledText, typeText } from './show.ts'
import { storageLayout } from './storage.ts'
import { uriOf } from './uri.ts'
import type { Place } from './workspace.ts'
import { tokenAt, wordAt } from './lexed.ts'

/** What is known of a name. */
export interface Hover {
  readonly contents: Markup
  /** The name. */
  readonly range: Range
}

/** What is known of the name at a place; undefined where none stands. */
export function hover(place: Place): Hover | undefined {
  const { analysis, file, offset } = place
  const meaning = meaningAt(place)
  if (meaning?.kind === 'file') return fileHover(meaning.span, meaning.path)
  const word = wordAt(file, offset)
  if (word === undefined) {
    // An operator, or the bracket of a subscript.
    const token = tokenAt(file, offset)
    if (meaning?.kind !== 'decl' || token === undefined) return undefined
    const sections = declSections(analysis, file, writtenAt(analysis, meaning.decl), undefined)
    return { contents: joined(sections), range: rangeOf(token) }
  }
  const { span, text } = word
  const say = (...sections: readonly string[]): Hover => ({ contents: joined(sections), range: rangeOf(span) })
  const macro = analysis.names.macros.find(m => m.span.file === file && m.span.start === span.start)?.macro
  if (macro !== undefined) {
    const expansion = expansionAt(macrosOf(analysis, file), macro, file, span.start)
    return say(
      codeBlock(definitionText(macro)),
      '*macro*',
      expansion === undefined ? '' : `Here it is\n${codeBlock(expansion)}`,
    )
  }
  const use = analysis.use(file, span.start)
  if (use !== undefined && use.span.start === span.start) {
    const path = analysis.path(file, span.start)
    const [first = '', ...others] = declSections(analysis, file, use.decl, callOf(analysis, path, use.span))
    const here = memberText(analysis, path, use.span, use.decl)
    return say(first, others[0] ?? '', here, ...others.slice(1))
  }
  const path = analysis.path(file, span.start)
  const attribute = path.findLast(node => node.kind === 'attribute')
  if (attribute !== undefined && holds(attribute.nameSpan, span)) {
    const known = attributeText(attribute.name)
    return known === undefined
      ? undefined
      : { ...say(codeBlock(`[${attribute.name}]`), '*attribute*', known.text), range: rangeOf(attribute.nameSpan) }
  }
  const inner = path.at(-1)
  if (inner?.kind === 'semantic') {
    const known = semanticText(inner.name)
    return known && say(codeBlock(`${known.is.type} : ${known.name}`), `*semantic* · ${known.is.stages}`, known.is.text)
  }
  if (inner?.kind === 'member' && holds(inner.name.span, span)) {
    const type = typeOf(analysis.names.known(inner)?.term)
    return type === null ? undefined : say(codeBlock(`${typeText(type)} ${text}`), partText(type))
  }
  const type = builtinType(text)
  if (type !== null && type.kind !== 'void' && type.kind !== 'string')
    return say(codeBlock(text), '*built-in type*', ...typeSections(analysis, type))
  return keywordHover(analysis, path, text, say)
}

function joined(sections: readonly string[]): Markup {
  return markdown(sections.filter(s => s !== '').join('\n\n'))
}

/** The file that an import or include found: search paths may hold several of a name. */
function fileHover(span: Span, path: string): Hover {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { contents: markdown(`*file* · [${name}](${uriOf(path)})\n\n\`${path}\``), range: rangeOf(span) }
}

/** The type that a field or property has here, where the type around it has parameters. */
function memberText(analysis: Analysis, path: readonly Node[], name: Span, decl: Decl): string {
  const node = path.findLast(n => n.kind === 'member' && n.name.span.start === name.start)
  const declared = heldType(analysis.cx, decl)
  if (node === undefined || declared === null || (decl.kind !== 'field' && decl.kind !== 'property')) return ''
  const type = typeOf(analysis.names.known(node as ast.Expr)?.term)
  return type === null || typeText(type) === typeText(declared) ? '' : `Here of type \`${typeText(type)}\`.`
}

/** What a name behind a dot is that no declaration has. */
function partText(type: Type): string {
  return type.kind === 'vector' ? '*components*' : '*component*'
}

/** Keywords: those that an expression begins with say what that is here. */
function keywordHover(
  analysis: Analysis,
  path: readonly Node[],
  text: string,
  say: (...sections: readonly string[]) => Hover,
): Hover | undefined {
  const inner = path.at(-1)
  const about = keywordText(text)
  if (inner?.kind === 'this') {
    const type = typeOf(analysis.names.known(inner)?.term)
    return type === null ? undefined : say(codeBlock(`${typeText(type)} this`), about ?? '')
  }
  if (about === undefined) return undefined
  const derived = path.findLast(node => node.kind === 'differentiate')
  if (derived !== undefined && /diff/.test(text)) {
    const sig = derivativeText(analysis, path, derived)
    return say(codeBlock(sig ?? text), about)
  }
  return say(codeBlock(text), '*keyword*', about)
}

function holds(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end
}

/** The signature of a derivative as a call resolves it, or that of the only function that it may be of. */
function derivativeText(
  analysis: Analysis,
  path: readonly Node[],
  e: ast.Expr & { readonly kind: 'differentiate' },
): string | undefined {
  const { file, start, end } = e.span
  const name = file.text.slice(start, end)
  const at = path.lastIndexOf(e)
  const outer = path[at - 1]
  const call = outer?.kind === 'call' && outer.callee === e ? callExpr(analysis, outer) : undefined
  if (call !== undefined) return settledText(name, signatureOf(analysis.cx, call.func)).label
  const term = analysis.names.known(e)?.term
  if (term?.kind !== 'funcs' || term.candidates.length !== 1) return undefined
  const [{ decl, subst }] = term.candidates as unknown as readonly [(typeof term.candidates)[number]]
  let ref: FuncRef = { kind: 'direct', decl, subst }
  for (const mode of term.modes) ref = { kind: 'derivative', mode, of: ref }
  return settledText(name, signatureOf(analysis.cx, ref)).label
}

function callExpr(analysis: Analysis, e: ast.Expr): CallExpr | undefined {
  const term = analysis.names.known(e)?.term
  return term?.kind === 'value' && term.expr.kind === 'call' ? term.expr : undefined
}

/** The call whose callee a name is. */
function callOf(analysis: Analysis, path: readonly Node[], name: Span): CallExpr | undefined {
  const node = path.findLast(n => n.kind === 'call' && nameSpan(n.callee)?.start === name.start)
  return node === undefined ? undefined : callExpr(analysis, node as ast.Expr)
}

/** Everything about a declaration. */
function declSections(analysis: Analysis, file: SourceFile, decl: Decl, call: CallExpr | undefined): readonly string[] {
  const { cx } = analysis
  return [
    codeBlock(declText(cx, decl)),
    `*${kindText(decl)}*${whereText(file, decl)}`,
    docMarkdown(docOf(decl)),
    decl.kind === 'func' && call !== undefined && functionOf(call.func) === decl ? settledSection(decl, call.func) : '',
    ...(decl.kind === 'func' ? [differentiabilitySection(analysis, decl)] : []),
    ...(decl.kind === 'field' ? [fieldSection(analysis, decl)] : []),
    ...typeSections(analysis, meantType(analysis, decl)),
  ]
}

/** Where a declaration stands, behind its kind. */
function whereText(file: SourceFile, decl: Decl): string {
  const span = decl.kind === 'module' ? new Span(decl.file, 0, 0) : decl.span
  if (span === null) return ''
  const local = decl.kind === 'local' || decl.kind === 'parameter'
  if (local || decl.kind === 'typeparam' || decl.kind === 'valueparam') return ''
  const own = readable(span)
  const line = positionOf(own.file, own.start).line + 1
  if (own.file === file) return ` · line ${line}`
  const name = own.file.name.slice(own.file.name.lastIndexOf('/') + 1)
  return ` · ${own.file.isCore ? 'core library, ' : ''}[${name}:${line}](${uriOf(own.file.name)}#L${line})`
}

/** The generic arguments that a call settles. */
function settledSection(func: FuncDecl, ref: FuncRef): string {
  let of = ref
  while (of.kind === 'derivative') ({ of } = of)
  const { args } = of.subst
  const around = func.parent?.kind === 'struct' || func.parent?.kind === 'extension' ? func.parent.generics : null
  const settled = [...(around?.params ?? []), ...(func.generics?.params ?? [])].flatMap(p => {
    const arg = args.get(p.id)
    return arg === undefined || isGeneric(arg) ? [] : [`\`${p.name} = ${typeText(arg as Type)}\``]
  })
  return settled.length === 0 ? '' : `Here ${settled.join(', ')}.`
}

/** The type that a declaration is; null for one that is none. */
function meantType({ cx }: Analysis, decl: Decl): Type | null {
  switch (decl.kind) {
    case 'struct':
      return decl.isBlock ? null : selfType(cx, decl)
    case 'enum':
      return selfType(cx, decl)
    case 'alias':
      return decl.generics === null ? resolveType(cx.of(decl), decl.target, decl.inner) : null
    default:
      return null
  }
}

/** How large a type is, and what its derivative is. */
function typeSections(analysis: Analysis, type: Type | null): readonly string[] {
  if (type === null || type.kind === 'error') return []
  const { program } = analysis.lazy
  const layout = storageLayout(program, type)
  const differential =
    type.kind === 'struct' &&
    type.decl.intrinsic !== null &&
    program.differentialOf(type) === null &&
    program.shadowOf(type) === null
      ? ''
      : codeBlock(differentialText(program, type))
  return [layout === undefined ? '' : `${layout.size} bytes in a buffer, aligned to ${layout.align}.`, differential]
}

/** Where a field lies in its struct, and whether derivatives flow through it. */
function fieldSection(analysis: Analysis, decl: Decl & { readonly kind: 'field' }): string {
  const { program } = analysis.lazy
  const owner = selfType(analysis.cx, decl.owner)
  const layout = owner === null ? undefined : storageLayout(program, owner)
  const type = heldType(analysis.cx, decl)
  const own = type === null ? undefined : storageLayout(program, type)
  return layout === undefined || own === undefined
    ? ''
    : `${own.size} bytes at offset ${layout.offsets[decl.index]} in a buffer.`
}

/** Whether a function is differentiable, and why not. */
function differentiabilitySection(analysis: Analysis, func: FuncDecl): string {
  if (func.role === 'constructor' || func.role === 'accessor') return ''
  const { level } = attributesOf(analysis.cx, func)
  const can =
    level === 'backward'
      ? 'Differentiable, forward and backward.'
      : level === 'forward'
        ? 'Differentiable, forward only.'
        : 'Not differentiable.'
  if (func.module.isCore || (func.owner !== null && !func.hasBody)) return can
  const { reasons } = differentiabilityOf({ checked: analysis.lazy, diagnostics: [], options: {} }, func)
  if (reasons.length === 0) return can
  return `${level === 'none' ? 'Not differentiable:' : `${can} Derivatives get lost:`}\n${reasonText(reasons)}`.trimEnd()
}
