/** Entry points with generic parameters are compiled with the arguments that the caller gives. */
import { describe, expect, test } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile, type Program } from '../../src/index.ts'
import { evaluate } from '../support/js-run.ts'

const source = `
interface IScale { static float of(float x); }
struct Twice : IScale { static float of(float x) { return 2 * x; } }
RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(N, M + 1, 1)]
void main<let N : int, let M : int>(uint i : SV_GroupIndex, uniform float[N] weights) { outp[i] = weights[i % N] * 10 + N; }
[numthreads(2, 1, 1)] void scaled<S : IScale>(uint i : SV_GroupIndex) { outp[i] = S.of(i + 1); }
[numthreads(1, 1, 1)] void plain() { outp[0] = 1; }`

function built(...entries: string[]): Program {
  return compile(source, { fileName: 'main.slang', verify: true, entries })
}

describe('entry points with generic parameters', () => {
  test('are instances with group sizes, uniforms and names of their own', () => {
    const program = built('main<3, 0>', 'main<2, 1>', 'scaled<Twice>', 'plain')
    expect(program.diagnostics).toEqual([])
    expect(program.entries.map(e => [e.name, e.workgroupSize])).toEqual([
      ['main_3_0', [3, 1, 1]],
      ['main_2_1', [2, 2, 1]],
      ['scaled_Twice', [2, 1, 1]],
      ['plain', [1, 1, 1]],
    ])
    const { code } = program.wgsl()
    for (const text of ['@workgroup_size(3, 1, 1)\nfn main_3_0', '@workgroup_size(2, 2, 1)\nfn main_2_1'])
      expect(code).toContain(text)
  })

  test('run on CPUs with what they were made for', () => {
    const program = built('main<2, 1>', 'scaled<Twice>')
    const kernels = evaluate(program.js().code)
    const machine = loadSync(program)
    const run = (dispatch: (outp: Float32Array) => unknown): number[] => {
      const outp = new Float32Array(4)
      dispatch(outp)
      return [...outp]
    }
    const uniforms = { globalParams: { weights: [5, 7] } }
    expect(run(outp => kernels['main_2_1']!([1, 1, 1], { outp, ...uniforms }))).toEqual([52, 72, 52, 72])
    expect(run(outp => machine.kernel('main_2_1').dispatch([1, 1, 1], { buffers: { outp }, uniforms }))).toEqual([
      52, 72, 52, 72,
    ])
    expect(run(outp => machine.kernel('scaled_Twice').dispatch([1, 1, 1], { buffers: { outp } }))).toEqual([2, 4, 0, 0])
  })

  test('are left out with a note where nobody gives the arguments', () => {
    const program = compile(source)
    expect(program.diagnostics.map(d => [d.severity, d.code])).toEqual([
      ['note', 'N38011'],
      ['note', 'N38011'],
    ])
    expect(program.entries.map(e => e.name)).toEqual(['plain'])
  })

  test.each([
    ['main', 'E38000'],
    ['main<1>', 'E38000'],
    ['main<1, 2, 3>', 'E38000'],
    ['main<0, 1>', 'E31102'],
    ['main<1, -1>', 'E31102'],
    ['main<64, 64>', 'E31102'],
    ['main<nowhere, 1>', 'E30015'],
    ['scaled<float>', 'E38029'],
    ['scaled<Twice>; void f() {', 'E38000'],
    ['plain<1>', 'E38000'],
    ['nobody<1>', 'E30015'],
  ])('%s is refused', (entry, code) => {
    expect(built(entry).diagnostics.map(d => d.code)).toEqual([code])
  })
})
