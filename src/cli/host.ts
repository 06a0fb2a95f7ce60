/** What the commands share: compiling a file, and reporting diagnostics. */
import { resolve, sep } from 'node:path'
import {
  compile,
  diagnosticJson,
  escapeControls,
  renderDiagnostic,
  safeJson,
  type CompileOptions,
  type Diagnostic,
  type Level,
  type Program,
} from '../index.ts'
import type { Limits } from '../base/limits.ts'
import { SourceProblem, readInput, readSource, sourceAt } from './files.ts'
import { wantsColor, warn } from './output.ts'
import { Failed, UsageError } from './usage.ts'

/** Names of standard input among files, which is no regular file. */
const standardInput = /^\/(dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/

/** The text of a source that the command line names; `-` is standard input. */
function sourceOf(file: string): string {
  if (file === '') throw new UsageError('the name of a source is empty: name a file, or - for standard input')
  try {
    return file === '-' ? readInput() : readSource(file)
  } catch (cause) {
    if (!(cause instanceof SourceProblem)) throw cause
    throw new UsageError(
      `${file === '-' ? 'standard input' : file}: ${cause.message}${standardInput.test(file) ? '; - reads standard input' : ''}`,
    )
  }
}

/** A path as the compiler joins paths, which Windows takes too. */
function slashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
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
  readonly limit?: Limits
  readonly block?: readonly [number, number, number]
  readonly matrixLayout?: 'row-major' | 'column-major'
}

/** Takes the time of phases, and tells all when the command ends: targets are made after the program is compiled. */
function clock(): (phase: string, ms: number) => void {
  const start = performance.now()
  const times = new Map<string, number>()
  process.once('exit', () => {
    for (const [phase, ms] of [...times, ['total', performance.now() - start] as const])
      warn(`${phase.padEnd(16)}${ms.toFixed(2).padStart(9)} ms\n`)
  })
  return (phase, ms) => {
    times.set(phase, (times.get(phase) ?? 0) + ms)
  }
}

/** Compiles a file, reports what it says (`forGpu`: and what keeps all of it from a GPU), and ends in status 1 where there are errors. */
export function compileFile(
  file: string,
  options: SharedOptions,
  more: Partial<CompileOptions> = {},
  forGpu = false,
): Program {
  const source = sourceOf(file)
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
  const time = options.time === true ? clock() : undefined
  const program = compile(source, {
    fileName: file === '-' ? 'stdin.slang' : slashes(file),
    searchPaths: (options.include ?? []).map(dir => slashes(resolve(dir))),
    defines,
    resolve: sourceAt,
    conformances: options.conformance ?? [],
    optimize: Number(options.optimize) as Level,
    maxContext: options.maxContext,
    limits: options.limit,
    blockSize: options.block,
    matrixLayout: options.matrixLayout,
    debug: options.debug === true,
    time,
    ...more,
  })
  const gpu = forGpu ? program.wgslDiagnostics : []
  report([...program.diagnostics, ...gpu], options)
  if (!program.ok || gpu.length > 0) throw new Failed()
  return program
}

/** Prints a remark for people. Tools that read diagnostics as JSON do not get it. */
export function remark(text: string, options: Pick<SharedOptions, 'diagnostics'>): void {
  if (options.diagnostics === 'text') warn(`cotangent: ${escapeControls(text)}\n`)
}

/** Writes diagnostics to stderr, as text or one JSON object a line. */
export function report(list: readonly Diagnostic[], options: Pick<SharedOptions, 'diagnostics'>): void {
  const color = wantsColor(process.stderr)
  for (const d of list)
    warn(options.diagnostics === 'json' ? `${safeJson(diagnosticJson(d))}\n` : renderDiagnostic(d, { color }))
}
