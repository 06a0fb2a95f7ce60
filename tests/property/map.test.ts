/** Maps of generated functions give what calls give. `SEEDS=1000 SEED=5000` tries many. */
import { expect, it } from 'vitest'
import { load } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { columns, expectCalls, inputsOf } from '../support/map-compare.ts'
import { programText } from '../support/program-text.ts'
import { first, programOf } from '../support/random-check.ts'
import { setting } from '../support/setting.ts'

const count = setting('SEEDS', 15)
/** So many of a block and a tail are enough to see where one ends. */
const lengths = [1, 5, 64, 70]

it(
  'of generated functions give what calls give, bit for bit',
  async () => {
    let compared = 0
    for (let seed = first; seed < first + count; seed++) {
      const text = programText(programOf(seed, setting('SIZE', 6)))
      const program = compile(text, { verify: seed % 2 === 0 })
      expect(program.diagnostics.filter(d => d.severity === 'error')).toEqual([])
      const m = await load(program, { limits: { depth: 2000 } })
      for (const signature of program.exports) {
        const names = signature.params.flatMap(p => (p.dir === 'out' ? [] : [p.name]))
        if (names.length === 0) continue
        // Every way in which arguments may come is met by some seed.
        const mapped = names.filter((_, k) => ((seed * 7 + 1) >> k) % 2 === 1)
        const inputs = inputsOf(
          signature,
          mapped.length === 0 ? names : mapped,
          lengths[seed % lengths.length]!,
          seed,
          seed % 3 === 0 ? columns : undefined,
        )
        try {
          await expectCalls(m, inputs, seed % 5 === 0)
        } catch (error) {
          throw new Error(`seed ${seed}, ${signature.name} over ${mapped.join(', ')}\n${text}`, { cause: error })
        }
        compared++
      }
    }
    expect(compared).toBeGreaterThanOrEqual(count)
  },
  count * 10_000,
)
