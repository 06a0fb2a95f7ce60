/** Runs every program under `tests/lang/targets` on all targets: what the language says of values, beside what its features are. */
import { afterAll, describe, it } from 'vitest'
import { readCases } from '../support/cases.ts'
import { check } from '../support/case-run.ts'
import { closeGpu } from '../support/gpu.ts'

afterAll(closeGpu)

describe('the language', () => {
  for (const c of readCases('lang/targets')) {
    it(`${c.file}: ${c.name}`, () => check(c))
  }
})
