/** Random programs against an idea of their meaning that shares nothing with the compiler: CONTRIBUTING.md says how to run many. */
import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { check, emptyTally, isClear, type Settings } from './oracle/check.ts'
import type { Twist } from './oracle/meaning.ts'
import type { Part } from './oracle/generate.ts'

const count = 250
const settings: Settings = { seed: 20260, target: 'js', size: 4, without: new Set<Part>(), attempts: 400 }

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
])('an oracle that %s is found out', async (_, twist) => {
  const tally = await check(0, 30, { ...settings, attempts: 0, twist })
  expect(tally.failures.length).toBeGreaterThan(0)
}, 300_000)

test('a run of which too little could be compared fails', () => {
  expect(isClear({ ...emptyTally(), programs: 100, skipped: { kink: 20, large: 9 } })).toBe(true)
  expect(isClear({ ...emptyTally(), programs: 100, skipped: { kink: 20, large: 11 } })).toBe(false)
})

test('the meaning of programs shares no code with the compiler', () => {
  const folder = new URL('./oracle/', import.meta.url)
  const outside = readdirSync(folder).flatMap(name => [...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '((?!\.\/|node:)[^']+)'/g)].map(m => `${name} ${m[1]}`))
  expect(outside.toSorted()).toEqual(['compare.ts ../gpu.ts', 'run.ts ../gpu.ts', 'run.ts ../setting.ts', 'targets.ts ../../src/cpu/index.ts', 'targets.ts ../../src/index.ts', 'targets.ts ../gpu.ts'])
})
