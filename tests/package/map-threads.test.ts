/** Maps on several threads of Node, as the package runs them: its worker is a file of the build. */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/index.ts'

const url = pathToFileURL(fileURLToPath(new URL('../../dist/cpu.js', import.meta.url))).href
const { load } = (await import(/* @vite-ignore */ url)) as typeof import('../../src/cpu/index.ts')

const program = compile(
  `
[Differentiable] public float walk(float x, float weights[40], no_diff int n) {
  float s = x;
  for (int i = 0; i < n; i++) s = sin(s) * weights[i % 40] + 0.01 * x;
  return s;
}
[Differentiable] public float checked(float x, no_diff int n) {
  float s = x;
  [MaxIters(10)] for (int i = 0; i < n; i++) s = sin(s);
  return s;
}`,
  { debug: true, verify: true },
)
const weights = Float32Array.from({ length: 40 }, (_, k) => Math.cos(k))

describe('a map on several threads', () => {
  it('gives the numbers of one, bit for bit', async () => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(threads => load(program, { threads })))
    expect([one, two, three].map(m => m!.threads.count)).toEqual([1, 2, 3])
    for (const count of [0, 1, 64, 65, 20_000]) {
      const args = {
        x: Float32Array.from({ length: count }, (_, k) => Math.sin(k)),
        weights,
        n: Int32Array.from({ length: count }, (_, k) => k % 50),
      }
      for (const options of [
        {},
        { derivative: 'valueAndGrad' },
        { derivative: 'jvp', tangents: { x: new Float32Array(count).fill(1), weights } },
      ] as const) {
        const expected = one!.map('walk', args, { ...options, held: ['weights'] })
        for (const m of [two, three]) expect(m!.map('walk', args, { ...options, held: ['weights'] })).toEqual(expected)
        for (const m of [one, two, three])
          expect(await m!.mapAsync('walk', args, { ...options, held: ['weights'] })).toEqual(expected)
      }
    }
    for (const m of [one, two, three]) m!.close()
  }, 60_000)

  it('names the first element at which the program stops', async () => {
    const m = await load(program, { threads: 3 })
    const n = new Int32Array(50_000).fill(10)
    for (const at of [10_007, 10_008, 49_999]) n[at] = 11
    for (const derivative of [undefined, 'valueAndGrad'] as const) {
      expect(() => m.map('checked', { x: 0.5, n }, { derivative })).toThrow(/^element 10007 of the map of checked: /)
      await expect(m.mapAsync('checked', { x: 0.5, n }, { derivative })).rejects.toThrow(
        /^element 10007 of the map of checked: /,
      )
    }
    n.fill(10)
    expect(m.map('checked', { x: 0.5, n })[49_999]).toBe(m.fn['checked'](0.5, 10))
    m.close()
  }, 60_000)

  it('keeps other calls out until it is done', async () => {
    const m = await load(program, { threads: 2 })
    const n = new Int32Array(20_000).fill(40)
    const pending = m.mapAsync('walk', { x: 0.5, weights, n }, { derivative: 'valueAndGrad' })
    expect(() => m.fn['walk'](1, weights, 3)).toThrow('walk is called while walk runs')
    expect(() => m.close()).toThrow('close is called while walk runs')
    expect((await pending).value).toHaveLength(20_000)
    m.close()
  }, 60_000)
})
