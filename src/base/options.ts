/**
 * Validates the options of `compile` and of a program's methods. Wrong options get a diagnostic, since only diagnostics report
 * mistakes.
 */
import type { Sink } from './diag.ts'
import { badOption, unknownOption } from './errors/limits.ts'
import { suggestAmong } from './near.ts'

/** What a value must be, as a test and in words. */
export type Kind = readonly [is: (value: unknown) => boolean, expected: string]

/** What each option must be where it is given. */
export type Kinds = Readonly<Record<string, Kind>>

const isString = (value: unknown): boolean => typeof value === 'string'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
/** A string. */
export const text: Kind = [isString, 'a string']
/** A boolean. */
export const flag: Kind = [value => typeof value === 'boolean', 'true or false']
const call: Kind = [value => typeof value === 'function', 'a function']
/** An object that is no list. */
export const record: Kind = [isObject, 'an object']
/** A list. */
export const values: Kind = [Array.isArray, 'a list']
/** A list of strings. */
export const strings: Kind = [value => Array.isArray(value) && value.every(isString), 'a list of strings']
const count = (value: unknown): boolean => typeof value === 'number' && value >= 0
const limits: Kind = [
  value => isObject(value) && Object.values(value as object).every(n => n === undefined || count(n)),
  'an object of numbers, none below 0',
]
const entries: Kind = [
  value =>
    Array.isArray(value) &&
    value.every(
      e =>
        isString(e) ||
        (isObject(e) && isString((e as { name?: unknown }).name) && isString((e as { stage?: unknown }).stage)),
    ),
  'a list of names, or of { name, stage }',
]

const library: Kind = [
  value =>
    Array.isArray(value) &&
    value.every(
      f => isObject(f) && isString((f as { text?: unknown }).text) && isString((f as { keys?: unknown }).keys),
    ),
  'a list of files of the core library, such as library of cotangent/library',
]

/** One of some words. */
export const oneOf = (...words: readonly string[]): Kind => [
  value => words.includes(value as string),
  words.map(w => `'${w}'`).join(' or '),
]

const compileKinds: Kinds = {
  fileName: text,
  files: record,
  resolve: call,
  searchPaths: strings,
  defines: record,
  conformances: strings,
  entries,
  exports: strings,
  time: call,
  limits,
  emulation: record,
  library,
  emulateHalf: flag,
  matrixLayout: oneOf('row-major', 'column-major'),
  blockSize: [value => Array.isArray(value) && value.length === 3 && value.every(count), 'three numbers'],
  optimize: [value => value === 0 || value === 1 || value === 2 || value === 3, '0, 1, 2 or 3'],
  debug: flag,
  verify: flag,
  maxContext: [count, 'a number, none below 0'],
}

/** An option that is not what it must be, or one that does not exist beside those that do. */
export type Fault =
  | { readonly name: string; readonly expected: string }
  | { readonly name: string; readonly known: readonly string[] }

/** Reports a fault of the options of `owner`. */
export function reportFault(sink: Sink, owner: string, fault: Fault): void {
  const { name } = fault
  if ('expected' in fault) sink.add(badOption, undefined, { owner, name, expected: fault.expected })
  else sink.add(unknownOption, undefined, { owner, name }, ...suggestAmong(name, fault.known))
}

/** The options as they are now, or what is wrong with them; those that are `needed` must be given. */
export function readOptions<T extends object>(
  options: T,
  kinds: Kinds = compileKinds,
  needed: readonly string[] = [],
): T | { readonly fault: Fault } {
  let name = 'options'
  try {
    if (!isObject(options)) return { fault: { name, expected: 'an object' } }
    const taken: { [key: string]: unknown } = Object.fromEntries(Object.entries(options))
    // Limits are read at each count: nothing of the caller may run then.
    name = 'limits'
    if (isObject(taken['limits'])) taken['limits'] = { ...(taken['limits'] as object) }
    for (const [key, [is, expected]] of Object.entries(kinds)) {
      name = key
      const value = taken[key]
      if ((value !== undefined || needed.includes(key)) && !is(value)) return { fault: { name, expected } }
    }
    const unknown = Object.keys(taken).find(key => taken[key] !== undefined && !Object.hasOwn(kinds, key))
    if (unknown !== undefined) return { fault: { name: unknown, known: Object.keys(kinds) } }
    return taken as unknown as T
  } catch {
    return { fault: { name, expected: 'what can be read' } }
  }
}
