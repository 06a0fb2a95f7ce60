/** Where `compile` writes: the file that `-o` names, or the files of a folder, each named after its source. */
import { statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { makeFolder } from '../files/folder.ts'
import { OutputError, UsageError } from './usage.ts'

/** What `compile` makes. */
export type Target = 'wgsl' | 'wasm' | 'js' | 'ir'

/** The files that are made of one source. */
export interface OutputFile {
  /** The file of each target; a target that is not there goes to standard output. */
  readonly code: ReadonlyMap<Target, string>
  readonly reflection?: string
  readonly sourceMap?: string
}

/** The options that say where output goes. */
export interface OutputOptions {
  readonly output?: string
  readonly reflection?: string | true
  readonly sourceMap?: string | true
}

/** The place of each source. Makes the folder that `-o` names, and those in it. Throws a `UsageError`. */
export function outputFilesOf(
  files: readonly string[],
  targets: readonly Target[],
  options: OutputOptions,
): ReadonlyMap<string, OutputFile> {
  const { output } = options
  const many = targets.length > 1 || files.length > 1
  if (output === undefined && targets.length > 1)
    throw new UsageError(
      `the code of ${targets.length} targets goes to files: name a folder for them with -o DIR, or give one --target`,
    )
  const kind = output === undefined ? undefined : statSync(output, { throwIfNoEntry: false })
  const isFolder = output !== undefined && (many || kind?.isDirectory() === true || /[/\\]$/.test(output))
  if (isFolder && kind?.isDirectory() === false)
    throw new UsageError(
      `-o names a folder where there are several ${targets.length > 1 ? 'targets' : 'files'}, and ${output} is a file`,
    )
  const places = isFolder ? inFolder(files, targets, options, output) : new Map(alone(files, targets, options))
  for (const place of places.values()) refuseSources(files, place)
  return places
}

/** Places without a folder: one file with one target, or standard output. */
function* alone(
  files: readonly string[],
  targets: readonly Target[],
  { output, reflection, sourceMap }: OutputOptions,
): Iterable<[string, OutputFile]> {
  for (const [option, value] of [
    ['--source-map', sourceMap],
    ['--reflection', reflection],
  ] as const) {
    if (value === undefined) continue
    if (value === true && output === undefined) throw new UsageError(`${option} needs a file, or -o to be named after`)
    if (files.length > 1) throw new UsageError(`${option} takes one file for each source: name a folder with -o DIR`)
  }
  for (const file of files) {
    yield [
      file,
      {
        code: new Map(output === undefined ? [] : targets.map(t => [t, output])),
        ...(reflection === undefined ? {} : { reflection: reflection === true ? `${output!}.json` : reflection }),
        ...(sourceMap === undefined ? {} : { sourceMap: sourceMap === true ? `${output!}.map` : sourceMap }),
      },
    ]
  }
}

/** Places in a folder: as the sources lie below the folder that they have in common. */
function inFolder(
  files: readonly string[],
  targets: readonly Target[],
  { reflection, sourceMap }: OutputOptions,
  output: string,
): Map<string, OutputFile> {
  if (sourceMap !== undefined && sourceMap !== true)
    throw new UsageError('--source-map takes no name where -o is a folder: the map lies beside its WGSL')
  if (reflection !== undefined && reflection !== true && reflection !== '.ts' && reflection !== '.json')
    throw new UsageError(
      '--reflection takes no name where -o is a folder: it lies beside the code, as JSON, or with --reflection .ts as TypeScript types',
    )
  const common = commonFolder(files)
  const taken = new Map<string, string>()
  const places = new Map<string, OutputFile>()
  for (const file of new Set(files)) {
    const source = file === '-' ? 'stdin' : relative(common, resolve(file)).replace(/\.slang$/, '')
    const stem = join(output, source)
    const other = taken.get(stem)
    if (other !== undefined)
      throw new UsageError(`${other} and ${file} would both become ${stem}.${targets[0]}; compile one of them apart`)
    taken.set(stem, file)
    try {
      makeFolder(dirname(stem))
    } catch (cause) {
      const { path = dirname(stem), code } = cause as NodeJS.ErrnoException
      throw new OutputError(`${path} cannot be written (${code}); -o names another folder`, path)
    }
    places.set(file, {
      code: new Map(targets.map(t => [t, `${stem}.${t}`])),
      ...(reflection === undefined
        ? {}
        : { reflection: `${stem}.reflection${reflection === true ? '.json' : reflection}` }),
      ...(sourceMap === undefined ? {} : { sourceMap: `${stem}.wgsl.map` }),
    })
  }
  return places
}

/** The innermost folder that all sources lie in, with a separator at its end: `C:` alone is where the process is on that drive. */
export function commonFolder(files: readonly string[]): string {
  const folders = files.filter(f => f !== '-').map(f => dirname(resolve(f)).split(sep))
  const [first = [], ...others] = folders
  let length = first.length
  for (const other of others) {
    let same = 0
    while (same < length && first[same] === other[same]) same++
    length = same
  }
  return `${first.slice(0, length).join(sep)}${sep}`
}

/** An option whose value is optional takes the word behind it: often a source, which must not be overwritten. */
function refuseSources(files: readonly string[], place: OutputFile): void {
  const sources = new Set(files.filter(f => f !== '-').map(f => resolve(f)))
  for (const to of [...place.code.values(), place.reflection, place.sourceMap]) {
    if (to !== undefined && (sources.has(resolve(to)) || to.endsWith('.slang')))
      throw new UsageError(`${to} is a source, and would be overwritten by what is made of ${basename(files[0]!)}`)
  }
}
