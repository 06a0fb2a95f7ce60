/** The starters: each compiles, trains on the CPU and on WebGPU alike, draws, and is judged by `check` as it says. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile } from 'cotangent'
import { checkDerivatives } from 'cotangent/cpu'
import { beforeAll, describe, expect, test } from 'vitest'
import { Session, type Plan, type Stop } from '../playground/train/index.ts'
import { runScript } from './script.ts'

const folder = fileURLToPath(new URL('../playground/starters', import.meta.url))

/** For each starter: how many steps are taken, and by which factor the loss falls at least. */
const expected = {
  gradient: { steps: 200, falls: 100 },
  spring: { steps: 150, falls: 10 },
  brdf: { steps: 100, falls: 10 },
  splat2d: { steps: 60, falls: 4 },
  sdf: { steps: 60, falls: 10 },
  mlp: { steps: 120, falls: 10 },
  texture: { steps: 100, falls: 4 },
  wrong: { steps: 40, falls: 10 },
} as const

type Name = keyof typeof expected
const names = Object.keys(expected) as Name[]

const textOf = (name: string): string => readFileSync(`${folder}/${name}.slang`, 'utf8')
const planOf = (name: string): Plan =>
  (JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')) as { picks: { train: Plan } }).picks.train

interface Trained {
  readonly losses: readonly number[]
  readonly gradients: readonly number[]
  readonly milliseconds: number
  readonly stopped?: Stop
  readonly picture?: readonly number[]
}
type Result = { readonly problems: readonly string[] } & Readonly<Record<'cpu' | 'webgpu', Trained>>

let trained: Readonly<Record<Name, Result>>

beforeAll(async () => {
  const asked = names.map(n => `${n}=${expected[n].steps}`)
  trained = (await runScript('train-script.ts', [folder, 'cpu,webgpu', ...asked])) as typeof trained
}, 120_000)

test('every file is a starter of this list', () => {
  expect(readdirSync(folder).sort()).toEqual(names.flatMap(n => [`${n}.json`, `${n}.slang`]).sort())
})

describe.each(names)('%s', name => {
  test('compiles without warnings', () => {
    expect(trained[name].problems).toEqual([])
  })

  test.each(['cpu', 'webgpu'] as const)('its loss falls on %s within 10 s', backend => {
    const { losses, milliseconds, stopped } = trained[name][backend]
    expect(stopped).toBeUndefined()
    expect(losses[0]! / losses.at(-1)!).toBeGreaterThan(expected[name].falls)
    expect(milliseconds).toBeLessThan(10_000)
  })

  test('has equal losses and gradients on both', () => {
    const { cpu, webgpu } = trained[name]
    const scale = Math.max(...cpu.gradients.map(Math.abs))
    cpu.gradients.forEach((g, i) => expect(Math.abs(g - webgpu.gradients[i]!)).toBeLessThan(1e-3 * scale))
    // Adam divides by small numbers: what the last bits differ in grows with the steps.
    for (let i = 0; i <= 20; i++) expect(Math.abs(webgpu.losses[i]! / cpu.losses[i]! - 1)).toBeLessThan(1e-3)
  })

  test('draws the same on both', () => {
    const { cpu, webgpu } = trained[name]
    expect(cpu.picture === undefined).toBe(planOf(name).picture === undefined)
    if (cpu.picture === undefined) return
    expect(new Set(cpu.picture).size).toBeGreaterThan(10)
    const off = cpu.picture.map((x, i) => Math.abs(x - webgpu.picture![i]!))
    expect(off.reduce((a, b) => a + b, 0) / off.length).toBeLessThan(2)
  })

  test('its gradient is that of its loss', async () => {
    if (name === 'wrong') return
    const session = await Session.open(compile(textOf(name)), planOf(name), { backend: 'cpu' })
    const { gradients, parameters } = session.state
    const h = 1e-3
    const slopes: number[] = []
    // A step in the direction of the gradient, which all numbers take part in.
    const length = Math.hypot(...gradients)
    for (const side of [h, -h])
      slopes.push((await session.set(parameters.map((p, i) => p + (side * gradients[i]!) / length))).loss)
    expect((slopes[0]! - slopes[1]!) / (2 * h) / length).toBeCloseTo(1, 2)
    await session.close()
  })

  test(`check ${name === 'wrong' ? 'blames the derivative that is wrong' : 'agrees'}`, async () => {
    const program = compile(textOf(name), { fileName: `${name}.slang`, debug: true })
    const { functions } = await checkDerivatives(program, { seed: 1, samples: 10 })
    expect(functions.some(f => f.status === 'ok')).toBe(name !== 'wrong')
    if (name !== 'wrong') expect(functions.filter(f => f.status !== 'ok')).toEqual([])
    else {
      expect(functions.map(f => f.status)).toEqual(['failed', 'failed'])
      const line =
        textOf(name)
          .split('\n')
          .findIndex(l => l.startsWith('void ease_gradient')) + 1
      for (const f of functions) expect(f.disagreement?.blame).toMatchObject({ derivative: 'ease_gradient', line })
    }
  })
})
