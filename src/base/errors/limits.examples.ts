/** The smallest programs that get the diagnostics of `limits.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as limitsErrors from './limits.ts'

export const examples: Examples<typeof limitsErrors> = {
  limitReached: [
    '#define A0 1,1,1,1,1,1,1,1,1,1',
    ...[1, 2, 3, 4, 5, 6].map(
      i =>
        `#define A${i} ` +
        Array<string>(10)
          .fill(`A${i - 1}`)
          .join(','),
    ),
    'static const int a[] = { A6 };',
    '',
  ].join('\n'),
  badOption: { source: 'export float f(float x) { return x; }', maxContext: -1 },
  unknownOption: { source: 'export float f(float x) { return x; }', unknown: 'maxContex' },
}
