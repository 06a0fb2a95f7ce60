/** Bundles scripts that hold a device, and runs each in a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { gpuEnv } from '../../tools/gpu-env.mjs'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** What a script of this folder prints last, read as JSON. */
export async function runScript(name: string, args: readonly string[]): Promise<unknown> {
  const folder = mkdtempSync(at('../../node_modules/.script-'))
  const outfile = `${folder}/script.mjs`
  try {
    await build({
      entryPoints: [at(name)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['webgpu'],
      logLevel: 'error',
      alias: {
        cotangent: at('../../dist/index.js'),
        'cotangent/cpu': at('../../dist/cpu.js'),
        'cotangent/gpu': at('../../dist/gpu.js'),
      },
    })
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, ...args], {
      env: gpuEnv(),
      maxBuffer: 2 ** 26,
    })
    return JSON.parse(stdout.trim().split('\n').at(-1)!)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
