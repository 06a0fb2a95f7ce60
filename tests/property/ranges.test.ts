/** What is known of the range of an integer holds of what the interpreter computes. */
import { expect, it } from 'vitest'
import { run } from '../../src/ir/run.ts'
import { Ranges } from '../../src/opt/ranges.ts'
import { random } from '../support/generate-ir.ts'
import { soundModule } from '../support/ir-run.ts'
import { setting } from '../support/setting.ts'

const types = ['i32', 'u32', 'i16', 'u8', 'i64', 'u64'] as const
type Type = (typeof types)[number]
const isBig = (type: Type): boolean => type === 'i64' || type === 'u64'

/** Numbers next to where something changes. */
const edges: Readonly<Record<Type, readonly number[]>> = {
  i32: [0, 1, -1, 7, -8, 100, 2147483647, -2147483648],
  u32: [0, 1, 7, 100, 2147483648, 4294967295],
  i16: [0, 1, -1, 7, 17, 32767, -32768],
  u8: [0, 1, 7, 9, 17, 255],
  i64: [0, 1, -1, 7, 4294967296, -4294967297],
  u64: [0, 1, 7, 4294967296],
}

/** A function of a few integers, a line an instruction. */
function program(rand: (n: number) => number): { readonly text: string; readonly params: readonly Type[] } {
  const pick = <T>(list: readonly T[]): T => list[rand(list.length)]!
  const params = [pick(types), pick(types)]
  const values: { readonly name: string; readonly type: Type }[] = params.map((type, i) => ({ name: `%p${i}`, type }))
  const lines: string[] = []
  const add = (type: Type, text: string): string => {
    const name = `%v${values.length}`
    lines.push(`  ${name}: ${type} = ${text}`)
    values.push({ name, type })
    return name
  }
  const constant = (type: Type): string => add(type, `const ${pick(edges[type])}${isBig(type) ? 'n' : ''}`)
  const some = (type: Type): string => {
    const known = values.filter(v => v.type === type)
    return known.length === 0 || rand(3) === 0 ? constant(type) : pick(known).name
  }
  for (let i = 0; i < 7; i++) {
    const type = pick(types)
    const x = some(type)
    // The library's functions of 64 bits have bodies.
    const kind = isBig(type) ? 4 + rand(5) : rand(9)
    switch (kind) {
      case 8:
        add(type, `convert ${pick(values).name}`)
        break
      case 1: {
        const y = some(type)
        const c = `%c${lines.length}`
        lines.push(`  ${c}: bool = ${pick(['lt', 'le', 'gt', 'ge'])} ${x}, ${y}`)
        add(type, rand(2) === 0 ? `select ${c}, ${x}, ${y}` : `select ${c}, ${y}, ${x}`)
        break
      }
      case 2:
        add(type, `call @${pick(['min', 'max'])}_${type} ${x}, ${some(type)}`)
        break
      case 3:
        add(type, `call @clamp_${type} ${x}, ${some(type)}, ${some(type)}`)
        break
      case 4: {
        const c = `%c${lines.length}`
        lines.push(`  ${c}: bool = lt ${x}, ${some(type)}`)
        const [yes, no] = [some(type), some(type)]
        add(type, `if ${c} () { yield ${yes} } () { yield ${no} }`)
        break
      }
      default:
        add(type, `${pick(['add', 'sub', 'mul', 'and', 'rem', 'div', 'shr'])} ${x}, ${some(type)}`)
    }
  }
  const last = values.at(-1)!
  const library = types.flatMap(type => [
    ...['min', 'max'].map(name => `func @${name}_${type}(x: ${type}, y: ${type}) -> ${type} [pure, computes ${name}]`),
    `func @clamp_${type}(x: ${type}, y: ${type}, z: ${type}) -> ${type} [pure, computes clamp]`,
  ])
  const signature = params.map((type, i) => `%p${i}: ${type}`).join(', ')
  return {
    text: `${library.join('\n')}\nfunc @f(${signature}) -> ${last.type} {\n${lines.join('\n')}\n  ret ${last.name}\n}`,
    params,
  }
}

it('the range of a value holds what it is', () => {
  const rand = random(setting('SEED', 5))
  let known = 0
  for (let k = 0; k < setting('SEEDS', 4000); k++) {
    const { text, params } = program(rand)
    const func = soundModule(text).funcs.at(-1)!
    const value = func.body!.end.args[0]!
    const { lo, hi } = new Ranges(func).of(value, () => true)
    if (lo > -Infinity || hi < Infinity) known++
    for (let i = 0; i < 12; i++) {
      const args = params.map(type => {
        const list = edges[type]
        const n = list[rand(list.length)]!
        return isBig(type) ? BigInt(n) : n
      })
      const got = Number(run(func, args)[0])
      expect(lo <= got && got <= hi, `${text}\nof ${args.join(', ')} gives ${got}, not in [${lo}, ${hi}]`).toBe(true)
    }
  }
  expect(known).toBeGreaterThan(1000)
})
