import { afterAll, expect, it } from 'vitest'
import { attempt } from '../fuzz/attempt.ts'
import { make, readCorpus, type Kind } from '../fuzz/corpus.ts'
import { closeGpu } from '../support/gpu.ts'

/** The first programs of `TARGETS=all npm run fuzz`, with their IR verified after each pass. */
const count = 300
const seed = 1

afterAll(closeGpu)

it('compiles broken, changed and spliced programs, or says what is wrong with them, and soon', async () => {
  const corpus = readCorpus()
  const made: Record<Kind, number> = { broken: 0, altered: 0, spliced: 0 }
  const sound: Record<Kind, number> = { broken: 0, altered: 0, spliced: 0 }
  let silent = 0
  for (let i = 0; i < count; i++) {
    const { kind, source } = make(corpus, seed, i)
    const { compiled, finding, unanswered } = await attempt(source, 'all', true)
    expect(finding, `program ${i} of seed ${seed}:\n${source}`).toBeUndefined()
    made[kind]++
    if (compiled) sound[kind]++
    if (unanswered) silent++
  }
  expect(sound.altered / made.altered, 'how many of the changed programs are sound').toBeGreaterThan(0.25)
  expect(sound.spliced / made.spliced, 'how many of the spliced programs are sound').toBeGreaterThan(0.1)
  expect(silent / count, 'how many programs WebGPU says nothing of').toBeLessThan(0.1)
}, 300_000)
