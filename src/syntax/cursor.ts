/** The state of a parse: the position in the tokens, the depth, and whether the parser is recovering from an error. */
import {
  badDigit,
  expectedName,
  expectedToken,
  tooDeep,
  unclosedBracket,
  unexpectedToken,
} from '../base/errors/syntax.ts'
import type { Entry, PlaceholderValues, Sink } from '../base/diag.ts'
import { Span } from '../base/source.ts'
import type { Block, Broken, Generics, Modifier, Name, Stmt } from './ast.ts'
import {
  damageFlag,
  eofKind,
  lineFlag,
  nameKind,
  punctuatorKind,
  punctuatorText,
  stringKind,
  type Punctuator,
  type TokenStream,
} from './token.ts'

/** How many constructs may stand inside one another. */
export const depthLimit = 256

const shiftRight = punctuatorKind('>>')
const greater = punctuatorKind('>')
const greaterEqual = punctuatorKind('>=')
const shiftAssign = punctuatorKind('>>=')
const assign = punctuatorKind('=')

/** Words that are followed by an expression, not by the name of a declaration. */
const operatorWords: ReadonlySet<string> = new Set([
  'return',
  'each',
  'expand',
  'else',
  'do',
  'case',
  'no_diff',
  'is',
  'as',
  'discard',
  'defer',
  'throw',
  'try',
  'where',
])

/** Words that begin a statement, and nothing else. */
export const statementWords: ReadonlySet<string> = new Set([
  'if',
  'for',
  'while',
  'do',
  'switch',
  'return',
  'break',
  'continue',
  'discard',
])

/** Names that may follow another name. */
const followers: ReadonlySet<string> = new Set(['is', 'as', 'where', 'throws'])

/** What was read of a body. */
export interface ReadBody {
  readonly stmts: readonly Stmt[]
  readonly broken: readonly Broken[]
}

/** Makes a body that is read when somebody asks for its statements. */
export type Later = (span: Span, read: (sink: Sink) => ReadBody) => Block

/** A position in a token stream, with the state that the parser needs on the way. */
export class Cursor {
  readonly tokens: TokenStream
  readonly sink: Sink
  /** Makes bodies that are read later, if they may be. */
  readonly later: Later | undefined
  /** Index of the next token. */
  pos = 0
  /** Names that surely are types: declared somewhere in the file. */
  readonly types: ReadonlySet<string>
  /** Type parameters of the declarations that are being parsed. */
  typeParams: Set<string> = new Set()
  /** Variables and parameters of the function that is being parsed: no `<` after one opens generic arguments. */
  locals: Set<string> = new Set()
  /** From a `__generic<…>` prefix; taken by the declaration that follows. */
  pendingGenerics: Generics | undefined
  /** In a generic argument `>` closes and does not compare. */
  inAngles = false
  /** The first token of the declaration that is being parsed, in a file or a type. */
  declaration = 0
  /** The braces around that nothing closes, each with the column at which what they are part of begins. */
  readonly unclosed: { readonly open: number; readonly column: number; readonly isIndented: boolean }[] = []
  /** What was not understood so far. */
  readonly broken: Broken[] = []
  /** Errors that no part of `broken` holds yet. */
  errors = 0
  #depth = 0
  #functions: Set<string> | undefined
  #recovering = false
  /** The parser has given up on the rest of the text, and reports nothing more. */
  #gaveUp = false
  /** How many characters of a `>>`, `>=` or `>>=` are already used up. */
  #used = 0

  constructor(tokens: TokenStream, sink: Sink, types: ReadonlySet<string>, later?: Later) {
    this.tokens = tokens
    this.sink = sink
    this.types = types
    this.later = later
  }

  /** Another cursor at the same place, which reports to another sink and reads nothing later. */
  fork(sink: Sink): Cursor {
    const other = new Cursor(this.tokens, sink, this.types)
    other.pos = this.pos
    other.typeParams = new Set(this.typeParams)
    other.locals = new Set(this.locals)
    other.declaration = this.declaration
    other.#depth = this.#depth
    return other
  }

  /** The kind of the next token, or of what is left of it. */
  get kind(): number {
    const kind = this.tokens.kinds[this.pos]!
    return this.#used === 0 ? kind : restOfAngle(kind, this.#used)
  }

  /** The kind of a token further on. */
  kindAt(index: number): number {
    return index < this.tokens.count ? this.tokens.kinds[index]! : eofKind
  }

