import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { stripExamples } from '../tools/strip-examples.mjs'
import { shortNames } from '../tools/short-names.mjs'
import { compile } from '../src/wgsl.ts'

const here = import.meta.dirname
const programs = ['examples/splat2d/splat2d', 'examples/brdf/brdf', 'examples/spring/spring', 'tests/diag/names', 'tests/diag/generics', 'tests/lang/run/dispatch', 'tests/graphics/varyings']

/** What a program gives: code, reflection and source map, or what is wrong with it. */
function outcome(using: typeof compile, path: string): unknown {
  const program = using(readFileSync(join(here, `../${path}.slang`), 'utf8'), { fileName: 'a.slang' })
  return JSON.parse(JSON.stringify({ messages: program.diagnostics.map(d => `${d.code} ${d.message} ${d.span?.start}`), functions: program.functions, wgsl: program.ok ? program.wgsl() : null }))
}

it('a minified bundle with shortened names gives what the sources give', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  try {
    const outfile = join(folder, 'wgsl.mjs')
    await build({ entryPoints: [join(here, '../src/wgsl.ts')], bundle: true, minify: true, format: 'esm', target: 'es2022', platform: 'browser', plugins: [stripExamples], ...shortNames, outfile, logLevel: 'error' })
    const bundled = await import(pathToFileURL(outfile).href) as { compile: typeof compile }
    for (const path of programs) expect(outcome(bundled.compile, path), path).toEqual(outcome(compile, path))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
