/** Writes the declarations of a shader as a file. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { CompileError, marker, moduleTypes, type Program, type Reflection } from '../index.ts'
import type { ProjectOptions } from '../project/options.ts'
import { makeFolder } from './folder.ts'

/** A path with slashes, as sources name each other. */
export function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

/** The file for the declarations of a source; undefined where the options ask for none. `root` is what a folder of types mirrors. */
export function typesFile(
  source: string,
  { types = 'beside', typesSuffix = '.d.slang.ts' }: ProjectOptions,
  root: string,
): string | undefined {
  if (types === false) return undefined
  const name = source.replace(/\.slang$/, typesSuffix)
  return types === 'beside' ? name : join(types, relative(root, name))
}

/** The reflection of a program; null where it has no entry point, or WGSL cannot express it. */
function reflectionOf(program: Program): Reflection | null {
  if (program.entries.length === 0) return null
  try {
    return program.wgsl().reflection
  } catch (cause) {
    // It may still run on a CPU.
    if (cause instanceof CompileError) return null
    throw cause
  }
}

/** What there is of declarations before they are written. `foreign` is a file that somebody else wrote. */
export type TypesState = 'missing' | 'stale' | 'fresh' | 'foreign'

/** The declarations of a program, for a file that need not be there. */
export class Declarations {
  readonly file: string
  /** Whether WGSL can express the entry points: the others have no types. */
  readonly forGpu: boolean
  readonly #text: string

  constructor(program: Program, source: string, file: string) {
    const reflection = reflectionOf(program)
    this.file = file
    this.forGpu = reflection !== null
    this.#text = moduleTypes({ reflection, exports: program.exports }, slashed(relative(dirname(file), source)))
  }

  /** What there is now. */
  get state(): TypesState {
    const before = textAt(this.file)
    if (before === undefined) return 'missing'
    if (before === this.#text) return 'fresh'
    return isOurs(before) ? 'stale' : 'foreign'
  }

  /** Writes the file, with the folders around it. Throws the error of the file system. */
  write(): void {
    makeFolder(dirname(this.file))
    writeFileSync(this.file, this.#text)
  }
}

/** What came of writing declarations. `foreign` is a file that somebody else wrote, and which stays. */
export type Written = 'written' | 'unchanged' | 'foreign'

/** Writes the declarations of a program, unless they are there already. Throws the error of the file system. */
export function writeTypes(program: Program, source: string, file: string): Written {
  const declarations = new Declarations(program, source, file)
  const { state } = declarations
  if (state === 'foreign') return 'foreign'
  if (state === 'fresh') return 'unchanged'
  declarations.write()
  return 'written'
}

/** Removes declarations whose source is gone. A file that somebody else wrote stays. */
export function removeTypes(file: string): void {
  const text = textAt(file)
  if (text !== undefined && isOurs(text)) rmSync(file)
}

/** What files of declarations end with. */
export const typesSuffixes = ['.d.slang.ts', '.slang.d.ts'] as const

/** The shader that a file of declarations was written from; undefined for a file that somebody else wrote. */
export function shaderOf(file: string): string | undefined {
  const [, name] = originLine.exec(textAt(file) ?? '') ?? []
  const source = name === undefined ? undefined : resolve(dirname(file), name)
  // A name with a line break stands there with a space.
  const own = typesSuffixes.map(suffix => basename(file, suffix))
  return source !== undefined && own.includes(basename(source, '.slang')) ? source : undefined
}

const originLine = new RegExp(`^${marker} from (.+)\\. Change the shader, not this file\\.\n`)

const isOurs = (text: string): boolean => text.startsWith(marker)

function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Where there is something that cannot be read, writing says why.
    return undefined
  }
}
