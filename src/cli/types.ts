/** `cotangent types`: the declarations of shaders, as a bundler with the plugin writes them. */
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Diagnostic } from '../base/diag.ts'
import { renderDiagnostic } from '../base/render.ts'
import { nearestProject } from '../files/nearest.ts'
import { absolute } from '../files/project.ts'
import { codeOf } from '../files/read.ts'
import { Declarations, removeTypes, typesFile } from '../files/types.ts'
import type { Program } from '../index.ts'
import type { ProjectOptions } from '../project/options.ts'
import { Run, type SharedOptions } from './host.ts'
import { complain, failed, remark, tell } from './output.ts'
import { report } from './report.ts'
import { foldersOf, orphansIn, sourcesOf } from './sources.ts'
import { Failed, OutputError, UsageError, failures, isOfFiles } from './usage.ts'

interface TypesCommandOptions extends SharedOptions {
  readonly types?: string
  readonly typesSuffix?: '.d.slang.ts' | '.slang.d.ts'
  readonly check?: boolean
  readonly watch?: boolean
}

/** A path below the working folder as seen from there; any other as a whole. */
function shown(path: string): string {
  const name = relative('', path)
  return name.startsWith('..') ? resolve(path) : name
}

/** The folder of the project: what a command line means that names no shader. Throws a `UsageError` where there is no project. */
function projectFolder({ project }: SharedOptions, { inputs }: Run): string {
  const file = project === false ? undefined : (project ?? nearestProject(process.cwd(), inputs))
  if (file !== undefined) return shown(dirname(resolve(file))) || '.'
  throw new UsageError(
    'types needs to know which shaders: name files, folders or patterns (cotangent types src), or start it in a project, which has a cotangent.json',
  )
}

/** `cotangent types`: a file of declarations for each shader that the words name; without words, for those of the project. */
export async function typesCommand(given: readonly string[], raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as TypesCommandOptions
  const words = given.length > 0 ? given : [projectFolder(options, new Run())]
  if (words.includes('-')) throw new UsageError('declarations lie beside a file: name it instead of standard input')
  if (options.check === true && options.watch === true)
    throw new UsageError('--check says once how things are: leave out --watch')
  const places = new Map<string, string>()
  const once = async (run: Run): Promise<void> => new Round(run, options, places).all(words)
  if (options.watch !== true) await once(new Run())
  else await (await import('./watch.ts')).watch(words, once)
}

/** One time that declarations are written. */
class Round {
  readonly #run: Run
  readonly #options: TypesCommandOptions
  /** Where the declarations of each shader lie, also those of earlier rounds. */
  readonly #places: Map<string, string>
  /** Folders of declarations that mirror those of shaders. */
  readonly #mirrors = new Set<string>()
  readonly #errors = new Set<UsageError>()
  /** Diagnostics that were reported. Files that import the same module have its diagnostics in common. */
  readonly #reported = new Set<string>()
  #stale = false
  /** Whether some shader has something to declare. */
  #declares = false

  constructor(run: Run, options: TypesCommandOptions, places: Map<string, string>) {
    this.#run = run
    this.#options = options
    this.#places = places
  }

  async all(words: readonly string[]): Promise<void> {
    const { files, problems } = sourcesOf(words, this.#run.inputs)
    problems.forEach(error => this.#fail(error))
    const wrong: [file: string, diagnostics: readonly Diagnostic[]][] = []
    /** The files that correct programs are made of. */
    const parts = new Set<string>()
    for (const file of files) {
      try {
        const read: string[] = []
        const program = await this.#run.program(file, this.#options, ({ entries }) => ({
          entries,
          resolve: path => {
            read.push(resolve(path))
            return this.#run.inputs.sourceAt(path)
          },
        }))
        if (program.ok) {
          for (const path of read) parts.add(path)
          this.#report(program.diagnostics)
          await this.#declare(file, program)
        } else wrong.push([file, program.diagnostics])
      } catch (error) {
        // The mistakes of one file, or of a project file that several have, do not keep the others from being declared.
        if (!isOfFiles(error)) throw error
        this.#fail(error)
      }
    }
    // What a correct program includes need not be one by itself.
    const broken = wrong.filter(([file]) => !parts.has(resolve(file)))
    for (const [, diagnostics] of broken) this.#report(diagnostics)
    this.#forget(files)
    await this.#sweep(foldersOf(words))
    if (!this.#declares && files.length > 0 && broken.length === 0 && this.#errors.size === 0)
      remark('nothing is declared: no file has an entry point or a public function')
    const worst = Math.max(broken.length > 0 || this.#stale ? 1 : 0, ...[...this.#errors].map(e => e.status))
    if (worst > 0) throw new Failed(worst === 1 ? 1 : 2)
  }

  #fail(error: UsageError): void {
    if (!this.#errors.has(error)) failed(error)
    this.#errors.add(error)
  }

  #report(diagnostics: readonly Diagnostic[]): void {
    const fresh = diagnostics.filter(d => {
      const text = renderDiagnostic(d)
      const isNew = !this.#reported.has(text)
      this.#reported.add(text)
      return isNew
    })
    report(fresh)
  }

