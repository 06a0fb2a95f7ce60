import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inspect } from '../support/inspect.ts'
import { isNear } from '../support/near.ts'
import { dispatch, run, type Data } from '../../src/ir/run.ts'
import { inputs } from '../../src/ir/value.ts'
import type { Type } from '../../src/ir/type.ts'

const folder = new URL('../lang/run/', import.meta.url)

/** Functions that no file exports are roots too: each `//! run` line names one. */
for (const name of readdirSync(folder)
  .filter(f => f.endsWith('.slang'))
  .sort()) {
  describe(`lang/run/${name}`, () => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const runs = /^\/\/! run (\w+)\((.*)\) = (.*)$/gm
    const dispatches = /^\/\/! dispatch (\w+)\((.*?)\) (.*) => (.*)$/gm
    it('has only lines that are understood', () => {
      expect([...text.matchAll(runs), ...text.matchAll(dispatches)].length).toBe([...text.matchAll(/\/\/!/g)].length)
    })
    for (const level of [0, 2] as const) {
      const module = inspect(text, name, level)
      for (const [line, fn, args, expected] of text.matchAll(runs)) {
        it(`-O${level} ${line.slice(8)}`, () => {
          const func = module().funcs.find(f => f.info.exported === fn)
          if (func === undefined) throw new Error(`${fn} is not exported`)
          const given = JSON.parse(`[${args}]`) as Data[]
          const out = run(
            func,
            given.map((a, i) => adapt(inputs(func.sig)[i]!.type, a)),
          )
          close(out.length === 1 ? out[0]! : out, JSON.parse(expected!) as Data)
        })
      }
      for (const [line, fn, groups, given, expected] of text.matchAll(dispatches)) {
        it(`-O${level} ${line.slice(4, 60)}`, () => {
          const made = module()
          const func = made.funcs.find(f => f.name === fn && f.info.entry !== undefined)
          if (func === undefined) throw new Error(`${fn} is no entry point`)
          const globals = assignments(given!)
          dispatch(func, JSON.parse(`[${groups}]`) as [number, number, number], [], { globals })
          for (const [key, value] of Object.entries(assignments(expected!))) close(globals[key]!, value)
        })
      }
    }
  })
}

function assignments(text: string): Record<string, Data> {
  const out: Record<string, Data> = {}
  for (const part of text.split(/ (?=\w+=)/)) {
    const at = part.indexOf('=')
    out[part.slice(0, at)] = JSON.parse(part.slice(at + 1)) as Data
  }
  return out
}

/** 64-bit integers come as numbers in the files. */
function adapt(type: Type, value: Data): Data {
  if ((type.scalar === 'i64' || type.scalar === 'u64') && typeof value === 'number') return BigInt(value)
  return value
}

function close(got: Data, expected: Data): void {
  if (Array.isArray(expected)) {
    expect(Array.isArray(got), `an array like ${JSON.stringify(expected)}`).toBe(true)
    const list = got as readonly Data[]
    expect(list.length).toBe(expected.length)
    expected.forEach((e, i) => {
      close(list[i]!, e as Data)
    })
    return
  }
  if (typeof expected === 'number') {
    expect(['bigint', 'number'], `${String(got)} instead of ${expected}`).toContain(typeof got)
    expect(
      isNear(Number(got), expected, 1e-4 * Math.max(1, Math.abs(expected))),
      `${String(got)} instead of ${expected}`,
    ).toBe(true)
    return
  }
  expect(got).toBe(expected)
}
