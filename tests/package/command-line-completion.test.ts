/** Completion in shells: bash runs its script, and the other scripts are given to their shells where those are installed. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { shells } from '../../src/cli/values.ts'
import { commandLine } from '../support/command-line.ts'

const { at, call, cli, dir } = commandLine()

at('shapes/a b.slang', '')
at(
  'k.slang',
  'struct S { float a; float twice() { return a * 2; } }\nRWStructuredBuffer<float> o;\n[shader("compute")] [numthreads(1,1,1)] void draw() { o[0] = 1; }\n[Differentiable] float slope(float x) { return x; }\npublic float scaled(S s) { return s.twice(); }\n',
)
at('notes.txt', '')
at('bin/cotangent', `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`)
execFileSync('chmod', ['+x', at('bin/cotangent')])
const env = { ...process.env, PATH: `${at('bin')}:${process.env['PATH']}` }

/** What a shell's script gets for the words behind `cotangent`. */
const lines = (shell: string, ...words: string[]): string[] => {
  const { status, stderr, stdout } = call(['complete-words', shell, '--', ...words])
  expect([status, stderr]).toEqual([0, ''])
  return stdout.trimEnd().split('\n')
}
const words = (...given: string[]): string[] => lines('zsh', ...given).map(line => line.split('\t')[0]!)

