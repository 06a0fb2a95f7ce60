/** The optimisers against steps by hand, and random numbers by seeds. */
import { expect, test } from 'vitest'
import { adam, emptyMemory, sgd } from '../playground/train/optimizer.ts'
import { randomFrom } from '../playground/train/random.ts'

const f = (...numbers: number[]): Float32Array => Float32Array.from(numbers)
const close = (got: Float32Array, ...wanted: number[]): void => {
  expect(got.length).toBe(wanted.length)
  wanted.forEach((w, i) => expect(got[i]).toBeCloseTo(w, 6))
}

test('SGD without momentum takes the rate times the gradient', () => {
  const parameters = f(1, -2)
  const first = sgd(parameters, f(0.5, 4), emptyMemory(2), 0.1, 0)
  close(first.parameters, 0.95, -2.4)
  const second = sgd(first.parameters, f(-1, 0), first.memory, 0.1, 0)
  close(second.parameters, 1.05, -2.4)
  expect(second.memory.step).toBe(2)
  close(parameters, 1, -2)
})

test('SGD with momentum keeps a velocity', () => {
  // v: 2, then 0.9 · 2 + 1 = 2.8, then 0.9 · 2.8 + 0 = 2.52; p: 1 − 0.2, − 0.28, − 0.252.
  let at = sgd(f(1), f(2), emptyMemory(1), 0.1, 0.9)
  close(at.parameters, 0.8)
  at = sgd(at.parameters, f(1), at.memory, 0.1, 0.9)
  close(at.parameters, 0.52)
  at = sgd(at.parameters, f(0), at.memory, 0.1, 0.9)
  close(at.parameters, 0.268)
})

test('the first step of Adam has the length of the rate, whatever the gradient', () => {
  close(adam(f(1, 1, 1), f(0.5, -50, 0), emptyMemory(3), 0.1).parameters, 0.9, 1.1, 1)
})

test('the second step of Adam is that of its paper', () => {
  // g = 1, then 3. m̂ = (0.9 · 0.1 + 0.1 · 3) / (1 − 0.81) = 0.39 / 0.19; v̂ = (0.999 · 0.001 + 0.001 · 9) / (1 − 0.998001) = 0.009999 / 0.001999.
  const first = adam(f(0), f(1), emptyMemory(1), 0.1)
  const second = adam(first.parameters, f(3), first.memory, 0.1)
  close(second.parameters, -0.1 - (0.1 * (0.39 / 0.19)) / Math.sqrt(0.009999 / 0.001999))
  expect(second.memory.step).toBe(2)
})

test('a seed gives the same numbers, another gives others', () => {
  const take = (seed: number): number[] => Array.from({ length: 1000 }, randomFrom(seed))
  const one = take(1)
  expect(take(1)).toEqual(one)
  expect(take(2)).not.toEqual(one)
  expect(Math.min(...one)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...one)).toBeLessThan(1)
  expect(one.reduce((a, b) => a + b, 0) / one.length).toBeCloseTo(0.5, 1)
})

test('the generator is mulberry32', () => {
  // The published code, with its own way to write the state.
  let a = 7
  const published = (): number => {
    let t = (a += 0x6d2b79f5)
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const ours = randomFrom(7)
  for (let i = 0; i < 100; i++) expect(ours()).toBe(published())
})
