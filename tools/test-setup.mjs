// Runs before the tests, so that they see the core library as it stands in core/, and the command line as it stands in src/.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export function setup() {
  execFileSync(process.execPath, [fileURLToPath(new URL('build.mjs', import.meta.url))], { stdio: 'inherit' })
}
