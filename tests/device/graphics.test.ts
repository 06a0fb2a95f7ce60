/** Vertex and fragment entry points: programs under tests/graphics are drawn on the GPU, and every pixel is compared. */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { pack, type Plain } from '../../src/gpu/pack.ts'
import { compile, type BindingInfo, type Reflection } from '../../src/index.ts'
import { closeGpu, drawWgsl, type Drawing, type GpuResource } from '../support/gpu.ts'
import { bindKnown } from '../support/known-textures.ts'

afterAll(closeGpu)

const size = 8

interface Picture extends Partial<Drawing> {
  readonly uniforms?: Readonly<Record<string, Plain>>
  readonly buffers?: Readonly<Record<string, Uint8Array>>
  readonly resources?: (bindings: readonly BindingInfo[]) => readonly GpuResource[]
}

function uniform(b: BindingInfo, value: Plain): GpuResource {
  const bytes = new Uint8Array(Math.ceil(b.type!.size / 16) * 16)
  pack(new DataView(bytes.buffer), 0, b.type!, value, b.name)
  return { group: b.group, binding: b.binding, kind: 'uniform', bytes }
}

/** Draws with a program's vertex and fragment entry point; by default one triangle that covers all. */
async function draw(
  name: string,
  picture: Picture = {},
): Promise<{ readonly at: (target: number, x: number, y: number) => number[]; readonly reflection: Reflection }> {
  const source = readFileSync(new URL(`../graphics/${name}.slang`, import.meta.url), 'utf8')
  let at: ((target: number, x: number, y: number) => number[]) | undefined
  let reflection: Reflection | undefined
  for (const optimize of [0, 2] as const) {
    const program = compile(source, { fileName: name, verify: true, optimize })
    expect(program.diagnostics.filter(d => d.severity === 'error')).toEqual([])
    const wgsl = program.wgsl()
    reflection = wgsl.reflection
    const fragment = reflection.entries.find(e => e.stage === 'fragment')!
    const targets = fragment.outputs.filter(o => o.location !== null).map(() => 'rgba32float')
    const { uniforms = {}, buffers = {}, resources, ...rest } = picture
    const bindings = [
      ...reflection.bindings.filter(b => uniforms[b.name] !== undefined).map(b => uniform(b, uniforms[b.name]!)),
      ...reflection.bindings
        .filter(b => buffers[b.name] !== undefined)
        .map((b): GpuResource => ({
          group: b.group,
          binding: b.binding,
          kind: b.kind as 'storage',
          bytes: buffers[b.name]!,
        })),
      ...(resources?.(reflection.bindings) ?? []),
    ]
    const pictures = await drawWgsl(wgsl.code, {
      vertex: reflection.entries.find(e => e.stage === 'vertex')!.target,
      fragment: fragment.target,
      vertexBuffers: [],
      bindings,
      targets,
      size,
      count: 3,
      instances: 1,
      ...rest,
    })
    const own = (target: number, x: number, y: number): number[] => [
      ...pictures[target]!.subarray((y * size + x) * 4, (y * size + x) * 4 + 4),
    ]
    if (at !== undefined)
      for (let i = 0; i < pictures.length * size * size; i++) {
        const [target, y, x] = [Math.floor(i / size ** 2), Math.floor(i / size) % size, i % size]
        expect(own(target, x, y), 'with and without optimising').toEqual(at(target, x, y))
      }
    at = own
  }
  return { at: at!, reflection: reflection! }
}

const close = (found: readonly number[], expected: readonly number[]): void => {
  expect(found.length).toBe(expected.length)
  found.forEach((x, i) => expect(x).toBeCloseTo(expected[i]!, 5))
}

/** Where the centre of a pixel is, from 0 to 1. */
const middle = (i: number): number => (i + 0.5) / size