  async #declare(source: string, program: Program): Promise<void> {
    // A library that only others include.
    if (program.entries.length === 0 && program.exports.length === 0) return
    this.#declares = true
    const place = await this.#placeOf(source)
    if (place === undefined) return
    const declarations = new Declarations(program, source, place)
    if (program.entries.length > 0 && !declarations.forGpu)
      remark(
        `${source}: WGSL cannot express its kernels, so they have no types; cotangent compile ${source} says what is wrong`,
      )
    const file = shown(place)
    const { state } = declarations
    if (state === 'foreign')
      throw new OutputError(
        `${file} was not written by cotangent, so it stays as it is: remove or rename it, or name a folder with --types DIR`,
        file,
      )
    if (this.#options.check === true) {
      if (state === 'fresh') return
      this.#stale = true
      complain(`${file} is ${state}: cotangent types ${source} writes it`, failures.stale, { file })
      return
    }
    const before = this.#places.get(resolve(source))
    if (before !== undefined && before !== place) this.#remove(before)
    this.#places.set(resolve(source), place)
    if (state === 'fresh') return
    try {
      declarations.write()
    } catch (cause) {
      throw new OutputError(`${file} cannot be written (${codeOf(cause)}); --types DIR names another folder`, file)
    }
    tell(`wrote ${file}\n`)
  }

  /** The options for the declarations of a source, and what a folder of types mirrors. */
  async #layoutOf(source: string): Promise<{ readonly merged: ProjectOptions; readonly root: string }> {
    const { types, typesSuffix } = this.#options
    const project = await this.#run.project(source, this.#options)
    const root = types === undefined && project !== undefined ? project.folder : process.cwd()
    const merged: ProjectOptions = {
      ...project?.options,
      ...(types === undefined ? {} : absolute({ types }, process.cwd())),
      ...(typesSuffix === undefined ? {} : { typesSuffix }),
    }
    if (typeof merged.types === 'string' && merged.types !== 'beside') this.#mirrors.add(merged.types)
    return { merged, root }
  }

  /** Where the declarations of a source go; undefined where its project wants none. */
  async #placeOf(source: string): Promise<string | undefined> {
    const { merged, root } = await this.#layoutOf(source)
    const place = typesFile(source, merged, root)
    if (place === undefined) remark(`${source}: its cotangent.json sets types to false; --types beside writes them`)
    const within = relative(root, source)
    if (merged.types !== undefined && merged.types !== 'beside' && (within.startsWith('..') || isAbsolute(within)))
      throw new OutputError(
        `${source} lies outside of ${root}, whose folders ${shown(String(merged.types))} mirrors: start cotangent types in a folder around both, or write --types beside`,
        source,
      )
    return place
  }

  /** Removes declarations, also of earlier runs, whose shader is gone from these folders. */
  async #sweep(folders: readonly string[]): Promise<void> {
    try {
      // A folder may hold no shader any more.
      for (const folder of folders) await this.#layoutOf(join(folder, 'any.slang'))
    } catch (error) {
      if (!isOfFiles(error)) throw error
      this.#fail(error)
      return
    }
    const isWithin = (path: string): boolean =>
      folders.some(folder => {
        const way = relative(folder, path)
        return !way.startsWith('..') && !isAbsolute(way)
      })
    for (const [place, source] of orphansIn([...folders, ...this.#mirrors])) {
      if (!isWithin(source)) continue
      const file = shown(place)
      if (this.#options.check === true) {
        this.#stale = true
        complain(`${file} is left over: ${shown(source)} is gone; cotangent types removes it`, failures.stale, { file })
      } else this.#remove(place, `, for ${shown(source)} is gone`)
    }
  }

  /** Removes the declarations of shaders that are gone since an earlier round. */
  #forget(files: readonly string[]): void {
    const there = new Set(files.map(file => resolve(file)))
    for (const [source, place] of this.#places) {
      if (there.has(source)) continue
      this.#remove(place)
      this.#places.delete(source)
    }
  }

  #remove(place: string, why = ''): void {
    removeTypes(place)
    tell(`removed ${shown(place)}${why}\n`)
  }
}
