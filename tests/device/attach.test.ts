import { beforeAll, describe, expect, test } from 'vitest'
import { runScript } from '../support/script.ts'

let said: Record<string, unknown>

beforeAll(async () => {
  said = await runScript('attach-script.ts')
}, 60_000)

describe('attach', () => {
  test('typed arrays are written in place', () => expect(said['inPlace']).toEqual([20, 40, 60, 80]))
  test('plain values come back as plain values', () => expect(said['plain']).toEqual([5, 10, 15, 20]))
  test('buffers of the device are bound, written there, and not copied', () =>
    expect(said['deviceBuffer']).toEqual([[], [5, 10, 15, 20]]))
  test('structs go in and out as objects', () => {
    expect(said['structs']).toEqual([
      { direction: [1, 2, 3], power: 10 },
      { direction: [1, 2, 3], power: 11 },
    ])
  })
  test('values of interfaces go in and out with the names of their types', () => {
    const shapes = [
      { type: 'Square', value: { side: 6 } },
      { type: 'Box', value: { size: [2, 2], tall: true } },
      { type: 'Square', value: { side: 5 } },
    ]
    expect(said['interfaces']).toEqual([{ shapes }, { shapes }])
    expect(said['noInterface']).toEqual([
      'WrongUniform: uniforms.other: expected Square or Box, got "Disc"',
      'ShapeError: other.type: expected Square or Box, but the text "Disc" came',
      'WrongUniform: uniforms.other: a value of IShape has no field size; there are type, value',
      'ShapeError: other: expected an object with fields type, value for a IShape, but an object with fields type, value, size came; there is no field size',
    ])
  })
  test('textures are written in place, sampled, and bound as they are', () => {
    expect(said['painted']).toEqual([0, 0, 51, 255, 255, 0, 51, 255, 0, 255, 51, 255, 255, 255, 51, 255])
    const [sampled, texel] = said['looked'] as number[][]
    expect(sampled!.map(x => Math.round(x * 100) / 100)).toEqual([0.5, 0.5, 0.2, 1])
    expect(texel).toEqual([4, 4, 4, 4])
    expect(said['lookedAtDevice']).toEqual([
      [1, 0, 1, 0],
      [4, 4, 4, 4],
    ])
  })
  test('what is printed comes back as on the CPU, and what does not fit is said', () => {
    const lines = ['start\n', '0.500000 1 -1 2 | ff 7%\n', '0 says 0.00\n', '1 says -1.50\n', '2 says -3.00\n']
    expect(said['heard']).toEqual(lines)
    expect(said['heardOnCpu']).toEqual(lines)
    expect(said['cut']).toEqual([
      ...lines.slice(0, 3),
      'talk: 24 more bytes of output did not fit into 48; attach with larger printBytes\n',
    ])
  })
  test('kernels know the size of their groups', () =>
    expect(said['sizes']).toEqual([
      [4, 1, 1],
      [1, 1, 1],
    ]))
  test('memory of another kind, unknown names and impossible numbers of groups are refused', () => {
    const bytes = 'a list of elements, or bytes (Uint8Array, DataView or ArrayBuffer)'
    const groups = (shown: string): string =>
      `WrongGroups: shade: the number of groups is ${shown}: give three whole numbers from 0 on`
    expect(said['refused']).toEqual({
      doubles: `BufferError: buffer inp: expected a Float32Array, ${bytes}, but a Float64Array of length 4 came`,
      ints: `BufferError: buffer inp: expected a Float32Array, ${bytes}, but an Int32Array of length 4 came`,
      structs: `BufferError: buffer lights: expected a Float32Array, ${bytes}, but a Uint32Array of length 8 came`,
      number: `BufferError: buffer inp: expected a Float32Array, ${bytes}, but number 5 came`,
      uniform: expect.stringMatching(/^WrongUniform: shade uses no uniform scael: did you mean scale\?/) as string,
      field: 'WrongUniform: light: Light has no field powr: did you mean power?; there are direction, power',
      option: expect.stringMatching(
        /^UnknownOption: dispatch of shade takes no buffer: did you mean buffers\?/,
      ) as string,
      program: 'UnknownOption: attach takes a program that compile made, and null came',
      device: 'UnknownOption: attach takes a GPUDevice, and undefined came',
      attach: 'UnknownOption: attach takes no option prnt: did you mean print?; there are print, printBytes',
      negative: groups('1 × -1 × 1'),
      nan: groups('1 × NaN × 1'),
      two: groups('1 × 1'),
      hole: groups('1 × undefined × Symbol(s)'),
      bare: 'WrongUniform: light.direction: expected a vector of 3, got an Object',
      many: 'WrongGroups: shade: the number of groups is 70000 × 1 × 1, and the device allows 65535 along each dimension',
    })
  })
  test('a matrix is a list of rows or one flat list, as on the CPU', () => {
    expect(said['matrices']).toEqual([
      [62, 62],
      [62, 62],
      [62, 62],
    ])
    expect(said['shortMatrix']).toBe('WrongUniform: uniforms.m: expected a matrix of 2, got an array of 4')
  })
  test('numbers of groups are those of the call', () => expect(said['lateCounts']).toEqual([62, 62, 0]))
  test('shared memory, memory that may be resized, array buffers and views are read and written', () => {
    expect(said['shared']).toEqual([5, 10, 15, 20])
    expect(said['resizable']).toEqual([5, 10, 15, 20])
    expect(said['view']).toEqual([1, 2, 3, 10])
  })
  test('what a dispatch makes is destroyed and its scopes are closed, whatever it is refused for', () => {
    expect(said['careful']).toEqual([
      'MissingTexture: k needs the texture picture',
      'WrongBuffer: b: expected at least 4 bytes and a multiple of 4, got 3',
      'DeviceError:',
      'none',
      'Error: no printer',
    ])
    expect(said['left']).toEqual([0, 0, true])
  })
  test('what the source declares may be given, though the kernel does not need it, and what it lacks is refused, as on the CPU', () => {
    expect(said['unneeded']).toEqual({ gpu: [2], cpu: [2] })
    const wrong = {
      buffers: expect.stringContaining(' buffer cgf: did you mean cfg?;') as string,
      textures: expect.stringContaining(' texture picturf: did you mean picture?') as string,
      samplers: expect.stringContaining(' sampler staet: did you mean state?') as string,
      uniforms: expect.stringContaining(' uniform raet: did you mean rate?;') as string,
      tensors: expect.stringContaining(' tensor samplse: did you mean samples?') as string,
    }
    expect(said['unknown']).toEqual({ gpu: wrong, cpu: wrong })
  })
  test('a lost device says so', () => {
    const lost = 'DeviceLost: the device is lost, for it was destroyed; attach the program to another'
    expect(said['lost']).toEqual([lost, lost])
  })
  test('mistakes are named', () => {
    expect(said['failures']).toEqual({
      kernel: 'NoSuchKernel: nope is no compute entry point; there are: compute shade, compute copyLight',
      missing: 'MissingBuffer: shade needs the buffer outp',
      unknown: 'UnknownBuffer: shade uses no buffer lihgts: did you mean lights?; there are inp, outp',
      size: 'WrongBuffer: inp: expected at least 4 bytes and a multiple of 4, got 3',
      uniform: 'WrongUniform: uniforms.halve: expected bool, got nothing',
      shape: 'WrongUniform: light.direction: expected a vector of 3, got an array of 2',
      groups: 'WrongGroups: shade: the number of groups is 1.5 × 1 × 1: give three whole numbers from 0 on',
      texture: 'MissingTexture: look needs the texture picture',
      texels: 'WrongTexture: picture: expected 16 bytes for 2 × 2 texels of rgba8unorm, got 3 bytes',
      description:
        'WrongTexture: size of texture picture: expected a list of at most a width, a height and a depth, each a whole number above 0, but 4 came',
      filter: 'WrongTexture: magFilter of sampler state: expected one of nearest, linear, but "cubic" came',
      sampler: 'WrongTexture: look uses no sampler states: did you mean state?; there is state',
      program: expect.stringMatching(/^CompileError: .*nothing/s) as string,
    })
  })
})
