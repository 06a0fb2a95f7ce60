/**
 * Reports code that Slang refuses or warns of: it is harmless here, but most likely a slip. The bundle that only makes WGSL leaves
 * this out, to stay small.
 */
import type { Sink } from '../../base/diag.ts'
import * as errors from '../../base/errors/strict.ts'
import { hasModifier } from '../../syntax/ast.ts'
import type * as ast from '../../syntax/ast.ts'
import type { FuncDecl } from '../model/decl.ts'
import type { Signature } from '../model/func-ref.ts'
import type { CheckedProgram } from '../model/tree.ts'
import { noSubst, same, show } from '../model/type.ts'

const deepest = 2000
const loops: ReadonlySet<string> = new Set(['for', 'while', 'do'])

type Node = { readonly kind: string } & Readonly<Record<string, unknown>>

const isNode = (x: unknown): x is Node => typeof x === 'object' && x !== null && 'kind' in x

/** Looks at every statement; `deferred` and `inLoop` say whether a `defer` is around it, and a loop or `switch` in that. */
function look(x: unknown, sink: Sink, deferred: boolean, inLoop: boolean, inSwitch: boolean, depth: number): void {
  if (depth > deepest) return
  if (Array.isArray(x)) {
    for (const part of x) look(part, sink, deferred, inLoop, inSwitch, depth + 1)
    return
  }
  if (!isNode(x)) return
  const stmt = x as unknown as ast.Stmt
  switch (stmt.kind) {
    case 'defer':
      look(stmt.body, sink, true, false, false, depth + 1)
      return
    case 'return':
      if (deferred) sink.add(errors.returnInDefer, stmt.span, {})
      break
    case 'break':
      if (deferred && !inLoop && !inSwitch) sink.add(errors.breakInDefer, stmt.span, {})
      break
    case 'continue':
      if (deferred && !inLoop) sink.add(errors.continueInDefer, stmt.span, {})
      break
    case 'expr':
      if (stmt.expr.kind === 'binary' && stmt.expr.op === '==') sink.add(errors.unusedComparison, stmt.span, {})
      break
    default:
  }
  // What stands in a lambda returns from that.
  const own = deferred && x.kind !== 'lambda'
  for (const key in x)
    if (key !== 'span' && key !== 'file')
      look(x[key], sink, own, inLoop || loops.has(x.kind), inSwitch || x.kind === 'switch', depth + 1)
}

/** Reports a redeclared function with another result type. */
export function checkResult(program: CheckedProgram, func: FuncDecl, sink: Sink): void {
  if (func.syntax.kind !== 'func' || func.role !== 'function') return
  const sigOf = (f: FuncDecl): Signature => program.signature({ kind: 'direct', decl: f, subst: noSubst })
  const own = sigOf(func)
  for (const other of func.scope.names.get(func.name) ?? []) {
    if (other === func) return
    if (other.kind !== 'func' || other.generics !== null) continue
    const sig = sigOf(other)
    if (
      same(sig.result, own.result) ||
      sig.params.length !== own.params.length ||
      !sig.params.every((p, i) => same(p.type, own.params[i]!.type) && p.dir === own.params[i]!.dir)
    )
      continue
    sink.add(
      errors.otherResult,
      func.span ?? undefined,
      { name: func.name, type: show(own.result), other: show(sig.result) },
      { span: other.span ?? undefined, text: 'declared here first' },
    )
    return
  }
}

/** Reports all such slips of a program. */
export function checkStrictly(program: CheckedProgram, sink: Sink): void {
  for (const func of program.functions) {
    checkResult(program, func, sink)
    checkStrictlyIn(func, sink)
  }
  checkConstants(program, sink)
}

/** Reports such slips in the body of a function. */
export function checkStrictlyIn(func: FuncDecl, sink: Sink): void {
  look(func.syntax.body, sink, false, false, false, 0)
}

/** Reports constants of modules that have no value. */
export function checkConstants(program: CheckedProgram, sink: Sink): void {
  for (const module of program.modules)
    for (const list of module.inner.names.values())
      for (const d of list) {
        if (
          d.kind !== 'global' ||
          d.storage !== 'constant' ||
          d.syntax.kind !== 'var' ||
          d.syntax.init !== undefined ||
          hasModifier(d.syntax, 'extern')
        )
          continue
        sink.add(errors.constantWithoutValue, d.span ?? undefined, { name: d.name })
      }
}
