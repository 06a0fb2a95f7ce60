/** Changes of several files as the protocol has them. */
import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver'
import type { Range } from '../editor/range.ts'
import type { Session } from './session.ts'

/** A change of the file at a URI. */
export interface FileEdit {
  readonly uri: string
  readonly range: Range
  readonly newText: string
}

/** The edits by file: with the versions that they belong to, where the client takes those. */
export function workspaceEdit({ client, workspace }: Session, edits: readonly FileEdit[]): WorkspaceEdit {
  const byUri = new Map<string, TextEdit[]>()
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
