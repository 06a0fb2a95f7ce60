/** Versions of TypeScript, and what each says of a folder of files. */
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname

export interface Compiler {
  readonly version: string
  readonly tsc: string
}

export const compilers: readonly Compiler[] = ['5.6', '5.8', '5.9', '6', '7'].map(version => {
  const tsc = join(here, `node_modules/typescript-${version}/bin/tsc`)
  if (!existsSync(tsc)) throw new Error(`TypeScript ${version} is not installed: npm ci --prefix tests/types brings it`)
  return { version, tsc }
})

/** The global types that a user's project may have. */
export const environments: Readonly<
  Record<string, { readonly lib: readonly string[]; readonly types: readonly string[] }>
> = {
  'neither DOM nor Node': { lib: ['es2022'], types: [] },
  DOM: { lib: ['es2022', 'dom'], types: [] },
  Node: { lib: ['es2022'], types: ['node'] },
  '@webgpu/types': { lib: ['es2022', 'dom'], types: ['@webgpu/types'] },
}

/** An error of the compiler: where it is, and what it says. */
export interface TypeMistake {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly text: string
}

/** What `mistakes` finds in the lines of a file: `line:column` for each mark `/*!*\/`, or `/*!5.9*\/` since that version. */
export function marked(text: string, { version }: Compiler): string[] {
  return text
    .split('\n')
    .flatMap((line, i) =>
      [...line.matchAll(/\/\*!([\d.]*)\*\/ ?\.?/g)]
        .filter(([, since]) => since === '' || Number(version) >= Number(since))
        .map(m => `${i + 1}:${m.index + m[0].length + 1}`),
    )
}

/** Compiles the files of a folder under strict settings, declarations of packages included. `more` comes before these settings. */
export function mistakes(
  { version, tsc }: Compiler,
  folder: string,
  files: readonly string[],
  environment: string,
  resolution: 'nodenext' | 'bundler',
  more: Readonly<Record<string, unknown>> = {},
): TypeMistake[] {
  const config = join(folder, `tsconfig.${version}.json`)
  writeFileSync(
    config,
    JSON.stringify({
      compilerOptions: {
        ...environments[environment],
        target: 'es2022',
        module: resolution === 'nodenext' ? 'nodenext' : 'preserve',
        moduleResolution: resolution,
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        allowArbitraryExtensions: true,
        verbatimModuleSyntax: true,
        skipLibCheck: false,
        noEmit: true,
        typeRoots: [join(here, 'node_modules/@types'), join(here, 'node_modules')],
        ...more,
      },
      files,
    }),
  )
  const { stdout, stderr, error } = spawnSync(process.execPath, [tsc, '-p', config, '--pretty', 'false'], {
    encoding: 'utf8',
    cwd: folder,
  })
  if (error !== undefined) throw error
  return [...`${stdout}${stderr}`.matchAll(/^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+: .*)$/gm)].map(
    ([, file = '', line = '0', column = '0', text = '']) => ({
      file,
      line: Number(line),
      column: Number(column),
      text,
    }),
  )
}
