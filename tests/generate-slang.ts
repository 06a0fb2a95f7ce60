/**
 * Random differentiable programs: well typed, without undefined behaviour, with values that stay of moderate size. A
 * program is a small tree, printed as Slang, lowered to IR directly by `lower-mini.ts`, and shrunk by `reduce.ts`.
 */
import * as t from '../src/ir/type.ts'
import type { Type } from '../src/ir/type.ts'
import type { Direction } from '../src/ir/value.ts'
import { random } from './generate-ir.ts'
import { prelude } from './generate-prelude.ts'

export type Expr =
  | { kind: 'lit'; type: Type; value: number }
  | { kind: 'var'; type: Type; name: string }
  | { kind: 'bin'; type: Type; op: string; x: Expr; y: Expr }
  | { kind: 'neg'; type: Type; x: Expr }
  | { kind: 'cond'; type: Type; c: Expr; x: Expr; y: Expr }
  /** A library function. */
  | { kind: 'lib'; type: Type; name: string; args: Expr[] }
  /** A function of the program; only `in` parameters. */
  | { kind: 'call'; type: Type; func: FuncDecl; args: Expr[] }
  | { kind: 'make'; type: Type; args: Expr[] }
  | { kind: 'part'; type: Type; of: Expr; at: number }
  | { kind: 'elem'; type: Type; of: Expr; at: Expr }
  | { kind: 'float'; type: Type; x: Expr }
  /** A float that is not negative as an integer. */
  | { kind: 'int'; type: Type; x: Expr }
  /** Several lanes of a vector; as a place, none twice. */
  | { kind: 'lanes'; type: Type; of: Expr; lanes: readonly number[] }

/** A `part` or `elem` chain down to a `var`. */
export type Place = Expr

export type Stmt =
  | { kind: 'decl'; name: string; type: Type; init: Expr | undefined }
  | { kind: 'set'; to: Place; op: '=' | '+=' | '-=' | '*='; value: Expr }
  | { kind: 'if'; c: Expr; yes: Stmt[]; no: Stmt[] }
  /** Counts down, to zero, where the step is negative. */
  | { kind: 'for'; name: string; from: number; to: Expr; max: number; step: number; unroll: boolean; body: Stmt[] }
  /** `form` says where it asks whether to go on: before a trip, after it, or by `break`. */
  | { kind: 'while'; form: 'while' | 'do' | 'break'; name: string; max: number; c: Expr | undefined; body: Stmt[] }
  | { kind: 'switch'; x: Expr; cases: Stmt[][] }
  | { kind: 'break' }
  | { kind: 'continue' }
  | { kind: 'return'; value: Expr | undefined }
  /** A call of a function with outputs; arguments of `out` and `inout` parameters are places. */
  | { kind: 'call'; to: Place | undefined; func: FuncDecl; args: Expr[] }

export interface Param {
  name: string
  type: Type
  dir: Direction
  /** Carries no derivative though its type could; only parameters of the main function do so. */
  noDiff: boolean
}

/** The differential of a parameter, or null where it carries none. */
export function paramDifferential(p: Param): Type | null {
  return p.noDiff ? null : t.differential(p.type)
}

export interface FuncDecl {
  name: string
  params: Param[]
  result: Type
  body: Stmt[]
  /** True for a method, whose first parameter is `this`. */
  isMethod: boolean
  prefer: 'none' | 'recompute' | 'checkpoint'
}

export interface Program {
  structs: Type[]
  funcs: FuncDecl[]
  main: FuncDecl
}

export interface Features {
  /** Library functions by name: those that the lowering in use knows. */
  readonly libs: ReadonlySet<string>
  readonly size: number
}

interface Var {
  readonly name: string
  readonly type: Type
  readonly mutable: boolean
}

/** Makes the program of a seed. */
export function generateProgram(seed: number, features: Features): Program {
  return new Generator(random(seed * 7919 + 17), features).program()
}

