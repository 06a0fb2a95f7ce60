/** The expressions of random programs: well typed, of moderate size, smooth but for kinks. */
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import { prelude } from './generate-prelude.ts'
import { paramDifferential, type Expr, type FuncDecl, type Interface } from './program.ts'

export interface Features {
  /** Library functions by name: those that the lowering in use knows. */
  readonly libs: ReadonlySet<string>
  readonly size: number
  /** Whether there are interfaces, generic functions, tuples, pairs, lambdas and derivatives of the user: what takes a front end. */
  readonly objects: boolean
}

/** A variable in scope. */
export interface Var {
  readonly name: string
  readonly type: Type
  readonly mutable: boolean
  /** An integer that may be counted up where it is read. */
  readonly steps?: boolean
}

/** The vectors of programs. */
export const vectors: readonly Type[] = [t.vec(t.f32, 2), t.vec(t.f32, 3), t.vec(t.f32, 4)]
/** The matrix that programs multiply with. */
export const mat: Type = t.mat(t.f32, 2, 2)

/** Writes expressions of what is in scope. */
export class ExprGenerator {
  readonly rand: (below: number) => number
  readonly features: Features
  readonly structs: Type[] = []
  readonly interfaces: Interface[] = []
  /** What bodies may call: functions and requirements. */
  callable: FuncDecl[] = []
  /** Types that hosts know, and those that only functions of the program pass around. */
  types: Type[] = []
  inner: Type[] = []
  /** The interface that stands for the type parameter of the function at hand. */
  generic: Type | undefined
  vars: Var[] = []
  counter = 0
  /** Whether functions are differentiated in the program. */
  differentiates = false
  /** How often what it calls is differentiated in the function at hand. */
  order = 0
  /** Whether anything is held constant in derivatives. */
  holds = false

  constructor(rand: (below: number) => number, features: Features) {
    this.rand = rand
    this.features = features
  }

  one<T>(list: readonly T[]): T {
    return list[this.rand(list.length)]!
  }

  fresh(prefix: string): string {
    return `${prefix}${this.counter++}`
  }

  /** A literal for every lane. */
  literalOf(type: Type): Expr {
    return type === t.f32
      ? this.literal()
      : { kind: 'make', type, args: Array.from({ length: type.count }, () => this.literal()) }
  }

  /** Functions whose derivatives a program can name and take apart. */
  subjects(): FuncDecl[] {
    const isOwn = (type: Type): boolean =>
      t.differential(type) === type && !isInterface(type) && this.types.includes(type)
    return this.callable.filter(
      f =>
        !f.isMethod &&
        f.generic === undefined &&
        f.order === 0 &&
        !f.noDiffResult &&
        isOwn(f.result) &&
        f.params.every(p => p.dir === 'in' && (paramDifferential(p) === null || isOwn(p.type))),
    )
  }

  pushed(func: FuncDecl, depth: number): Expr {
    this.order = 1
    return {
      kind: 'pushed',
      type: func.result,
      func,
      args: func.params.map(p => this.expr(p.type, depth - 1)),
      tangents: func.params.map(p => (paramDifferential(p) === null ? undefined : this.expr(p.type, depth - 1))),
    }
  }

  /** Whether what is generic here need not take the place of a value of its interface in a way that Slang does not convert. */
  canCall(func: FuncDecl): boolean {
    const isTupleOf = (type: Type): boolean =>
      type.name.startsWith('Tuple') && type.fields.some(f => f.type === this.generic)
    return (
      this.generic === undefined ||
      (func.result !== this.generic &&
        !func.params.some(p => (p.dir !== 'in' && p.name !== 'this' && p.type === this.generic) || isTupleOf(p.type)))
    )
  }

  inside(e: Expr): Expr {
    if (e.type.kind === 'array') return { kind: 'elem', type: e.type.elem!, of: e, at: this.subscript(e.type.count) }
    const at = this.rand(e.type.count)
    if ((e.type.kind === 'vec' || e.type.kind === 'mat') && this.rand(3) === 0)
      return { kind: 'elem', type: e.type.elem!, of: e, at: this.subscript(e.type.count) }
    return { kind: 'part', type: t.component(e.type, at), of: e, at }
  }

