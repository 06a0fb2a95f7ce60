/** The smallest programs that get the diagnostics of `project.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as projectErrors from './project.ts'

export const examples: Examples<typeof projectErrors> = {
  notJson: { source: '', project: '{ "searchPaths": ["shaders" "lib"] }' },
  wrongValue: { source: '', project: '{ "matrixLayout": "columns" }' },
  unknownSetting: { source: '', project: '{ "defnes": { "SAMPLES": 4 } }' },
  repeatedSetting: { source: '', project: '{ "maxContext": 64, "maxContext": 128 }' },
  missingSetting: { source: '', project: '{ "entries": [{ "name": "shade" }] }' },
}
