/**
 * `bwd_diff(s.method)(x, 1.0)`: the derivative of a method whose object is bound. The object is a constant there: its parameter of the
 * derivative gets the object, with a differential of zero if it has one.
 */
import type { Span } from '../../base/source.ts'
import { derive, template } from '../types/index.ts'
import { resolveCall } from './call.ts'
import type { Env } from '../model/context.ts'
import { funcsOf, typeOf, type Candidate, type Term } from '../model/term.ts'
import { noSubst, same, type Type } from '../model/type.ts'
import { toExpr } from './expr.ts'

type Funcs = Term & { readonly kind: 'funcs' }

/** The arguments of a call with the bound object before them, where the call is one of a derivative that does not fit otherwise. */
export function withReceiver(env: Env, funcs: Funcs, args: readonly Term[], span: Span): readonly Term[] {
  const bound =
    funcs.modes.length === 1 ? funcs.candidates.filter(c => c.decl.role === 'method' && c.object !== null) : []
  if (bound.length === 0 || resolveCall(env, funcs, args, span, true) !== null) return args
  for (const candidate of bound) {
    const object = receiver(env, candidate, funcs.modes[0]!, span)
    if (object === null) continue
    const all = [object, ...args]
    if (resolveCall(env, { ...funcs, candidates: [candidate] }, all, span, true)?.kind === 'value') return all
  }
  return args
}

function receiver(env: Env, { decl, subst, object }: Candidate, mode: 'forward' | 'backward', span: Span): Term | null {
  const { cx } = env
  const sig = template(cx, decl, subst)
  const wanted: Type | undefined = derive(cx, sig, mode).params[0]?.type
  const has = object === null ? null : typeOf(object)
  // What a method changes would be lost with the copy.
  if (object === null || has === null || wanted === undefined || sig.mutating) return null
  if (same(wanted, has)) return object
  const pairs = cx.library
    .lookup('diffPair')
    .flatMap((d): Candidate[] =>
      d.kind !== 'func'
        ? []
        : [
            {
              decl: d,
              subst: noSubst,
              requirement: null,
              distance: 0,
              steps: 0,
              via: 0,
              extensionParams: 0,
              object: null,
            },
          ],
    )
  const pair = resolveCall(env, funcsOf('diffPair', pairs), [object], span, true)
  if (pair?.kind !== 'value' || !same(pair.expr.type, wanted)) return null
  const made = resolveCall(env, funcsOf('diffPair', pairs), [object], span)
  if (made === null || made.kind !== 'value') return null
  return { kind: 'place', place: { kind: 'temp', type: wanted, span, value: toExpr(env, made, span) }, fixed: null }
}
