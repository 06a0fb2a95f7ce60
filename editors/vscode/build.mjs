// Bundles the extension, in its two forms, and the servers that it starts, into dist/. Needs `npm ci` here and in the repository.
import { build } from 'esbuild'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeCore } from '../../tools/core-index.mjs'
import { icon } from './icon.mjs'
import { thirdPartyLicenses } from '../../tools/licenses.mjs'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const root = here('../../')

writeCore()
rmSync(here('dist'), { recursive: true, force: true })
mkdirSync(here('dist/server'), { recursive: true })

const options = {
  bundle: true,
  minify: true,
  // Reports of errors name classes.
  keepNames: true,
  metafile: true,
  absWorkingDir: root,
  logLevel: 'warning',
  mainFields: ['module', 'main'],
}
const client = {
  ...options,
  format: 'cjs',
  external: ['vscode'],
  outExtension: { '.js': '.cjs' },
  outdir: here('dist'),
}
// What one file needs of packages that ask for Node's modules by `require`.
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

const made = await Promise.all([
  build({ ...client, target: 'node20', platform: 'node', entryPoints: [here('src/node.ts')] }),
  build({ ...client, target: 'es2022', platform: 'browser', entryPoints: [here('src/browser.ts')] }),
  build({
    ...options,
    target: 'node20',
    platform: 'node',
    format: 'esm',
    splitting: true,
    outdir: here('dist/server'),
    chunkNames: 'shared-[hash]',
    banner: { js: banner },
    entryPoints: { start: `${root}src/lsp/start.ts`, 'lsp-check': `${root}src/lsp/check-thread.ts` },
  }),
  // A worker of VS Code's is a script. It starts none itself: checks are done in slices.
  build({
    ...options,
    target: 'es2022',
    platform: 'browser',
    format: 'iife',
    outdir: here('dist/server'),
    define: { 'import.meta.url': 'undefined' },
    entryPoints: { worker: here('src/worker.ts') },
  }),
])

cpSync(`${root}LICENSE`, here('LICENSE'))
writeFileSync(here('dist/icon.png'), icon())
cpSync(`${root}cotangent.schema.json`, here('dist/cotangent.schema.json'))
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const own = JSON.parse(readFileSync(here('package.json'), 'utf8'))
if (own.version !== version)
  throw new Error(`editors/vscode/package.json has version ${own.version}, the package ${version}`)
writeFileSync(
  here('dist/THIRD-PARTY-LICENSES.txt'),
  thirdPartyLicenses(
    made.map(m => m.metafile),
    root,
    'The extension contains these packages.',
  ),
)
