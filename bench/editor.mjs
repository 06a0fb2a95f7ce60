// What an editor waits for, on a realistic program of 2,000 lines: diagnostics, completion and hover after an edit; and what memory 1,000
// edits leave behind. The rows "over the protocol" ask `cotangent lsp --stdio`; the others ask the same process.
//   npm run bench:editor [-- --lines 2000] [--edits 400]
// An edit is one keystroke in a function's body. Each request is asked right after one, so it waits for the program to be read again. The
// goals, at the 95th percentile of a warm process: diagnostics within 150 ms, completion and hover within 50 ms, over the protocol; and memory
// that does not grow. It ends with PASS or FAIL.
import { build } from 'esbuild'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import v8 from 'node:v8'
import vm from 'node:vm'
import { writeCore } from '../tools/core-index.mjs'

const { values } = parseArgs({
  options: { lines: { type: 'string', default: '2000' }, edits: { type: 'string', default: '400' } },
})
const [lines, edits] = [Number(values.lines), Number(values.edits)]
if (!(lines >= 1) || !(edits >= 1)) {
  console.error('usage: npm run bench:editor -- [--lines N] [--edits N]: numbers of 1 or more')
  process.exit(2)
}

writeCore()
const folder = mkdtempSync(fileURLToPath(new URL('../node_modules/.editor-', import.meta.url)))
const outfile = join(folder, 'editing.mjs')
try {
  const here = new URL('.', import.meta.url)
  await build({
    entryPoints: [fileURLToPath(new URL('editing.ts', here))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  })
  const { editing } = await import(pathToFileURL(outfile).href)
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc')
  await editing({ lines, edits, collect, root: new URL('../', here) })
} finally {
  rmSync(folder, { recursive: true })
}
