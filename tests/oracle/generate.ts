/** Random programs. What they compute stays of moderate size, and mostly away from kinks; nothing in them is left open by the language. */
import { Bodies } from './generate-body.ts'
import { realFields, ruled, ruledMethod, ruledWidely, substituted } from './generate-rules.ts'
import { bin, call, cast, decl, elem, func, give, isNamed, lit, make, numbersIn, param, ref, set } from './make.ts'
import { Random } from './random.ts'
import {
  array,
  differentialOf,
  int,
  isActive,
  mat,
  nothing,
  partsOf,
  real,
  signatureOf,
  uint,
  vec,
  type Callable,
  type Expr,
  type Func,
  type Interface,
  type Param,
  type Program,
  type Stmt,
  type StructType,
  type Type,
} from './tree.ts'

/** Parts of the language that can be left out. */
export const parts = ['second', 'rules', 'nodiff', 'effects', 'inner', 'differentials'] as const
export type Part = (typeof parts)[number]

export interface Options {
  /** How many statements the longest function of a program has by and large; of a run, twice that is the most. */
  readonly size: number
  readonly without: ReadonlySet<Part>
}

/** Derivatives of the order of a program and its operators together. */
const mostOrder = 3

/**
 * Compiling takes nearly all the time, so that most programs are small: in the time of a large one many small ones show more of what meets what.
 * Some are large, since there are faults that need much at once.
 */
export function generate(seed: number, options: Options): Program {
  const rand = new Random(seed)
  const size = 1 + Math.floor(2 * options.size * rand.next() ** 4)
  return new Generator(rand, { ...options, size }).program()
}

class Generator {
  readonly rand: Random
  readonly options: Options
  readonly structs: StructType[] = []
  readonly interfaces: Interface[] = []
  types: Type[] = []
  readonly bodies: Bodies

  constructor(rand: Random, options: Options) {
    this.rand = rand
    this.options = options
    this.bodies = new Bodies(rand, options)
  }

  program(): Program {
    const { rand } = this
    this.types = [real, real, real, real, vec(2), vec(3), array(real, 2 + rand.below(3))]
    if (rand.once(4)) this.types.push(mat(2, 2))
    if (rand.once(8)) this.types.push(mat(2, 3), mat(3, 3))
    if (rand.once(6)) this.types.push(vec(4), array(vec(2), 2))
    const { size } = this.options
    const structs = rand.below(Math.min(4, 1 + size))
    for (let i = 0; i < structs; i++) this.struct(`S${i}`)
    if (this.structs.length > 0 && rand.once(4)) this.types.push(array(rand.one(this.structs), 2))
    this.bodies.types = this.types
    if (rand.once(2)) this.bodies.add(this.random())
    if (rand.once(3)) {
      this.bodies.statics.push({ name: 'g0', type: rand.once(2) ? real : uint, init: rand.below(5) })
    }
    const structs2 = this.structs.filter(s => s.differentiable)
    if (structs2.length > 0 && rand.once(2)) this.interface(structs2)
    const helpers = 1 + rand.below(Math.min(4, size))
    for (let i = 0; i < helpers; i++) this.helper(`f${i}`)
    const main = this.function('main', this.params(1 + rand.below(Math.min(3, size)), true), this.result(), true)
    this.bodies.add(main)
    const { test, inputs } = this.test(main)
    return {
      structs: this.structs,
      interfaces: this.interfaces,
      statics: this.bodies.statics,
      funcs: this.bodies.funcs,
      test,
      inputs,
    }
  }

  /** An interface to which structs conform, each in its own way. */
  interface(structs: readonly StructType[]): void {
    const { rand } = this
    const type: Interface = {
      kind: 'interface',
      name: 'I0',
      differentiable: true,
      requirements: [],
      structs: [...structs],
    }
    const count = 1 + rand.below(2)
    for (let i = 0; i < count; i++) {
      const self = param('this', type, rand.once(3) ? 'inout' : 'in')
      const params = this.params(rand.below(3), false)
      const result = this.result()
      const requirement = func(`r${i}`, [self, ...params], result, [], { requirement: true, method: true })
      for (const s of structs) {
        s.methods.push(
          this.function(`r${i}`, [{ ...self, type: s }, ...params.map(p => ({ ...p }))], result, true, true),
        )
      }
      type.requirements.push(requirement)
      this.bodies.offerRequirement(
        requirement,
        structs.map(s => s.methods.at(-1)!),
      )
    }
    for (const s of structs) s.conforms.push(type)
    this.interfaces.push(type)
    this.bodies.inner.push(type)
    // Values of the interface in arrays and in fields, of which the test knows nothing either.
    if (rand.once(2)) this.bodies.inner.push(array(type, 2))
    if (rand.once(2)) {
      const holder: StructType = {
        kind: 'struct',
        name: 'H0',
        fields: [
          { name: 'm0', type, noDiff: false },
          { name: 'm1', type: rand.one([real, vec(2)]), noDiff: false },
        ],
        differentiable: true,
        methods: [],
        conforms: [],
      }
      this.structs.push(holder)
      this.bodies.inner.push(holder)
    }
  }

