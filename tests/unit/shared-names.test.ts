/** Entry points of different stages may have one name; a stage has each name once. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { moduleTypes } from '../../src/declare/module.ts'
import { compile, type CompileOptions } from '../../src/index.ts'
import { gpuModule } from '../../src/plugin/module.ts'

const source = readFileSync(new URL('../graphics/one-name.slang', import.meta.url), 'utf8')
const built = (options: CompileOptions = {}, text = source) => compile(text, { verify: true, ...options })

test('a name and a stage ask for one of them, a name alone for all', () => {
  for (const stage of ['vertex', 'fragment', 'compute'] as const) {
    const { code, reflection } = built({ entries: [{ name: 'main', stage }] }).wgsl()
    expect(reflection.entries.map(e => [e.target, e.stage])).toEqual([['main', stage]])
    expect(code.match(/fn main/g)).toHaveLength(1)
  }
  for (const program of [built({ entries: ['main'] }), built()]) {
    expect(program.wgsl({ entries: ['main'] }).reflection.entries.map(e => e.stage)).toEqual([
      'vertex',
      'fragment',
      'compute',
    ])
  }
})

test('a CPU runs the kernel', () => {
  const written = new Float32Array(1)
  loadSync(built()).kernel('main').dispatch([1, 1, 1], { buffers: { written } })
  expect([...written]).toEqual([1])
})

test('an import does not export what several share by its name, and its types are those of the kernel', () => {
  const program = built()
  const { reflection } = program.wgsl()
  const module = gpuModule(program, false)
    .map(l => l.text)
    .join('\n')
  expect(module).not.toMatch(/export const main\b/)
  const types = moduleTypes({ reflection, exports: program.exports }, 'one-name.slang')
  expect(types).not.toMatch(/export declare const main\b/)
  expect(types.match(/^ {2}main: \{/gm)).toHaveLength(1)
  expect(types).toContain('written')
})

test('two of one stage are a mistake', () => {
  const twice =
    '[shader("compute")] [numthreads(1, 1, 1)] void main() {} [shader("compute")] [numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {}'
  expect(built({}, twice).diagnostics.map(d => d.code)).toEqual(['E30200'])
})
