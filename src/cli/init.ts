/** `cotangent init`: a new project, which is a copy of the example that the package carries. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { makeFolder } from '../files/folder.ts'
import { codeOf } from '../files/read.ts'
import { slashed } from '../files/types.ts'
import { tell } from './output.ts'
import { OutputError, packageRoot, packageVersion, UsageError } from './usage.ts'
import { write } from './write.ts'

/** The `.gitignore` of the example. npm leaves files of that name out of packages. */
export const ignored = 'node_modules\ndist\n*.d.slang.ts\n'

/** What a checkout of the example holds beyond the example. */
const made = /(^|\/)(node_modules|dist|package-lock\.json|\.gitignore)(\/|$)|\.d\.slang\.ts$/

/** The files of a new project: their names, and where the texts of most come from. */
function template(): ReadonlyMap<string, Buffer> {
  const from = join(packageRoot(), 'examples/vite')
  const files = new Map<string, Buffer>([['.gitignore', Buffer.from(ignored)]])
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = slashed(relative(from, path))
    if (entry.isFile() && !made.test(name)) files.set(name, readFileSync(path))
  }
  return files
}

/** A name that npm takes, after that of a folder. */
export function packageName(folder: string): string {
  const name = basename(resolve(folder))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
    .slice(0, 214)
  return name === '' || name === 'node_modules' || name === 'favicon.ico' ? 'cotangent-project' : name
}

/** The `package.json` of the example under another name, with this version of Cotangent. */
function renamed(text: string, name: string): string {
  const manifest = JSON.parse(text) as { name: string; dependencies: Record<string, string> }
  manifest.name = name
  manifest.dependencies['cotangent'] = `^${packageVersion()}`
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** What lies in a folder, but for a repository that is new too. */
function contentsOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  if (!statSync(folder).isDirectory()) throw new OutputError(`${folder} is a file: name a folder`, folder)
  return readdirSync(folder).filter(name => name !== '.git')
}

/** `cotangent init`: writes a project into a folder that is new or empty. */
export function initCommand(folder: string, { force }: { readonly force?: boolean }): void {
  // Not the working folder: an empty variable of a script would fill it with files.
  if (folder === '') throw new UsageError('the name of the folder is empty: name a folder, or . for this one')
  const files = template()
  if (contentsOf(folder).length > 0 && force !== true) {
    const lost = [...files.keys()].filter(name => existsSync(join(folder, name))).toSorted()
    throw new OutputError(
      `${folder} is not empty; --force writes into it, and overwrites ${lost.length === 0 ? 'nothing' : lost.join(', ')}`,
      folder,
    )
  }
  for (const [name, text] of files) {
    const to = join(folder, name)
    try {
      makeFolder(dirname(resolve(to)))
    } catch (cause) {
      throw new OutputError(`${dirname(to)} cannot be written (${codeOf(cause)})`, folder)
    }
    write(to, name === 'package.json' ? renamed(text.toString('utf8'), packageName(folder)) : text)
  }
  tell(nextSteps(folder))
}

function nextSteps(folder: string): string {
  // npm, pnpm, yarn and bun say who they are to what `create` runs.
  const manager = /^(pnpm|yarn|bun)\//.exec(process.env['npm_config_user_agent'] ?? '')?.[1] ?? 'npm'
  const steps = [`${manager} install`, `${manager} run dev`, `${manager} run check`]
  const place = /[^\w./\\:-]/.test(folder) ? `"${folder}"` : folder
  if (resolve(folder) !== process.cwd()) steps.unshift(`cd ${place}`)
  return `${folder} holds a page that trains a shader, and tests of its gradient. Next:\n\n${steps.map(step => `  ${step}\n`).join('')}`
}
