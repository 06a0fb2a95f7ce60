/** Wave operations with several lanes: what each thread finds is what the threads of its wave, or of its branch, have. */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { unpack } from '../../src/gpu/pack.ts'
import { compile } from '../../src/index.ts'
import { closeGpu, runByName } from '../support/gpu.ts'

afterAll(closeGpu)

const source = readFileSync(new URL('../waves/lanes.slang', import.meta.url), 'utf8')
const threads = 16

type Row = Readonly<Record<string, number | number[]>>

describe.each([0, 2] as const)('at optimisation level %i', optimize => {
  const program = compile(source, { verify: true, optimize })
  const { code, reflection } = program.wgsl()
  const bindingsOf = (entry: string) =>
    reflection.bindings.filter(b => reflection.entries.find(e => e.name === entry)!.bindings.includes(b.name))

  test('lanes know what they have together', async () => {
    expect(program.diagnostics).toEqual([])
    expect(reflection.features).toEqual(['subgroups'])
    const type = reflection.bindings.find(b => b.name === 'rows')!.type!
    if (type.kind !== 'array') throw new Error('an array is expected')
    const bytes = (
      await runByName(
        code,
        'computeMain',
        bindingsOf('computeMain'),
        { rows: new Uint8Array(type.stride * threads) },
        [2, 1, 1],
      )
    )['rows']!
    const rows = unpack(new DataView(bytes.slice().buffer), 0, type) as unknown as readonly Row[]
    // The lanes of a wave are as many everywhere, and tell nothing where each is alone.
    const [{ count }] = rows as readonly [Row]
    expect(Math.log2(count as number) % 1).toBe(0)
    expect(Math.max(...rows.map(r => rows.filter(s => s['first'] === r['first']).length))).toBeGreaterThan(1)
    for (let i = 0; i < threads; i++) {
      const row = rows[i]!
      const wave = rows.map((_, k) => k).filter(k => rows[k]!['first'] === row['first'])
      const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0)
      const odd = wave.filter(k => k % 2 === 1)
      const quad = i & ~3
      const at = wave.indexOf(i)
      expect(wave.length).toBeLessThanOrEqual(count as number)
      expect(row).toEqual({
        first: wave[0],
        lane: at,
        count,
        sum: sum(wave),
        before: sum(wave.filter(k => k < i)),
        product: wave.reduce((p, k) => p * ((k % 3) + 1), 1),
        least: Math.min(...wave.map(k => k ^ 5)),
        most: Math.max(...wave.map(k => k ^ 5)),
        ballot: sum(wave.map((k, n) => (k % 3 === 0 ? 2 ** n : 0))),
        bits: wave.filter(k => k % 3 === 0).length,
        bitsBefore: wave.filter(k => k < i && k % 3 === 0).length,
        oddSum: i % 2 === 1 ? sum(odd) : 0,
        oddFirst: i % 2 === 1 ? odd[0] : 0,
        oddElected: i === odd[0] ? 1 : 0,
        after: sum(wave),
        read: wave[(at + 1) % (count as number)] ?? row['read'],
        across: [i ^ 1, i ^ 2, i ^ 3],
        any: quad === 0 ? 1 : 0,
        all: quad > 0 ? 1 : 0,
        shared: [(i ^ 1) + (i ^ 2) + (i ^ 3), 3],
        rows: [sum(wave) - wave[1]!, wave.length, 2 * wave.length, 3 * wave.length - 1],
        swapped: wave[at ^ 1],
        second: wave[1],
      })
    }
  })

  test('vectors and matrices are taken component by component', async () => {
    const out = await runByName(code, 'components', bindingsOf('components'), { alike: new Uint8Array(16) }, [1, 1, 1])
    expect([...new Uint32Array(out['alike']!.slice().buffer)]).toEqual([1, 1, 1, 1])
  })

  test('a wave operation stays before the place where lanes leave', async () => {
    const out = await runByName(code, 'leave', bindingsOf('leave'), { sums: new Uint8Array(16) }, [1, 1, 1])
    expect([...new Uint32Array(out['sums']!.slice().buffer)]).toEqual([1006, 1006, 1006, 0])
  })
})

test('what has waves of one lane elsewhere cannot be asked of vertices', () => {
  const program = compile(
    '[shader("vertex")] float4 main(uint i : SV_VertexID) : SV_Position { return float4(WaveActiveSum(i)); }',
  )
  expect(() => program.wgsl()).toThrow(/E36107.*a wave operation cannot be used by main/)
})
