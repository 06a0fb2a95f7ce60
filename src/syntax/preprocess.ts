/**
 * The preprocessor: directives and macros. Tokens come from a stack of files. A token that names a macro is replaced, and the
 * replacement is read again before the file goes on. A token never names a macro that it came from (the hide sets of Prosser's
 * algorithm), so expansion ends; a limit bounds its output.
 */
import {
  badCharacter,
  directiveAfterElse,
  expectedInDirective,
  extraInDirective,
  includeNotFound,
  includeTooDeep,
  missingDirectiveName,
  newlineInLiteral,
  strayDirective,
  tooDeep as nestedTooDeep,
  unclosedConditional,
  unclosedMacroCall,
  undefUnknown,
  unknownDirective,
  unterminatedComment,
  userError,
  userWarning,
  wrongMacroArgCount,
} from '../base/errors/syntax.ts'
import { unreadable } from '../base/errors/names.ts'
import type { Sink } from '../base/diag.ts'
import { codePoint } from '../base/escape.ts'
import { Span, type SourceFile } from '../base/source.ts'
import { findBidirectional } from './bidirectional.ts'
import { evaluateCondition } from './condition.ts'
import { describeBad, lex } from './lex.ts'
import { Output } from './token-output.ts'
import {
  define,
  isHidden,
  predefined,
  splitArguments,
  substitute,
  textOf,
  type Macro,
  type MacroTable,
  type Tok,
} from './macro.ts'
import {
  badKind,
  damageFlag,
  eofKind,
  errorKind,
  intKind,
  lineFlag,
  nameKind,
  PresumedLines,
  punctuatorKind,
  spaceFlag,
  stringKind,
  TokenStream,
  type RawTokens,
} from './token.ts'
import type { Reader } from './reader.ts'
import { languageVersion, legacy } from './version.ts'

export interface PreprocessOptions {
  /** Macros that are defined before the text; definitions in the text are added to it. */
  readonly macros?: MacroTable
  /** Finds the file that `#include "path"` means in the file `from`. */
  readonly include?: (path: string, from: SourceFile) => SourceFile | Unreadable | undefined
  /** Hears where a macro is named: defined, used, asked for. */
  readonly named?: ((span: Span, macro: Macro) => void) | undefined
}

/** A file that is there, but cannot be read. */
export interface Unreadable {
  readonly path: string
  readonly why: string
}

const depthLimit = 32
const expansionDepth = 100

const hash = punctuatorKind('#')
const open = punctuatorKind('(')
const close = punctuatorKind(')')
const comma = punctuatorKind(',')
const less = punctuatorKind('<')
const greater = punctuatorKind('>')

/** The tokens of a file with directives obeyed and macros replaced. */
export function preprocess(file: SourceFile, options: PreprocessOptions, sink: Sink): TokenStream {
  const raw = lex(file)
  findBidirectional(file, sink)
  const state = new Preprocessor(options, sink)
  if (!raw.directives && state.macros.size === 0 && !/__(?:LINE|FILE|SLANG|HLSL)/.test(file.text)) {
    const clean = state.dropBad(file, raw)
    return new TokenStream(clean.kinds, clean.starts, clean.ends, clean.flags, clean.count, [file])
  }
  return state.run(file, raw)
}

class Preprocessor {
  readonly macros: MacroTable
  readonly #options: PreprocessOptions
  readonly #sink: Sink
  readonly #readers: Reader[] = []
  /** Tokens to be read before the file goes on, last first. */
  readonly #pending: Tok[] = []
  readonly #once = new Set<SourceFile>()
  readonly #lexed = new Map<SourceFile, RawTokens>()
  readonly #presumed = new Map<SourceFile, PresumedLines>()
  /** The flag for the next token that is put out. */
  #damage = 0
  #overflowed = false
  #version = legacy

  constructor(options: PreprocessOptions, sink: Sink) {
    this.#options = options
    this.#sink = sink
    this.macros = options.macros ?? new Map()
  }

  /** Reports and removes invalid tokens. */
  dropBad(file: SourceFile, raw: RawTokens): RawTokens {
    let count = 0
    let damage = 0
    for (let i = 0; i < raw.count; i++) {
      if (raw.kinds[i] === badKind) {
        const isLiteral = this.#reportBad(new Span(file, raw.starts[i]!, raw.ends[i]!))
        damage = damageFlag
        if (!isLiteral) continue
        raw.kinds[i] = errorKind
      }
      raw.kinds[count] = raw.kinds[i]!
      raw.flags[count] = raw.flags[i]! | damage
      if (raw.kinds[i] !== errorKind) damage = 0
      raw.starts[count] = raw.starts[i]!
      raw.ends[count] = raw.ends[i]!
      count++
    }
    return { ...raw, count }
  }

