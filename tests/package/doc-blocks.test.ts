/**
 * Every block of code of the pages is run, on each target that its text names, or stands in a list here that says why not. What commands print is
 * compared in `docs.test.ts`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile, moduleTypes } from '../../src/index.ts'
import { blocksOf, fileOf, type Block } from '../support/doc-blocks.ts'
import plugin from '../../src/plugin/entries/esbuild.ts'
import { gpuEnv } from '../../tools/gpu-env.mjs'

const root = join(import.meta.dirname, '../..')
const listed = (folder: string): string[] => readdirSync(join(root, folder)).map(name => `${folder}/${name}`)
const pages = [
  'README.md',
  ...listed('docs').filter(name => name.endsWith('.md')),
  ...listed('examples').map(name => `${name}/README.md`),
]

interface Placed extends Block {
  readonly page: string
  readonly first: string
  readonly before: Block | undefined
  readonly after: Block | undefined
}

const blocks = pages.flatMap(page =>
  blocksOf(readFileSync(join(root, page), 'utf8')).map((block, i, all): Placed => ({
    ...block,
    page,
    first: block.lines[0]!,
    before: all[i - 1],
    after: all[i + 1],
  })),
)

/** The blocks that are not run here, by page and first line, with the reason. */
const elsewhere: Readonly<Record<string, string>> = {
  'README.md: npm install cotangent': 'tests/support/install.ts installs what is packed',
  'README.md: npm ci && npm run demo -- splat2d': '.ci/run does the one, tests/package/examples.test.ts runs the other',
  'README.md: // vite.config.ts': 'tests/bundlers builds examples/vite, whose configuration this is',
  "README.md: import program from './fit.slang'": 'tests/bundlers imports so with each bundler',
  'docs/bundlers.md: npm install cotangent': 'tests/support/install.ts installs what is packed',
  'docs/bundlers.md: // vite.config.js': 'tests/bundlers builds examples/vite, whose configuration this is',
  'docs/bundlers.md: { "compilerOptions": { "types": ["vite/client", "cotangent/client"] } }':
    'tests/projects compiles examples/vite, whose configuration this is',
  "docs/bundlers.md: cotangent({ searchPaths: ['shaders/lib'], defines: { SAMPLES: 4 }, types: 'generated' })":
    'tests/bundlers gives plugins such options',
  "docs/bundlers.md: import noise from 'some-package/noise.slang'": 'tests/bundlers imports a shader of a package',
  'docs/bundlers.md: export default defineConfig({': 'tests/bundlers builds such a worker',
  "docs/bundlers.md: test('derivatives agree with finite differences', async () => {":
    'tests/projects runs this test, which is that of examples/vite',
  'docs/command-line.md: cotangent init my-app': 'tests/projects builds and checks such a project',
  ...Object.fromEntries(
    ['node', 'react', 'three', 'vite', 'worker'].map(name => [
      `examples/${name}/README.md: npm install`,
      'tests/projects installs, builds and checks it',
    ]),
  ),
  'examples/deno/README.md: deno task start': 'tests/projects runs it',
  'docs/command-line.md: cotangent compile shader.slang -o shader.wgsl':
    'tests/package/command-line-compile.test.ts writes such files',
  'docs/command-line.md: cotangent compile a.slang sub/b.slang --target wgsl --target js -o dist --source-map --reflection':
    'tests/package/command-line-compile.test.ts writes such folders',
  'docs/command-line.md: {"severity":"error","code":"E30015","message":"undefined identifier y","file":"a.slang","line":1,"column":20,"endLine":1,"endColumn":21}':
    'output, which tests/package/command-line-json.test.ts compares',
  'docs/editors.md: npm install --save-dev cotangent': 'tests/support/install.ts installs what is packed',
  'docs/editors.md: npm run vsix': 'editors/vscode/tests packs the extension so',
  "docs/editors.md: vim.filetype.add({ extension = { slang = 'slang' } })":
    'configuration of Neovim, which no test starts',
  'docs/editors.md: [language-server.cotangent]': 'configuration of Helix, which no test starts',
  'docs/editors.md: #!/bin/sh': 'a script for Zed, which no test starts',
  'docs/editors.md: {': 'configuration of Zed, which no test starts',
  'docs/tensors.md: -0.6351 0.5966 1.1932 1.7898 0.0000 0.0000 0.0000 0.2983 -0.5966 0.1491':
    'the output of the program above it',
  'docs/webassembly.md: npx cotangent compile fit.slang --target wasm -o fit.wasm --time':
    'tests/package/command-line.test.ts asks for the same',
  'examples/brdf/README.md: npx cotangent demo brdf': 'tests/package/examples.test.ts runs it',
  'examples/splat2d/README.md: npx cotangent demo splat2d': 'tests/package/examples.test.ts runs it',
  'examples/spring/README.md: npx cotangent demo spring': 'tests/package/examples.test.ts runs it',
}

