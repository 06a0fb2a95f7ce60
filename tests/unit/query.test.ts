import { expect, test } from 'vitest'
import { LimitReached, Work } from '../../src/base/limits.ts'
import { Queries } from '../../src/check/model/query.ts'

/** Answers by rules: a question holds where one of its lists of others does as a whole. */
function rules(
  given: Readonly<Record<string, readonly (readonly string[])[]>>,
  passing: readonly string[] = [],
): { readonly ask: (key: string) => boolean; readonly asked: string[]; readonly queries: Queries } {
  const queries = new Queries(new Work({}))
  const asked: string[] = []
  const ask = (key: string): boolean =>
    queries.ask(key, passing.includes(key), () => {
      asked.push(key)
      return (given[key] ?? []).some(list => list.every(ask))
    })
  return { ask, asked, queries }
}

test('each question is answered once', () => {
  const { ask, asked } = rules({ a: [['b', 'c']], b: [['c']], c: [[]] })
  expect([ask('a'), ask('b'), ask('c')]).toEqual([true, true, true])
  expect(asked).toEqual(['a', 'b', 'c'])
})

test('what holds because it holds does not', () => {
  const { ask } = rules({ a: [['b']], b: [['a']] })
  expect([ask('a'), ask('b')]).toEqual([false, false])
})

test('what was denied while another was open is asked again once that holds', () => {
  const { ask } = rules({ a: [['b'], []], b: [['a']] })
  expect([ask('a'), ask('b')]).toEqual([true, true])
})

test('passing answers are forgotten once nothing is open', () => {
  const { ask, asked, queries } = rules({ a: [['p']], p: [[]] }, ['p'])
  ask('a')
  ask('p')
  expect(asked).toEqual(['a', 'p', 'p'])
  queries.survey(() => [ask('p'), ask('p')])
  expect(asked).toEqual(['a', 'p', 'p', 'p'])
})

test('a question that ended in an exception is asked anew', () => {
  const queries = new Queries(new Work({}))
  expect(() =>
    queries.ask('a', false, () =>
      queries.ask('b', false, () => {
        throw new Error('no')
      }),
    ),
  ).toThrow('no')
  expect(queries.ask('b', false, () => queries.ask('a', false, () => true))).toBe(true)
})

test('questions without end end in a limit, not in an answer', () => {
  const queries = new Queries(new Work({}))
  const ask = (n: number): boolean => queries.ask(`${n}`, false, () => n === 100 || ask(n + 1))
  expect(ask(0)).toBe(true)
  const askOn = (n: number): boolean => queries.ask(`${n}`, false, () => askOn(n + 1))
  expect(() => askOn(101)).toThrow(LimitReached)
})
