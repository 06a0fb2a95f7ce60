/** The package as npm installs it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root: string = join(import.meta.dirname, '../..')

/** Runs npm in a folder. */
export function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Packs the package, and installs it in an empty folder, in which it is the only one. Gives the folder, which has one of its own. */
export function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cotangent-package-'))
  npm(root, 'pack', '--silent', '--pack-destination', folder)
  const tarball = readdirSync(folder).find(f => f.endsWith('.tgz'))!
  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n')
  npm(app, 'install', '--no-audit', '--no-fund', '--offline', join(folder, tarball))
  return app
}
