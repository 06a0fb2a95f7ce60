/**
 * Generated programs whose loops are without bounds, keep few states, or are to fit a budget. `BOUNDLESS_SEEDS`, `CHECKPOINT_SEEDS` and
 * `BUDGET_SEEDS` are how many.
 */
import { describe, expect, it } from 'vitest'
import { boundless, check, checkpointed, failuresOf, stats } from '../support/random-check.ts'
import { setting } from '../support/setting.ts'

const size = setting('SIZE', 14)

describe('generated programs with loops', () => {
  it('need no bounds of loops on CPU targets', async () => {
    const seeds = setting('BOUNDLESS_SEEDS', 12)
    const failures = await failuresOf((program, seed) => check(program, seed, { edit: boundless }), seeds, size)
    failures.push(
      ...(await failuresOf(
        (program, seed) => check(program, seed, { edit: boundless, second: true }),
        Math.ceil(seeds / 6),
        Math.ceil(size / 2),
      )),
    )
    expect(failures.join('\n\n')).toBe('')
  }, 600_000)

  it('keep within a budget', async () => {
    const failures: string[] = []
    for (const budget of [400, 60])
      failures.push(
        ...(await failuresOf((program, seed) => check(program, seed, { budget }), setting('BUDGET_SEEDS', 6), size)),
      )
    expect(failures.join('\n\n')).toBe('')
    expect(stats.within / (stats.within + stats.tooBig), 'programs for which there is a way').toBeGreaterThan(0.3)
  }, 600_000)

  it('run loops again where few of their states are kept', async () => {
    const seeds = setting('CHECKPOINT_SEEDS', 12)
    const failures = await failuresOf(
      (program, seed) => check(program, seed, { edit: text => checkpointed(seed % 2 === 0 ? text : boundless(text)) }),
      seeds,
      size,
    )
    failures.push(
      ...(await failuresOf(
        (program, seed) => check(program, seed, { edit: checkpointed, second: true }),
        Math.ceil(seeds / 6),
        Math.ceil(size / 2),
      )),
    )
    expect(failures.join('\n\n')).toBe('')
  }, 600_000)
})
