/** An open document: a text with a version. An edit makes another document of it. */
import { SourceFile } from '../base/source.ts'
import { offsetOf, type Range } from './range.ts'
import { pathOf } from './uri.ts'

/** One edit: what replaces a range, or the whole text where it has none. */
export interface TextChange {
  readonly range?: Range
  readonly text: string
}

/** The lines of a text that include other files, or say what it is part of. */
export function includesOf(text: string): string {
  if (!text.includes('include') && !text.includes('implementing')) return ''
  return text.match(/^.*\b(?:__include|include|implementing)\b.*$/gm)?.join('\n') ?? ''
}

/** A text that an editor has open. */
export class Document {
  /** As the editor spells it. */
  readonly uri: string
  /** What programs call it. */
  readonly path: string
  readonly version: number
  readonly file: SourceFile

  constructor(uri: string, version: number, text: string) {
    this.uri = uri
    this.path = pathOf(uri)
    this.version = version
    this.file = new SourceFile(this.path, text)
  }

  get text(): string {
    return this.file.text
  }

  #includes: string | undefined

  /** The lines that include other files, or say what the document is part of. */
  get includes(): string {
    return (this.#includes ??= includesOf(this.text))
  }

  /** The document after edits, each of which counts on those before. */
  changed(version: number, changes: readonly TextChange[]): Document {
    let { file } = this
    for (const { range, text } of changes) {
      const start = range === undefined ? 0 : offsetOf(file, range.start)
      const end = range === undefined ? file.text.length : Math.max(start, offsetOf(file, range.end))
      file = new SourceFile(this.path, file.text.slice(0, start) + text + file.text.slice(end))
    }
    return new Document(this.uri, version, file.text)
  }
}
