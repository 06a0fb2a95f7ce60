/** `cotangent compile`: code for each target, to standard output or to files. */
import { basename, dirname, relative, resolve, sep } from 'node:path'
import {
  CompileError,
  reflectionTypes,
  sourceMapJson,
  stages,
  withSourceLines,
  type Program,
  type Stage,
  type WasmKernel,
} from '../index.ts'
import { Run, type SharedOptions } from './host.ts'
import { outputFilesOf, type OutputFile, type Target } from './outputs.ts'
import { report } from './report.ts'
import { Failed, UsageError, isOfFiles } from './usage.ts'
import { failed, inform, remark, tell } from './output.ts'
import { write } from './write.ts'

interface CompileCommandOptions extends SharedOptions {
  readonly target?: readonly Target[]
  readonly entry?: readonly string[]
  readonly stage?: 'compute' | 'vertex' | 'fragment'
  readonly export?: readonly string[]
  readonly output?: string
  readonly reflection?: string | true
  readonly sourceMap?: string | true
  readonly dumpIr?: string
  readonly mode: 'f32' | 'f64'
  readonly watch?: boolean
}

/** `cotangent compile`: the code of each target for each file. */
export async function compileCommand(files: readonly string[], raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as CompileCommandOptions
  const targets = [...new Set(options.target ?? ['wgsl' as const])]
  if (options.dumpIr !== undefined) {
    if (targets.length > 1) throw new UsageError('--dump-ir prints IR instead of code: give one --target, or none')
    stagesOf(options.dumpIr)
  }
  if (options.sourceMap !== undefined && (!targets.includes('wgsl') || options.dumpIr !== undefined))
    throw new UsageError('--source-map is of WGSL: it goes with --target wgsl')
  const places = outputFilesOf(files, options.dumpIr === undefined ? targets : ['ir'], options)
  const once = async (run: Run): Promise<void> => {
    const errors = new Set<UsageError>()
    for (const file of new Set(files)) {
      try {
        await one(run, file, targets, options, places.get(file)!)
      } catch (error) {
        // The mistakes of one file, or of a project file that several have, do not keep the others from being compiled.
        if (!isOfFiles(error) || files.length === 1) throw error
        if (!errors.has(error)) failed(error)
        errors.add(error)
      }
    }
    const worst = Math.max(0, ...[...errors].map(e => e.status))
    if (worst > 0) throw new Failed(worst === 1 ? 1 : 2)
  }
  if (options.watch !== true) await once(new Run())
  else await (await import('./watch.ts')).watch(files, once)
}

async function one(
  run: Run,
  file: string,
  targets: readonly Target[],
  options: CompileCommandOptions,
  place: OutputFile,
): Promise<void> {
  const { stage } = options
  const wantsWgsl = targets.includes('wgsl') && options.dumpIr === undefined
  const program = await run.compile(
    file,
    options,
    project => ({
      entries:
        options.entry?.map(name => (stage === undefined ? name : { name, stage })) ??
        project.entries?.map(e => (typeof e === 'string' && stage !== undefined ? { name: e, stage } : e)),
      exports: options.export,
    }),
    wantsWgsl,
  )
  const said = program.diagnostics.length
  try {
    // All is made before anything is written: a program with mistakes leaves the files of the last run alone.
    const made = targets.map(target => ({
      target,
      code: options.dumpIr === undefined ? codeOf(program, target, options, place) : dump(program, options),
    }))
    report(program.diagnostics.slice(said))
    const reflection = place.reflection === undefined ? undefined : program.wgsl().reflection
    if (options.dumpIr === undefined) remarkIfEmpty(file, program, targets)
    for (const { target, code } of made) {
      const to = place.code.get(options.dumpIr === undefined ? target : 'ir')
      if (to !== undefined) write(to, code.text)
      else if (typeof code.text !== 'string' && process.stdout.isTTY)
        throw new UsageError('WebAssembly is no text: -o names a file for it')
      else tell(code.text)
      if (code.map !== undefined) write(place.sourceMap!, code.map)
    }
    if (place.reflection !== undefined) {
      const types = place.reflection.endsWith('.ts')
      write(place.reflection, types ? reflectionTypes(reflection!) : `${JSON.stringify(reflection, null, 2)}\n`)
    }
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    report(error.diagnostics)
    throw new Failed()
  }
}

