/** Runs every program under `tests/census` on all targets that have what it uses, and holds `docs/evidence/census.md` to them. */
import { afterAll, describe, expect, it } from 'vitest'
import { readCases } from '../support/cases.ts'
import { check } from '../support/case-run.ts'
import { readElsewhere, readRows, renderCensus } from '../support/census-cases.ts'
import { closeGpu } from '../support/gpu.ts'

afterAll(closeGpu)

const cases = readCases('census')
const rows = readRows()

describe('the census', () => {
  for (const c of cases) {
    it(`${c.file}: ${c.name}`, () => check(c))
  }

  it('has a test for every feature', () => {
    const tested = [...cases.flatMap(c => c.also), ...readElsewhere().map(e => e.id)]
    const known = rows.map(r => r.id)
    expect(known.filter(id => !tested.includes(id)).map(id => rows.find(r => r.id === id))).toEqual([])
    expect(
      tested.filter(id => !known.includes(id)),
      'no such feature',
    ).toEqual([])
    expect(
      cases.filter(c => c.also.length === 0 || c.sentences.length > 0).map(c => c.name),
      'shows nothing',
    ).toEqual([])
    expect(new Set(cases.map(c => c.name)).size, 'names of programs').toBe(cases.length)
  })

  it('is listed in docs/evidence/census.md', async () => {
    await expect(renderCensus(rows, cases, readElsewhere())).toMatchFileSnapshot('../../docs/evidence/census.md')
  })
})
