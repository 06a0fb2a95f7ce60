/** Random differentiable programs: well typed, without undefined behaviour, with values that stay of moderate size. */
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import type { Direction } from '../../src/ir/value.ts'
import { ExprGenerator, isInterface, mat, vectors, type Features, type Var } from './generate-expr.ts'
import { random } from './generate-ir.ts'
import { slangType as typeText } from './program-text.ts'
import {
  eachPart,
  isInFixed,
  makeDifferential,
  paramDifferential,
  type Custom,
  type Expr,
  type FuncDecl,
  type Param,
  type Place,
  type Program,
  type Stmt,
} from './program.ts'

/** What a function takes and gives. */
interface Signature {
  readonly params: Param[]
  readonly result: Type
  readonly noDiffResult: boolean
}

/** Makes the program of a seed. */
export function generateProgram(seed: number, features: Features): Program {
  return new Generator(random(seed * 7919 + 17), features).program()
}

/** Of a loop to `n`: that is at most 3 where a program begins, and each call may add 2. */
const mostTrips = 12

const wide = t.mat(t.f32, 2, 3)

class Generator extends ExprGenerator {
  readonly funcs: FuncDecl[] = []
  readonly defaults: Map<Type, readonly (number | undefined)[]> = new Map()
  left = 0
  loopDepth = 0
  /** Inside a loop or switch that may be left; and where `continue` has a loop. */
  canBreak = false
  canContinue = false
  result: Type = t.f32

  program(): Program {
    this.holds = this.rand(2) === 0
    const arrays = [t.array(t.f32, 3), t.array(t.f32, 4), t.array(vectors[0]!, 3)]
    this.types = [t.f32, t.f32, t.f32, ...vectors, mat, ...arrays]
    if (this.rand(3) === 0) this.types.push(wide)
    const count = this.rand(3)
    for (let i = 0; i < count; i++) {
      const n = 1 + this.rand(3)
      const fields = Array.from({ length: n }, (_, k) => ({
        name: `m${k}`,
        type: k > 0 && this.rand(4) === 0 ? t.i32 : this.one(this.types),
      }))
      const s = t.struct(`S${i}`, fields)
      const isMarked = (k: number): boolean =>
        this.features.objects && this.holds && k > 0 && fields[k]!.type.scalar === 'f32' && this.rand(5) === 0
      makeDifferential(s, new Set(fields.flatMap((_, k) => (isMarked(k) ? [k] : []))))
      if (this.features.objects && this.rand(3) === 0)
        this.defaults.set(
          s,
          fields.map(f => (f.type === t.f32 && this.rand(2) === 0 ? this.number() : undefined)),
        )
      this.structs.push(s)
      this.types.push(s)
    }
    this.differentiates = this.features.objects && this.rand(3) === 0
    if (this.structs.length > 0 && this.rand(2) === 0) this.types.push(t.array(this.one(this.structs), 2))
    if (this.features.objects) this.objects()
    const helpers = Math.max(this.rand(4), this.differentiates || this.holds ? 1 + this.rand(2) : 0)
    for (let i = 0; i < helpers; i++) this.helper(`g${i}`)
    const main = this.func('f', true, this.signature(true, undefined))
    return { structs: this.structs, defaults: this.defaults, interfaces: this.interfaces, funcs: this.funcs, main }
  }

