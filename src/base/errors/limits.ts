import { error, type Entry } from '../diag.ts'

export const limitReached: Entry<'limit' | 'most' | 'what'> = error('E50200', 'the program takes more than {most} {what}', {
  help: 'look for what grows without end; a program that is meant to be so large needs a higher limit: --limit {limit}=N, or compile(source, { limits: { {limit}: N } })',
  example: [
    '#define A0 1,1,1,1,1,1,1,1,1,1', ...[1, 2, 3, 4, 5, 6].map(i => `#define A${i} ` + Array<string>(10).fill(`A${i - 1}`).join(',')),
    'static const int a[] = { A6 };', '',
  ].join('\n'),
})

export const badOption: Entry<'name' | 'expected' | 'owner'> = error('E50201', 'the option {name} of {owner} is not {expected}', {
  help: 'what {owner} takes is described in its types',
  example: { source: 'export float f(float x) { return x; }', maxContext: -1 },
})
