// Runs before the tests: they open the site as it is built from what stands here. With SITE_BUILT=1 in the environment, as it was built last.
import { execFileSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export function setup() {
  if (process.env.SITE_BUILT === '1') return
  execFileSync(process.execPath, [fileURLToPath(new URL('../build.mjs', import.meta.url))], { stdio: 'inherit' })
  // Each project of the configuration asks.
  process.env.SITE_BUILT = '1'
}