  /** Interfaces, what conforms to them, and types that take them in. */
  objects(): void {
    const count = this.rand(5) === 0 ? 2 : this.rand(3) > 0 ? 1 : 0
    for (let i = 0; i < count; i++) {
      while (this.structs.length < 2) {
        const s = t.struct(
          `S${this.structs.length}`,
          Array.from({ length: 1 + this.rand(2) }, (_, k) => ({
            name: `m${k}`,
            type: this.one([t.f32, t.f32, vectors[0]!, vectors[1]!]),
          })),
        )
        makeDifferential(s)
        this.structs.push(s)
        this.types.push(s)
      }
      this.interface(i)
    }
    for (const { type } of this.interfaces.slice()) {
      if (this.rand(2) === 0) this.inner.push(t.array(type, 2))
      if (this.rand(2) === 0) {
        const s = t.struct(`H${this.structs.length}`, [
          { name: 'm0', type },
          { name: 'm1', type: this.one(this.types) },
        ])
        makeDifferential(s)
        this.structs.push(s)
        this.inner.push(s)
        // One that conforms to another interface cannot be inside itself.
        if (this.rand(3) === 0) this.inner.push(t.array(s, 2))
      }
    }
    if (this.rand(3) === 0) {
      const types = Array.from({ length: 2 + this.rand(2) }, () =>
        this.one([...this.types, ...this.inner.filter(isInterface)]),
      )
      const tuple = t.struct(
        `Tuple<${types.map(typeText).join(', ')}>`,
        types.map((type, i) => ({ name: `_${i}`, type })),
      )
      makeDifferential(tuple)
      this.inner.push(tuple)
    }
    if (this.rand(4) === 0) {
      const type = this.one([
        t.f32,
        ...vectors,
        ...this.structs.filter(s => s.diff!.type === s && this.types.includes(s)),
      ])
      const pair = t.struct(`DifferentialPair<${typeText(type)}>`, [
        { name: 'p', type },
        { name: 'd', type },
      ])
      makeDifferential(pair)
      this.inner.push(pair)
    }
  }

  /** An interface with one or two requirements, to which two or three structs conform. */
  interface(number: number): void {
    const type = t.struct(`I${number}`, [])
    makeDifferential(type)
    const fits = this.structs.filter(s => this.types.includes(s))
    const structs = fits.filter((_, i) => i >= fits.length - 2 || this.rand(2) === 0)
    const requirements = Array.from({ length: 1 + this.rand(2) }, (_, i): FuncDecl => {
      const signature = this.signature(false, type)
      return {
        name: `r${number}${i}`,
        ...signature,
        body: [],
        isMethod: true,
        prefer: 'none',
        custom: 'none',
        implements: undefined,
        generic: undefined,
        order: 0,
      }
    })
    for (const requirement of requirements) {
      for (const s of structs) {
        const params = requirement.params.map(p => (p.name === 'this' ? { ...p, type: s } : { ...p }))
        this.add({ ...this.func(requirement.name, false, { ...requirement, params }), implements: requirement })
      }
    }
    this.interfaces.push({ type, requirements, structs })
    this.callable.push(...requirements)
    this.inner.push(type, type)
  }

  /** A function for others to call; it may be a method, or generic. */
  helper(name: string): void {
    const self = this.structs.length > 0 && this.rand(3) === 0 ? this.one(this.structs) : undefined
    if (self === undefined && this.interfaces.length > 0 && this.rand(3) === 0) {
      const saved = this.inner
      // Where a type parameter has the interface's place, values of the interface itself have none.
      this.generic = this.one(this.interfaces).type
      this.inner = []
      const { params, result, noDiffResult } = this.signature(false, undefined)
      params.unshift({ name: 'o', type: this.generic, dir: this.one(['in', 'in', 'inout'] as const), noDiff: false })
      this.add(
        this.func(
          name,
          false,
          !noDiffResult && this.rand(4) === 0
            ? { params, result: this.generic, noDiffResult }
            : { params, result, noDiffResult },
        ),
      )
      this.generic = undefined
      this.inner = saved
      return
    }
    this.add(this.func(name, false, this.signature(false, self)))
  }

  add(f: FuncDecl): void {
    this.funcs.push(f)
    this.callable.push(f)
  }

