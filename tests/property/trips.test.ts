/** What is known of the trips of a loop, and of the integers in it, holds of what the interpreter computes. */
import { expect, it } from 'vitest'
import { Stopped, run } from '../../src/ir/run.ts'
import type { Type } from '../../src/ir/type.ts'
import type { Func, Inst, Region, Value } from '../../src/ir/value.ts'
import { walk } from '../../src/ir/walk.ts'
import { tripBound, type TripBound } from '../../src/opt/loops.ts'
import { anyOf } from '../../src/opt/range.ts'
import { Ranges } from '../../src/opt/ranges.ts'
import { random } from '../support/generate-ir.ts'
import { soundModule } from '../support/ir-run.ts'
import { setting } from '../support/setting.ts'

const types = ['i32', 'u32', 'i16', 'u8'] as const
type Integer = (typeof types)[number]

/** Numbers next to each other, and next to where a type wraps around. */
const numbers: Readonly<Record<Integer, readonly number[]>> = {
  i32: [0, 1, 2, 3, 5, 8, -1, -3, -6, 2147483645, 2147483647, -2147483648],
  u32: [0, 1, 2, 3, 5, 8, 12, 4294967291, 4294967295],
  i16: [0, 1, 2, 3, 5, 8, -1, -3, 32765, 32767, -32768],
  u8: [0, 1, 2, 3, 5, 8, 251, 254, 255],
}
const comparisons = ['lt', 'le', 'gt', 'ge', 'ne', 'eq'] as const

/**
 * A function of one or two loops in each other. Each has a counter `i` and a second state `j`, and counts its trips. Conditions,
 * steps, limits and exits are random; half of the programs step by constants, so that something is known of most of them.
 */
function program(rand: (n: number) => number): { readonly text: string; readonly params: readonly Integer[] } {
  const pick = <T>(list: readonly T[]): T => list[rand(list.length)]!
  const type = pick(types)
  let names = 0
  const fresh = (): string => `%v${names++}`

  /** Code that leaves values in `known`: what may be used there. */
  class Code {
    readonly lines: string[] = []
    readonly known: string[]
    constructor(known: readonly string[]) {
      this.known = [...known]
    }
    add(of: string, text: string): string {
      const name = fresh()
      this.lines.push(`${name}: ${of} = ${text}`)
      return name
    }
    constant(): string {
      return this.add(type, `const ${pick(numbers[type])}`)
    }
    some(): string {
      return rand(2) === 0 ? this.constant() : pick(this.known)
    }
    /** A number near a counter, or any other. */
    near(): string {
      switch (rand(6)) {
        case 0:
          return this.add(type, `${pick(['add', 'sub', 'and'])} ${pick(this.known)}, ${this.constant()}`)
        case 1:
          return this.add(type, `add ${this.constant()}, ${pick(this.known)}`)
        default:
          return pick(this.known)
      }
    }
    comparison(counter: string): string {
      const x = [counter, counter, this.near(), this.add(type, `add ${counter}, ${this.constant()}`)][rand(4)]!
      const y = this.some()
      return this.add('bool', `${pick(comparisons)} ${rand(3) === 0 ? `${y}, ${x}` : `${x}, ${y}`}`)
    }
    condition(counter: string, depth = 2): string {
      const kind = depth === 0 ? 9 : rand(8)
      if (kind === 0) return this.add('bool', `not ${this.condition(counter, depth - 1)}`)
      if (kind <= 2)
        return this.add(
          'bool',
          `${kind === 1 ? 'and' : 'or'} ${this.condition(counter, depth - 1)}, ${this.condition(counter, depth - 1)}`,
        )
      return this.comparison(counter)
    }
  }

  const loop = (around: Code, depth: number): void => {
    const [i, j, n, label] = [fresh(), fresh(), fresh(), `^l${names}`]
    const zero = around.add('i32', 'const 0')
    const starts = [around.some(), around.some()]
    const head = new Code([i, j, ...around.known])
    const test = head.condition(i)
    const last = head.near()
    const body = new Code(head.known)
    const exit = (): void => {
      const c = body.condition(i, 1)
      const value = body.near()
      const leave = `leave ${label} ${value}, ${n}`
      body.lines.push(rand(2) === 0 ? `if ${c} { ${leave} } { yield }` : `if ${c} { yield } { ${leave} }`)
    }
    if (rand(4) === 0) exit()
    const one = body.add('i32', 'const 1')
    const trip = body.add('i32', `add ${n}, ${one}`)
    if (depth > 0 && rand(2) === 0) loop(body, depth - 1)
    if (rand(4) === 0) exit()
    const step = rand(5) === 0 ? body.near() : body.add(type, `const ${pick([1, 1, 2, 3, 7, ...numbers[type]])}`)
    let next = body.add(type, `${pick(['add', 'add', 'sub'])} ${i}, ${step}`)
    if (rand(6) === 0) next = body.add(type, `select ${body.condition(i, 1)}, ${next}, ${i}`)
    const other = pick([j, i, body.near(), body.add(type, `${pick(['add', 'sub'])} ${j}, ${body.constant()}`)])
    const [left, trips] = [fresh(), fresh()]
    around.lines
      .push(`${left}: ${type}, ${trips}: i32 = loop ${label} ${starts.join(', ')}, ${zero} (${i}: ${type}, ${j}: ${type}, ${n}: i32) {
  ${head.lines.join('\n  ')}
  test ${test}, ${last}, ${n}
} {
  ${body.lines.join('\n  ')}
  next ${next}, ${other}, ${trip}
}`)
    // The interpreter shows operands of plain instructions.
    around.add('i32', `add ${trips}, ${zero}`)
    around.known.push(left)
    around.add(type, `add ${left}, ${around.constant()}`)
  }

  const outer = new Code(['%a', '%b'])
  loop(outer, 1)
  return {
    text: `func @f(%a: ${type}, %b: ${type}) -> ${type} {\n${outer.lines.join('\n')}\nret ${outer.known.at(-1)}\n}`,
    params: [type, type],
  }
}