  get atEnd(): boolean {
    return this.tokens.kinds[this.pos] === eofKind
  }

  /** The text of the next token if it is a name, else ''. */
  word(): string {
    return this.wordAt(this.pos)
  }

  wordAt(index: number): string {
    return this.kindAt(index) === nameKind ? this.tokens.text(index) : ''
  }

  isAt(index: number, text: Punctuator): boolean {
    return punctuatorText(this.kindAt(index)) === text
  }

  is(text: Punctuator): boolean {
    return punctuatorText(this.kind) === text
  }

  /** Whether a new line stands before the next token. */
  get onNewLine(): boolean {
    return (this.tokens.flags[this.pos]! & lineFlag) !== 0
  }

  /** Whether the text declares a function of this name, as far as its tokens show: a name, `(`, and a type before. */
  declaresFunction(name: string): boolean {
    if (this.#functions === undefined) {
      this.#functions = new Set()
      for (let i = 1; i < this.tokens.count; i++) {
        if (this.kindAt(i) !== nameKind || !this.isAt(i + 1, '(')) continue
        if (this.kindAt(i - 1) === nameKind ? !operatorWords.has(this.wordAt(i - 1)) : this.isAt(i - 1, '>'))
          this.#functions.add(this.wordAt(i))
      }
    }
    return this.#functions.has(name)
  }

  /** Moves on by one token (never past the end) and returns its index. */
  advance(): number {
    this.#used = 0
    return this.atEnd ? this.pos : this.pos++
  }

  /** Moves to a token; the end at most. */
  jump(index: number): void {
    this.#used = 0
    this.pos = Math.min(index, this.tokens.count - 1)
  }

  accept(text: Punctuator): boolean {
    if (!this.is(text)) return false
    this.advance()
    return true
  }

  acceptWord(word: string): boolean {
    if (this.word() !== word) return false
    this.advance()
    return true
  }

  /** Consumes one `>`, if need be from the front of `>>`, `>=` or `>>=`. */
  acceptAngle(): boolean {
    const kind = this.kind
    if (kind === greater) this.advance()
    else if (kind === shiftRight || kind === greaterEqual || kind === shiftAssign) this.#used++
    else return false
    return true
  }

  /** Consumes the punctuator, or reports that it is missing: after the previous token, where it should be written. */
  expect(text: Punctuator): boolean {
    if (this.accept(text)) {
      if (text === ';' || text === '}') this.#recovering = false
      return true
    }
    this.missing(`'${text}'`)
    return false
  }

  /** Consumes the bracket that closes the one at `open`. */
  close(text: ')' | ']' | '}', open: number): boolean {
    if (this.accept(text)) {
      if (text === '}') this.#recovering = false
      return true
    }
    if (this.tokens.matches[open] === -1) {
      this.report(unclosedBracket, this.tokens.span(open, open), { bracket: `'${this.tokens.text(open)}'` })
      if (this.atEnd && text === '}') this.#gaveUp = true
    } else this.missing(`'${text}'`)
    return false
  }

  /** The same; after an error inside the brackets, goes on behind them. */
  closeBehind(text: ')' | ']' | '}', open: number): void {
    this.close(text, open)
    const close = this.tokens.matches[open]!
    if (close >= this.pos) this.jump(close + 1)
  }

  /** The items up to the bracket that closes the one at `open`, with commas between; one comma may follow the last. */
  list<T>(closer: ')' | ']' | '}', open: number, parse: () => T): T[] {
    const items: T[] = []
    while (!this.is(closer) && this.kind !== eofKind && !this.isBehind(open)) {
      const before = this.pos
      items.push(parse())
      if (!this.accept(',') || this.pos === before) break
    }
    this.closeBehind(closer, open)
    return items
  }

  /** Whether the next token stands behind what an unclosed bracket holds: a line of its own begins something else. */
  isBehind(open: number): boolean {
    if (this.tokens.matches[open] !== -1 || !this.onNewLine) return false
    return (
      this.startsAnew ||
      this.is('}') ||
      statementWords.has(this.word()) ||
      this.isOutside(this.columnOf(this.declaration))
    )
  }

  isOutside(column: number): boolean {
    return this.kind !== eofKind && this.columnOf(this.pos) <= column
  }

  /** Reports that something is missing before the next token: there, or at the end of the line before. */
  missing(expected: string): void {
    this.report(expectedToken, this.gap, { expected, found: this.found() })
  }