describe('pictures', () => {
  test('a triangle without vertex buffers, and the position of the pixel', async () => {
    const { at } = await draw('position', { uniforms: { globalParams: { scale: 0.5 } } })
    for (let y = 0; y < size; y++)
      for (let x = 0; x < size; x++) close(at(0, x, y), [x + 0.5, y + 0.5, (x + y + 1) * 0.5, 1])
  })

  test('by entry points that share a name', async () => {
    const { at, reflection } = await draw('one-name')
    for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) close(at(0, x, y), [x + 0.5, y + 0.5, 7, 1])
    expect(reflection.entries.map(e => [e.name, e.stage])).toEqual([
      ['main', 'vertex'],
      ['main', 'fragment'],
      ['main', 'compute'],
    ])
    expect(new Set(reflection.entries.map(e => e.target)).size).toBe(3)
  })

  test('vertex buffers, instances, and structs of varyings', async () => {
    const corners = new Float32Array([-1, -1, 0, 0, 1, -1, 1, 0, -1, 1, 0, 1, 1, 1, 1, 1])
    const order = [0, 1, 2, 2, 1, 3]
    const vertices = new Float32Array(order.flatMap(i => [...corners.subarray(i * 4, i * 4 + 4)]))
    const { at, reflection } = await draw('varyings', {
      count: 6,
      instances: 2,
      uniforms: { view: { offset: [0.25, 0.5], tint: [1, 2, 3] } },
      vertexBuffers: [
        {
          bytes: new Uint8Array(vertices.buffer),
          stride: 16,
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float32x2' },
            { shaderLocation: 1, offset: 8, format: 'float32x2' },
          ],
        },
        {
          bytes: new Uint8Array(new Uint32Array([7, 9]).buffer),
          stride: 4,
          perInstance: true,
          attributes: [{ shaderLocation: 2, offset: 0, format: 'uint32' }],
        },
      ],
    })
    // The first instance covers the left half, the second the right.
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const left = x < size / 2
        const u = left ? middle(x) * 2 : middle(x) * 2 - 1
        close(at(0, x, y), [u + 0.25, 1 - middle(y) + 0.5, left ? 7 : 9, 1])
        close(at(1, x, y), [u, 2 * (1 - middle(y)), 3, left ? 0 : 1])
      }
    }
    const [vertex, fragment] = reflection.entries
    expect(vertex!.inputs.map(i => [i.name, i.semantic, i.location])).toEqual([
      ['at', 'POSITION0', 0],
      ['uv', 'TEXCOORD0', 1],
      ['id', 'ID0', 2],
      ['instance', 'SV_INSTANCEID', null],
    ])
    expect(vertex!.outputs.map(o => [o.semantic, o.builtin, o.location, o.interpolation])).toEqual([
      ['SV_POSITION', 'position', null, ''],
      ['TEXCOORD0', null, 0, ''],
      ['ID0', null, 1, 'flat'],
      ['COLOR0', null, 2, ''],
      ['WHICH0', null, 3, 'flat'],
      ['KEPT0', null, 4, ''],
    ])
    expect(fragment!.inputs.map(i => [i.semantic, i.location])).toEqual([
      ['COLOR0', 2],
      ['WHICH0', 3],
      ['KEPT0', 4],
      ['TEXCOORD0', 0],
      ['ID0', 1],
    ])
    expect(fragment!.outputs.map(o => [o.name, o.semantic, o.location])).toEqual([
      ['first', 'SV_TARGET0', 0],
      ['second', 'SV_TARGET1', 1],
    ])
  })

  test('interpolation: flat, linear on the screen, and with perspective', async () => {
    const { at } = await draw('interpolation')
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        // The corners lie at (0, 0), (2, 0) and (0, 2) of the picture, with w of 1, 2 and 4.
        const [a, b] = [middle(x) / 2, (1 - middle(y)) / 2]
        const w = 1 / ((1 - a - b) / 1 + a / 2 + b / 4)
        close(at(0, x, y), [10, a, (w * a) / 2, (w * b) / 4])
      }
    }
  })

  test('discard, facing, depth, and derivatives between pixels', async () => {
    const { at } = await draw('fragments', { depth: true, count: 6 })
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        if (x < 2) expect(at(0, x, y)).toEqual([0, 0, 0, 0])
        // The second triangle is nearer in the lower half.
        else close(at(0, x, y), [y < size / 2 ? 1 : 2, 3, -2, 5])
      }
    }
  })

  test.each(['sampling', 'combined-samplers'])('%s of every shape, by the distance between pixels', async name => {
    const { at } = await draw(name, { resources: bindings => bindings.filter(b => b.handle !== null).map(bindKnown) })
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const [u, v] = [Math.floor(x / 2), Math.floor(y / 2)]
        close(at(0, x, y), [u, v, u, 1])
        close(at(1, x, y), [11 * u + (x >= 4 ? 1 : 0), 11 * v, 1 * 4 + 3 + (4 + 4 + 10 + 4), (u / 4 > 0.3 ? 4 : 0) + 2])
      }
    }
  })

  test('system values may be variables of the module', async () => {
    const { at } = await draw('module-ids')
    expect(at(0, 3, 5)).toEqual([3.5 / 8, 5.5 / 8, 0, expect.anything()])
  })

  test('numbers of vertices and instances, as Vulkan names them', async () => {
    const { at } = await draw('vulkan-ids')
    close(at(0, 3, 3), [1, 1, 2, 3])
  })

  test('slopes taken before some pixels leave', async () => {
    const { at } = await draw('slopes-before-leaving')
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) close(at(0, x, y), x < 4 ? [0, 0, 0, 0] : [5, 1, 1, 1])
    }
  })

  test('a differentiable function in a fragment', async () => {
    const { at } = await draw('gradient', { buffers: { weights: new Uint8Array(new Float32Array([2, 3]).buffer) } })
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const [u, v] = [middle(x), middle(y)]
        close(at(0, x, y), [2 * u * u * v, 2 * 2 * u * v, 2 * u * u, 3])
      }
    }
  })
})

describe('what a stage has not is refused', () => {
  const vertex = (body: string): string => `RWStructuredBuffer<float> outp; groupshared float shared;
[shader("vertex")] float4 main(uint i : SV_VertexID) : SV_Position { ${body} }`
  test.each([
    ['a writable buffer in vertices', vertex('return outp[i];'), /E36107.*the writable buffer outp/],
    ['printing from vertices', vertex('printf("%d", i); return 0;'), /E36107.*printf/],
    ['shared memory of vertices', vertex('return shared;'), /E36107.*groupshared shared/],
    ['waiting for other vertices', vertex('GroupMemoryBarrierWithGroupSync(); return 0;'), /E36107.*a barrier/],
    ['discard in vertices', vertex('if (i > 3) discard; return 0;'), /E36107.*discard/],
    [
      'a number of primitives',
      '[shader("fragment")] float4 main(uint i : SV_PrimitiveID) : SV_Target { return float4(i); }',
      /E37005.*SV_PRIMITIVEID/,
    ],
    [
      'sampling by distance in compute',
      `Texture2D t; SamplerState s; RWStructuredBuffer<float4> outp;
[numthreads(1, 1, 1)] void main() { outp[0] = t.Sample(s, float2(0.5)); }`,
      /E36107.*Sample /,
    ],
    [
      'a position of three numbers',
      '[shader("fragment")] float4 main(float4 p : SV_Position, out float2 depth : SV_Depth) : SV_Target { depth = p.xy; return p; }',
      /E38024.*depth/,
    ],
  ])('%s', (_, source, message) => {
    const program = compile(source)
    expect(() => program.wgsl()).toThrow(message)
  })
})
