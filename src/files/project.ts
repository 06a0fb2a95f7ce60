/** A project file with its place on the file system. */
import { dirname, resolve } from 'node:path'
import type { Diagnostic } from '../base/diag.ts'
import type { ProjectOptions } from '../project/options.ts'
import { readProject } from '../project/read.ts'

/** The project of a source. */
export interface FoundProject {
  /** With paths that are absolute. */
  readonly options: ProjectOptions
  /** The folder that the places of generated files are relative to. */
  readonly folder: string
  /** What is wrong with the file. All are errors. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The options that the text of a project file holds. `name` is what diagnostics call the file. */
export function projectOf(text: string, path: string, name: string): FoundProject {
  const folder = dirname(resolve(path))
  const { options, diagnostics } = readProject(text, name)
  return { options: absolute(options, folder), folder, diagnostics }
}

/** The options with absolute paths; those in `options` are relative to `folder`. */
export function absolute(options: ProjectOptions, folder: string): ProjectOptions {
  const { searchPaths, types } = options
  return {
    ...options,
    ...(searchPaths === undefined ? {} : { searchPaths: searchPaths.map(path => resolve(folder, path)) }),
    ...(typeof types === 'string' && types !== 'beside' ? { types: resolve(folder, types) } : {}),
  }
}
