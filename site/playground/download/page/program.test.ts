import { checkDerivatives } from 'cotangent/cpu'
import { expect, test } from 'vitest'
import live from './main.slang?runtime'

test('the program compiles', () => {
  expect(live.compile().diagnostics.filter(d => d.severity === 'error')).toEqual([])
})

test('derivatives agree with finite differences', async () => {
  const report = await checkDerivatives(live.compile(), { seed: 1 })
  expect(report.functions.filter(f => f.status === 'failed')).toEqual([])
})
