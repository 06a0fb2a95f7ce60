/** Statements. */
import { assertNever } from '../base/diag.ts'
import type {
  Block,
  CaseGroup,
  DoCatchStmt,
  Expr,
  Name,
  Stmt,
  SwitchStmt,
  TargetCase,
  TargetSwitchStmt,
} from '../syntax/ast.ts'
import { attributes, attributesEnd } from './attributes.ts'
import { body, braceGap, frozen, list, type Printed } from './body.ts'
import type { Cx } from './context.ts'
import { declaration } from './declaration.ts'
import { concat, group, hard, indent, line, type Doc } from './doc.ts'
import { inline, sentence } from './inline.ts'
import { declarationsOf, itemsOf, type Item } from './items.ts'
import { punctuator } from './space.ts'

/** The block of a function, a statement or a lambda, from brace to brace. */
export function block(cx: Cx, { span, stmts }: Block): Doc {
  const open = cx.tokens.first(span)
  const close = cx.tokens.last(span)
  return body(cx, open, close, printed(cx, stmts, open + 1, close - 1))
}

/** The statements from one token to another. A `;` behind a statement stays there. */
function printed(cx: Cx, stmts: readonly Stmt[], from: number, to: number): Printed[] {
  const { tokens } = cx
  const joins = (item: Item<Stmt>, _node: Stmt, first: number): boolean =>
    punctuator(cx, first) === ';' && !tokens.onNewLine(first) && first === item.last + 1
  return itemsOf(cx, stmts, from, to, undefined, joins).map(({ first, last, nodes: [stmt] }) => {
    if (stmt === undefined || stmt.kind === 'unsupported') return frozen(cx, first, last)
    const end = tokens.last(stmt.span)
    const parts = [statement(cx, stmt, first, end)]
    for (let i = end + 1; i <= last; i++) parts.push(cx.gap(i, ''), ';')
    return { first, doc: concat(parts), frozen: false }
  })
}

/** A statement, without what stands before it. */
function statement(cx: Cx, stmt: Stmt, first: number, last: number): Doc {
  const start = stmt.kind === 'decl' ? first : attributesEnd(cx, first)
  const bare = statementAfterAttributes(cx, stmt, start, last)
  return start === first ? bare : attributes(cx, first, start, bare)
}

function statementAfterAttributes(cx: Cx, stmt: Stmt, first: number, last: number): Doc {
  const { tokens } = cx
  switch (stmt.kind) {
    case 'block':
      return group(block(cx, stmt))
    case 'decl':
      return concat(
        declarationsOf(cx, stmt.decls, first, last).flatMap((item, k) => [
          k === 0 ? '' : cx.gap(item.first, hard),
          declaration(cx, item).doc,
        ]),
      )
    case 'if':
    case 'ifLet':
      return ifChain(cx, stmt, first, last)
    case 'switch':
    case 'targetSwitch':
      return switchStatement(cx, stmt, first, last)
    case 'for':
    case 'while': {
      const at = tokens.first(stmt.body.span)
      return group(inline(cx, first, at - 1), branch(cx, stmt.body, at))
    }
    case 'do': {
      const at = tokens.first(stmt.body.span)
      const end = tokens.last(stmt.body.span) + 1
      const sep = stmt.body.kind === 'block' ? ' ' : tokens.onNewLine(end) ? hard : line
      return group(group(tokens.text(first), branch(cx, stmt.body, at)), cx.gap(end, sep), sentence(cx, end, last))
    }
    case 'defer': {
      const at = tokens.first(stmt.body.span)
      const isBlock = stmt.body.kind === 'block'
      return isBlock
        ? group(tokens.text(first), branch(cx, stmt.body, at))
        : concat([tokens.text(first), cx.gap(at, ' '), statement(cx, stmt.body, at, last)])
    }
    case 'label': {
      const at = tokens.first(stmt.body.span)
      const gap = cx.gap(at, tokens.onNewLine(at) ? hard : ' ')
      return concat([inline(cx, first, at - 2), cx.gap(at - 1, ''), ':', gap, statement(cx, stmt.body, at, last)])
    }
    case 'doCatch':
      return doCatch(cx, stmt, first)
    case 'throw':
    case 'expr':
    case 'return':
    case 'break':
    case 'continue':
    case 'discard':
    case 'empty':
      return sentence(cx, first, last)
    case 'unsupported':
      return frozen(cx, first, last).doc
    default:
      return assertNever(stmt, 'format')
  }
}

/** `do { … } catch (e : E) { … }`. */
function doCatch(cx: Cx, stmt: DoCatchStmt, first: number): Doc {
  const { tokens } = cx
  const sep = tokens.onOneLine(first, tokens.last(stmt.span)) ? line : hard
  const at = tokens.first(stmt.body.span)
  const parts: Doc[] = [group(tokens.text(first), branch(cx, stmt.body, at))]
  let before: Stmt = stmt.body
  for (const { span, body } of stmt.clauses) {
    const word = tokens.first(span)
    const behind = tokens.first(body.span)
    const isBehindBrace = cx.braces === 'same-line' && before.kind === 'block'
    parts.push(cx.gap(word, isBehindBrace ? ' ' : sep), group(inline(cx, word, behind - 1), branch(cx, body, behind)))
    before = body
  }
  return group(...parts)
}

