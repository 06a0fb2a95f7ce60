import { writeFileSync } from 'node:fs'
import { basename, dirname, relative, sep } from 'node:path'
import {
  CompileError,
  reflectionTypes,
  sourceMapJson,
  stages,
  withSourceLines,
  type Program,
  type Stage,
} from '../index.ts'
import { compileFile, remark, report, type SharedOptions } from './host.ts'
import { Failed, UsageError } from './usage.ts'
import { tell } from './output.ts'

interface CompileCommandOptions extends SharedOptions {
  readonly target: 'wgsl' | 'wasm' | 'js' | 'ir'
  readonly entry?: readonly string[]
  readonly stage?: 'compute' | 'vertex' | 'fragment'
  readonly export?: readonly string[]
  readonly output?: string
  readonly reflection?: string
  readonly sourceMap?: string | true
  readonly dumpIr?: string
  readonly mode: 'f32' | 'f64'
}

/** `cotangent compile`: one target's code for each file. */
export function compileCommand(files: readonly string[], raw: Record<string, unknown>): void {
  const options = raw as unknown as CompileCommandOptions
  if (files.length > 1 && options.output !== undefined)
    throw new UsageError('-o takes the code of one file; call compile once for each')
  if (options.sourceMap !== undefined) {
    if (options.target !== 'wgsl' || options.dumpIr !== undefined)
      throw new UsageError('--source-map is of WGSL: it goes with --target wgsl')
    if (options.sourceMap === true && options.output === undefined)
      throw new UsageError('--source-map needs a file, or -o to be named after')
    if (files.length > 1) throw new UsageError('--source-map takes the code of one file; call compile once for each')
  }
  for (const file of files) one(file, options)
}

function one(file: string, options: CompileCommandOptions): void {
  const stage = options.stage
  const program = compileFile(
    file,
    options,
    { entries: options.entry?.map(name => (stage === undefined ? name : { name, stage })), exports: options.export },
    options.target === 'wgsl' && options.dumpIr === undefined,
  )
  try {
    const code = options.dumpIr === undefined ? codeOf(program, options) : dump(program, options)
    if (options.dumpIr === undefined) remarkIfEmpty(file, program, options)
    if (options.output !== undefined) write(options.output, code)
    else if (typeof code !== 'string' && process.stdout.isTTY)
      throw new UsageError('WebAssembly is no text: -o names a file for it')
    else tell(code)
    if (options.reflection !== undefined) {
      const { reflection } = program.wgsl()
      write(
        options.reflection,
        options.reflection.endsWith('.ts') ? reflectionTypes(reflection) : `${JSON.stringify(reflection, null, 2)}\n`,
      )
    }
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    report(error.diagnostics, options)
    throw new Failed()
  }
}

function codeOf(program: Program, options: CompileCommandOptions): string | Uint8Array {
  switch (options.target) {
    case 'wgsl':
      return wgslOf(program, options)
    case 'wasm':
      return program.wasm().bytes
    case 'js':
      return program.js({ mode: options.mode }).code
    case 'ir':
      return program.ir('final')
  }
}

/** The WGSL that the options ask for: with source lines as comments, or with a written source map. */
function wgslOf(program: Program, options: CompileCommandOptions): string {
  const wgsl = program.wgsl()
  const code = options.debug === true ? withSourceLines(wgsl) : wgsl.code
  if (options.sourceMap === undefined) return code
  const map = options.sourceMap === true ? `${options.output!}.map` : options.sourceMap
  write(
    map,
    sourceMapJson(wgsl, {
      file: options.output === undefined ? undefined : basename(options.output),
      // A map names its sources as seen from where it lies.
      source: name => (name === '-' ? name : relative(dirname(map), name).split(sep).join('/')),
    }),
  )
  const from = options.output === undefined ? map : relative(dirname(options.output), map).split(sep).join('/')
  return `${code}//# sourceMappingURL=${encodeURI(from)}\n`
}

/** Remarks that the output is empty, which is hardly ever what the user meant. */
function remarkIfEmpty(file: string, program: Program, options: CompileCommandOptions): void {
  if (program.entries.length > 0) return
  if (options.target === 'wgsl') {
    const others =
      program.exports.length === 0 ? '' : `; --target js or wasm is for ${program.exports.map(f => f.name).join(', ')}`
    remark(`${file} has no entry point, so its WGSL is empty: mark one [shader("compute")]${others}`, options)
  } else if (program.exports.length === 0) {
    remark(`${file} exports nothing and has no entry point: mark a function public, or name it by --export`, options)
  }
}

function dump(program: Program, options: CompileCommandOptions): string {
  const asked = options
    .dumpIr!.split(',')
    .map(s => s.trim())
    .filter(s => s !== '')
  const known: readonly string[] = stages
  const wrong = asked.filter(s => !known.includes(s))
  if (wrong.length > 0) throw new UsageError(`--dump-ir: ${wrong[0]} is no stage; the stages are ${stages.join(', ')}`)
  const differentiable = program.exports.filter(f => f.differentiable !== 'none').map(f => f.name)
  return asked
    .flatMap(s => {
      const of = (name: string): string => `// ${s} of ${name}\n${program.ir(s as Stage, name)}`
      // A function that is named is differentiated in both modes, whether the program asks for it or not.
      if (options.export !== undefined) return options.export.map(of)
      const whole = program.ir(s as Stage)
      return whole === '' && differentiable.length > 0 ? differentiable.map(of) : `// ${s}\n${whole}`
    })
    .join('\n')
}

function write(file: string, data: string | Uint8Array): void {
  try {
    writeFileSync(file, data)
  } catch (cause) {
    throw new UsageError(`${file} cannot be written (${(cause as NodeJS.ErrnoException).code})`)
  }
}
