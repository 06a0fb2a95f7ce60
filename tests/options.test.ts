/** Whatever is handed to `compile`, it does not throw. */
import { expect, it } from 'vitest'
import { compile, type CompileOptions } from '../src/index.ts'

const source = 'export float f(float x) { return x * x; }'
const wrong: readonly (readonly [name: string, options: unknown])[] = [
  ['options', null], ['options', 5], ['options', []],
  ['options', new Proxy({}, { get() { throw new Error('no') }, ownKeys() { throw new Error('no') } })],
  ['limits', { limits: null }], ['limits', { limits: { instructions: NaN } }], ['limits', { limits: { instructions: '100' } }],
  ['fileName', { fileName: 5 }], ['exports', { exports: 'f' }], ['exports', { exports: [null] }], ['exports', { exports: new Set(['f']) }],
  ['entries', { entries: 'f' }], ['entries', { entries: [5] }], ['entries', { entries: null }], ['defines', { defines: 5 }],
  ['optimize', { optimize: 9 }], ['maxContext', { maxContext: NaN }], ['time', { time: 5 }], ['resolve', { resolve: null }], ['blockSize', { blockSize: [1] }],
]

it.each(wrong)('says that %s cannot be taken as it is', (name, options) => {
  const program = compile(source, options as CompileOptions)
  expect(program.ok).toBe(false)
  expect(program.diagnostics.map(d => d.code)).toEqual(['E50201'])
  expect(program.diagnostics[0]?.message).toContain(`the option ${name} `)
  expect(() => program.wgsl()).toThrow(expect.objectContaining({ name: 'CompileError' }))
})

it.each([undefined, null, 5, {}])('takes no source that is not a string: %s', given => {
  expect(compile(given as unknown as string).diagnostics.map(d => d.severity)).toEqual(['error'])
})

it('reads limits once, so that none throws later', () => {
  let reads = 0
  expect(compile(source, { limits: { get instructions() { if (reads++ > 0) throw new Error('read again'); return 1000 } } }).ok).toBe(true)
})
