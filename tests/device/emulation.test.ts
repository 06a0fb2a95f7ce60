/** Integers of 8, 16 and 64 bits, and halves on a device without them, as hosts hand them over. */
import { describe, expect, test } from 'vitest'
import { compile as compileWgsl } from '../../src/wgsl.ts'
import { compile } from '../../src/index.ts'
import { emulation } from '../../src/emulation.ts'
import { runScript } from '../support/script.ts'

interface Result {
  readonly gpu: unknown
  readonly cpu: unknown
  readonly printed: Readonly<Record<'gpu' | 'cpu', readonly string[]>>
  readonly refused: readonly string[]
  readonly features: readonly string[]
}

test('hosts of both kinds take and give the same', async () => {
  const { gpu, cpu, printed, refused, features } = (await runScript('emulation-script.ts')) as unknown as Result
  expect(gpu).toEqual(cpu)
  expect(gpu).toMatchObject({
    keys: [`${(((1n ^ (2n ** 63n + 7n)) * 3n) % 2n ** 64n).toString()}n`, expect.anything(), expect.anything()],
  })
  expect(printed.gpu).toEqual(printed.cpu)
  expect(printed.gpu).toHaveLength(1)
  expect(refused).toEqual([
    'uniforms.seed: expected an integer of 64 bits for u64, got 18446744073709551616n',
    'uniforms.seed: expected an integer of 64 bits for u64, got 0.5',
    'uniforms.shift[1]: expected an integer of 16 bits for i16, got 65536',
    'uniforms.rate: expected f16, got "x"',
  ])
  expect(features).toEqual([])
})

describe('in the library with WGSL alone', () => {
  const source = `RWStructuredBuffer<uint64_t> o;
[shader("compute")] [numthreads(1, 1, 1)] void main1() { o[0] = o[0] * o[1]; }`

  test('it is a part that programs load', () => {
    expect(compileWgsl(source, { emulation }).wgsl().code).toBe(compile(source).wgsl().code)
  })

  test('a program that needs it says so', () => {
    expect(() => compileWgsl(source).wgsl()).toThrow(
      "help: use `emulation` of 'cotangent/emulation' as an option of compile",
    )
  })
})