/** Pages all of whose blocks a test of the site uses as a reader does, in order; it fails on a block that it cannot use. */
const followed: Readonly<Record<string, string>> = {
  'docs/quick-start.md': 'site/tests/quick-start.test.ts',
  'docs/reverse-mode.md': 'site/tests/reverse-mode.test.ts',
  'docs/tutorial.md': 'site/tests/tutorial.test.ts',
}

/** What programs in Slang need that stand on a page as a part of one. */
const parts: Readonly<Record<string, (code: string) => string>> = {
  // As the project file of the page says.
  'docs/project-file.md: // mean.slang': code => `#define SAMPLES 4\n${code}`,
  'docs/loops.md: [Differentiable]': code => `[Differentiable] float2 force(float2 x) { return -x; }\n${code}`,
  'docs/webgpu.md: printf("thread %u has %f\\n", id.x, value);': code =>
    `[shader("compute")] [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { float value = 2.0; ${code} }`,
}

const nameOf = ({ page, first }: Placed): string => `${page}: ${first}`
/** The programs that pages show to be refused: a command that names the file prints an error in it, which docs.test.ts compares. */
const refused = blocks
  .filter(block => {
    const file = fileOf(block)
    const lines = blocks
      .filter(({ page, kind }) => page === block.page && (kind === '' || kind === 'text'))
      .flatMap(b => b.lines)
    return file !== undefined && lines.some(line => line.startsWith(`${file}:`) && / error E\d+: /.test(line))
  })
  .map(nameOf)
const isScript = ({ kind }: Block): boolean => kind === 'js' || kind === 'ts'
/** Whether docs.test.ts writes the block as a file that a command of the page runs or reads. */
const isFile = (block: Placed): boolean => {
  const name = fileOf(block)
  const commands = blocks.filter(b => b.page === block.page && (b.kind === 'sh' || b.first.startsWith('$ ')))
  return (
    name !== undefined && commands.some(b => b.lines.some(line => line.includes(name) || name === 'cotangent.json'))
  )
}

describe('every block', () => {
  const unknown = blocks.filter(block => {
    // Python is what a reader comes from: text beside the program that is run.
    if (nameOf(block) in elsewhere || block.page in followed || block.kind === 'hlsl' || block.kind === 'python')
      return false
    if (isScript(block)) return fileOf(block) !== undefined && !isFile(block)
    if (block.kind === 'sh') return block.after?.kind !== 'text'
    if (block.kind === 'text') return block.before?.kind !== 'sh'
    if (block.kind === 'json') return !isFile(block)
    return block.kind !== '' || !(block.first.startsWith('$ ') || block.first.startsWith('npx cotangent grad examples'))
  })
  it('is run, or the list says why not', () => expect(unknown.map(nameOf)).toEqual([]))
  it('of the list is there', () =>
    expect(
      [...Object.keys(elsewhere), ...Object.keys(parts)].filter(name => !blocks.some(b => nameOf(b) === name)),
    ).toEqual([]))
})

describe('programs in Slang', () => {
  const programs = blocks.filter(block => block.kind === 'hlsl' && !refused.includes(nameOf(block)))
  it.each(programs.map(block => [nameOf(block), block] as const))('%s', (name, block) => {
    const program = compile((parts[name] ?? (code => code))(block.lines.join('\n')))
    // The fence says what a block is warned of.
    const [, warning] = /^warning (\w+)$/.exec(block.info) ?? []
    expect(program.diagnostics.map(d => d.code)).toEqual(warning === undefined ? [] : [warning])
    const { entries } = program.wgsl().reflection
    program.wasm()
    program.js()
    // What a host asks for the gradient of.
    for (const { name: entry } of entries)
      if (block.lines.some(line => line.includes('[Differentiable]') && line.includes('Kernel')))
        for (const target of ['wgsl', 'wasm', 'js'] as const) program[target]({ reverseOf: entry })
  })
})

describe('commands without output', () => {
  const commands = blocks
    .flatMap(({ kind, lines }) => (kind === '' ? lines : []))
    .filter(line => line.startsWith('npx cotangent grad examples'))
  it.each(commands)('%s', command => {
    const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c!)
    const out = execFileSync(process.execPath, [join(root, 'dist/cli.js'), ...words.slice(2)], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(out).toMatch(/^value = .*\n(d\/d.*\n)+$/)
  })
})

