// Programs of other people, as they stand in their repositories: compiled, taken to Dawn, and compared with what the real compiler
// makes of them, on the same contents of all resources.
//   node bench/others.mjs FOLDER [--only TEXT] [--markdown] [--print] [--verbose]       after npm run build
// FOLDER holds checkouts named `owner+name` or `name` of the repositories that bench/others/list.mjs names; programs whose
// repository is missing are left out. --print shows the WGSL of both compilers, --markdown writes the table of docs/evidence/programs.md.
import { execFileSync, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gpuEnv } from '../tools/gpu-env.mjs'
import { programs } from './others/list.mjs'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    markdown: { type: 'boolean' },
    print: { type: 'boolean' },
    verbose: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (flags.help || positionals.length !== 1) {
  console.log(
    'node bench/others.mjs FOLDER [--only TEXT] [--markdown] [--print] [--verbose]\nFOLDER holds checkouts of the repositories of bench/others/list.mjs, as owner+name or name.',
  )
  process.exit(flags.help ? 0 : 2)
}
const root = resolve(positionals[0])
const patience = 90_000

/** Where a repository is checked out; undefined where it is not. */
function checkout(repo) {
  return [repo.replace('/', '+'), repo.slice(repo.indexOf('/') + 1)].map(name => join(root, name)).find(existsSync)
}

const commits = new Map()
function commitOf(repo) {
  if (!commits.has(repo)) {
    let commit = '?'
    try {
      commit = execFileSync('git', ['-C', checkout(repo), 'rev-parse', '--short=10', 'HEAD'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
    } catch {
      /* a folder without its history */
    }
    commits.set(repo, commit)
  }
  return commits.get(repo)
}

const env = gpuEnv()

let child

function worker() {
  if (child === undefined) {
    child = fork(fileURLToPath(new URL('./others/one.mjs', import.meta.url)), { env, execArgv: ['--stack-size=4000'] })
    child.once('exit', () => {
      child = undefined
    })
  }
  return child
}

function run(program, folder) {
  const paths = (program.with ?? []).map(w =>
    w.includes(':') ? join(checkout(w.slice(0, w.indexOf(':'))) ?? '', w.slice(w.indexOf(':') + 1)) : join(folder, w),
  )
  return new Promise(done => {
    const child = worker()
    const clock = setTimeout(() => child.kill('SIGKILL'), patience)
    const end = answer => {
      clearTimeout(clock)
      child.removeAllListeners('message')
      child.removeListener('exit', died)
      done(answer)
    }
    const died = () => end({ ours: '', theirs: 'died or took too long', kernels: [] })
    child.once('message', end)
    child.once('exit', died)
    child.send({ folder: '/', program: { ...program, path: join(folder, program.path) }, paths, print: flags.print })
  })
}

/** One line on how it went, and whether it went well. */
function outcome(program, r) {
  const failed = r.kernels.filter(k => k.error !== undefined)
  if (r.ours !== 'compiles')
    return { kind: program.refused !== undefined ? 'refused' : 'FAILS', text: program.refused ?? r.ours }
  if (r.theirs !== 'compiles') return { kind: 'alone', text: `ours runs; theirs: ${program.theirs ?? r.theirs}` }
  if (failed.length > 0) return { kind: 'FAILS', text: failed.map(k => `${k.name}: ${k.error}`).join('; ') }
  if (r.kernels.length === 0) return { kind: 'compiles', text: 'compiles; has no kernel' }
  const apart = r.kernels.reduce((n, k) => n + k.apart, 0)
  const numbers = r.kernels.reduce((n, k) => n + k.numbers, 0)
  if (apart > (program.allowed ?? 0) * numbers)
    return {
      kind: 'FAILS',
      text: r.kernels
        .filter(k => k.apart > 0)
        .map(k => `${k.name}: ${k.apart} of ${k.numbers} differ, ${k.first}`)
        .join('; '),
    }
  if (program.idle === true) return { kind: 'same', text: 'writes nothing, as theirs' }
  if (r.kernels.every(k => k.changed === 0)) return { kind: 'FAILS', text: 'nothing was written' }
  return {
    kind: 'same',
    text: `same numbers${apart > 0 ? ` but ${apart} of ${numbers}${program.why === undefined ? '' : `, ${program.why}`}` : ''}`,
  }
}

const rows = []
for (const program of programs) {
  const title = `${program.repo}: ${program.path}`
  if (flags.only !== undefined && !title.includes(flags.only)) continue
  const folder = checkout(program.repo)
  if (folder === undefined || !existsSync(join(folder, program.path))) {
    console.error(`${title}: not checked out`)
    continue
  }
  const r = await run(program, folder)
  const { kind, text } = outcome(program, r)
  const written = r.kernels.reduce((n, k) => n + (k.changed ?? 0), 0)
  const largest = Math.max(0, ...r.kernels.map(k => k.largest ?? 0))
  rows.push({ program, r, kind, text, written, largest })
  if (!flags.markdown)
    console.log(
      `${kind.padEnd(8)} ${title}\n         ${text}${kind === 'same' ? ` (${r.kernels.length} kernels, ${written} numbers written, largest difference ${largest.toExponential(1)})` : ''}`,
    )
  if (flags.verbose) console.log(JSON.stringify(r, null, 1))
}
const count = kind => rows.filter(r => r.kind === kind).length
const summary = `${rows.length} programs: ${count('same')} give the same numbers, ${count('compiles')} compile but have nothing to run, ${count('alone')} run only as Cotangent compiles them, ${count('refused')} are refused, ${count('FAILS')} fail`
if (flags.markdown) {
  console.log(`# Programs of other people

These programs come from ${new Set(rows.map(r => r.program.repo)).size} public repositories, and nothing was changed in them.
\`node bench/others.mjs FOLDER --markdown\` prints this page, if FOLDER holds checkouts of the repositories. Their code is not part of this repository.

| outcome | programs |
|---|--:|
| the same numbers as the real compiler's | ${count('same')} |
| compiles, but has nothing to run | ${count('compiles')} |
| runs as Cotangent compiles it, and not as the real compiler does | ${count('alone')} |
| refused, with a diagnostic | ${count('refused')} |
| fails | ${count('FAILS')} |
| all | ${rows.length} |

**How they are compared.** Cotangent and the real compiler (slang-wasm 2025.15) compile each program. Dawn runs every entry point of both WGSL modules, with the
same contents in all buffers, textures and uniforms, and the script compares all that they write. Vertex and fragment stages draw the same triangles. For a library
without kernels, a kernel of \`bench/others/list.mjs\` calls its functions, and their derivatives by \`bwd_diff\`.

**The columns.** "Written" counts the numbers that the program wrote. A "largest difference" above a number of size one is relative to that number.
"Ours runs" says why Dawn does not run the real compiler's module. Every other line without numbers says why Cotangent refuses the program.`)
  for (const repo of new Set(rows.map(r => r.program.repo))) {
    console.log(
      `\n### ${repo} at ${commitOf(repo)}\n\n| program | what it is | outcome | written | largest difference |\n|---|---|---|--:|--:|`,
    )
    for (const { program, kind, text, written, largest } of rows.filter(r => r.program.repo === repo)) {
      console.log(
        `| ${program.path} | ${program.about} | ${text.replaceAll('|', '\\|')} | ${kind === 'same' ? written : ''} | ${kind === 'same' ? largest.toExponential(1) : ''} |`,
      )
    }
  }
} else console.log(`\n${summary}`)
process.exit(count('FAILS') > 0 ? 1 : 0)
