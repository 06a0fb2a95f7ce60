/** Modules and files for `import`, `__include` and `#include`. */
import type { Analysis } from './analysis.ts'
import { itemKinds, type Offer } from './complete-items.ts'
import { folderOf } from './uri.ts'
import { moduleEndings } from './workspace.ts'

/** The paths of all files below a folder whose names end in one of these ways. */
export type List = (folder: string, endings: readonly string[]) => readonly string[]

/** How the names of files end that programs include. */
const includeEndings: readonly string[] = [...moduleEndings, '.slangh', '.h', '.hlsl', '.hlsli', '.inc', '.glsl']

/** The files below the folders in which imports are looked for: by their paths from there, their whole paths. */
function filesOf({ options, root }: Analysis, list: List, endings: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const folder of [folderOf(root), ...(options.searchPaths ?? [])]) {
    const start = folder === '' || folder.endsWith('/') ? folder : `${folder}/`
    for (const path of list(folder, endings)) {
      const own = path.slice(start.length)
      // The first folder wins, as it does when a program is read.
      if (path.startsWith(start) && path !== root && !found.has(own)) found.set(own, path)
    }
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** A module that a program may import. */
export interface Importable {
  /** How an import names it. */
  readonly name: string
  /** Its path from the folder in which it is found. */
  readonly file: string
  readonly path: string
}

/** The modules that a program may import by name. */
export function importable(analysis: Analysis, list: List): readonly Importable[] {
  return [...filesOf(analysis, list, moduleEndings)].flatMap(([file, path]) => {
    const own = file.replace(/\.slang$/, '')
    // `_` in the name of a module stands for itself, or everywhere for `-`.
    const under = own.replaceAll('-', '_')
    const name = under.replaceAll('/', '.')
    return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(name) && (under === own || under.replaceAll('_', '-') === own)
      ? [{ name, file, path }]
      : []
  })
}

/** The files that an import or include may name. `typed` is what stands there so far: a path up to the cursor. */
export function paths(
  analysis: Analysis,
  list: List | undefined,
  { isPath, isInclude }: { readonly isPath: boolean; readonly isInclude: boolean },
  typed: string,
): readonly Offer[] {
  if (list === undefined) return []
  if (isPath) {
    const files = [...filesOf(analysis, list, isInclude ? includeEndings : moduleEndings).keys()]
    // One folder after the other.
    const folder = typed.slice(0, typed.lastIndexOf('/') + 1)
    const names = new Set(
      files.filter(f => f.startsWith(folder)).map(f => /^[^/]*\/?/.exec(f.slice(folder.length))![0]),
    )
    return [...names].map(name => ({
      label: name.replace(/\/$/, ''),
      kind: name.endsWith('/') ? itemKinds.folder : itemKinds.file,
      rank: name.endsWith('/') ? '1' : '0',
      text: `${folder}${name}`,
    }))
  }
  return importable(analysis, list).map(({ name, file }) => ({
    label: name,
    kind: itemKinds.module,
    rank: '0',
    labelDetails: { description: file },
  }))
}
