/**
 * docs/gallery.md: the numbers by hand are those of finite differences, ours are right on every target, and its tables are what
 * `bench/gallery.mjs --write` has recorded. What the real compiler gives is compared by `bench/gallery.mjs --check`, which takes long.
 */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { programs } from '../../bench/gallery/list.mjs'
import { filled, isRight, programsOf, type Recorded } from '../../bench/gallery/page.mjs'
import { compile } from '../../src/index.ts'
import { closeGpu } from '../support/gpu.ts'
import { runEverywhere, targetsOf } from '../support/three-targets.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read('docs/gallery.md')
const recorded = JSON.parse(read('bench/gallery/recorded.json')) as Record<string, Recorded>
const sources = programsOf(page)

afterAll(closeGpu)

it('has the programs of the list, and no others', () => {
  expect(Object.keys(sources)).toEqual(Object.keys(programs))
  expect(Object.keys(recorded).toSorted()).toEqual(Object.keys(programs).toSorted())
})

it('shows what is recorded', () => expect(filled(page, programs, recorded)).toBe(page))

describe.each(Object.entries(programs))('%s', (name, program) => {
  const { at, hand, f, differences } = program
  const wrong = program.wrong ?? []

  it('has numbers by hand that finite differences confirm', () => {
    differences(f, at).forEach((x, i) => expect(x).toBeCloseTo(hand[i]!, 5))
  })

  it('derives these numbers on the page', () => {
    const derived = page.split(`// ${name}.slang\n`)[1]!.split('**By hand')[1]!.split('<!-- gallery')[0]!
    const named = [...derived.replaceAll('−', '-').matchAll(/-?\d+(?:\.\d+)?/g)].map(([x]) => Number(x))
    for (const x of hand) expect(named.some(y => Math.abs(x - y) <= 1e-5 * Math.max(1, Math.abs(x)))).toBe(true)
  })

  it('has the right numbers on every target', async () => {
    // No number that a program could write is there before.
    const grad = new Uint8Array(new Float32Array(hand.length).fill(NaN).buffer)
    const given = new Uint8Array(Float32Array.from(at).buffer)
    const written = await runEverywhere(
      await targetsOf(compile(sources[name]!)),
      'computeMain',
      [1, 1, 1],
      { at: given, grad },
      {},
    )
    const numbers = [...new Float32Array(written['grad']!.slice().buffer)]
    // A program of `wrong` whose numbers have become right belongs to another part of the page.
    expect(numbers.map((x, i) => isRight(x, hand[i]!))).toEqual(hand.map(() => wrong.length === 0))
  })

  it('is recorded as right or wrong where it is', () => {
    for (const target of ['webgpu', 'wasm', 'js'] as const)
      recorded[name]!.ours[target].forEach((x, i) => expect(isRight(x, hand[i]!)).toBe(!wrong.includes(target)))
  })

  it('stands in the part of the page where it belongs', () => {
    const above = page.slice(0, page.indexOf(`// ${name}.slang\n`))
    const part = [...above.matchAll(/^## Where both are (right|wrong)$/gm)].at(-1)?.[1] ?? 'ours'
    const { numbers } = recorded[name]!.theirs
    const theirs = numbers?.every((x, i) => isRight(x, hand[i]!)) === true
    expect({ ours: wrong.length === 0, theirs }).toEqual({ ours: part !== 'wrong', theirs: part === 'right' })
  })
})
