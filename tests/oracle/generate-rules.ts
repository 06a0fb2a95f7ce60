/**
 * Functions with derivatives of the user. These claim slopes that have nothing to do with the function, so that to forget one shows:
 * what counts as the derivative must be what the user says, of first order and of second.
 */
import {
  bin,
  call,
  decl,
  detached,
  func,
  give,
  isNamed,
  lit,
  make,
  pair,
  pairOf,
  param,
  part,
  prim,
  real,
  ref,
  set,
  sum,
  vec,
} from './make.ts'
import type { Random } from './random.ts'
import {
  derivativeFields,
  differentialOf,
  isActive,
  nothing,
  partsOf,
  type Expr,
  type Field,
  type Func,
  type Param,
  type Stmt,
  type StructType,
  type Type,
} from './tree.ts'

/** A formula over parameters. */
export type Formula = (params: readonly Param[], depth: number) => Expr

const times = (x: Expr, y: Expr): Expr => bin('*', x, y)

/** A function that another stands in for where derivatives are taken: other numbers, and other slopes. */
export function substituted(name: string, rand: Random, formula: Formula): Func[] {
  const params = Array.from({ length: 1 + rand.below(2) }, (_, i) => param(`x${i}`, real))
  const body = (): Stmt[] => [give(formula(params, 3))]
  const substitute = func(
    `${name}Instead`,
    params.map(p => ({ ...p })),
    real,
    body(),
  )
  return [func(name, params, real, body(), { differentiable: false, substitute, ruleOf: rand.once(3) }), substitute]
}

/**
 * A function with parameters of every direction, vectors among them, and both derivatives of the user. Each output has a slope of its own by
 * each input; where either is a vector, all its lanes go together, with weights.
 */
export function ruledWidely(name: string, rand: Random, formula: Formula): Func[] {
  const dirs = ['in', 'in', 'inout', 'out'] as const
  const params = Array.from({ length: 2 + rand.below(2) }, (_, i) =>
    param(`x${i}`, rand.once(2) ? real : vec(2 + rand.below(2)), i === 0 ? 'in' : rand.one(dirs), false),
  )
  for (const p of params.slice(1)) if (rand.once(4)) p.noDiff = true
  const ins = params.filter(p => p.dir !== 'out')
  const out: Func[] = []
  const claim = (depth: number): Expr => {
    const made = func(
      `${name}S${out.length}`,
      ins.map(p => ({ ...p, dir: 'in' as const, noDiff: false })),
      real,
      [give(formula(ins, depth))],
    )
    out.push(made)
    return call(
      made,
      ins.map(p => ref(p.name, p.type)),
    )
  }
  const like = (type: Type, one: () => Expr): Expr =>
    type.kind === 'vec' ? make(type, Array.from({ length: type.n }, one)) : one()
  const active = (p: Param): boolean => isActive(p)
  const sources = ins.filter(active)
  const sinks: { readonly name: string; readonly type: Type }[] = [
    { name: '', type: real },
    ...params.filter(p => p.dir !== 'in' && active(p)),
  ]
  /** What weighs the lanes of an input, and what an output makes of a number. */
  const weights = sources.map(p => like(p.type, () => lit((rand.below(9) - 4) / 4)))
  const shapes = sinks.map(s => like(s.type, () => lit((rand.below(9) - 4) / 4)))
  const slopes = sinks.map(() => sources.map(() => claim(1)))
  const narrow = (x: Expr, by: Expr): Expr => (x.type.kind === 'vec' ? prim('dot', [x, by]) : times(by, x))
  /** What an output gets: one that keeps no derivative says so. */
  const given = (p: Param, x: Expr): Expr => (p.noDiff ? detached(x) : x)
  const body: Stmt[] = params
    .filter(p => p.dir !== 'in')
    .map(p =>
      set(
        ref(p.name, p.type),
        given(
          p,
          p.dir === 'out'
            ? like(p.type, () => formula(ins, 1))
            : bin('*', ref(p.name, p.type), prim('cos', [formula(ins, 1)])),
        ),
      ),
    )
  const outs = params.filter(p => p.dir === 'out').map(p => body[params.filter(q => q.dir !== 'in').indexOf(p)]!)
  const main = func(name, params, real, [...outs, ...body.filter(s => !outs.includes(s)), give(formula(ins, 2))], {
    differentiable: rand.once(2),
    ruleOf: rand.once(3),
  })
  const primal = (p: Param, suffix: string): Expr =>
    active(p) ? part(ref(`${p.name}${suffix}`, pair(p.type)), 0) : ref(`${p.name}${suffix}`, p.type)
  const locals = ins.map(p => decl(p.name, p.type, primal(p, 'v')))
  // The forward derivative calls the function for its values, on copies.
  const copies = params
    .filter(p => p.dir !== 'in')
    .map(p => decl(`${p.name}c`, p.type, p.dir === 'out' ? undefined : ref(p.name, p.type)))
  const tangents = sources.map((p, i) =>
    decl(`t${i}`, real, narrow(part(ref(`${p.name}v`, pair(p.type)), 1), weights[i]!)),
  )
  const tangentOf = (k: number): Expr =>
    bin('*', shapes[k]!, sum(sources.map((_, i) => times(slopes[k]![i]!, ref(`t${i}`, real)))))
  main.forward = func(
    `${name}F`,
    params.map(p => ({ ...p, name: `${p.name}v`, type: active(p) ? pair(p.type) : p.type })),
    pair(real),
    [
      ...locals,
      ...tangents,
      ...copies,
      decl(
        'r',
        real,
        call(
          main,
          params.map(p => ref(p.dir === 'in' ? p.name : `${p.name}c`, p.type)),
        ),
      ),
      ...params
        .filter(p => p.dir !== 'in')
        .map(p =>
          set(
            ref(`${p.name}v`, active(p) ? pair(p.type) : p.type),
            active(p)
              ? pairOf(ref(`${p.name}c`, p.type), tangentOf(sinks.findIndex(s => s.name === p.name)))
              : given(p, ref(`${p.name}c`, p.type)),
          ),
        ),
      give(pairOf(ref('r', real), tangentOf(0))),
    ],
  )
  const reverse = params.flatMap((p): Param[] => {
    if (!active(p)) return p.dir === 'out' ? [] : [{ ...p, name: `${p.name}v`, dir: 'in' }]
    return p.dir === 'out'
      ? [{ ...p, name: `${p.name}v`, dir: 'in' }]
      : [{ ...p, name: `${p.name}v`, dir: 'inout', type: pair(p.type) }]
  })
  const cotangent = (s: { readonly name: string; readonly type: Type }): Expr => {
    if (s.name === '') return ref('ct', real)
    const given = ref(`${s.name}v`, s.type)
    return params.find(p => p.name === s.name)!.dir === 'out' ? given : part(ref(`${s.name}v`, pair(s.type)), 1)
  }
  main.backward = func(`${name}B`, [...reverse, param('ct', real)], nothing, [
    ...locals,
    ...sinks.map((s, k) => decl(`c${k}`, real, narrow(cotangent(s), shapes[k]!))),
    ...sources.map((p, i) =>
      set(
        ref(`${p.name}v`, pair(p.type)),
        pairOf(
          part(ref(`${p.name}v`, pair(p.type)), 0),
          bin('*', weights[i]!, sum(sinks.map((_, k) => times(slopes[k]![i]!, ref(`c${k}`, real))))),
        ),
      ),
    ),
  ])
  return [main, ...out, main.forward, main.backward]
}

