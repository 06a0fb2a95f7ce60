// Bundles one file for each entry of the package into dist/. Plain JavaScript, so that Node 20 runs it from a fresh checkout.
import { execFileSync } from 'node:child_process'
import { build } from 'esbuild'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeCore } from './core-index.mjs'
import { stripExamples } from './strip-examples.mjs'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Entries by name; those whose source does not exist are left out. */
const entries = {
  index: 'src/index.ts', wgsl: 'src/wgsl.ts', cpu: 'src/cpu/index.ts', gpu: 'src/gpu/index.ts', cli: 'src/cli/main.ts', plugin: 'src/plugin/index.ts',
}
/** Entries that run on Node only. */
const node = new Set(['cli', 'plugin'])

writeCore()
// npm prepares a package after `prepack`, whose declarations must still be there when it is packed.
const withTypes = process.argv.includes('--types')
mkdirSync(at('dist'), { recursive: true })
for (const name of readdirSync(at('dist'))) if (withTypes || name !== 'types') rmSync(at(`dist/${name}`), { recursive: true })
const options = { bundle: true, format: 'esm', target: 'es2022', outdir: at('dist'), sourcemap: true, splitting: true, chunkNames: 'chunk-[hash]', plugins: [stripExamples], logLevel: 'warning' }
const present = Object.entries(entries).filter(([, path]) => existsSync(at(path)))
const points = list => Object.fromEntries(list.map(([name, path]) => [name, at(path)]))
await build({ ...options, platform: 'neutral', mainFields: ['module', 'main'], entryPoints: points(present.filter(([name]) => !node.has(name))) })
const hosted = present.filter(([name]) => node.has(name))
if (hosted.length > 0) {
  // Tools carry what they use, and load commands on demand: the start of the command line is a part of its speed.
  const banner = { js: "import { createRequire as createRequire_ } from 'node:module'; const require = createRequire_(import.meta.url);" }
  await build({
    ...options, platform: 'node', target: 'node20', minify: true, sourcemap: false, chunkNames: 'cli-[hash]', banner, external: ['webgpu'],
    entryPoints: points(hosted), legalComments: 'linked',
  })
}
if (existsSync(at('dist/cli.js'))) chmodSync(at('dist/cli.js'), 0o755)

// Declarations are only needed by those who install the package; a checkout works without.
if (withTypes) {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(/package\.json$/, 'bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', at('tsconfig.build.json')], { stdio: 'inherit' })
}
