/** Changes of several files as the protocol has them. */
import type { TextEdit as Told, WorkspaceEdit } from 'vscode-languageserver'
import type { TextEdit } from '../editor/range.ts'
import type { Session } from './session.ts'

/** A change of the document at a URI. */
export interface DocumentEdit extends TextEdit {
  readonly uri: string
}

/** The edits by file: with the versions that they belong to, where the client takes those. */
export function workspaceEdit({ client, workspace }: Session, edits: readonly DocumentEdit[]): WorkspaceEdit {
  const byUri = new Map<string, Told[]>()
  for (const { uri, range, newText } of edits) {
    const list = byUri.get(uri)
    if (list === undefined) byUri.set(uri, [{ range, newText }])
    else list.push({ range, newText })
  }
  if (client.workspace?.workspaceEdit?.documentChanges !== true) return { changes: Object.fromEntries(byUri) }
  return {
    documentChanges: [...byUri].map(([uri, list]) => ({
      textDocument: { uri, version: workspace.document(uri)?.version ?? null },
      edits: list,
    })),
  }
}
