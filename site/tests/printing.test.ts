/** Text of the module `printing`: formats as C has them, and the words that programs write. */
import { describe, expect, it } from 'vitest'
import { formatted, hashOf, shortened, textOfWords } from '../playground/machine/printing.ts'

describe('a format', () => {
  it.each<[string, (number | string)[], string]>([
    [
      '%d, %3.2d, 0x%x, %8.3f, %s, %e\n',
      [2, 3456, 2134, 40.1234, 'hello world', 12.547],
      '2, 3456, 0x856,   40.123, hello world, 1.254700e+01\n',
    ],
    ['%05d|%-5d|%+d|% d', [-42, 42, 42, 42], '-0042|42   |+42| 42'],
    ['%5.1f|%-8s|%.2s', [3.14159, 'ab', 'xyz'], '  3.1|ab      |xy'],
    ['%u %X %#x %o %c', [-1, 255, 255, 8, 65], '4294967295 FF 0xff 10 A'],
    ['100%% of %d', [3], '100% of 3'],
    ['%f %f %g', [NaN, -Infinity, 0.0001], 'nan -inf 0.0001'],
    ['%d and %d', [1], '1 and %d'],
    ['%c%c%c', [0x1fffff, 0xd800, -1], '\ufffd\ufffd\ufffd'],
    ['%999999999d', [7], '7'.padStart(1000)],
    ['%.999999999d', [7], '7'.padStart(100, '0')],
    ['%.999999999f', [0.5], '0.5'.padEnd(102, '0')],
  ])('%j', (format, values, expected) => {
    expect(formatted(format, values)).toBe(expected)
  })
})

describe('words', () => {
  const strings = new Map(['%d %f %s\n', 'text'].map(t => [hashOf(t), t]))
  const float = new Uint32Array(new Float32Array([0.5]).buffer)[0]!
  const record = [hashOf('%d %f %s\n'), 3, 1, -7 >>> 0, 3, float, 4, hashOf('text')]

  it('say their text', () => {
    expect(textOfWords(Uint32Array.from([16, ...record, ...record]), strings)).toBe('-7 0.500000 text\n'.repeat(2))
  })

  it('say that more was printed than fits', () => {
    expect(textOfWords(Uint32Array.from([1000, ...record]), strings)).toBe(
      '-7 0.500000 text\n\n(more was printed than fits)',
    )
  })

  it('stop at what is no record', () => {
    expect(textOfWords(Uint32Array.from([8, 1, 2, 3, 4, 5, 6, 7, 8]), strings)).toBe('')
  })

  it('have the hash that the compiler gives texts', () => {
    // What `getStringHash("hello world")` is in WGSL.
    expect(hashOf('hello world')).toBe(430867652)
  })
})

it('a flood of text is shown as far as a page can', () => {
  expect(shortened('short')).toBe('short')
  const flood = shortened('line\n'.repeat(1_000_000))
  expect(flood.length).toBeLessThan(101_000)
  expect(flood).toMatch(/more was printed than is shown\)$/)
})