  run(file: SourceFile, raw: RawTokens): TokenStream {
    const out = new Output()
    this.#lexed.set(file, raw)
    this.#push(file)
    for (;;) {
      const tok = this.#next()
      if (tok === undefined) break
      if (tok.kind === badKind) {
        const isLiteral = this.#reportBad(this.#span(tok))
        this.#damage = damageFlag
        if (isLiteral) out.add({ ...tok, kind: errorKind }, damageFlag)
        continue
      }
      if (tok.kind === nameKind && this.#expand(tok)) continue
      this.#sink.work.spend('tokens', 1, () => this.#span(tok))
      out.add(tok, this.#damage)
      this.#damage = tok.kind === errorKind ? damageFlag : 0
    }
    out.end(file, this.#damage)
    const { kinds, starts, ends, flags, count, files, owners, texts } = out
    const made = [kinds, starts, ends, flags, count, files, owners, texts, this.#presumed, this.#overflowed] as const
    return new TokenStream(...made, this.#version)
  }

  readonly #span = (tok: Tok): Span =>
    new Span(tok.file, tok.start, tok.end, this.#presumed.get(tok.file)?.at(tok.start))

  /** Reports an invalid token; true for a literal, which then needs a replacement. */
  #reportBad(span: Span): boolean {
    const text = span.file.text.slice(span.start, span.end)
    switch (describeBad(text)) {
      case 'comment':
        this.#sink.add(unterminatedComment, new Span(span.file, span.start, span.start + 2, span.presumed), {})
        return false
      case 'literal':
        this.#sink.add(newlineInLiteral, span, {})
        return true
      default:
        this.#sink.add(badCharacter, span, { char: /^[\x21-\x7e]$/.test(text) ? `'${text}'` : codePoint(text) })
        return false
    }
  }

  #push(file: SourceFile): void {
    let raw = this.#lexed.get(file)
    if (raw === undefined) {
      this.#lexed.set(file, (raw = lex(file)))
      findBidirectional(file, this.#sink)
    }
    this.#readers.push({ file, raw, pos: 0, conditionals: [], isOpen: false })
  }

  /** Leaves out the rest of the text. */
  #stop(): void {
    this.#overflowed = true
    this.#pending.length = 0
    this.#readers.length = 0
  }

  /** The next token before macros, with directives obeyed on the way; undefined at the end of the last file. */
  #next(): Tok | undefined {
    const waiting = this.#pending.pop()
    if (waiting !== undefined) return waiting
    for (;;) {
      const reader = this.#readers.at(-1)
      if (reader === undefined) return undefined
      const kind = reader.raw.kinds[reader.pos]!
      if (kind === eofKind) {
        const unclosed = reader.conditionals.at(-1)
        if (unclosed !== undefined)
          this.#sink.add(unclosedConditional, unclosed.at, { directive: `#${unclosed.directive}` })
        this.#readers.pop()
        continue
      }
      if (kind === hash && (reader.raw.flags[reader.pos]! & lineFlag) !== 0) {
        this.#directive(reader)
        continue
      }
      return this.#take(reader)
    }
  }

  #take(reader: Reader): Tok {
    const { raw, file } = reader
    const i = reader.pos++
    const start = raw.starts[i]!
    const end = raw.ends[i]!
    return {
      kind: raw.kinds[i]!,
      text: file.text.slice(start, end),
      file,
      start,
      end,
      flags: raw.flags[i]!,
      hidden: undefined,
    }
  }

  /** Says that a name in the text means a macro, if it does. */
  #named(tok: Tok | undefined): void {
    const macro = this.#options.named === undefined || tok === undefined ? undefined : this.macros.get(tok.text)
    if (macro !== undefined) this.#options.named!(this.#span(tok!), macro)
  }

  /** Replaces a macro; false when the name is none. */
  #expand(tok: Tok): boolean {
    const macro = this.macros.get(tok.text)
    if (macro === undefined) return this.#expandBuiltin(tok)
    if (isHidden(tok.hidden, macro)) return false
    this.#named(tok)
    let args: readonly (readonly Tok[])[] = []
    if (macro.params !== undefined) {
      const collected = this.#arguments(macro, tok)
      if (collected === undefined) return false
      if (collected === 'wrong') {
        this.#damage = damageFlag
        this.#pending.push({ ...tok, kind: errorKind })
        return true
      }
      args = collected
    }
    this.#pushAll(
      substitute(macro, tok, args, arg => this.#expandAlone(arg, 1), this.#sink, this.#span),
      tok,
    )
    return true
  }

