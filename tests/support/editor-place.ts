/** Places of small programs for tests of requests that editors make: `‸` stands where the cursor is. */
import type { Place } from '../../src/editor/workspace.ts'
import { Workspace } from '../../src/editor/workspace.ts'
import { uriOf } from '../../src/editor/uri.ts'

/** The cursor in a program. */
export const cursor = '‸'

/** The place of the cursor in a program, which lies at `/main.slang` beside other files. */
export function placeAt(source: string, files: Readonly<Record<string, string>> = {}, options: object = {}): Place {
  const offset = source.indexOf(cursor)
  if (offset < 0) throw new Error('the program has no cursor')
  const workspace = new Workspace({
    read: path => (path === '/cotangent.json' ? JSON.stringify(options) : files[path]),
    list: () => Object.keys(files).filter(path => path.endsWith('.slang')),
  })
  const text = source.replace(cursor, '')
  const uri = uriOf('/main.slang')
  workspace.open(uri, 1, text)
  const analysis = workspace.analysis(uri)!
  return { analysis, file: analysis.file('/main.slang')!, offset }
}