interface Code {
  readonly text: string | Uint8Array
  /** The text of its source map. */
  readonly map?: string
}

function codeOf(program: Program, target: Target, options: CompileCommandOptions, place: OutputFile): Code {
  switch (target) {
    case 'wgsl':
      return wgslOf(program, options, place)
    case 'wasm': {
      const { bytes, host } = program.wasm()
      if (options.time === true) for (const kernel of host.kernels) tellLanes(kernel)
      return { text: bytes }
    }
    case 'js':
      return { text: program.js({ mode: options.mode }).code }
    case 'ir':
      return { text: program.ir('final') }
  }
}

/** Tells how many threads of a kernel run at once. */
function tellLanes({ name, lanes }: WasmKernel): void {
  const why = lanes.count === 1 ? `1, for ${lanes.reason}` : String(lanes.count)
  inform('lanes', { kernel: name, ...lanes }, `threads at once of ${name}: ${why}\n`)
}

/** A path as a source map and a comment of WGSL have it: as seen from a folder. */
function seenFrom(folder: string, path: string): string {
  return relative(resolve(folder), resolve(path)).split(sep).join('/')
}

/** The WGSL that the options ask for: with source lines as comments, or with a source map. */
function wgslOf(program: Program, options: CompileCommandOptions, place: OutputFile): Code {
  const wgsl = program.wgsl()
  const code = options.debug === true ? withSourceLines(wgsl) : wgsl.code
  if (place.sourceMap === undefined) return { text: code }
  const output = place.code.get('wgsl')
  const map = sourceMapJson(wgsl, {
    file: output === undefined ? undefined : basename(output),
    // A map names its sources as seen from where it lies.
    source: name => (name === '-' ? name : seenFrom(dirname(place.sourceMap!), name)),
  })
  const from = output === undefined ? place.sourceMap : seenFrom(dirname(output), place.sourceMap)
  return { text: `${code}//# sourceMappingURL=${encodeURI(from)}\n`, map }
}

/** Remarks that the output is empty, which is hardly ever what the user meant. */
function remarkIfEmpty(file: string, program: Program, targets: readonly Target[]): void {
  if (program.entries.length > 0) return
  if (targets.includes('wgsl')) {
    const others =
      program.exports.length === 0 ? '' : `; --target js or wasm is for ${program.exports.map(f => f.name).join(', ')}`
    remark(`${file} has no entry point, so its WGSL is empty: mark one [shader("compute")]${others}`)
  } else if (program.exports.length === 0) {
    remark(`${file} exports nothing and has no entry point: mark a function public, or name it by --export`)
  }
}

/** The stages that `--dump-ir` names. */
function stagesOf(list: string): readonly Stage[] {
  const asked = list
    .split(',')
    .map(s => s.trim())
    .filter(s => s !== '')
  const known: readonly string[] = stages
  const wrong = asked.find(s => !known.includes(s))
  if (wrong !== undefined) throw new UsageError(`--dump-ir: ${wrong} is no stage; the stages are ${stages.join(', ')}`)
  return asked as readonly Stage[]
}

function dump(program: Program, options: CompileCommandOptions): Code {
  const differentiable = program.exports.filter(f => f.differentiable !== 'none').map(f => f.name)
  const text = stagesOf(options.dumpIr!)
    .flatMap(stage => {
      const of = (name: string): string => `// ${stage} of ${name}\n${program.ir(stage, name)}`
      // A function that is named is differentiated in both modes, whether the program asks for it or not.
      if (options.export !== undefined) return options.export.map(of)
      const whole = program.ir(stage)
      return whole === '' && differentiable.length > 0 ? differentiable.map(of) : `// ${stage}\n${whole}`
    })
    .join('\n')
  return { text }
}
