/** Generated programs straight to IR, without a front end: for the passes behind it, and to check the front end against. */
import { Builder, region } from '../../src/ir/build.ts'
import type { BareOp } from '../../src/ir/op.ts'
import { parseModule } from '../../src/ir/parse.ts'
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import { Func, inputs, type Inst, type Module, type Region, type Value } from '../../src/ir/value.ts'
import { paramDifferential, type Expr, type FuncDecl, type Place, type Program, type Stmt } from './program.ts'

/** What `libraryText` has. */
export const miniLibs: ReadonlySet<string> = new Set(['sin', 'cos', 'sqrt', 'exp', 'dot'])

const unary = (name: string, slope: string): string => `
func @${name}(x: f32) -> f32 [level backward, forward @d${name}, pure, computes ${name}, intrinsic js "Math.${name}"]
func @d${name}(%x: "Pair<f32>") -> "Pair<f32>" [level backward] {
  %p: f32 = extract 0 %x
  %d: f32 = extract 1 %x
  %v: f32 = call @${name} %p
${slope}
  %t: f32 = mul %d, %s
  %0: "Pair<f32>" = construct %v, %t
  ret %0
}`

const libraryText = `struct "Pair<f32>" { p: f32, d: f32 } diff "Pair<f32>" [0, 1]
${unary('sin', '  %s: f32 = call @cos %p')}
${unary('cos', '  %n: f32 = call @sin %p\n  %s: f32 = neg %n')}
${unary('exp', '  %s: f32 = call @exp %p')}
${unary('sqrt', '  %h: f32 = const 0.5\n  %s: f32 = div %h, %v')}
`

/** A program has what only the real front end knows. */
export class NotLowered extends Error {}

/** A stretch of code whose end has not been reached, or has. */
interface Loop {
  readonly loop: Inst
  readonly body: Inst
}

/** Lowers a program to IR in the surface dialect, with variables in memory. */
export function lowerMini(program: Program): { readonly module: Module; readonly main: Func } {
  const module = parseModule(libraryText)
  for (const f of module.funcs) f.info.library = true
  for (const s of program.structs) module.structs.push(...(s.diff!.type === s ? [s] : [s.diff!.type, s]))
  const known = new Map<FuncDecl, Func>()
  for (const decl of [...program.funcs, program.main]) {
    const params = decl.params.map(p => ({ ...p, noDiff: paramDifferential(p) === null }))
    const func = new Func(decl.name, { params, result: decl.result, resultNoDiff: decl.noDiffResult }, null)
    func.info.level = 'backward'
    func.info.prefer = decl.prefer
    known.set(decl, func)
    new Lowering(func, module, known).run(decl)
    module.funcs.push(func)
  }
  return { module, main: known.get(program.main)! }
}

class Lowering {
  readonly func: Func
  readonly module: Module
  readonly known: ReadonlyMap<FuncDecl, Func>
  readonly b: Builder
  vars = new Map<string, Value>()
  loops: Loop[] = []
  /** Parameters that are results. */
  outs: string[] = []

  constructor(func: Func, module: Module, known: ReadonlyMap<FuncDecl, Func>) {
    this.func = func
    this.module = module
    this.known = known
    func.body = region()
    this.b = new Builder(func, func.body)
  }

  run(decl: FuncDecl): void {
    const { b } = this
    const params = inputs(this.func.sig).map(p => b.param(p.type, p.name))
    for (const p of decl.params) {
      const v = b.variable(p.type, p.name)
      this.vars.set(p.name, v)
      if (p.dir !== 'in') this.outs.push(p.name)
    }
    inputs(this.func.sig).forEach((p, i) => b.store(this.vars.get(p.name)!, params[i]!))
    if (!this.list(decl.body)) throw new Error(`${decl.name} does not return`)
  }

  /** True where the end of the list cannot be reached. */
  list(list: readonly Stmt[]): boolean {
    const saved = this.vars
    this.vars = new Map(saved)
    let ended = false
    for (const s of list) {
      ended = this.stmt(s)
      if (ended) break
    }
    this.vars = saved
    return ended
  }

  nested(list: readonly Stmt[]): Region {
    const r = region()
    this.b.within(r, () => {
      if (!this.list(list)) this.b.emit('yield', [])
    })
    return r
  }

