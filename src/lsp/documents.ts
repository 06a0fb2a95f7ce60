/** Documents, files and folders: what the client says of them. */
import {
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  ProtocolNotificationType,
  TextDocumentContentRequest,
} from 'vscode-languageserver'
import { pathOf } from '../editor/uri.ts'
import type { FilesParams } from './files.ts'
import { Refused } from './errors.ts'
import { inDocument, integer, listOf, mapOf, object, optional, range, text, type Shape } from './params.ts'
import type { Session } from './session.ts'

/** The texts of files that the server cannot read itself. */
export const FilesNotification: ProtocolNotificationType<FilesParams, unknown> = new ProtocolNotificationType(
  'cotangent/files',
)

const folder = object({ uri: text })
const isText: Shape = optional(text)

/** Hears of documents, files and folders. */
export function hearDocuments(session: Session): void {
  const { workspace, publisher, log } = session

  session.hear(
    DidOpenTextDocumentNotification.type,
    object({ textDocument: object({ uri: text, version: integer, text }) }),
    ({ textDocument: { uri, version, text } }) => {
      lookAgain(session)
      workspace.open(uri, version, text)
      publisher.changed(uri)
    },
  )

  session.hear(
    DidChangeTextDocumentNotification.type,
    object({
      textDocument: object({ uri: text, version: integer }),
      contentChanges: listOf(object({ range: optional(range), text })),
    }),
    ({ textDocument: { uri, version }, contentChanges }) => {
      const document = workspace.document(uri)
      if (document === undefined) {
        log.warn(`${uri} is edited, but is not open`)
        return
      }
      // An older version comes late; its edits belong to a text that is gone.
      if (version < document.version) {
        log.warn(`${uri}: version ${version} comes after version ${document.version}, and is dropped`)
        return
      }
      workspace.change(uri, version, contentChanges)
      publisher.changed(uri)
    },
  )

  session.hear(DidSaveTextDocumentNotification.type, inDocument, () => lookAgain(session))

  session.hear(DidCloseTextDocumentNotification.type, inDocument, ({ textDocument: { uri } }) => {
    const document = workspace.document(uri)
    if (document === undefined) return
    publisher.closed(document, workspace.close(uri))
    for (const closed of session.closed) closed(uri)
  })

  session.hear(
    DidChangeWatchedFilesNotification.type,
    object({ changes: listOf(object({ uri: text })) }),
    ({ changes }) => {
      workspace.changedOnDisk(changes.map(c => c.uri))
      publisher.changed()
    },
  )

  session.hear(FilesNotification, object({ files: mapOf(isText) }), params => {
    session.files.take(params)
    workspace.changedOnDisk(Object.keys(params.files))
    publisher.changed()
  })

  session.hear(
    DidChangeWorkspaceFoldersNotification.type,
    object({ event: object({ added: listOf(folder), removed: listOf(folder) }) }),
    ({ event: { added, removed } }) => {
      const gone = new Set(removed.map(f => pathOf(f.uri)))
      session.folders = [...session.folders.filter(uri => !gone.has(pathOf(uri))), ...added.map(f => f.uri)]
      workspace.configure({ folders: session.folders })
      session.foldersChanged()
    },
  )

  session.answer(TextDocumentContentRequest.type, object({ uri: text }), ({ uri }) => {
    const found = workspace.text(pathOf(uri))
    if (found === undefined) throw new Refused(`there is no document ${uri}`)
    return { text: found }
  })
}

/** Where the client does not say which files change, what was read of them may be old whenever one is opened or saved. */
function lookAgain({ watchers, workspace, publisher }: Session): void {
  if (watchers.able) return
  const paths = new Set([...workspace.documents].flatMap(d => [...(workspace.analysis(d.uri)?.inputs.keys() ?? [])]))
  workspace.changedOnDisk([...paths].filter(path => workspace.document(path) === undefined))
  publisher.changed()
}