  struct(name: string): void {
    const { rand } = this
    const n = 1 + rand.below(3)
    const fields = Array.from({ length: n }, (_, i) => {
      const type = i > 0 && rand.once(6) ? rand.one([int, uint]) : rand.one(this.types)
      return {
        name: `m${i}`,
        type,
        noDiff: i > 0 && differentialOf(type) !== undefined && !this.options.without.has('nodiff') && rand.once(5),
      }
    })
    const type: StructType = { kind: 'struct', name, fields, differentiable: !rand.once(8), methods: [], conforms: [] }
    this.structs.push(type)
    this.types.push(type, type)
    if (type.differentiable && !this.options.without.has('differentials') && rand.once(4)) this.differential(type)
  }

  /** A differential that the program gives a struct, with fields of other names in another order. */
  differential(type: StructType): void {
    const { rand } = this
    const fields = type.fields.filter(f => isActive(f))
    if (rand.once(2)) fields.reverse()
    const made: StructType = {
      kind: 'struct',
      name: `D${type.name}`,
      fields: fields.map((f, i) => ({ name: `d${i}`, type: differentialOf(f.type)!, noDiff: false })),
      differentiable: true,
      methods: [],
      conforms: [],
    }
    type.given = { fields, adds: rand.once(2) }
    type.differential = made
    made.differential = made
    if (rand.once(2)) made.given = { fields: made.fields, adds: rand.once(2) }
    this.structs.push(made)
    this.types.push(made)
  }

  /** A step of a random number generator: its state wraps around. */
  random(): Func {
    const { rand } = this
    const s = ref('s', uint)
    const steps: Stmt[] = rand.once(2)
      ? [set(s, bin('+', bin('*', s, lit(1664525, uint)), lit(1013904223, uint)))]
      : [
          set(s, bin('^', s, bin('<<', s, lit(13, uint)))),
          set(s, bin('^', s, bin('>>', s, lit(17, uint)))),
          set(s, bin('^', s, bin('<<', s, lit(5, uint)))),
        ]
    const result = rand.once(2)
      ? bin('>>', s, lit(8, uint))
      : bin('*', bin('^', bin('>>', s, lit(9, uint)), s), lit(277803737, uint))
    return func('next', [param('s', uint, 'inout')], uint, [...steps, give(result)], { differentiable: rand.once(3) })
  }

  params(count: number, isMain: boolean): Param[] {
    const { rand } = this
    const out: Param[] = []
    for (let i = 0; i < count; i++) {
      const types = isMain ? this.types : [...this.types, ...this.bodies.inner]
      const type = i === 0 ? rand.one([real, real, vec(2), ...this.types]) : rand.one(types)
      const dir =
        type.kind === 'interface'
          ? rand.one(['in', 'inout'] as const)
          : rand.one(['in', 'in', 'in', 'inout', 'out'] as const)
      const noDiff =
        !(i === 0 && isMain) &&
        differentialOf(type) !== undefined &&
        !this.options.without.has('nodiff') &&
        rand.once(5)
      out.push(param(`p${i}`, type, i === 0 ? 'in' : dir, noDiff))
    }
    if (rand.once(3)) out.push(param('n', int))
    if (rand.once(3)) out.push(param('st', uint, rand.once(2) ? 'inout' : 'in'))
    return out
  }

  result(): Type {
    const { rand } = this
    return rand.once(3) ? rand.one(this.types) : real
  }

