/** Runs scripts that hold a device: such a process has to be ended, so each is bundled and run apart from the tests. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { gpuEnv } from '../../tools/gpu-env.mjs'

/** What a script of this folder prints last, read as JSON. */
export async function runScript(name: string): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(fileURLToPath(new URL('../../node_modules/.script-', import.meta.url)))
  const outfile = `${folder}/script.mjs`
  try {
    await build({
      entryPoints: [fileURLToPath(new URL(`./${name}`, import.meta.url))],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['webgpu'],
    })
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { env: gpuEnv() })
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>
  } finally {
    rmSync(folder, { recursive: true })
  }
}
