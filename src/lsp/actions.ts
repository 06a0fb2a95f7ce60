/** Quick fixes: the edits that diagnostics speak of, one by one, and those of a whole file at once. */
import { CodeActionKind, CodeActionRequest, type CodeAction, type ServerCapabilities } from 'vscode-languageserver'
import { fixAll, quickFixes, type FileEdit } from '../editor/fixes/quick.ts'
import { otherModules } from '../editor/fixes/modules.ts'
import { pathOf } from '../editor/uri.ts'
import { workspaceEdit, type DocumentEdit } from './edits.ts'
import { listOf, object, optional, range, text } from './params.ts'
import type { Session } from './session.ts'
import { told } from './told.ts'

/** All that can be mended at once. */
const all = `${CodeActionKind.SourceFixAll}.cotangent`

/** Whether a client that asks for some kinds of actions takes one of this kind: `source` takes `source.fixAll`. */
function isAsked(kind: string, only: readonly string[] | undefined): boolean {
  return only === undefined || only.some(asked => kind === asked || kind.startsWith(`${asked}.`))
}

/** Answers who asks. */
export function actionFeatures(session: Session): ServerCapabilities {
  const { workspace } = session
  const edits = (list: readonly FileEdit[]): DocumentEdit[] =>
    list.map(({ file, range, newText }) => ({ uri: session.uriOf(file), range, newText }))

  session.answer(
    CodeActionRequest.type,
    object({ textDocument: object({ uri: text }), range, context: object({ only: optional(listOf(text)) }) }),
    ({ textDocument: { uri }, range, context: { only } }) => {
      const analysis = workspace.analysis(uri)
      if (analysis === undefined) return []
      const actions: CodeAction[] = []
      if (isAsked(CodeActionKind.QuickFix, only)) {
        const modules = otherModules(workspace, analysis, (folder, endings) => session.files.list(folder, endings))
        const found = quickFixes(analysis, pathOf(uri), range, undefined, modules)
        for (const { title, isPreferred, edits: list, diagnostic } of found)
          actions.push({
            title,
            kind: CodeActionKind.QuickFix,
            diagnostics: [told(diagnostic, session.shown, span => workspace.location(span))],
            ...(isPreferred ? { isPreferred } : {}),
            edit: workspaceEdit(session, edits(list)),
          })
      }
      // Only for who names it: it says nothing of the place of the cursor.
      if (only !== undefined && isAsked(all, only)) {
        const list = fixAll(analysis, pathOf(uri))
        if (list.length > 0)
          actions.push({
            title: 'Mend all that has one likely fix',
            kind: all,
            edit: workspaceEdit(session, edits(list)),
          })
      }
      return actions
    },
  )
  return { codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, all] } }
}
