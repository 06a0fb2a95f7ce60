/** The progress bar: only on a terminal that can move its cursor, and after two seconds. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { progress } from '../../src/cli/progress.ts'

let written = ''
let now = 0
const isTTY = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY')

beforeEach(() => {
  written = ''
  now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    written += String(text)
    return true
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  if (isTTY === undefined) Reflect.deleteProperty(process.stderr, 'isTTY')
  else Object.defineProperty(process.stderr, 'isTTY', isTTY)
})

/** What is written of work whose first step ends after so many milliseconds. */
function shown(ms: number, terminal: boolean, term: string): string {
  Object.defineProperty(process.stderr, 'isTTY', { value: terminal, configurable: true })
  vi.stubEnv('TERM', term)
  const bar = progress(4)
  now = ms
  bar.update(1, 'first')
  bar.stop()
  return written
}

it('is shown after two seconds', () => {
  expect(shown(2100, true, 'xterm')).toContain('25% 1/4 first')
})

it('is not shown of short work', () => {
  expect(shown(1900, true, 'xterm')).toBe('')
})

it('is not shown in a file, or on a terminal that cannot move its cursor', () => {
  expect(shown(2100, false, 'xterm')).toBe('')
  expect(shown(2100, true, 'dumb')).toBe('')
})