/** Gives a struct the differential that Slang synthesises. */
function makeDifferential(s: Type): void {
  const fields = s.fields.flatMap(f => {
    const type = t.differential(f.type)
    return type === null ? [] : [{ name: f.name, type }]
  })
  const same = fields.length === s.fields.length && fields.every((f, i) => f.type === s.fields[i]!.type)
  const type = same ? s : t.struct(`${s.name}.Differential`, fields)
  let k = 0
  s.diff = { type, fields: s.fields.map(f => t.differential(f.type) === null ? -1 : k++), dzero: undefined, dadd: undefined }
  if (!same) type.diff = { type, fields: fields.map((_, i) => i), dzero: undefined, dadd: undefined }
}

const vectors = [t.vec(t.f32, 2), t.vec(t.f32, 3), t.vec(t.f32, 4)]
const mat = t.mat(t.f32, 2, 2)
const wide = t.mat(t.f32, 2, 3)

class Generator {
  readonly rand: (below: number) => number
  readonly features: Features
  readonly structs: Type[] = []
  readonly funcs: FuncDecl[] = []
  types: Type[] = []
  vars: Var[] = []
  counter = 0
  left = 0
  loopDepth = 0
  /** Inside a loop or switch that may be left; and where `continue` has a loop. */
  canBreak = false
  canContinue = false
  result: Type = t.f32

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

  program(): Program {
    const arrays = [t.array(t.f32, 3), t.array(t.f32, 4), t.array(vectors[0]!, 3)]
    this.types = [t.f32, t.f32, t.f32, ...vectors, mat, ...arrays]
    if (this.rand(3) === 0) this.types.push(wide)
    const count = this.rand(3)
    for (let i = 0; i < count; i++) {
      const n = 1 + this.rand(3)
      const fields = Array.from({ length: n }, (_, k) => ({ name: `m${k}`, type: k > 0 && this.rand(4) === 0 ? t.i32 : this.one(this.types) }))
      const s = t.struct(`S${i}`, fields)
      makeDifferential(s)
      this.structs.push(s)
      this.types.push(s)
    }
    if (this.structs.length > 0 && this.rand(2) === 0) this.types.push(t.array(this.one(this.structs), 2))
    const helpers = this.rand(4)
    for (let i = 0; i < helpers; i++) this.funcs.push(this.func(`g${i}`, false))
    const main = this.func('f', true)
    return { structs: this.structs, funcs: this.funcs, main }
  }

  func(name: string, isMain: boolean): FuncDecl {
    this.vars = []
    this.counter = 0
    const params: Param[] = []
    const self = !isMain && this.structs.length > 0 && this.rand(3) === 0 ? this.one(this.structs) : undefined
    if (self !== undefined) params.push({ name: 'this', type: self, dir: this.rand(2) === 0 ? 'inout' : 'in', noDiff: false })
    params.push({ name: 'x', type: t.f32, dir: 'in', noDiff: false })
    const extra = isMain ? 1 + this.rand(4) : this.rand(3)
    for (let i = 0; i < extra; i++) {
      const dir: Direction = isMain ? this.one(['in', 'in', 'in', 'inout', 'out'] as const) : this.one(['in', 'in', 'in', 'inout', 'out'] as const)
      params.push({ name: `p${i}`, type: this.one(this.types), dir, noDiff: isMain && dir === 'in' && this.rand(5) === 0 })
    }
    if (this.rand(2) === 0) params.push({ name: 'n', type: t.i32, dir: 'in', noDiff: false })
    this.result = this.rand(3) === 0 ? this.one(this.types) : t.f32
    for (const p of params) if (p.dir !== 'out') this.vars.push({ name: p.name, type: p.type, mutable: p.type !== t.i32 && !(p.name === 'this' && p.dir === 'in') })
    this.left = isMain ? this.features.size : Math.ceil(this.features.size / 3)
    const body: Stmt[] = []
    for (const p of params) {
      if (p.dir !== 'out') continue
      body.push({ kind: 'set', to: { kind: 'var', type: p.type, name: p.name }, op: '=', value: this.expr(p.type, 2) })
      this.vars.push({ name: p.name, type: p.type, mutable: true })
    }
    body.push(...this.list(0))
    if (body[body.length - 1]?.kind !== 'return') body.push({ kind: 'return', value: this.expr(this.result, 2) })
    return { name, params, result: this.result, body, isMethod: self !== undefined, prefer: isMain ? 'none' : this.one(['none', 'none', 'recompute', 'checkpoint'] as const) }
  }

