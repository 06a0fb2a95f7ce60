/** What the name under the pointer is. */
import { HoverRequest, MarkupKind, type MarkupContent, type ServerCapabilities } from 'vscode-languageserver'
import { hover } from '../editor/hover.ts'
import type { Markup } from '../editor/doc.ts'
import { atPosition } from './params.ts'
import type { Session } from './session.ts'

/** A text as a client takes it: without the marks of Markdown, where it does not say that it knows those. */
export function markupFor({ kind, value }: Markup, formats: readonly string[] | undefined): MarkupContent {
  if (formats?.includes(MarkupKind.Markdown) === true) return { kind, value }
  return { kind: MarkupKind.PlainText, value: plainText(value) }
}

/** Markdown without its marks. Code stays as it is: a `*` in it multiplies. */
function plainText(markdown: string): string {
  return markdown.replace(
    /^```.*\n([\s\S]*?)^```\n?|`([^`\n]+)`|\*\*?([^*\s](?:[^*\n]*[^*\s])?)\*\*?|\[([^\]\n]+)\]\([^)\s]+\)/gm,
    (_, ...parts: (string | undefined)[]) => parts.slice(0, 4).find(part => part !== undefined) ?? '',
  )
}

/** Answers who asks. */
export function hoverFeatures(session: Session): ServerCapabilities {
  session.answer(HoverRequest.type, atPosition, ({ textDocument: { uri }, position }) => {
    const place = session.workspace.at(uri, position)
    const found = place && hover(place)
    if (found === undefined) return null
    const { contentFormat } = session.client.textDocument?.hover ?? {}
    return { contents: markupFor(found.contents, contentFormat), range: found.range }
  })
  return { hoverProvider: true }
}