  #pushAll(toks: readonly Tok[], use: Tok): void {
    for (let i = toks.length - 1; i >= 0; i--) {
      const tok = toks[i]!
      // Where the use began a line, so does what replaces it.
      this.#pending.push(
        i === 0 ? { ...tok, flags: use.flags } : (tok.flags & lineFlag) === 0 ? tok : { ...tok, flags: spaceFlag },
      )
    }
  }

  #expandBuiltin(tok: Tok): boolean {
    const fixed = predefined.get(tok.text)
    if (fixed !== undefined) {
      this.#pending.push({ ...tok, kind: intKind, text: fixed })
      return true
    }
    if (tok.text !== '__LINE__' && tok.text !== '__FILE__') return false
    const presumed = this.#presumed.get(tok.file)?.at(tok.start)
    const text =
      tok.text === '__LINE__'
        ? String(presumed?.line ?? tok.file.position(tok.start).line)
        : JSON.stringify(presumed?.file ?? tok.file.name)
    this.#pending.push({ ...tok, kind: tok.text === '__LINE__' ? intKind : stringKind, text })
    return true
  }

  /**
   * The arguments in parentheses after a macro; undefined when no parenthesis follows, and then the name stands for itself;
   * 'wrong' when they are not what the macro takes, which has been reported.
   */
  #arguments(macro: Macro, use: Tok): Tok[][] | 'wrong' | undefined {
    const before = this.#readers.at(-1) ?? { isOpen: true }
    const first = this.#next()
    if (first?.kind !== open) {
      if (first !== undefined) this.#pending.push(first)
      return undefined
    }
    const args: Tok[][] = [[]]
    const limit = macro.variadic ? macro.params!.length : Infinity
    const from = this.#readers.map(reader => ({ ...reader, conditionals: [...reader.conditionals], isOpen: true }))
    for (let depth = 0; ;) {
      const tok = this.#next()
      if (tok === undefined) {
        this.#sink.add(unclosedMacroCall, this.#span(use), { name: macro.name })
        // What follows is read as if it were no argument, once.
        if (from.length > 0 && !before.isOpen) this.#readers.push(...from)
        return 'wrong'
      }
      if (tok.kind === open) depth++
      else if (tok.kind === close && depth-- === 0) break
      if (tok.kind === comma && depth === 0 && args.length < limit) args.push([])
      else args.at(-1)!.push(tok)
    }
    return this.#checkCount(macro, use, args)
  }

  #checkCount(macro: Macro, use: Tok, args: Tok[][]): Tok[][] | 'wrong' {
    const expected = macro.params!.length
    if (expected === 0 && args.length === 1 && args[0]!.length === 0) return []
    if (macro.variadic ? args.length >= expected - 1 : args.length === expected) return args
    const count = args.length === 1 && args[0]!.length === 0 ? 0 : args.length
    this.#sink.add(wrongMacroArgCount, this.#span(use), { name: macro.name, expected, count })
    return 'wrong'
  }

  /** Expands tokens as if nothing stood after them. In a condition `defined` is resolved, also where a macro made it. */
  #expandAlone(toks: readonly Tok[], depth: number, condition = false): readonly Tok[] {
    if (!condition && !toks.some(t => t.kind === nameKind && (this.macros.has(t.text) || t.text.startsWith('__'))))
      return toks
    const result: Tok[] = []
    const todo = toks.slice().reverse()
    for (;;) {
      const tok = todo.pop()
      if (tok === undefined) return result
      if (condition && tok.kind === nameKind && tok.text === 'defined') {
        result.push(this.#resolveDefined(todo, tok))
        continue
      }
      const macro = tok.kind === nameKind ? this.macros.get(tok.text) : undefined
      if (macro === undefined || isHidden(tok.hidden, macro) || this.#overflowed) {
        if (tok.kind === nameKind && macro === undefined && this.#expandBuiltin(tok)) todo.push(this.#pending.pop()!)
        else result.push(tok)
        continue
      }
      let args: Tok[][] = []
      if (macro.params !== undefined) {
        const found = splitArguments(todo, macro)
        if (found === undefined) {
          // All that is left was searched for the end.
          if (todo.at(-1)?.kind === open) this.#sink.work.spend('tokens', todo.length, () => this.#span(tok))
          result.push(tok)
          continue
        }
        const checked = this.#checkCount(macro, tok, found)
        if (checked === 'wrong') {
          result.push({ ...tok, kind: errorKind })
          continue
        }
        args = checked
      }
      this.#named(tok)
      const tooDeep = depth >= expansionDepth
      const replaced = substitute(
        macro,
        tok,
        args,
        arg => (tooDeep ? arg : this.#expandAlone(arg, depth + 1)),
        this.#sink,
        this.#span,
      )
      if (tooDeep) {
        this.#sink.add(nestedTooDeep, this.#span(tok), { limit: expansionDepth })
        this.#stop()
        return result
      }
      for (let i = replaced.length - 1; i >= 0; i--) todo.push(replaced[i]!)
    }
  }

  /** Reads a directive and the rest of its line. */
  #directive(reader: Reader): void {
    const at = this.#span(this.#take(reader))
    const line = this.#restOfLine(reader)
    const head = line[0]
    if (head === undefined) return
    if (head.kind !== nameKind) {
      this.#sink.add(missingDirectiveName, this.#span(head), {})
      return
    }
    const rest = line.slice(1)
    const span = this.#span(head)
    switch (head.text) {
      case 'if':
      case 'ifdef':
      case 'ifndef':
        this.#beginIf(reader, head.text, rest, span)
        break
      case 'elif':
      case 'else':
      case 'endif':
        this.#continueIf(reader, head.text, rest, span)
        break
      case 'define':
        define(rest, span, this.macros, this.#sink, this.#span)
        this.#named(rest[0])
        break
      case 'undef': {
        const name = this.#nameOf(rest, 'undef', span)
        if (name !== undefined && !this.macros.delete(name))
          this.#sink.add(undefUnknown, this.#span(rest[0]!), { name })
        break
      }
      case 'include':
        this.#include(reader, rest, span)
        break
      case 'error':
        this.#sink.add(userError, span, { text: textOf(rest) || '#error' })
        break
      case 'warning':
        this.#sink.add(userWarning, span, { text: textOf(rest) || '#warning' })
        break
      case 'line':
        this.#line(reader, rest, span)
        break
      case 'pragma':
        if (rest[0]?.text === 'once') this.#once.add(reader.file)
        break
      case 'version':
      case 'extension':
        break
      case 'language':
      case 'lang':
        // That of the file that is read, not of one in its midst.
        if (this.#readers.length === 1)
          this.#version =
            languageVersion(
              rest.map(t => t.text),
              rest.length === 0 ? span : this.#span(rest[0]!).to(this.#span(rest.at(-1)!)),
              this.#sink,
            ) ?? this.#version
        break
      default:
        this.#sink.add(unknownDirective, at.to(span), { name: head.text })
    }
  }

  #restOfLine(reader: Reader): Tok[] {
    const line: Tok[] = []
    while (reader.raw.kinds[reader.pos] !== eofKind && (reader.raw.flags[reader.pos]! & lineFlag) === 0)
      line.push(this.#take(reader))
    return line
  }

  #nameOf(rest: readonly Tok[], directive: string, at: Span): string | undefined {
    const name = rest[0]
    if (name === undefined || name.kind !== nameKind) {
      this.#sink.add(expectedInDirective, name === undefined ? at : this.#span(name), { what: 'a name', directive })
      return undefined
    }
    if (rest.length > 1) this.#sink.add(extraInDirective, this.#span(rest[1]!), { directive })
    this.#named(name)
    return name.text
  }

  #beginIf(reader: Reader, directive: string, rest: readonly Tok[], at: Span): void {
    let value: boolean
    if (directive === 'if') value = this.#condition(rest, at)
    else {
      const name = this.#nameOf(rest, directive, at)
      value = name !== undefined && this.#isDefined(name) === (directive === 'ifdef')
    }
    reader.conditionals.push({ at, directive, taken: value, sawElse: false })
    if (!value) this.#skip(reader)
  }

  #continueIf(reader: Reader, directive: string, rest: readonly Tok[], at: Span): void {
    const current = reader.conditionals.at(-1)
    if (current === undefined) {
      this.#sink.add(strayDirective, at, { directive })
      return
    }
    if (directive === 'endif') {
      reader.conditionals.pop()
      return
    }
    if (current.sawElse) this.#sink.add(directiveAfterElse, at, { directive })
    if (directive === 'else') current.sawElse = true
    // A branch that comes after the one that was taken, or the one to take now.
    if (current.taken || (directive === 'elif' && !this.#condition(rest, at))) this.#skip(reader)
    else current.taken = true
  }

  /**
   * Goes to the next `#elif`, `#else` or `#endif` of the same conditional, which is then read as a directive. Where there is none nothing is
   * left out: what follows is most likely not meant to be.
   */
  #skip(reader: Reader): void {
    const { raw } = reader
    const from = reader.pos
    for (let depth = 0; raw.kinds[reader.pos] !== eofKind; reader.pos++) {
      const i = reader.pos
      if (raw.kinds[i] !== hash || (raw.flags[i]! & lineFlag) === 0) continue
      if (raw.kinds[i + 1] !== nameKind || (raw.flags[i + 1]! & lineFlag) !== 0) continue
      const name = reader.file.text.slice(raw.starts[i + 1], raw.ends[i + 1])
      if (name === 'if' || name === 'ifdef' || name === 'ifndef') depth++
      else if (name === 'endif' && depth > 0) depth--
      else if (depth === 0 && (name === 'endif' || name === 'else' || name === 'elif')) return
    }
    if (reader.isOpen) return
    reader.isOpen = true
    reader.pos = from
  }

  #isDefined(name: string): boolean {
    return this.macros.has(name) || predefined.has(name) || name === '__LINE__' || name === '__FILE__'
  }

  #condition(rest: readonly Tok[], at: Span): boolean {
    const toks = this.#expandAlone(rest, 1, true)
    return !toks.some(t => t.kind === errorKind) && evaluateCondition(toks, at, this.#sink, this.#span)
  }

  /** Takes `NAME` or `(NAME)` after `defined` from the end of a reversed list of tokens. */
  #resolveDefined(todo: Tok[], tok: Tok): Tok {
    const inParens = todo.at(-1)?.kind === open
    const name = todo.at(inParens ? -2 : -1)
    if (name?.kind !== nameKind || (inParens && todo.at(-3)?.kind !== close)) {
      this.#sink.add(expectedInDirective, this.#span(tok), { what: `a name after 'defined'`, directive: 'if' })
      return { ...tok, kind: errorKind }
    }
    todo.length -= inParens ? 3 : 1
    this.#named(name)
    return { ...tok, kind: intKind, text: this.#isDefined(name.text) ? '1' : '0' }
  }

  #include(reader: Reader, rest: readonly Tok[], at: Span): void {
    const toks = rest[0]?.kind === nameKind ? this.#expandAlone(rest, 1) : rest
    const head = toks[0]
    let path: string | undefined
    let close = head
    if (head?.kind === stringKind) path = head.text.slice(1, -1)
    else if (head?.kind === less) {
      const end = toks.findIndex(t => t.kind === greater)
      if (end > 0) path = reader.file.text.slice(head.end, (close = toks[end]!).start).trim()
    }
    if (path === undefined) {
      this.#sink.add(expectedInDirective, head === undefined ? at : this.#span(head), {
        what: 'a path in quotes',
        directive: 'include',
      })
      return
    }
    const span = this.#span(head!).to(this.#span(close!))
    const file = this.#options.include?.(path, reader.file)
    if (file === undefined) this.#sink.add(includeNotFound, span, { path })
    else if ('why' in file) this.#sink.add(unreadable, span, { path: file.path, why: file.why })
    else if (this.#readers.length >= depthLimit) {
      this.#sink.add(includeTooDeep, span, { limit: depthLimit })
      this.#once.add(file)
    } else if (!this.#once.has(file)) {
      // Files that hold nothing but includes count too.
      this.#sink.work.spend('tokens', 10, span)
      this.#push(file)
    }
  }

  #line(reader: Reader, rest: readonly Tok[], at: Span): void {
    const toks = this.#expandAlone(rest, 1)
    const head = toks[0]
    if (head?.text === 'default') return
    if (head?.kind !== intKind || !/^[0-9]+$/.test(head.text)) {
      this.#sink.add(expectedInDirective, head === undefined ? at : this.#span(head), {
        what: 'a line number',
        directive: 'line',
      })
      return
    }
    const name = toks[1]?.kind === stringKind ? toks[1].text.slice(1, -1) : undefined
    let lines = this.#presumed.get(reader.file)
    if (lines === undefined) this.#presumed.set(reader.file, (lines = new PresumedLines(reader.file)))
    lines.mark(reader.file.position(at.start).line + 1, Number(head.text), name)
  }
}
