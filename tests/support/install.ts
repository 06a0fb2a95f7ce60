/** The package as npm installs it. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root: string = join(import.meta.dirname, '../..')

/** Runs npm in a folder. */
export function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Packs the package into a folder, and gives the file. `isBuilt`: as `dist` stands, unless that has no types. */
export function pack(folder: string, isBuilt = false): string {
  const isWhole = isBuilt && existsSync(join(root, 'dist/index.d.ts'))
  npm(root, 'pack', '--silent', ...(isWhole ? ['--ignore-scripts'] : []), '--pack-destination', folder)
  return join(
    folder,
    readdirSync(folder).find(f => f.endsWith('.tgz'))!,
  )
}

/** Packs the package, and installs it in an empty folder, in which it is the only one. Gives the folder, which has one of its own. */
export function install(isBuilt = false): string {
  const folder = mkdtempSync(join(tmpdir(), 'cotangent-package-'))
  const tarball = pack(folder, isBuilt)
  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n')
  npm(app, 'install', '--no-audit', '--no-fund', '--offline', tarball)
  return app
}

/** Removes what `install` has made. Where that failed there is no folder, and nothing to remove: beside '' would lie the repository. */
export function uninstall(app: string): void {
  if (app !== '') rmSync(join(app, '..'), { recursive: true, maxRetries: 10 })
}
