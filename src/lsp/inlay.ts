/** Hints between the characters of a source. Each kind is shown where its setting asks for it. */
import {
  InlayHintRefreshRequest,
  InlayHintRequest,
  type InlayHint,
  type ServerCapabilities,
} from 'vscode-languageserver'
import { reverseHints } from '../editor/derivative/explain.ts'
import { inRange } from './params.ts'
import type { Session } from './session.ts'

/** Answers who asks. */
export function inlayFeatures(session: Session): ServerCapabilities {
  const { workspace, connection } = session
  session.settingsChanged.push(() => {
    if (session.client.workspace?.inlayHint?.refreshSupport === true)
      connection.sendRequest(InlayHintRefreshRequest.type).catch(() => {
        // A client that is about to end answers nothing.
      })
  })
  session.answer(InlayHintRequest.type, inRange, ({ textDocument: { uri }, range }) => {
    if (workspace.document(uri) === undefined) return []
    const { derivative } = session.settings.inlayHints
    const { program, path } = session.program(uri)
    const hints: InlayHint[] = []
    if (derivative) hints.push(...reverseHints(program, path, range))
    return hints
  })
  return { inlayHintProvider: { resolveProvider: false } }
}