describe('programs in JavaScript', () => {
  const scripts = blocks.filter(
    block =>
      isScript(block) && fileOf(block) === undefined && !(block.page in followed) && !(nameOf(block) in elsewhere),
  )
  const folder = mkdtempSync(join(root, 'node_modules/.doc-blocks-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const support = JSON.stringify(join(root, 'tests/support/doc-given.ts'))
  const given = [
    ...readFileSync(join(root, 'tests/support/doc-given.ts'), 'utf8')
      .split('  return {\n')[1]!
      .matchAll(/^ {4}(\w+)[:,]/gm),
  ].map(([, name]) => name!)

  /** A module that runs a block. */
  const moduleOf = (block: Placed, change: (code: string) => string = code => code): string => {
    const code = change(block.lines.join('\n'))
    const imports = code.match(/^import .*$/gm) ?? []
    const body = code.replace(/^import .*$/gm, '')
    const own = [...code.matchAll(/(?:const|let) (\w+)/g), ...imports.join().matchAll(/\b(\w+)\b/g)].map(
      ([, name]) => name!,
    )
    const taken = given.filter(name => !own.includes(name))
    const above =
      block.before?.kind === 'hlsl' && block.page === 'docs/tensors.md'
        ? JSON.stringify(block.before.lines.join('\n'))
        : ''
    return [
      // JavaScript has no types to check.
      ...(block.kind === 'js' ? ['// @ts-nocheck'] : []),
      ...imports,
      `import { given } from ${support}`,
      `export async function run(console: { log(...words: unknown[]): void }): Promise<void> {`,
      `const { ${taken.join(', ')} } = await given(${above})`,
      body,
      '}',
    ].join('\n')
  }
  const modules = scripts.map(block => [nameOf(block), moduleOf(block)] as const)
  const tensors = scripts.find(block => block.page === 'docs/tensors.md')!
  // As the page says below it.
  modules.push([
    'docs/tensors.md on a device',
    moduleOf(tensors, code =>
      code
        .replace('loadSync(compile(source)).kernel', '(await attach(compile(source), device)).kernel')
        .replace(/kernel\.(dispatch|grad)\(/g, 'await $&')
        .replace(/^import .*cotangent\/cpu.*$/m, ''),
    ),
  ])

  let said: Record<string, { readonly failed: string | null; readonly printed: readonly string[] }>
  beforeAll(async () => {
    modules.forEach(([, code], i) => writeFileSync(join(folder, `block-${i}.ts`), code))
    const imported = readFileSync(join(root, 'tests/support/doc-imported.slang'), 'utf8')
    const program = compile(imported)
    for (const name of ['fit', 'scene']) {
      writeFileSync(join(folder, `${name}.slang`), imported)
      const declared = { reflection: program.wgsl().reflection, exports: program.exports }
      writeFileSync(join(folder, `${name}.d.slang.ts`), moduleTypes(declared, `${name}.slang`))
    }
    const main = [
      ...modules.map((_, i) => `import { run as run${i} } from './block-${i}.ts'`),
      `const said: Record<string, unknown> = {}`,
      ...modules.flatMap(([name], i) => [
        `{ const printed: string[] = []; let failed: string | null = null`,
        `try { await run${i}({ log: (...words) => { printed.push(words.join(' ')) } }) } catch (e) { failed = String(e) }`,
        `said[${JSON.stringify(name)}] = { failed, printed } }`,
      ]),
      `console.log(JSON.stringify(said))`,
      `process.exit(0)`,
    ]
    writeFileSync(join(folder, 'main.ts'), main.join('\n'))
    const entries = {
      cotangent: 'src/index.ts',
      'cotangent/wgsl': 'src/wgsl.ts',
      'cotangent/emulation': 'src/emulation.ts',
      'cotangent/library': 'src/library.ts',
      'cotangent/cpu': 'src/cpu/index.ts',
      'cotangent/gpu': 'src/gpu/index.ts',
      'cotangent/lsp': 'src/lsp/worker.ts',
    }
    const alias = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)]))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: {
          noUnusedLocals: false,
          noUnusedParameters: false,
          noPropertyAccessFromIndexSignature: false,
          noUncheckedIndexedAccess: false,
          isolatedDeclarations: false,
          declaration: false,
          allowArbitraryExtensions: true,
          paths: Object.fromEntries(Object.entries(alias).map(([name, file]) => [name, [file]])),
        },
        include: ['*.ts', '../../src/plugin/client.d.ts'],
        exclude: [],
      }),
    )
    const outfile = join(folder, 'main.mjs')
    // `load` starts it beside itself.
    copyFileSync(join(root, 'dist/cpu-worker.js'), join(folder, 'cpu-worker.js'))
    await build({
      entryPoints: [join(folder, 'main.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['webgpu'],
      // Of vscode-languageserver, the form for workers.
      conditions: ['browser'],
      mainFields: ['module', 'main'],
      alias,
      plugins: [plugin()],
    })
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { env: gpuEnv() })
    said = JSON.parse(stdout.trim().split('\n').at(-1)!) as typeof said
  }, 120_000)

  it.each(modules.map(([name]) => name))('%s', name => expect(said[name]!.failed).toBeNull())
  it('of docs/tensors.md print the same on a device as on the CPU', () => {
    const numbers = (name: string): number[] => said[name]!.printed.join(' ').split(' ').map(Number)
    const [cpu, device] = [numbers(nameOf(tensors)), numbers('docs/tensors.md on a device')]
    expect(cpu).toHaveLength(10)
    cpu.forEach((x, i) => expect(device[i]).toBeCloseTo(x, 3))
  })
  it('have the types that they need', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const checked = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((e: { stdout: string }) => e)
    expect(checked.stdout).toBe('')
  }, 120_000)
})
