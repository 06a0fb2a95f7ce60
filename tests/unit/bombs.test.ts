import { afterAll, beforeAll, expect, it } from 'vitest'
import { bombs, larger, ways } from '../bombs/all.ts'
import { bundled, harm, once } from '../bombs/detonate.ts'
import { largest } from '../bombs/recipe.ts'

/**
 * One bomb in so many, and one target for each: that it ends in code or in diagnostics. `npm run test:bombs` takes all of them to all
 * targets, and looks how long they take.
 */
const stride = 16

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
  'ends in code or diagnostics, in bounded memory: %s, as %s',
  async (name, way) => {
    const taken = await once(child.script, name, way)
    expect(harm(taken), JSON.stringify(taken)).toBeUndefined()
  },
)
