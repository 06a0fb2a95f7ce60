import { Builder, region } from '../../src/ir/build.ts'
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import { Func, Module, type Region, type Value } from '../../src/ir/value.ts'
import { random } from './generate-ir.ts'

const list = t.array(t.f32, 6)

/**
 * A random program `main(f32) -> f32` whose values are mostly arrays and structs with arrays: loaded, stored, handed to calls
 * and got from them, chosen, changed, carried by loops and yielded. Where each lives in memory must not matter.
 */
export function generateArrays(seed: number, size = 24): { readonly module: Module; readonly main: Func } {
  const rand = random(seed + 7)
  const module = new Module()
  const pair = t.struct('Pair', [
    { name: 'a', type: list },
    { name: 'k', type: t.f32 },
  ])
  module.structs.push(pair)
  const shapes: readonly (readonly [Type[], Type])[] = [
    [[list], list],
    [[pair, list], pair],
    [[t.f32], t.f32],
  ]
  shapes.forEach(([params, result], n) => {
    const main = n === shapes.length - 1
    const second = n === 1
    const sig = {
      params: [
        ...params.map((type, i) => ({ name: `p${i}`, type, dir: 'in' as const, noDiff: true })),
        ...(second ? [{ name: 'extra', type: list, dir: 'out' as const, noDiff: true }] : []),
      ],
      result,
      resultNoDiff: true,
    }
    const func = new Func(main ? 'main' : `helper${n}`, sig, null)
    func.body = region()
    const helpers = [...module.funcs]
    module.funcs.push(func)
    new ArrayProgram(func, helpers, rand, pair).body(main ? size : 8)
  })
  return { module, main: module.funcs[2]! }
}

class ArrayProgram {
  readonly #b: Builder
  readonly #helpers: readonly Func[]
  readonly #rand: (below: number) => number
  readonly #pair: Type
  #values: Value[] = []
  #vars: Value[] = []

  constructor(func: Func, helpers: readonly Func[], rand: (below: number) => number, pair: Type) {
    this.#b = new Builder(func, func.body!)
    this.#helpers = helpers
    this.#rand = rand
    this.#pair = pair
    for (const [i, p] of func.sig.params.filter(q => q.dir === 'in').entries())
      this.#values.push(this.#b.param(p.type, `p${i}`))
  }

  body(size: number): void {
    for (const type of [list, this.#pair, list]) {
      const v = this.#b.variable(type, 'v')
      if (this.#rand(2) === 0) this.#b.store(v, this.#value(type))
      this.#vars.push(v)
    }
    for (let i = 0; i < size; i++) this.#step(3)
    this.#b.emit(
      'ret',
      this.#b.func.results.map(type => (type === t.f32 ? this.#sum() : this.#value(type))),
    )
  }

  #sum(): Value {
    const parts = [...this.#vars.map(v => this.#b.load(v)), this.#value(list)].flatMap(v => {
      const array = v.type === list ? v : this.#b.extract(v, 0)
      return Array.from({ length: 6 }, (_, i) => this.#b.extract(array, i))
    })
    return parts.reduce((x, y) => this.#mean(x, y))
  }

  #mean(x: Value, y: Value): Value {
    const half = this.#b.const(t.f32, 0.5)
    return this.#b.add(this.#b.mul(x, half), this.#b.mul(y, half))
  }

  #value(type: Type): Value {
    const fit = this.#values.filter(v => v.type === type)
    if (fit.length > 0 && this.#rand(6) > 0) return fit[fit.length - 1 - this.#rand(Math.min(fit.length, 5))]!
    if (type === t.f32) return this.#b.const(t.f32, this.#rand(16) - 8)
    if (this.#rand(3) === 0) return this.#b.zero(type)
    return type === list
      ? this.#b.construct(
          list,
          Array.from({ length: 6 }, () => this.#value(t.f32)),
        )
      : this.#b.construct(type, [this.#value(list), this.#value(t.f32)])
  }

  #index(): Value {
    const i = this.#values.filter(v => v.type === t.i32)
    return i.length > 0 && this.#rand(2) === 0 ? i[this.#rand(i.length)]! : this.#b.const(t.i32, this.#rand(6))
  }

