/** Formatting: of a document, of parts of it, and of what a character ends that was just typed. */
import {
  DocumentFormattingRequest,
  DocumentOnTypeFormattingRequest,
  DocumentRangeFormattingRequest,
  DocumentRangesFormattingRequest,
  type FormattingOptions,
  type Range,
  type ServerCapabilities,
  type TextEdit as Told,
} from 'vscode-languageserver'
import { offsetOf, rangeOf, spanOf } from '../editor/range.ts'
import {
  format,
  formatRanges,
  formatTyped,
  type FormatOptions,
  type Refusal,
  type TextEdit,
  type Typed,
} from '../format/format.ts'
import { Span, type SourceFile } from '../base/source.ts'
import { flag, listOf, object, optional, position, range, text, whole } from './params.ts'
import type { Session } from './session.ts'

/** The characters after which clients ask. */
const typed: readonly Typed[] = ['}', ';', '\n']

const textDocument = object({ uri: text })
const options = object({ tabSize: whole, insertSpaces: flag, insertFinalNewline: optional(flag) })

/** Answers who asks. */
export function formatFeatures(session: Session): ServerCapabilities {
  const chosen = ({ tabSize, insertSpaces, insertFinalNewline }: FormattingOptions): FormatOptions => ({
    tabSize,
    insertSpaces,
    insertFinalNewline,
    ...session.settings.format,
  })
  /** The edits of an open document that `make` gives for its file. */
  const edits = (uri: string, make: (file: SourceFile) => readonly TextEdit[] | Refusal): Told[] | null => {
    const file = session.workspace.document(uri)?.file
    if (file === undefined) return null
    const made = make(file)
    if ('refused' in made) throw made.refused
    return made.map(({ start, end, text }) => ({ range: rangeOf(new Span(file, start, end)), newText: text }))
  }
  const inRanges = (uri: string, ranges: readonly Range[], given: FormattingOptions): Told[] | null =>
    edits(uri, file => {
      const extents = ranges.map(r => spanOf(file, r))
      return formatRanges(file.text, extents, chosen(given))
    })

  session.answer(
    DocumentFormattingRequest.type,
    object({ textDocument, options }),
    ({ textDocument: { uri }, options: given }) =>
      edits(uri, file => {
        const formatted = format(file.text, chosen(given))
        return 'refused' in formatted ? formatted : formatted.edits
      }),
  )
  session.answer(
    DocumentRangeFormattingRequest.type,
    object({ textDocument, range, options }),
    ({ textDocument: { uri }, range: asked, options: given }) => inRanges(uri, [asked], given),
  )
  session.answer(
    DocumentRangesFormattingRequest.type,
    object({ textDocument, ranges: listOf(range), options }),
    ({ textDocument: { uri }, ranges, options: given }) => inRanges(uri, ranges, given),
  )
  session.answer(
    DocumentOnTypeFormattingRequest.type,
    object({ textDocument, position, ch: text, options }),
    ({ textDocument: { uri }, position: at, ch, options: given }) => {
      const character = typed.find(t => t === ch)
      if (character === undefined) return []
      return edits(uri, file => formatTyped(file.text, offsetOf(file, at), character, chosen(given)))
    },
  )
  const [first, ...more] = typed
  return {
    documentFormattingProvider: true,
    documentRangeFormattingProvider: { rangesSupport: true },
    documentOnTypeFormattingProvider: { firstTriggerCharacter: first!, moreTriggerCharacter: more },
  }
}
