/**
 * Every function, method and accessor of the library is used by a program that the tests run on all targets: the cases of
 * `library-cases.ts`, whose derivatives are tested too, or the programs of `tests/target`. What not every target has is run or
 * compiled here on those that have it.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'
import { evaluate } from '../support/js-run.ts'
import { framed, readCases } from '../support/cases.ts'
import { libraryCases } from '../support/library-cases.ts'
import { libraryDeclarations, usedDeclarations } from '../support/library-declarations.ts'

afterAll(closeGpu)

/** What only CPUs have: 64-bit numbers and output. */
const onCpu = `
public bool4 doubles(double x, double y) { return bool4(isinf(x), isfinite(x), isinf(y), isfinite(y)); }
public int halves(half x, uint16_t y)
{
    int16_t4 s = unpack_s8s16(pack_s8(int4(-1, 2, -3, 4)));
    uint16_t4 u = unpack_u8u16(0x04030201u);
    half2 both = asfloat16(asuint16(half2(x, 2.0h))) + asfloat16(asint16(half2(x, 2.0h)));
    half one = asfloat16(asuint16(x)) + asfloat16(asint16(x)) + asfloat16(x) + asfloat16(y) + asfloat16(int16_t(y));
    return int(both.x * 1000) + int(one * 10) + int(asuint16(int16_t(-1))) + int(asint16(uint16_t(65535))) + int(asuint16(y)) + int(asint16(int16_t(y)))
        + s.x + s.z + u.w;
}
public double bits16(half x, double y)
{
    half2 pair = half2(1.0h, 2.0h);
    half2 made = f32tof16_(float2(1.0, 2.0));
    double sum = f16tof32(x) + f16tof32(pair).y + f32tof16_(2.5) + made.x + made.y;
    half4 u = unpackUnorm4x8ToHalf(0xff0000ffu);
    sum += u.x + u.w + unpackSnorm4x8ToHalf(0x7fu).x + unpackUnorm2x16ToHalf(0xffffu).x + unpackSnorm2x16ToHalf(0x7fffu).x + unpackHalf2x16ToHalf(0x3c00u).x;
    sum += dot2add(pair, half2(3.0h, 4.0h), 5.0) + (nextafter(1.0h, 2.0h) - 1.0h) * 1024.0h;
    return sum + (nextafter(1.0lf, y) - 1.0lf) * 4503599627370496.0lf;
}
public uint2 words(double x)
{
    uint low, high;
    asuint(x, low, high);
    uint2 lows, highs;
    asuint(double2(asdouble(low, high), asdouble(uint2(low, 0), uint2(high, 0)).x), lows, highs);
    return uint2(lows.x | lows.y, highs.x & highs.y);
}
public float prints(float x)
{
    printf("none\\n");
    printf("%f\\n", x);
    printf("%d %d\\n", 1, 2);
    printf("%d %d %d\\n", 1, 2, 3);
    printf("%d %d %d %d\\n", 1, 2, 3, 4);
    printf("%d %d %d %d %d\\n", 1, 2, 3, 4, 5);
    printf("%d %d %d %d %d %d\\n", 1, 2, 3, 4, 5, 6);
    return x;
}
`

/** What only fragments have. */
const inFragments = `
[shader("fragment")]
float4 fragmentMain(float2 at : TEXCOORD) : SV_Target
{
    float2 slopes = ddx(at) + ddy(at) + ddx_fine(at) + ddy_fine(at) + ddx_coarse(at) + ddy_coarse(at);
    clip(at.x);
    clip(at);
    return float4(slopes, fwidth(slopes));
}
`

/** What only GPUs have: textures of several samples a texel, which tests cannot fill. */
const onGpu = `
Texture2DMS<float4> picture;
RWStructuredBuffer<float4> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    uint w, h, n;
    picture.GetDimensions(w, h, n);
    outp[id.x] = (picture.Load(int2(1, 2), 3) + picture.Load(int3(1, 2, 3))) * float(w + h + n);
}
`

/** What no target has: tests/golden/diag.test.ts shows that it is refused by name. */
const nowhere = `
Texture1DArray<float4> rows;
Texture2DMSArray<float4> samples;
RWTexture1DArray<float4> written;
Texture2D<int4> integers;
SamplerState linear;
float4 all() { return float4(integers.SampleLevel(linear, float2(0), 0)) + rows.Load(int3(0)) + samples.Load(int3(0), 0) + written.Load(int2(0)) + rows[uint2(0)] + written[uint2(0)]; }
void write() { written[uint2(0)] = float4(0.0); }
`

