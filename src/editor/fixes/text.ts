/** Edits that keep a text in shape: lines, indentation, brackets and commas. */
import { Span, type SourceFile } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import type { Edit } from './fix.ts'

/** Puts text where a span was. */
export function replace(span: Span, text: string): Edit {
  return { span, text }
}

/** Puts text before a span. */
export function before(span: Span, text: string): Edit {
  return { span: new Span(span.file, span.start, span.start), text }
}

/** Puts text behind a span. */
export function behind(span: Span, text: string): Edit {
  return { span: new Span(span.file, span.end, span.end), text }
}

/** Puts text around a span. */
export function wrap(span: Span, open: string, close: string): readonly Edit[] {
  return [before(span, open), behind(span, close)]
}

/** The white space at the start of the line of an offset. */
export function indentAt(file: SourceFile, offset: number): string {
  return /^[ \t]*/.exec(file.text.slice(lineStart(file, offset)))![0]
}

function lineStart(file: SourceFile, offset: number): number {
  return file.lineStarts[file.position(offset).line - 1]!
}

/** Whether nothing but white space stands before an offset on its line. */
export function beginsLine(file: SourceFile, offset: number): boolean {
  return file.text.slice(lineStart(file, offset), offset).trim() === ''
}

/** Puts an attribute or a statement before something: on a line of its own where that begins one. */
export function lineBefore(span: Span, text: string): Edit {
  const own = beginsLine(span.file, span.start)
  return before(span, own ? `${text}\n${indentAt(span.file, span.start)}` : `${text} `)
}

/** Puts a statement behind something: on a line of its own where that begins one. */
export function lineBehind(span: Span, text: string): Edit {
  const own = beginsLine(span.file, span.start)
  return behind(span, own ? `\n${indentAt(span.file, span.start)}${text}` : ` ${text}`)
}

/** Removes a span, with the white space that held it apart; a line with nothing else goes as a whole. */
export function remove(span: Span): Edit {
  const { file } = span
  const { text } = file
  let { start, end } = span
  const rest = /^[ \t]*(\r\n|\r|\n|$)/.exec(text.slice(end))
  if (beginsLine(file, start) && rest !== null) {
    return { span: new Span(file, lineStart(file, start), end + rest[0].length), text: '' }
  }
  while (/[ \t]/.test(text[end] ?? '')) end++
  if (end === span.end || rest !== null) while (start > 0 && /[ \t]/.test(text[start - 1]!)) start--
  // What stood apart stays apart.
  const glued = /\w/.test(text[start - 1] ?? '') && /\w/.test(text[end] ?? '')
  return { span: new Span(file, start, end), text: glued ? ' ' : '' }
}

/** Removes the line that an offset is in, which holds a directive. */
export function removeLine(file: SourceFile, offset: number): Edit {
  const start = lineStart(file, offset)
  const { line } = file.position(offset)
  return { span: new Span(file, start, file.lineStarts[line] ?? file.text.length), text: '' }
}

/** Removes an attribute, and its brackets where it stands in them alone. */
export function removeAttribute(span: Span): Edit {
  const { file } = span
  const { text } = file
  const open = /(\[\s*){1,2}$/.exec(text.slice(0, span.start))
  const close = /^(\s*\]){1,2}/.exec(text.slice(span.end))
  if (open !== null && close !== null)
    return remove(new Span(file, span.start - open[0].length, span.end + close[0].length))
  const comma = /^\s*,\s*/.exec(text.slice(span.end))
  if (comma !== null) return { span: new Span(file, span.start, span.end + comma[0].length), text: '' }
  const ahead = /\s*,\s*$/.exec(text.slice(0, span.start))
  return { span: new Span(file, span.start - (ahead?.[0].length ?? 0), span.end), text: '' }
}

/** Lets a struct conform to an interface; undefined where its `where` clauses leave no plain place. */
export function conform(struct: ast.StructDecl, name: string): Edit | undefined {
  const last = struct.bases.at(-1)
  if (last !== undefined) return behind(last.span, `, ${name}`)
  const { generics } = struct
  if (generics !== undefined && generics.where.length > 0) return undefined
  return behind(generics?.span ?? struct.name.span, ` : ${name}`)
}

/** Removes one of the types that a struct conforms to, with its comma or colon. */
export function withoutBase(struct: ast.StructDecl, name: string): Edit | undefined {
  const { bases } = struct
  const at = bases.findIndex(b => b.span.file.text.slice(b.span.start, b.span.end) === name)
  const base = bases[at]
  if (base === undefined) return undefined
  const next = bases[at + 1]
  if (next !== undefined) return { span: new Span(base.span.file, base.span.start, next.span.start), text: '' }
  const { file, start } = base.span
  const ahead = /\s*[,:]\s*$/.exec(file.text.slice(0, start))
  return { span: new Span(file, start - (ahead?.[0].length ?? 0), base.span.end), text: '' }
}

/** Puts text before the brace that closes a block or a type: on a line of its own where the brace has one. */
export function atEnd(outer: Span, text: string): Edit {
  const { file } = outer
  const brace = file.text.lastIndexOf('}', outer.end - 1)
  const at = new Span(file, brace, brace)
  if (!beginsLine(file, brace)) return before(at, /\s/.test(file.text[brace - 1] ?? '') ? `${text} ` : ` ${text} `)
  const indent = indentAt(file, brace)
  const start = lineStart(file, brace)
  return { span: new Span(file, start, start), text: `${indent}    ${text.replaceAll('\n', `\n${indent}    `)}\n` }
}

/** Puts text behind the brace that opens a block. */
export function atStart(block: Span, text: string): Edit {
  const { file, start } = block
  const rest = /^[ \t]*(\r\n|\r|\n)/.exec(file.text.slice(start + 1))
  const at = new Span(file, start + 1, start + 1)
  return { span: at, text: rest === null ? ` ${text}` : `\n${indentAt(file, start)}    ${text}` }
}
