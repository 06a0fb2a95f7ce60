// Writes the site to site/dist: first the package, of which the pages take the compiler and the server, then the pages.
import { execFileSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const at = path => fileURLToPath(new URL(path, import.meta.url))

execFileSync(process.execPath, [at('../tools/build.mjs'), '--types'], { stdio: 'inherit' })
await build({ configFile: at('vite.config.ts'), logLevel: 'error' })
