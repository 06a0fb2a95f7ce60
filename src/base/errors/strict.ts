/** Warnings of slips that do no harm. */
import { error, warning, type Entry } from '../diag.ts'

export const returnInDefer: Entry<never> = error(
  'E30110',
  'return cannot stand in a defer',
  'return where the block ends',
)

export const breakInDefer: Entry<never> = error('E30108', 'break cannot leave a defer', 'break where the block ends')

export const continueInDefer: Entry<never> = error(
  'E30109',
  'continue cannot leave a defer',
  'continue where the block ends',
)

export const unusedComparison: Entry<never> = warning('W30058', 'nothing uses this comparison', 'assign with =')

export const otherResult: Entry<'name' | 'type' | 'other'> = error(
  'E30202',
  '{name} gives {type} here and {other} where it is declared first',
  'let both give the same',
)

export const constantWithoutValue: Entry<'name'> = error(
  'E31225',
  'the constant {name} has no value',
  'give it one where it is declared',
)
