import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { printModule } from '../../src/ir/print.ts'
import { run, type Data } from '../../src/ir/run.ts'
import type { Func, Module } from '../../src/ir/value.ts'
import { verifyForm, verifyModule } from '../../src/ir/verify.ts'
import type { Cx } from '../../src/opt/cx.ts'
import { sroa } from '../../src/opt/sroa.ts'
import { ssa } from '../../src/opt/ssa.ts'
import { generate } from '../support/generate-ir.ts'
import { runLines } from '../support/ir-run.ts'
import { finalSteps, passes } from '../support/passes.ts'
import { setting } from '../support/setting.ts'

const cx = (): Cx => ({ sink: new Sink(), level: 2 })

/** What the program gives for a few arguments, with what it leaves in the buffer. */
function behaviour(module: Module): Data[] {
  const main = module.funcs.find(f => f.name === 'main')!
  return [
    [0, 0.5],
    [3, -2],
    [-1, 1],
    [6, 0.25],
  ].map(args => {
    const buf: Data[] = [1, 2, 3, 4]
    return [run(main, args, { globals: { buf, u: 1.5 }, steps: 200_000 }), buf]
  })
}

const folder = join(import.meta.dirname, '../ir')
const arrow = '// ==>\n'

/** Folders beside those of the passes: other tests read them. */
const others: ReadonlySet<string> = new Set(['ad', 'broken', 'text'])

describe('golden files', () => {
  it('lie in folders that are called as the passes are', () => {
    expect(readdirSync(folder).filter(name => !passes.has(name) && !others.has(name))).toEqual([])
  })
  for (const pass of readdirSync(folder).filter(name => passes.has(name))) {
    for (const file of readdirSync(join(folder, pass))) {
      it(`${pass}/${file}`, async () => {
        const source = readFileSync(join(folder, pass, file), 'utf8').split(arrow)[0]!
        const module = parseModule(source)
        verifyModule(module, 'parse')
        runLines(module, source)
        for (const name of /^\/\/! (.*)/.exec(source)![1]!.split(' ')) {
          passes.get(name)!(module, cx())
        }
        runLines(module, source)
        const golden = `${source}${arrow}${printModule(module)}`
        const path = join(folder, pass, file)
        await expect(golden, 'this differs from the golden file; `npm test -- -u` rewrites it').toMatchFileSnapshot(
          path,
        )
      })
    }
  }
})

it('unrollSmall writes out a loop behind one that would become too long', () => {
  const times = (n: number, line: string): string =>
    Array.from({ length: n }, (_, k) => line.replaceAll('#', `${k}`)).join(' ')
  const loop = (trips: string, body: string): string =>
    `loop %zero (%i: i32) { %on: bool = lt %i, %${trips} test %on } { ${body} %j: i32 = add %i, %one next %j }`
  const ofCounters = loop('three', `${times(500, '%a#: i32 = add %i, %one')} ${times(200, 'store %p, %x')}`)
  const module = parseModule(`func @f(%x: f32) {
    %zero: i32 = const 0 %one: i32 = const 1 %three: i32 = const 3
    %p: ptr<function, f32> = var
    ${ofCounters} ${loop('three', 'store %p, %x')}
    ret
  }`)
  passes.get('unrollSmall')!(module, cx())
  expect(printModule(module).match(/ loop /g)).toHaveLength(1)
})

const seeds = setting('SEEDS', 120)
const first = setting('SEED', 0)

describe('random programs', () => {
  const functions = function* (): Generator<{ readonly func: Func; readonly seed: number }> {
    for (let seed = first; seed < first + seeds; seed++)
      for (const func of generate(seed).module.funcs) yield { func, seed }
  }

  it('have no variable left that could be a value after sroa and ssa', () => {
    for (const { func, seed } of functions()) {
      sroa(func)
      ssa(func)
      verifyForm(func, 'ssa', `ssa of seed ${seed}`)
    }
  })

  it('come to rest', () => {
    for (const { func, seed } of functions()) {
      const round = (): boolean => finalSteps.map(({ pass }) => pass(func, cx())).includes(true)
      let rounds = 0
      while (round()) expect(++rounds, `rounds of seed ${seed}`).toBeLessThan(12)
    }
  })
})

describe('random programs mean the same after', () => {
  const inMemory = ['copyElision', 'deadStores']
  const sequences = [...passes.keys()].map(name => [name])
  sequences.push(
    ['sroa', 'ssa', 'effects', 'licm', 'gvn', 'dce'],
    ['sroa', 'ssa', 'simplify', 'unroll', 'simplify', 'dce'],
    ['inlineAll', ...inMemory, 'gvn', ...inMemory, 'dce'],
    ['inlineAll', 'sroa', 'ssa', 'simplify', 'gvn', ...inMemory, 'expand', 'gvn', ...inMemory, 'dce'],
    ['unusedParams', 'dce', 'unusedParams', 'dce', 'unused', 'effects', 'gvn', 'dce'],
    ['sroa', 'ssa', 'unrollSmall', 'simplify'],
    ['sroa', 'ssa'],
    ['sroa', 'ssa', 'simplify', 'gvn', 'dce'],
    ['inline', 'sroa', 'ssa', 'gvn', 'simplify', 'simplify', 'dce', 'simplify', 'gvn', 'dce'],
  )
  for (const names of sequences) {
    it(names.join(' '), () => {
      for (let seed = first; seed < first + seeds; seed++) {
        const { module } = generate(seed, 20 + (seed % 60))
        verifyModule(module, 'generate')
        const before = behaviour(module)
        let step = ''
        try {
          for (const name of names) {
            step = name
            passes.get(name)!(module, cx())
          }
          expect(behaviour(module)).toEqual(before)
        } catch (error) {
          const { module: input } = generate(seed, 20 + (seed % 60))
          const small =
            process.env['SHOW'] === undefined ? '' : `\n${printModule(input)}\n// ==>\n${printModule(module)}`
          throw new Error(`seed ${seed}, ${step} of ${names.join(' ')}: ${(error as Error).message}${small}`, {
            cause: error,
          })
        }
      }
    })
  }
})
