/** Calls of functions with packs: the arguments determine the length of each pack. */
import type * as ast from '../../syntax/ast.ts'
import { type Candidate, type Term, typeOf } from '../model/term.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl, GenericParams } from '../model/decl.ts'
import { derive, isMadeOf, isSpread, mentions, packsOf, shared, template, writtenOut } from '../types/index.ts'

/** A candidate for a number of arguments: itself without packs; null if the number does not fit. */
export function forArguments(
  cx: Cx,
  candidate: Candidate,
  funcs: Term & { readonly kind: 'funcs' },
  args: readonly Term[],
): Candidate | 'reported' | null {
  const { decl } = candidate
  const list = decl.generics
  if (list === null || !list.packed) return candidate
  const wanted = (counts: readonly number[]): Candidate | 'reported' => {
    const made = writtenOut(cx, decl, counts)
    return made === null ? 'reported' : { ...candidate, decl: made }
  }
  if (funcs.modes.length > 0) {
    // The derivative has other parameters: as many as there are arguments for one length only.
    for (let n = 0; n <= args.length; n++) {
      const made = wanted(packsOf(list).map(() => n))
      if (
        made === 'reported' ||
        funcs.modes.reduce((sig, mode) => derive(cx, sig, mode), template(cx, made.decl, candidate.subst)).params
          .length === args.length
      )
        return made
    }
    return null
  }
  // Where the explicit arguments end before the packs, the others tell.
  const first = list.params.findIndex(p => p.syntax.pack)
  const counts =
    funcs.args === null || funcs.args.length <= first
      ? countsOf(decl, list, args, funcs.args !== null)
      : shared(list, funcs.args.length)
  return counts === null ? null : wanted(counts)
}

/** The lengths of the packs of a function. Types of arguments give some; the remaining arguments are divided evenly. */
function countsOf(
  decl: FuncDecl,
  list: GenericParams,
  args: readonly Term[],
  isExplicit: boolean,
): readonly number[] | null {
  const packs = packsOf(list)
  const params = decl.syntax.kind === 'accessor' ? [] : decl.syntax.params
  const counts = new Map<string, number>()
  const spread = (p: ast.Param): boolean => p.type !== undefined && isSpread(p.type, packs)
  const first = params.findIndex(spread)
  params.forEach((p, i) => {
    if (p.type === undefined || spread(p)) return
    const pack = packs.find(name => mentions(p.type, name))
    if (pack === undefined) return
    // What stands behind packs is counted from the end.
    const type = typeOf(args[first === -1 || i < first ? i : args.length - (params.length - i)])
    if (type?.kind === 'struct' && p.type.kind === 'generic' && isMadeOf(type.decl, p.type.base))
      counts.set(pack, type.args.length - (p.type.args.length - 1))
  })
  const open = params.filter(spread).map(p => packs.find(name => mentions(p.type, name))!)
  const settled = open.reduce((sum, pack) => sum + (counts.get(pack) ?? 0), 0)
  const unknown = open.filter(pack => !counts.has(pack))
  const each = (args.length - (params.length - open.length) - settled) / unknown.length
  if (unknown.length > 0 && !(each >= 0 && Number.isInteger(each))) return null
  for (const pack of unknown) counts.set(pack, each)
  // What stands in `f<…>` ends before the pack, so it is empty.
  if (isExplicit) for (const pack of packs) if (!counts.has(pack)) counts.set(pack, 0)
  return packs.every(pack => (counts.get(pack) ?? -1) >= 0) ? packs.map(pack => counts.get(pack)!) : null
}
