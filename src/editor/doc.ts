/** The doc comments of declarations, of the user's and of the core library's. */
import type { Decl } from '../check/model/decl.ts'
import type { SourceFile } from '../base/source.ts'
import { docBefore } from '../syntax/doc.ts'
import { readable } from './core.ts'

/** Text for an editor to render. */
export interface Markup {
  readonly kind: 'markdown'
  readonly value: string
}

export function markdown(value: string): Markup {
  return { kind: 'markdown', value }
}

/** Source code in markdown. */
export function codeBlock(code: string): string {
  return `\`\`\`slang\n${code}\n\`\`\``
}

/** The doc comment of a declaration; '' where it has none. */
export function docOf(decl: Decl): string {
  const at = beginOf(decl)
  return at === undefined ? '' : docBefore(at.file, at.start)
}

/** A doc comment as markdown: its `@param` and `@return` lines become a list. */
export function docMarkdown(doc: string): string {
  return doc
    .replace(/^[@\\]param\s+(?:\[\w+\]\s*)?(\w+)[ \t]*/gm, '- `$1`: ')
    .replace(/^[@\\]returns?\b[ \t]*/gm, '- result: ')
    .replace(/^[@\\]brief\b[ \t]*/gm, '')
    .replace(/^(?!- )(.+)\n(?=- )/gm, '$1\n\n')
}

/** What the doc comment of a function says of a parameter: `@param name …`. */
export function paramDoc(doc: string, name: string): string {
  const lines = doc.split('\n')
  const first = lines.findIndex(line => new RegExp(`^[@\\\\]param\\s+(?:\\[\\w+\\]\\s*)?${name}\\b`).test(line))
  if (first < 0) return ''
  const rest = lines.slice(first + 1)
  const end = rest.findIndex(line => line === '' || /^[@\\]/.test(line))
  return [lines[first]!.replace(/^[@\\]param\s+(?:\[\w+\]\s*)?\w+\s*/, ''), ...rest.slice(0, end < 0 ? undefined : end)]
    .join('\n')
    .trim()
}

/** Where a declaration begins, with its attributes, in the text that people read. */
function beginOf(decl: Decl): { readonly file: SourceFile; readonly start: number } | undefined {
  if ('syntax' in decl && decl.syntax !== null) return readable(decl.syntax.span)
  if (!('span' in decl) || decl.span === null) return undefined
  // The comment stands before the line that has the name, where nothing else of its kind can stand.
  const { file, start } = readable(decl.span)
  const line = Math.max(file.text.lastIndexOf('\n', start - 1), file.text.lastIndexOf('\r', start - 1)) + 1
  return decl.kind === 'parameter' && /[(,]/.test(file.text.slice(line, start)) ? undefined : { file, start: line }
}
