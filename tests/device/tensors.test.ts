/** Tensors as hosts hand them over, and the gradients that `grad` makes, on the CPU and on a device. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { runScript } from '../support/script.ts'
import { tensorProgram } from '../support/tensor-program.ts'

let said: Record<string, unknown>
beforeAll(async () => {
  said = await runScript('tensor-script.ts')
}, 60_000)

/** The reverse of a chain is worked out by hand from what the kernels say. */
const gradients = {
  flat: { input: [115, 80, 1200], output: [0, 0, 0] },
  strided: { input: [54, 108, 72, 144], output: [1, 1] },
  five: { x: Array.from({ length: 24 }, (_, i) => (i === 14 || i === 18 || i === 22 ? 5 : 0)), y: [0] },
  ownReverse: { x: [9, 16], y: [0, 0] },
  ownBuffers: { weightsGrad: [18, 4, 12] },
  block: { net_w: [3 + 5 + 60, 30], net_more_1: [1, 10], output: [0, 0] },
  global: { learned_coefficients: [1, 2, 4], loss: [0], places: [14, 0] },
}

describe('tensors', () => {
  test('are read and written where shape, strides and offset say', () => {
    expect(said['flat forwards']).toEqual([
      [3, 9, 19],
      [3, 9, 19],
    ])
    expect(said['strided forwards']).toEqual([
      [243, 432],
      [243, 432],
    ])
    expect(said['five forwards']).toEqual([[60], [60]])
  })
  test('have gradients on the CPU', () => expect(said['cpu']).toEqual(gradients))
  test('have gradients on a device', () => expect(said['gpu']).toEqual(gradients))
  test('are lists, or stay on the device', () => {
    expect(said['plain']).toEqual({ input: [7, 8, 12], output: [0, 0, 0] })
    expect(said['onDevice']).toEqual([115, 80, 1200])
  })
  test('add to gradients that are given', () => expect(said['added']).toEqual([1007, 1008, 1012]))
  test('textures have gradients as their sampler addresses', () => {
    const near = (name: string, expected: readonly [number[], number[]]): void => {
      const { places, picture } = said[name] as { readonly places: number[]; readonly picture: number[] }
      expect(places.map(x => Math.round(x * 1e4) / 1e4)).toEqual(expected[0])
      expect(picture.map(x => Math.round(x * 1e4) / 1e4)).toEqual(expected[1])
    }
    near('clamped', [
      [0, 0],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0],
    ])
    near('repeated', [
      [-6.4, 0],
      [0, 1.8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.2, 0, 0],
    ])
    expect(said['sampler']).toBe(
      "WrongTensor: picture: the kernel's samplers are not known to address alike: give picture_address, 0 to clamp, 1 to repeat, 2 to mirror",
    )
  })
  test('ask for a device with enough buffers', () => {
    expect(said['tooMany']).toBe(
      'DeviceError: wide_bwd uses 12 storage buffers, and the device allows 8: ask for more by requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage: 12 } })',
    )
  })
  test('are refused where they do not fit', () => {
    const both = (text: string): string[] => [`BufferError: ${text}`, `WrongTensor: ${text}`]
    expect(said['mistakes']).toEqual({
      unknown: both(
        'square takes no tensor inputs: did you mean input?; there are learned_coefficients, net_w, net_more_0, net_more_1, input, output',
      ),
      missing: both('square needs the tensor input: tensors: { input: { data, shape } }'),
      short: both('tensor output: a shape of 3 needs 3 elements, and 2 came'),
      kind: ['buffer input of float', 'input'].map(
        name =>
          `BufferError: ${name}: expected a Float32Array, a list of elements, or bytes (Uint8Array, DataView or ArrayBuffer), but an Int32Array of length 3 came`,
      ),
      shape: both('tensor input: its shape is one to five whole numbers, and [1,1,1,1,1,3] came'),
      strides: both('tensor input: expected 1 strides, whole numbers, and [1,1] came'),
      noCotangent: both('square runs backwards from what it writes: give cotangents, by name of a tensor'),
      cotangentLength: [
        'ShapeError: cotangent of output: expected 3 numbers, but an array of length 2 came',
        'WrongTensor: cotangent of output: expected 3 numbers, got 2',
      ],
      cotangentName: both('cotangents: square is given nothing with a gradient named out; there is: input, output'),
      twoCotangents: both('tensor output has a grad of its own, which is its cotangent: give one of the two'),
      noGradient: ['NameError', 'NoDerivative'].map(
        e =>
          `${e}: plain has no reverse derivative and uses no gradients: mark it [Differentiable], or say which buffers it adds gradients to`,
      ),
      noGrad: both('squareBackwards uses the gradient of tensor x: give its grad, or call grad'),
    })
  })
})

describe('the reverse of an entry point', () => {
  const program = compile(tensorProgram, { verify: true })
  test('is one of its own', () => {
    expect(program.diagnostics).toEqual([])
    const { code, reflection } = program.wgsl({ reverseOf: 'square' })
    expect(reflection.entries.map(e => [e.name, e.stage, e.workgroupSize])).toEqual([
      ['square_bwd', 'compute', [64, 1, 1]],
    ])
    expect(code).toContain('fn square_bwd(')
    expect(program.wasm({ reverseOf: 'square' }).host.kernels.map(k => k.name)).toEqual(['square_bwd'])
  })
  test('has groups of the size that the launch would say', () => {
    const sized = compile(tensorProgram, { blockSize: [8, 4, 2] })
    expect(
      sized
        .wgsl()
        .reflection.entries.filter(e => e.name === 'square' || e.name === 'train')
        .map(e => e.workgroupSize),
    ).toEqual([
      [8, 4, 2],
      [4, 1, 1],
    ])
    expect(sized.wgsl({ reverseOf: 'square' }).reflection.entries[0]!.workgroupSize).toEqual([8, 4, 2])
  })
  test('is refused where there is none', () => {
    expect(() => program.wgsl({ reverseOf: 'nope' })).toThrow(/E38009|no entry point|nope/)
    expect(() => program.wasm({ reverseOf: 'train' })).toThrow(/train is not/)
  })
  test('reflection says where each shader parameter lies', () => {
    const { parameters } = program.wgsl().reflection
    const where = (entry: string | null, ...path: (string | number)[]): unknown => {
      const found = parameters.find(p => p.entry === entry && JSON.stringify(p.path) === JSON.stringify(path))
      return found === undefined ? undefined : [found.binding, found.field]
    }
    expect(where('square', 'input', 'primal', 'data')).toEqual(['input_primal_data', null])
    expect(where('square', 'factor')).toEqual(['globalParams', 'factor'])
    expect(where('rows', 'factor')).toEqual(['globalParams', 'factor_1'])
    expect(where(null, 'learned', 'coefficients', 'primal', 'rank')).toEqual([
      'globalParams',
      'learned_coefficients_primal_rank',
    ])
    expect(where(null, 'weights')).toEqual(['weights', null])
  })
})

test('the example of the documentation does what is printed below it', () => {
  const page = readFileSync(new URL('../../docs/tensors.md', import.meta.url), 'utf8')
  const [, source, script, printed] = /```hlsl\n([^]*?)```\n\n```js\n([^]*?)```\n\n {4}(.*)\n/.exec(page)!
  const lines: string[] = []
  const run = new Function('compile', 'loadSync', 'source', 'console', script!.replace(/^import .*$/gm, '')) as (
    ...args: unknown[]
  ) => void
  run(compile, loadSync, source, { log: (...words: unknown[]) => lines.push(words.join(' ')) })
  expect(lines).toEqual([printed])
})
