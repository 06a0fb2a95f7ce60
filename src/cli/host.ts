/** What the command line needs of Node: files, the terminal, and reporting. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile, diagnosticJson, renderDiagnostic, type Diagnostic, type Level, type Program, type CompileOptions } from '../index.ts'

/** A mistake of the caller's: printed as one line, and the exit status says which kind. */
export class UsageError extends Error {
  /** 2 for the command line, 1 for the program. */
  readonly status: number

  constructor(message: string, status = 2) {
    super(message)
    this.name = 'UsageError'
    this.status = status
  }
}

/** The folder of the package: the nearest one up from this file that has a package.json. */
export function packageRoot(): string {
  let dir = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(dir, 'package.json'))) {
    const up = dirname(dir)
    if (up === dir) throw new UsageError('the package is incomplete: there is no package.json')
    dir = up
  }
  return dir
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version
}

/** Whether output to a stream is coloured: a terminal, and `NO_COLOR` unset. */
export function wantsColor(stream: NodeJS.WriteStream): boolean {
  const { env } = process
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true
  return stream.isTTY === true
}

function readSource(file: string): string {
  if (file === '-') return readFileSync(0, 'utf8')
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    throw new UsageError(code === 'ENOENT' ? `${file}: no such file` : code === 'EISDIR' ? `${file} is a folder` : `${file} cannot be read (${code})`)
  }
}

/** The text of a file that an import asks for; undefined where there is none. */
function sourceAt(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/** Options that all compiling commands share, as commander gives them. */
export interface SharedOptions {
  readonly include?: readonly string[]
  readonly define?: readonly string[]
  readonly conformance?: readonly string[]
  readonly optimize: string
  readonly diagnostics: 'text' | 'json'
  readonly debug?: boolean
  readonly time?: boolean
  readonly maxContext?: number
  readonly block?: readonly [number, number, number]
  readonly matrixLayout?: 'row-major' | 'column-major'
}

/** Compiles a file, reports what it says (`forGpu`: and what keeps all of it from a GPU), and ends in status 1 where there are errors. */
export function compileFile(file: string, options: SharedOptions, more: Partial<CompileOptions> = {}, forGpu = false): Program {
  const source = readSource(file)
  const defines: Record<string, string> = {}
  for (const d of options.define ?? []) {
    const at = d.indexOf('=')
    const name = at < 0 ? d : d.slice(0, at)
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new UsageError(`-D ${d}: ${name} is not a name`)
    defines[name] = at < 0 ? '1' : d.slice(at + 1)
  }
  for (const c of options.conformance ?? []) {
    if (!/^[^:=]+:[^:=]+(=\d+)?$/.test(c)) throw new UsageError(`--conformance ${c}: write it as Type:Interface or Type:Interface=ID`)
  }
  const times: (readonly [string, number])[] = []
  const start = options.time === true ? performance.now() : 0
  const program = compile(source, {
    fileName: file === '-' ? 'stdin.slang' : file, searchPaths: (options.include ?? []).map(dir => resolve(dir)), defines,
    resolve: sourceAt, conformances: options.conformance ?? [], optimize: Number(options.optimize) as Level, maxContext: options.maxContext, blockSize: options.block, matrixLayout: options.matrixLayout, debug: options.debug === true,
    ...options.time === true ? { time: (phase: string, ms: number) => { times.push([phase, ms]) } } : {}, ...more,
  })
  if (options.time === true) {
    for (const [phase, ms] of times) process.stderr.write(`${phase.padEnd(16)}${ms.toFixed(2).padStart(9)} ms\n`)
    process.stderr.write(`${'total'.padEnd(16)}${(performance.now() - start).toFixed(2).padStart(9)} ms\n`)
  }
  const gpu = forGpu ? program.wgslDiagnostics : []
  report([...program.diagnostics, ...gpu], options)
  if (!program.ok || gpu.length > 0) throw new Failed()
  return program
}

/** Says what a person may wonder about; tools that read diagnostics are not told. */
export function remark(text: string, options: Pick<SharedOptions, 'diagnostics'>): void {
  if (options.diagnostics === 'text') process.stderr.write(`cotangent: ${text}\n`)
}

/** Thrown when everything that is to be said has been said. */
export class Failed extends UsageError {
  constructor() {
    super('', 1)
    this.name = 'Failed'
  }
}

/** Writes diagnostics to stderr, as text or one JSON object a line. */
export function report(list: readonly Diagnostic[], options: Pick<SharedOptions, 'diagnostics'>): void {
  const color = wantsColor(process.stderr)
  for (const d of list) process.stderr.write(options.diagnostics === 'json' ? `${JSON.stringify(diagnosticJson(d))}\n` : renderDiagnostic(d, { color }))
}
