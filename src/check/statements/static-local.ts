/** Static variables of functions whose initial value needs what the function computes: the first run that comes there gives it. */
import type { Expr, Stmt, VarDecl } from '../../syntax/ast.ts'
import { collectLocal } from '../modules/collect.ts'
import type { Env } from '../model/context.ts'
import type { Decl } from '../model/decl.ts'
import { declare, type Scope } from '../model/scope.ts'

/** Enters a static variable of a function. Gives the statement that sets it, where its initial value is not known before the function runs. */
export function staticLocal(env: Env, d: VarDecl): Stmt | null {
  if (env.func === null) return null
  if (d.type === undefined || d.init === undefined || !namesLocal(env, d.init)) {
    enter(env, d)
    return null
  }
  const { span } = d
  const named = (name: string): Expr => ({ kind: 'name', span: d.name.span, name, global: false })
  const isSet = `${d.name.text}_isSet`
  const modifiers = d.modifiers.filter(m => m.name !== 'const')
  enter(env, { ...d, modifiers, init: undefined })
  const flag = {
    ...d,
    modifiers,
    form: 'typed' as const,
    name: { ...d.name, text: isSet },
    type: named('bool'),
    init: undefined,
  }
  enter(env, flag)
  const assign = (name: string, value: Expr): Stmt => ({
    kind: 'expr',
    span,
    expr: { kind: 'assign', span, op: '=', target: named(name), value },
  })
  return {
    kind: 'if',
    span,
    attributes: [],
    condition: { kind: 'prefix', span, op: '!', operand: named(isSet) },
    then: {
      kind: 'block',
      span,
      stmts: [assign(isSet, { kind: 'bool', span, value: true }), assign(d.name.text, d.init)],
    },
    else: undefined,
  }
}

/** Enters a static variable. What a `ref` is rewritten as, which stands at one place, has it in common. */
function enter(env: Env, d: VarDecl): void {
  const func = env.func!
  const old = env.cx.userDecls.find(
    g => g.kind === 'global' && g.span === d.name.span && g.name === d.name.text && isOf(g.parent, func.inner),
  )
  if (old === undefined) collectLocal(env.cx, d, func, env.scope)
  else declare(env.scope, old)
}

function isOf(func: Decl | null, inner: Scope): boolean {
  return func?.kind === 'func' && func.inner === inner
}

/** Whether an expression names a variable or parameter of the function. */
function namesLocal(env: Env, node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (Array.isArray(node)) return node.some(n => namesLocal(env, n))
  const { kind, name } = node as { readonly kind?: string; readonly name?: unknown }
  if (kind === 'name' && typeof name === 'string') {
    for (let s = env.scope as typeof env.scope | null; s !== null; s = s.parent) {
      const found = s.names.get(name)
      if (found !== undefined)
        return found.some(f => f.kind === 'parameter' || f.kind === 'field' || (f.kind === 'local' && !f.constant))
    }
    return false
  }
  return kind === 'this' || Object.entries(node).some(([key, child]) => key !== 'span' && namesLocal(env, child))
}
