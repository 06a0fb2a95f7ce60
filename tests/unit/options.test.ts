/** Whatever is handed to `compile`, it does not throw. */
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { compile, type CompileOptions } from '../../src/index.ts'

const source = 'export float f(float x) { return x * x; }'
const wrong: readonly (readonly [name: string, options: unknown])[] = [
  ['options', null],
  ['options', 5],
  ['options', []],
  [
    'options',
    new Proxy(
      {},
      {
        get() {
          throw new Error('no')
        },
        ownKeys() {
          throw new Error('no')
        },
      },
    ),
  ],
  ['limits', { limits: null }],
  ['limits', { limits: { instructions: NaN } }],
  ['limits', { limits: { instructions: '100' } }],
  ['fileName', { fileName: 5 }],
  ['exports', { exports: 'f' }],
  ['exports', { exports: [null] }],
  ['exports', { exports: new Set(['f']) }],
  ['entries', { entries: 'f' }],
  ['entries', { entries: [5] }],
  ['entries', { entries: null }],
  ['defines', { defines: 5 }],
  ['optimize', { optimize: 9 }],
  ['maxContext', { maxContext: NaN }],
  ['time', { time: 5 }],
  ['resolve', { resolve: null }],
  ['blockSize', { blockSize: [1] }],
]

it.each(wrong)('says that %s cannot be taken as it is', (name, options) => {
  const program = compile(source, options as CompileOptions)
  expect(program.ok).toBe(false)
  expect(program.diagnostics.map(d => d.code)).toEqual(['E50201'])
  expect(program.diagnostics[0]?.message).toContain(`the option ${name} `)
  expect(() => program.wgsl()).toThrow(expect.objectContaining({ name: 'CompileError' }))
})

it('names the option that a misspelt one is near', () => {
  const options: object = { fileNam: 'a.slang' }
  const [d] = compile(source, options).diagnostics
  expect([d?.code, d?.message, d?.notes[0]?.text]).toEqual([
    'E50202',
    'compile has no option fileNam',
    'did you mean fileName?',
  ])
  expect(compile(source, { ...options, fileNam: undefined } as object).ok).toBe(true)
  const given: object = { entry: 'f' }
  expect(() => compile(source).wgsl(given)).toThrow(/wgsl has no option entry\n.*there are entries, reverseOf/s)
})

it('names the function that a misspelt one is near', () => {
  expect(() => compile('[Differentiable] export float loss(float x) { return x; }').explain('los')).toThrow(
    'did you mean loss?',
  )
})

it.each([undefined, null, 5, {}])('takes no source that is not a string: %s', given => {
  expect(compile(given as string).diagnostics.map(d => d.severity)).toEqual(['error'])
})

it('reads limits once, so that none throws later', () => {
  let reads = 0
  expect(
    compile(source, {
      limits: {
        get instructions() {
          if (reads++ > 0) throw new Error('read again')
          return 1000
        },
      },
    }).ok,
  ).toBe(true)
})

const methods: readonly (readonly [
  said: string,
  call: (program: Record<string, (...args: unknown[]) => unknown>) => unknown,
])[] = [
  ...['wgsl', 'wasm', 'js'].flatMap(m =>
    [null, 5, 'x', []].map(
      given =>
        [`the option options of ${m}`, (p: Record<string, (...args: unknown[]) => unknown>) => p[m]!(given)] as const,
    ),
  ),
  ['the option entries of wgsl', p => p['wgsl']!({ entries: 'k' })],
  ['the option reverseOf of wgsl', p => p['wgsl']!({ reverseOf: null })],
  ['the option derivativesOf of wasm', p => p['wasm']!({ derivativesOf: 5 })],
  ['the option limits of wasm', p => p['wasm']!({ limits: 5 })],
  ['the option limits of js', p => p['js']!({ limits: { trip: 1 } })],
  ['the option mode of js', p => p['js']!({ mode: 'x' })],
  ['the option derivatives of js', p => p['js']!({ derivatives: 'all' })],
  ['the option stage of ir', p => p['ir']!(null)],
  ['the option stage of ir', p => p['ir']!('x')],
  ['the option name of ir', p => p['ir']!('final', 5)],
  ['the option name of explain', p => p['explain']!(5)],
  ['the option name of reference', p => p['reference']!(5)],
  ['the option args of traceNonFinite', p => p['traceNonFinite']!('f', [])],
  ['the option args of traceNonFinite', p => p['traceNonFinite']!('f', [1, 2])],
  ['the option name of traceNonFinite', p => p['traceNonFinite']!(5, [1])],
  ['the option args of traceNonFinite', p => p['traceNonFinite']!('f')],
  ['the option weights of traceNonFinite', p => p['traceNonFinite']!('f', [1], { weights: 5 })],
  ['the option options of traceNonFinite', p => p['traceNonFinite']!('f', [1], null)],
  ['the option mode of blame', p => p['blame']!('f')],
  ['the option tangents of blame', p => p['blame']!('f', 'reverse', [1])],
]

it('makes an error that prints its diagnostics once, without the source, where nobody catches it', () => {
  const program = compile('// not to be printed\nfloat f() { return x + y; }')
  let thrown: unknown
  try {
    program.wgsl()
  } catch (cause) {
    thrown = cause
  }
  expect(thrown).toHaveProperty('diagnostics', program.diagnostics)
  const printed = inspect(thrown, { depth: 9 })
  expect(printed.split('undefined identifier x')).toHaveLength(2)
  expect(printed).not.toContain('not to be printed')
})

it.each(methods)('throws nothing but a CompileError: %s', (said, call) => {
  const program = compile('[Differentiable] export float f(float x) { return x * x; }') as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >
  expect(() => call(program)).toThrow(
    expect.objectContaining({ name: 'CompileError', message: expect.stringContaining(`${said} is not `) as string }),
  )
})

it("lets through what the caller's own clock throws", () => {
  const own = new Error('stop')
  expect(() =>
    compile(source, {
      time: () => {
        throw own
      },
    }),
  ).toThrow(own)
})
