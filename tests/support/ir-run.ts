import { expect } from 'vitest'
import { parseModule } from '../../src/ir/parse.ts'
import { funcNamed, run, type Data } from '../../src/ir/run.ts'
import type { Mode } from '../../src/ir/scalar.ts'
import type { Module } from '../../src/ir/value.ts'
import { verifyModule } from '../../src/ir/verify.ts'

/** A module from its text, which must be sound. */
export function soundModule(text: string): Module {
  const module = parseModule(text)
  verifyModule(module, 'parse')
  return module
}

/** A `//! run @f(1, [2, 3]) = 4` line: the call and its results, separated by spaces. */
export interface RunLine {
  readonly name: string
  readonly args: readonly Data[]
  readonly results: readonly Data[]
  readonly text: string
}

/** Reads literals: numbers (`nan`, `inf`, `3n`), booleans and lists in brackets, separated by commas or spaces. */
export function readData(text: string): Data[] {
  const tokens = text.match(/[[\]]|[^\s,[\]]+/g) ?? []
  let at = 0
  const list = (close: boolean): Data[] => {
    const out: Data[] = []
    while (at < tokens.length) {
      const token = tokens[at++]!
      if (token === ']') {
        if (close) return out
        throw new Error(`unexpected ] in ${text}`)
      }
      out.push(token === '[' ? list(true) : scalar(token))
    }
    return out
  }
  return list(false)
}

function scalar(token: string): Data {
  if (token === 'true' || token === 'false') return token === 'true'
  if (token === 'nan') return NaN
  if (token === 'inf') return Infinity
  if (token === '-inf') return -Infinity
  return token.endsWith('n') ? BigInt(token.slice(0, -1)) : Number(token)
}

/** All `//! run` lines of an IR text. */
export function readRunLines(source: string): RunLine[] {
  const lines = [...source.matchAll(/^\/\/! run @([\w.$]+)\((.*)\) = (.*)$/gm)].map(m => ({
    text: m[0],
    name: m[1]!,
    args: readData(m[2]!),
    results: readData(m[3]!),
  }))
  if (lines.length !== [...source.matchAll(/\/\/! *run\b/g)].length)
    throw new Error('a `//! run` line is written as none is read')
  return lines
}

/** Expects equal data, floats up to the rounding of f32. */
export function expectData(actual: Data | undefined, expected: Data, where: string): void {
  if (Array.isArray(expected)) {
    const parts = expected as readonly Data[]
    expect(Array.isArray(actual) && actual.length === parts.length, `${where}: got ${String(actual)}`).toBe(true)
    parts.forEach((part, i) => expectData((actual as readonly Data[])[i], part, where))
  } else if (typeof expected === 'number' && Number.isFinite(expected) && !Number.isInteger(expected)) {
    expect(Math.abs(Number(actual) - expected), `${where}: got ${String(actual)}`).toBeLessThanOrEqual(
      1e-6 * Math.max(1, Math.abs(expected)),
    )
  } else {
    expect(actual, where).toEqual(expected)
  }
}

/** Runs the `//! run` lines of a source on a program. */
export function runLines(module: Module, source: string, mode: Mode = 'f32'): void {
  for (const line of readRunLines(source)) {
    const results = run(funcNamed(module, line.name), line.args, { mode })
    expectData(results, line.results, line.text)
  }
}
