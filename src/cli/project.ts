/** The project file of a source: `cotangent.json` of its folder, or of the nearest one around that has one. */
import { dirname, join, relative, resolve } from 'node:path'
import type { ProjectOptions } from '../project/options.ts'
import type { Inputs } from './inputs.ts'
import { report } from './report.ts'
import { Failed } from './usage.ts'

const fileName = 'cotangent.json'

/** The options that name the project file. */
export interface ProjectChoice {
  /** The file that `--project` names; false after `--no-project`. */
  readonly project?: string | false
}

/** The nearest project file upwards from a folder. */
function nearest(folder: string, inputs: Inputs): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, fileName)
    if (inputs.has(path)) return path
    if (dirname(at) === at) return undefined
  }
}

/** The project files that a command has read, by path. A file is read, and its mistakes are reported, once a run. */
export class Projects {
  readonly #inputs: Inputs
  readonly #read = new Map<string, Promise<ProjectOptions>>()

  constructor(inputs: Inputs) {
    this.#inputs = inputs
  }

  /** The options for a source, with paths that are absolute. Throws `Failed` where its project file has mistakes, and an `InputError` where it cannot be read. */
  async optionsFor(source: string, { project }: ProjectChoice): Promise<ProjectOptions> {
    if (project === false) return {}
    const folder = source === '-' ? process.cwd() : dirname(resolve(source))
    const path = project ?? nearest(folder, this.#inputs)
    if (path === undefined) return {}
    let options = this.#read.get(path)
    if (options === undefined) this.#read.set(path, (options = this.#load(path)))
    return await options
  }

  async #load(path: string): Promise<ProjectOptions> {
    const text = this.#inputs.text(path)
    const { readProject } = await import('../project/read.ts')
    // As a source below the working folder is named.
    const name = relative('', path)
    const { options, diagnostics } = readProject(text, name.startsWith('..') ? path : name)
    if (diagnostics.length > 0) {
      report(diagnostics)
      throw new Failed(2)
    }
    const from = (folder: string): string => resolve(dirname(path), folder)
    const { types } = options
    return {
      ...options,
      ...(options.searchPaths === undefined ? {} : { searchPaths: options.searchPaths.map(from) }),
      ...(typeof types === 'string' && types !== 'beside' ? { types: from(types) } : {}),
    }
  }
}
