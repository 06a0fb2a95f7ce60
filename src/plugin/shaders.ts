/** Compiles imported shaders with the options of their projects and of the plugin. */
import { dirname, relative, resolve } from 'node:path'
import { GenMapping, addMapping, setSourceContent, toEncodedMap, type EncodedSourceMap } from '@jridgewell/gen-mapping'
import type { Diagnostic } from '../base/diag.ts'
import { Inputs } from '../files/inputs.ts'
import { nearestProject } from '../files/nearest.ts'
import { absolute, projectOf } from '../files/project.ts'
import { slashed, typesFile, writeTypes } from '../files/types.ts'
import { CompileError, compile, type CompileOptions, type Program } from '../index.ts'
import { mergeOptions } from '../project/merge.ts'
import type { ProjectOptions } from '../project/options.ts'
import { readProject } from '../project/read.ts'
import { cpuModule, gpuModule, runtimeModule, type Line } from './module.ts'
import type { Request } from './request.ts'

/** Thrown for mistakes that have no place in a shader. */
export class PluginError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PluginError'
    // The mistake is in no call of ours.
    this.stack = `${this.name}: ${message}`
  }
}

/** A module as bundlers take it. */
export interface Loaded {
  readonly code: string
  /** Leads from the module to the shader. */
  readonly map: EncodedSourceMap | undefined
}

/** What an import became. */
export interface Imported {
  /** The text of the module; undefined where there are errors. */
  readonly code: string | undefined
  readonly map: Loaded['map']
  readonly diagnostics: readonly Diagnostic[]
  /** The files whose change would change it. */
  readonly files: readonly string[]
  /** Folders in which a file would change it that is missing. */
  readonly folders?: readonly string[]
}

/** How modules are made. */
export interface Surroundings {
  /** The folder that names of files are relative to. */
  readonly root: string
  /** Whether a module can be replaced in a running page. */
  readonly hot: boolean
}

/** The options of a plugin, which are checked as those of a project file are. Throws a `PluginError`. */
export function checkedOptions(options: ProjectOptions | undefined): ProjectOptions {
  if (options === undefined) return {}
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new PluginError('the cotangent plugin takes an object of options, as cotangent.json has them')
  const taken = readProject(JSON.stringify(options), '', 'the plugin')
  const [first] = taken.diagnostics
  if (first === undefined) return taken.options
  const notes = first.notes.map(note => `; ${note.text}`).join('')
  throw new PluginError(`the options of the cotangent plugin: ${first.message}${notes}`)
}

/** The module of an import. Throws a `PluginError` or a `SourceProblem`. */
export function importShader(request: Request, own: ProjectOptions, surroundings: Surroundings): Imported {
  for (let attempt = 0; ; attempt++) {
    const inputs = new Inputs()
    const imported = importFrom(inputs, request, own, surroundings)
    // A file that an editor is still writing is read half, and not every watcher tells of both changes.
    if (!inputs.changed || attempt === 2) return imported
  }
}

function importFrom(
  inputs: Inputs,
  { file, query }: Request,
  own: ProjectOptions,
  { root, hot }: Surroundings,
): Imported {
  const text = inputs.source(file)
  const named = (path: string): string => slashed(relative(root, path))
  const fileName = named(file)

  const projectFile = nearestProject(dirname(file), inputs)
  const project =
    projectFile === undefined ? undefined : projectOf(inputs.source(projectFile), projectFile, named(projectFile))
  if (project !== undefined && project.diagnostics.length > 0)
    return { code: undefined, map: undefined, diagnostics: project.diagnostics, files: inputs.files }
  const merged = mergeOptions(project?.options ?? {}, absolute(own, root))
  const { searchPaths, defines, conformances, matrixLayout, entries, maxContext, emulateHalf } = merged

  const options: CompileOptions = {
    searchPaths: searchPaths?.map(named),
    defines,
    conformances,
    matrixLayout,
    entries,
    maxContext,
    emulateHalf,
  }
  const texts = new Map([[fileName, text]])
  const looked: string[] = []
  const resolvePath = (path: string): string | undefined => {
    const found = inputs.sourceAt(resolve(root, path))
    if (found === undefined) looked.push(dirname(resolve(root, path)))
    else texts.set(path, found)
    return found
  }
  const program = compile(text, { ...options, fileName, resolve: resolvePath })
  const failed = (diagnostics: readonly Diagnostic[]): Imported => ({
    code: undefined,
    map: undefined,
    diagnostics,
    // A file that is missing may be made.
    files: inputs.asked,
    folders: [...new Set(looked)],
  })
  if (!program.ok) return failed(program.diagnostics)

  const lines = (): Line[] => {
    switch (query) {
      case 'cpu':
        return cpuModule(program)
      case 'runtime':
        return runtimeModule({ fileName, files: Object.fromEntries(texts), options })
      case '':
        return gpuModule(program, hot)
    }
  }
  let made: Line[]
  try {
    made = lines()
  } catch (cause) {
    // What WGSL cannot express may still run on a CPU.
    if (cause instanceof CompileError) return failed([...program.diagnostics, ...cause.diagnostics])
    throw cause
  }
  // The types of a package are its own affair.
  if (!slashed(file).includes('/node_modules/')) {
    const folder = own.types === undefined ? (project?.folder ?? root) : root
    keepTypes(program, file, typesFile(file, merged, folder))
  }
  const code = `${made.map(line => line.text).join('\n')}\n`
  return { code, map: mapOf(made, texts, root), diagnostics: program.diagnostics, files: inputs.files }
}

function keepTypes(program: Program, source: string, file: string | undefined): void {
  if (file === undefined) return
  let written
  try {
    written = writeTypes(program, source, file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new PluginError(
      `${file} cannot be written (${code ?? String(cause)}); set types to a folder, or to false, in cotangent.json or in the options of the plugin`,
    )
  }
  if (written === 'foreign')
    throw new PluginError(
      `${file} was not written by cotangent, so it stays as it is: rename it, or set types to a folder, or to false, in cotangent.json or in the options of the plugin`,
    )
}

/** A source map that leads from a module to the shader. */
function mapOf(lines: readonly Line[], texts: ReadonlyMap<string, string>, root: string): EncodedSourceMap {
  const map = new GenMapping()
  lines.forEach(({ origin }, i) => {
    if (origin === undefined || !texts.has(origin.file)) return
    // Of a file on another drive, the name is its whole path.
    const source = slashed(resolve(root, origin.file))
    addMapping(map, {
      generated: { line: i + 1, column: 0 },
      source,
      original: { line: origin.line, column: origin.column - 1 },
    })
    setSourceContent(map, source, texts.get(origin.file) ?? null)
  })
  return toEncodedMap(map)
}
