/** The project of a source, as the command line chooses and reports it. */
import { dirname, relative, resolve } from 'node:path'
import { nearestProject } from '../files/nearest.ts'
import type { FoundProject } from '../files/project.ts'
import { slashed } from '../files/types.ts'
import type { ProjectOptions } from '../project/options.ts'
import type { CommandInputs } from './inputs.ts'
import { report } from './report.ts'
import { Failed } from './usage.ts'

/** The options that name the project file. */
export interface ProjectChoice {
  /** The file that `--project` names; false after `--no-project`. */
  readonly project?: string | false
}

/** The project files that a command has read, by path. A file is read, and its mistakes are reported, once a run. */
export class Projects {
  readonly #inputs: CommandInputs
  readonly #read = new Map<string, Promise<FoundProject>>()

  constructor(inputs: CommandInputs) {
    this.#inputs = inputs
  }

  /** The options for a source, with paths that are absolute. Throws `Failed` where its project file has mistakes, and an `InputError` where it cannot be read. */
  async optionsFor(source: string, choice: ProjectChoice): Promise<ProjectOptions> {
    return (await this.projectFor(source, choice))?.options ?? {}
  }

  /** The project of a source; undefined where there is none. Throws as `optionsFor` does. */
  async projectFor(source: string, { project }: ProjectChoice): Promise<FoundProject | undefined> {
    if (project === false) return undefined
    const folder = source === '-' ? process.cwd() : dirname(resolve(source))
    const path = project ?? nearestProject(folder, this.#inputs)
    if (path === undefined) return undefined
    let found = this.#read.get(path)
    if (found === undefined) this.#read.set(path, (found = this.#load(path)))
    return await found
  }

  async #load(path: string): Promise<FoundProject> {
    const text = this.#inputs.text(path)
    const { projectOf } = await import('../files/project.ts')
    // As a source below the working folder is named.
    const name = relative('', path)
    const found = projectOf(text, path, slashed(name.startsWith('..') ? path : name))
    if (found.diagnostics.length === 0) return found
    report(found.diagnostics)
    throw new Failed(2)
  }
}
