/** A `__target_switch` is decided for each target from one checked program. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compile } from '../../src/index.ts'
import { evaluate } from '../support/js-run.ts'

test('WGSL takes its own case, JavaScript the default', () => {
  const body = readFileSync(new URL('../lang/run/target-switch.slang', import.meta.url), 'utf8')
  const entry =
    'RWStructuredBuffer<float> o; [numthreads(1, 1, 1)] void main() { o[0] = value(o[1]); o[2] = repeated(o[3]); }'
  const program = compile(`${body}\n${entry}`, { fileName: 'switch.slang', verify: true })
  expect(program.diagnostics).toEqual([])
  const { code } = program.wgsl()
  expect(code).toContain('* 3')
  expect(code).toContain('t * t;')
  const js = evaluate(program.js().code)
  expect(js['value']!(3)).toBe(27)
  expect(js['repeated']!(1)).toBe(31)
})
