/** Sessions on a WebGPU device do what those on the CPU do. */
import { beforeAll, expect, test } from 'vitest'
import type { Stop } from '../playground/train/index.ts'
import { runScript } from './script.ts'
import { sessionCases } from './session-cases.ts'

interface Step {
  readonly step: number
  readonly loss: number
  readonly parameters: readonly number[]
  readonly gradients: readonly number[]
  readonly stopped?: Stop
}

let results: Readonly<Record<string, Readonly<Record<'cpu' | 'webgpu', readonly Step[]>>>>
let switched: readonly (readonly number[])[]

beforeAll(async () => {
  const all = (await runScript('session-script.ts', [])) as typeof results & { readonly switched: typeof switched }
  results = all
  switched = all.switched
}, 120_000)

const near = (got: readonly number[], wanted: readonly number[]): void => {
  expect(got.length).toBe(wanted.length)
  got.forEach((x, i) => expect(Math.abs(x - wanted[i]!)).toBeLessThanOrEqual(1e-5 * (1 + Math.abs(wanted[i]!))))
}

test.each(Object.keys(sessionCases).filter(name => name !== 'stops'))('%s', name => {
  const { cpu, webgpu } = results[name]!
  expect(webgpu.map(s => s.step)).toEqual([0, 1, 2, 3, 0, 1])
  expect(cpu.map(s => s.step)).toEqual([0, 1, 2, 3, 0, 1])
  cpu.forEach((s, i) => {
    near([webgpu[i]!.loss], [s.loss])
    near(webgpu[i]!.gradients, s.gradients)
    near(webgpu[i]!.parameters, s.parameters)
  })
  for (const of of [cpu, webgpu]) {
    expect(of.every(s => s.stopped === undefined)).toBe(true)
    expect(of[0]!.gradients.some(g => g !== 0)).toBe(true)
    // Reset begins again, and the same step follows; threads of a device add to a gradient in any order.
    for (const [again, first] of [
      [of[4]!, of[0]!],
      [of[5]!, of[1]!],
    ] as const) {
      near([again.loss], [first.loss])
      near(again.gradients, first.gradients)
      near(again.parameters, first.parameters)
    }
  }
})

test('gradients of all kinds of arguments, by hand', () => {
  const [first] = results['arguments']!.webgpu
  // In the order of the picks: m, then x, then p. All twice.
  expect(first!.loss).toBe(2 * (1.5 * 1.5 * 3 + 2 + 24 + (2 + 9) + (20 + 18)))
  expect(first!.gradients).toEqual([4, 2, 6, 10, 8, 6, 18, 4, 2, 16, 12])
})

test.each(['cpu', 'webgpu'] as const)('what is not finite stops it on %s, and is named', backend => {
  const steps = results['stops']![backend]
  expect(steps.map(s => s.step)).toEqual([0, 0, 0, 0, 0, 0])
  const { stopped } = steps[0]!
  expect(stopped).toMatchObject({ file: 'main.slang', line: 6 })
  expect(stopped!.message).toContain('div makes ')
  expect(stopped!.message).toContain('1.0 / w')
})

test('another backend goes on from the same parameters', () => {
  const [whole, ...others] = switched
  for (const other of others) {
    near([other[1]!], [other[0]!])
    near(other, whole!)
  }
  expect(whole![2]).toBe(6)
})
