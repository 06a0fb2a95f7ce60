/** The runtimes, and how the packed package is run on each. */
import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gpuEnv } from '../../tools/gpu-env.mjs'
import { install, root } from '../support/install.ts'

const here = import.meta.dirname
export interface Runtime {
  readonly name: string
  /** What runs a script: a program, and what stands before the script's name. */
  readonly command: readonly [string, ...string[]]
  /** Whether Node keeps compiled code for it. */
  readonly keepsCode: boolean
}

function binary(path: string): string {
  const file = join(here, 'node_modules', path)
  if (!existsSync(file))
    throw new Error(`${path} is not installed: npm ci --prefix tests/runtimes brings the runtimes for Linux`)
  return file
}

const node = (major: number): Runtime => ({
  name: `Node ${major}`,
  command: [binary(`node-${major}-${process.arch}/bin/node`)],
  keepsCode: major >= 22,
})

export const nodes: readonly Runtime[] = [node(20), node(22), node(24)]
export const deno: Runtime = {
  name: 'Deno',
  command: [binary(`@deno/linux-${process.arch}-glibc/deno`), 'run', '--allow-all', '--quiet'],
  keepsCode: false,
}
const bun: Runtime = {
  name: 'Bun',
  command: [binary(`@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : process.arch}/bin/bun`)],
  keepsCode: false,
}
export const runtimes: readonly Runtime[] = [...nodes, bun, deno]

export interface Said {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Options {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** In milliseconds. */
  readonly timeout?: number
}

/**
 * Runs a script that uses npm's `webgpu`, and again where a signal ended it or it hangs, five times at most. That native
 * module crashes Bun now and then (7 of 60 runs on two busy cores: futexes, mutexes), which no program of ours causes.
 */
export function runNative(runtime: Runtime, script: string, args: readonly string[], options: Options): Said {
  for (let left = 4; ; left--) {
    const { error, ...said } = spawn(runtime, script, args, { timeout: 50_000, ...options })
    if (said.status !== null) return said
    if (left === 0) throw error ?? new Error(`a signal ended each of five runs of ${script}:\n${said.stderr}`)
  }
}

/** Runs a script. */
export function run(runtime: Runtime, script: string, args: readonly string[], options: Options): Said {
  const { error, ...said } = spawn(runtime, script, args, options)
  if (error !== undefined) throw error
  return said
}

function spawn(
  runtime: Runtime,
  script: string,
  args: readonly string[],
  options: Options,
): Said & { readonly error: Error | undefined } {
  const [file, ...before] = runtime.command
  const env = { ...gpuEnv(), DENO_NO_UPDATE_CHECK: '1', ...options.env }
  const { status, stdout, stderr, error } = spawnSync(file, [...before, script, ...args], {
    encoding: 'utf8',
    cwd: options.cwd,
    env,
    input: options.input ?? '',
    maxBuffer: 1 << 28,
    timeout: options.timeout ?? 280_000,
    killSignal: 'SIGKILL',
  })
  return { status, stdout, stderr, error }
}

/** The package as npm installs it, beside npm's `webgpu`, which brings Node a device. */
export function installed(): string {
  const app = install()
  symlinkSync(join(root, 'node_modules/webgpu'), join(app, 'node_modules/webgpu'))
  return app
}
