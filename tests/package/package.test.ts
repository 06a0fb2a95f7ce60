/** What the package carries when it is installed. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

it('the licences of what is bundled into the command line travel with it', async () => {
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    }),
  ) as [{ files: { path: string }[] }]
  const paths = files.map(f => f.path)
  expect(paths).toContain('dist/THIRD-PARTY-LICENSES.txt')
  expect(paths).toContain('LICENSE')
  expect(paths).toContain('cotangent.schema.json')
  expect(paths.filter(p => p.endsWith('.map') || p.endsWith('.cache'))).toEqual([])
  const said = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
  const { metafile } = await build({
    entryPoints: [join(root, 'src/cli/start.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['webgpu'],
    metafile: true,
    write: false,
    outfile: 'cli.js',
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
    expect.arrayContaining(['commander', 'cli-progress', 'pngjs', 'd3-scale', 'd3-array', 'jsonc-parser']),
  )
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
