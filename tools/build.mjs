// Bundles one file for each entry of the package into dist/. Plain JavaScript, so that Node 20 runs it from a fresh checkout.
import { execFileSync } from 'node:child_process'
import { build } from 'esbuild'
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeCore } from './core-index.mjs'
import { shortNames } from './short-names.mjs'
import { stripExamples } from './strip-examples.mjs'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Entries of the library by name. */
const entries = { index: 'src/index.ts', wgsl: 'src/wgsl.ts', cpu: 'src/cpu/index.ts', gpu: 'src/gpu/index.ts' }
/** The command line: scripts, not modules, since V8 keeps compiled code of scripts alone. */
const commands = { cli: 'src/cli/start.ts', 'cli-main': 'src/cli/main.ts' }

writeCore()
// npm prepares a package after `prepack`, whose declarations must still be there when it is packed.
const withTypes = process.argv.includes('--types')
mkdirSync(at('dist'), { recursive: true })
for (const name of readdirSync(at('dist'))) if (withTypes || name !== 'types') rmSync(at(`dist/${name}`), { recursive: true })
/** Scripts from V8's cache cannot import: the file that starts them hands them a function that does. */
const ownImport = {
  name: 'own-import',
  setup: ({ onLoad }) => onLoad({ filter: /[\\/]host[\\/]import\.ts$/ }, () => ({ contents: 'const own = importModule; export { own as importModule }', loader: 'js' })),
}
/** Commander can run other programs, which ours never does: what that takes is loaded when it is used. */
const lateProcesses = {
  name: 'late-processes',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) => /[\\/]commander[\\/]/.test(importer) ? { path: 'child_process', namespace: 'late' } : undefined)
    onLoad({ filter: /^child_process$/, namespace: 'late' }, () => ({ contents: "module.exports = { get spawn() { return require('node:child_process').spawn } }", loader: 'js' }))
  },
}
const options = { bundle: true, target: 'es2022', outdir: at('dist'), plugins: [stripExamples], logLevel: 'warning' }
const points = list => Object.fromEntries(Object.entries(list).map(([name, path]) => [name, at(path)]))
await build({
  ...options, ...shortNames, format: 'esm', sourcemap: true, splitting: true, chunkNames: 'chunk-[hash]', platform: 'neutral', mainFields: ['module', 'main'], entryPoints: points(entries),
})
await build({
  ...options, format: 'cjs', platform: 'node', target: 'node20', minify: true, outExtension: { '.js': '.cjs' }, external: ['webgpu'], entryPoints: points(commands),
  plugins: [...options.plugins, ownImport, lateProcesses], define: { 'import.meta.url': 'thisFile' }, banner: { js: "const thisFile = require('node:url').pathToFileURL(__filename).href;" }, legalComments: 'linked',
})
// A script whose value is the function that runs it: to put that around it at each start would copy all of it.
const main = at('dist/cli-main.cjs')
writeFileSync(main, `(function (require, module, exports, __filename, importModule) {${readFileSync(main, 'utf8')}\n})`)
const cli = at('dist/cli.cjs')
writeFileSync(cli, `#!/usr/bin/env node\n${readFileSync(cli, 'utf8')}`)
chmodSync(cli, 0o755)
// The first run keeps the functions that it needed, for later ones to start with.
execFileSync(process.execPath, [cli, 'compile', at('examples/splat2d/splat2d.slang')], { stdio: 'ignore', env: { ...process.env, NODE_OPTIONS: '' } })

// Declarations are only needed by those who install the package; a checkout works without.
if (withTypes) {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(/package\.json$/, 'bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', at('tsconfig.build.json')], { stdio: 'inherit' })
}
