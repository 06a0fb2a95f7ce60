/** Writes the declarations of a shader as a file. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
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

/** What came of writing declarations. `foreign` is a file that somebody else wrote, and which stays. */
export type Written = 'written' | 'unchanged' | 'foreign'

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

/** Writes the declarations of a program, unless they are there already. Throws the error of the file system. */
export function writeTypes(program: Program, source: string, file: string): Written {
  const declared = { reflection: reflectionOf(program), exports: program.exports }
  const text = moduleTypes(declared, slashed(relative(dirname(file), source)))
  const before = textAt(file)
  if (before === text) return 'unchanged'
  if (before !== undefined && !before.startsWith(marker)) return 'foreign'
  makeFolder(dirname(file))
  writeFileSync(file, text)
  return 'written'
}

function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Where there is something that cannot be read, writing says why.
    return undefined
  }
}
