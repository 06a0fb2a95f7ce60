/** The smallest programs that get the diagnostics of `strict.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as strictErrors from './strict.ts'

export const examples: Examples<typeof strictErrors> = {
  returnInDefer: 'float f(float x) { defer { return 1; } return x; }',
  breakInDefer: 'float f(float x) { for (int i = 0; i < 3; i++) { defer { break; } x += 1; } return x; }',
  continueInDefer: 'float f(float x) { for (int i = 0; i < 3; i++) { defer { continue; } x += 1; } return x; }',
  unusedComparison: 'int f(int x) { int y = 1; y == x; return y; }',
  otherResult: 'float f(float x); int f(float x) { return 1; }',
  constantWithoutValue: 'static const float g; float f(float x) { return x * g; }',
}
