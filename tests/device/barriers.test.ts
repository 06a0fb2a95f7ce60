import { afterAll, describe, expect, it } from 'vitest'
import { CompileError, compile } from '../../src/index.ts'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'

afterAll(closeGpu)

const sync = 'GroupMemoryBarrierWithGroupSync();'

/** Bodies of a kernel whose barriers all threads reach, by the rules of WGSL. */
const together: Readonly<Record<string, string>> = {
  'a loop on constants': `for (int k = 4; k > 0; k /= 2) { if (i < k) s[i] += s[i + k]; ${sync} }`,
  'a loop on a uniform': `for (int k = n; k > 0; k /= 2) { if (i < k) s[i] += s[i + k]; ${sync} if (k == 3) break; }`,
  'after a loop that threads leave apart': `for (int k = n; k > 0; k /= 2) { if (i < k) break; } ${sync}`,
  'after a return for all': `if (n > 3) return; ${sync}`,
  'in a function': 'sync(n); sync(n + 1);',
  'a bound from a read-only buffer': `int a = q[g.x]; for (int k = 0; k < a; k++) { s[i] += 2; ${sync} }`,
  'a bound from a table': `int a = table[g.x]; for (int k = 0; k < a; k++) { s[i] += 2; ${sync} }`,
  'an array that is written later': `int a[4]; a[n] = 2; a[1] = 3; if (a[n + 1] > n) ${sync} a[2] = i; s[i] += a[n];`,
  'a switch that threads leave apart': `switch (n) { case 0: s[i] = 1; ${sync} break; case 1: if (i > 3) break; s[i] = 3; break; default: ${sync} } ${sync}`,
  'trips that threads end apart': `for (int k = 0; k < n; k++) { if (i > k) { s[i] = 2; continue; } s[i]++; } ${sync}`,
  'the length of a buffer': `uint length, stride; o.GetDimensions(length, stride); if (length > 4) ${sync}`,
}

/** Bodies in which some threads may miss a barrier. */
const apart: Readonly<Record<string, string>> = {
  'after a return for some': `if (i > 3) return; ${sync}`,
  'a loop that shared memory ends': `while (true) { s[i] += 1; ${sync} if (s[0] > 10) break; }`,
  'in a function that some call': 'sync(i);',
  'a bound of each thread': `int a = q[i]; for (int k = 0; k < a; k++) { s[i] += 2; ${sync} }`,
  'a value chosen by each thread': `int x = 3; if (i > 2) x = 4; if (x > n) ${sync}`,
  'an array that each thread writes': `int a[4]; a[i] = 2; a[1] = 3; if (a[n + 1] > n) ${sync}`,
  'an array that a later trip reads': `int a[4]; a[n] = 2; for (int k = 0; k < n; k++) { if (a[n + 1] > n) ${sync} a[k] = i; }`,
  'the second half of a condition': `bool b = n > 2 && s[0] > 2; if (b) ${sync}`,
  'a return for some in a loop': `for (int k = 0; k < n; k++) { if (i > 3) return; } ${sync}`,
  'the result of an atomic': `int old; InterlockedAdd(c[0], 1, old); if (old > 4) ${sync}`,
}

const kernel = (body: string): string => `RWStructuredBuffer<float> o;
StructuredBuffer<int> q;
uniform int n;
groupshared float s[8];
groupshared int c[8];
static const int table[4] = { 1, 2, 3, 4 };
[noinline] void sync(int k) { if (k > 0) ${sync} }
[shader("compute")] [numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex, uint3 g : SV_GroupID) { ${body} o[i] = s[0]; }
`

describe('barriers in WGSL', () => {
  it.each(Object.entries(together))('all threads reach: %s', async (_, body) => {
    const { code } = compile(kernel(body)).wgsl()
    expect(code).toContain('workgroupBarrier();')
    refuse(code, await compileWgsl(code))
  })

  it.each(Object.entries(apart))('some threads miss: %s', (_, body) => {
    const program = compile(kernel(body))
    expect(program.diagnostics).toEqual([])
    let codes: string[] = []
    try {
      program.wgsl()
    } catch (e) {
      if (!(e instanceof CompileError)) throw e
      codes = e.diagnostics.map(d => d.code)
    }
    expect(codes).toEqual(['E37008'])
  })
})
