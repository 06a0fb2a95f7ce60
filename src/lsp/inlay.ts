/** Hints between the characters of a source. Each kind is shown where its setting asks for it. */
import {
  InlayHintRefreshRequest,
  InlayHintRequest,
  type InlayHint,
  type ServerCapabilities,
} from 'vscode-languageserver'
import { reverseHints } from '../editor/derivative/explain.ts'
import { hints } from '../editor/hints.ts'
import { pathOf } from '../editor/uri.ts'
import { inRange } from './params.ts'
import type { Session } from './session.ts'

/** Answers who asks. */
export function inlayFeatures(session: Session): ServerCapabilities {
  const { workspace } = session
  session.settingsChanged.push(() => {
    session.refresh(InlayHintRefreshRequest.type, session.client.workspace?.inlayHint?.refreshSupport)
  })
  session.answer(InlayHintRequest.type, inRange, async ({ textDocument: { uri }, range }, token) => {
    const analysis = workspace.analysis(uri)
    if (analysis === undefined) return []
    const { derivative, parameters, types } = session.settings.inlayHints
    const found = hints(analysis, pathOf(uri), range, { parameters, types }).map(({ tooltip, ...hint }): InlayHint => ({
      ...hint,
      // Only editors that know Markdown show tooltips at all.
      ...(tooltip === undefined ? {} : { tooltip: { ...tooltip } }),
    }))
    if (!derivative) return found
    const { program, path } = await session.wholeProgram(uri, token)
    return [...found, ...reverseHints(program, path, range)]
  })
  return { inlayHintProvider: { resolveProvider: false } }
}
