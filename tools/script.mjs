// `node tools/script.mjs tests/x.ts` runs a TypeScript script of the repository, which Node 20 cannot read by itself. It is bundled
// into one file; what it asks of its own place (`import.meta.url`) is answered as if it ran where it stands.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { writeCore } from './core-index.mjs'

const inPlace = {
  name: 'in-place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](tests|tools|bench|site)[\\/][^.]*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
      loader: 'ts',
    })),
}

const [script, ...rest] = process.argv.slice(2)
writeCore()
const folder = mkdtempSync(fileURLToPath(new URL('../node_modules/.script-', import.meta.url)))
const outfile = `${folder}/script.mjs`
await build({
  entryPoints: [script],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  sourcemap: 'inline',
  plugins: [inPlace],
  logLevel: 'warning',
})
const child = spawn(process.execPath, ['--enable-source-maps', outfile, ...rest], { stdio: 'inherit' })
// The script has its own answer to Ctrl-C.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill())
child.on('exit', code => {
  rmSync(folder, { recursive: true })
  process.exitCode = code ?? 1
})
