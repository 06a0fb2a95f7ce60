/** The server's colours. They lie over those by word, and tell functions from types from fields. */
import { LSPPlugin } from '@codemirror/lsp-client'
import type { Extension, Range } from '@codemirror/state'
import { Decoration } from '@codemirror/view'
import type { SemanticTokens } from 'vscode-languageserver-protocol'
import { drawn } from './drawn.ts'

/** Classes of `style.css` by the protocol's names of kinds. Others keep the colour that they have by word. */
const classes: Readonly<Record<string, string>> = {
  type: 'tok-type',
  class: 'tok-type',
  struct: 'tok-type',
  interface: 'tok-type',
  enum: 'tok-type',
  typeParameter: 'tok-type',
  namespace: 'tok-type',
  function: 'tok-function',
  method: 'tok-function',
  property: 'tok-property',
  enumMember: 'tok-number',
  parameter: 'tok-parameter',
  variable: 'tok-variable',
  macro: 'tok-macro',
  decorator: 'tok-macro',
  keyword: 'tok-keyword',
  modifier: 'tok-keyword',
  comment: 'tok-comment',
  string: 'tok-string',
  number: 'tok-number',
}

/** What the client must say of documents for the server to send colours. */
export const tokenCapabilities: object = {
  semanticTokens: {
    requests: { full: true },
    formats: ['relative'],
    tokenTypes: Object.keys(classes),
    tokenModifiers: [],
    overlappingTokenSupport: false,
    multilineTokenSupport: false,
  },
}

export const tokens: Extension = drawn<SemanticTokens>({
  method: 'textDocument/semanticTokens/full',
  params: uri => ({ textDocument: { uri } }),
  make({ data }, doc, view) {
    const legend = LSPPlugin.get(view)?.client.serverCapabilities?.semanticTokensProvider?.legend.tokenTypes ?? []
    const found: Range<Decoration>[] = []
    let [line, character] = [0, 0]
    for (let i = 0; i + 4 < data.length; i += 5) {
      const down = data[i]!
      line += down
      character = down > 0 ? data[i + 1]! : character + data[i + 1]!
      const style = classes[legend[data[i + 3]!] ?? '']
      if (style === undefined || line >= doc.lines) continue
      const { from, to } = doc.line(line + 1)
      const [start, end] = [from + character, from + character + data[i + 2]!]
      if (start < end && end <= to) found.push(Decoration.mark({ class: style }).range(start, end))
    }
    return Decoration.set(found, true)
  },
})
