/** Declarations. */
import type { Block, Decl, EnumCase } from '../syntax/ast.ts'
import { attributes, attributesEnd } from './attributes.ts'
import { body, braceGap, frozen, type Printed } from './body.ts'
import type { Cx } from './context.ts'
import { concat, group, hard, indent, line, type Doc } from './doc.ts'
import { inline, sentence } from './inline.ts'
import { declarationsOf, itemsOf, type Item } from './items.ts'
import { punctuator, space } from './space.ts'
import { block } from './statement.ts'

/** The declarations of a file or of a body, from one token to another. Each is made when it is asked for. */
export function* declarations(cx: Cx, decls: readonly Decl[], from: number, to: number): Generator<Printed> {
  let broken: Item<Decl> | undefined
  for (const item of declarationsOf(cx, decls, from, to)) {
    if (isBroken(cx, item, broken !== undefined)) {
      // Broken ones that follow one another stay together.
      broken = broken === undefined ? item : { ...broken, last: item.last }
      continue
    }
    if (broken !== undefined) yield frozen(cx, broken.first, broken.last)
    broken = undefined
    for (const decl of item.nodes) cx.roles.declaration(decl)
    yield declaration(cx, item)
  }
  if (broken !== undefined) yield frozen(cx, broken.first, broken.last)
}

/**
 * Whether the parser did not understand a declaration. Mistakes in its members do not count, nor does one at its first token if the declaration
 * before it is broken: that lacks something there.
 */
function isBroken(cx: Cx, { first, last, nodes }: Item<Decl>, isBehindBroken: boolean): boolean {
  if (nodes.length === 0 || nodes.some(decl => decl.kind === 'unsupported')) return true
  const { tokens } = cx
  if (!isEnded(cx, nodes.at(-1)!, last)) return true
  const start = tokens.start(first)
  const end = tokens.end(last)
  const container = nodes.find(decl => membersOf(decl) !== undefined)
  const open = container === undefined ? last : openOf(cx, first, last)
  const close = cx.roles.close(open)
  const holdsMembers = container !== undefined && close > open
  return tokens.faults.some(
    at =>
      (isBehindBroken ? start < at : start <= at) &&
      at <= end &&
      !(holdsMembers && tokens.end(open) <= at && at < tokens.start(close)),
  )
}

/** Whether a declaration has its last token. */
function isEnded(cx: Cx, { kind }: Decl, last: number): boolean {
  const text = cx.tokens.text(last)
  if (text === ';') return true
  // Slang does without the semicolon of a `typedef` at the end of a line.
  return kind === 'alias' ? cx.tokens.onNewLine(last + 1) : text === '}' && kind !== 'var'
}

/** The members of a declaration whose body holds declarations. */
function membersOf(decl: Decl): readonly Decl[] | undefined {
  switch (decl.kind) {
    case 'struct':
    case 'interface':
    case 'extension':
    case 'buffer':
      return decl.members
    case 'namespace': {
      const [inner] = decl.decls
      // `namespace a::b`: two of the same braces.
      return decl.decls.length === 1 && inner?.kind === 'namespace' && inner.span.start === decl.span.start
        ? membersOf(inner)
        : decl.decls
    }
    default:
      return undefined
  }
}

/** The first `{` outside other brackets. */
function openOf(cx: Cx, first: number, last: number): number {
  let open = first
  while (open < last && punctuator(cx, open) !== '{') open = cx.roles.close(open) + 1
  return open
}

/** A declaration with all names that it declares. */
export function declaration(cx: Cx, item: Item<Decl>): Printed {
  const { first } = item
  const start = attributesEnd(cx, first)
  const bare = afterAttributes(cx, item, start)
  return { first, doc: start === first ? bare : attributes(cx, first, start, bare), frozen: false }
}