const none = (type: Type): Expr =>
  type.kind === 'real'
    ? lit(0)
    : make(
        type,
        partsOf(type).map(p => none(p.type)),
      )

/** The fields of a struct that are real numbers and have derivatives, where a derivative of the whole can be written down. */
export const realFields = (owner: StructType): readonly Field[] =>
  owner.differentiable && isNamed(owner) ? owner.fields.filter(f => f.type === real && isActive(f)) : []

/** A method with derivatives of the user, which stand outside the struct and take pairs of it. The method comes first. */
export function ruledMethod(name: string, rand: Random, formula: Formula, owner: StructType): Func[] {
  const fields = realFields(owner)
  // What formulas speak of: the fields, and the argument.
  const locals = [...fields.map(f => param(f.name, real)), param('x', real)]
  const claims = locals.map((_, i) => func(`${name}S${i}`, locals, real, [give(formula(locals, 1))]))
  const slopes = claims.map(c =>
    call(
      c,
      locals.map(p => ref(p.name, real)),
    ),
  )
  const unpacked = (object: Expr): Stmt[] => fields.map(f => decl(f.name, real, part(object, owner.fields.indexOf(f))))
  const object = param('this', owner)
  const hasBackward = rand.below(3) > 0
  const main = func(
    name,
    [object, param('x', real)],
    real,
    [...unpacked(ref('this', owner)), give(formula(locals, 2))],
    { differentiable: hasBackward && rand.once(2), method: true, ruleOf: true },
  )
  const differential = differentialOf(owner)!
  const kept = derivativeFields(owner)
  const begin = [...unpacked(part(ref('o', pair(owner)), 0)), decl('x', real, part(ref('v', pair(real)), 0))]
  const tangents = [
    ...fields.map(f => part(part(ref('o', pair(owner)), 1), kept.indexOf(f))),
    part(ref('v', pair(real)), 1),
  ]
  main.forward = func(`${name}F`, [param('o', pair(owner)), param('v', pair(real))], pair(real), [
    ...begin,
    decl('s', owner, part(ref('o', pair(owner)), 0)),
    give(pairOf(call(main, [ref('s', owner), ref('x', real)]), sum(slopes.map((s, i) => times(s, tangents[i]!))))),
  ])
  const rules = [main.forward]
  if (hasBackward) {
    const along = (i: number): Expr => times(slopes[i]!, ref('ct', real))
    main.backward = func(
      `${name}B`,
      [param('o', pair(owner), 'inout'), param('v', pair(real), 'inout'), param('ct', real)],
      nothing,
      [
        ...begin,
        set(
          ref('o', pair(owner)),
          pairOf(
            part(ref('o', pair(owner)), 0),
            make(
              differential,
              kept.map((f, k) =>
                fields.includes(f) ? along(fields.indexOf(f)) : none(partsOf(differential)[k]!.type),
              ),
            ),
          ),
        ),
        set(ref('v', pair(real)), pairOf(ref('x', real), along(fields.length))),
      ],
    )
    rules.push(main.backward)
  }
  return [main, ...claims, ...rules]
}

