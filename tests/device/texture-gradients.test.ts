/** Derivatives of texture reads on the GPU, compared with those of the same interpolation written out in double precision. */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { compile } from '../../src/index.ts'
import { closeGpu, runWgsl, type GpuResource } from '../support/gpu.ts'

afterAll(closeGpu)

const [width, height] = [4, 3]
const weights = [1, 2, 3, 4]
/** Texels of level 0 from 0 to 255; level 1 is black. */
const bytes = Uint8Array.from({ length: width * height * 4 }, (_, i) => (i * 97 + 31 * (i % 7)) % 256)
const modes = ['clamp-to-edge', 'repeat', 'mirror-repeat'] as const

function addressed(i: number, size: number, mode: number): number {
  if (mode === 0) return Math.min(Math.max(i, 0), size - 1)
  const period = mode === 1 ? size : 2 * size
  const j = ((i % period) + period) % period
  return j < size ? j : period - 1 - j
}

/** What is found at a place, weighed, and which texels have which share in it. */
function sample(u: number, v: number, level: number, mode: number, into?: Float64Array, scale = 1): number {
  const dark = Math.min(Math.max(level, 0), 1)
  const [x, y] = [u * width - 0.5, v * height - 0.5]
  let sum = 0
  for (const [dx, dy] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const) {
    const [i, j] = [Math.floor(x), Math.floor(y)]
    const share = (dx === 1 ? x - i : 1 - (x - i)) * (dy === 1 ? y - j : 1 - (y - j)) * (1 - dark)
    const at = addressed(j + dy, height, mode) * width + addressed(i + dx, width, mode)
    weights.forEach((w, c) => {
      sum += (share * w * bytes[at * 4 + c]!) / 255
      if (into !== undefined) into[at * 4 + c]! += scale * share * w
    })
  }
  if (into !== undefined) {
    // Level 1 has 2 by 1 texels.
    const [p, q] = [u * 2 - 0.5, Math.floor(u * 2 - 0.5)]
    for (const d of [0, 1])
      weights.forEach((w, c) => {
        into[(width * height + addressed(q + d, 2, mode)) * 4 + c]! +=
          scale * dark * w * (d === 1 ? p - q : 1 - (p - q))
      })
  }
  return sum
}

/** Slopes by central differences, which are exact where nothing bends. */
function slopes(u: number, v: number, level: number, mode: number): number[] {
  const h = 1e-5
  return [
    (sample(u + h, v, level, mode) - sample(u - h, v, level, mode)) / (2 * h),
    (sample(u, v + h, level, mode) - sample(u, v - h, level, mode)) / (2 * h),
    // Level 0 is where the levels begin: it is taken for flat, like all before it.
    level <= 0 ? 0 : (sample(u, v, level + h, mode) - sample(u, v, level - h, mode)) / (2 * h),
  ]
}

const source = readFileSync(new URL('../textures/gradients.slang', import.meta.url), 'utf8')
const program = compile(source, { fileName: 'gradients.slang', verify: true })
const { code, reflection } = program.ok ? program.wgsl() : { code: '', reflection: { bindings: [], entries: [] } }

async function run(entry: string, mode: number, places: Float32Array): Promise<Record<string, Float32Array>> {
  const used = reflection.entries.find(e => e.name === entry)!.bindings
  const bindings = reflection.bindings.filter(b => used.includes(b.name))
  const texture = { size: [width, height], format: 'rgba8unorm', mipLevelCount: 2, data: bytes, bytesPerTexel: 4 }
  const resources = bindings.map((b): GpuResource => {
    const at = { group: b.group, binding: b.binding }
    if (b.handle?.kind === 'texture')
      return { ...at, kind: 'texture', layout: { viewDimension: '2d', sampleType: 'float' }, texture }
    if (b.handle !== null)
      return {
        ...at,
        kind: 'sampler',
        layout: 'filtering',
        sampler: {
          minFilter: 'linear',
          magFilter: 'linear',
          mipmapFilter: 'linear',
          addressModeU: modes[mode],
          addressModeV: modes[mode],
        },
      }
    const data =
      b.kind === 'uniform'
        ? new Uint32Array(8).fill(mode)
        : b.name === 'places'
          ? places
          : new Float32Array(b.name === 'outp' ? 128 : 64)
    return { ...at, kind: b.kind as 'storage', bytes: new Uint8Array(data.buffer) }
  })
  const out = await runWgsl(code, entry, resources, [entry === 'loads' ? 1 : places.length / 16, 1, 1])
  return Object.fromEntries(
    bindings.flatMap(b => {
      const data = out.get(`${b.group}:${b.binding}`)
      return data === undefined ? [] : [[b.name, new Float32Array(data.slice().buffer)]]
    }),
  )
}

