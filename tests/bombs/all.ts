/** All bombs. */
import { nameBombs } from './names.ts'
import { nestingBombs } from './nesting.ts'
import type { Bombs } from './recipe.ts'
import { sizeBombs } from './size.ts'
import { textBombs } from './text.ts'

export const bombs: Bombs = { ...textBombs, ...nestingBombs, ...sizeBombs, ...nameBombs }

/** What a bomb is compiled to: `derivatives` is WGSL of all functions and their derivatives. */
export const ways = ['wgsl', 'js', 'wasm', 'derivatives'] as const

export type Way = typeof ways[number]