  signature(isMain: boolean, self: Type | undefined): Signature {
    /** Of functions for others to call; values of interfaces cannot be held for differences. */
    const isHeld = (type: Type, one: number): boolean =>
      !isMain && this.features.objects && this.holds && this.types.includes(type) && this.rand(one) === 0
    const types = isMain ? this.types : [...this.types, ...this.inner]
    const params: Param[] = []
    if (self !== undefined) {
      const dir = this.rand(2) === 0 ? 'inout' : 'in'
      params.push({ name: 'this', type: self, dir, noDiff: dir === 'in' && !isInterface(self) && isHeld(self, 2) })
    }
    params.push({ name: 'x', type: t.f32, dir: 'in', noDiff: false })
    const extra = isMain ? 1 + this.rand(4) : this.rand(3)
    for (let i = 0; i < extra; i++) {
      const dir: Direction = this.one(['in', 'in', 'in', 'inout', 'out'] as const)
      const type = this.one(types)
      params.push({ name: `p${i}`, type, dir, noDiff: dir === 'in' && (isMain ? this.rand(5) === 0 : isHeld(type, 3)) })
    }
    if (this.rand(2) === 0) params.push({ name: 'n', type: t.i32, dir: 'in', noDiff: false })
    const result = this.rand(3) === 0 ? this.one(types) : t.f32
    return { params, result, noDiffResult: isHeld(result, 7) }
  }

  func(name: string, isMain: boolean, { params, result, noDiffResult }: Signature): FuncDecl {
    this.vars = []
    this.order = 0
    this.counter = 0
    this.result = result
    for (const p of params)
      if (p.dir !== 'out')
        this.vars.push({
          name: p.name,
          type: p.type,
          mutable: p.type !== t.i32 && !(p.name === 'this' && p.dir === 'in'),
        })
    this.left = isMain ? this.features.size : Math.ceil(this.features.size / 3)
    const body: Stmt[] = []
    for (const p of params) {
      if (p.dir !== 'out') continue
      body.push({ kind: 'set', to: { kind: 'var', type: p.type, name: p.name }, op: '=', value: this.expr(p.type, 2) })
      this.vars.push({ name: p.name, type: p.type, mutable: true })
    }
    if (this.rand(4) === 0) {
      const counter = this.fresh('k')
      this.vars.push({ name: counter, type: t.i32, mutable: false, steps: true })
      body.push({ kind: 'decl', name: counter, type: t.i32, init: { kind: 'lit', type: t.i32, value: this.rand(3) } })
    }
    if (isMain && this.interfaces.length > 0 && this.rand(2) === 0) body.push(...this.dispatch())
    const own = isMain && this.holds ? this.heldCall() : undefined
    if (own?.kind === 'decl') {
      body.push(own)
      this.vars.push({ name: own.name, type: own.type, mutable: true })
    }
    body.push(...this.list(0))
    if (body[body.length - 1]?.kind !== 'return') {
      const value = this.expr(this.result, 2)
      const isAdded = own?.kind === 'decl' && own.type === this.result && this.result.scalar === 'f32'
      body.push({
        kind: 'return',
        value: isAdded
          ? { kind: 'bin', type: this.result, op: '+', x: value, y: { kind: 'var', type: this.result, name: own.name } }
          : value,
      })
    }
    const isMethod = params[0]?.name === 'this'
    const isPlain = noDiffResult || (isMethod && params[0]!.noDiff)
    return {
      name,
      params,
      result,
      noDiffResult,
      order: this.order,
      body,
      isMethod,
      generic: this.generic,
      implements: undefined,
      prefer: isMain ? 'none' : this.one(['none', 'none', 'recompute', 'checkpoint'] as const),
      custom:
        isMain || isPlain || !this.features.objects
          ? 'none'
          : this.custom(isMethod, [result, ...params.map(p => p.type)]),
    }
  }