  stmt(s: Stmt): boolean {
    const { b } = this
    switch (s.kind) {
      case 'decl': {
        const init = s.init === undefined ? undefined : this.expr(s.init)
        const v = b.variable(s.type, s.name)
        if (init !== undefined) b.store(v, init)
        this.vars.set(s.name, v)
        return false
      }
      case 'set': {
        if (s.to.kind === 'lanes') {
          this.setLanes(s.to, s.op, s.value)
        } else if (s.op === '=') {
          const value = this.expr(s.value)
          b.store(this.place(s.to), value)
        } else {
          // The right side comes first: it may change what the left one reads.
          const value = this.expr(s.value)
          const p = this.place(s.to)
          b.store(p, b.emit1(s.op === '+=' ? 'add' : s.op === '-=' ? 'sub' : 'mul', [b.load(p), value]))
        }
        return false
      }
      case 'if':
        b.emit('if', [this.expr(s.c)], null, [], [this.nested(s.yes), this.nested(s.no)])
        return false
      case 'switch': {
        const selector = this.expr(s.x)
        const regions = s.cases.map(() => region())
        const inst = b.emit(
          'switch',
          [selector],
          s.cases.slice(1).flatMap((_, k) => [k, k]),
          [],
          regions,
        )
        this.loops.push({ loop: inst, body: this.loops[this.loops.length - 1]?.body ?? inst })
        s.cases.forEach((_, k) => {
          // What falls through is there twice.
          let end = k
          while (s.falls[end] === true) end++
          b.within(regions[k]!, () => {
            if (!this.list(s.cases.slice(k, end + 1).flat())) b.emit('yield', [])
          })
        })
        this.loops.pop()
        return false
      }
      case 'for':
        this.for(s)
        return false
      case 'while':
        this.while(s)
        return false
      case 'break':
        b.emit('leave', [], this.loops[this.loops.length - 1]!.loop)
        return true
      case 'continue':
        b.emit('leave', [], this.loops[this.loops.length - 1]!.body)
        return true
      case 'return': {
        const value = s.value === undefined ? [] : [this.expr(s.value)]
        b.emit('ret', [...value, ...this.outs.map(name => b.load(this.outer(name)))])
        return true
      }
      case 'call': {
        const results = this.call(s.func, s.args)
        if (s.to !== undefined) b.store(this.place(s.to), results[0]!)
        return false
      }
      case 'pull':
        throw new NotLowered('only the front end knows derivatives')
    }
  }

  setLanes(to: Expr & { kind: 'lanes' }, op: string, e: Expr): void {
    const { b } = this
    const given = this.expr(e)
    const p = this.place(to.of)
    const old = b.swizzle(b.load(p), to.lanes)
    const value = op === '=' ? given : b.emit1(op === '+=' ? 'add' : op === '-=' ? 'sub' : 'mul', [old, given])
    let whole = b.load(p)
    to.lanes.forEach((lane, i) => {
      whole = b.insert(whole, lane, b.extract(value, i))
    })
    b.store(p, whole)
  }

  outer(name: string): Value {
    const v = this.vars.get(name)
    if (v === undefined) throw new Error(`${name} is not declared`)
    return v
  }

  for(s: Stmt & { kind: 'for' }): void {
    const { b } = this
    const saved = this.vars
    this.vars = new Map(saved)
    const v = b.variable(t.i32, s.name)
    b.store(v, b.const(t.i32, s.from))
    this.vars.set(s.name, v)
    const bound = s.unroll ? 'unroll' : s.to.kind === 'lit' ? null : s.max
    this.loop(
      bound,
      () => b.emit1(s.step < 0 ? 'gt' : 'lt', [b.load(v), this.expr(s.to)]),
      s.body,
      () => {
        b.store(v, b.emit1('add', [b.load(v), b.const(t.i32, s.step)]))
      },
    )
    this.vars = saved
  }

  while(s: Stmt & { kind: 'while' }): void {
    const { b } = this
    const saved = this.vars
    this.vars = new Map(saved)
    const v = b.variable(t.i32, s.name)
    b.store(v, b.const(t.i32, 0))
    this.vars.set(s.name, v)
    const goesOn = (): Value => {
      const c = b.emit1('lt', [b.load(v), b.const(t.i32, s.max)])
      return s.c === undefined
        ? c
        : this.choose(
            c,
            () => this.expr(s.c!),
            () => b.const(t.bool, false),
            t.bool,
          )
    }
    const always = (): Value => b.const(t.bool, true)
    const leaveUnless = (loop: Inst): void => {
      const [out, on] = [region(), region()]
      b.emit('if', [goesOn()], null, [], [on, out])
      b.within(on, () => b.emit('yield', []))
      b.within(out, () => b.emit('leave', [], loop))
    }
    const step = (): void => b.store(v, b.emit1('add', [b.load(v), b.const(t.i32, 1)]))
    this.loop(
      s.max,
      s.form === 'while' ? goesOn : always,
      s.body,
      loop => {
        if (s.form === 'do') leaveUnless(loop)
      },
      loop => {
        if (s.form === 'break') leaveUnless(loop)
        step()
      },
    )
    this.vars = saved
  }

  loop(
    bound: number | 'unroll' | null,
    test: () => Value,
    body: readonly Stmt[],
    step: (loop: Inst) => void,
    first: (loop: Inst) => void = () => undefined,
  ): void {
    const { b } = this
    const [head, inner, wrapped] = [region(), region(), region()]
    const loop = b.emit('loop', [], bound, [], [head, inner])
    b.within(head, () => b.emit('test', [test()]))
    b.within(inner, () => {
      first(loop)
      const block = b.emit('block', [], null, [], [wrapped])
      this.loops.push({ loop, body: block })
      b.within(wrapped, () => {
        if (!this.list(body)) b.emit('yield', [])
      })
      this.loops.pop()
      step(loop)
      b.emit('next', [])
    })
  }

