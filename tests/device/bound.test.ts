/** Kernels that are bound once and run often. */
import { beforeAll, describe, expect, test } from 'vitest'
import { runScript } from '../support/script.ts'

let said: Record<string, unknown>

beforeAll(async () => {
  said = await runScript('bound-script.ts')
}, 60_000)

const bytes = 'a list of elements, or bytes (Uint8Array, DataView or ArrayBuffer)'

describe('bound kernels', () => {
  test('train as dispatch does, in submits of their own and recorded in one pass', () => {
    const [byDispatch, bound] = said['training'] as number[][]
    expect(bound).toEqual(byDispatch)
    expect(byDispatch![0]).not.toBe(1)
    expect(said['recorded']).toEqual([byDispatch, byDispatch])
  })
  test('know what they are, and what their uniforms are', () =>
    expect(said['about']).toEqual(['step', [4, 1, 1], { at: [11, 1], weight: 0.5 }]))
  test('a thousand dispatches in one pass have each their own uniforms', () => expect(said['many']).toBe(true))
  test('dispatches in passes that are not submitted keep their uniforms beside those that are', () => {
    const recorded = Array.from({ length: 15 }, (_, i) => 100 + i)
    expect(said['first']).toEqual([30, 40])
    expect(said['passes']).toEqual([...recorded, 0, 0, 0, 0, 0, 7, 7, 7, 0])
  })
  test('uniforms of the same name in two kernels are two', () => expect(said['namesakes']).toEqual([7, 8, 10]))
  test('memory for uniforms is used again, and only changes take any', () => {
    expect([said['reused'], said['unchanged']]).toEqual([0, 0])
    expect(said['kept']).toBe(true)
  })
  test('too many changes that are not submitted are refused, until they are', () =>
    expect(said['full']).toEqual([
      'TooManyUniforms: mark: its uniforms changed for 65535 recorded dispatches that are not known to be submitted: call g.submitted() after queue.submit(…)',
      42,
    ]))
  test('uniforms are set whole and in parts, in structs, lists, vectors and matrices of both layouts', () => {
    const first = [1, 2, 3, 0, 8, 9, 4, 5, 6, 1, 7, 8, 9, 0, 10, 11, 12, 1, 2, 3, 4, 5, 6, 21, 22, 23, 24, 25, 26]
    const last = [1, 1, 1, 0, ...first.slice(4)]
    expect(said['shapes']).toEqual([
      first,
      [1, 50, 3, 1, -3, 9, 70, 71, 72, 0, 60, 61, 62, 0, 10, 11, 80, 1, 2, 3, 4, 5, 90, 91, 92, 93, 94, 25, 26],
      first,
      last,
    ])
    expect(said['read']).toEqual({
      block: {
        inner: { direction: [1, 1, 1], on: false },
        pair: [8, 9],
        more: [
          { direction: [4, 5, 6], on: true },
          { direction: [7, 8, 9], on: false },
        ],
        list: [10, 11, 12],
      },
      rows: [
        [1, 2, 3],
        [4, 5, 6],
      ],
      columns: [
        [21, 22, 23],
        [24, 25, 26],
      ],
    })
    expect(said['wrongUniforms']).toEqual([
      'WrongUniform: block.inner.direction[1]: expected f32, got "x"',
      'WrongUniform: block.inner.direction[2]: expected f32, got "x"',
      'WrongUniform: columns[0]: expected a vector of 3, got an array of 2',
      'WrongUniform: rows: expected a matrix of 2, got an array of 1',
      'WrongUniform: block.pair[1]: expected an integer of 32 bits for i32, got 0.5',
      'TypeError:',
      'TypeError:',
    ])
    expect(said['afterWrong']).toEqual(last)
  })
  test('numbers of groups may lie on the device', () => {
    expect(said['indirect']).toEqual([13, 29])
    const where = (offset: number): string =>
      `WrongGroups: count: the numbers of groups are 12 bytes at a multiple of 4, in 16 bytes, and offset ${offset} came`
    expect(said['wrongIndirect']).toEqual([
      'WrongGroups: count: the buffer with the numbers of groups lacks GPUBufferUsage.INDIRECT among its usage',
      where(2),
      where(8),
      'WrongGroups: count: the numbers of groups lie in a GPUBuffer or in what g.buffer gave, and a Uint32Array came',
      'WrongGroups: count: it writes the buffer with the numbers of groups: give two buffers',
    ])
  })
  test('what is printed collects until flush, and what does not fit is said', () =>
    expect(said['printed']).toEqual([
      0,
      [
        ...[1, 2, 3, 3, 3, 3, 3].map(n => `n is ${n}\n`),
        'talk: 24 more bytes of output did not fit into 40; attach with larger printBytes\n',
      ],
    ]))
  test('take textures and samplers', () => {
    expect(said['textures']).toEqual([
      [1, 0, 1, 1],
      [0.5, 0.5, 0.5, 0.5],
    ])
    expect(said['wrongTextures']).toEqual([
      'MissingTexture: look needs the texture picture',
      'WrongTexture: canvas: paint writes it, and a bound kernel reads nothing back to memory: give a GPUTexture',
    ])
  })
  test('keep what describes tensors when the block around it is set', () =>
    expect(said['blocks']).toEqual([
      [8, 12],
      [15, 26],
      [105, 206],
    ]))
  test('have as many uniform buffers as the device binds with offsets; dispatch takes more', () =>
    expect(said['nine']).toEqual([
      511,
      'DeviceError: add binds 9 uniform buffers with offsets, and the device allows 8: ask for more by requestDevice({ requiredLimits: { maxDynamicUniformBuffersPerPipelineLayout: 9 } })',
    ]))
  test('mistakes are named', () => {
    const groups = (shown: string): string => `WrongGroups: mark: the number of groups is ${shown}`
    expect(said['mistakes']).toEqual({
      option:
        'UnknownOption: bind of step takes no buffer: did you mean buffers?; there are buffers, uniforms, textures, tensors, samplers',
      unknown: 'UnknownBuffer: step uses no buffer pionts: did you mean points?; there are scales, points',
      missing: 'MissingBuffer: step needs the buffer scales',
      memory:
        'WrongBuffer: points: step writes it, and a bound kernel reads nothing back to memory: give a GPUBuffer, { buffer, offset, size }, or g.buffer(array)',
      kind: `BufferError: buffer scales: expected a Float32Array, ${bytes}, but an Int32Array of length 4 came`,
      value: `BufferError: buffer points: expected a Float32Array, ${bytes}, but number 5 came`,
      usage: 'WrongBuffer: points: the buffer lacks GPUBufferUsage.STORAGE among its usage',
      small: 'WrongBuffer: points: expected at least 8 bytes and a multiple of 4, got 4',
      same: 'WrongBuffer: step writes points, and scales is the same memory: give two buffers',
      sameBuffer:
        'WrongBuffer: step writes points, and scales is a part of the same buffer, which it only reads: give two buffers',
      uniform: 'WrongUniform: goal: expected an object with the fields of Goal, got nothing',
      unknownUniform: 'WrongUniform: step uses no uniform raet: did you mean rate?; there are globalParams, rate, goal',
      groups: groups('1 × 1.5 × 1: give three whole numbers from 0 on'),
      two: groups('1 × 1: give three whole numbers from 0 on'),
      many: groups('70000 × 1 × 1, and the device allows 65535 along each dimension'),
      pass: 'WrongPass: encode of mark takes a GPUComputePassEncoder first, from beginComputePass(), and null came',
      encoder:
        'WrongPass: encode of mark takes a GPUComputePassEncoder first, from beginComputePass(), and a GPUCommandEncoder came',
      destroyed: 'Destroyed: step was destroyed; bind it again',
      flushed: 'Destroyed: step was destroyed; bind it again',
      ready: expect.stringMatching(/^DeviceError: huge: .*1024.*256/s) as string,
      afterReady: expect.stringMatching(/^DeviceError: huge: .*1024.*256/s) as string,
      dispatchAfter: expect.stringMatching(/^DeviceError: huge: .*1024.*256/s) as string,
    })
    expect(said['stage']).toMatch(/^NoSuchKernel: colour is no compute entry point; there are: .*fragment colour/)
  })
  test('a refused bind keeps nothing, and destroy frees what bind made; no error is left to the device', () => {
    const [mistakes, made, live, scopes] = said['careful'] as [string[], number, number, number]
    expect(mistakes).toEqual([
      `BufferError: buffer points: expected a Float32Array, ${bytes}, but number 5 came`,
      'WrongBuffer: points: the buffer is of another device; make one of this program',
    ])
    expect(made).toBeGreaterThan(0)
    expect([live, scopes]).toEqual([0, 0])
    expect(said['freed']).toEqual([true, 0, 0, []])
  })
  test('a lost device says so', () =>
    expect(new Set(said['lost'] as string[])).toEqual(
      new Set(['DeviceLost: the device is lost, for it was destroyed; attach the program to another']),
    ))
})