/** Differentiable functions whose derivatives no case can take by numbers; each is differentiated in a program of tests/target or tests/lang. */
const byPrograms: readonly RegExp[] = [
  /^Diff(TensorView|(RW)?StructuredBuffer|Texture2D): /,
  /^\^?(?:Texture|Sampler)2D.* SampleLevel/,
  /IDifferentiablePtrType/,
  /^DifferentialPtrPair: /,
  /^Conditional: /,
  /^DifferentialPair<T>diffPair/,
  /^CoopVec/,
  /^__Tuple0/,
  /^void unmodified/,
]

/** What programs reach through an interface alone: `tests/lang/targets/arrays.slang`. */
const byRequirement = /^(?:RW)?StructuredBuffer: __subscript\(uint index\)->T [gs]et$/

/** Programs that other tests run: on all targets, and on GPUs. */
const folders = ['target', 'textures', 'graphics', 'waves'].map(name => new URL(`../${name}/`, import.meta.url))

const usedBy = (sources: readonly string[]): ReadonlySet<string> =>
  new Set(sources.flatMap(source => [...usedDeclarations(source)]))

describe('the library', () => {
  const all = libraryDeclarations()
  const inCases = usedBy(libraryCases.map(c => c.source))
  const inPrograms = usedBy([
    ...folders.flatMap(folder =>
      readdirSync(folder)
        .filter(f => f.endsWith('.slang'))
        .map(f => readFileSync(new URL(f, folder), 'utf8')),
    ),
    ...['lang/targets', 'census'].flatMap(folder =>
      readCases(folder)
        .filter(c => c.numbers !== undefined && Object.keys(c.files).length === 0)
        .map(framed),
    ),
  ])

  test('has no two declarations that look the same', () => {
    expect(all.length).toBe(new Set(all.map(d => d.key)).size)
  })

  test('is run on every target, all of it', () => {
    const elsewhere = usedBy([onCpu, onGpu, inFragments, nowhere])
    const used = (key: string): boolean =>
      inCases.has(key) || inPrograms.has(key) || elsewhere.has(key) || byRequirement.test(key)
    expect(all.map(d => d.key).filter(key => !used(key))).toEqual([])
  })

  test('has every derivative compared with differences, or taken by a program', () => {
    const left = all.filter(d => d.isDifferentiable && !inCases.has(d.key)).map(d => d.key)
    expect(left.filter(key => !inPrograms.has(key) || !byPrograms.some(p => p.test(key)))).toEqual([])
  })

  test('does on CPUs what only they can', () => {
    const program = compile(onCpu, { verify: true })
    expect(program.diagnostics).toEqual([])
    const lines: string[] = []
    const { code } = program.js()
    const script = evaluate(`${code}`)
    const machine = loadSync(program, { print: text => lines.push(text) })
    for (const call of [script['doubles']!, machine.fn['doubles']!])
      expect(Array.from(call(Infinity, 1) as boolean[], Boolean)).toEqual([true, false, false, true])
    for (const module of [script, machine.fn]) {
      // 1.5 is 0x3e00, and 0x4000 is 2.
      const sum = 2 * 1500 + 85 + 65535 - 1 + 2 * 0x4000 - 1 - 3 + 4
      expect(module['halves']!(1.5, 0x4000)).toBe(sum)
      // 1.5 + 2 + 2.5 + 3, six ones, 16, and a step of each precision.
      expect(module['bits16']!(1.5, 2)).toBe(9 + 6 + 16 + 2)
      expect(Array.from(module['words']!(-0.1) as number[])).toEqual([0x9999999a, 0xbfb99999])
    }
    machine.fn['prints']!(0.5)
    expect(lines.join('').split('\n')).toEqual([
      'none',
      '0.500000',
      '1 2',
      '1 2 3',
      '1 2 3 4',
      '1 2 3 4 5',
      '1 2 3 4 5 6',
      '',
    ])
  })

  test.each([
    ['several samples a texel', onGpu],
    ['derivatives between pixels', inFragments],
  ])('writes %s as WebGPU has them', async (_, source) => {
    const program = compile(source, { verify: true })
    expect(program.diagnostics).toEqual([])
    const { code } = program.wgsl()
    refuse(code, await compileWgsl(code))
  })
})