  /** An integer from 0 up. */
  integer(): Expr {
    const ints = this.vars.filter(v => v.type === t.i32)
    const field = this.rand(4) === 0 ? this.partOf(t.i32) : undefined
    if (field !== undefined) return field
    if (this.rand(8) === 0) {
      // Bounded, so that a small step crosses few of the places where the integer jumps.
      const wave: Expr = { kind: 'lib', type: t.f32, name: 'sin', args: [this.expr(t.f32, 0)] }
      const positive: Expr = { kind: 'bin', type: t.f32, op: '+', x: wave, y: { kind: 'lit', type: t.f32, value: 1 } }
      return {
        kind: 'int',
        type: t.i32,
        x: { kind: 'bin', type: t.f32, op: '*', x: positive, y: { kind: 'lit', type: t.f32, value: 2.5 } },
      }
    }
    if (ints.length === 0 || this.rand(3) === 0) return { kind: 'lit', type: t.i32, value: this.rand(4) }
    const e: Expr = { kind: 'var', type: t.i32, name: this.one(ints).name }
    if (this.rand(3) > 0) return e
    return { kind: 'bin', type: t.i32, op: '+', x: e, y: { kind: 'lit', type: t.i32, value: 1 + this.rand(2) } }
  }

  subscript(count: number): Expr {
    const e = this.integer()
    if (e.kind === 'lit') return { ...e, value: e.value % count }
    return { kind: 'bin', type: t.i32, op: '%', x: e, y: { kind: 'lit', type: t.i32, value: count } }
  }

  condition(): Expr {
    const roll = this.rand(5)
    if (this.rand(12) === 0) return { kind: 'saturates', type: t.bool, x: this.expr(t.f32, 1) }
    const op = this.one(['<', '>'])
    if (roll === 0)
      return { kind: 'bin', type: t.bool, op: this.one(['&&', '||']), x: this.condition(), y: this.condition() }
    if (roll === 1)
      return { kind: 'bin', type: t.bool, op: this.one(['<', '==', '>=']), x: this.integer(), y: this.integer() }
    return {
      kind: 'bin',
      type: t.bool,
      op,
      x: this.expr(t.f32, 1),
      y: this.rand(2) === 0 ? this.literal() : this.expr(t.f32, 1),
    }
  }

  number(): number {
    return (this.rand(39) - 15) / 16
  }

  literal(): Expr {
    return { kind: 'lit', type: t.f32, value: this.number() }
  }

  expr(type: Type, depth: number): Expr {
    if (isInterface(type)) return this.object(type, depth)
    const vars = this.vars.filter(v => v.type === type)
    if (depth <= 0 || this.rand(4) === 0) {
      const part = vars.length === 0 || this.rand(2) === 0 ? this.partOf(type) : undefined
      if (part !== undefined) return part
      // What was declared last is the likeliest to be part of something longer.
      if (vars.length > 0 && this.rand(10) > 0)
        return { kind: 'var', type, name: vars[Math.max(this.rand(vars.length), this.rand(vars.length))]!.name }
      if (type === t.f32) return this.literal()
    }
    const calls = this.callable.filter(f => f.result === type && f.params.every(p => p.dir === 'in') && this.canCall(f))
    if (calls.length > 0 && depth > 0 && this.rand(6) === 0) {
      const func = this.one(calls)
      this.order = Math.max(this.order, func.order)
      const call: Expr = { kind: 'call', type, func, args: func.params.map(p => this.expr(p.type, depth - 1)) }
      return this.features.objects && this.holds && this.types.includes(type) && this.rand(6) === 0
        ? { kind: 'held', type, how: 'no_diff', x: call }
        : call
    }
    if (type === t.i32) return this.integer()
    if (this.differentiates && depth > 1 && this.rand(6) === 0) {
      const funcs = this.subjects().filter(f => f.result === type)
      if (funcs.length > 0) return this.pushed(this.one(funcs), depth)
    }
    if (this.holds && depth > 0 && this.types.includes(type) && this.rand(12) === 0)
      return { kind: 'held', type, how: 'detach', x: this.expr(type, depth - 1) }
    if (depth > 0 && this.rand(12) === 0)
      return { kind: 'cond', type, c: this.condition(), x: this.expr(type, depth - 1), y: this.expr(type, depth - 1) }
    if (type.scalar === 'f32' && depth > 0 && this.rand(3) > 0) return this.arithmetic(type, depth)
    switch (type.kind) {
      case 'scalar':
        return this.scalar(depth)
      case 'struct':
        return { kind: 'make', type, args: type.fields.map(f => this.expr(f.type, depth - 1)) }
      case 'array':
        return { kind: 'make', type, args: Array.from({ length: type.count }, () => this.expr(type.elem!, depth - 1)) }
      case 'mat':
        return { kind: 'make', type, args: Array.from({ length: type.count }, () => this.expr(type.elem!, depth - 1)) }
      default:
        return { kind: 'make', type, args: Array.from({ length: type.count }, () => this.expr(t.f32, depth - 1)) }
    }
  }

