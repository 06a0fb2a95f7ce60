/** What the commands share: compiling a file with the options of the command line and of its project. */
import { resolve } from 'node:path'
import { compile, type CompileOptions, type Level, type Program } from '../index.ts'
import type { Limits } from '../base/limits.ts'
import type { FoundProject } from '../files/project.ts'
import { slashed } from '../files/types.ts'
import type { ProjectOptions } from '../project/options.ts'
import { mergeOptions } from '../project/merge.ts'
import { clock } from './clock.ts'
import { CommandInputs } from './inputs.ts'
import { Projects, type ProjectChoice } from './project.ts'
import { report } from './report.ts'
import { Failed, UsageError } from './usage.ts'

/** Options that all compiling commands share, as commander gives them. */
export interface SharedOptions extends ProjectChoice {
  readonly include?: readonly string[]
  readonly define?: readonly string[]
  readonly conformance?: readonly string[]
  readonly optimize: string
  readonly debug?: boolean
  readonly time?: boolean
  readonly maxContext?: number
  readonly limit?: Limits
  readonly block?: readonly [number, number, number]
  readonly matrixLayout?: 'row-major' | 'column-major'
  readonly emulateHalf?: boolean
}

/** Those of the options that a project file may have too. Throws a `UsageError` where one is written wrongly. */
function asProject(options: SharedOptions): ProjectOptions {
  const defines: Record<string, string> = {}
  for (const d of options.define ?? []) {
    if (d === '' || d.startsWith('='))
      throw new UsageError(`-D ${d === '' ? "''" : d}: a name is missing: write -D NAME or -D NAME=VALUE`)
    const at = d.indexOf('=')
    const name = at < 0 ? d : d.slice(0, at)
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new UsageError(`-D ${d}: ${name} is not a name`)
    defines[name] = at < 0 ? '1' : d.slice(at + 1)
  }
  for (const c of options.conformance ?? []) {
    if (!/^[^:=]+:[^:=]+(=\d+)?$/.test(c))
      throw new UsageError(`--conformance ${c}: write it as Type:Interface or Type:Interface=ID`)
  }
  return {
    searchPaths: (options.include ?? []).map(dir => resolve(dir)),
    defines,
    conformances: options.conformance ?? [],
    ...(options.maxContext === undefined ? {} : { maxContext: options.maxContext }),
    ...(options.matrixLayout === undefined ? {} : { matrixLayout: options.matrixLayout }),
    ...(options.emulateHalf === undefined ? {} : { emulateHalf: options.emulateHalf }),
  }
}

/** One run of a command: the files that it reads, and the options of their projects. */
export class Run {
  readonly inputs: CommandInputs = new CommandInputs()
  readonly #projects = new Projects(this.inputs)

  /** The project of a source, without the options of the command line. */
  async project(file: string, choice: ProjectChoice): Promise<FoundProject | undefined> {
    return await this.#projects.projectFor(file, choice)
  }

  /** Compiles a file, which may have errors. `more` may depend on the options of the project. */
  async program(
    file: string,
    options: SharedOptions,
    more: (project: ProjectOptions) => Partial<CompileOptions> = () => ({}),
  ): Promise<Program> {
    if (file === '') throw new UsageError('the name of a source is empty: name a file, or - for standard input')
    const own = asProject(options)
    const source = this.inputs.text(file)
    const project = mergeOptions((await this.project(file, options))?.options ?? {}, own)
    return compile(source, {
      fileName: file === '-' ? 'stdin.slang' : slashed(file),
      searchPaths: project.searchPaths?.map(slashed),
      defines: project.defines,
      resolve: this.inputs.sourceAt,
      conformances: project.conformances,
      optimize: Number(options.optimize) as Level,
      maxContext: project.maxContext,
      limits: options.limit,
      blockSize: options.block,
      matrixLayout: project.matrixLayout,
      emulateHalf: project.emulateHalf,
      debug: options.debug === true,
      time: options.time === true ? clock() : undefined,
      ...more(project),
    })
  }

  /** As `program`, but reports what the program says (`forGpu`: and what keeps all of it from a GPU), and throws `Failed` where there are errors. */
  async compile(
    file: string,
    options: SharedOptions,
    more?: (project: ProjectOptions) => Partial<CompileOptions>,
    forGpu = false,
  ): Promise<Program> {
    const program = await this.program(file, options, more)
    const gpu = forGpu ? program.wgslDiagnostics : []
    report([...program.diagnostics, ...gpu])
    if (!program.ok || gpu.length > 0) throw new Failed()
    return program
  }
}
