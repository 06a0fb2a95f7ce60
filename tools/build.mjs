// Bundles one file for each entry of the package into dist/. Plain JavaScript, so that Node 20 runs it from a fresh checkout.
import { build } from 'esbuild'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeCore } from './core-index.mjs'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Entries by name; those whose source does not exist are left out. */
const entries = {
  index: 'src/index.ts', cpu: 'src/cpu/index.ts', gpu: 'src/gpu/index.ts', cli: 'src/cli/main.ts', plugin: 'src/plugin/index.ts',
}
/** Entries that run on Node only. */
const node = new Set(['cli', 'plugin'])

writeCore()
rmSync(at('dist'), { recursive: true, force: true })
const options = { bundle: true, format: 'esm', target: 'es2022', outdir: at('dist'), sourcemap: true, splitting: true, chunkNames: 'chunk-[hash]', logLevel: 'warning' }
const present = Object.entries(entries).filter(([, path]) => existsSync(at(path)))
const points = list => Object.fromEntries(list.map(([name, path]) => [name, at(path)]))
await build({ ...options, platform: 'neutral', mainFields: ['module', 'main'], entryPoints: points(present.filter(([name]) => !node.has(name))) })
const hosted = present.filter(([name]) => node.has(name))
if (hosted.length > 0) {
  // Tools come as one file each: the start of the command line is a part of its speed.
  await build({ ...options, splitting: false, platform: 'node', packages: 'external', entryPoints: points(hosted) })
}
if (existsSync(at('dist/cli.js'))) chmodSync(at('dist/cli.js'), 0o755)
