/** Paths as Windows has them: `node:path` is its `win32` here, and sources lie in a map. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { commonFolder, outputFilesOf } from '../../src/cli/outputs.ts'
import { foldersOf } from '../../src/cli/sources.ts'
import { absolute } from '../../src/files/project.ts'
import { slashed, typesFile } from '../../src/files/types.ts'
import { compile } from '../../src/index.ts'
import { plugin } from '../../src/plugin/plugin.ts'
import { importShader } from '../../src/plugin/shaders.ts'

/** Texts by their paths, with backslashes. */
const { texts } = vi.hoisted(() => ({ texts: new Map<string, string>() }))

vi.mock('node:path', async original => {
  const { win32 } = await original<typeof import('node:path')>()
  return { ...win32, default: win32 }
})
vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>()
  const state = { mtimeNs: 1n, ctimeNs: 1n, size: 1n, ino: 1n, isDirectory: () => false }
  const statSync = (path: string, options: object): unknown => (texts.has(path) ? state : fs.statSync(path, options))
  return { ...fs, statSync, default: fs }
})
vi.mock('../../src/files/read.ts', async original => {
  const read = await original<typeof import('../../src/files/read.ts')>()
  const sourceAt = (path: string): string | undefined => texts.get(path.replaceAll('/', '\\'))
  const readSource = (path: string): string => {
    const text = sourceAt(path)
    if (text === undefined) throw new read.SourceProblem('no such file', 'ENOENT')
    return text
  }
  return { ...read, sourceAt, readSource }
})

beforeEach(() => texts.clear())

const kernel = `import wave;
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(1, 1, 1)] void k() { o[0] = wave(1); }
`
const wave = 'public float wave(float x) { return sin(x); }\n'

describe('an import', () => {
  const imported = (file: string, root: string, query: '' | 'cpu' | 'runtime' = ''): ReturnType<typeof importShader> =>
    importShader({ file, query }, { types: false, searchPaths: ['lib'] }, { root, hot: false })

  it.each([
    ['C:/app/src/fit.slang', 'C:\\app', 'C:\\app\\lib\\wave.slang', 'C:/app/src/fit.slang'],
    ['C:\\app\\src\\fit.slang', 'C:\\app', 'C:\\app\\src\\wave.slang', 'C:/app/src/fit.slang'],
    // Out of the project, on another drive, and on a share.
    ['C:/shared/fit.slang', 'C:\\app', 'C:\\shared\\wave.slang', 'C:/shared/fit.slang'],
    ['D:/shaders/fit.slang', 'C:\\app', 'D:\\shaders\\wave.slang', 'D:/shaders/fit.slang'],
    ['D:/shaders/fit.slang', 'C:\\app', 'C:\\app\\lib\\wave.slang', 'D:/shaders/fit.slang'],
    ['\\\\server\\share\\fit.slang', 'C:\\app', '\\\\server\\share\\wave.slang', '//server/share/fit.slang'],
    [
      '//server/share/app/fit.slang',
      '\\\\server\\share\\app',
      '\\\\server\\share\\app\\lib\\wave.slang',
      '//server/share/app/fit.slang',
    ],
  ])('%s in %s finds %s', (file, root, library, origin) => {
    texts.set(file.replaceAll('/', '\\'), kernel)
    texts.set(library, wave)
    const { code, map, diagnostics } = imported(file, root)
    expect(diagnostics).toEqual([])
    expect(code).toContain('fn k()')
    expect(map?.sources).toEqual([origin])
    expect(map?.sourcesContent).toEqual([kernel])
  })

  it('does not import itself in Vite, which writes slashes', () => {
    texts.set('C:\\app\\src\\fit.slang', kernel)
    texts.set('C:\\app\\src\\wave.slang', wave)
    const { vite, load } = plugin.raw({ types: false }, { framework: 'vite' }) as unknown as {
      readonly vite: { configResolved(config: object): void }
      readonly load: { handler(this: object, id: string): { readonly code: string } }
    }
    vite.configResolved({ root: 'C:/app', command: 'serve', server: {} })
    const watched: string[] = []
    const reporter = { addWatchFile: (file: string) => watched.push(file) }
    expect(load.handler.call(reporter, 'C:/app/src/fit.slang').code).toContain('fn k()')
    expect(watched).toEqual(['C:\\app\\src\\wave.slang'])
  })

  it('names files with slashes, as the project does', () => {
    texts.set('C:\\app\\src\\fit.slang', kernel)
    texts.set('C:\\app\\lib\\wave.slang', wave)
    const { code } = imported('C:/app/src/fit.slang', 'C:\\app', 'runtime')
    expect(code).toContain('"src/fit.slang"')
    expect(code).toContain('"lib/wave.slang"')
    expect(code).not.toContain('\\\\')
    texts.set('C:\\app\\lib\\wave.slang', 'public float wave(float x) { return sine(x); }\n')
    const { diagnostics } = imported('C:/app/src/fit.slang', 'C:\\app')
    expect(diagnostics.map(d => d.span?.position.file)).toEqual(['lib/wave.slang'])
  })
})

