import { expect, it } from 'vitest'
import { linesBehind, linesMadeOf, type Link } from '../src/links.ts'

const range = (first: number, last: number): Link['from'] => ({
  start: { line: first, character: 0 },
  end: { line: last, character: 5 },
})

const links: readonly Link[] = [
  { from: range(2, 2), to: range(10, 10) },
  { from: range(2, 2), to: range(7, 7) },
  { from: range(3, 5), to: range(8, 8) },
  { from: range(2, 2), to: range(9, 9), uri: 'file:///other.slang' },
]
const uri = 'file:///a.slang'

it('lines of a source have their lines of the derivative, each once and in order', () => {
  expect(linesMadeOf(links, uri, uri, 2, 2)).toEqual([7, 10])
  expect(linesMadeOf(links, uri, uri, 4, 4)).toEqual([8])
  expect(linesMadeOf(links, uri, uri, 1, 9)).toEqual([7, 8, 10])
  expect(linesMadeOf(links, uri, 'file:///other.slang', 2, 2)).toEqual([9])
  expect(linesMadeOf(links, uri, uri, 6, 6)).toEqual([])
})

it('lines of the derivative have theirs of each source', () => {
  expect(linesBehind(links, uri, uri, 8, 8)).toEqual([3, 4, 5])
  expect(linesBehind(links, uri, uri, 7, 10)).toEqual([2, 3, 4, 5])
  expect(linesBehind(links, uri, 'file:///other.slang', 9, 9)).toEqual([2])
})