/** For each instruction: the loops that it is in the bodies of. */
function bodiesOf(func: Func): ReadonlyMap<Inst, ReadonlySet<Inst>> {
  const found = new Map<Inst, ReadonlySet<Inst>>()
  const visit = (region: Region, around: ReadonlySet<Inst>): void => {
    for (const inst of [...region.insts, region.end]) {
      found.set(inst, around)
      inst.regions.forEach((r, at) => {
        visit(r, inst.op === 'loop' && at === 1 ? new Set([...around, inst]) : around)
      })
    }
  }
  visit(func.body!, new Set())
  return found
}

const integer = ({ scalar }: Type): boolean => scalar !== undefined && scalar !== 'bool'

it('bounds on trips and on integers hold in loops', () => {
  const rand = random(setting('SEED', 11))
  let [exact, bounded, known] = [0, 0, 0]
  for (let k = 0; k < setting('SEEDS', 1000); k++) {
    const { text, params } = program(rand)
    const func = soundModule(text).funcs.at(-1)!
    const bodies = bodiesOf(func)
    const ranges = new Ranges(func)
    const loops: Inst<'loop'>[] = []
    walk(func.body!, inst => {
      if (inst.op === 'loop') loops.push(inst)
    })
    /** By the count of trips, in a loop and after it: how many trips the loop makes at most, or exactly. */
    const inside = new Map<Value, TripBound>()
    const after = new Map<Value, TripBound>()
    walk(func.body!, inst => {
      const bound = inst.op === 'loop' ? tripBound(inst) : undefined
      if (bound === undefined) return
      bounded++
      if (bound.exact !== undefined) exact++
      inside.set(inst.regions[0]!.params[2]!, bound)
      after.set(inst.results[1]!, bound)
    })
    const seen = new Set<Inst>()
    for (let times = 0; times < 6; times++) {
      const args = params.map(type => numbers[type][rand(numbers[type].length)]!)
      const check = (inst: Inst, what: Value, number: unknown): void => {
        const fail = (message: string): never => expect.fail(`${text}\nof ${args.join(', ')}\n${message}`)
        if (!integer(what.type)) return
        const { lo, hi } = ranges.of(what, loop => bodies.get(inst)!.has(loop))
        if (!seen.has(inst) && (lo > anyOf(what.type).lo || hi < Infinity)) known++
        if (!(lo <= Number(number) && Number(number) <= hi))
          fail(`a value of ${inst.op} is ${String(number)}, not in [${lo}, ${hi}]`)
        const most = inside.get(what)?.max
        if (most !== undefined && bodies.get(inst)!.size > 0 && Number(number) >= most)
          fail(`trip ${String(number)}, counted from 0, of ${most} trips`)
        const bound = after.get(what)
        if (bound !== undefined && (bound.exact ?? number) !== number)
          fail(`${String(number)} trips, not ${bound.exact}`)
      }
      const watch = (inst: Inst, value: unknown, operands: readonly unknown[]): void => {
        if (inst.results.length === 1) check(inst, inst.results[0]!, value)
        inst.args.forEach((arg, i) => {
          check(inst, arg, operands[i])
        })
        seen.add(inst)
      }
      try {
        run(func, args, { steps: 3000, watch })
      } catch (error) {
        if (!(error instanceof Stopped)) throw error
      }
    }
  }
  expect(exact).toBeGreaterThan(40)
  expect(bounded).toBeGreaterThan(130)
  expect(known).toBeGreaterThan(700)
})
