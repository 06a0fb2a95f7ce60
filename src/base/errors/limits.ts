/** Limits that a program exceeds, and options that do not fit. */
import { error, type Entry } from '../diag.ts'

export const limitReached: Entry<'limit' | 'most' | 'what'> = error(
  'E50200',
  'the program takes more than {most} {what}',
  'look for what grows without end, or raise the limit: --limit {limit}=N, or compile(source, { limits: { {limit}: N } })',
)

export const badOption: Entry<'name' | 'expected' | 'owner'> = error(
  'E50201',
  'the option {name} of {owner} is not {expected}',
  'the types say what {owner} takes',
)

export const unknownOption: Entry<'name' | 'owner'> = error(
  'E50202',
  '{owner} has no option {name}',
  'mend the spelling, or leave it out; the types say what {owner} takes',
)
