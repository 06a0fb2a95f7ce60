/** Mistakes in `cotangent.json`, and in JSON files with arguments. */
import { error, type Entry } from '../diag.ts'

export const notJson: Entry<'expected'> = error('E50210', 'this is not JSON: expected {expected}')

export const wrongValue: Entry<'name' | 'expected' | 'came'> = error(
  'E50211',
  '{name} takes {expected}, but {came} came',
)

export const unknownSetting: Entry<'name' | 'owner'> = error('E50212', '{owner} has no option {name}')

export const repeatedSetting: Entry<'name'> = error('E50213', '{name} is given twice', 'keep one of the two')

export const missingSetting: Entry<'name' | 'field'> = error('E50214', '{name} lacks {field}', 'add "{field}"')
