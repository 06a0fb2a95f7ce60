import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Diagnostic, Example } from '../../src/base/diag.ts'
import { wgslCore } from '../../src/check/core-wgsl.generated.ts'
import { PackedLibrary } from '../../src/check/modules/packed.ts'
import { compile, renderDiagnostic } from '../../src/index.ts'
import { compile as compileForGpus } from '../../src/wgsl.ts'
import { library } from '../../src/library.ts'

const functions = [
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'asinh',
  'acosh',
  'atanh',
  'exp',
  'exp2',
  'log',
  'log2',
  'log10',
  'sqrt',
  'rsqrt',
  'abs',
]

const elementary = `RWStructuredBuffer<float> data;
[Differentiable] float all(float x, float y) { return ${functions.map(f => `${f}(x)`).join(' + ')} + pow(x, y) + atan2(x, y) + fmod(x, y) + half(sin(half(x))); }
[shader("compute")] [numthreads(1, 1, 1)]
void main() { var x = diffPair(data[0]); var y = diffPair(data[1]); bwd_diff(all)(x, y, 1.0); data[0] = x.d + y.d + all(x.p, y.p); }
`

const example = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../examples/${name}/${name}.slang`), 'utf8')

it.each([['elementary functions', elementary], ...['splat2d', 'brdf', 'spring'].map(name => [name, example(name)])])(
  'cotangent/wgsl gives the same code: %s',
  (_, source) => {
    const [own, whole] = [compileForGpus(source), compile(source)]
    expect(own.diagnostics.map(d => d.message)).toEqual(whole.diagnostics.map(d => d.message))
    expect(own.wgsl().code).toBe(whole.wgsl().code)
  },
)

const networks = `RWStructuredBuffer<float> data;
[Differentiable] float f(CoopVec<float, 3> v) { let w = tanh(v * v); return w[0] + w[2]; }
[shader("compute")] [numthreads(1, 1, 1)]
void main() { var v = diffPair(CoopVec<float, 3>(data[0])); bwd_diff(f)(v, 1.0); data[1] = v.d[2]; }
`
const tensors = `DiffTensorView t;
[Differentiable] float f(uint i) { return t.load(i) * t.load(i); }
[shader("compute")] [numthreads(1, 1, 1)] void main() { bwd_diff(f)(cudaThreadIdx().x, 1.0); }
`
const waves = `RWStructuredBuffer<float> data;
[shader("compute")] [numthreads(32, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { data[id.x] = WaveActiveSum(data[id.x]); }
`

it.each([
  ['CoopVec', networks],
  ['tensors', tensors],
  ['waves', waves],
])('cotangent/wgsl has %s where cotangent/library is given, and says else what to give', (_, source) => {
  const options = { library }
  expect(compileForGpus(source, options).wgsl().code).toBe(compile(source).wgsl().code)
  expect(compileForGpus(example('spring'), options).wgsl().code).toBe(compile(example('spring')).wgsl().code)
  const alone = compileForGpus(source)
  expect(alone.diagnostics.map(d => d.code)).toContain('E50100')
  expect(alone.diagnostics[0]?.message).toContain('cotangent/library')
  const wrong = compileForGpus(source, { library: [{ text: 1 }] as never })
  expect(wrong.diagnostics[0]?.message).toContain('a list of files of the core library')
})

it('every name that cotangent/library declares is told to be there', () => {
  const names = Object.keys(new PackedLibrary(library).names).filter(
    name => !name.startsWith('__') && wgslCore.names[name] === undefined,
  )
  expect(names.length).toBeGreaterThan(30)
  for (const name of names) {
    const { diagnostics } = compileForGpus(`public void f() { ${name}(0); }`)
    expect(diagnostics[0]?.message, name).toContain('cotangent/library')
  }
})

it('cotangent/wgsl says of what only CPUs have what the whole library says', () => {
  const source =
    'RWStructuredBuffer<float> o; [shader("compute")] [numthreads(1, 1, 1)] void main() { o[0] = float(sin(double(o[1]))); }'
  const message = (program: { wgsl(): unknown }): string => {
    try {
      program.wgsl()
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(message(compileForGpus(source))).toContain('E37001')
  expect(message(compileForGpus(source))).toBe(message(compile(source)))
})

it('cotangent/wgsl finds what the whole library finds in every example of the catalogue and every program with mistakes', async () => {
  const errors = join(import.meta.dirname, '../../src/base/errors')
  const programs: Exclude<Example, string>[] = []
  for (const file of readdirSync(errors).filter(f => f.endsWith('.examples.ts'))) {
    const { examples } = (await import(join(errors, file))) as { readonly examples: Record<string, Example> }
    for (const example of Object.values(examples))
      programs.push(typeof example === 'string' ? { source: example } : example)
  }
  const diag = join(import.meta.dirname, '../diag')
  for (const file of readdirSync(diag).filter(f => f.endsWith('.slang')))
    programs.push({ source: readFileSync(join(diag, file), 'utf8') })
  expect(programs.length).toBeGreaterThan(200)
  for (const { source, files, resolve, entry, exports, maxContext } of programs) {
    const options = { files, resolve, entries: entry === undefined ? undefined : [entry], exports, maxContext }
    const found = (program: { readonly diagnostics: readonly Diagnostic[] }): readonly string[] =>
      program.diagnostics.map(d => renderDiagnostic(d))
    expect(found(compileForGpus(source, options)), source).toEqual(found(compile(source, options)))
  }
})
