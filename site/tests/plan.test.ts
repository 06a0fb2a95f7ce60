/** Plans from JSON. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PlanError, planFrom, type Plan } from '../playground/train/index.ts'

const folder = fileURLToPath(new URL('../playground/starters', import.meta.url))
const least = { subject: 'loss', parameters: ['x'], optimizer: { kind: 'adam', rate: 0.1 } }

test('the plans of all starters are read as they stand', () => {
  for (const file of readdirSync(folder).filter(f => f.endsWith('.json'))) {
    const { picks } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as { picks: { train: unknown } }
    expect(planFrom(picks.train)).toEqual(picks.train)
  }
})

test('a plan with everything is read as it stands', () => {
  const plan: Plan = {
    subject: 'fit',
    parameters: ['a', 'b'],
    values: { a: [1, [2]], b: { c: true, d: -1.5 } },
    buffers: { e: [1, 2], f: { count: 4, low: [0, 1], high: 2, shape: [2, 2] } },
    uniforms: { g: 1 },
    groups: [1, 2, 3],
    optimizer: { kind: 'sgd', rate: 0.1, momentum: 0.9 },
    seed: 7,
    picture: 'draw',
  }
  expect(planFrom(JSON.parse(JSON.stringify(plan)))).toEqual(plan)
})

test.each<[object | null, string]>([
  [null, 'the plan must be an object'],
  [{ ...least, subject: 3 }, 'subject must be a name'],
  [{ ...least, parameters: 'x' }, 'parameters must be a list'],
  [{ ...least, rate: 1 }, 'A plan has no rate'],
  [{ ...least, optimizer: { kind: 'newton', rate: 1 } }, 'optimizer.kind must be "sgd" or "adam"'],
  [{ ...least, optimizer: { kind: 'sgd' } }, 'optimizer.rate must be a number'],
  [{ ...least, values: { x: 'one' } }, 'values.x must be a number'],
  [{ ...least, values: { x: [null] } }, 'values.x[0] must be an object'],
  [{ ...least, buffers: { w: { count: 1e12 } } }, 'buffers.w.count must be a whole number from 1 to 4194304'],
  [{ ...least, buffers: { w: [] } }, 'buffers.w must be a list of at least one number'],
  [{ ...least, buffers: { w: { count: 1, low: [] } } }, 'buffers.w.low must be a list of at least one number'],
  [{ ...least, groups: [1, 1] }, 'groups must be three numbers'],
])('%j is refused', (json, message) => {
  expect(() => planFrom(json)).toThrow(PlanError)
  expect(() => planFrom(json)).toThrow(message)
})
