/** What an import of a shader asks for, by its id. */
import { describe, expect, it } from 'vitest'
import { mistakeIn, requestOf } from '../../src/plugin/request.ts'

describe('the id of an import', () => {
  it.each([
    ['a.slang', ''],
    ['a.slang?cpu', 'cpu'],
    ['a.slang?runtime', 'runtime'],
    ['a.slang?cpu=', 'cpu'],
    ['a.slang?t=17', ''],
    ['a.slang?cpu&t=17&v=abc', 'cpu'],
    ['C:/app/a.slang?cpu', 'cpu'],
    ['C:\\app\\a.slang?cpu', 'cpu'],
  ])('%s asks for one of our modules', (id, query) => {
    expect(requestOf(id)).toEqual({ file: id.split('?')[0], query })
    expect(mistakeIn(id)).toBe(undefined)
  })

  it.each([
    'raw',
    'url',
    'url&inline',
    'inline',
    'no-inline',
    'worker',
    'worker&cpu',
    'sharedworker',
    'init',
    'import',
    'used',
    'direct',
    'react',
    'source',
    'spirv',
    'ru',
  ])('with ?%s is the affair of somebody else', query => {
    expect(requestOf(`a.slang?${query}`)).toBe(undefined)
    expect(mistakeIn(`a.slang?${query}`)).toBe(undefined)
  })

  it.each([
    ['cpuu', 'cpu'],
    ['CPU', 'cpu'],
    ['cup', 'cpu'],
    ['cpuu&t=17', 'cpu'],
    ['runtme', 'runtime'],
    ['run-time', 'runtime'],
    ['Runtime=', 'runtime'],
  ])('with ?%s is a misspelt one', (query, meant) => {
    expect(requestOf(`a.slang?${query}`)).toBe(undefined)
    expect(mistakeIn(`a.slang?${query}`)).toContain(`did you mean ?${meant}?`)
  })

  it('for a GPU has no query', () => {
    expect(mistakeIn('a.slang?gpu')).toBe(
      'a shader has no import ?gpu: there are ?cpu, ?runtime, and for a GPU no query',
    )
  })

  it('of another file has nothing to do with us', () => expect(mistakeIn('a.css?cpuu')).toBe(undefined))
})
