/** The declarations of an imported shader: `fit.d.slang.ts` beside `fit.slang`. */
import type { ExportedFunction } from '../program.ts'
import type { EntryReflection, Reflection } from '../target/reflect.ts'
import { entriesType } from './entries.ts'
import { functionsType } from './functions.ts'
import { Values, isFree } from './value.ts'

/** The first words of every file of declarations that is written. A file without them belongs to somebody else. */
export const marker = '// Written by cotangent'

/** What a module of declarations describes. */
export interface Declared {
  /** Of the WGSL of the entry points; null where there is none. */
  readonly reflection: Reflection | null
  readonly exports: readonly ExportedFunction[]
}

interface Named {
  readonly name: string
}

/** Declares what `import program from './fit.slang'` gives; `source` is the name of the file in a remark. */
export function moduleTypes({ reflection, exports }: Declared, source: string): string {
  const values = new Values()
  const entries = reflection === null ? 'export type Entries = {}\n' : entriesType(reflection, values)
  const functions = functionsType(exports, values)
  const points = reflection?.entries ?? []
  return [
    `${marker} from ${source.replace(/[\r\n\u2028\u2029]/g, ' ')}. Change the shader, not this file.`,
    "import type { CompiledProgram, Reflection as CompiledReflection } from 'cotangent'\n",
    ...values.declarations,
    entries,
    functions,
    'declare const program: CompiledProgram<{ entries: Entries; functions: Functions }>',
    'export default program',
    '/** The WGSL of the entry points. */',
    'export declare const code: string',
    '/** How a host binds the resources of the entry points. */',
    'export declare const reflection: CompiledReflection',
    '/** The entry points, in order of the source. */',
    `export declare const entryPoints: readonly [${points.map(entryPoint).join(', ')}]`,
    ...points.filter(e => isNamed(e, points)).map(e => `export declare const ${e.name}: ${entryPoint(e)}`),
    '',
  ].join('\n')
}

/** The exports of every module. */
const own: ReadonlySet<string> = new Set(['program', 'code', 'reflection', 'entryPoints'])

/** Whether a module exports an entry point by its name: a free identifier, which no entry point of another stage shares. */
export function isNamed({ name }: Named, points: readonly Named[]): boolean {
  return isFree(name) && !own.has(name) && points.filter(other => other.name === name).length === 1
}

function entryPoint({ name, target, stage, workgroupSize }: EntryReflection): string {
  const size = `readonly [${workgroupSize.join(', ')}]`
  return `{ readonly name: ${JSON.stringify(name)}; readonly target: ${JSON.stringify(target)}; readonly stage: '${stage}'; readonly workgroupSize: ${size} }`
}
