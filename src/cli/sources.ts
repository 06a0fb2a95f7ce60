/** The shaders that a command line names by files, folders and patterns, and declarations of shaders that are gone. */
import { existsSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { convertPathToPattern, globSync, isDynamicPattern } from 'tinyglobby'
import { shaderOf, slashed, typesSuffixes } from '../files/types.ts'
import type { CommandInputs } from './inputs.ts'
import { InputError } from './usage.ts'

/** What the words of a command line name. */
export interface Sources {
  /** In order of their paths, each once. */
  readonly files: readonly string[]
  /** What is wrong with the words that name nothing. */
  readonly problems: readonly InputError[]
}

const isShader = (path: string): boolean => path.endsWith('.slang')

/** The shaders that a word names; undefined if it names no file at all. A shell that expands `src/*` names other files too, which are left out. */
function shadersOf(word: string): string[] | undefined {
  const stat = statSync(word, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) return isShader(word) ? [word] : []
  const pattern = stat === undefined ? slashed(word) : `${convertPathToPattern(word)}/**/*.slang`
  const found = globSync(pattern, { ignore: '**/node_modules/**', expandDirectories: false }).filter(isShader)
  if (found.length === 0) return undefined
  return isAbsolute(word) ? found.map(path => resolve(path)) : found
}

function problem(word: string): InputError {
  if (isDynamicPattern(slashed(word)))
    return new InputError(`${word} matches no .slang file; node_modules is left out`, word)
  const isFolder = statSync(word, { throwIfNoEntry: false })?.isDirectory() === true
  return new InputError(
    isFolder ? `${word}: no .slang file in this folder; node_modules is left out` : `${word}: no such file or folder`,
    word,
  )
}

/** The folders that the words of a command line name, or those in front of the first part of a pattern that is one. */
export function foldersOf(words: readonly string[]): string[] {
  return words.flatMap(word => {
    const stat = statSync(word, { throwIfNoEntry: false })
    if (stat !== undefined) return stat.isDirectory() ? [resolve(word)] : []
    const parts = slashed(word).split('/')
    const first = parts.findIndex(part => isDynamicPattern(part))
    if (first < 0) return []
    // With a slash, for `C:` alone is no folder.
    return [resolve(first === 0 ? '.' : `${parts.slice(0, first).join('/')}/`)]
  })
}

/** The declarations below folders whose shader is gone, each with that shader, in order of their paths. */
export function orphansIn(folders: Iterable<string>): ReadonlyMap<string, string> {
  const found = [...new Set(folders)]
    .filter(folder => existsSync(folder))
    .flatMap(folder =>
      globSync(
        typesSuffixes.map(suffix => `${convertPathToPattern(folder)}/**/*${suffix}`),
        { ignore: '**/node_modules/**', expandDirectories: false, absolute: true },
      ),
    )
  const pairs = found
    .map(file => [resolve(file), shaderOf(file)] as const)
    .filter((pair): pair is [string, string] => pair[1] !== undefined && !existsSync(pair[1]))
  return new Map(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The shaders that the words of a command line name. */
export function sourcesOf(words: readonly string[], inputs: CommandInputs): Sources {
  const problems: InputError[] = []
  const files = new Map<string, string>()
  for (const word of words) {
    const found = inputs.look(() => shadersOf(word) ?? [])
    if (found.length === 0 && shadersOf(word) === undefined) problems.push(problem(word))
    for (const file of found) if (!files.has(resolve(file))) files.set(resolve(file), file)
  }
  if (files.size === 0 && problems.length === 0)
    problems.push(new InputError(`${words.join(', ')}: no .slang file is among these`, words[0]!))
  return { files: [...files].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file), problems }
}
