import { afterAll, beforeAll, expect, it } from 'vitest'
import { bombs, larger, ways } from '../bombs/all.ts'
import { bundled, detonate, verdict } from '../bombs/detonate.ts'
import { largest } from '../bombs/recipe.ts'

/** One bomb in so many, and one target for each; `npm run test:bombs` takes all of them to all targets. */
const stride = 8

const names = Object.keys(bombs)
let child: Awaited<ReturnType<typeof bundled>>
beforeAll(async () => {
  child = await bundled()
})
afterAll(() => {
  child.remove()
})

it('has bombs of every kind, none larger than a source that must compile', () => {
  expect(names.length).toBeGreaterThanOrEqual(60)
  expect(
    Object.entries(bombs)
      .filter(([, make]) => make().length > largest)
      .map(([name]) => name)
      .sort(),
  ).toEqual([...larger].sort())
})

it.each(names.filter((_, i) => i % stride === 0).map((name, k) => [name, ways[k % ways.length]!] as const))(
  'ends in time and memory: %s, as %s',
  async (name, way) => {
    const taken = await detonate(child.script, name, way)
    expect(verdict(taken), JSON.stringify(taken)).toBeUndefined()
  },
)
