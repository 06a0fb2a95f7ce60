/** The declarations of the package, and those of shaders, under the compilers and settings that people have. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile, moduleTypes } from '../../src/index.ts'
import { install, uninstall } from '../support/install.ts'
import { compilers, environments, marked, mistakes } from './compilers.ts'

let app = ''

function declare(name: string): void {
  const program = compile(readFileSync(join(import.meta.dirname, 'programs', name), 'utf8'), { fileName: name })
  writeFileSync(
    join(app, name.replace(/\.slang$/, '.d.slang.ts')),
    moduleTypes({ reflection: program.wgsl().reflection, exports: program.exports }, name),
  )
}

beforeAll(() => {
  app = install()
  cpSync(join(import.meta.dirname, 'programs'), app, { recursive: true })
  declare('fit.slang')
  mkdirSync(join(app, 'renamed'))
})

afterAll(() => uninstall(app))

describe.each(compilers)('TypeScript $version', compiler => {
  const { version } = compiler
  const knowsWebgpu = Number.parseInt(version) >= 6
  // There `lib.dom` has WebGPU, and `@webgpu/types` declares it once more.
  const known = Object.keys(environments).filter(name => !(knowsWebgpu && name === '@webgpu/types'))
  for (const resolution of ['nodenext', 'bundler'] as const) {
    it.each(known)(`takes correct programs, by ${resolution}, with %s`, environment => {
      expect(mistakes(compiler, app, ['right.ts'], environment, resolution)).toEqual([])
    })
  }

  it('finds each mistake where it is, once', () => {
    const expected = marked(readFileSync(join(app, 'wrong.ts'), 'utf8'), compiler)
    expect(expected.length).toBeGreaterThan(8)
    const found = mistakes(compiler, app, ['wrong.ts'], 'DOM', 'bundler')
    expect(found.map(m => `${m.line}:${m.column}`)).toEqual(expected)
  })
})