  /** Statements; what they declare is forgotten at their end. */
  list(depth: number): Stmt[] {
    const saved = this.vars
    this.vars = [...saved]
    const out: Stmt[] = []
    const count = 2 + this.rand(depth === 0 ? 7 : 3)
    for (let i = 0; i < count && this.left > 0; i++) {
      if (this.loopDepth < 2 && this.rand(14) === 0) {
        out.push(...this.filled(depth))
        continue
      }
      const s = this.stmt(depth)
      out.push(s)
      if (s.kind === 'break' || s.kind === 'continue' || s.kind === 'return') break
    }
    this.vars = saved
    return out
  }

  stmt(depth: number): Stmt {
    this.left--
    const roll = this.rand(20)
    if (depth < 3) {
      if (roll < 3) return { kind: 'if', c: this.condition(), yes: this.list(depth + 1), no: this.rand(2) === 0 ? this.list(depth + 1) : [] }
      if (roll < 7 && this.loopDepth < 2) return this.loop(depth)
      if (roll === 7) return this.switch(depth)
    }
    if (depth > 0 && roll === 8) {
      const escape = this.rand(4)
      if (escape === 0) return { kind: 'if', c: this.condition(), yes: [{ kind: 'return', value: this.expr(this.result, 2) }], no: [] }
      if (escape === 1 && this.canBreak) return { kind: 'if', c: this.condition(), yes: [...this.short(), { kind: 'break' }], no: [] }
      if (escape === 2 && this.canContinue) return { kind: 'if', c: this.condition(), yes: [...this.short(), { kind: 'continue' }], no: [] }
    }
    if (roll < 11 && this.funcs.length > 0) {
      const call = this.callStmt()
      if (call !== undefined) return call
    }
    if (roll < 14) {
      const type = this.one(this.types)
      const name = this.fresh('v')
      const s: Stmt = { kind: 'decl', name, type, init: this.expr(type, 3) }
      this.vars.push({ name, type, mutable: true })
      return s
    }
    return this.assignment()
  }

  /** An array without initial value, filled by a loop. */
  filled(depth: number): Stmt[] {
    this.left--
    const type = this.one(this.types.filter(x => x.kind === 'array'))
    const name = this.fresh('v')
    const counter = this.fresh('i')
    const at: Expr = { kind: 'var', type: t.i32, name: counter }
    const saved = this.vars
    this.vars = [...saved, { name: counter, type: t.i32, mutable: false }]
    const value = this.expr(type.elem!, 2)
    const more = this.rand(3) === 0 && depth < 3 ? [this.assignment()] : []
    this.vars = saved
    const body: Stmt[] = [{ kind: 'set', to: { kind: 'elem', type: type.elem!, of: { kind: 'var', type, name }, at }, op: '=', value }, ...more]
    const loop: Stmt = { kind: 'for', name: counter, from: 0, to: { kind: 'lit', type: t.i32, value: type.count }, max: type.count, step: 1, unroll: false, body }
    this.vars.push({ name, type, mutable: true })
    return [{ kind: 'decl', name, type, init: undefined }, loop]
  }

  short(): Stmt[] {
    return this.rand(2) === 0 ? [this.assignment()] : []
  }

  assignment(): Stmt {
    let to = this.place()
    if (to.type.kind === 'vec' && this.rand(3) === 0) {
      const first = this.rand(to.type.count)
      const lanes = [first, (first + 1) % to.type.count]
      to = { kind: 'lanes', type: vectors[0]!, of: to, lanes }
    }
    const op = this.rand(3) > 0 ? '=' : this.one(['+=', '-=', '*='] as const)
    const arithmetic = to.type.scalar === 'f32'
    return { kind: 'set', to, op: arithmetic ? op : '=', value: this.expr(to.type, 3) }
  }