  #listPointer(): Value {
    const v = this.#vars[this.#rand(this.#vars.length)]!
    return v.type.elem === list ? v : this.#b.field(v, 0)
  }

  #cond(): Value {
    return this.#b.emit1('lt', [this.#value(t.f32), this.#value(t.f32)])
  }

  #step(depth: number): void {
    const b = this.#b
    const type = this.#rand(3) === 0 ? this.#pair : list
    const add = (v: Value): void => {
      this.#values.push(v)
    }
    switch (this.#rand(depth > 0 ? 15 : 11)) {
      case 0:
        add(this.#mean(this.#value(t.f32), this.#value(t.f32)))
        return
      case 1:
        add(b.extract(this.#value(list), this.#rand(6)))
        return
      case 2:
        add(b.extract(this.#value(this.#pair), this.#rand(2)))
        return
      case 3:
        add(b.insert(this.#value(list), this.#rand(6), this.#value(t.f32)))
        return
      case 4:
        add(b.insert(this.#value(this.#pair), 0, this.#value(list)))
        return
      case 5:
        add(b.select(this.#cond(), this.#value(type), this.#value(type)))
        return
      case 6:
        add(b.load(this.#listPointer()))
        return
      case 7:
        add(b.load(this.#vars[this.#rand(this.#vars.length)]!))
        return
      case 8:
        b.store(this.#listPointer(), this.#value(list))
        return
      case 9:
        b.store(b.elem(this.#listPointer(), this.#index()), this.#value(t.f32))
        return
      case 10:
        add(b.load(b.elem(this.#listPointer(), this.#index())))
        return
      case 11:
      case 12: {
        if (this.#helpers.length === 0) return
        const callee = this.#helpers[this.#rand(this.#helpers.length)]!
        const results = b.call(
          callee,
          callee.body!.params.map(p => this.#value(p.type)),
        )
        for (const r of results) {
          add(r)
          const fit = this.#vars.filter(v => v.type.elem === r.type)
          if (this.#rand(2) === 0 && fit.length > 0) b.store(fit[this.#rand(fit.length)]!, r)
        }
        return
      }
      case 13: {
        const regions = [region(), region()]
        const inst = b.emit('if', [this.#cond()], null, [type, t.f32], regions)
        for (const r of regions) this.#inside(r, depth, () => b.emit('yield', [this.#value(type), this.#value(t.f32)]))
        inst.results.forEach(add)
        return
      }
      default:
        this.#loop(type, depth)
    }
  }

  #loop(type: Type, depth: number): void {
    const b = this.#b
    const [head, body] = [region(), region()]
    const first = [this.#value(type), this.#value(type)]
    const inst = b.emit('loop', [...first, b.const(t.i32, 0)], null, [type, type], [head, body])
    const [x, y, i] = [b.param(type, 'x', head), b.param(type, 'y', head), b.param(t.i32, 'i', head)]
    b.within(head, () => b.emit('test', [b.emit1('lt', [i, b.const(t.i32, 1 + this.#rand(4))]), x, y]))
    this.#inside(
      body,
      depth,
      () => {
        const swapped = this.#rand(2) === 0
        const next = b.add(i, b.const(t.i32, 1))
        b.emit('next', swapped ? [y, x, next] : [this.#value(type), this.#rand(2) === 0 ? x : this.#value(type), next])
      },
      [x, y, i],
    )
    inst.results.forEach(v => this.#values.push(v))
  }

  #inside(r: Region, depth: number, end: () => unknown, more: readonly Value[] = []): void {
    const [values, vars] = [this.#values, this.#vars]
    this.#values = [...values, ...more]
    this.#vars = [...vars]
    this.#b.within(r, () => {
      if (this.#rand(2) === 0) {
        const v = this.#b.variable(list, 'w')
        if (this.#rand(2) === 0) this.#b.store(v, this.#value(list))
        this.#vars.push(v)
      }
      for (let k = this.#rand(6); k >= 0; k--) this.#step(depth - 1)
      end()
    })
    this.#values = values
    this.#vars = vars
  }
}
