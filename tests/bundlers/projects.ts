/** Projects that use the packed package, and what bundlers make of them. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inject, onTestFinished } from 'vitest'

const here = import.meta.dirname

/** Makes a project of the programs, in which the package is installed, and another one that has shaders. Gives its folder. */
export function project(name: string): string {
  const app = inject('app')
  const folder = mkdtempSync(join(app, '..', `${name}-`))
  cpSync(join(here, 'programs'), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  cpSync(join(folder, 'package-shady'), join(folder, 'node_modules/shady'), { recursive: true })
  cpSync(join(app, 'node_modules/cotangent'), join(folder, 'node_modules/cotangent'), { recursive: true })
  return folder
}

/** Makes a project of an example, in which the package is installed. Gives its folder. */
export function example(name: string): string {
  const app = inject('app')
  const folder = mkdtempSync(join(app, '..', `${name}-`))
  cpSync(join(app, 'node_modules/cotangent/examples', name), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  cpSync(join(app, 'node_modules/cotangent'), join(folder, 'node_modules/cotangent'), { recursive: true })
  return folder
}

/** Gives a project a package of `npm ci --prefix tests/bundlers`, under another name if one is given. */
export function link(folder: string, installed: string, name: string = installed): void {
  symlinkSync(join(here, 'node_modules', installed), join(folder, 'node_modules', name))
}

/** What a bundler says: with a place, where it knows places. */
export interface Message {
  readonly text: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly frame?: string
  readonly shown?: string
  readonly notes?: readonly { readonly text: string; readonly location: { readonly line: number } | null }[]
}

/** What came of a build. */
export interface Outcome {
  readonly errors: readonly Message[]
  readonly warnings: readonly Message[]
  /** What the bundler prints, where that is another thing. */
  readonly shown?: string
}

/** What a driver is asked for; `drivers/` says what each takes. */
export interface Job {
  readonly entry: string
  readonly out?: string
  readonly minify?: boolean
  readonly watch?: boolean
  readonly options?: object
  readonly [more: string]: unknown
}

/** A bundler, and the driver that runs it. */
export interface Bundler {
  readonly name: string
  readonly driver: string
  /** What stands in every job. */
  readonly job?: object
  /** How its messages are written: with places, or as text. */
  readonly messages: 'rollup' | 'esbuild' | 'text'
  /** Why it cannot run here. */
  readonly skip?: string
}

const bun = join(here, `node_modules/@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : process.arch}/bin/bun`)

export const vites: readonly Bundler[] = [5, 6, 7, 8].map(version => ({
  name: `Vite ${version}`,
  driver: 'vite',
  job: { vite: `vite-${version}` },
  messages: 'rollup',
}))
export const bundlers: readonly Bundler[] = [
  ...vites,
  { name: 'Rollup', driver: 'rollup', messages: 'rollup' },
  { name: 'Rolldown', driver: 'rolldown', messages: 'rollup' },
  { name: 'webpack', driver: 'webpack', messages: 'text' },
  { name: 'Rspack', driver: 'webpack', job: { rspack: true }, messages: 'text' },
  { name: 'Rsbuild', driver: 'rsbuild', messages: 'text' },
  { name: 'esbuild', driver: 'esbuild', messages: 'esbuild' },
  {
    name: 'Bun',
    driver: 'bun',
    messages: 'text',
    ...(existsSync(bun) ? {} : { skip: 'npm has Bun for Linux on x64 and arm64 only' }),
  },
  { name: 'Farm', driver: 'farm', messages: 'text' },
]

/** The bundler of a name. */
export function bundler(name: string): Bundler {
  const found = bundlers.find(b => b.name === name)
  if (found === undefined) throw new Error(`no bundler ${name}`)
  return found
}

/** As a user has it: without what vitest tells its own processes. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_ENV: _mode, VITEST: _vitest, ...env } = process.env
  return { ...env, NO_COLOR: '1' }
}

function command({ driver, job }: Bundler, asked: object): [string, string[]] {
  const args = [join(here, 'drivers', `${driver}.mjs`), JSON.stringify({ ...job, ...asked })]
  return [driver === 'bun' ? bun : process.execPath, args]
}

const said = /^@@(.*)$/m

/** Builds in a folder. Gives what the bundler said, and also what it printed. */
export function build(folder: string, by: Bundler, job: Job): Outcome & { readonly printed: string } {
  const { stdout, stderr, error } = spawnSync(...command(by, job), {
    cwd: folder,
    env: environment(),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 280_000,
    killSignal: 'SIGKILL',
  })
  if (error !== undefined) throw error
  const line = said.exec(stdout)?.[1]
  if (line === undefined) throw new Error(`${by.name} said nothing of its build:\n${stdout}${stderr}`)
  return { ...(JSON.parse(line) as Outcome), printed: `${stdout.replace(said, '')}${stderr}` }
}

/** A build that goes on: `next` waits for what came of the next one. */
export interface Watching {
  next(): Promise<Outcome>
}

/** Builds again and again, until the test ends. */
export function watch(folder: string, by: Bundler, job: Job): Watching {
  const [file, args] = command(by, { ...job, watch: true })
  const child = spawn(file, args, { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => stop(child))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async next() {
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) throw new Error(`${by.name} stopped watching`)
        const line = said.exec(value)?.[1]
        if (line !== undefined) return JSON.parse(line) as Outcome
      }
    },
  }
}

/** Ends a process, and waits for that. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

/** Runs a script of a package, as its users do. Gives what it printed; throws where it fails. */
export function script(folder: string, file: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [file, ...args], {
    cwd: folder,
    env: environment(),
    encoding: 'utf8',
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${file} ended in ${status}:\n${stdout}${stderr}`)
  return stdout
}

/** What a bundle prints, when Node runs it. */
export function run(folder: string, out = 'out'): string {
  return script(folder, mainOf(folder, out))
}

/** The file that holds a bundle. */
export function mainOf(folder: string, out = 'out'): string {
  const name = readdirSync(join(folder, out)).find(file => /^main\.\w+$/.test(file))
  if (name === undefined) throw new Error(`no bundle in ${join(folder, out)}`)
  return join(folder, out, name)
}

/** The text of a file. */
export function read(...path: string[]): string {
  return readFileSync(join(...path), 'utf8')
}

/** Runs Vite's development server in a folder, until the test ends. Gives its address. */
export async function served(folder: string, by: Bundler): Promise<string> {
  const [file, args] = command({ ...by, driver: 'vite-dev' }, {})
  const child = spawn(file, args, { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => stop(child))
  for await (const line of createInterface({ input: child.stdout })) {
    const found = said.exec(line)?.[1]
    if (found !== undefined) return (JSON.parse(found) as { url: string }).url
  }
  throw new Error(`${by.name} serves nothing`)
}