  /** Where something is missing: before the next token, or at the end of the line before. */
  get gap(): Span {
    const at = this.tokens.span(this.pos, this.pos)
    const before = this.pos > 0 && this.onNewLine ? this.tokens.span(this.pos - 1, this.pos - 1) : undefined
    return before === undefined || before.file !== at.file
      ? at
      : new Span(before.file, before.end, before.end, before.presumed)
  }

  unexpected(): void {
    this.report(unexpectedToken, this.tokens.span(this.pos, this.pos), { found: this.found() })
  }

  /** The column of a token, counted from 1. */
  columnOf(index: number): number {
    const { file, start } = this.tokens.span(index, index)
    return file.position(start).column
  }

  /** Whether a name at the cursor begins something new on its line: another name follows it, which an expression does not have. */
  get startsAnew(): boolean {
    if (!this.onNewLine) return false
    if (statementWords.has(this.word())) return true
    return this.kindAt(this.pos + 1) === nameKind && !followers.has(this.wordAt(this.pos + 1))
  }

  /** The same as `name` where the name stands on the same line, or nothing else can begin with it. */
  nameHere(what: string): Name {
    if (!this.startsAnew) return this.name(what)
    this.missingName(what)
    return { text: '', span: this.gap }
  }

  /** Consumes a name; after an error the name is empty and nothing is consumed. */
  name(what: string): Name {
    if (this.kind === nameKind) {
      const index = this.advance()
      return { text: this.tokens.text(index), span: this.tokens.span(index, index) }
    }
    this.missingName(what)
    return { text: '', span: this.tokens.span(this.pos, this.pos) }
  }

  missingName(what: string): void {
    this.report(expectedName, this.tokens.span(this.pos, this.pos), { what, found: this.found() })
  }

  /** Consumes a modifier. */
  modifier(): Modifier {
    const at = this.advance()
    return { kind: 'modifier', span: this.tokens.span(at, at), name: this.tokens.text(at) }
  }

  /** Reports an error unless the parser is still recovering from another. */
  report<P extends string>(entry: Entry<P>, span: Span, given: PlaceholderValues<P>): void {
    const damaged = (this.tokens.flags[this.pos]! & damageFlag) !== 0
    if (!this.#recovering && !this.#gaveUp && !damaged) this.sink.add(entry, span, given)
    if (entry.severity !== 'error') return
    this.#recovering = true
    this.errors++
  }

  /** Takes down that the text from one token to another was not understood, if there were errors. */
  breaks(what: Broken['what'], first: number, last: number = this.pos - 1): void {
    if (this.errors === 0) return
    this.errors = 0
    this.broken.push({ span: this.tokens.span(first, Math.max(first, last)), what })
  }

  badNumber(index: number): void {
    this.sink.add(badDigit, this.tokens.span(index, index), { text: this.tokens.text(index) })
  }

  get recovering(): boolean {
    return this.#recovering
  }

  /** From here on errors are reported again. */
  recovered(): void {
    this.#recovering = false
  }

  /** How the next token is named in messages. */
  found(): string {
    const kind = this.kind
    if (kind === eofKind) return 'the end of the file'
    if (kind === stringKind) return 'a string'
    const text = punctuatorText(kind) ?? this.tokens.text(this.pos)
    return `'${text}'`
  }

  /** The span from a token to the last one consumed. */
  spanFrom(first: number): Span {
    return this.tokens.span(first, Math.max(first, this.#used > 0 ? this.pos : this.pos - 1))
  }

  /** Goes one level deeper; false when that is too deep, and then the rest of the text is given up. */
  enter(): boolean {
    if (this.#depth >= depthLimit) {
      this.giveUp()
      return false
    }
    this.#depth++
    return true
  }

  /** Reports that something nests too deeply, and skips the rest of the text. */
  giveUp(limit: number = depthLimit): void {
    this.#recovering = false
    this.report(tooDeep, this.tokens.span(this.pos, this.pos), { limit })
    this.#gaveUp = true
    this.jump(this.tokens.count - 1)
  }

  leave(): void {
    this.#depth--
  }

  /** The index after the bracketed part that begins at `index`, or the index itself where nothing matches. */
  afterBracket(index: number): number {
    const match = this.tokens.matches[index]!
    return match > index ? match + 1 : index
  }
}

function restOfAngle(kind: number, used: number): number {
  if (kind === shiftRight) return greater
  if (kind === greaterEqual) return assign
  return used === 1 ? greaterEqual : assign
}
