/** Colours by meaning, and what can be folded. */
import {
  FoldingRangeRequest,
  SemanticTokensDeltaRequest,
  SemanticTokensRangeRequest,
  SemanticTokensRequest,
  type SemanticTokens,
  type ServerCapabilities,
} from 'vscode-languageserver'
import { foldingRanges } from '../editor/fold.ts'
import { semanticTokens, tokenEdits, tokenModifiers, tokenTypes } from '../editor/tokens.ts'
import { inDocument, inRange, object, text } from './params.ts'
import type { Session } from './session.ts'

/** Answers who asks. */
export function tokenFeatures(session: Session): ServerCapabilities {
  const { workspace } = session
  /** The last answer for each open document, with its number. */
  const answered = new Map<string, { readonly resultId: string; readonly data: readonly number[] }>()
  let last = 0
  const answer = (uri: string): SemanticTokens => {
    const { data } = semanticTokens(workspace, uri)
    const resultId = String(++last)
    if (workspace.document(uri) === undefined) answered.delete(uri)
    else answered.set(uri, { resultId, data })
    return { resultId, data: [...data] }
  }
  session.closed.push(uri => answered.delete(uri))

  session.answer(SemanticTokensRequest.type, inDocument, ({ textDocument: { uri } }) => answer(uri))
  session.answer(
    SemanticTokensDeltaRequest.type,
    object({ textDocument: object({ uri: text }), previousResultId: text }),
    ({ textDocument: { uri }, previousResultId }) => {
      const before = answered.get(uri)
      const now = answer(uri)
      if (before === undefined || before.resultId !== previousResultId) return now
      return { resultId: now.resultId!, edits: tokenEdits(before.data, now.data) }
    },
  )
  session.answer(SemanticTokensRangeRequest.type, inRange, ({ textDocument: { uri }, range }) =>
    semanticTokens(workspace, uri, range),
  )
  session.answer(FoldingRangeRequest.type, inDocument, ({ textDocument: { uri } }) => {
    const file = workspace.document(uri)?.file
    return file === undefined ? [] : foldingRanges(file)
  })
  return {
    semanticTokensProvider: {
      legend: { tokenTypes: [...tokenTypes], tokenModifiers: [...tokenModifiers] },
      full: { delta: true },
      range: true,
    },
    foldingRangeProvider: true,
  }
}