describe('the compiler', () => {
  it.each([
    ['C:/app/fit.slang', '../lib/part.slang', 'C:/lib/part.slang'],
    ['C:/fit.slang', '../part.slang', 'C:/../part.slang'],
    ['//server/share/a/fit.slang', '../part.slang', '//server/share/part.slang'],
    ['/a/b/fit.slang', '../part.slang', '/a/part.slang'],
    ['src/fit.slang', 'C:/lib/part.slang', 'C:/lib/part.slang'],
    ['src/fit.slang', '//server/share/part.slang', '//server/share/part.slang'],
  ])('%s includes %s from %s', (fileName, included, found) => {
    const asked: string[] = []
    const { diagnostics } = compile(`#include "${included}"\npublic float f() { return g(); }`, {
      fileName,
      resolve: path => {
        asked.push(path)
        return path === found ? 'float g() { return 1; }' : undefined
      },
    })
    expect(diagnostics).toEqual([])
    expect(asked).toContain(found)
  })
})

describe('declarations', () => {
  it('lie where the options say', () => {
    expect(slashed('C:\\app\\src\\fit.slang')).toBe('C:/app/src/fit.slang')
    expect(typesFile('C:/app/src/fit.slang', {}, 'C:\\app')).toBe('C:/app/src/fit.d.slang.ts')
    const options = absolute({ types: 'made', searchPaths: ['lib', 'D:/lib'] }, 'C:\\app')
    expect(options).toEqual({ types: 'C:\\app\\made', searchPaths: ['C:\\app\\lib', 'D:\\lib'] })
    // A drive has no case.
    expect(typesFile('c:/app/src/fit.slang', options, 'C:\\app')).toBe('C:\\app\\made\\src\\fit.d.slang.ts')
  })

  it('of a pattern lie below its folders', () => {
    expect(foldersOf(['C:\\app\\src\\**\\*.slang', 'D:/**/*.slang', '\\\\server\\share\\*\\*.slang'])).toEqual([
      'C:\\app\\src',
      'D:\\',
      '\\\\server\\share\\',
    ])
  })
})

describe('output', () => {
  it('repeats folders below the one that all sources lie in, also where that is a drive', () => {
    expect(commonFolder(['C:\\app\\a.slang', 'C:\\app\\sub\\b.slang'])).toBe('C:\\app\\')
    expect(commonFolder(['C:\\a.slang', 'C:\\sub\\b.slang'])).toBe('C:\\')
  })

  it('never goes over a source, however its path is written', () => {
    expect(() => outputFilesOf(['C:/app/a.slang'], ['wgsl'], { output: 'C:\\app\\a.slang' })).toThrow('is a source')
  })
})
