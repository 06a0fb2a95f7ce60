import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { bundleSize, limits } from '../../bench/size.mjs'
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
