// The licences of packages that are part of a bundle: they ask to be passed on with it.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of the packages that esbuild put into a bundle, relative to the folder it worked in. */
function packagesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
    path => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  )
  return folders
}

/** What the file of the package says first. */
const ofPackage =
  'The command line of Cotangent (dist/cli.js and dist/cli/), its language server (dist/lsp.js) and its plugin for bundlers (dist/plugin/) contain these packages.'

/** What goes along with bundles: each package that is in one, with the texts of its licence. */
export function thirdPartyLicenses(metafiles, root, head = ofPackage) {
  const folders = new Set(metafiles.flatMap(packagesOf))
  const parts = [...folders]
    .sort((a, b) => (a < b ? -1 : 1))
    .map(folder => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      const files = readdirSync(join(root, folder))
        .filter(file => /^(?:licen[cs]e|copying|notice)\b/i.test(file))
        .sort()
      if (files.length === 0) throw new Error(`${name} is part of a bundle, and has no file with its licence`)
      return [
        `${name} ${version} (${license})`,
        ...files.map(file => readFileSync(join(root, folder, file), 'utf8').trim()),
      ].join('\n\n')
    })
  return [head, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`) + '\n'
}
