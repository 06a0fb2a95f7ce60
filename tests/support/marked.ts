/** Programs with marks in them: `‹a›` is a place that a test names. */
import { Workspace } from '../../src/editor/workspace.ts'
import { positionOf, type Position, type Range } from '../../src/editor/range.ts'
import { SourceFile } from '../../src/base/source.ts'

/** A text without its marks, and where they stood. */
export interface Marked {
  readonly text: string
  readonly at: Readonly<Record<string, Position>>
}

export function marked(source: string): Marked {
  const offsets: Record<string, number> = {}
  let text = ''
  let from = 0
  for (const m of source.matchAll(/‹(\w+)›/g)) {
    text += source.slice(from, m.index)
    offsets[m[1]!] = text.length
    from = m.index + m[0].length
  }
  text += source.slice(from)
  const file = new SourceFile('', text)
  return {
    text,
    at: Object.fromEntries(Object.entries(offsets).map(([name, offset]) => [name, positionOf(file, offset)])),
  }
}

/** A workspace of files with marks, all of which it has on its disk, and the first of which is open. */
export function workspaceOf(files: Readonly<Record<string, string>>): {
  readonly workspace: Workspace
  readonly at: (name: string) => { readonly uri: string; readonly position: Position }
  /** `main.slang 3:7-9`, lines and columns counted from 1, with the text there. */
  readonly shown: (location: { readonly uri: string; readonly range: Range }) => string
} {
  const texts = new Map(Object.entries(files).map(([name, source]) => [`/p/${name}`, marked(source)]))
  const workspace = new Workspace({ read: path => texts.get(path)?.text, list: () => [...texts.keys()] })
  workspace.configure({ folders: ['file:///p'] })
  const [first, { text }] = [...texts][0]!
  workspace.open(`file://${first}`, 1, text)
  return {
    workspace,
    at: name => {
      const [path, { at }] = [...texts].find(([, m]) => name in m.at)!
      const uri = `file://${path}`
      if (workspace.document(uri) === undefined) workspace.open(uri, 1, texts.get(path)!.text)
      return { uri, position: at[name]! }
    },
    shown: ({ uri, range: { start, end } }) => {
      const name = uri.replace(/^file:\/\/\/p\//, '')
      const line = workspace.text(uri.replace(/^file:\/\//, ''))?.split('\n')[start.line] ?? ''
      const word = start.line === end.line ? ` ${line.slice(start.character, end.character)}` : ''
      return `${name} ${start.line + 1}:${start.character + 1}-${end.character + 1}${word}`
    },
  }
}