  loop(depth: number): Stmt {
    const saved = [this.vars, this.canBreak, this.canContinue] as const
    this.vars = [...this.vars]
    this.loopDepth++
    this.canBreak = this.canContinue = true
    const name = this.fresh('i')
    let s: Stmt
    if (this.rand(3) > 0) {
      const max = 2 + this.rand(3)
      const n = this.vars.find(v => v.name === 'n')
      const to: Expr = n !== undefined && this.rand(3) === 0 ? { kind: 'var', type: t.i32, name: 'n' } : { kind: 'lit', type: t.i32, value: max }
      this.vars.push({ name, type: t.i32, mutable: false })
      const down = to.kind === 'lit' && this.rand(4) === 0
      const step = down ? -1 : 1 + this.rand(2)
      const unroll = to.kind === 'lit' && this.rand(4) === 0
      s = { kind: 'for', name, from: down ? max : this.rand(2), to: down ? { ...to, value: 0 } as Expr : to, max: to.kind === 'var' ? 4 : max, step, unroll, body: this.list(depth + 1) }
    } else {
      // The counter is stepped first, so that `continue` cannot loop for ever.
      this.vars.push({ name, type: t.i32, mutable: false })
      s = { kind: 'while', form: this.one(['while', 'do', 'break'] as const), name, max: 3, c: this.rand(2) === 0 ? this.condition() : undefined, body: this.list(depth + 1) }
    }
    this.loopDepth--
    ;[this.vars, this.canBreak, this.canContinue] = saved
    return s
  }

  switch(depth: number): Stmt {
    const saved = this.canBreak
    // `break` in a case would leave the switch, which the printer does at the end of each case anyway.
    this.canBreak = false
    const cases = Array.from({ length: 2 + this.rand(2) }, () => this.list(depth + 1))
    this.canBreak = saved
    return { kind: 'switch', x: this.integer(), cases }
  }

  callStmt(): Stmt | undefined {
    const func = this.one(this.funcs)
    const args: Expr[] = []
    const used = new Set<string>()
    for (const p of func.params) {
      if (p.dir === 'in') {
        args.push(this.expr(p.type, 2))
        continue
      }
      const at = this.placeOf(p.type, used)
      if (at === undefined) return undefined
      used.add(rootName(at))
      args.push(at)
    }
    const targets = this.vars.filter(v => v.mutable && v.type === func.result && !used.has(v.name))
    const to: Place | undefined = targets.length > 0 && this.rand(3) > 0 ? { kind: 'var', type: func.result, name: this.one(targets).name } : undefined
    return { kind: 'call', to, func, args }
  }

  /** A mutable place: a variable or a part of one. */
  place(): Place {
    const choices = this.vars.filter(x => x.mutable)
    const v = choices[Math.max(this.rand(choices.length), this.rand(choices.length))]!
    let e: Expr = { kind: 'var', type: v.type, name: v.name }
    while (e.type.kind !== 'scalar' && this.rand(3) > 0) e = this.inside(e)
    return e
  }

  /** A place of a type, in a variable that is not used yet. */
  placeOf(type: Type, used: ReadonlySet<string>): Place | undefined {
    for (let tries = 0; tries < 12; tries++) {
      const e = this.place()
      if (e.type === type && !used.has(rootName(e))) return e
    }
    return undefined
  }

  inside(e: Expr): Expr {
    if (e.type.kind === 'array') return { kind: 'elem', type: e.type.elem!, of: e, at: this.subscript(e.type.count) }
    const at = this.rand(e.type.count)
    if ((e.type.kind === 'vec' || e.type.kind === 'mat') && this.rand(3) === 0) return { kind: 'elem', type: e.type.elem!, of: e, at: this.subscript(e.type.count) }
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
      return { kind: 'int', type: t.i32, x: { kind: 'bin', type: t.f32, op: '*', x: positive, y: { kind: 'lit', type: t.f32, value: 2.5 } } }
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
    const op = this.one(['<', '>'])
    if (roll === 0) return { kind: 'bin', type: t.bool, op: this.one(['&&', '||']), x: this.condition(), y: this.condition() }
    if (roll === 1) return { kind: 'bin', type: t.bool, op: this.one(['<', '==', '>=']), x: this.integer(), y: this.integer() }
    return { kind: 'bin', type: t.bool, op, x: this.expr(t.f32, 1), y: this.rand(2) === 0 ? this.literal() : this.expr(t.f32, 1) }
  }

