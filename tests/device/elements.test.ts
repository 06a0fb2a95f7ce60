import { afterAll, describe, expect, test } from 'vitest'
import { compile } from '../../src/index.ts'
import { closeGpu } from '../support/gpu.ts'
import { runEverywhere, targetsOf } from '../support/three-targets.ts'

afterAll(closeGpu)

const count = 12
const threads = 32

/** A kernel that loads 12 elements, differentiates a loop over them that some threads leave early, and stores what came of each. */
function kernel(input: string, store: string, more = ''): string {
  return `struct Part : IDifferentiable { float2 at; float size; }
struct Parts : IDifferentiable { Part list[${count}]; }
${more}
${input}
[Differentiable] float loss(Parts parts, no_diff float x)
{
    float left = 1.0, sum = 0.0;
    for (int i = 0; i < ${count}; i++)
    {
        Part p = parts.list[i];
        float w = p.size * exp(-dot(p.at, p.at) * x);
        if (w < 0.05)
            continue;
        sum += left * w * p.at.x;
        left *= 1.0 - w;
        if (left < 0.2)
            break;
    }
    return sum + left;
}
[shader("compute")] [numthreads(${threads}, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    Parts parts;
    for (int i = 0; i < ${count}; i++)
        parts.list[i] = read(id.x, i);
    var p = diffPair(parts);
    bwd_diff(loss)(p, 0.2 + 0.1 * id.x, 1.0);
    for (int i = 0; i < ${count}; i++)
    {
        Part d = p.d.list[i];
        ${store}
    }
}`
}

const floats = (type: string): string => `${type}<float> inp; RWStructuredBuffer<float> outp;
Part read(uint t, int i)
{
    uint o = (t / 8) * ${count * 3} + i * 3;
    return { float2(inp[o], inp[o + 1]), inp[o + 2] };
}`
const structs = `StructuredBuffer<Part> inp; RWStructuredBuffer<Part> outp;
Part read(uint t, int i) { return inp[(t / 8) * ${count} + i]; }`
const places = `uint o = id.x * ${count * 3} + i * 3; outp[o] = d.at.x; outp[o + 1] = d.at.y; outp[o + 2] = d.size;`

/** What all targets must agree on; gives the arrays that the WGSL keeps in memory. */
async function arraysOf(source: string): Promise<string[]> {
  const program = compile(source, { verify: true })
  const bytes = (numbers: number, f: (i: number) => number): Uint8Array =>
    new Uint8Array(Float32Array.from({ length: numbers }, (_, i) => f(i)).buffer)
  const buffers: Record<string, Uint8Array> = {
    inp: bytes((threads / 8) * count * 4, i => 0.1 + 0.8 * ((i * 0.618) % 1)),
    outp: bytes(threads * count * 4, () => 7),
  }
  if (source.includes(' more;')) buffers['more'] = bytes(threads * count, () => 7)
  await runEverywhere(await targetsOf(program), 'main', [1, 1, 1], buffers, {}, 'largest')
  const { code } = program.wgsl()
  return [...code.matchAll(/var (\w+)/g)].map(m => m[1]!).filter(name => code.includes(` ${name}[`))
}

describe('elements that a buffer holds need no array beside it', () => {
  test.each([
    ['floats', kernel(floats('StructuredBuffer'), places)],
    ['structs', kernel(structs, `outp[id.x * ${count} + i] = d;`)],
    ['places that go down', kernel(structs, `outp[id.x * ${count} + ${count - 1} - i] = d;`)],
    [
      'a step of gradient descent',
      kernel(
        structs,
        `Part s = parts.list[i]; outp[id.x * ${count} + i] = { s.at - 0.1 * d.at, s.size - 0.1 * d.size };`,
      ),
    ],
  ])('%s', async (_, source) => {
    // What the reverse pass keeps of each trip.
    expect(await arraysOf(source)).toEqual(['left'])
  })

  test.each([
    ['a buffer that may change', kernel(floats('RWStructuredBuffer'), places), 2],
    [
      'places that threads share',
      kernel(
        structs,
        `outp[i % 3] = { float2(0.5, 0.5), 2.0 }; more[id.x * ${count} + i] = d.size;`,
        'RWStructuredBuffer<float> more;',
      ),
      2,
    ],
    [
      'a sum besides',
      kernel(
        structs,
        `outp[id.x * ${count} + i] = d; more[id.x] = i == 0 ? d.size : more[id.x] + d.size;`,
        'RWStructuredBuffer<float> more;',
      ),
      2,
    ],
  ])('but %s does', async (_, source, arrays) => {
    expect((await arraysOf(source)).length).toBe(arrays)
  })
})
