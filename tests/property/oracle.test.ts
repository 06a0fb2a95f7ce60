/** Random programs against an idea of their meaning that shares nothing with the compiler: CONTRIBUTING.md says how to run many. */
import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { check, emptyTally, isClear, type Settings } from '../oracle/check.ts'
import { Dual, sub, watch } from '../oracle/dual.ts'
import type { Twist } from '../oracle/meaning.ts'
import type { Part } from '../oracle/generate.ts'

const count = 250
const settings: Settings = { seed: 20260, target: 'js', size: 4, without: new Set<Part>(), attempts: 400, verify: true }

test('random programs and their derivatives mean what nested dual numbers say', async () => {
  const tally = await check(0, count, settings)
  expect(tally.failures.join('\n\n')).toBe('')
  expect(isClear(tally)).toBe(true)
  expect(tally.numbers).toBeGreaterThan(count)
}, 300_000)

test.each<[string, Twist]>([
  ['forgets no_diff', { forgetNoDiff: true }],
  ['forgets detach', { forgetDetach: true }],
  ['forgets derivatives of the user', { forgetRules: true }],
])(
  'an oracle that %s is found out',
  async (_, twist) => {
    const tally = await check(0, 30, { ...settings, attempts: 0, twist })
    expect(tally.failures.length).toBeGreaterThan(0)
  },
  300_000,
)

test('the errors of reverse mode are estimated where uses of a value cancel', () => {
  const x = new Dual(1, 3, 1e6)
  const slope = (): number => (sub(x, x) as Dual).d as number
  expect(slope()).toBe(0)
  watch.noise = 1e-10
  watch.random = () => 0.75
  const once = slope()
  watch.random = Math.random
  const off = Array.from({ length: 20 }, () => Math.abs(slope()))
  watch.noise = 0
  // Two uses that err alike cancel; those that err each by itself do so as much as their size says.
  expect(once).toBe(0)
  expect(Math.max(...off)).toBeGreaterThan(1e-6)
  expect(Math.max(...off)).toBeLessThan(1e-3)
})

test('a run of which too little could be compared fails', () => {
  expect(isClear({ ...emptyTally(), programs: 100, skipped: { kink: 20, large: 9 } })).toBe(true)
  expect(isClear({ ...emptyTally(), programs: 100, skipped: { kink: 20, large: 11 } })).toBe(false)
})

test('the meaning of programs shares no code with the compiler', () => {
  const folder = new URL('../oracle/', import.meta.url)
  const outside = readdirSync(folder).flatMap(name =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '((?!\.\/|node:)[^']+)'/g)].map(
      m => `${name} ${m[1]}`,
    ),
  )
  expect(outside.toSorted()).toEqual([
    'compare.ts ../support/gpu.ts',
    'run.ts ../support/gpu.ts',
    'run.ts ../support/setting.ts',
    'targets.ts ../../src/cpu/index.ts',
    'targets.ts ../../src/index.ts',
    'targets.ts ../support/gpu.ts',
  ])
})