  literal(): Expr {
    return { kind: 'lit', type: t.f32, value: (this.rand(39) - 15) / 16 }
  }

  expr(type: Type, depth: number): Expr {
    const vars = this.vars.filter(v => v.type === type)
    if (depth <= 0 || this.rand(4) === 0) {
      const part = vars.length === 0 || this.rand(2) === 0 ? this.partOf(type) : undefined
      if (part !== undefined) return part
      // What was declared last is the likeliest to be part of something longer.
      if (vars.length > 0 && this.rand(10) > 0) return { kind: 'var', type, name: vars[Math.max(this.rand(vars.length), this.rand(vars.length))]!.name }
      if (type === t.f32) return this.literal()
    }
    const calls = this.funcs.filter(f => f.result === type && f.params.every(p => p.dir === 'in'))
    if (calls.length > 0 && depth > 0 && this.rand(6) === 0) {
      const func = this.one(calls)
      return { kind: 'call', type, func, args: func.params.map(p => this.expr(p.type, depth - 1)) }
    }
    if (type === t.i32) return this.integer()
    if (depth > 0 && this.rand(12) === 0) return { kind: 'cond', type, c: this.condition(), x: this.expr(type, depth - 1), y: this.expr(type, depth - 1) }
    if (type.scalar === 'f32' && depth > 0 && this.rand(3) > 0) return this.arithmetic(type, depth)
    switch (type.kind) {
      case 'scalar': return this.scalar(depth)
      case 'struct': return { kind: 'make', type, args: type.fields.map(f => this.expr(f.type, depth - 1)) }
      case 'array': return { kind: 'make', type, args: Array.from({ length: type.count }, () => this.expr(type.elem!, depth - 1)) }
      case 'mat': return { kind: 'make', type, args: Array.from({ length: type.count }, () => this.expr(type.elem!, depth - 1)) }
      default: return { kind: 'make', type, args: Array.from({ length: type.count }, () => this.expr(t.f32, depth - 1)) }
    }
  }

