/** Textures and samplers: programs under tests/textures run on the GPU, bound as reflection says, and what they find is compared. */
import { readFileSync, readdirSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { compile, type Level, type Wgsl } from '../../src/index.ts'
import { closeGpu, compileWgsl, refuse, runWgsl } from '../support/gpu.ts'
import { bindKnown } from '../support/known-textures.ts'

afterAll(closeGpu)

const folder = new URL('../textures/', import.meta.url)

function compiled(name: string, optimize: Level): Wgsl {
  const program = compile(readFileSync(new URL(name, folder), 'utf8'), { fileName: name, verify: true, optimize })
  expect(program.diagnostics).toEqual([])
  return program.wgsl()
}

async function run(name: string, optimize: Level): Promise<number[][]> {
  const { code, reflection } = compiled(name, optimize)
  const outp = reflection.bindings.find(b => b.name === 'outp')!
  const numbers = new Float32Array(4 * 32)
  for (const entry of reflection.entries) {
    const out = await runWgsl(
      code,
      entry.target,
      reflection.bindings.filter(b => entry.bindings.includes(b.name)).map(bindKnown),
      [1, 1, 1],
    )
    // Each writes elements of its own.
    new Float32Array(out.get(`${outp.group}:${outp.binding}`)!.slice().buffer).forEach((x, i) => {
      if (x !== 0) numbers[i] = x
    })
  }
  return Array.from({ length: numbers.length / 4 }, (_, i) => [...numbers.subarray(i * 4, i * 4 + 4)])
}

describe.each([0, 2] as const)('at optimisation level %i', level => {
  test('texels are loaded, and sizes are known', async () => {
    expect((await run('load.slang', level)).slice(0, 16)).toEqual([
      [5, 0, 0, 2],
      [4, 2, 0, 2],
      [3, 2, 0, 1],
      [1, 2, 3, 0],
      [3, 5, 1, 2],
      [2, 1, 1, 1],
      [2, 5, 8, 5],
      [4, 4, 1, 0],
      [4, 2, 6, 2],
      [4, 4, 2, 0],
      [2, 2, 2, 2],
      [4, 4, 4, 0],
      [2, 2, 2, 2],
      [4, 4, 2, 2],
      [4, 4, 2, 0],
      [2, 2, 2, 8],
    ])
  })

  test('texels are sampled, gathered and compared', async () => {
    const rounded = async (name: string): Promise<number[][]> =>
      (await run(name, level)).slice(0, 22).map(row => row.map(x => Math.round(x * 100) / 100))
    const found = await rounded('sample.slang')
    expect(await rounded('combined.slang')).toEqual(found)
    expect(found).toEqual([
      [1, 2, 0, 1],
      [2, 0, 0, 1],
      [1, 5, 0, 2],
      [1, 2, 0, 0],
      [1, 2, 2, 1],
      [3, 4, 3, 2],
      [3, 4, 4, 3],
      [3, 4, 2, 2],
      [2, 5, 1, 2],
      [2, 4, 4, 2],
      [4, 5, 4, 3],
      [2, 4, 5, 2],
      [2, 4, 2, 2],
      [9, 9, 9, 9],
      [14, 14, 14, 14],
      [14, 14, 14, 14],
      [7, 7, 7, 7],
      [1, 0, 1, 0.5],
      [0.25, 1.25, 1.25, 0.25],
      [1, 1, 1.75, 0],
      [3, 3, 3, 3],
      [1, 2, 2, 1],
    ])
  })

  test('a texture with a sampler in one has texels and sizes', async () => {
    const found = await run('combined.slang', level)
    expect(found.slice(22, 29)).toEqual([
      [10, 9, 3, 3],
      [9, 10, 10, 5],
      [53, 2, 2, 28],
      [4, 4, 2, 1],
      [4, 4, 2, 1],
      [4, 4, 2, 0],
      [2, 2, 2, 2],
    ])
  })

  test('texels are stored', async () => {
    expect((await run('store.slang', level)).slice(0, 7)).toEqual([
      [0.5, 10, 6, 0],
      [1.5, 10, 6, 0],
      [10.5, 10, 6, 0],
      [11.5, 10, 6, 0],
      [8, 8, 6, 1],
      [16, 12, 6, 0],
      [4, 4, 4, 0],
    ])
  })
})

test('every program is one that WebGPU accepts', async () => {
  for (const name of readdirSync(folder)) {
    const { code } = compiled(name, 2)
    refuse(code, await compileWgsl(code))
  }
})
