// Bytes of minified browser bundles of the library, core library included: of the entry that only compiles to WGSL, or of the
// one that is named (`node bench/size.mjs src/index.ts`). `npm run build` need not have run. `node bench/size.mjs gpu` gives those of the runtime
// for GPUs, file by file.
import { build } from 'esbuild'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { writeCore } from '../tools/core-index.mjs'
import { onePiece } from '../tools/gpu.mjs'

/** How many bytes the bundle of an entry may have, gzipped. */
export const limits = { 'src/wgsl.ts': 256 * 1024, 'src/index.ts': 369 * 1024, 'src/cpu/index.ts': 31 * 1024 }

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

/** How many bytes of the runtime for GPUs a page may load that trains with buffers and uniforms, gzipped. */
export const pageLimit = 10.75 * 1024

/** Bundles a page that attaches a program, and gives the bytes, gzipped, of what it loads at first and of each file that it may load later. */
export async function pageSize() {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents:
        "import { attach } from './src/gpu/index.ts'; globalThis.attached = attach(globalThis.program, globalThis.device)",
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    ...onePiece,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    outdir: 'page',
    chunkNames: '[name]-[hash]',
    write: false,
    logLevel: 'error',
    metafile: true,
  })
  const nameOf = path => path.split(/[/\\]/).at(-1)
  const imports = new Map(Object.entries(metafile.outputs).map(([path, of]) => [nameOf(path), of.imports]))
  const bytes = new Map(outputFiles.map(f => [nameOf(f.path), gzipSync(f.contents, { level: 9 }).length]))
  const first = new Set(['stdin.js'])
  for (const name of first)
    for (const { kind, path } of imports.get(name)) if (kind === 'import-statement') first.add(nameOf(path))
  const sum = names => names.reduce((all, name) => all + bytes.get(name), 0)
  const later = [...bytes.keys()].filter(name => !first.has(name))
  return {
    first: sum([...first]),
    files: first.size,
    later: Object.fromEntries(later.map(name => [name, bytes.get(name)])),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'gpu') {
  const { first, files, later } = await pageSize()
  console.log(`at first ${first} bytes in ${files} files, gzipped; limit ${pageLimit}`)
  for (const [name, bytes] of Object.entries(later)) console.log(`  ${name.padEnd(24)} ${bytes}`)
  if (first > pageLimit) process.exitCode = 1
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const entry = process.argv[2] ?? 'src/wgsl.ts'
  const limit = limits[entry] ?? Infinity
  const size = await bundleSize(entry)
  const kb = bytes => `${(bytes / 1024).toFixed(1)} KB`
  console.log(`minified ${kb(size.minified)}, gzip ${kb(size.gzip)}, brotli ${kb(size.brotli)}, limit ${kb(limit)}`)
  for (const [part, bytes] of Object.entries(size.parts).sort((a, b) => b[1] - a[1]))
    console.log(`  ${part.padEnd(16)} ${kb(bytes)}`)
  if (size.gzip > limit) process.exitCode = 1
}