  /** A call of a function that holds something constant, with arguments that are not. */
  heldCall(): Stmt | undefined {
    const isHolding = (f: FuncDecl): boolean => f.noDiffResult || f.params.some(p => p.noDiff)
    const funcs = this.callable.filter(
      f =>
        isHolding(f) &&
        f.generic === undefined &&
        this.types.includes(f.result) &&
        f.params.every(p => p.dir === 'in') &&
        this.canCall(f),
    )
    if (funcs.length === 0) return undefined
    const func = this.one(funcs)
    this.order = Math.max(this.order, func.order)
    const call: Expr = { kind: 'call', type: func.result, func, args: func.params.map(p => this.expr(p.type, 3)) }
    return { kind: 'decl', name: this.fresh('v'), type: func.result, init: call }
  }

  /** A value of an interface, and a call that finds out what it is. */
  dispatch(): Stmt[] {
    const { type, requirements } = this.one(this.interfaces)
    const name = this.fresh('v')
    const init: Expr = { kind: 'cond', type, c: this.condition(), x: this.object(type, 2), y: this.object(type, 2) }
    this.vars.push({ name, type, mutable: true })
    const call = this.callStmt(this.one(requirements))
    return [{ kind: 'decl', name, type, init }, ...(call === undefined ? [] : [call])]
  }

  custom(isMethod: boolean, types: readonly Type[]): Custom {
    // The differentials of interfaces have no name.
    if (this.rand(3) > 0 || types.some(type => this.inner.includes(type))) return 'none'
    const free = ['backwardOf', 'forwardOf'] as const
    return this.one<Custom>(['backward', 'backward', 'forward', 'both', 'substitute', ...(isMethod ? [] : free)])
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
      if (roll < 3)
        return {
          kind: 'if',
          c: this.condition(),
          yes: this.list(depth + 1),
          no: this.rand(2) === 0 ? this.list(depth + 1) : [],
        }
      if (roll < 7 && this.loopDepth < 2) return this.loop(depth)
      if (roll === 7) return this.switch(depth)
    }
    if (depth > 0 && roll === 8) {
      const escape = this.rand(4)
      if (escape === 0)
        return { kind: 'if', c: this.condition(), yes: [{ kind: 'return', value: this.expr(this.result, 2) }], no: [] }
      if (escape === 1 && this.canBreak)
        return { kind: 'if', c: this.condition(), yes: [...this.short(), { kind: 'break' }], no: [] }
      if (escape === 2 && this.canContinue)
        return { kind: 'if', c: this.condition(), yes: [...this.short(), { kind: 'continue' }], no: [] }
    }
    if (roll < 11 && this.callable.length > 0) {
      const call = (this.differentiates && this.rand(2) === 0 ? this.pull() : undefined) ?? this.callStmt()
      if (call !== undefined) return call
    }
    if (roll < 14) {
      const type = this.one([...this.types, ...this.inner])
      const name = this.fresh('v')
      const isList =
        this.features.objects && this.structs.includes(type) && this.types.includes(type) && this.rand(2) === 0
      const s: Stmt = { kind: 'decl', name, type, init: isList ? this.initialiser(type) : this.expr(type, 3) }
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
    const body: Stmt[] = [
      { kind: 'set', to: { kind: 'elem', type: type.elem!, of: { kind: 'var', type, name }, at }, op: '=', value },
      ...more,
    ]
    const loop: Stmt = {
      kind: 'for',
      name: counter,
      from: 0,
      to: { kind: 'lit', type: t.i32, value: type.count },
      max: type.count,
      step: 1,
      unroll: false,
      body,
    }
    this.vars.push({ name, type, mutable: true })
    return [{ kind: 'decl', name, type, init: undefined }, loop]
  }

  short(): Stmt[] {
    return this.rand(2) === 0 ? [this.assignment()] : []
  }

  /** A struct by an initialiser list, which may end early. */
  initialiser(type: Type): Expr {
    return { kind: 'list', type, args: type.fields.slice(0, 1 + this.rand(type.count)).map(f => this.expr(f.type, 2)) }
  }

