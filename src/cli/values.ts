/** What options of the command line take: words, and parsers of numbers. */
import { InvalidArgumentError } from 'commander'
import { counted, type Limits } from '../base/limits.ts'
import { nearest } from '../base/near.ts'
import type { Target } from './outputs.ts'

/** What `compile` makes. */
export const targetNames: readonly Target[] = ['wgsl', 'wasm', 'js', 'ir']

/** The bundled examples. */
export const demoNames = ['splat2d', 'brdf', 'spring'] as const
export type DemoName = (typeof demoNames)[number]

/** The shells that completion is for. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

/** Takes an option again and again. */
export function collect(value: string, list: readonly string[] | undefined): string[] {
  return [...(list ?? []), value]
}

/** Takes one of some words again and again. */
export function collectOf(words: readonly string[]): typeof collect {
  return (value, list) => {
    if (words.includes(value)) return collect(value, list)
    const near = nearest(value, words)
    throw new InvalidArgumentError(
      `Allowed choices are ${words.join(', ')}.${near === null ? '' : `\n(Did you mean ${near}?)`}`,
    )
  }
}

export function whole(text: string): number {
  const n = Number(text)
  if (!Number.isSafeInteger(n) || n < 0 || text.trim() === '')
    throw new InvalidArgumentError('a whole number is needed, none below 0')
  return n
}

export function limit(text: string, others: Limits | undefined): Limits {
  const [, name = '', count] = /^(\w+)=(\d+)$/.exec(text) ?? []
  if (!Object.hasOwn(counted, name))
    throw new InvalidArgumentError(
      `one of ${Object.keys(counted).join(', ')} is needed with a count, as in instructions=100000`,
    )
  return { ...others, [name]: Number(count) }
}

export function block(text: string): [number, number, number] {
  const [x = 1, y = 1, z = 1, ...more] = text.split(',').map(Number)
  if (more.length > 0 || ![x, y, z].every(n => Number.isSafeInteger(n) && n > 0 && n <= 1024))
    throw new InvalidArgumentError('up to three positive whole numbers are needed, as in 16,16,1')
  return [x, y, z]
}

export function positive(text: string): number {
  const n = Number(text)
  if (!Number.isSafeInteger(n) || n <= 0) throw new InvalidArgumentError('a positive whole number is needed')
  return n
}

export function seconds(text: string): number {
  const n = Number(text)
  // A timer takes at most 2^31 - 1 milliseconds.
  if (!(n > 0 && n <= 2_147_483)) throw new InvalidArgumentError('a positive number of seconds is needed')
  return n
}