  partOf(type: Type): Expr | undefined {
    const wholes = this.vars.filter(v => v.type.kind !== 'scalar' && Array.from({ length: v.type.count }, (_, i) => t.component(v.type, i)).includes(type))
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
      case 0: return { kind: 'neg', type, x }
      case 1: case 2: return { kind: 'bin', type, op: '+', x, y: this.expr(type, depth - 1) }
      case 3: return { kind: 'bin', type, op: '-', x, y: this.expr(type, depth - 1) }
      case 4: {
        if (type.kind !== 'scalar') return { kind: 'bin', type, op: '*', x, y: this.expr(type, depth - 1) }
        const y = this.expr(type, 0)
        const square: Expr = { kind: 'bin', type, op: '*', x: y, y }
        return { kind: 'bin', type, op: '/', x, y: { kind: 'bin', type, op: '+', x: { kind: 'lit', type, value: 1.5 }, y: square } }
      }
      default: return { kind: 'bin', type, op: '*', x, y: this.expr(type, depth - 1) }
    }
  }

  /** A library function that gives a vector or matrix. */
  vectorLib(type: Type, x: Expr, depth: number): Expr | undefined {
    const lib = (name: string, ...args: Expr[]): Expr => ({ kind: 'lib', type, name, args })
    const more = (of: Type): Expr => this.expr(of, depth - 1)
    const choices: (() => Expr)[] = []
    const add = (name: string, make: () => Expr): void => { if (this.features.libs.has(name)) choices.push(make) }
    for (const name of ['sin', 'tanh', 'abs'] as const) add(`${name}#`, () => lib(name, x))
    for (const name of ['min', 'max'] as const) add(`${name}#`, () => lib(name, x, more(type)))
    add('lerp#', () => lib('lerp', x, more(type), more(type)))
    if (type.kind === 'vec') {
      const from = this.one(vectors)
      const count = type.count
      choices.push(() => ({ kind: 'lanes', type, of: more(from), lanes: Array.from({ length: count }, () => this.rand(from.count)) }))
      if (count === 2) {
        add('mul', () => lib('mul', more(mat), x))
        add('mul', () => lib('mul', x, more(mat)))
      }
      if (count === 3) add('cross', () => lib('cross', x, more(type)))
      add('normalize', () => lib('normalize', { kind: 'bin', type, op: '+', x: lib('sin', x), y: { kind: 'make', type, args: Array.from({ length: count }, () => ({ kind: 'lit', type: t.f32, value: 1.5 })) } }))
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
    const choices: (() => Expr)[] = [() => lib('sin', x), () => lib('cos', x), () => lib('sqrt', squared(x)), () => lib('exp', lib('sin', x))]
    choices.push(() => ({ kind: 'float', type: t.f32, x: this.integer() }))
    for (const v of vectors) if (has('dot')) choices.push(() => lib('dot', this.expr(v, depth - 1), this.expr(v, depth - 1)))
    for (const name of ['tanh', 'atan', 'abs', 'sinh', 'frac'] as const) if (has(name)) choices.push(() => lib(name, lib('sin', x)))
    for (const name of ['log', 'rsqrt', 'log2', 'rcp'] as const) if (has(name)) choices.push(() => lib(name, squared(x)))
    for (const name of ['min', 'max', 'atan2', 'fmod'] as const) if (has(name)) choices.push(() => lib(name, x, name === 'fmod' || name === 'atan2' ? squared(this.expr(t.f32, 0)) : this.expr(t.f32, depth - 1)))
    if (has('pow')) choices.push(() => lib('pow', squared(x), lib('cos', this.expr(t.f32, depth - 1))))
    for (const name of ['lerp', 'clamp', 'smoothstep'] as const) {
      if (has(name)) choices.push(() => name === 'lerp' ? lib(name, x, this.expr(t.f32, 1), this.expr(t.f32, 1)) : name === 'clamp' ? lib(name, x, lit(-0.5), squared(this.expr(t.f32, 0))) : lib(name, lit(-1), lit(1.5), x))
    }
    for (const f of prelude.values()) if (has(f.name)) choices.push(() => lib(f.name, ...Array.from({ length: f.arity }, (_, i) => i === 0 ? x : this.expr(t.f32, depth - 1))))
    for (const v of vectors) if (has('length')) choices.push(() => lib('length', this.expr(v, depth - 1)))
    return this.one(choices)()
  }
}

function rootName(e: Place): string {
  return e.kind === 'var' ? e.name : e.kind === 'part' || e.kind === 'elem' || e.kind === 'lanes' ? rootName(e.of) : ''
}

// ── Printing as Slang ────────────────────────────────────────────────────────────────────────────────────────────

/** A type and a name, as a declarator: `float a[3]`. */
export function declarator(type: Type, name: string): string {
  let dims = ''
  let base = type
  for (; base.kind === 'array'; base = base.elem!) dims += `[${base.count}]`
  return `${slangType(base)} ${name}${dims}`
}

function slangType(type: Type): string {
  switch (type.kind) {
    case 'scalar': return type === t.f32 ? 'float' : type === t.i32 ? 'int' : 'bool'
    case 'vec': return `float${type.count}`
    case 'mat': return `float${type.count}x${type.elem!.count}`
    case 'array': return `${slangType(type.elem!)}[${type.count}]`
    default: return type.name
  }
}

function literal(e: { type: Type; value: number }): string {
  if (e.type === t.i32) return String(e.value)
  const text = Number.isInteger(e.value) ? `${e.value}.0` : String(e.value)
  return e.value < 0 ? `(${text})` : text
}

function callText(func: FuncDecl, args: readonly Expr[]): string {
  const texts = args.map(exprText)
  return func.isMethod ? `${texts[0]}.${func.name}(${texts.slice(1).join(', ')})` : `${func.name}(${texts.join(', ')})`
}

