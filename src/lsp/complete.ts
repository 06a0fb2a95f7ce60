/** What an author may write at a place. Details and documentation are found out for the item that somebody looks at. */
import {
  CompletionRequest,
  CompletionResolveRequest,
  type CompletionItem as Told,
  type MarkupContent,
  type ServerCapabilities,
} from 'vscode-languageserver'
import { complete, type Completion } from '../editor/complete.ts'
import type { CompletionItem } from '../editor/complete-items.ts'
import { markupFor } from './hover.ts'
import { atPosition, object, text } from './params.ts'
import type { Given, Session } from './session.ts'

/** How many lists are kept for `completionItem/resolve`: clients ask for the items of the last, and cancel those before. */
const kept = 4

/** Where an item is: the number of its list, and its own in that. */
interface Data {
  readonly list: number
  readonly item: number
}

/** Answers who asks. */
export function completeFeatures(session: Session): ServerCapabilities {
  const lists = new Map<number, Completion>()
  let last = 0

  const told = ({ documentation, data, ...item }: CompletionItem, list: number): Given<Told> => ({
    ...item,
    data: { list, item: data } satisfies Data,
    ...(documentation === undefined ? {} : { documentation: documented(documentation) }),
  })
  const documented = (documentation: NonNullable<CompletionItem['documentation']>): MarkupContent =>
    markupFor(documentation, session.client.textDocument?.completion?.completionItem?.documentationFormat)

  session.answer(CompletionRequest.type, atPosition, ({ textDocument: { uri }, position }) => {
    const place = session.workspace.at(uri, position)
    if (place === undefined) return null
    const snippets = session.client.textDocument?.completion?.completionItem?.snippetSupport === true
    const completion = complete(place, { snippets, list: (folder, endings) => session.files.list(folder, endings) })
    const list = ++last
    lists.set(list, completion)
    lists.delete(list - kept)
    const { isIncomplete, items } = completion.list
    return { isIncomplete, items: items.map(item => told(item, list)) }
  })
  session.answer(CompletionResolveRequest.type, object({ label: text }), asked => {
    const { list = 0, item = 0 } = (asked.data ?? {}) as Partial<Data>
    const completion = lists.get(list)
    const found = completion?.list.items[item]
    if (completion === undefined || found?.label !== asked.label) return asked
    return told(completion.resolve(found), list)
  })
  return { completionProvider: { triggerCharacters: ['.', ':', '[', '"', '<', '/', '#'], resolveProvider: true } }
}
