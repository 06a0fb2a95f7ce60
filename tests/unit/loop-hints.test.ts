import { expect, it } from 'vitest'
import { compile } from '../../src/index.ts'

/** The loops of the WGSL of a kernel that writes a function's derivative, and one that calls it. */
function loops(hint: string, trips: number): number[] {
  const source = `RWStructuredBuffer<float> buf;
[Differentiable] float f(float x)
{
    float a[${trips}];
    float s = 0;
    ${hint} for (int i = 0; i < ${trips}; i++) { a[i] = sin(x * i); s += a[i] * a[i]; }
    return s;
}
[shader("compute")] [numthreads(1, 1, 1)] void primal() { buf[0] = f(buf[1]); }
[shader("compute")] [numthreads(1, 1, 1)] void reverse() { var p = diffPair(buf[1]); bwd_diff(f)(p, 1.0); buf[0] = p.d; }`
  return ['primal', 'reverse'].map(entry => {
    const { code } = compile(source, { fileName: 'hints.slang' }).wgsl({ entries: [entry] })
    return [...code.matchAll(/\b(?:for|while|loop)\b/g)].length
  })
}

it('[loop] keeps a loop and that of its reverse, which would be written out', () => {
  expect(loops('', 3)).toEqual([0, 0])
  expect(loops('[loop]', 3)).toEqual([1, 1])
})

it('[unroll] asks for loops to be written out that would stay, and leaves those of too many trips', () => {
  expect(loops('', 12)[1]).toBeGreaterThan(0)
  expect(loops('[unroll]', 12)).toEqual([0, 0])
  expect(loops('[unroll]', 65)[1]).toBeGreaterThan(0)
})
