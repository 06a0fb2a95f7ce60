/** Entry points of the parser: a file, or part of one. */
import { Sink } from '../base/diag.ts'
import { Span, type SourceFile } from '../base/source.ts'
import type { Decl, Module } from './ast.ts'
import { Cursor } from './cursor.ts'
import { lex } from './lex.ts'
import { parseDecls } from './parse-decl.ts'
import { preprocess, type PreprocessOptions } from './preprocess.ts'
import { declaredTypes } from './scan.ts'
import { nameKind, TokenStream } from './token.ts'

export type ParseOptions = PreprocessOptions

/** Parses a file after preprocessing it. What cannot be understood is reported and left out; nothing is thrown. */
export function parse(file: SourceFile, options: ParseOptions, sink: Sink): Module {
  const decls = parseTokens(preprocess(file, options, sink), sink)
  return { kind: 'module', span: new Span(file, 0, file.text.length), file, decls }
}

/** Parses the declarations between two offsets of a file that has no directives and uses no macros. */
export function parseRange(file: SourceFile, start: number, end: number, sink: Sink): Decl[] {
  const raw = lex(file, start, end)
  return parseTokens(new TokenStream(raw.kinds, raw.starts, raw.ends, raw.flags, raw.count, [file]), sink)
}

/** Parses tokens that are preprocessed, or that need not be. */
export function parseTokens(tokens: TokenStream, sink: Sink): Decl[] {
  const words = (index: number): string => (tokens.kinds[index] === nameKind ? tokens.text(index) : '')
  // What is wrong with half a text has been said already.
  const cursor = new Cursor(tokens, tokens.truncated ? new Sink() : sink, declaredTypes(words, tokens.count))
  return parseDecls(cursor, 'file')
}