  /** A value of an interface. */
  object(type: Type, depth: number): Expr {
    const vars = this.vars.filter(v => v.type === type)
    const variable = (): Expr => ({ kind: 'var', type, name: this.one(vars).name })
    if (type === this.generic) return variable()
    if (vars.length > 0 && this.rand(3) > 0) return variable()
    const part = this.rand(2) === 0 ? this.partOf(type) : undefined
    if (part !== undefined) return part
    const calls = this.callable.filter(
      f => f.result === type && f.generic === undefined && f.params.every(p => p.dir === 'in') && this.canCall(f),
    )
    if (calls.length > 0 && depth > 0 && this.rand(3) === 0) {
      const func = this.one(calls)
      this.order = Math.max(this.order, func.order)
      return { kind: 'call', type, func, args: func.params.map(p => this.expr(p.type, depth - 1)) }
    }
    if (depth > 0 && this.rand(6) === 0)
      return {
        kind: 'cond',
        type,
        c: this.condition(),
        x: this.object(type, depth - 1),
        y: this.object(type, depth - 1),
      }
    const { structs } = this.interfaces.find(i => i.type === type)!
    if (this.rand(10) === 0 && structs.every(isSmall)) {
      const id: Expr = {
        kind: 'bin',
        type: t.i32,
        op: '%',
        x: this.integer(),
        y: { kind: 'lit', type: t.i32, value: structs.length },
      }
      return { kind: 'dynamic', type, id, data: Array.from({ length: 4 }, () => (this.rand(39) - 15) / 16) }
    }
    return { kind: 'up', type, x: this.expr(this.one(structs), Math.max(1, depth)) }
  }

  partOf(type: Type): Expr | undefined {
    const wholes = this.vars.filter(
      v =>
        v.type.kind !== 'scalar' &&
        Array.from({ length: v.type.count }, (_, i) => t.component(v.type, i)).includes(type),
    )
    if (wholes.length === 0) return undefined
    const v = this.one(wholes)
    const e: Expr = { kind: 'var', type: v.type, name: v.name }
    for (let k = 0; k < 8; k++) {
      const inside = this.inside(e)
      if (inside.type === type) return inside
    }
    return undefined
  }

  arithmetic(type: Type, depth: number): Expr {
    const x = this.expr(type, depth - 1)
    if (type.kind !== 'scalar' && this.rand(4) === 0) {
      const other = this.vectorLib(type, x, depth)
      if (other !== undefined) return other
    }
    switch (this.rand(7)) {
      case 0:
        return { kind: 'neg', type, x }
      case 1:
      case 2:
        return { kind: 'bin', type, op: '+', x, y: this.expr(type, depth - 1) }
      case 3:
        return { kind: 'bin', type, op: '-', x, y: this.expr(type, depth - 1) }
      case 4: {
        if (type.kind !== 'scalar') return { kind: 'bin', type, op: '*', x, y: this.expr(type, depth - 1) }
        const y = this.expr(type, 0)
        const square: Expr = { kind: 'bin', type, op: '*', x: y, y }
        return {
          kind: 'bin',
          type,
          op: '/',
          x,
          y: { kind: 'bin', type, op: '+', x: { kind: 'lit', type, value: 1.5 }, y: square },
        }
      }
      default:
        return { kind: 'bin', type, op: '*', x, y: this.expr(type, depth - 1) }
    }
  }

  /** A call of a lambda, which may capture whatever is there. */
  lambda(x: Expr, depth: number): Expr {
    const name = this.fresh('l')
    const saved = this.vars
    this.vars = [...saved.map(v => ({ ...v, mutable: false })), { name, type: t.f32, mutable: false }]
    const body = this.expr(t.f32, depth)
    this.vars = saved
    return { kind: 'lambda', type: t.f32, name, body, x }
  }