  helper(name: string): void {
    const { rand } = this
    const kind = rand.below(10)
    if (kind < 3 && !this.options.without.has('rules')) {
      const owners = this.structs.filter(s => realFields(s).length > 0)
      if (owners.length > 0 && rand.once(2)) {
        const of = rand.one(owners)
        const [main, ...others] = ruledMethod(name, rand, (params, depth) => this.bodies.formula(params, depth), of)
        of.methods.push(main!)
        this.bodies.offer(main!)
        this.bodies.funcs.push(...others)
        return
      }
      const write = rand.one([ruled, ruled, ruledWidely, substituted])
      this.bodies.add(...write(name, rand, (params, depth) => this.bodies.formula(params, depth)))
      return
    }
    if (kind === 9 && this.interfaces.length > 0) {
      this.generic(name)
      return
    }
    const owner = kind < 6 && this.structs.length > 0 ? rand.one(this.structs) : undefined
    const params = this.params(rand.below(owner === undefined ? 3 : 2) + (owner === undefined ? 1 : 0), false)
    if (owner !== undefined)
      params.unshift(
        param(
          'this',
          owner,
          rand.once(2) ? 'inout' : 'in',
          !owner.differentiable || (!this.options.without.has('nodiff') && rand.once(5)),
        ),
      )
    const made = this.function(name, params, this.result(), owner !== undefined || !rand.once(7), owner !== undefined)
    if (owner === undefined) {
      this.bodies.add(made)
      return
    }
    owner.methods.push(made)
    this.bodies.offer(made)
  }

  /** A function for any type that conforms to an interface. */
  generic(name: string): void {
    const { rand } = this
    const known = rand.one(this.interfaces)
    const params = [param('o', known, rand.once(3) ? 'inout' : 'in'), ...this.params(rand.below(2), false)]
    const { inner } = this.bodies
    // Where a type stands for all that conform, values of the interface itself have none.
    this.bodies.inner = []
    const made = func(name, params, this.result(), [], { generic: known })
    made.body = this.bodies.body(made, Math.ceil(this.options.size / 2))
    this.bodies.inner = inner
    this.bodies.add(made)
  }

  function(name: string, params: Param[], result: Type, differentiable: boolean, method = false): Func {
    const { rand } = this
    const made = func(name, params, result, [], {
      differentiable,
      method,
      // Interfaces say of their requirements that results have derivatives.
      noDiffResult:
        differentialOf(result) !== undefined &&
        name.startsWith('f') &&
        differentiable &&
        !this.options.without.has('nodiff') &&
        rand.once(8),
      treated: false,
      prefer: differentiable && rand.once(8) ? rand.one(['recompute', 'checkpoint'] as const) : 'none',
    })
    if (name !== 'main' && !differentiable && rand.once(3)) made.treated = true
    made.body = this.bodies.body(made, name === 'main' ? this.options.size : Math.ceil(this.options.size / 2))
    return made
  }

  // ── The test ───────────────────────────────────────────────────────────────────────────────────────────────────

  test(main: Func): { readonly test: Func; readonly inputs: number } {
    const { rand } = this
    const body: Stmt[] = []
    let inputs = 0
    const inputsParam = param('x', array(real, 0))
    const input = (): Expr => elem(ref('x', inputsParam.type), lit(inputs++, int))
    const argument = (type: Type): Expr => {
      switch (type.kind) {
        case 'real':
          return input()
        case 'int':
          return lit(rand.below(4), int)
        case 'uint':
          return lit(rand.below(100000), uint)
        default:
          return make(
            type,
            partsOf(type).map(p => argument(p.type)),
          )
      }
    }
    const order = this.bodies.orderOf(main)
    const operators: Callable[] = [main]
    const derivative = (of: Callable): Callable => ({ op: rand.one(['fwd', 'bwd', 'bwd'] as const), of })
    // One of each order: compiling takes most of the time, and another program tells more than another derivative of this one.
    if (order < mostOrder) operators.push(derivative(main))
    if (order < mostOrder - 1 && !this.options.without.has('second') && rand.below(3) > 0)
      operators.push(derivative(derivative(main)))
    operators.forEach((of, at) => {
      const s = signatureOf(of)
      const args = s.params.map((p, i) => {
        const name = `a${at}_${i}`
        body.push(decl(name, p.type, p.dir === 'out' ? undefined : argument(p.type)))
        return ref(name, p.type)
      })
      const result = call(of, args)
      if (s.result === nothing) body.push({ kind: 'expr', x: result })
      else body.push(decl(`r${at}`, s.result, result))
      const said = [
        ...(s.result === nothing ? [] : [ref(`r${at}`, s.result)]),
        ...args.filter((_, i) => s.params[i]!.dir !== 'in'),
      ]
      for (const v of said) for (const x of numbersIn(v)) body.push({ kind: 'show', x })
    })
    inputsParam.type = array(real, Math.max(1, inputs))
    return { test: func('test', [inputsParam], nothing, body, { differentiable: false }), inputs: Math.max(1, inputs) }
  }
}

export { cast, isActive, isNamed }
