// Writes the site to site/dist: first the package, from which the pages take the compiler and the server, then the pages, then the playground.
// `--base /folder/` says where a host will serve it; without it, at the root.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const at = path => fileURLToPath(new URL(path, import.meta.url))

const { values } = parseArgs({ options: { base: { type: 'string', default: process.env.SITE_BASE ?? '/' } } })
if (!/^\/([^?#\s]*\/)?$/.test(values.base)) {
  console.error(`--base takes a path that begins and ends with a slash, such as /cotangent/, not ${values.base}`)
  process.exit(2)
}
process.env.SITE_BASE = values.base

const began = performance.now()
/** Says what is being done, and when. */
const step = text => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${text}`)
const node = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: at('..'), stdio: 'inherit' })
  if (status === 0) return
  console.error(`node ${args.join(' ')} failed: see above`)
  process.exit(1)
}

step('the package')
node(at('../tools/build.mjs'), '--types')
step('the Markdown of the pages')
node(at('../tools/script.mjs'), at('pages/assemble.ts'))
step('the reference of the library')
node(at('pages/api.mjs'))
step('the pages')
const { build: buildPages } = await import('vitepress')
await buildPages(at('pages'), { logLevel: 'error' })
step('the playground')
const { build } = await import('vite')
await build({ configFile: at('vite.config.ts'), logLevel: 'error' })
step('site/dist is written')
