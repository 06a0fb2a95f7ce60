/** What the package carries when it is installed. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

let paths: readonly string[]
beforeAll(() => {
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    }),
  ) as [{ files: { path: string }[] }]
  paths = files.map(f => f.path)
}, 60_000)

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
  readonly dependencies?: unknown
}

it('installing the package runs nothing, and brings nothing else', () => {
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'])
    expect(manifest.scripts[script], script).toBeUndefined()
  // After `npm ci` in a checkout, and only there.
  expect(manifest.scripts['dependencies']).toBe(manifest.scripts['build'])
  expect(manifest.dependencies).toBeUndefined()
})

it('WebGPU for Node is for those who install it', () => {
  expect(manifest.peerDependencies).toEqual({ webgpu: '>=0.6.2' })
  expect(manifest.peerDependenciesMeta).toEqual({ webgpu: { optional: true } })
})

// Files that are shared with other entries would bring the compiler into a page that only runs what a build compiled.
it('the runtime for CPUs is one file', () => {
  const code = readFileSync(join(root, 'dist/cpu.js'), 'utf8')
  expect(code).toMatch(/^export \{$/m)
  expect(code).not.toMatch(/\bfrom "\.|\bimport\("\./)
})

// Each is a bundle with classes of its own.
it('the runtime for CPUs knows what the compiler throws', async () => {
  const entry = (name: string): string => pathToFileURL(join(root, `dist/${name}.js`)).href
  const { compile, CompileError } = (await import(
    /* @vite-ignore */ entry('index')
  )) as typeof import('../../src/index.ts')
  const { checkDerivatives } = (await import(
    /* @vite-ignore */ entry('cpu')
  )) as typeof import('../../src/cpu/index.ts')
  const sampled = compile(`Texture2D t; SamplerState s;
[Differentiable] float f(float x) { return x * no_diff(t.Sample(s, float2(0.5)).x); }`)
  const { functions } = await checkDerivatives(sampled, { samples: 1 })
  expect(functions).toMatchObject([{ status: 'failed', diagnostics: [{ code: 'E37101' }] }])
  await expect(checkDerivatives(compile('float f( {'))).rejects.toThrow(CompileError)
})

// npm's page of the package shows README.md, and knows no folder to which links could be relative.
it('README.md links to what the package carries', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8').replace(/```[^]*?```/g, '')
  const carried = 'https://cdn.jsdelivr.net/npm/cotangent/'
  const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
  const own = links.filter(link => link.startsWith(carried)).map(link => link.slice(carried.length).split('#')[0]!)
  expect(own).toContain('docs/brdf.png')
  expect(own.length).toBeGreaterThan(8)
  expect(own.filter(path => !paths.includes(path))).toEqual([])
  expect(links.filter(link => !/^(https:|#)/.test(link))).toEqual([])
})

it('the licences of what is bundled into the command line and the plugin travel with it', async () => {
  expect(paths).toContain('dist/THIRD-PARTY-LICENSES.txt')
  expect(paths).toContain('LICENSE')
  expect(paths).toContain('cotangent.schema.json')
  expect(paths.filter(p => p.endsWith('.map') || p.endsWith('.cache'))).toEqual([])
  const said = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
  const { metafile } = await build({
    entryPoints: [join(root, 'src/cli/start.ts'), join(root, 'src/plugin/entries/unplugin.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['webgpu'],
    metafile: true,
    write: false,
    outdir: 'out',
    absWorkingDir: root,
  })
  const bundled = new Set(
    Object.keys(metafile.inputs).flatMap(
      path =>
        path
          .split('node_modules/')
          .slice(1)
          .at(-1)
          ?.split('/')
          .slice(0, path.includes('node_modules/@') ? 2 : 1)
          .join('/') ?? [],
    ),
  )
  expect([...bundled]).toEqual(
    expect.arrayContaining([
      'commander',
      'cli-progress',
      'pngjs',
      'd3-scale',
      'd3-array',
      'jsonc-parser',
      'unplugin',
      'vscode-jsonrpc',
      'picomatch',
    ]),
  )
  // unplugin asks for it by `require` when webpack runs; it is in the bundle all the same.
  bundled.add('webpack-virtual-modules')
  for (const name of bundled) {
    const { version, license } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
      version: string
      license: string
    }
    const at = said.indexOf(`\n${name} ${version} (${license})\n`)
    expect(at, name).toBeGreaterThan(0)
    expect(said.slice(at, said.indexOf('-'.repeat(80), at)), name).toMatch(
      /Permission .*is hereby granted|Permission to use, copy/s,
    )
  }
})
