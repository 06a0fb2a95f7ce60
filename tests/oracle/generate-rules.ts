/**
 * Functions with derivatives of the user. These claim slopes that have nothing to do with the function, so that to forget one shows:
 * what counts as the derivative must be what the user says, of first order and of second.
 */
import { bin, call, decl, func, give, lit, pair, pairOf, param, part, real, ref, set, sum } from './make.ts'
import type { Random } from './random.ts'
import { nothing, type Expr, type Func, type Param, type Stmt } from './tree.ts'

/** A formula over parameters. */
export type Formula = (params: readonly Param[], depth: number) => Expr

const times = (x: Expr, y: Expr): Expr => bin('*', x, y)

/** A function of real numbers with derivatives, some of which have derivatives of the user in turn. */
export function ruled(name: string, rand: Random, formula: Formula): Func[] {
  const count = 1 + rand.below(2)
  const params = Array.from({ length: count }, (_, i) => param(`x${i}`, real))
  const out: Func[] = []
  const claimed = (suffix: string, depth: number): Expr => {
    const claim = func(`${name}${suffix}`, params, real, [give(formula(params, depth))])
    out.push(claim)
    return call(claim, params.map(p => ref(p.name, real)))
  }
  const slopes = params.map((_, i) => claimed(`S${i}`, 2))
  /** Of each parameter by itself: mixed ones are left out. */
  const curves = params.map((_, i) => claimed(`C${i}`, 1))
  const main = func(name, params, real, [give(formula(params, 3))], { differentiable: false })
  const kind = rand.below(6)
  const hasForward = kind !== 4
  const hasBackward = kind > 1
  // With a derivative in one direction only, the other comes from the body if the function is marked, or from that derivative.
  main.differentiable = kind === 0 || kind === 2
  main.wrong = kind === 0 || kind === 4
  main.ruleOf = rand.once(3)
  out.unshift(main)
  /** Declares what the formulas speak of. */
  const locals = (of: (i: number) => Expr): Stmt[] => params.map((p, i) => decl(p.name, real, of(i)))
  const at = (of: Expr, ...path: number[]): Expr => path.reduce((e, i) => part(e, i), of)
  if (hasForward) {
    const pairs = params.map((_, i) => param(`v${i}`, pair(real)))
    const v = pairs.map(p => ref(p.name, p.type))
    const rule = func(`${name}F`, pairs, pair(real), [
      ...locals(i => at(v[i]!, 0)),
      give(pairOf(call(main, params.map(p => ref(p.name, real))), sum(slopes.map((s, i) => times(s, at(v[i]!, 1)))))),
    ])
    main.forward = rule
    out.push(rule)
    // What is transposed is the derivative's body: whether that knows of its derivatives is nowhere said.
    if ((hasBackward || main.differentiable) && rand.once(2)) {
      const outer = params.map((_, i) => param(`w${i}`, pair(pair(real))))
      const w = outer.map(p => ref(p.name, p.type))
      const own = locals(i => at(w[i]!, 0, 0))
      if (rand.once(2)) {
        rule.forward = func(`${name}FF`, outer, pair(pair(real)), [
          ...own,
          give(pairOf(call(rule, w.map(x => at(x, 0))), pairOf(
            sum(slopes.map((s, i) => times(s, at(w[i]!, 1, 0)))),
            sum(slopes.map((s, i) => bin('+', times(times(curves[i]!, at(w[i]!, 0, 1)), at(w[i]!, 1, 0)), times(s, at(w[i]!, 1, 1))))),
          ))),
        ])
        out.push(rule.forward)
      }
      if (rand.once(2)) {
        const ct = ref('ct', pair(real))
        rule.backward = func(`${name}FB`, [...outer.map(p => ({ ...p, dir: 'inout' as const })), param('ct', pair(real))], nothing, [
          ...own,
          ...w.map((x, i) => set(x, pairOf(at(x, 0), pairOf(
            bin('+', times(slopes[i]!, at(ct, 0)), times(times(curves[i]!, at(x, 0, 1)), at(ct, 1))),
            times(slopes[i]!, at(ct, 1)),
          )))),
        ])
        out.push(rule.backward)
      }
      rule.ruleOf = rand.once(3)
    }
  }
  if (hasBackward) {
    const pairs = params.map((_, i) => param(`v${i}`, pair(real), 'inout'))
    const v = pairs.map(p => ref(p.name, p.type))
    const ct = ref('ct', real)
    const rule = func(`${name}B`, [...pairs, param('ct', real)], nothing, [
      ...locals(i => at(v[i]!, 0)),
      ...v.map((x, i) => set(x, pairOf(at(x, 0), times(slopes[i]!, ct)))),
    ])
    main.backward = rule
    out.push(rule)
    if (rand.once(2)) {
      const outer = params.map((_, i) => param(`w${i}`, pair(pair(real)), 'inout'))
      const w = outer.map(p => ref(p.name, p.type))
      const own = locals(i => at(w[i]!, 0, 0))
      const seed = ref('ct', pair(real))
      if (rand.once(2)) {
        rule.forward = func(`${name}BF`, [...outer, param('ct', pair(real))], nothing, [
          ...own,
          ...w.map((x, i) => set(x, pairOf(
            pairOf(at(x, 0, 0), times(slopes[i]!, at(seed, 0))),
            pairOf(at(x, 1, 0), bin('+', times(times(curves[i]!, at(x, 1, 0)), at(seed, 0)), times(slopes[i]!, at(seed, 1)))),
          ))),
        ])
        out.push(rule.forward)
      }
      if (rand.once(2)) {
        rule.backward = func(`${name}BB`, [...outer, param('ct', pair(real), 'inout')], nothing, [
          ...own,
          set(seed, pairOf(at(seed, 0), sum(slopes.map((s, i) => times(s, at(w[i]!, 1, 1)))))),
          ...w.map((x, i) => set(x, pairOf(at(x, 0), pairOf(bin('+', at(x, 1, 0), times(times(curves[i]!, at(seed, 0)), at(x, 1, 1))), lit(0))))),
        ])
        out.push(rule.backward)
      }
      rule.ruleOf = rand.once(3)
    }
  }
  return out
}
