import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { bundleSize, limits, pageLimit, pageSize } from '../../bench/size.mjs'
import { loadParts, type PartLoaders } from '../../src/gpu/parts.ts'
import { compile } from '../../src/index.ts'

const here = join(import.meta.dirname, '..')
const programs = [
  'examples/splat2d/splat2d',
  'examples/brdf/brdf',
  'examples/spring/spring',
  'tests/diag/names',
  'tests/diag/generics',
  'tests/lang/run/dispatch',
  'tests/graphics/varyings',
]

const json = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, v: unknown) =>
      typeof v === 'bigint' ? String(v) : v instanceof Uint8Array ? Buffer.from(v).toString('base64') : v,
    ),
  )

/** What a program gives: what is wrong with it, or code, reflection, interfaces and what is told of its derivatives. */
function outcome(using: typeof compile, path: string): unknown {
  const program = using(readFileSync(join(here, `../${path}.slang`), 'utf8'), { fileName: 'a.slang' })
  const messages = program.diagnostics.map(d => `${d.code} ${d.message} ${d.span?.start}`)
  const all = program.ok
    ? { wgsl: program.wgsl(), wasm: program.wasm(), js: program.js(), ir: program.ir(), explained: program.explain() }
    : null
  return json({ messages, functions: program.functions, entries: program.entries, exports: program.exports, all })
}

it('a minified bundle gives what the sources give', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  try {
    const outfile = join(folder, 'index.mjs')
    await build({
      entryPoints: [join(here, '../src/index.ts')],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      platform: 'browser',
      outfile,
      logLevel: 'error',
    })
    const bundled = (await import(pathToFileURL(outfile).href)) as { compile: typeof compile }
    for (const path of programs) expect(outcome(bundled.compile, path), path).toEqual(outcome(compile, path))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it.each(Object.entries(limits))(
  '%s is at most %s bytes, minified and gzipped, core library included',
  async (entry, most) => {
    const { gzip } = await bundleSize(entry)
    expect(gzip).toBeGreaterThan(most / 2)
    expect(gzip).toBeLessThanOrEqual(most)
  },
)

it('a page loads the runtime for GPUs in one piece of few bytes, and its parts later', async () => {
  const { first, files, later } = await pageSize()
  expect(first).toBeGreaterThan(pageLimit / 2)
  expect(first).toBeLessThanOrEqual(pageLimit)
  // The page itself, and what every page loads.
  expect(files).toBe(2)
  const parts = ['texture', 'print', 'tensors', 'run', 'gradient', 'refusal', 'replace', 'rare']
  for (const part of parts) expect(Object.keys(later).some(name => name.startsWith(`${part}-`))).toBe(true)
})

it.each([
  ['RWStructuredBuffer<float> o; uniform float rate;', 'o[0] -= rate;', []],
  ['RWStructuredBuffer<float> o; Texture2D t; SamplerState s;', 'o[0] = t.SampleLevel(s, 0.5, 0).x;', ['textures']],
  ['RWStructuredBuffer<float> o;', 'printf("%f", o[0]);', ['prints']],
  ['RWStructuredBuffer<float> o; TensorView<float> t;', 'o[0] = t[0];', ['tensors']],
  ['RWStructuredBuffer<float> o; DiffStructuredBuffer<float> d;', 'o[0] = d[0];', ['tensors']],
  ['RWStructuredBuffer<float> o; uniform uint64_t n;', 'o[0] = float(n);', ['rare']],
])('%s %s needs these parts of the runtime for GPUs: %s', async (declarations, body, expected) => {
  const loaded: string[] = []
  const load = (name: string) => (): Promise<never> => {
    loaded.push(name)
    return Promise.reject(new Error('not here'))
  }
  const loaders: PartLoaders = {
    textures: load('textures'),
    prints: load('prints'),
    tensors: load('tensors'),
    rare: load('rare'),
  }
  const program = compile(`${declarations} [shader("compute")] [numthreads(1, 1, 1)] void main() { ${body} }`)
  await loadParts(loaders, [program.wgsl().reflection]).catch(() => undefined)
  expect(loaded).toEqual(expected)
})