  /** A library function that gives a vector or matrix. */
  vectorLib(type: Type, x: Expr, depth: number): Expr | undefined {
    const lib = (name: string, ...args: Expr[]): Expr => ({ kind: 'lib', type, name, args })
    const more = (of: Type): Expr => this.expr(of, depth - 1)
    const choices: (() => Expr)[] = []
    const add = (name: string, make: () => Expr): void => {
      if (this.features.libs.has(name)) choices.push(make)
    }
    for (const name of ['sin', 'tanh', 'abs'] as const) add(`${name}#`, () => lib(name, x))
    for (const name of ['min', 'max'] as const) add(`${name}#`, () => lib(name, x, more(type)))
    add('lerp#', () => lib('lerp', x, more(type), more(type)))
    if (type.kind === 'vec') {
      const from = this.one(vectors)
      const count = type.count
      choices.push(() => ({
        kind: 'lanes',
        type,
        of: more(from),
        lanes: Array.from({ length: count }, () => this.rand(from.count)),
      }))
      if (count === 2) {
        add('mul', () => lib('mul', more(mat), x))
        add('mul', () => lib('mul', x, more(mat)))
      }
      if (count === 3) add('cross', () => lib('cross', x, more(type)))
      add('normalize', () =>
        lib('normalize', {
          kind: 'bin',
          type,
          op: '+',
          x: lib('sin', x),
          y: {
            kind: 'make',
            type,
            args: Array.from({ length: count }, () => ({ kind: 'lit', type: t.f32, value: 1.5 })),
          },
        }),
      )
      add('reflect', () => lib('reflect', x, more(type)))
    } else if (type === mat) {
      add('mul', () => lib('mul', x, more(type)))
      add('transpose', () => lib('transpose', x))
    }
    return choices.length === 0 ? undefined : this.one(choices)()
  }

  scalar(depth: number): Expr {
    const has = (name: string): boolean => this.features.libs.has(name)
    const x = this.expr(t.f32, depth - 1)
    const lib = (name: string, ...args: Expr[]): Expr => ({ kind: 'lib', type: t.f32, name, args })
    const lit = (value: number): Expr => ({ kind: 'lit', type: t.f32, value })
    const squared = (e: Expr): Expr => ({ kind: 'bin', type: t.f32, op: '+', x: lit(1.25), y: lib('sin', e) })
    const choices: (() => Expr)[] = [
      () => lib('sin', x),
      () => lib('cos', x),
      () => lib('sqrt', squared(x)),
      () => lib('exp', lib('sin', x)),
    ]
    choices.push(() => ({ kind: 'float', type: t.f32, x: this.integer() }))
    if (this.features.objects) choices.push(() => this.lambda(x, depth))
    for (const v of vectors)
      if (has('dot')) choices.push(() => lib('dot', this.expr(v, depth - 1), this.expr(v, depth - 1)))
    for (const name of ['tanh', 'atan', 'abs', 'sinh', 'frac'] as const)
      if (has(name)) choices.push(() => lib(name, lib('sin', x)))
    for (const name of ['log', 'rsqrt', 'log2', 'rcp'] as const)
      if (has(name)) choices.push(() => lib(name, squared(x)))
    for (const name of ['min', 'max', 'atan2', 'fmod'] as const)
      if (has(name))
        choices.push(() =>
          lib(
            name,
            x,
            name === 'fmod' || name === 'atan2' ? squared(this.expr(t.f32, 0)) : this.expr(t.f32, depth - 1),
          ),
        )
    if (has('pow')) choices.push(() => lib('pow', squared(x), lib('cos', this.expr(t.f32, depth - 1))))
    for (const name of ['lerp', 'clamp', 'smoothstep'] as const) {
      if (has(name))
        choices.push(() =>
          name === 'lerp'
            ? lib(name, x, this.expr(t.f32, 1), this.expr(t.f32, 1))
            : name === 'clamp'
              ? lib(name, x, lit(-0.5), squared(this.expr(t.f32, 0)))
              : lib(name, lit(-1), lit(1.5), x),
        )
    }
    for (const f of prelude.values())
      if (has(f.name))
        choices.push(() =>
          lib(f.name, ...Array.from({ length: f.arity }, (_, i) => (i === 0 ? x : this.expr(t.f32, depth - 1)))),
        )
    for (const v of vectors) if (has('length')) choices.push(() => lib('length', this.expr(v, depth - 1)))
    return this.one(choices)()
  }
}

/** Whether values of a type are of an interface. */
export function isInterface(type: Type): boolean {
  return type.kind === 'struct' && type.count === 0
}

/** Whether a struct is made of at most four floats. */
function isSmall(s: Type): boolean {
  const floats = (type: Type): number =>
    type === t.f32
      ? 1
      : type === t.i32
        ? 5
        : Array.from({ length: type.count }, (_, i) => floats(t.component(type, i))).reduce((a, b) => a + b, 0)
  return floats(s) <= 4
}
