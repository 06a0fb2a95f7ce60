import { Builder, region } from '../../src/ir/build.ts'
import type { OpName } from '../../src/ir/op.ts'
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import { Func, Global, Module, type Inst, type ParamSig, type Region, type Value } from '../../src/ir/value.ts'

/** A program with a function `main(i32, f32) -> (i32, f32)`, helpers, a writable buffer `buf` and a uniform `u`. */
export interface Generated {
  readonly module: Module
  readonly main: Func
}

/** A repeatable source of random numbers. */
export function random(seed: number): (below: number) => number {
  let state = (seed * 2654435761 + 12345) >>> 0
  return below => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
}

/** Makes a random structured program: nested control with exits from anywhere, variables, arrays, buffers and calls. */
export function generate(seed: number, size = 40): Generated {
  const rand = random(seed + 1)
  const module = new Module()
  const vec = t.vec(t.f32, 3)
  const arr = t.array(t.f32, 4)
  const item = t.struct('Item', [
    { name: 'a', type: t.f32 },
    { name: 'n', type: t.i32 },
  ])
  const items = t.array(item, 4)
  const rec = t.struct('Rec', [
    { name: 'x', type: t.f32 },
    { name: 'v', type: vec },
    { name: 'k', type: t.i32 },
    { name: 't', type: arr },
    { name: 'item', type: item },
  ])
  module.structs.push(item, rec)
  const buf = new Global('buf', t.array(t.f32, 0), 'storage_rw', 'structured', undefined, undefined, null)
  const uni = new Global('u', t.f32, 'uniform', 'uniform', undefined, undefined, null)
  const pri = new Global('p', rec, 'private', 'none', undefined, undefined, null)
  module.globals.push(buf, uni, pri)
  const types = [t.i32, t.f32, t.bool, vec, arr, rec, item, items, t.mat(t.f32, 2, 2)]
  const param = (name: string, type: Type) => ({ name, type, dir: 'in' as const, noDiff: false })
  for (let n = 0; n < 3; n++) {
    const last = n === 2
    const params: ParamSig[] = [param('i', t.i32), param('x', t.f32), { ...param('w', t.f32), dir: 'out' }]
    if (n === 0) params.push({ ...param('a', arr), dir: 'inout' })
    const sig = { params, result: t.i32, resultNoDiff: false }
    const func = new Func(last ? 'main' : `helper${n}`, sig, null)
    if (last) func.info.exported = 'main'
    func.info.forceInline = rand(3) === 0 && !last
    func.body = region()
    const helpers = [...module.funcs]
    module.funcs.push(func)
    new Generator(func, helpers, rand, types, [buf, uni, pri]).body(last ? size : 12)
  }
  return { module, main: module.funcs[2]! }
}

interface Scope {
  readonly values: Value[]
  readonly vars: Value[]
  /** Control instructions that a `leave` may name here. */
  readonly targets: Inst[]
}

class Generator {
  readonly b: Builder
  readonly func: Func
  readonly helpers: readonly Func[]
  readonly rand: (below: number) => number
  readonly types: readonly Type[]
  readonly globals: readonly Global[]
  left = 0

  constructor(
    func: Func,
    helpers: readonly Func[],
    rand: (below: number) => number,
    types: readonly Type[],
    globals: readonly Global[],
  ) {
    this.b = new Builder(func, func.body!)
    this.func = func
    this.helpers = helpers
    this.rand = rand
    this.types = types
    this.globals = globals
  }

  body(size: number): void {
    this.left = size
    const scope: Scope = { values: [this.b.param(t.i32, 'i'), this.b.param(t.f32, 'x')], vars: [], targets: [] }
    if (this.func.results.length > 2) this.copyIn(scope)
    while (this.left > 0) if (!this.statement(scope, 0)) return
    this.ret(scope)
  }

  ret(scope: Scope): void {
    this.b.emit(
      'ret',
      this.func.results.map(type => (type.kind === 'array' ? this.b.load(scope.vars[0]!) : this.value(scope, type))),
    )
  }

