/** Runs every program under `tests/reference` on all targets, and holds `docs/evidence/reference.md` to them. */
import { afterAll, describe, expect, it } from 'vitest'
import { readCases } from '../support/cases.ts'
import { check } from '../support/case-run.ts'
import { closeGpu } from '../support/gpu.ts'
import { number, readExcused, renderPage } from '../support/reference-cases.ts'

afterAll(closeGpu)

const cases = readCases('reference')

describe('the reference', () => {
  for (const c of cases) {
    it(`${c.file}: ${c.name}`, () => check(c))
  }

  it('has a test or a reason for every sentence, once', () => {
    const ids = [...cases.flatMap(c => c.sentences), ...readExcused()].map(s => s.id)
    for (const prefix of new Set(ids.map(id => id.slice(0, 2)))) {
      const own = ids
        .filter(id => id.startsWith(prefix))
        .map(number)
        .sort((a, b) => a - b)
      expect(own, prefix).toEqual(own.map((_, i) => i + 1))
    }
    expect(cases.flatMap(c => c.also).filter(id => !ids.includes(id))).toEqual([])
    expect(
      cases.filter(c => c.sentences.length + c.also.length === 0).map(c => c.name),
      'shows nothing',
    ).toEqual([])
    expect(readExcused().filter(e => e.reason === '')).toEqual([])
    expect(new Set(cases.map(c => c.name)).size, 'names of programs').toBe(cases.length)
  })

  it('is listed in docs/evidence/reference.md', async () => {
    await expect(renderPage(cases, readExcused())).toMatchFileSnapshot('../../docs/evidence/reference.md')
  })
})
