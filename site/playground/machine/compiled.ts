/** Compiles a project, with the modules that Slang's playground has. */
import { compile, type Diagnostic, type Program } from 'cotangent'
import { load } from 'cotangent/cpu'
import type { ProjectFile } from '../project/project.ts'
import { modules } from './modules.ts'
import { Failed, type Problem } from './protocol.ts'
import { during } from './server.ts'

/** The program that was compiled last, with what it was compiled from. */
let last: { readonly key: string; readonly program: Program } | undefined

/** Compiles a project: its first file, which may import the others. Throws a `Failed` with the diagnostics where it has errors. */
export function compiled(files: readonly ProjectFile[]): Program {
  const key = JSON.stringify(files)
  if (last?.key !== key) {
    const [main] = files
    const program = during('compiling', () => compile(main!.text, { fileName: main!.name, files: sources(files) }))
    last = { key, program }
  }
  const { program } = last
  if (!program.ok) throw refused(program.diagnostics)
  return program
}

function sources(files: readonly ProjectFile[]): Record<string, string> {
  return { ...modules, ...Object.fromEntries(files.map(f => [f.name, f.text])) }
}

/** A failure that is what diagnostics say. */
export function refused(diagnostics: readonly Diagnostic[]): Failed {
  const problems = problemsOf(diagnostics)
  const errors = problems.filter(p => p.severity === 'error').length
  return new Failed({ message: `The program has ${errors === 1 ? 'an error' : `${errors} errors`}.`, problems })
}

/** Runs what may throw a `CompileError`, and makes a failure of that. */
export function orRefused<T>(make: () => T): T {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'CompileError')
      throw refused((cause as unknown as { diagnostics: Diagnostic[] }).diagnostics)
    throw cause
  }
}

/** Diagnostics as plain data. */
export function problemsOf(diagnostics: readonly Diagnostic[]): Problem[] {
  return diagnostics.map(d => {
    const severity = d.severity === 'error' ? 'error' : 'warning'
    const { code, message, span } = d
    if (span === undefined) return { severity, code, message, file: '', line: 1, column: 1 }
    return { severity, code, message, file: span.file.name, ...span.file.position(span.start) }
  })
}

/**
 * The values of constant expressions where a file has them: the file is compiled once more, with a function for each. Throws a `Failed` that names the
 * expression where one is not known.
 */
export async function evaluated(
  files: readonly ProjectFile[],
  file: string,
  expressions: readonly string[],
): Promise<number[]> {
  const text = sources(files)[file]!
  const added = expressions.map((e, i) => `export double playground__${i}() { return double(${e}); }`).join('\n')
  const exports = expressions.map((_, i) => `playground__${i}`)
  const program = during('compiling', () =>
    compile(`${text}\n${added}\n`, { fileName: file, files: sources(files), exports }),
  )
  if (!program.ok)
    throw new Failed({
      message: `An attribute of ${file} has an argument that is no constant: ${expressions.join(', ')}`,
    })
  const loaded = await load(program)
  const values = exports.map(name => Number((loaded.fn as Record<string, () => unknown>)[name]!()))
  loaded.close()
  return values
}