  choose(c: Value, x: () => Value, y: () => Value, type: Type): Value {
    const { b } = this
    const branch = (f: () => Value): Region => {
      const r = region()
      b.within(r, () => b.emit('yield', [f()]))
      return r
    }
    return b.emit('if', [c], null, [type], [branch(x), branch(y)]).results[0]!
  }

  place(e: Place): Value {
    const { b } = this
    if (e.kind === 'var') return this.outer(e.name)
    if (e.kind === 'elem') {
      const of = this.place(e.of)
      return b.elem(of, this.expr(e.at))
    }
    if (e.kind !== 'part') throw new Error('not a place')
    const of = this.place(e.of)
    return e.of.type.kind === 'struct' ? b.field(of, e.at) : b.elem(of, b.const(t.i32, e.at))
  }

  /** The results of a call; its outputs are stored. */
  call(decl: FuncDecl, args: readonly Expr[]): Value[] {
    const values: Value[] = []
    decl.params.forEach((p, i) => {
      if (p.dir !== 'out') values.push(this.expr(args[i]!))
    })
    const func = this.known.get(decl)
    if (func === undefined) throw new Error(`${decl.name} is not declared`)
    const results = this.b.call(func, values)
    let out = decl.result.kind === 'void' ? 0 : 1
    decl.params.forEach((p, i) => {
      if (p.dir !== 'in') this.b.store(this.place(args[i]!), results[out++]!)
    })
    return results
  }

  lib(name: string): Func {
    const func = this.module.funcs.find(f => f.name === name)
    if (func === undefined) throw new NotLowered(`${name} is not at hand`)
    return func
  }

  expr(e: Expr): Value {
    const { b } = this
    switch (e.kind) {
      case 'lit':
        return b.splatLike(b.const(t.scalars[e.type.scalar!], e.value), e.type)
      case 'var':
        return b.load(this.outer(e.name))
      case 'neg':
        return b.neg(this.expr(e.x))
      case 'lanes':
        return b.swizzle(this.expr(e.of), e.lanes)
      case 'float':
        return b.convert(this.expr(e.x), t.f32)
      case 'int':
        return b.convert(this.expr(e.x), t.i32)
      case 'cond':
        return this.choose(
          this.expr(e.c),
          () => this.expr(e.x),
          () => this.expr(e.y),
          e.type,
        )
      case 'make':
        return b.construct(
          e.type,
          e.args.map(a => this.expr(a)),
        )
      case 'part':
        return b.extract(this.expr(e.of), e.at)
      case 'elem': {
        if (e.of.type.kind !== 'array') return b.emit1('index', [this.expr(e.of), this.expr(e.at)])
        return b.load(this.place(e))
      }
      case 'call':
        return this.call(e.func, e.args)[0]!
      case 'held':
        return b.emit1('detach', [this.expr(e.x)])
      case 'step': {
        const next = b.add(b.load(this.outer(e.name)), b.const(t.i32, 1))
        b.store(this.outer(e.name), next)
        return next
      }
      case 'saturates':
        return b.emit1('lt', [this.expr(e.x), b.const(t.f32, 0.25)])
      case 'list':
        throw new NotLowered('only the front end knows what a list leaves out')
      case 'pushed':
        throw new NotLowered('only the front end knows derivatives')
      case 'up':
      case 'dynamic':
        throw new NotLowered('only the front end knows interfaces')
      case 'lambda': {
        const x = this.expr(e.x)
        const saved = this.vars
        const v = b.variable(t.f32, e.name)
        b.store(v, x)
        this.vars = new Map(saved).set(e.name, v)
        const value = this.expr(e.body)
        this.vars = saved
        return value
      }
      case 'lib': {
        const args = e.args.map(a => this.expr(a))
        if (e.type.kind !== 'scalar') throw new NotLowered(`${e.name} of vectors is not at hand`)
        return e.name === 'dot' ? b.emit1('dot', args) : b.call(this.lib(e.name), args)[0]!
      }
      case 'bin':
        return this.binary(e)
    }
  }

  binary(e: Expr & { kind: 'bin' }): Value {
    const { b } = this
    if (e.op === '&&')
      return this.choose(
        this.expr(e.x),
        () => this.expr(e.y),
        () => b.const(t.bool, false),
        t.bool,
      )
    if (e.op === '||')
      return this.choose(
        this.expr(e.x),
        () => b.const(t.bool, true),
        () => this.expr(e.y),
        t.bool,
      )
    return b.emit1(binaries[e.op]!, [this.expr(e.x), this.expr(e.y)])
  }
}

const binaries: Readonly<Record<string, BareOp>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'rem',
  '<': 'lt',
  '>': 'gt',
  '<=': 'le',
  '>=': 'ge',
  '==': 'eq',
}
