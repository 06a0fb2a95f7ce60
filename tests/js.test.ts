import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sink } from '../src/base/diag.ts'
import { parseModule } from '../src/ir/parse.ts'
import { emitJs } from '../src/target/js/js.ts'
import { callEmitted, evaluate } from './js-run.ts'
import { expectData, readRunLines } from './ir-run.ts'

const here = import.meta.dirname
const folders = ['ir/text', 'target/js']

describe('JavaScript', () => {
  for (const folder of folders) {
    for (const file of readdirSync(join(here, folder)).filter(f => f.endsWith('.ir'))) {
      for (const mode of ['f32', 'f64'] as const) {
        it(`runs ${file} in mode ${mode}`, () => {
          const source = readFileSync(join(here, folder, file), 'utf8')
          const module = parseModule(source)
          for (const func of module.funcs) if (func.body !== undefined && func.info.entry === undefined) func.info.exported = func.name
          const sink = new Sink()
          const { code } = emitJs(module, { mode }, sink)
          expect(sink.list).toEqual([])
          const emitted = evaluate(code)
          for (const line of readRunLines(source)) {
            const func = module.funcs.find(f => f.name === line.name)!
            expectData(callEmitted(emitted, func, line.name, line.args), line.results, `${line.text}\n${code}`)
          }
        })
      }
    }
  }
})
