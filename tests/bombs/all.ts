/** All bombs. */
import { declaredBombs } from './declared.ts'
import { flowBombs } from './flow.ts'
import { nameBombs } from './names.ts'
import { nestingBombs } from './nesting.ts'
import { outputBombs } from './output.ts'
import type { Bombs } from './recipe.ts'
import { sizeBombs } from './size.ts'
import { textBombs } from './text.ts'

export const bombs: Bombs = {
  ...textBombs,
  ...nestingBombs,
  ...sizeBombs,
  ...nameBombs,
  ...declaredBombs,
  ...flowBombs,
  ...outputBombs,
}

/** Bombs that are larger than a source that must compile in bounded time, and do so all the same. */
export const larger: readonly string[] = [
  'megabytes of illegal characters',
  '20,000 fields with misses',
  '100,000 redeclarations',
]

/** What a bomb is compiled to: `derivatives` is WGSL of all functions and their derivatives. */
export const ways = ['wgsl', 'js', 'wasm', 'derivatives'] as const

export type Way = (typeof ways)[number]