/** The statement that an `if`, `else` or loop runs, with what stands before it. It is printed in one group with what decides on it. */
function branch(cx: Cx, stmt: Stmt, first: number): Doc {
  const last = cx.tokens.last(stmt.span)
  if (stmt.kind === 'block') return concat([cx.gap(first, braceGap(cx)), block(cx, stmt)])
  if (stmt.kind === 'empty') return concat([cx.gap(first, ''), ';'])
  const sep = cx.tokens.onNewLine(first) ? hard : line
  const doc = stmt.kind === 'unsupported' ? frozen(cx, first, last).doc : statement(cx, stmt, first, last)
  return indent(cx.gap(first, sep), doc)
}

/** `if … else if … else …`. It stays on one line if it stands there and fits. */
function ifChain(cx: Cx, start: Stmt, first: number, last: number): Doc {
  const sep = cx.tokens.onOneLine(first, last) ? line : hard
  const arms: Doc[] = []
  /** The `else` before an arm. */
  let lead: Doc = ''
  let at = first
  let stmt: Stmt | undefined = start
  while (stmt?.kind === 'if' || stmt?.kind === 'ifLet') {
    const then = cx.tokens.first(stmt.then.span)
    const gap: Doc = lead === '' ? '' : cx.gap(at, ' ')
    arms.push(group(lead, gap, inline(cx, at, then - 1), branch(cx, stmt.then, then)))
    if (stmt.else === undefined) return group(...arms)
    const word = cx.tokens.last(stmt.then.span) + 1
    const isBehindBrace = cx.braces === 'same-line' && stmt.then.kind === 'block'
    arms.push(cx.gap(word, isBehindBrace ? ' ' : sep))
    lead = 'else'
    stmt = stmt.else
    at = cx.tokens.first(stmt.span)
  }
  return group(...arms, group(lead, branch(cx, stmt, at)))
}

/** `switch (x) { case 0: … }`, and a choice among targets or stages. */
function switchStatement(cx: Cx, stmt: SwitchStmt | TargetSwitchStmt, first: number, last: number): Doc {
  let open = first
  while (open < last && punctuator(cx, open) !== '{') open = cx.roles.close(open) + 1
  const groups: readonly (CaseGroup | TargetCase)[] = stmt.kind === 'switch' ? stmt.groups : stmt.cases
  const items = itemsOf<CaseGroup | TargetCase>(cx, groups, open + 1, last - 1, undefined)
  const head = group(inline(cx, first, open - 1))
  if (items.length === 0) return group(head, cx.gap(open, braceGap(cx)), body(cx, open, last, []))
  const sep = cx.tokens.onOneLine(open, last) ? line : hard
  const docs: Doc[] = []
  items.forEach((item, k) => {
    const { first } = item
    const node = labelled(item)
    // What stands before the first label is left as it is.
    const { comments, then } = cx.split(first, sep, k === 0 ? 'first' : 'between', node === undefined)
    docs.push(...placed(cx, first, comments, k === 0 ? undefined : item), then)
    docs.push(node === undefined ? frozen(cx, first, item.last).doc : caseGroup(cx, node, first, item.last))
  })
  const { comments, then } = cx.split(last, sep, 'last')
  docs.push(...placed(cx, last, comments, items.at(-1)), then)
  return group(head, cx.gap(open, braceGap(cx)), '{', concat(docs), '}')
}

function labelled({ nodes: [node] }: Item<CaseGroup | TargetCase>): CaseGroup | TargetCase | undefined {
  return node !== undefined && labelsOf(node).length > 0 ? node : undefined
}

/** The comments before a label or the closing brace: those that stand further in than labels belong to the statements above them. */
function placed(
  cx: Cx,
  index: number,
  comments: readonly Doc[],
  item: Item<CaseGroup | TargetCase> | undefined,
): readonly Doc[] {
  const { tokens } = cx
  if (item === undefined || labelled(item) === undefined || tokens.off(index) !== undefined) return comments
  const label = tokens.column(item.first)
  const next = tokens.pieces(index).findIndex(piece => piece.newlines > 0 && piece.column <= label)
  const above = next < 0 ? comments.length : next
  return above === 0 ? comments : [indent(...comments.slice(0, above)), ...comments.slice(above)]
}

function labelsOf(node: CaseGroup | TargetCase): readonly (Expr | Name | undefined)[] {
  return node.kind === 'group' ? node.labels : node.targets
}

/** `case 0: case 1: …`. What stands on the line of its label stays there if it fits. */
function caseGroup(cx: Cx, node: CaseGroup | TargetCase, first: number, last: number): Doc {
  const { tokens } = cx
  const parts: Doc[] = []
  let at = first
  labelsOf(node).forEach((label, k) => {
    let colon = label === undefined ? at + 1 : tokens.last(label.span) + 1
    while (punctuator(cx, colon) === ')') colon++
    if (k > 0) parts.push(cx.gap(at, tokens.onNewLine(at) ? hard : line))
    parts.push(inline(cx, at, colon - 1), cx.gap(colon, ''), ':')
    at = colon + 1
  })
  const items = printed(cx, node.body, at, last)
  const only = node.body.length === 1 ? node.body[0] : undefined
  if (items.length === 0) return concat(parts)
  if (only?.kind === 'block' && cx.braces === 'same-line') return group(...parts, cx.gap(at, ' '), block(cx, only))
  const sep = tokens.onOneLine(at - 1, last) ? line : hard
  return group(...parts, indent(list(cx, items, sep)))
}