function afterAttributes(cx: Cx, { last, nodes }: Item<Decl>, first: number): Doc {
  const clauses = nodes.flatMap(decl => clausesOf(cx, decl))
  for (const decl of nodes) {
    const found = bodyOf(cx, decl, first, last)
    if (found === undefined) continue
    const { open, doc } = found
    const close = cx.roles.close(open)
    const whole = group(head(cx, first, open - 1, clauses, cx.gap(open, braceGap(cx))), doc)
    if (close === last) return whole
    return concat([whole, cx.gap(close + 1, space(cx, close + 1)), sentence(cx, close + 1, last)])
  }
  return head(cx, first, last, clauses)
}

/** The body of a declaration: its `{`, and all of it. */
function bodyOf(
  cx: Cx,
  decl: Decl,
  first: number,
  last: number,
): { readonly open: number; readonly doc: Doc } | undefined {
  const ofBlock = (node: Block): { readonly open: number; readonly doc: Doc } => ({
    open: cx.tokens.first(node.span),
    doc: block(cx, node),
  })
  if (decl.kind === 'func' || decl.kind === 'init' || decl.kind === 'accessor')
    return decl.body === undefined ? undefined : ofBlock(decl.body)
  // Most have none, and `int a, b, c;` are many: those are not searched for a brace.
  const hasAccessors = (decl.kind === 'subscript' || decl.kind === 'property') && decl.accessors.length > 0
  if (membersOf(decl) === undefined && decl.kind !== 'enum' && !hasAccessors) return undefined
  const open = openOf(cx, first, last)
  const close = cx.roles.close(open)
  const members = membersOf(decl)
  if (members !== undefined)
    return { open, doc: body(cx, open, close, [...declarations(cx, members, open + 1, close - 1)]) }
  if (decl.kind === 'enum') {
    const cases = itemsOf(cx, decl.cases, open + 1, close - 1, /^,$/).map(item => enumCase(cx, item))
    return { open, doc: body(cx, open, close, cases) }
  }
  if ((decl.kind === 'subscript' || decl.kind === 'property') && decl.accessors.length > 0) {
    const [only] = decl.accessors
    // `{ return x; }`: the getter has no name.
    if (only?.body !== undefined && only.span === only.body.span) return ofBlock(only.body)
    const accessors = itemsOf(cx, decl.accessors, open + 1, close - 1, /^;$/).map(item => declaration(cx, item))
    return { open, doc: body(cx, open, close, accessors) }
  }
  return undefined
}

function enumCase(cx: Cx, { first, last }: Item<EnumCase>): Printed {
  const hasComma = last > first && punctuator(cx, last) === ','
  const doc = inline(cx, first, hasComma ? last - 1 : last)
  return { first, doc: hasComma ? concat([doc, cx.gap(last, ''), ',']) : doc, frozen: false }
}

/** A declaration without its body. Its bases and each `where` clause may begin a line; a `brace` then begins one too. */
function head(cx: Cx, first: number, last: number, clauseStarts: readonly number[], brace: Doc = ''): Doc {
  const starts = clauseStarts.filter(at => first < at && at <= last)
  const start = sentence(cx, first, (starts[0] ?? last + 1) - 1)
  if (starts.length === 0) return concat([start, brace])
  const clauses = starts.map((at, k) => {
    const gap = cx.gap(at, cx.tokens.onNewLine(at) ? hard : line)
    return concat([gap, sentence(cx, at, (starts[k + 1] ?? last + 1) - 1)])
  })
  const doc = [start, indent(...clauses)]
  return brace === ' ' ? group(...doc, line) : concat([group(...doc), brace])
}

/** Where the bases of a declaration begin, with their `:`, and its `where` clauses. */
function clausesOf(cx: Cx, decl: Decl): readonly number[] {
  const bases = 'bases' in decl && decl.bases.length > 0 ? [cx.tokens.first(decl.bases[0]!.span) - 1] : []
  const wheres = decl.kind === 'associatedtype' ? decl.where : 'generics' in decl ? (decl.generics?.where ?? []) : []
  return [...bases, ...wheres.map(where => cx.tokens.first(where.span))]
}
