/** Code that a development server replaces while it runs. */
import { beforeAll, describe, expect, test } from 'vitest'
import { runScript } from '../support/script.ts'

let said: Record<string, unknown>

beforeAll(async () => {
  said = await runScript('replace-script.ts')
}, 60_000)

describe('new code of an attached program', () => {
  test('runs in kernels, gradients and what is bound, once it is compiled', () => {
    expect(said['first']).toEqual([1, 1, 1, 1])
    expect(said['meanwhile']).toBe(2)
    expect(said['then']).toEqual([42, 10, 10, 10])
    expect(said['printed']).toEqual(['by 10\n'])
  })
  test('runs in kernels that are first used later or meanwhile, and the newest wins', () => {
    expect(said['late']).toEqual([42, 10])
    expect([said['newest'], said['meanwhileFirst']]).toEqual([20, 60])
  })
  test('is reported where it cannot be used, and the old code stays', () => {
    const stays = (message: string): unknown => [
      expect.stringMatching(
        new RegExp(`^cotangent: the new code cannot be used, so the old code stays. ${message}`, 's'),
      ),
      30,
      30,
      true,
    ]
    expect(said['module']).toEqual(stays('CompileError: line \\d+ of the WGSL'))
    expect(said['pipeline']).toEqual(stays('.*100000'))
    expect(said['bindings']).toEqual(
      stays('CompileError: step has other bindings than before: attach the program again'),
    )
    expect(said['kernel']).toEqual(stays('NoSuchKernel: there is no kernel step any more'))
    expect(said['stage']).toBe(
      'NoSuchKernel: stop is no compute entry point; there are: compute step, compute last, compute other, compute train, compute scale',
    )
  })
  test('mends what the device refused before', () =>
    expect(said['mended']).toEqual([expect.stringMatching(/^DeviceError: fill: .*1024/s), 'none', 7]))
  test('is no longer heard of once the device is lost', () => expect(said['listeners']).toEqual([2, 1]))
})
