/** Entry points of the parser: a file, or part of one. */
import { Sink } from '../base/diag.ts'
import { Span, type SourceFile } from '../base/source.ts'
import type { Decl, Module } from './ast.ts'
import { Cursor, type Later } from './cursor.ts'
import { lex } from './lex.ts'
import { parseDecls } from './parse-decl.ts'
import { preprocess, type PreprocessOptions } from './preprocess.ts'
import { declaredTypes } from './scan.ts'
import { nameKind, TokenStream } from './token.ts'

export interface ParseOptions extends PreprocessOptions {
  /** Makes bodies of functions that are read when somebody asks for their statements. */
  readonly later?: Later | undefined
}

/** Parses a file after preprocessing it. What cannot be understood is reported and left out; nothing is thrown. */
export function parse(file: SourceFile, options: ParseOptions, sink: Sink): Module {
  const parsed = parseTokens(preprocess(file, options, sink), sink, options.later)
  return { kind: 'module', span: new Span(file, 0, file.text.length), file, ...parsed }
}

/** Parses the declarations between two offsets of a file that has no directives and uses no macros. */
export function parseRange(file: SourceFile, start: number, end: number, sink: Sink): readonly Decl[] {
  const raw = lex(file, start, end)
  return parseTokens(new TokenStream(raw.kinds, raw.starts, raw.ends, raw.flags, raw.count, [file]), sink).decls
}

/** Parses tokens that are preprocessed, or that need not be. */
export function parseTokens(
  tokens: TokenStream,
  sink: Sink,
  later?: Later,
): Pick<Module, 'decls' | 'types' | 'broken' | 'version'> {
  const words = (index: number): string => (tokens.kinds[index] === nameKind ? tokens.text(index) : '')
  const types = declaredTypes(words, tokens.count)
  // What is wrong with half a text has been said already.
  const cursor = new Cursor(tokens, tokens.truncated ? new Sink() : sink, types, tokens.truncated ? undefined : later)
  return { decls: parseDecls(cursor, 'file'), types, broken: cursor.broken, version: tokens.version }
}
