import { expect, test } from 'vitest'
import live from './main.slang?runtime'
import { plan } from './plan.ts'
import { Session } from '../../train/index.ts'

test('training lowers the loss', async () => {
  const session = await Session.open(live.compile(), plan, { backend: 'cpu' })
  const { loss } = session.state
  let least = loss
  for (let step = 0; step < 20; step++) least = Math.min(least, (await session.step()).loss)
  await session.close()
  expect(least).toBeLessThan(loss)
})
