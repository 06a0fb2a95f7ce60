/** JSON with the place of each value. */
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import type { Sink } from '../base/diag.ts'
import { notJson } from '../base/errors/project.ts'
import { Span, type SourceFile } from '../base/source.ts'

export type { Node } from 'jsonc-parser'

/** What a parser expected, by the names of jsonc-parser's errors. */
const expectations: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'the name of an option in double quotes',
  ValueExpected: 'a value',
  ColonExpected: 'a colon after the name',
  CommaExpected: 'a comma, or the end of the list or object',
  CloseBraceExpected: 'a closing brace }',
  CloseBracketExpected: 'a closing bracket ]',
  EndOfFileExpected: 'nothing after the value',
  InvalidCommentToken: 'no comment here',
  UnexpectedEndOfComment: 'the end of the comment, */',
  UnexpectedEndOfString: 'the closing quote of the string on the same line',
  UnexpectedEndOfNumber: 'digits',
  InvalidUnicode: 'four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash',
  InvalidCharacter: 'no control character in a string: write it as \\u and four hexadecimal digits',
  InvalidNumberFormat: 'a number such as 1.5 or 2e-3',
  InvalidSymbol: 'a name or a string in double quotes, a number, true, false, null, a list or an object',
}

/**
 * The tree of a text, or undefined where it is not JSON: then the sink has the first mistake. With `comments`, `//` and `/* *\/` comments and
 * commas after the last element are taken, as in `tsconfig.json`.
 */
export function readTree(file: SourceFile, sink: Sink, { comments }: { readonly comments: boolean }): Node | undefined {
  const errors: ParseError[] = []
  // A byte order mark takes a place, and means nothing.
  const text = file.text.replace(/^\ufeff/, ' ')
  let tree: Node | undefined
  try {
    tree = parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: comments })
  } catch (error) {
    // The parser goes down by recursion.
    if (!(error instanceof RangeError)) throw error
    sink.add(notJson, new Span(file, 0, 1), { expected: 'less nesting' })
    return undefined
  }
  const first = errors.toSorted((a, b) => a.offset - b.offset)[0]
  if (first === undefined && tree !== undefined) return tree
  const { offset, length, error } = first ?? { offset: text.length, length: 0, error: undefined }
  const expected = error === undefined ? 'a value' : expectations[printParseErrorCode(error)]!
  sink.add(notJson, new Span(file, offset, offset + length), { expected })
  return undefined
}

/** Where a value stands. */
export function spanOf(file: SourceFile, node: Node): Span {
  return new Span(file, node.offset, node.offset + node.length)
}

/**
 * Where the value at a path of keys and indices stands, or its key. If the path leads further than the tree, the innermost value on the way; in a
 * tree that holds a key twice, the one that counts: the last.
 */
export function spanAt(file: SourceFile, tree: Node, path: readonly (string | number)[], key = false): Span {
  let node = tree
  for (const step of path) {
    const twice = node.type === 'object' ? node.children!.filter(m => m.children?.[0]?.value === step) : []
    const next = twice.at(-1)?.children?.[1] ?? findNodeAtLocation(node, [step])
    if (next === undefined) break
    node = next
  }
  return spanOf(file, key ? (node.parent?.children?.[0] ?? node) : node)
}
