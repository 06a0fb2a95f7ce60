import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { Machine } from '../../src/cpu/machine.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { printModule } from '../../src/ir/print.ts'
import { dispatch, run, type Data } from '../../src/ir/run.ts'
import { inputs, outputs, type Func, type Module } from '../../src/ir/value.ts'
import { verifyModule } from '../../src/ir/verify.ts'
import { compileWasm } from '../../src/target/wasm/wasm.ts'
import { fromHost, toHost } from '../support/js-run.ts'
import { generateArrays } from '../support/generate-arrays.ts'
import { generate } from '../support/generate-ir.ts'
import { expectData, readRunLines } from '../support/ir-run.ts'
import { setting } from '../support/setting.ts'

const here = join(import.meta.dirname, '..')

/** Compiles a module, checks that engines accept it, and instantiates it. */
function machineOf(module: Module, maxArray?: number, printed: string[] = []): { machine: Machine; text: string } {
  const sink = new Sink()
  const out = compileWasm(module, sink, { maxArray })
  expect(sink.list).toEqual([])
  const { bytes, host, text } = out!
  if (!WebAssembly.validate(bytes)) {
    let why = ''
    try {
      new WebAssembly.Module(bytes)
    } catch (e) {
      why = String(e)
    }
    expect.fail(`${why}\n${text()}`)
  }
  return { machine: new Machine(new WebAssembly.Module(bytes), host, { print: s => printed.push(s) }), text: text() }
}

/** Calls an exported function with the interpreter's data; gives its results in order. */
function callWasm(machine: Machine, func: Func, args: readonly Data[]): Data[] {
  const { result, out } = machine.call(
    func.info.exported!,
    inputs(func.sig).map((p, i) => toHost(p.type, args[i]!)),
  )
  const outs = outputs(func.sig).map(p => fromHost(p.type, out[p.name]))
  return func.sig.result.kind === 'void' ? outs : [fromHost(func.sig.result, result), ...outs]
}

describe('WebAssembly', () => {
  for (const folder of ['ir/text', 'target/js', 'target/wasm']) {
    for (const file of readdirSync(join(here, folder)).filter(f => f.endsWith('.ir') && f !== 'info.ir')) {
      it(`runs ${folder}/${file}`, async () => {
        const source = readFileSync(join(here, folder, file), 'utf8')
        const module = parseModule(source)
        const lines = readRunLines(source)
        for (const func of module.funcs) if (lines.some(line => line.name === func.name)) func.info.exported = func.name
        for (const func of module.funcs) func.info.entry = undefined
        const { machine, text } = machineOf(module)
        for (const line of lines) {
          const func = module.funcs.find(f => f.name === line.name)!
          expectData(callWasm(machine, func, line.args), line.results, `${line.text}\n${text}`)
        }
        if (folder === 'target/wasm')
          await expect(text).toMatchFileSnapshot(join(here, folder, file.replace('.ir', '.wat')))
      })
    }
  }

  for (const maxArray of [16, 0])
    it(`means what the interpreter says on generated programs, arrays of ${maxArray} as scalars`, () => {
      let compared = 0
      for (let seed = 0; seed < 150; seed++) {
        const { module, main } = generate(seed, 30)
        verifyModule(module, `seed ${seed}`)
        main.info.exported = 'main'
        const { machine, text } = machineOf(module, maxArray)
        for (const args of [
          [3, 0.5],
          [-2, 1.25],
        ]) {
          const data = [1, 2, 3, 4]
          let expected: readonly Data[]
          try {
            expected = run(main, args, { mode: 'f32', steps: 100_000, globals: { buf: data, u: 0.75 } })
          } catch (error) {
            expect((error as Error).message).toBe('the run takes too many steps')
            continue
          }
          compared++
          const buf = new Float32Array([1, 2, 3, 4])
          machine.bind({ buffers: { buf }, uniforms: { u: 0.75 } })
          const where = `seed ${seed}, main(${args.join(', ')})\n${process.env['SHOW'] === undefined ? '' : `${printModule(module)}\n${text}`}`
          expectData(callWasm(machine, main, args), expected, where)
          expectData(
            [...buf],
            data.map(x => Math.fround(x)),
            where,
          )
        }
      }
      expect(compared).toBeGreaterThan(280)
    })

  it('means what the interpreter says on generated programs of arrays', () => {
    const seeds = setting('SEEDS', 300)
    for (let seed = 0; seed < seeds; seed++) {
      const { module, main } = generateArrays(seed)
      verifyModule(module, `seed ${seed}`)
      main.info.exported = 'main'
      const { machine, text } = machineOf(module, seed % 3 === 0 ? 6 : 0)
      for (const x of [0.5, -3]) {
        const expected = run(main, [x], { mode: 'f32', steps: 1_000_000 })
        const where = `seed ${seed}, main(${x})\n${process.env['SHOW'] === undefined ? '' : `${printModule(module)}\n${text}`}`
        expectData(callWasm(machine, main, [x]), expected, where)
      }
    }
  })

  for (const file of readdirSync(join(here, 'target/kernels'))) {
    it(`dispatches target/kernels/${file} as the interpreter does`, () => {
      const source = readFileSync(join(here, 'target/kernels', file), 'utf8')
      const module = parseModule(source)
      const groups = /dispatch (\d+) (\d+) (\d+)/.exec(source)!.slice(1).map(Number) as [number, number, number]
      const kernel = module.funcs.find(f => f.info.entry !== undefined)!
      const data = {
        inp: Array.from({ length: 16 }, (_x, i) => i * 0.5 - 3),
        outp: Array.from({ length: 24 }, () => 0),
      }
      const items = Array.from({ length: 24 }, (_x, i) => [i, [i, 1, 2], 3])
      const expected = { ...data, outp: [...data.outp], items: items as Data[], scale: 1.5 }
      const { machine, text } = machineOf(module)
      const outp = new Float32Array(24)
      const host = items.map(([a, v, n]) => ({ a, v, n }))
      machine.dispatch(kernel.name, groups, {
        buffers: { inp: Float32Array.from(data.inp), outp, items: host },
        uniforms: { scale: 1.5 },
      })
      dispatch(kernel, groups, [], { globals: expected })
      expect([...outp], text).toEqual(expected.outp)
      expect(host.map(({ a, v, n }) => [a, v, n])).toEqual(expected.items)
    })
  }
})
