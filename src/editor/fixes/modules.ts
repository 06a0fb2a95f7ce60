/** Modules that a program does not import yet, for fixes that name them: those in the folders where its imports are looked for. */
import type { Analysis } from '../analysis.ts'
import { importable, type Importable, type List } from '../complete-paths.ts'
import type { Workspace } from '../workspace.ts'

/** Modules that a program could import. */
export interface OtherModules {
  /** How an import names them. */
  names(): readonly string[]
  /** The names of those that declare a name for others. */
  declaring(name: string): readonly string[]
}

/** The modules that a program in a workspace could import. */
export function otherModules(workspace: Workspace, analysis: Analysis, list: List): OtherModules {
  // Search paths may lead to a file by several names: the shortest is the one that is meant.
  const all = (): readonly Importable[] =>
    importable(analysis, list).toSorted((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
  return {
    names: () => all().map(m => m.name),
    declaring: name => {
      const found = new Set<string>()
      for (const { path } of all()) {
        if (analysis.inputs.has(path) || !textOf(workspace, path).includes(name)) continue
        // A file that implements a module is imported with that.
        const program = workspace.program(path)
        const root = program && all().find(m => m.path === program.root)
        if (root !== undefined && program !== undefined && declares(program, name)) found.add(root.name)
      }
      return [...found]
    },
  }
}

function textOf(workspace: Workspace, path: string): string {
  try {
    return workspace.text(path) ?? ''
  } catch {
    // What cannot be read declares nothing.
    return ''
  }
}

/** Whether the module that a program begins with declares a name for others. */
function declares({ program, root }: Analysis, name: string): boolean {
  const own = program.modules.find(m => m.files.some(f => f.name === root))
  return own?.inner.names.get(name)?.some(d => 'visibility' in d && d.visibility === 'public') === true
}
