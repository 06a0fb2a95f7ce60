// Bundles one file for each entry of the package into dist/. Plain JavaScript, so that Node 20 runs it from a fresh checkout.
import { build } from 'esbuild'
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeCore } from './core-index.mjs'
import { onePiece } from './gpu.mjs'
import { thirdPartyLicenses } from './licenses.mjs'
import { bundlers, pluginBuild } from './plugin-build.mjs'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Entries of the library by name. */
const library = {
  index: 'src/index.ts',
  wgsl: 'src/wgsl.ts',
  emulation: 'src/emulation.ts',
  library: 'src/library.ts',
  cpu: 'src/cpu/index.ts',
  gpu: 'src/gpu/index.ts',
  lsp: 'src/lsp/worker.ts',
}

/** What the language server starts beside itself: a worker of a browser, and a thread of Node. */
const checks = {
  worker: { 'lsp-check': 'src/lsp/check-worker.ts' },
  thread: { 'cli/lsp-check': 'src/lsp/check-thread.ts' },
}

writeCore()
mkdirSync(at('dist'), { recursive: true })
for (const name of readdirSync(at('dist'))) rmSync(at(`dist/${name}`), { recursive: true })
const options = { bundle: true, format: 'esm', splitting: true, outdir: at('dist'), logLevel: 'warning' }
const points = list => Object.fromEntries(Object.entries(list).map(([name, path]) => [name, at(path)]))
const forLibrary = {
  ...options,
  target: 'es2022',
  sourcemap: true,
  platform: 'neutral',
  mainFields: ['module', 'main'],
  // Of vscode-languageserver, the form for workers.
  conditions: ['browser'],
}
const { cpu, gpu, ...others } = library
const { metafile: libraryFiles } = await build({
  ...forLibrary,
  metafile: true,
  absWorkingDir: at('.'),
  chunkNames: 'chunk-[hash]',
  entryPoints: points({ ...others, ...checks.worker }),
})
// Each by itself: what they share with others would be files of their own, which a page would load one by one, and which hold the compiler.
await build({ ...forLibrary, entryPoints: points({ cpu }) })
// The worker that it starts beside itself, and which the command line starts likewise.
const worker = 'src/cpu/thread.ts'
await build({
  ...forLibrary,
  splitting: false,
  minify: true,
  sourcemap: false,
  entryPoints: points({ 'cpu-worker': worker, 'cli/cpu-worker': worker }),
})
await build({ ...forLibrary, ...onePiece, chunkNames: 'gpu-[hash]', entryPoints: points({ gpu }) })
const { metafile } = await build({
  ...options,
  target: 'node20',
  metafile: true,
  absWorkingDir: at('.'),
  minify: true,
  chunkNames: 'cli/[name]-[hash]',
  platform: 'node',
  // jsonc-parser's other form cannot be bundled.
  mainFields: ['module', 'main'],
  external: ['webgpu'],
  entryPoints: points({ cli: 'src/cli/start.ts', ...checks.thread }),
  // Packages that are scripts ask for Node's own modules by `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
})
const { metafile: pluginFiles } = await build({ ...options, ...pluginBuild, outdir: at('dist/plugin') })
writeFileSync(at('dist/THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses([libraryFiles, metafile, pluginFiles], at('.')))
const cli = at('dist/cli.js')
writeFileSync(cli, `#!/usr/bin/env node\n${readFileSync(cli, 'utf8')}`)
chmodSync(cli, 0o755)

// Declarations are only needed by those who install the package; a checkout works without.
if (process.argv.includes('--types')) {
  const { writeDeclarations } = await import('./declarations.mjs')
  const plugins = bundlers.map(name => [name, `src/plugin/entries/${name}.ts`])
  await writeDeclarations({ ...library, ...Object.fromEntries(plugins) }, at('dist'))
  cpSync(at('src/plugin/client.d.ts'), at('dist/client.d.ts'))
}