export function exprText(e: Expr): string {
  switch (e.kind) {
    case 'lit': return literal(e)
    case 'var': return e.name
    case 'bin': return `(${exprText(e.x)} ${e.op} ${exprText(e.y)})`
    case 'neg': return `(-${exprText(e.x)})`
    case 'cond': return `(${exprText(e.c)} ? ${exprText(e.x)} : ${exprText(e.y)})`
    case 'lib': return `${e.name}(${e.args.map(exprText).join(', ')})`
    case 'call': return callText(e.func, e.args)
    case 'make': {
      const args = e.args.map(exprText).join(', ')
      return e.type.kind === 'vec' || e.type.kind === 'mat' ? `${slangType(e.type)}(${args})` : e.type.kind === 'struct' ? `${e.type.name}(${args})` : `make_${arrayName(e.type)}(${args})`
    }
    case 'part': {
      const of = exprText(e.of)
      if (e.of.type.kind === 'struct') return `${of}.${e.of.type.fields[e.at]!.name}`
      return e.of.type.kind === 'vec' ? `${of}.${'xyzw'[e.at]}` : `${of}[${e.at}]`
    }
    case 'elem': return `${exprText(e.of)}[${exprText(e.at)}]`
    case 'float': return `float(${exprText(e.x)})`
    case 'int': return `int(${exprText(e.x)})`
    case 'lanes': return `${exprText(e.of)}.${e.lanes.map(l => 'xyzw'[l]).join('')}`
  }
}

function arrayName(type: Type): string {
  return `${slangType(type.elem!)}_${type.count}`
}

function stmtText(s: Stmt, indent: string): string {
  const inner = `${indent}    `
  const block = (list: readonly Stmt[]): string => `{\n${list.map(x => stmtText(x, inner)).join('')}${indent}}`
  switch (s.kind) {
    case 'decl': return `${indent}${declarator(s.type, s.name)}${s.init === undefined ? '' : ` = ${exprText(s.init)}`};\n`
    case 'set': return `${indent}${exprText(s.to)} ${s.op} ${exprText(s.value)};\n`
    case 'if': return `${indent}if (${exprText(s.c)}) ${block(s.yes)}${s.no.length === 0 ? '' : ` else ${block(s.no)}`}\n`
    case 'for': {
      const bound = s.unroll ? `${indent}[ForceUnroll]\n` : s.to.kind === 'lit' ? '' : `${indent}[MaxIters(${s.max})]\n`
      const step = s.step < 0 ? `${s.name}--` : s.step === 1 ? `${s.name}++` : `${s.name} += ${s.step}`
      return `${bound}${indent}for (int ${s.name} = ${s.from}; ${s.name} ${s.step < 0 ? '>' : '<'} ${exprText(s.to)}; ${step}) ${block(s.body)}\n`
    }
    case 'while': {
      const c = `${s.name} < ${s.max}${s.c === undefined ? '' : ` && ${exprText(s.c)}`}`
      const head = `${indent}int ${s.name} = 0;\n${indent}[MaxIters(${s.max})]\n${indent}`
      const leave = s.form === 'break' ? `${inner}if (!(${c})) break;\n` : ''
      const body = `{\n${leave}${inner}${s.name}++;\n${s.body.map(x => stmtText(x, inner)).join('')}${indent}}`
      return s.form === 'do' ? `${head}do ${body} while (${c});\n` : `${head}while (${s.form === 'break' ? 'true' : c}) ${body}\n`
    }
    case 'switch': {
      const label = (k: number): string => k === s.cases.length - 1 ? 'default' : `case ${k}`
      const ends = (list: readonly Stmt[]): boolean => ['return', 'continue'].includes(list[list.length - 1]?.kind ?? '')
      return `${indent}switch (${exprText(s.x)}) {\n${s.cases.map((list, k) => `${indent}${label(k)}: {\n${list.map(x => stmtText(x, inner)).join('')}${ends(list) ? '' : `${inner}break;\n`}${indent}}\n`).join('')}${indent}}\n`
    }
    case 'break': return `${indent}break;\n`
    case 'continue': return `${indent}continue;\n`
    case 'return': return `${indent}return ${s.value === undefined ? '' : exprText(s.value)};\n`
    case 'call': {
      return `${indent}${s.to === undefined ? '' : `${exprText(s.to)} = `}${callText(s.func, s.args)};\n`
    }
  }
}

