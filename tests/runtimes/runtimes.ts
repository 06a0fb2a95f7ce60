/** The runtimes, and how the packed package is run on each. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gpuEnv } from '../support/gpu.ts'

const here = import.meta.dirname
export const root: string = join(here, '../..')

export interface Runtime {
  readonly name: string
  /** What runs a script: a program, and what stands before the script's name. */
  readonly command: readonly [string, ...string[]]
  /** Whether Node keeps compiled code for it. */
  readonly keepsCode: boolean
}

function installed(path: string): string {
  const file = join(here, 'node_modules', path)
  if (!existsSync(file))
    throw new Error(`${path} is not installed: npm ci --prefix tests/runtimes brings the runtimes for Linux`)
  return file
}

const node = (major: number): Runtime => ({
  name: `Node ${major}`,
  command: [installed(`node-${major}-${process.arch}/bin/node`)],
  keepsCode: major >= 22,
})

export const nodes: readonly Runtime[] = [node(20), node(22), node(24)]
export const deno: Runtime = {
  name: 'Deno',
  command: [installed(`@deno/linux-${process.arch}-glibc/deno`), 'run', '--allow-all', '--quiet'],
  keepsCode: false,
}
const bun: Runtime = {
  name: 'Bun',
  command: [installed(`@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : process.arch}/bin/bun`)],
  keepsCode: false,
}
export const runtimes: readonly Runtime[] = [...nodes, bun, deno]

export interface Said {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a script. */
export function run(
  runtime: Runtime,
  script: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly input?: string },
): Said {
  const [file, ...before] = runtime.command
  const env = { ...gpuEnv(), DENO_NO_UPDATE_CHECK: '1', ...options.env }
  const { status, stdout, stderr, error } = spawnSync(file, [...before, script, ...args], {
    encoding: 'utf8',
    cwd: options.cwd,
    env,
    input: options.input ?? '',
    maxBuffer: 1 << 28,
    timeout: 280_000,
    killSignal: 'SIGKILL',
  })
  if (error !== undefined) throw error
  return { status, stdout, stderr }
}

/** Packs the package, and installs it in an empty folder, beside npm's `webgpu`, which brings Node a device. */
export function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cotangent-package-'))
  const npm = (cwd: string, ...args: string[]): void => {
    execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  npm(root, 'pack', '--silent', '--pack-destination', folder)
  const tarball = readdirSync(folder).find(f => f.endsWith('.tgz'))!
  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }\n')
  npm(app, 'install', '--silent', '--no-audit', '--no-fund', join('..', tarball))
  symlinkSync(join(root, 'node_modules/webgpu'), join(app, 'node_modules/webgpu'))
  return app
}