describe('the words at the cursor', () => {
  it('are commands, options, and what options take, from the table of the command line itself', () => {
    const help = call(['--help']).stdout
    const commands = [...help.matchAll(/^ {2}([a-z]+) [[<]/gm)].map(([, name]) => name!)
    expect(commands).toContain('completion')
    expect(words('').toSorted()).toEqual(
      [...commands, 'help', ':none'].filter((c, i, all) => all.indexOf(c) === i).toSorted(),
    )
    expect(words('help', 'com')).toEqual(['compile', 'completion', ':none'])
    for (const command of commands.filter(c => c !== 'help')) {
      const options = call([command, '--help']).stdout.match(/^ {2}(?:-\w, )?(--[\w-]+)/gm)!
      expect(words(command, '-').toSorted(), command).toEqual(
        [...new Set(options.map(o => o.trim().replace(/^-\w, /, ''))), ':none'].toSorted(),
      )
    }
    expect(words('compile', '--target', '')).toEqual(['wgsl', 'wasm', 'js', 'ir', ':none'])
    expect(words('compile', '--target=w')).toEqual(['--target=wgsl', '--target=wasm', ':none'])
    expect(words('compile', '--diagnostics', 'j')).toEqual(['json', ':none'])
    expect(words('compile', '--limit', 'inst')).toEqual(['instances=', 'instructions=', ':none'])
    expect(words('compile', '--dump-ir', 'tr')).toEqual(['transposed', ':none'])
    expect(words('demo', 'sp')).toEqual(['splat2d', 'spring', ':none'])
    expect(words('completion', '')).toEqual([...shells, ':none'])
    expect(words('--v')).toEqual(['--version', ':none'])
    expect(lines('fish', 'compile', '--max')).toEqual([
      expect.stringMatching(/^--max-context\thow many bytes/),
      ':none',
    ])
  })

  it('are files and folders where those are asked for', () => {
    expect(words('compile', '')).toEqual([':slang'])
    expect(words('compile', 'k.slang', '-O', '2', '')).toEqual([':slang'])
    expect(words('run', '')).toEqual([':slang'])
    expect(words('types', 'k.slang', '')).toEqual([':slang'])
    expect(words('types', '--types', '')).toEqual([':folders'])
    expect(words('run', 'k.slang', '')).toEqual([':none'])
    expect(words('compile', '-o', '')).toEqual([':any'])
    expect(words('compile', '--project=')).toEqual([':any'])
    expect(words('compile', '-I', '')).toEqual([':folders'])
    expect(words('compile', '--timeout', '')).toEqual([':slang'])
    expect(words('nothing', '')).toEqual([':none'])
    expect(words('compile', '--nothing=')).toEqual([':none'])
  })

  it('are functions of the source behind --fn, and its entry points behind --entry', () => {
    expect(words('run', 'k.slang', '--fn', '')).toEqual(['draw', 'slope', 'scaled', 'S.twice', ':none'])
    expect(words('run', 'k.slang', '--fn', 'sl')).toEqual(['slope', ':none'])
    expect(words('run', 'k.slang', '--fn=S')).toEqual(['--fn=S.twice', ':none'])
    expect(words('compile', 'k.slang', '--entry', '')).toEqual(['draw', ':none'])
    expect(words('run', '--fn', '')).toEqual([':none'])
    expect(words('run', 'none.slang', '--fn', '')).toEqual([':none'])
    expect(lines('powershell', 'run', 'k.slang', '--fn', ':sl').map(l => l.trim())).toEqual(['slope', ':none'])
  })
})

/** What bash has for a command line whose last word is at the cursor, with the words as bash takes them apart. */
function inBash(...typed: string[]): string[] {
  const script = `
source <(cotangent completion bash)
source <(cotangent completion bash)
complete -p cotangent
COMP_WORDS=(cotangent "$@")
COMP_CWORD=$#
_cotangent cotangent
printf '%s\\n' "\${COMPREPLY[@]}"`
  const said = spawnSync('bash', ['--norc', '-c', script, 'bash', ...typed], { encoding: 'utf8', cwd: dir, env })
  expect(said.stderr).toBe('')
  const [registered, ...found] = said.stdout.trimEnd().split('\n')
  expect(registered).toBe('complete -F _cotangent cotangent')
  return found.filter(word => word !== '')
}

describe('the scripts', () => {
  it('of bash completes', () => {
    mkdirSync(at('empty'), { recursive: true })
    expect(inBash('com')).toEqual(['compile', 'completion'])
    expect(inBash('compile', '--targ')).toEqual(['--target'])
    expect(inBash('compile', '--target', 'w')).toEqual(['wgsl', 'wasm'])
    expect(inBash('compile', '--target', '=', 'w')).toEqual(['wgsl', 'wasm'])
    expect(inBash('compile', '--target', '=')).toEqual(['wgsl', 'wasm', 'js', 'ir'])
    expect(inBash('compile', '').toSorted()).toEqual(['bin', 'empty', 'k.slang', 'shapes'])
    expect(inBash('compile', 'shapes/')).toEqual(['shapes/a b.slang'])
    expect(inBash('compile', '-o', 'n')).toEqual(['notes.txt'])
    expect(inBash('compile', '-I', '').toSorted()).toEqual(['bin', 'empty', 'shapes'])
    expect(inBash('run', 'k.slang', '--fn', 's')).toEqual(['slope', 'scaled'])
    expect(inBash('check', 'k.slang', '--fn', '=', 'S')).toEqual(['S.twice'])
  })

  const installed = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined

  it.runIf(installed('zsh'))('of zsh is one that it can read', () => {
    const script = at('script.zsh', call(['completion', 'zsh']).stdout)
    expect(spawnSync('zsh', ['-n', script], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })

  it.runIf(installed('fish'))('of fish completes', () => {
    const inFish = (typed: string): string[] => {
      const script = `cotangent completion fish | source\ncomplete -C '${typed.replaceAll("'", "\\'")}'\n`
      const { stderr, stdout } = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8', cwd: dir, env })
      expect(stderr).toBe('')
      return stdout.split('\n').flatMap(line => (line === '' ? [] : [line.split('\t')[0]!]))
    }
    expect(inFish('cotangent com')).toEqual(['compile', 'completion'])
    expect(inFish('cotangent compile --target=w').toSorted()).toEqual(['--target=wasm', '--target=wgsl'])
    expect(inFish('cotangent compile ')).toContain('k.slang')
    expect(inFish('cotangent compile ')).not.toContain('notes.txt')
    expect(inFish("cotangent compile 'shapes/a")).toEqual(['shapes/a b.slang'])
    expect(inFish('cotangent run k.slang --fn sl')).toEqual(['slope'])
  })

  it('are one for each shell, which asks for the words', () => {
    for (const shell of shells) expect(call(['completion', shell]).stdout).toContain(`complete-words ${shell}`)
    expect(call(['completion', 'csh'])).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('starting', () => {
  /** The files of the package that a command loads: their names, and all their code. */
  const loaded = (...args: string[]): { readonly names: readonly string[]; readonly code: string } => {
    const coverage = at(`coverage-${args.join('-').replace(/\W/g, '')}`)
    call(args, { env: { NODE_V8_COVERAGE: coverage } })
    const paths = readdirSync(coverage).flatMap(file => {
      const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] }
      return result.filter(({ url }) => url.includes('/dist/cli/')).map(({ url }) => fileURLToPath(url))
    })
    return {
      names: paths
        .map(path => basename(path).replace(/-\w+\.js$/, ''))
        .filter(name => name !== 'chunk')
        .toSorted(),
      code: paths.map(path => readFileSync(path, 'utf8')).join('\n'),
    }
  }

  it('loads only what a command needs', () => {
    // Words of jsonc-parser, of the table of a project file, and of the progress bar.
    const parts = {
      parser: 'CloseBraceExpected',
      options: 'Where generated type declarations go',
      bar: 'shades_classic',
    }
    const uses = (code: string): string[] =>
      Object.entries(parts).flatMap(([part, word]) => (code.includes(word) ? [part] : []))
    const compile = loaded('compile', 'k.slang')
    expect([compile.names, uses(compile.code)]).toEqual([['compile', 'main'], []])
    at('with/cotangent.json', '{}')
    at('with/k.slang', 'public float f(float x) { return x; }\n')
    expect(uses(loaded('compile', 'with/k.slang').code)).toEqual(['parser', 'options'])
    expect(uses(loaded('check', 'k.slang').code)).toEqual(['bar'])
    expect(loaded('completion', 'bash').names).toEqual(['completion', 'main'])
    const run = loaded('run', 'k.slang', '--fn', 'slope', '1')
    expect([run.names, uses(run.code)]).toEqual([['call', 'main'], []])
  })
})