/** A function of real numbers with derivatives, some of which have derivatives of the user in turn. */
export function ruled(name: string, rand: Random, formula: Formula): Func[] {
  const count = 1 + rand.below(2)
  const params = Array.from({ length: count }, (_, i) => param(`x${i}`, real))
  const out: Func[] = []
  const claimed = (suffix: string, depth: number): Expr => {
    const claim = func(`${name}${suffix}`, params, real, [give(formula(params, depth))])
    out.push(claim)
    return call(
      claim,
      params.map(p => ref(p.name, real)),
    )
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
      give(
        pairOf(
          call(
            main,
            params.map(p => ref(p.name, real)),
          ),
          sum(slopes.map((s, i) => times(s, at(v[i]!, 1)))),
        ),
      ),
    ])
    main.forward = rule
    out.push(rule)
    // They count for the reverse that is made of a forward derivative too.
    if (rand.once(2)) {
      const outer = params.map((_, i) => param(`w${i}`, pair(pair(real))))
      const w = outer.map(p => ref(p.name, p.type))
      const own = locals(i => at(w[i]!, 0, 0))
      if (rand.once(2)) {
        rule.forward = func(`${name}FF`, outer, pair(pair(real)), [
          ...own,
          give(
            pairOf(
              call(
                rule,
                w.map(x => at(x, 0)),
              ),
              pairOf(
                sum(slopes.map((s, i) => times(s, at(w[i]!, 1, 0)))),
                sum(
                  slopes.map((s, i) =>
                    bin('+', times(times(curves[i]!, at(w[i]!, 0, 1)), at(w[i]!, 1, 0)), times(s, at(w[i]!, 1, 1))),
                  ),
                ),
              ),
            ),
          ),
        ])
        out.push(rule.forward)
      }
      if (rand.once(2)) {
        const ct = ref('ct', pair(real))
        rule.backward = func(
          `${name}FB`,
          [...outer.map(p => ({ ...p, dir: 'inout' as const })), param('ct', pair(real))],
          nothing,
          [
            ...own,
            ...w.map((x, i) =>
              set(
                x,
                pairOf(
                  at(x, 0),
                  pairOf(
                    bin('+', times(slopes[i]!, at(ct, 0)), times(times(curves[i]!, at(x, 0, 1)), at(ct, 1))),
                    times(slopes[i]!, at(ct, 1)),
                  ),
                ),
              ),
            ),
          ],
        )
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
          ...w.map((x, i) =>
            set(
              x,
              pairOf(
                pairOf(at(x, 0, 0), times(slopes[i]!, at(seed, 0))),
                pairOf(
                  at(x, 1, 0),
                  bin('+', times(times(curves[i]!, at(x, 1, 0)), at(seed, 0)), times(slopes[i]!, at(seed, 1))),
                ),
              ),
            ),
          ),
        ])
        out.push(rule.forward)
      }
      if (rand.once(2)) {
        rule.backward = func(`${name}BB`, [...outer, param('ct', pair(real), 'inout')], nothing, [
          ...own,
          set(seed, pairOf(at(seed, 0), sum(slopes.map((s, i) => times(s, at(w[i]!, 1, 1)))))),
          ...w.map((x, i) =>
            set(
              x,
              pairOf(
                at(x, 0),
                pairOf(bin('+', at(x, 1, 0), times(times(curves[i]!, at(seed, 0)), at(x, 1, 1))), lit(0)),
              ),
            ),
          ),
        ])
        out.push(rule.backward)
      }
      rule.ruleOf = rand.once(3)
    }
  }
  return out
}
