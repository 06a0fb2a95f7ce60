/** The generic arguments of a call, from its arguments. */
import { derive, funcExtensionsOf, inferArg, openTemplate, paramLists, put, putArg, solve } from '../types/index.ts'
import { passCallables } from './callable.ts'
import type { Env } from '../model/context.ts'
import type { GenericParams } from '../model/decl.ts'
import { typeOf, type Candidate, type Term } from '../model/term.ts'
import type { Template } from '../model/func-ref.ts'
import { intConst, isInt, noSubst, same, type GenericArg, type Subst, type Type } from '../model/type.ts'

/**
 * The generic arguments that stand explicitly or that the arguments of a call settle; null where one stays open or does not conform. What is
 * called by the function becomes a value in `args`.
 */
export function infer(
  env: Env,
  list: GenericParams,
  sig: Template,
  explicit: readonly GenericArg[] | null,
  args: Term[],
  outer: Subst,
): Map<number, GenericArg> | null {
  const { cx } = env
  const vars = new Map<number, GenericArg | null>()
  for (const p of list.params) vars.set(p.id, null)
  if (explicit !== null) {
    if (explicit.length > list.params.length) return null
    for (let i = 0; i < explicit.length; i++) {
      const p = list.params[i]!
      const arg = explicit[i]!
      if ((p.kind === 'valueparam') !== isInt(arg)) return null
      vars.set(p.id, arg)
    }
  }
  const open = new Map([...vars].filter(([, arg]) => arg === null))
  for (let i = 0; i < args.length; i++) {
    const from = typeOf(args[i])
    if (from === null || from.kind === 'error') continue
    // What stands explicitly is not joined with what an argument says.
    inferArg(cx, sig.params[i]!.type, from, open)
  }
  // A number alone is a vector of one, where nothing says more.
  for (let i = 0; i < args.length; i++) {
    const p = sig.params[i]!.type
    if (
      p.kind === 'vector' &&
      p.count.kind === 'param' &&
      open.get(p.count.decl.id) === null &&
      typeOf(args[i])?.kind === 'scalar'
    )
      open.set(p.count.decl.id, intConst(1))
  }
  if (!passCallables(env, list, args, new Map([...outer.args, ...vars]), open)) return null
  for (const [id, arg] of open) if (arg !== null) vars.set(id, arg)
  const solved = solve(cx, list, vars, outer)
  // What stands explicitly is not promoted either.
  return solved === null ||
    explicit?.some((a, i) => !isInt(a) && !same(solved.get(list.params[i]!.id) as Type, a)) === true
    ? null
    : solved
}

/** The arguments of a function that the arguments of a derivative settle if an extension gives it. */
export function inferExtended(
  env: Env,
  { decl }: Candidate,
  { modes, args: explicit }: Term & { readonly kind: 'funcs' },
  args: Term[],
): Map<number, GenericArg> | null {
  const { cx } = env
  const params = decl.generics?.params
  const [mode] = modes
  if (mode === undefined || modes.length > 1 || params === undefined) return null
  for (const e of funcExtensionsOf(cx, decl)) {
    if ((e.derives === 'forward') !== (mode === 'forward')) continue
    const sig = derive(cx, openTemplate(cx, decl, e.pattern), mode)
    const list = paramLists(e.decl).at(-1)
    if (sig.params.length !== args.length) continue
    const found = list === undefined ? noSubst.args : infer(env, list, sig, null, args, noSubst)
    if (found === null) continue
    const by: Subst = { args: found, self: null }
    const isOther = sig.params.some(({ type }, i) => {
      const given = typeOf(args[i])
      return type.kind === 'struct' && given?.kind === 'struct' && put(cx, type, by).key !== given.key
    })
    const own = params.map(({ id }) => [id, putArg(cx, e.pattern.args.get(id)!, by)] as const)
    if (!isOther && explicit?.some((a, i) => own[i]?.[1].key !== a.key) !== true) return new Map(own)
  }
  return null
}
