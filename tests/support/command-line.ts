/** Runs the command line as people do, in a folder of its own. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'

/** What a command prints, and how it ends. */
export interface Said {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that watches. */
export interface Watching {
  /** Waits until it has printed something on stderr; what it printed before that is gone then. */
  readonly until: (pattern: RegExp) => Promise<string>
  /** Presses Ctrl-C, and tells how it ends. */
  readonly interrupt: () => Promise<readonly [number | null, NodeJS.Signals | null]>
}

export interface CommandLine {
  /** The folder of the repository. */
  readonly root: string
  /** The file that runs. */
  readonly cli: string
  /** The folder in which commands run. It goes when the tests of the file are over. */
  readonly dir: string
  /** The path of a file there; it is written if a text is given. */
  readonly at: (name: string, text?: string) => string
  /** The text of a file there. */
  readonly read: (name: string) => string
  readonly call: (
    args: readonly string[],
    options?: { readonly input?: string; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string },
  ) => Said
  /** What a terminal is sent: `script`, of every Linux, runs a command on one. Variables such as `CI`, by which Node judges colours, are left out. */
  readonly onTerminal: (args: readonly string[], env?: Readonly<Record<string, string>>) => string
  /** Starts a command that watches. */
  readonly watching: (...args: string[]) => Watching
}

export function commandLine(): CommandLine {
  const root = join(import.meta.dirname, '../..')
  const cli = join(root, 'dist/cli.js')
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'cotangent-')))
  afterAll(() => rmSync(dir, { recursive: true }))
  return {
    root,
    cli,
    dir,
    at: (name, text) => {
      const path = join(dir, name)
      if (text !== undefined) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
      return path
    },
    read: name => readFileSync(join(dir, name), 'utf8'),
    call: (args, options = {}) =>
      spawnSync(process.execPath, [cli, ...args], {
        encoding: 'utf8',
        cwd: options.cwd ?? dir,
        input: options.input ?? '',
        env: { ...process.env, ...options.env },
        timeout: 60_000,
      }),
    onTerminal: (args, env = {}) => {
      const command = [process.execPath, cli, ...args].map(a => `'${a.replaceAll("'", "'\\''")}'`).join(' ')
      return execFileSync('script', ['-qec', `${command} || true`, '/dev/null'], {
        encoding: 'utf8',
        cwd: dir,
        env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: 60_000,
      })
    },
    watching: (...args) => {
      const child = spawn(process.execPath, [cli, ...args], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] })
      let said = ''
      child.stderr.on('data', (data: Buffer) => {
        said += data.toString()
      })
      child.stdout.resume()
      return {
        until: async pattern => {
          for (const start = Date.now(); Date.now() - start < 30_000; await new Promise(done => setTimeout(done, 20))) {
            const found = pattern.exec(said)
            if (found === null) continue
            said = said.slice(found.index + found[0].length)
            return found[0]
          }
          throw new Error(`${pattern} did not come; stderr is ${said}`)
        },
        interrupt: () =>
          new Promise(done => {
            child.on('exit', (code, signal) => {
              done([code, signal])
            })
            child.kill('SIGINT')
          }),
      }
    },
  }
}
