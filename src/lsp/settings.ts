/** What a user sets in an editor: `cotangent.*`, and the two of `slang.*` that mean the same for the official extension. */

/** Settings as the server uses them. */
export interface Settings {
  /** Folders in which imports and includes are looked up, after those of `cotangent.json`; relative ones lie in each workspace folder. */
  readonly searchPaths: readonly string[]
  /** Macros; those of `cotangent.json` win. */
  readonly defines: Readonly<Record<string, string | number | boolean>>
  readonly inlayHints: {
    /** Types that the source does not write. */
    readonly types: boolean
    /** Names of parameters at calls. */
    readonly parameters: boolean
    /** What the reverse pass keeps, recomputes and stores. */
    readonly derivative: boolean
  }
  readonly codeLens: {
    /** `check gradient` above each differentiable function. */
    readonly check: boolean
  }
  readonly format: {
    /** How wide lines get before they break. */
    readonly lineWidth: number
    /** Where the brace of a body stands; `file`: as most of the file's do. */
    readonly braces: 'own-line' | 'same-line' | 'file'
  }
  readonly check: {
    /** Random inputs a function. */
    readonly samples: number
    /** Seconds after which a check is given up. */
    readonly timeLimit: number
  }
  /** What is written to the log: nothing but trouble, each request with its time, or also what it holds. */
  readonly trace: 'off' | 'messages' | 'verbose'
}

/** What holds where nothing is set. */
export const defaults: Settings = {
  searchPaths: [],
  defines: {},
  inlayHints: { types: true, parameters: true, derivative: false },
  codeLens: { check: true },
  format: { lineWidth: 100, braces: 'file' },
  check: { samples: 20, timeLimit: 20 },
  trace: 'off',
}

type Sections = { readonly cotangent?: unknown; readonly slang?: unknown }

/** Reads values of the settings, and tells `warn` of those that are not what they should be: the default holds in their place. */
class Reader {
  readonly #warn: (message: string) => void

  constructor(warn: (message: string) => void) {
    this.#warn = warn
  }

  /** A value by the path of its names, undefined where it is not set. */
  value<T>(from: unknown, path: string, is: (value: unknown) => value is T, expected: string, otherwise: T): T {
    let value: unknown = from
    for (const name of path.split('.').slice(1)) {
      if (typeof value !== 'object' || value === null) return otherwise
      value = (value as Readonly<Record<string, unknown>>)[name]
    }
    if (value === undefined || value === null) return otherwise
    if (is(value)) return value
    this.#warn(`the setting ${path} must be ${expected}, but is ${JSON.stringify(value)}`)
    return otherwise
  }
}

const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')
const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < Infinity
const isCount = (value: unknown): value is number => isPositive(value) && Number.isSafeInteger(value)
const isBraces = (value: unknown): value is Settings['format']['braces'] =>
  value === 'own-line' || value === 'same-line' || value === 'file'
const isTrace = (value: unknown): value is Settings['trace'] =>
  value === 'off' || value === 'messages' || value === 'verbose'
const name = /^[A-Za-z_]\w*$/
const isDefines = (value: unknown): value is Settings['defines'] =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([key, v]) => name.test(key) && ['string', 'number', 'boolean'].includes(typeof v))

/** The settings that sections of an editor's configuration hold. */
export function readSettings({ cotangent, slang }: Sections, warn: (message: string) => void): Settings {
  const reader = new Reader(warn)
  const own = <T>(path: string, is: (value: unknown) => value is T, expected: string, otherwise: T): T =>
    reader.value(cotangent, `cotangent.${path}`, is, expected, otherwise)
  const theirs = (path: string): readonly string[] =>
    reader.value(slang, `slang.${path}`, isTexts, 'a list of strings', [])
  const hint = (key: keyof Settings['inlayHints']): boolean =>
    own(`inlayHints.${key}`, isFlag, 'true or false', defaults.inlayHints[key])
  return {
    searchPaths: [
      ...own('searchPaths', isTexts, 'a list of folders', defaults.searchPaths),
      ...theirs('additionalSearchPaths'),
    ].filter(path => path.trim() !== ''),
    defines: {
      ...macros(theirs('predefinedMacros'), warn),
      ...own('defines', isDefines, 'an object that gives each macro a value', defaults.defines),
    },
    inlayHints: { types: hint('types'), parameters: hint('parameters'), derivative: hint('derivative') },
    codeLens: { check: own('codeLens.check', isFlag, 'true or false', defaults.codeLens.check) },
    format: {
      lineWidth: own('format.lineWidth', isCount, 'a whole number above 0', defaults.format.lineWidth),
      braces: own('format.braces', isBraces, '"own-line", "same-line" or "file"', defaults.format.braces),
    },
    check: {
      samples: own('check.samples', isCount, 'a whole number above 0', defaults.check.samples),
      timeLimit: own('check.timeLimit', isPositive, 'a number of seconds above 0', defaults.check.timeLimit),
    },
    trace: own('trace', isTrace, '"off", "messages" or "verbose"', defaults.trace),
  }
}

/** `NAME` and `NAME=value` as an object; a macro without a value is 1, as for `-D`. */
function macros(list: readonly string[], warn: (message: string) => void): Record<string, string | boolean> {
  const found: Record<string, string | boolean> = {}
  for (const item of list) {
    const at = item.indexOf('=')
    const key = (at < 0 ? item : item.slice(0, at)).trim()
    if (name.test(key)) found[key] = at < 0 ? true : item.slice(at + 1)
    else warn(`slang.predefinedMacros: ${JSON.stringify(item)} must be NAME or NAME=value`)
  }
  return found
}
