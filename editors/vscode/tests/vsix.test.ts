/** The packed extension: what it contributes, and that the servers inside answer. */
import { execFileSync } from 'node:child_process'
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open, type Entry, type ZipFile } from 'yauzl'
import type { CheckResult } from '../../../src/lsp/verdicts.ts'
import { Client } from '../../../tests/support/lsp-client.ts'

const here = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'vsix-'))
const extension = join(folder, 'extension')
afterAll(() => rmSync(folder, { recursive: true }))

/** Unpacks an archive. */
async function unpack(path: string): Promise<void> {
  const zip = await promisify<string, object, ZipFile>(open)(path, { lazyEntries: true })
  const read = promisify(zip.openReadStream.bind(zip))
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', (entry: Entry) => {
      const file = join(folder, entry.fileName)
      mkdirSync(dirname(file), { recursive: true })
      read(entry)
        .then(stream => pipeline(stream, createWriteStream(file)))
        .then(() => {
          zip.readEntry()
        }, reject)
    })
    zip.readEntry()
  })
}

interface Manifest {
  readonly main: string
  readonly browser: string
  readonly icon: string
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[]
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>
    readonly colors: readonly { readonly id: string }[]
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> }
    readonly languages: readonly { readonly id: string; readonly extensions: readonly string[] }[]
    readonly grammars: readonly { readonly scopeName: string; readonly path: string }[]
  }
}

let manifest: Manifest
beforeAll(async () => {
  const file = join(folder, 'cotangent.vsix')
  for (const args of [['build.mjs'], ['package.mjs', file]])
    execFileSync(process.execPath, args, { cwd: here, stdio: ['ignore', 'pipe', 'pipe'] })
  await unpack(file)
  manifest = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8')) as Manifest
}, 120_000)

describe('the packed extension', () => {
  it('carries all files that its manifest names, licences too, and no sources', () => {
    const { main, browser, icon, contributes } = manifest
    for (const path of [
      main,
      browser,
      icon,
      contributes.grammars[0]!.path,
      'LICENSE.txt',
      'dist/THIRD-PARTY-LICENSES.txt',
    ])
      expect(existsSync(join(extension, path)), path).toBe(true)
    expect(existsSync(join(extension, 'src'))).toBe(false)
    expect(existsSync(join(extension, 'node_modules'))).toBe(false)
  })

  // The official extension may be installed beside it.
  it('contributes only what begins with cotangent, apart from the language that both have', () => {
    const { contributes } = manifest
    const names = [
      ...contributes.commands.map(c => c.command),
      ...Object.values(contributes.menus).flatMap(menu => menu.map(item => item.command)),
      ...contributes.colors.map(c => c.id),
      ...Object.keys(contributes.configuration.properties),
    ]
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter(name => !name.startsWith('cotangent.'))).toEqual([])
    expect(contributes.languages.map(l => [l.id, l.extensions])).toEqual([['slang', ['.slang']]])
    expect(contributes.grammars.map(g => g.scopeName)).toEqual(['source.slang.cotangent'])
    // The server registers commands by these names itself.
    expect(names).not.toContain('cotangent.check')
    expect(names).not.toContain('cotangent.show')
  })

  it('describes each setting that the server reads', async () => {
    const { defaults } = await import('../../../src/lsp/settings.ts')
    const paths = Object.entries(defaults).flatMap(([name, value]) =>
      typeof value === 'object' && !Array.isArray(value) && name !== 'defines'
        ? Object.entries(value as object).map(([inner, v]) => [`cotangent.${name}.${inner}`, v as unknown])
        : [[`cotangent.${name}`, value]],
    )
    const described = Object.entries(manifest.contributes.configuration.properties).map(([name, p]) => [
      name,
      (p as { default: unknown }).default,
    ])
    expect(described).toEqual(paths)
  })

  // VS Code itself is none of the packages here; whatever is asked of it stands for itself.
  it('has clients that can be loaded', () => {
    const { main, browser } = manifest
    const files = [main, browser].map(file => join(extension, file))
    const code = `
      const Module = require('node:module')
      const any = name => new Proxy(class {}, {
        get: (target, key) => key === Symbol.toPrimitive ? () => name : key in target ? target[key] : any(String(key)),
        apply: () => any(name),
      })
      const load = Module._load
      Module._load = (id, ...rest) => (id === 'vscode' ? any(id) : load(id, ...rest))
      console.log(JSON.stringify(${JSON.stringify(files)}.map(file => Object.keys(require(file)))))`
    const said = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' })
    expect(JSON.parse(said)).toEqual(Array(2).fill(['activate', 'deactivate']))
  })

  it('has a server that answers', async () => {
    const client = Client.of([join(extension, 'dist/server/start.js'), '--stdio', '--clientProcessId=1'])
    const { serverInfo } = await client.initialize()
    expect(serverInfo!.name).toBe('cotangent')
    const uri = 'file:///a.slang'
    await client.open(uri, '[Differentiable] float f(float x) { return x * y; }\n')
    expect((await client.diagnostics(uri)).diagnostics.map(d => d.code)).toEqual(['E30015'])
    await client.replace(uri, '[Differentiable] float f(float x) { return x * x; }\n', 2)
    expect((await client.diagnostics(uri, 2)).diagnostics).toEqual([])
    const checked = await client.request<CheckResult>('cotangent/check', { textDocument: { uri } })
    expect(checked.verdicts.map(v => [v.function, v.state])).toEqual([['f', 'agrees']])
    expect(await client.end()).toBe(0)
  })

  it('has a server for workers that answers', async () => {
    const client = Client.script(join(extension, 'dist/server/worker.js'))
    await client.initialize()
    const uri = 'vscode-vfs:///a.slang'
    await client.open(uri, '[Differentiable] float f(float x) { return x * x; }\n')
    expect((await client.diagnostics(uri)).diagnostics).toEqual([])
    const checked = await client.request<CheckResult>('cotangent/check', { textDocument: { uri } })
    expect(checked.verdicts.map(v => [v.function, v.state])).toEqual([['f', 'agrees']])
    expect(await client.end()).toBe(0)
  })
})