  /** A right side that changes variables, perhaps those of the left side, or an index that does. */
  effect(): Stmt | undefined {
    const counters = this.vars.filter(v => v.steps === true)
    const arrays = this.vars.filter(v => v.mutable && v.type.kind === 'array' && v.type.elem!.scalar === 'f32')
    const op = this.one(['=', '+=', '+=', '-=', '*='] as const)
    if (counters.length > 0 && arrays.length > 0 && this.rand(3) > 0) {
      const [array, counter] = [this.one(arrays), this.one(counters)]
      const step: Expr = { kind: 'step', type: t.i32, name: counter.name }
      const at: Expr = {
        kind: 'bin',
        type: t.i32,
        op: '%',
        x: step,
        y: { kind: 'lit', type: t.i32, value: array.type.count },
      }
      // Whether the right side sees the counter before or after is nobody's business.
      const saved = this.vars
      this.vars = saved.filter(v => v !== counter)
      const value = this.expr(array.type.elem!, 2)
      this.vars = saved
      return {
        kind: 'set',
        to: { kind: 'elem', type: array.type.elem!, of: { kind: 'var', type: array.type, name: array.name }, at },
        op,
        value,
      }
    }
    const funcs = this.callable.filter(
      f =>
        f.result.scalar === 'f32' && f.result.kind !== 'mat' && f.params.some(p => p.dir !== 'in') && this.canCall(f),
    )
    if (funcs.length === 0) return undefined
    const func = this.one(funcs)
    const call = this.callStmt(func)
    if (call?.kind !== 'call') return undefined
    const written = new Set(call.args.flatMap((a, i) => (func.params[i]!.dir === 'in' ? [] : [rootName(a)])))
    const own = this.vars.filter(v => v.mutable && written.has(v.name))
    let to: Place | undefined
    for (let tries = 0; tries < 6 && to?.type !== func.result; tries++)
      to = this.place(this.rand(3) > 0 && own.length > 0 ? own : undefined)
    if (to?.type !== func.result || isInFixed(to)) return undefined
    // An index that the call changes would be read before or after.
    let isOpen = false
    eachPart(to, e => {
      if (e.kind === 'elem')
        eachPart(e.at, part => {
          isOpen ||= part.kind === 'var' && written.has(part.name)
        })
    })
    if (isOpen) return undefined
    this.order = Math.max(this.order, func.order)
    const value: Expr = { kind: 'call', type: func.result, func, args: call.args }
    return {
      kind: 'set',
      to,
      op,
      value:
        this.rand(2) === 0
          ? value
          : { kind: 'bin', type: func.result, op: '*', x: this.literalOf(func.result), y: value },
    }
  }

