/** Runs every program under `tests/lang/targets` on all targets: what the language says of values, beside what its features are. */
import { afterAll, describe, it } from 'vitest'
import { readCases } from './cases.ts'
import { check } from './case-run.ts'
import { closeGpu } from './gpu.ts'

afterAll(closeGpu)

describe('the language', () => {
  for (const c of readCases('lang/targets')) {
    it(`${c.file}: ${c.name}`, () => check(c))
  }
})
