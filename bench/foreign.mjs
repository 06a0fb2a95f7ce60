// Every Slang file of repositories that nobody prepared: compiled by Cotangent and by the real compiler, both WGSL modules taken to
// Dawn, and where it accepts both, run on the same contents of all resources.
//   node bench/foreign.mjs FOLDER [--path FOLDER]… [--only TEXT] [--results FILE] [--kept FOLDER] [--no-run] [--markdown]       after npm run build
// FOLDER holds checkouts named `owner+name`. Imports are looked up in the folders around a file, in all folders of its repository
// that hold Slang files, and in those of --path. --results writes a line of JSON for each program, and skips those that already have one;
// --kept holds what the real compiler made, so that a second run need not ask it again; --markdown prints the tables of
// docs/evidence/programs.md from the results.
import { execFileSync, fork } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gpuEnv } from '../tools/gpu-env.mjs'
import { why } from './others/foreign-list.mjs'
import { table } from './others/foreign-table.mjs'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    path: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    results: { type: 'string' },
    kept: { type: 'string' },
    run: { type: 'boolean', default: true },
    markdown: { type: 'boolean' },
  },
  allowNegative: true,
})
if (positionals.length !== 1) {
  console.error('node bench/foreign.mjs FOLDER [--only TEXT] [--results FILE] [--kept FOLDER] [--no-run] [--markdown]')
  process.exit(2)
}
const root = resolve(positionals[0])
const elsewhere = flags.path.map(p => resolve(p))
const patience = 60_000

/** The Slang files below a folder, in order. */
function* slangFiles(folder) {
  for (const e of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (e.isDirectory() && e.name !== '.git') yield* slangFiles(join(folder, e.name))
    else if (e.isFile() && e.name.endsWith('.slang')) yield join(folder, e.name)
  }
}

function commitOf(folder) {
  try {
    return execFileSync('git', ['-C', folder, 'rev-parse', '--short=10', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return '?'
  }
}

/** Where imports of a file are looked up: the folders around it, nearest first, then all that hold Slang files. */
function pathsFor(file, repo, folders) {
  const around = []
  for (let dir = dirname(file); dir.startsWith(repo); dir = dirname(dir)) around.push(dir)
  return [...new Set([...around, ...folders])]
}

let child
function ask(job) {
  child ??= fork(fileURLToPath(new URL('./others/one.mjs', import.meta.url)), {
    env: gpuEnv(),
    execArgv: ['--stack-size=4000'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const asked = child
  return new Promise(done => {
    const end = answer => {
      clearTimeout(clock)
      asked.removeAllListeners()
      done(answer)
    }
    const died = what => () => {
      child = undefined
      asked.kill('SIGKILL')
      end({ died: what })
    }
    const clock = setTimeout(died('took too long'), patience)
    asked.once('message', end)
    asked.once('exit', died('died'))
    asked.send(job)
  })
}

const rows = new Map()
if (flags.results !== undefined && existsSync(flags.results)) {
  for (const line of readFileSync(flags.results, 'utf8').split('\n')) {
    if (line === '') continue
    const row = JSON.parse(line)
    rows.set(`${row.repo}:${row.path}`, row)
  }
}
const repos = readdirSync(root)
  .filter(name => name.includes('+'))
  .map(name => ({ repo: name.replace('+', '/'), folder: join(root, name) }))
for (const { repo, folder } of flags.markdown ? [] : repos) {
  const files = [...slangFiles(folder)]
  const folders = [...new Set(files.map(dirname))]
  for (const file of files) {
    const path = relative(folder, file)
    if (flags.only !== undefined && !`${repo}:${path}`.includes(flags.only)) continue
    if (rows.has(`${repo}:${path}`)) continue
    const job = {
      folder: '/',
      program: { path: file },
      paths: [...pathsFor(file, folder, folders), ...elsewhere],
      run: flags.run,
      alone: true,
    }
    if (flags.kept !== undefined) {
      job.kept = join(flags.kept, `${repo}/${path}.json`.replaceAll('/', '+'))
      mkdirSync(flags.kept, { recursive: true })
    }
    let r = await ask(job)
    // What does not end is asked once more, without running it.
    if (r.died !== undefined && flags.run) r = { ...(await ask({ ...job, run: false })), running: r.died }
    const row = { repo, path, ...r }
    rows.set(`${repo}:${path}`, row)
    if (flags.results !== undefined) appendFileSync(flags.results, `${JSON.stringify(row)}\n`)
    else console.log(JSON.stringify(row))
  }
}
child?.disconnect()
if (flags.markdown) {
  const commits = new Map(repos.map(({ repo, folder }) => [repo, commitOf(folder)]))
  console.log(table([...rows.values()], commits, why))
}
