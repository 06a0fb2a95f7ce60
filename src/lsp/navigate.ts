/** From names to what they mean and back: definitions, uses, other names, and lists of declarations. */
import {
  DefinitionRequest,
  DocumentHighlightRequest,
  DocumentSymbolRequest,
  ImplementationRequest,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  SelectionRangeRequest,
  TypeDefinitionRequest,
  WorkspaceSymbolRequest,
  type ServerCapabilities,
} from 'vscode-languageserver'
import { definition, typeDefinition } from '../editor/definition.ts'
import { implementation } from '../editor/implementation.ts'
import { highlights, references } from '../editor/references.ts'
import { prepareRename, rename } from '../editor/rename.ts'
import { selectionRange } from '../editor/select.ts'
import { documentSymbols, workspaceSymbols, type DocumentSymbol, type WorkspaceSymbol } from '../editor/symbols.ts'
import { workspaceEdit } from './edits.ts'
import { Refused } from './errors.ts'
import { atPosition, flag, inDocument, listOf, object, position, text } from './params.ts'
import type { Session } from './session.ts'

const textDocument = object({ uri: text })

/** Answers who asks. */
export function navigateFeatures(session: Session): ServerCapabilities {
  const { workspace } = session
  session.answer(DefinitionRequest.type, atPosition, ({ textDocument: { uri }, position }) => [
    ...definition(workspace, uri, position),
  ])
  session.answer(TypeDefinitionRequest.type, atPosition, ({ textDocument: { uri }, position }) => [
    ...typeDefinition(workspace, uri, position),
  ])
  session.answer(ImplementationRequest.type, atPosition, ({ textDocument: { uri }, position }) => [
    ...implementation(workspace, uri, position),
  ])
  session.answer(
    ReferencesRequest.type,
    object({ textDocument, position, context: object({ includeDeclaration: flag }) }),
    ({ textDocument: { uri }, position, context }) => references(workspace, uri, position, context),
  )
  session.answer(DocumentHighlightRequest.type, atPosition, ({ textDocument: { uri }, position }) =>
    highlights(workspace, uri, position).map(range => ({ range })),
  )
  session.answer(
    SelectionRangeRequest.type,
    object({ textDocument, positions: listOf(position) }),
    ({ textDocument: { uri }, positions }) => {
      const places = positions.map(position => workspace.at(uri, position))
      // The answer has one range for each position, or is none.
      return places.includes(undefined) ? null : places.map(place => selectionRange(place!))
    },
  )
  session.answer(PrepareRenameRequest.type, atPosition, ({ textDocument: { uri }, position }) => {
    const found = prepareRename(workspace, uri, position)
    if ('refused' in found) throw new Refused(found.refused)
    return found
  })
  session.answer(
    RenameRequest.type,
    object({ textDocument, position, newName: text }),
    ({ textDocument: { uri }, position, newName }) => {
      const found = rename(workspace, uri, position, newName)
      if ('refused' in found) throw new Refused(found.refused)
      const edits = Object.entries(found.changes).flatMap(([uri, list]) => list.map(edit => ({ uri, ...edit })))
      return workspaceEdit(session, edits)
    },
  )
  session.answer(DocumentSymbolRequest.type, inDocument, ({ textDocument: { uri } }) => {
    const found = documentSymbols(workspace, uri)
    const { hierarchicalDocumentSymbolSupport } = session.client.textDocument?.documentSymbol ?? {}
    return hierarchicalDocumentSymbolSupport === true ? found : flat(found, uri)
  })
  session.answer(WorkspaceSymbolRequest.type, object({ query: text }), ({ query }) => [
    ...workspaceSymbols(workspace, query),
  ])
  return {
    definitionProvider: true,
    typeDefinitionProvider: true,
    implementationProvider: true,
    selectionRangeProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    renameProvider: { prepareProvider: true },
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
  }
}

/** Symbols without a tree, each with the name of the one that it is in. */
function flat(symbols: readonly DocumentSymbol[], uri: string, containerName?: string): WorkspaceSymbol[] {
  return symbols.flatMap(({ name, kind, selectionRange, children = [] }) => [
    { name, kind, location: { uri, range: selectionRange }, ...(containerName === undefined ? {} : { containerName }) },
    ...flat(children, uri, name),
  ])
}
