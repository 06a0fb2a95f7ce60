/** Modules and files for `import`, `__include` and `#include`. */
import type { Analysis } from './analysis.ts'
import { itemKinds, type Offer } from './complete-items.ts'
import { folderOf } from './uri.ts'
import { moduleEndings } from './workspace.ts'

/** The paths of all files below a folder whose names end in one of these ways. */
export type List = (folder: string, endings: readonly string[]) => readonly string[]

/** How the names of files end that programs include. */
const includeEndings: readonly string[] = [...moduleEndings, '.slangh', '.h', '.hlsl', '.hlsli', '.inc', '.glsl']

/** A file below one of the folders in which imports are looked for, by its path from there. */
function filesOf({ options, root }: Analysis, list: List, endings: readonly string[]): readonly string[] {
  const own = folderOf(root)
  const found = new Set<string>()
  for (const folder of [own, ...(options.searchPaths ?? [])]) {
    const start = folder === '' || folder.endsWith('/') ? folder : `${folder}/`
    for (const path of list(folder, endings))
      if (path.startsWith(start) && path !== root) found.add(path.slice(start.length))
  }
  return [...found].toSorted()
}

/** The files that an import or include may name. `typed` is what stands there so far: a path up to the cursor. */
export function paths(
  analysis: Analysis,
  list: List | undefined,
  { isPath, isInclude }: { readonly isPath: boolean; readonly isInclude: boolean },
  typed: string,
): readonly Offer[] {
  if (list === undefined) return []
  const files = filesOf(analysis, list, isInclude ? includeEndings : moduleEndings)
  if (isPath) {
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
  return files.flatMap(file => {
    const name = file.replace(/\.slang$/, '')
    // `_` in the name of a module stands for itself, or everywhere for `-`.
    const under = name.replaceAll('-', '_')
    const spelled = under.replaceAll('/', '.')
    return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(spelled) && (under === name || under.replaceAll('_', '-') === name)
      ? [{ label: spelled, kind: itemKinds.module, rank: '0', labelDetails: { description: file } }]
      : []
  })
}