  assignment(): Stmt {
    const effect = this.rand(6) === 0 ? this.effect() : undefined
    if (effect !== undefined) return effect
    let to = this.place()
    if (to.type.kind === 'vec' && this.rand(3) === 0) {
      const first = this.rand(to.type.count)
      const lanes = [first, (first + 1) % to.type.count]
      to = { kind: 'lanes', type: vectors[0]!, of: to, lanes }
    }
    const op = this.rand(3) > 0 ? '=' : this.one(['+=', '-=', '*='] as const)
    const arithmetic = to.type.scalar === 'f32'
    let value = this.expr(to.type, 3)
    // A derivative that gets lost has to be given up in words.
    if (isInFixed(to) && value.kind !== 'lit') value = { kind: 'held', type: to.type, how: 'detach', x: value }
    return { kind: 'set', to, op: arithmetic ? op : '=', value }
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
      let to: Expr =
        n !== undefined && this.rand(3) === 0
          ? { kind: 'var', type: t.i32, name: 'n' }
          : { kind: 'lit', type: t.i32, value: max }
      if (this.features.objects && this.rand(8) === 0)
        to = { kind: 'bin', type: t.i32, op: '%', x: this.integer(), y: { kind: 'lit', type: t.i32, value: 5 } }
      this.vars.push({ name, type: t.i32, mutable: false })
      const down = to.kind === 'lit' && this.rand(4) === 0
      const step = down ? -1 : 1 + this.rand(2)
      const unroll = to.kind === 'lit' && this.rand(4) === 0
      s = {
        kind: 'for',
        name,
        from: down ? max : this.rand(2),
        to: down ? ({ ...to, value: 0 } as Expr) : to,
        max: to.kind === 'lit' ? max : to.kind === 'var' ? mostTrips : 4,
        step,
        unroll,
        body: this.list(depth + 1),
      }
    } else {
      // The counter is stepped first, so that `continue` cannot loop for ever.
      this.vars.push({ name, type: t.i32, mutable: false })
      s = {
        kind: 'while',
        form: this.one(['while', 'do', 'break'] as const),
        name,
        max: 3,
        c: this.rand(2) === 0 ? this.condition() : undefined,
        body: this.list(depth + 1),
      }
    }
    this.loopDepth--
    ;[this.vars, this.canBreak, this.canContinue] = saved
    return s
  }

  switch(depth: number): Stmt {
    const saved = this.canBreak
    this.canBreak = this.features.objects
    const cases = Array.from({ length: 2 + this.rand(2) }, () => this.list(depth + 1))
    this.canBreak = saved
    const falls = cases.map(
      (list, k) =>
        this.features.objects &&
        k < cases.length - 1 &&
        this.rand(4) === 0 &&
        !['return', 'break', 'continue'].includes(list[list.length - 1]?.kind ?? ''),
    )
    return { kind: 'switch', x: this.integer(), cases, falls }
  }

  callStmt(func: FuncDecl = this.one(this.callable)): Stmt | undefined {
    if (!this.canCall(func)) return undefined
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
    const to: Place | undefined =
      targets.length > 0 && this.rand(3) > 0
        ? { kind: 'var', type: func.result, name: this.one(targets).name }
        : undefined
    this.order = Math.max(this.order, func.order)
    return { kind: 'call', to, func, args }
  }

  pull(): Stmt | undefined {
    const funcs = this.subjects()
    if (funcs.length === 0) return undefined
    const func = this.one(funcs)
    const to = func.params.flatMap((p, param) => {
      const place =
        p.type.scalar === 'f32' && paramDifferential(p) !== null ? this.placeOf(p.type, new Set()) : undefined
      return place === undefined ? [] : [{ param, place }]
    })
    if (to.length === 0) return undefined
    this.order = 1
    return {
      kind: 'pull',
      id: this.counter++,
      func,
      args: func.params.map(p => this.expr(p.type, 2)),
      ct: this.expr(func.result, 1),
      to,
    }
  }

  /** A mutable place: a variable or a part of one. */
  place(choices: readonly Var[] = this.vars.filter(x => x.mutable)): Place {
    const v = choices[Math.max(this.rand(choices.length), this.rand(choices.length))]!
    let e: Expr = { kind: 'var', type: v.type, name: v.name }
    while (e.type.kind !== 'scalar' && e.type.count > 0 && !isPair(e.type) && this.rand(3) > 0) e = this.inside(e)
    return e
  }

  /** A place of a type, in a variable that is not used yet. */
  placeOf(type: Type, used: ReadonlySet<string>): Place | undefined {
    for (let tries = 0; tries < 12; tries++) {
      const e = this.place()
      if (e.type === type && !used.has(rootName(e)) && !isInFixed(e)) return e
    }
    return undefined
  }
}

/** Whether the parts of a value cannot be set. */
function isPair(type: Type): boolean {
  return type.kind === 'struct' && type.name.startsWith('DifferentialPair')
}

function rootName(e: Place): string {
  return e.kind === 'var' ? e.name : e.kind === 'part' || e.kind === 'elem' || e.kind === 'lanes' ? rootName(e.of) : ''
}
