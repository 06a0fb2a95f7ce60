// `npm run release -- 0.2.0` prepares a release: it looks whether the checkout is ready, runs the gate, packs, tries the packed file as somebody who
// installs it, commits and tags. It pushes and publishes nothing; it says how. `--dry-run` stops before the commit, `--skip-gate` goes without `.ci/run`.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs, styleText } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))

function run(command, args, options = {}) {
  return execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
    ...options,
  })
}

function step(what) {
  process.stderr.write(`${styleText('bold', what)}\n`)
}

/** Why nothing can be released, as a person would mend it. */
class NotReady extends Error {}

function ready(version, changelog) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) throw new NotReady(`${version} is no version such as 1.2.3`)
  if (run('git', ['status', '--porcelain']).trim() !== '')
    throw new NotReady('there are changes that are not committed')
  if (run('git', ['branch', '--show-current']).trim() !== 'main') throw new NotReady('releases are made on main')
  if (run('git', ['tag', '--list', `v${version}`]).trim() !== '')
    throw new NotReady(`there is a tag v${version} already`)
  const unreleased = /^## \[Unreleased\]\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog)
  if (unreleased === null || unreleased[1].trim() === '')
    throw new NotReady('CHANGELOG.md has nothing under [Unreleased]')
}

/** Installs the packed file in an empty project, and uses it. */
function tried(file, version) {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
    run('npm', ['install', '--no-audit', '--no-fund', '--silent', file], { cwd: folder })
    const said = run('npx', ['--no-install', 'cotangent', '--version'], { cwd: folder }).trim()
    if (said !== version) throw new NotReady(`the packed command line says it is ${said}`)
    writeFileSync(
      join(folder, 'try.mjs'),
      `
      import { compile } from 'cotangent'
      import { loadSync } from 'cotangent/cpu'
      const square = loadSync(compile('[Differentiable] public float square(float x) { return x * x; }')).fn.square
      console.log(square.valueAndGrad(3).grad[0])`,
    )
    const slope = run('node', ['try.mjs'], { cwd: folder }).trim()
    if (slope !== '6') throw new NotReady(`the packed library says that the slope of x * x at 3 is ${slope}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The manifests of create-cotangent and of the examples, which depend on the package. */
const dependents = ['create-cotangent', ...readdirSync(join(root, 'examples')).map(name => `examples/${name}`)]
  .map(folder => `${folder}/package.json`)
  .concat('examples/deno/deno.json')
  .filter(path => existsSync(join(root, path)))

/** Lets the manifests name a version: the dependency on the package, and create-cotangent's own version. */
function depend(version) {
  for (const path of dependents) {
    const text = readFileSync(join(root, path), 'utf8')
    writeFileSync(
      join(root, path),
      text
        .replace(/("cotangent": "(?:npm:cotangent@)?)\^[^"]*"/g, `$1^${version}"`)
        .replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`),
    )
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean' }, 'skip-gate': { type: 'boolean' } },
})
const [version] = positionals
const changelogAt = join(root, 'CHANGELOG.md')

try {
  if (version === undefined || positionals.length > 1)
    throw new NotReady('usage: npm run release -- VERSION [--dry-run] [--skip-gate]')
  const changelog = readFileSync(changelogAt, 'utf8')
  ready(version, changelog)
  if (values['skip-gate'] !== true) {
    step('running .ci/run')
    run(join(root, '.ci/run'), [], { stdio: 'inherit' })
  }
  try {
    run('npm', ['version', '--no-git-tag-version', '--allow-same-version', version])
    depend(version)
    writeFileSync(
      changelogAt,
      changelog.replace(
        '## [Unreleased]\n',
        `## [Unreleased]\n\n## [${version}] - ${new Date().toISOString().slice(0, 10)}\n`,
      ),
    )
    step('packing')
    const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--silent']))
    step(`trying ${filename}`)
    tried(join(root, filename), version)
    if (values['dry-run'] === true) {
      rmSync(join(root, filename))
      step('all is well; nothing was changed')
    } else {
      run('git', ['commit', '--quiet', '--all', '--message', `Release ${version}`])
      run('git', ['tag', '--annotate', `v${version}`, '--message', `Cotangent ${version}`])
      step(`tagged v${version}; what is left to do:`)
      process.stdout.write(`git push --follow-tags\nnpm publish ${filename}\nnpm publish ./create-cotangent\n`)
    }
  } finally {
    // What was not committed is as it was.
    if (run('git', ['status', '--porcelain', '--untracked-files=no']).trim() !== '')
      run('git', ['checkout', '--quiet', '--', 'package.json', 'package-lock.json', 'CHANGELOG.md', ...dependents])
  }
} catch (error) {
  if (!(error instanceof NotReady)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