function funcText(f: FuncDecl, indent = ''): string {
  const params = (f.isMethod ? f.params.slice(1) : f.params).map(p => `${p.noDiff ? 'no_diff ' : ''}${p.dir === 'in' ? '' : `${p.dir} `}${declarator(p.type, p.name)}`).join(', ')
  const mutating = f.isMethod && f.params[0]!.dir === 'inout' ? ' [mutating]' : ''
  const prefer = f.prefer === 'none' ? '' : f.prefer === 'recompute' ? ' [PreferRecompute]' : ' [PreferCheckpoint]'
  return `${indent}[Differentiable]${mutating}${prefer}\n${indent}${slangType(f.result)} ${f.name}(${params})\n${indent}{\n${f.body.map(s => stmtText(s, `${indent}    `)).join('')}${indent}}\n`
}

/** All array types that expressions construct. */
function madeArrays(program: Program): Type[] {
  const found = new Set<Type>()
  const expr = (e: Expr): void => {
    if (e.kind === 'make' && e.type.kind === 'array') found.add(e.type)
    for (const x of exprParts(e)) expr(x)
  }
  for (const f of [...program.funcs, program.main]) eachStmt(f.body, s => stmtExprs(s).forEach(expr))
  return [...found]
}

/** The program as Slang. */
export function programText(program: Program): string {
  const methods = (s: Type): string => program.funcs.filter(f => f.isMethod && f.params[0]?.type === s).map(f => funcText(f, '    ')).join('')
  const structs = program.structs.map(s => `struct ${s.name} : IDifferentiable\n{\n${s.fields.map(f => `    ${declarator(f.type, f.name)};\n`).join('')}${methods(s)}}\n`)
  const makers = madeArrays(program).map(a => {
    const params = Array.from({ length: a.count }, (_, i) => declarator(a.elem!, `e${i}`)).join(', ')
    const sets = Array.from({ length: a.count }, (_, i) => `    a[${i}] = e${i};\n`).join('')
    return `[Differentiable]\n${slangType(a)} make_${arrayName(a)}(${params})\n{\n    ${declarator(a, 'a')};\n${sets}    return a;\n}\n`
  })
  const own = [...structs, ...makers, ...program.funcs.filter(f => !f.isMethod).map(f => funcText(f)), funcText(program.main)].join('\n')
  const called = [...prelude.values()].filter(f => own.includes(`${f.name}(`)).map(f => f.text)
  return [...called, own].join('\n')
}

// ── Walks ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The operands of an expression. */
export function exprParts(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'lit': case 'var': return []
    case 'bin': return [e.x, e.y]
    case 'neg': case 'float': case 'int': return [e.x]
    case 'cond': return [e.c, e.x, e.y]
    case 'lib': case 'call': case 'make': return e.args
    case 'part': case 'lanes': return [e.of]
    case 'elem': return [e.of, e.at]
  }
}

/** The expressions of a statement, not of statements inside it. */
export function stmtExprs(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case 'decl': return s.init === undefined ? [] : [s.init]
    case 'set': return [s.to, s.value]
    case 'if': return [s.c]
    case 'for': return [s.to]
    case 'while': return s.c === undefined ? [] : [s.c]
    case 'switch': return [s.x]
    case 'return': return s.value === undefined ? [] : [s.value]
    case 'call': return s.to === undefined ? s.args : [s.to, ...s.args]
    default: return []
  }
}

/** The lists of statements inside a statement. */
export function stmtLists(s: Stmt): readonly Stmt[][] {
  switch (s.kind) {
    case 'if': return [s.yes, s.no]
    case 'for': case 'while': return [s.body]
    case 'switch': return s.cases
    default: return []
  }
}

export function eachStmt(list: readonly Stmt[], f: (s: Stmt) => void): void {
  for (const s of list) {
    f(s)
    for (const part of stmtLists(s)) eachStmt(part, f)
  }
}
