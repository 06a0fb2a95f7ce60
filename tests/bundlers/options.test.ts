/** Options of the plugin, and the types that it writes. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { marker } from '../../src/index.ts'
import { build, bundler, link, mainOf, project, read, script } from './projects.ts'

const esbuild = bundler('esbuild')

describe('options', () => {
  it.each([
    [
      { serchPaths: ['lib'] },
      'the options of the cotangent plugin: the plugin has no option serchPaths; did you mean searchPaths?',
    ],
    [{ searchPaths: 'lib' }, 'the options of the cotangent plugin: searchPaths'],
    [{ types: 3 }, 'the options of the cotangent plugin: types'],
  ])('%j is refused with a reason', (options, reason) => {
    const folder = project('refused')
    expect(() => build(folder, esbuild, { entry: 'plain.js', options })).toThrow(reason)
  })

  it('override those of cotangent.json, one by one', () => {
    const folder = project('overridden')
    const built = build(folder, esbuild, { entry: 'plain.js', options: { defines: { THREADS: '32', SCALE: '7' } } })
    expect(built.errors).toEqual([])
    expect(read(mainOf(folder))).toContain('@workgroup_size(32, 1, 1)')

    // Its folders are searched first.
    mkdirSync(join(folder, 'other'))
    writeFileSync(join(folder, 'other/wave.slang'), read(folder, 'lib/wave.slang').replace('sin(wave', 'cos(wave'))
    expect(build(folder, esbuild, { entry: 'plain.js', options: { searchPaths: ['other'] } }).errors).toEqual([])
    expect(read(mainOf(folder))).toContain('cos(')
  })

  it('a mistake in cotangent.json has a place in it', () => {
    const folder = project('mistaken')
    writeFileSync(join(folder, 'cotangent.json'), '{\n  "searchPath": ["lib"]\n}\n')
    const { errors } = build(folder, bundler('Rollup'), { entry: 'plain.js' })
    expect(errors).toMatchObject([{ file: join(folder, 'cotangent.json'), line: 2, column: 2 }])
    expect(errors[0]?.text).toContain('searchPaths')
  })
})

describe('types', () => {
  it.each([
    [undefined, 'fit.d.slang.ts'],
    ['beside', 'fit.d.slang.ts'],
    ['types', 'types/fit.d.slang.ts'],
  ])('%s: in %s', (types, file) => {
    const folder = project('typed')
    const { errors } = build(folder, esbuild, { entry: 'plain.js', options: types === undefined ? {} : { types } })
    expect(errors).toEqual([])
    const text = read(folder, file)
    expect(text.startsWith(marker)).toBe(true)
    expect(text).toContain('train')
    expect(readdirSync(folder).filter(f => f.endsWith('.slang.ts'))).toEqual(file.includes('/') ? [] : [file])
  })

  it('have another ending, or are not written, if one says so', () => {
    const folder = project('suffix')
    build(folder, esbuild, { entry: 'plain.js', options: { types: false } })
    expect(readdirSync(folder).filter(f => f.includes('.d.'))).toEqual([])
    build(folder, esbuild, { entry: 'plain.js', options: { typesSuffix: '.slang.d.ts' } })
    expect(readdirSync(folder).filter(f => f.includes('.d.'))).toEqual(['fit.slang.d.ts'])
  })

  it('leave alone a file that somebody else wrote', () => {
    const folder = project('foreign')
    writeFileSync(join(folder, 'fit.d.slang.ts'), 'export {}\n')
    const { errors } = build(folder, esbuild, { entry: 'plain.js' })
    expect(errors.length).toBe(1)
    expect(errors[0]?.text).toContain('was not written by cotangent')
    expect(read(folder, 'fit.d.slang.ts')).toBe('export {}\n')
  })
})

describe('Vite', () => {
  it.each(['Vite 5', 'Vite 8'])('%s: other queries are its own', name => {
    const folder = project('queries')
    writeFileSync(
      join(folder, 'queries.js'),
      `import raw from './fit.slang?raw'
import url from './fit.slang?url'
import inline from './fit.slang?url&inline'
console.log(JSON.stringify([raw, url, inline]))
`,
    )
    const { errors } = build(folder, bundler(name), { entry: 'queries.js' })
    expect(errors).toEqual([])
    const text = read(mainOf(folder))
    expect(text).toContain('bwd_diff(loss)(pair, points[i], 1.0);')
    expect(text).not.toContain('workgroup_size')
  })

  it('finds files by its root, also where it runs in another folder', () => {
    const folder = project('root')
    link(folder, 'vite-8', 'vite')
    writeFileSync(
      join(folder, 'vite.config.js'),
      `import cotangent from 'cotangent/vite'
export default {
  root: import.meta.dirname,
  plugins: [cotangent({ searchPaths: ['lib'], types: 'types' })],
  build: { ssr: 'plain.js', outDir: 'out', rollupOptions: { output: { entryFileNames: 'main.mjs' } } },
}
`,
    )
    script(
      join(folder, 'lib'),
      join(folder, 'node_modules/vite/bin/vite.js'),
      'build',
      '-c',
      join(folder, 'vite.config.js'),
    )
    expect(read(mainOf(folder))).toContain('fn train(')
    expect(existsSync(join(folder, 'types/fit.d.slang.ts'))).toBe(true)
  })

  it('servers and Vitest take shaders, without what replaces them', () => {
    const folder = project('server')
    link(folder, 'vite-8', 'vite')
    link(folder, 'vitest')
    writeFileSync(
      join(folder, 'vitest.config.js'),
      `import cotangent from 'cotangent/vite'
export default { plugins: [cotangent()], test: { include: ['*.check.js'] } }
`,
    )
    writeFileSync(
      join(folder, 'fit.check.js'),
      `import { load } from 'cotangent/cpu'
import { readFileSync } from 'node:fs'
import { createServer } from 'vite'
import { expect, it } from 'vitest'
import program, { train } from './fit.slang'
import cpu from './fit.slang?cpu'
import live from './fit.slang?runtime'

it('has a program', async () => {
  expect(program.code).toContain('fn train(')
  expect(train.stage).toBe('compute')
  expect((await load(cpu)).fn.loss({ amplitude: 1, frequency: 1, phase: 0 }, [0, 1])).toBe(1)
  expect(live.compile().wgsl().code).toBe(program.code)
})

it('is a module on a server', async () => {
  const { default: cotangent } = await import('cotangent/vite')
  const server = await createServer({ configFile: false, plugins: [cotangent()], server: { middlewareMode: true, ws: false }, appType: 'custom' })
  try {
    const module = await server.ssrLoadModule('/fit.slang')
    expect(module.default.code).toBe(program.code)
    expect(module.default.listeners).toBe(undefined)
    const { code } = await server.transformRequest('/fit.slang')
    expect(code).toContain('import.meta.hot')
  } finally {
    await server.close()
  }
})
`,
    )
    expect(script(folder, 'node_modules/vitest/vitest.mjs', 'run')).toContain('2 passed')
  })
})

it('a configuration in CommonJS requires the plugin', () => {
  const folder = project('commonjs')
  link(folder, 'webpack')
  writeFileSync(
    join(folder, 'build.cjs'),
    `const webpack = require('webpack')
const cotangent = require('cotangent/webpack').default
webpack({
  context: __dirname,
  entry: './plain.js',
  mode: 'development',
  output: { path: __dirname + '/out', filename: 'main.js' },
  plugins: [cotangent()],
}).run((error, stats) => {
  console.log(String(error ?? stats))
  process.exitCode = error || stats.hasErrors() ? 1 : 0
})
`,
  )
  script(folder, 'build.cjs')
  expect(read(mainOf(folder))).toContain('fn train(')
})
