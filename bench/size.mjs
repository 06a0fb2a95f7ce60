// Bytes of minified browser bundles of the library, core library included: of the entry that only compiles to WGSL, or of the
// one that is named (`node bench/size.mjs src/index.ts`). `npm run build` need not have run.
import { build } from 'esbuild'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { writeCore } from '../tools/core-index.mjs'

/** How many bytes the bundle of an entry may have, gzipped. */
export const limits = { 'src/wgsl.ts': 256 * 1024, 'src/index.ts': 320 * 1024 }

/** Bundles one entry for browsers and gives its bytes: minified, gzipped, with Brotli. */
export async function bundleSize(entry = 'src/wgsl.ts') {
  writeCore()
  const result = await build({
    entryPoints: [fileURLToPath(new URL(`../${entry}`, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    write: false,
    logLevel: 'error',
    metafile: true,
  })
  const code = result.outputFiles[0].contents
  const inputs = Object.values(result.metafile.outputs)[0].inputs
  const parts = {}
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const part = path.endsWith('.generated.ts') ? 'core' : path.split('/').slice(1, -1).join('/') || 'top'
    parts[part] = (parts[part] ?? 0) + bytesInOutput
  }
  return {
    minified: code.length,
    gzip: gzipSync(code, { level: 9 }).length,
    brotli: brotliCompressSync(code).length,
    parts,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const entry = process.argv[2] ?? 'src/wgsl.ts'
  const limit = limits[entry] ?? Infinity
  const size = await bundleSize(entry)
  const kb = bytes => `${(bytes / 1024).toFixed(1)} KB`
  console.log(`minified ${kb(size.minified)}, gzip ${kb(size.gzip)}, brotli ${kb(size.brotli)}, limit ${kb(limit)}`)
  for (const [part, bytes] of Object.entries(size.parts).sort((a, b) => b[1] - a[1]))
    console.log(`  ${part.padEnd(16)} ${kb(bytes)}`)
  if (size.gzip > limit) process.exitCode = 1
}
