/** Slips that do no harm. */
import { error, warning, type Entry } from '../diag.ts'

export const returnInDefer: Entry<never> = error('E30110', 'return cannot stand in a defer', {
  help: 'return where the block ends',
  example: 'float f(float x) { defer { return 1; } return x; }',
})

export const breakInDefer: Entry<never> = error('E30108', 'break cannot leave a defer', {
  help: 'break where the block ends',
  example: 'float f(float x) { for (int i = 0; i < 3; i++) { defer { break; } x += 1; } return x; }',
})

export const continueInDefer: Entry<never> = error('E30109', 'continue cannot leave a defer', {
  help: 'continue where the block ends',
  example: 'float f(float x) { for (int i = 0; i < 3; i++) { defer { continue; } x += 1; } return x; }',
})

export const unusedComparison: Entry<never> = warning('W30058', 'nothing uses this comparison', {
  help: 'assign with =',
  example: 'int f(int x) { int y = 1; y == x; return y; }',
})

export const otherResult: Entry<'name' | 'type' | 'other'> = error('E30202', '{name} gives {type} here and {other} where it is declared first', {
  help: 'let both give the same',
  example: 'float f(float x); int f(float x) { return 1; }',
})

export const constantWithoutValue: Entry<'name'> = error('E31225', 'the constant {name} has no value', {
  help: 'give it one where it is declared',
  example: 'static const float g; float f(float x) { return x * g; }',
})
