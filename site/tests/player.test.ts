/** Playing a session, and the curve of its losses. */
import { compile } from 'cotangent'
import { expect, test } from 'vitest'
import { Curve, Player, Session, type Plan, type State } from '../playground/train/index.ts'

const open = (text: string, rate: number, x: number): Promise<Session> => {
  const plan: Plan = { subject: 'loss', parameters: ['x'], values: { x }, optimizer: { kind: 'sgd', rate } }
  return Session.open(compile(text), plan, { backend: 'cpu' })
}
const square = '[Differentiable] public float loss(float x) { return x * x; }'
const pause = (ms: number): Promise<void> => new Promise(resolve => void setTimeout(resolve, ms))

test('plays until it is paused, and lets others have the thread', async () => {
  const session = await open(square, 1e-6, 1)
  const states: State[] = []
  const player = new Player(session, {
    onState: s => states.push(s),
    onError: cause => {
      throw cause
    },
  })
  player.play()
  player.play()
  expect(player.playing).toBe(true)
  await pause(200)
  player.pause()
  expect(player.playing).toBe(false)
  await pause(50)
  const { step } = session.state
  expect(step).toBeGreaterThan(10)
  await pause(50)
  expect(session.state.step).toBe(step)
  // About 30 a second.
  expect(states.length).toBeGreaterThan(1)
  expect(states.length).toBeLessThan(20)
  expect(states.at(-1)!.step).toBe(step)
  // Paused and played at once: it goes on, once.
  player.play()
  player.pause()
  player.play()
  await pause(50)
  player.pause()
  await pause(20)
  expect(session.state.step).toBeGreaterThan(step)
  await session.close()
})

test('ends when the session stops', async () => {
  const session = await open('[Differentiable] public float loss(float x) { return sqrt(x); }', 1, 2)
  const last = await new Promise<State>((resolve, reject) => {
    const player = new Player(session, { onState: s => s.stopped !== undefined && resolve(s), onError: reject })
    player.play()
  })
  expect(last.stopped!.message).toContain('sqrt makes NaN')
  await session.close()
})

test('tells of an error, and ends', async () => {
  const session = await open(square, 0.1, 1)
  await session.close()
  const cause = await new Promise<unknown>(resolve => {
    const player = new Player(session, { onState: () => undefined, onError: e => resolve([e, player.playing]) })
    player.play()
  })
  expect(cause).toEqual([expect.objectContaining({ name: 'ClosedError' }), false])
})

test('a session does one thing after the other', async () => {
  const session = await open(square, 0.25, 8)
  const [a, b, , c] = await Promise.all([session.step(), session.step(), session.reset(), session.step()])
  expect([a, b, c].map(s => s.parameters[0])).toEqual([4, 2, 4])
  await session.close()
})

test('a curve keeps all points while they are few', () => {
  const curve = new Curve(4)
  for (let i = 0; i < 4; i++) curve.add(i, 10 - i)
  expect(curve.points.map(p => p.step)).toEqual([0, 1, 2, 3])
  expect(curve.points.map(p => p.loss)).toEqual([10, 9, 8, 7])
})

test('a long curve has evenly spaced points, and the last', () => {
  const curve = new Curve(8)
  for (let i = 0; i <= 101; i++) curve.add(i, i)
  const steps = curve.points.map(p => p.step)
  expect(steps.length).toBeLessThanOrEqual(9)
  expect(steps).toEqual([0, 16, 32, 48, 64, 80, 96, 101])
})

test('a curve leaves out what is not finite', () => {
  const curve = new Curve()
  curve.add(0, 3)
  curve.add(1, NaN)
  curve.add(2, Infinity)
  expect(curve.points).toEqual([{ step: 0, loss: 3 }])
  curve.clear()
  expect(curve.points).toEqual([])
})

test('a session keeps its curve, and a reset begins a new one', async () => {
  const session = await open(square, 0.25, 8)
  await session.step()
  await session.step()
  expect(session.curve.points.map(p => p.loss)).toEqual([64, 16, 4])
  await session.reset()
  expect(session.curve.points).toEqual([{ step: 0, loss: 64 }])
  await session.close()
})

test('takes at most so many steps a second', async () => {
  const session = await open(square, 1e-6, 1)
  const player = new Player(session, { onState: () => undefined, onError: cause => expect.fail(String(cause)) })
  player.speed = 100
  player.play()
  await pause(300)
  expect(session.state.step).toBeGreaterThan(5)
  expect(session.state.step).toBeLessThan(40)
  // No limit: it takes as many as it can.
  player.speed = undefined
  const before = session.state.step
  await pause(200)
  player.pause()
  await pause(20)
  expect(session.state.step - before).toBeGreaterThan(100)
  await session.close()
})
