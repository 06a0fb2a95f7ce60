/**
 * The options of `cotangent.json`, as one table. The validator (`read.ts`) and the JSON schema of the package (`schema.ts`) are both made from
 * it.
 */

/** The options of a project. Everything is optional. Paths are relative to the folder of `cotangent.json`. */
export interface ProjectOptions {
  /** Folders in which imports and includes are looked up, after that of the importing file. */
  readonly searchPaths?: readonly string[]
  /** Macros, as by `#define`; `true` defines one as 1. */
  readonly defines?: Readonly<Record<string, string | number | boolean>>
  /** Types for dynamic dispatch beyond those that the program makes: `Type:Interface` or `Type:Interface=ID`. */
  readonly conformances?: readonly string[]
  /** How matrices lie in buffers and uniforms, where the source does not say it. */
  readonly matrixLayout?: 'row-major' | 'column-major'
  /** Entry points to compile. */
  readonly entries?: readonly (string | { readonly name: string; readonly stage: 'compute' | 'vertex' | 'fragment' })[]
  /** How many bytes a reverse pass may keep in memory. */
  readonly maxContext?: number
  /** WGSL computes with `half` in `float` and rounds each result, for devices without `shader-f16`. */
  readonly emulateHalf?: boolean
  /** Where generated type declarations go: beside the source, into a folder, or nowhere. */
  readonly types?: string | false
  /** What they are called: `fit.d.slang.ts`, or `fit.slang.d.ts`. */
  readonly typesSuffix?: '.d.slang.ts' | '.slang.d.ts'
}

/** What a value must be, with the words for it in messages: `takes {expected}`. */
export type Shape = { readonly expected: string } & (
  | { readonly is: 'text'; readonly pattern?: string; readonly words?: readonly string[] }
  | { readonly is: 'number'; readonly whole: boolean; readonly least?: number }
  | { readonly is: 'flag'; readonly only?: boolean }
  | { readonly is: 'list'; readonly of: Shape }
  | { readonly is: 'map'; readonly keys: string; readonly names: string; readonly of: Shape }
  | { readonly is: 'object'; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly is: 'either'; readonly of: readonly Shape[] }
)

/** An option: what it takes, what it means, and what holds without it. */
export type Option = Shape & { readonly about: string; readonly default?: unknown }

const folder: Shape = { is: 'text', pattern: '\\S', expected: 'the name of a folder' }

/** Every option with what it takes. */
export const options: { readonly [K in keyof ProjectOptions]-?: Option } = {
  searchPaths: {
    is: 'list',
    of: folder,
    expected: 'a list of folders',
    about: 'Folders in which imports and includes are looked up, after that of the importing file.',
    default: [],
  },
  defines: {
    is: 'map',
    keys: '^[A-Za-z_][A-Za-z0-9_]*$',
    names: 'the name of a macro: letters, digits and _, without a digit at its start',
    of: {
      is: 'either',
      of: [
        { is: 'text', expected: 'a string' },
        { is: 'number', whole: false, expected: 'a number' },
        { is: 'flag', expected: 'true or false' },
      ],
      expected: 'a string, a number, true or false',
    },
    expected: 'an object that gives each macro a value',
    about: 'Macros, as by #define; true defines one as 1.',
    default: {},
  },
  conformances: {
    is: 'list',
    of: { is: 'text', pattern: '^[^:=]+:[^:=]+(=[0-9]+)?$', expected: '"Type:Interface" or "Type:Interface=ID"' },
    expected: 'a list of "Type:Interface" or "Type:Interface=ID"',
    about: 'Types for dynamic dispatch beyond those that the program makes.',
    default: [],
  },
  matrixLayout: {
    is: 'text',
    words: ['row-major', 'column-major'],
    expected: '"row-major" or "column-major"',
    about: 'How matrices lie in buffers and uniforms, where the source does not say it.',
    default: 'row-major',
  },
  entries: {
    is: 'list',
    of: {
      is: 'either',
      of: [
        { is: 'text', pattern: '\\S', expected: 'the name of a function' },
        {
          is: 'object',
          fields: {
            name: { is: 'text', pattern: '\\S', expected: 'the name of a function' },
            stage: {
              is: 'text',
              words: ['compute', 'vertex', 'fragment'],
              expected: '"compute", "vertex" or "fragment"',
            },
          },
          expected: 'an object with name and stage',
        },
      ],
      expected: 'the name of a function, or an object with name and stage',
    },
    expected: 'a list of names, or of objects with name and stage',
    about:
      'Entry points to compile; without it, every function with [shader("…")]. One without [shader] needs its stage.',
  },
  maxContext: {
    is: 'number',
    whole: true,
    least: 0,
    expected: 'a whole number of bytes, none below 0',
    about: 'How many bytes a reverse pass may keep in memory; it recomputes what does not fit.',
  },
  emulateHalf: {
    is: 'flag',
    expected: 'true or false',
    about: 'WGSL computes with half in float and rounds each result, for devices without shader-f16.',
    default: false,
  },
  types: {
    is: 'either',
    of: [
      { is: 'text', pattern: '\\S', expected: '"beside" or the name of a folder' },
      { is: 'flag', only: false, expected: 'false' },
    ],
    expected: '"beside", the name of a folder, or false',
    about: 'Where generated type declarations go: "beside" the source, into a folder, or nowhere (false).',
    default: 'beside',
  },
  typesSuffix: {
    is: 'text',
    words: ['.d.slang.ts', '.slang.d.ts'],
    expected: '".d.slang.ts" or ".slang.d.ts"',
    about:
      'What generated type declarations are called. TypeScript finds .d.slang.ts by allowArbitraryExtensions, and .slang.d.ts without it, but only by moduleResolution "bundler".',
    default: '.d.slang.ts',
  },
}