  /** Puts the array parameter into a variable. */
  copyIn(scope: Scope): void {
    const v = this.b.variable(this.types[4]!, 'a')
    this.b.store(v, this.b.param(this.types[4]!, 'a'))
    scope.vars.push(v)
  }

  /** Calls a helper; one that takes an array works on a variable. */
  call(scope: Scope): void {
    const { b, rand } = this
    const helper = this.helpers[rand(this.helpers.length)]!
    const args = [this.simple(scope, t.i32), this.simple(scope, t.f32)]
    if (helper.results.length === 2) {
      scope.values.push(...b.call(helper, args))
      return
    }
    let v = scope.vars.find(known => known.type.elem === this.types[4])
    if (v === undefined) {
      v = b.variable(this.types[4]!, 'w')
      b.store(v, this.value(scope, this.types[4]!))
      scope.vars.push(v)
    }
    const [n, x, array] = b.call(helper, [...args, b.load(v)])
    scope.values.push(n!, x!)
    b.store(v, array!)
  }

  /** A value of the type: one at hand, or a new one. */
  value(scope: Scope, type: Type): Value {
    const { b, rand } = this
    const known = scope.values.filter(v => v.type === type)
    const some = (): Value => known[rand(known.length)]!
    if (known.length > 0 && rand(4) > 0) return some()
    const vars = scope.vars.filter(v => v.type.elem === type)
    if (vars.length > 0 && rand(3) > 0) return b.load(vars[rand(vars.length)]!)
    switch (type.kind) {
      case 'scalar':
        return this.scalar(scope, type)
      case 'vec':
        if (rand(3) === 0) return b.splat(this.value(scope, t.f32), type)
        if (rand(3) === 0 && known.length > 0)
          return b.swizzle(
            some(),
            Array.from({ length: type.count }, () => rand(type.count)),
          )
        if (rand(3) === 0 && known.length > 0) return b.insert(some(), rand(type.count), this.value(scope, t.f32))
        if (rand(2) === 0 && known.length > 1) return b.emit1(rand(2) === 0 ? 'add' : 'mul', [known[0]!, some()])
        break
      default:
        if (rand(3) === 0) return b.zero(type)
        if (rand(4) === 0 && known.length > 0) return b.emit1('select', [this.value(scope, t.bool), known[0]!, some()])
        if (type.kind === 'array' && type.elem === t.f32 && rand(2) === 0) {
          return b.emit1('add', [this.value(scope, type), this.value(scope, type)])
        }
    }
    const parts: Value[] = []
    for (let i = 0; i < type.count; i++) parts.push(this.value(scope, t.component(type, i)))
    return b.emit1('construct', parts, null, type)
  }

