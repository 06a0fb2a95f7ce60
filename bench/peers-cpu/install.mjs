// The libraries beside which bench:cpu measures gradients, from npm into a folder that is gone afterwards: no dependency of this repository.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const packages = { '@jax-js/jax': '0.1.25', '@tensorflow/tfjs': '4.22.0', '@tensorflow/tfjs-backend-wasm': '4.22.0' }

/** Installs them: a `require` that finds them, or, where npm fails, a sentence that says why. */
export function installPeers() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  // Without a network, npm would try again for minutes.
  const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', ...patience]
  const { status, stderr, error } = spawnSync('npm', ['install', ...flags], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status === 0) return { require: createRequire(join(folder, 'package.json')) }
  const said = [...(stderr ?? '').matchAll(/^npm (?:error|ERR!) (?!code|errno|syscall)(.+)$/gm)].map(([, line]) => line)
  return { failed: error?.message ?? said[0] ?? `npm ended with ${status}` }
}
