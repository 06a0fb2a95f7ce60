// Writes the declarations of the package: one file for each entry, without anything that an entry does not show.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))

/**
 * `entries` are the sources of the entries by name; the first is `index`. What another entry shares with it, that imports from
 * there, so that a value of one entry has the type that the others ask for.
 */
export async function writeDeclarations(entries, folder) {
  // The real path: rolldown names files by theirs, and the folder may be a link, as in a second work tree.
  const made = realpathSync(mkdtempSync(at('node_modules/.declarations-')))
  try {
    const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(/package\.json$/, 'bin/tsc')
    execFileSync(process.execPath, [tsc, '-p', at('tsconfig.build.json'), '--outDir', made], { stdio: 'inherit' })
    const input = source => join(made, relative(at('src'), at(source)).replace(/\.ts$/, '.d.ts'))
    const shared = new Set()
    for (const [name, source] of Object.entries(entries)) {
      const bundle = await rolldown({
        input: input(source),
        experimental: { attachDebugInfo: 'none' },
        plugins: [
          {
            name: 'shared',
            resolveId(id, importer) {
              if (importer === undefined || !id.startsWith('.')) return null
              const file = resolve(dirname(importer), id).replace(/(\.d)?\.ts$/, '.d.ts')
              if (name === 'index') shared.add(file)
              return shared.has(file) && name !== 'index' ? { id: './index.js', external: true } : null
            },
          },
          dts({ dtsInput: true, tsconfig: false }),
        ],
      })
      await bundle.write({ file: join(folder, `${name}.d.ts`), format: 'es' })
      shared.add(input(entries.index))
    }
  } finally {
    rmSync(made, { recursive: true })
  }
}
