/**
 * Bridges: functions that the compiler makes where a type meets a requirement by a function with a looser signature. A bridge has the
 * signature that is required, and calls that function: `float get(float x)` calls `float get(float x, float k = 2)`.
 */
import { asArgument, attributesOf, costs, funcSig, isMutating, membersOf, substFor, template } from '../types/index.ts'
import { candidatesOf, resolveCall } from './call.ts'
import { coerce, termCost } from './convert.ts'
import { toExpr } from './expr.ts'
import { Env, type Bridge, type Cx } from '../model/context.ts'
import type { ExtensionDecl, FuncDecl, InterfaceType, ParamDecl, StructDecl, Type } from '../model/decl.ts'
import { funcsOf, type Candidate, type Term } from '../model/term.ts'
import type { Template } from '../model/func-ref.ts'

/** Makes the bridge from a requirement to a function of the type; null where none takes what is required. */
export function bridge(
  cx: Cx,
  owner: StructDecl | ExtensionDecl,
  self: Type,
  requirement: FuncDecl,
  iface: InterfaceType,
): Bridge | null {
  const members = membersOf(cx, self, requirement.name).filter(m => m.via < 2)
  const first = members[0]?.decl
  const span = first?.kind === 'func' ? first.span : null
  if (span === null) return null
  const want = template(cx, requirement, substFor(iface.decl, iface.args, self))
  const made: FuncDecl = {
    ...requirement,
    id: cx.id(),
    parent: owner,
    module: owner.module,
    span,
    scope: owner.inner,
    inner: owner.inner,
    owner: null,
    hasBody: true,
    // What is constructed is its result.
    role: requirement.role === 'constructor' ? 'static' : requirement.role,
  }
  const asked = funcSig(cx, requirement)
  const params = asked.params.map((p, i): ParamDecl => ({
    ...p,
    id: cx.id(),
    type: want.params[i]!.type,
    hasDefault: false,
  }))
  cx.sigs.set(made, { params, result: want.result, resultNoDiff: asked.resultNoDiff })
  const isMethod = made.role === 'method'
  const fixed = isMutating(made) ? null : 'the requirement is not [mutating]'
  const env = new Env(cx, owner.inner, made, isMethod ? self : null, fixed, want.result, attributesOf(cx, made).level)
  const object: Term | null = isMethod ? { kind: 'place', place: { kind: 'this', type: self, span }, fixed } : null
  const args = params.map((decl): Term => ({
    kind: 'place',
    place: { kind: 'param', type: decl.type, span, decl },
    fixed: null,
  }))
  const fitting = candidatesOf(cx, members, object, 0).filter(c => mayServe(cx, c, want, requirement))
  const own = requirement.generics?.params.map(asArgument) ?? null
  // The parameters of a generic requirement are those of a generic function, in their order.
  const funcs = {
    ...funcsOf(requirement.name, fitting),
    args: fitting.some(c => c.decl.generics !== null) ? own : null,
  }
  const tried = resolveCall(env, funcs, args, span, true)
  if (tried?.kind !== 'value' || !returns(env, tried, want.result)) return null
  const called = resolveCall(env, funcs, args, span)
  if (called?.kind !== 'value' || called.expr.kind !== 'call' || called.expr.func.kind === 'derivative') return null
  const stmt =
    want.result.kind === 'void'
      ? { kind: 'expr' as const, expr: toExpr(env, called, span), span }
      : { kind: 'return' as const, value: coerce(env, called, want.result, span), span }
  cx.bodies.set(made, { params, stmts: [stmt] })
  return { decl: made, target: called.expr.func.decl }
}

/** Whether a function can do what is required: it is of the same kind, changes nothing else, and gives what comes out. */
function mayServe(cx: Cx, { decl, subst }: Candidate, want: Template, requirement: FuncDecl): boolean {
  if (decl.role !== requirement.role && !(decl.role === 'static' && requirement.role === 'method')) return false
  if (decl.generics?.packed === true) return false
  const got = template(cx, decl, subst)
  // An error would have nowhere to go.
  if (got.params.at(-1)?.thrown === true) return false
  if (got.mutating && !want.mutating) return false
  return want.params.every((p, i) => {
    const dir = got.params[i]?.dir
    return dir === p.dir || p.dir === 'inout'
  })
}

function returns(env: Env, called: Term, result: Type): boolean {
  const type = called.kind === 'value' ? called.expr.type : null
  if (type === null || type.kind === 'void' || result.kind === 'void') return type?.kind === result.kind
  const cost = termCost(env, called, result)
  return cost !== null && cost < costs.explicit
}
