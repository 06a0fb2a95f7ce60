import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { printModule } from '../../src/ir/print.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { verify, verifyForm, verifyModule, type Form } from '../../src/ir/verify.ts'
import { Builder, region } from '../../src/ir/build.ts'
import * as t from '../../src/ir/type.ts'
import { Func } from '../../src/ir/value.ts'
import { captured, cloneFunc, substitute, useCounts } from '../../src/ir/walk.ts'
import { runLines } from '../support/ir-run.ts'

const here = join(import.meta.dirname, '..')
const text = (path: string): string => readFileSync(join(here, path), 'utf8')

describe('IR text', () => {
  for (const file of readdirSync(join(here, 'ir/text'))) {
    it(`${file} prints as it was read, is sound, and runs`, () => {
      const source = text(`ir/text/${file}`)
      const module = parseModule(source)
      const body = source.replace(/^\/\/!.*\n/gm, '')
      expect(printModule(module)).toBe(body)
      verifyModule(module, 'test')
      runLines(module, source)
    })

    it(`${file} means the same after its functions are cloned and renumbered`, () => {
      const source = text(`ir/text/${file}`)
      const module = parseModule(source)
      for (const func of module.funcs) {
        if (func.body === undefined) continue
        const copy = cloneFunc(func, func.name)
        verify(copy, 'clone')
        func.body = copy.body
        func.nextValue = copy.nextValue
      }
      expect(printModule(module)).toBe(source.replace(/^\/\/!.*\n/gm, ''))
      runLines(module, source)
    })
  }

  it('says where a mistake stands', () => {
    expect(() => parseModule('func @f() {\n  %0: f32 = frobnicate\n}')).toThrow(
      'line 2, column 13: there is no op frobnicate',
    )
  })
})

describe('the verifier', () => {
  for (const part of text('ir/broken/programs.ir').split('//! ').slice(1)) {
    const end = part.indexOf('\n')
    const message = part.slice(0, end)
    it(`refuses: ${message}`, () => {
      const module = parseModule(part.slice(end))
      const staged = /^(ssa|reversible|linear): (.*)$/.exec(message)
      const form = (staged?.[1] ?? 'surface') as Form
      const check = (func: Func): void => {
        verify(func, 'test')
        verifyForm(func, form, 'test')
      }
      expect(() => module.funcs.forEach(check)).toThrow(staged?.[2] ?? message)
    })
  }
})

describe('walks', () => {
  const module = parseModule(text('ir/text/power.ir'))
  const func = module.funcs[0]!
  const loop = func.body!.insts[2]!

  it('finds what a region captures, and how often values are used', () => {
    expect(captured(loop.regions[1]!, func).map(v => v.name)).toEqual(['p', 'x', 'i'])
    const counts = useCounts(func)
    expect(counts[loop.results[0]!.id]).toBe(0)
    expect(counts[loop.regions[0]!.params[0]!.id]).toBe(3)
  })

  it('substitutes through chains', () => {
    const f = new Func('f', { params: [], result: t.f32, resultNoDiff: false }, null)
    f.body = region()
    const b = new Builder(f, f.body)
    const [x, y, z] = [b.const(t.f32, 1), b.const(t.f32, 2), b.const(t.f32, 3)]
    b.emit(f.body.insts[0]!.op, [], 4, [t.f32])
    f.body.insts.push(parseModule('func @g() {\n ret\n}').funcs[0]!.body!.end)
    f.body.end.args.push(x)
    const table = []
    table[x.id] = y
    table[y.id] = z
    expect(substitute(f.body, table)).toBe(true)
    expect(f.body.end.args[0]).toBe(z)
  })
})