  scalar(scope: Scope, type: Type): Value {
    const { b, rand } = this
    const vectors = scope.values.filter(v => v.type === this.types[3])
    if (type === t.bool) {
      const of = rand(2) === 0 ? t.i32 : t.f32
      const op = (['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as const)[rand(6)]!
      if (rand(5) === 0) return b.const(t.bool, rand(2) === 0)
      const c = b.emit1(op, [this.simple(scope, of), this.simple(scope, of)])
      if (rand(5) === 0) return b.emit1('not', [c])
      return rand(6) === 0 ? b.emit1(rand(2) === 0 ? 'and' : 'or', [c, this.value(scope, t.bool)]) : c
    }
    if (rand(3) === 0) return this.constant(type)
    if (type === t.f32) {
      if (vectors.length > 0 && rand(3) === 0) return b.emit1('extract', [vectors[rand(vectors.length)]!], rand(3))
      if (rand(6) === 0) return b.load(b.emit1('global', [], this.globals[1]!))
      if (rand(6) === 0) return b.load(b.elem(b.emit1('global', [], this.globals[0]!), this.index(scope)))
      if (rand(6) === 0) return b.convert(this.simple(scope, t.i32), t.f32)
      if (rand(6) === 0) return b.neg(this.simple(scope, t.f32))
      if (rand(8) === 0)
        return b.emit1('select', [this.value(scope, t.bool), this.simple(scope, t.f32), this.simple(scope, t.f32)])
      return b.emit1((['add', 'sub', 'mul', 'div'] as const)[rand(4)]!, [
        this.simple(scope, t.f32),
        this.simple(scope, t.f32),
      ])
    }
    if (rand(6) === 0)
      return b.emit1(rand(2) === 0 ? 'div' : 'rem', [this.simple(scope, t.i32), b.const(t.i32, 1 + rand(4))])
    if (rand(8) === 0) return b.convert(this.value(scope, t.bool), t.i32)
    if (rand(8) === 0) return b.neg(this.simple(scope, t.i32))
    const op = (['add', 'sub', 'mul', 'and', 'or', 'xor', 'shl', 'shr'] as const)[rand(8)]!
    return b.emit1(op, [this.simple(scope, t.i32), this.simple(scope, t.i32)])
  }

  constant(type: Type): Value {
    const { b, rand } = this
    return type === t.f32
      ? b.const(t.f32, [0, 1, -1, 0.5, 2, -0, 3.25][rand(7)]!)
      : b.const(t.i32, [0, 1, 2, 3, -1, 7][rand(6)]!)
  }

  simple(scope: Scope, type: Type): Value {
    const known = scope.values.filter(v => v.type === type)
    if (known.length > 0 && this.rand(5) > 0) return known[this.rand(known.length)]!
    return this.rand(3) === 0 ? this.constant(type) : this.value(scope, type)
  }

  /** An index from 0 to 3. */
  index(scope: Scope): Value {
    const { b } = this
    if (this.rand(2) === 0) return b.const(t.i32, this.rand(4))
    return b.emit1('and', [this.simple(scope, t.i32), b.const(t.i32, 3)])
  }

  /** Follows a pointer to a random part. */
  part(scope: Scope, pointer: Value): Value {
    const { b, rand } = this
    let at = pointer
    for (;;) {
      const type = at.type.elem!
      if (type.kind === 'scalar' || (rand(5) === 0 && type.count > 0)) return at
      if (type.kind === 'struct') at = b.field(at, rand(type.count))
      else
        at = b.elem(
          at,
          type.kind === 'vec' || type.kind === 'mat' ? b.const(t.i32, rand(type.count)) : this.index(scope),
        )
    }
  }

  /** Appends a statement; false where it ends the region. */
  statement(scope: Scope, depth: number): boolean {
    const { b, rand } = this
    this.left--
    switch (rand(depth > 5 ? 9 : 16)) {
      case 0:
      case 1: {
        const type = this.types[rand(this.types.length)]!
        const v = b.variable(type, 'v')
        b.store(v, rand(3) === 0 ? b.zero(type) : this.value(scope, type))
        scope.vars.push(v)
        return true
      }
      case 2:
      case 3:
      case 4: {
        if (scope.vars.length === 0) return true
        const pointer = this.part(scope, scope.vars[rand(scope.vars.length)]!)
        b.store(pointer, this.value(scope, pointer.type.elem!))
        return true
      }
      case 5: {
        if (scope.vars.length === 0) return true
        scope.values.push(b.load(this.part(scope, scope.vars[rand(scope.vars.length)]!)))
        return true
      }
      case 6: {
        const root = b.emit1('global', [], rand(2) === 0 ? this.globals[0]! : this.globals[2]!)
        const pointer = this.part(scope, root)
        if (rand(2) === 0) b.store(pointer, this.value(scope, pointer.type.elem!))
        else scope.values.push(b.load(pointer))
        return true
      }
      case 7:
        scope.values.push(this.value(scope, this.types[rand(this.types.length)]!))
        return true
      case 8: {
        if (this.helpers.length > 0 && rand(2) === 0) {
          this.call(scope)
          return true
        }
        if (depth === 0 || rand(2) === 0) return true
        if (rand(3) === 0) this.ret(scope)
        else this.leave(scope)
        return false
      }
      case 9:
      case 10:
      case 11:
        this.branch(scope, depth)
        return true
      case 12:
      case 13:
        this.loop(scope, depth)
        return true
      case 14:
        this.block(scope, depth)
        return true
      default:
        this.switch(scope, depth)
        return true
    }
  }

  leave(scope: Scope): void {
    const target = scope.targets[this.rand(scope.targets.length)]!
    this.b.emit(
      'leave',
      target.results.map(r => this.value(scope, r.type)),
      target,
    )
  }

  /** Fills a region with statements and lets `end` finish it. */
  fill(r: Region, scope: Scope, targets: readonly Inst[], depth: number, end: (inner: Scope) => void): void {
    const inner: Scope = { values: [...scope.values], vars: [...scope.vars], targets: [...targets] }
    this.b.within(r, () => {
      const count = this.rand(4)
      for (let i = 0; i < count; i++) if (!this.statement(inner, depth + 1)) return
      end(inner)
    })
  }

  /** A control instruction with the given regions; results are of random scalar types. */
  control(op: OpName, args: Value[], count: number, attr: Inst['attr'] = null): Inst {
    const regions: Region[] = []
    for (let i = 0; i < count; i++) regions.push(region())
    const types = [t.i32, t.f32, this.types[3]!].filter(() => this.rand(3) === 0)
    return this.b.emit(op, args, attr, types, regions)
  }

  yields(inst: Inst): (inner: Scope) => void {
    return inner => {
      this.b.emit(
        'yield',
        inst.results.map(r => this.value(inner, r.type)),
      )
    }
  }

  branch(scope: Scope, depth: number): void {
    const inst = this.control('if', [this.value(scope, t.bool)], 2)
    for (const r of inst.regions) this.fill(r, scope, [...scope.targets, inst], depth, this.yields(inst))
    scope.values.push(...inst.results)
  }

  switch(scope: Scope, depth: number): void {
    const selector = this.index(scope)
    const inst = this.control('switch', [selector], 3, [0, 0, 2, 1, 3, 1])
    for (const r of inst.regions) this.fill(r, scope, [...scope.targets, inst], depth, this.yields(inst))
    scope.values.push(...inst.results)
  }

  block(scope: Scope, depth: number): void {
    const inst = this.control('block', [], 1)
    this.fill(inst.regions[0]!, scope, [...scope.targets, inst], depth, this.yields(inst))
    scope.values.push(...inst.results)
  }

  loop(scope: Scope, depth: number): void {
    const { b, rand } = this
    const trips = rand(5)
    const carried = rand(2) === 0 ? [t.f32] : [t.i32, this.types[3]!]
    const start = b.const(t.i32, 0)
    const inits = [start, ...carried.map(type => this.value(scope, type))]
    const inst = this.control('loop', inits, 2, rand(4) === 0 ? 'unroll' : null)
    const [head, body] = [inst.regions[0]!, inst.regions[1]!]
    const params = inits.map((v, k) => b.param(v.type, k === 0 ? 'k' : '', head))
    const seen: Scope = { values: [...scope.values, ...params], vars: [...scope.vars], targets: [] }
    b.within(head, () => {
      if (rand(4) === 0 && scope.vars.length > 0) this.simple(seen, t.f32)
      const more = b.emit1('lt', [params[0]!, b.const(t.i32, trips)])
      b.emit('test', [more, ...inst.results.map(r => this.value(seen, r.type))])
    })
    this.fill(body, seen, [...scope.targets, inst], depth, inner => {
      const step = b.add(params[0]!, b.const(t.i32, 1))
      b.emit('next', [step, ...carried.map((type, k) => (rand(5) === 0 ? params[k + 1]! : this.value(inner, type)))])
    })
    scope.values.push(...inst.results)
  }
}
