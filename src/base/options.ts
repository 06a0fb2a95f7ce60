/** What callers may hand to `compile`, seen once: what is of another kind gets a diagnostic, since compiling never throws. */

type Kind = readonly [is: (value: unknown) => boolean, expected: string]

const isString = (value: unknown): boolean => typeof value === 'string'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const text: Kind = [isString, 'a string']
const flag: Kind = [value => typeof value === 'boolean', 'true or false']
const call: Kind = [value => typeof value === 'function', 'a function']
const record: Kind = [isObject, 'an object']
const strings: Kind = [value => Array.isArray(value) && value.every(isString), 'a list of strings']
const count = (value: unknown): boolean => typeof value === 'number' && value >= 0
const limits: Kind = [value => isObject(value) && Object.values(value as object).every(n => n === undefined || count(n)), 'an object of numbers, none below 0']
const entries: Kind = [
  value => Array.isArray(value) && value.every(e => isString(e) || (isObject(e) && isString((e as { name?: unknown }).name) && isString((e as { stage?: unknown }).stage))),
  'a list of names, or of { name, stage }',
]

const kinds: Readonly<Record<string, Kind>> = {
  fileName: text, files: record, resolve: call, searchPaths: strings, defines: record, conformances: strings, entries, exports: strings, time: call, limits,
  matrixLayout: [value => value === 'row-major' || value === 'column-major', `'row-major' or 'column-major'`],
  blockSize: [value => Array.isArray(value) && value.length === 3 && value.every(count), 'three numbers'],
  optimize: [value => value === 0 || value === 1 || value === 2 || value === 3, '0, 1, 2 or 3'],
  debug: flag, verify: flag, maxContext: [count, 'a number, none below 0'],
}

/** An option that is not what it must be. */
export interface Fault {
  readonly name: string
  readonly expected: string
}

/** The options as they are now, and what is wrong with them. */
export function readOptions<T extends object>(options: T): T | { readonly fault: Fault } {
  let name = 'options'
  try {
    if (!isObject(options)) return { fault: { name, expected: 'an object' } }
    const taken: { [key: string]: unknown } = Object.fromEntries(Object.entries(options))
    // Limits are read at each count: nothing of the caller may run then.
    name = 'limits'
    if (isObject(taken['limits'])) taken['limits'] = { ...taken['limits'] as object }
    for (const [key, [is, expected]] of Object.entries(kinds)) {
      name = key
      const value = taken[key]
      if (value !== undefined && !is(value)) return { fault: { name, expected } }
    }
    return taken as unknown as T
  } catch {
    return { fault: { name, expected: 'what can be read' } }
  }
}