/** Within what samplers round their weights to. */
function near(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  Array.from(expected).forEach((x, i) =>
    expect(Math.abs(found[i]! - x), `${i}: ${found[i]} instead of ${x}`).toBeLessThan(
      tolerance * Math.max(1, Math.abs(x)),
    ),
  )
}

describe.each([0, 1, 2])('addressed by mode %i', mode => {
  // Inside, beyond each edge, in the half texel at an edge, between levels and beyond the last.
  const list = [
    [0.31, 0.47, 0, 1],
    [0.05, 0.9, 0, 0.5],
    [-0.3, 0.2, 0, 2],
    [1.23, 1.4, 0, 1],
    [0.6, -0.8, 0.25, 1],
    [0.8, 0.55, 0.75, -1],
    [0.45, 0.3, -1, 1],
    [0.45, 0.3, 3, 1],
  ]
  test('what a sampler finds has slopes in place and level, and texels have gradients', async () => {
    expect(program.diagnostics).toEqual([])
    const { outp, learned_diff } = await run('computeMain', mode, new Float32Array(list.flat()))
    const texels = new Float64Array((width * height + 2) * 4)
    list.forEach(([u, v, level, scale], k) => {
      const expected = slopes(u!, v!, level!, mode)
      const value = sample(u!, v!, level!, mode, texels, scale)
      near(outp!.subarray(k * 16, k * 16 + 4), [...expected.map(x => x * scale!), value], 0.02)
      near(
        outp!.subarray(k * 16 + 4, k * 16 + 7),
        expected.map(x => x * scale!),
        1e-4,
      )
      near(
        outp!.subarray(k * 16 + 8, k * 16 + 10),
        [0.5 * expected[0]! - expected[1]! + 0.25 * expected[2]!, value],
        0.02,
      )
      const h = 1e-3
      near(
        outp!.subarray(k * 16 + 10, k * 16 + 12),
        [0, (slopes(u!, v! + h, 0, mode)[0]! - slopes(u!, v! - h, 0, mode)[0]!) / (2 * h)],
        0.02,
      )
    })
    near(learned_diff!, texels, 1e-4)
  })
})

test('loads give their texel the gradient, and nobody what lies outside', async () => {
  const { outp, learned_diff, pair_diff } = await run('loads', 0, new Float32Array(16))
  const at = (2 * width + 1) * 4
  const [a, w] = [bytes[at]! / 255, bytes[at + 3]! / 255]
  near(outp!.subarray(124, 128), [a, 43, 21, 2], 1e-5)
  const texels = new Float64Array(48)
  texels.set([9, 0, 0, 6 * w], at)
  near(learned_diff!, texels, 1e-5)
  const pair = new Float64Array(24)
  pair.set([(3 * bytes[at + 1]!) / 255, (3 * bytes[at]!) / 255], (2 * width + 1) * 2)
  // 0.5 lies between columns 1 and 2, in the middle of row 1; it was asked for with weights 2, 1 and 1.
  pair[(width + 1) * 2 + 1]! += 2
  pair[(width + 2) * 2 + 1]! += 2
  near(pair_diff!, pair, 1e-5)
})
