/**
 * What may be wrong only because a text could not be understood. The checker goes on with what the parser kept, so it misses what stands in
 * the rest. A mistake that may follow from that is not reported: an unknown name that the rest mentions, or a use of a type some of whose
 * members were lost.
 */
import type { Diagnostic } from '../../base/diag.ts'
import * as names from '../../base/errors/names.ts'
import * as syntax from '../../base/errors/syntax.ts'
import * as types from '../../base/errors/types.ts'
import { Span } from '../../base/source.ts'
import type { Broken } from '../../syntax/ast.ts'
import { builtinType } from '../model/builtin.ts'
import type { Decl } from '../model/decl.ts'

/** Mistakes that mean that a name is not declared. */
const unknown: ReadonlySet<string> = new Set(
  [names.undefinedName, names.noMember, names.noNamespaceMember].map(e => e.code),
)
/** Mistakes of a function as a whole, or of what is around a statement. */
const ofWhole: ReadonlySet<string> = new Set(
  [types.noReturn, types.missingReturn, types.breakOutside, types.continueOutside].map(e => e.code),
)
/** Files that are missing, whatever they declare. */
const missing: ReadonlySet<string> = new Set(
  [names.noModule, names.unreadable, names.importCycle, syntax.includeNotFound].map(e => e.code),
)

const wordsIn = (text: string): readonly string[] => text.match(/[A-Za-z_]\w*/g) ?? []
const textOf = ({ file, start, end }: Span): string => file.text.slice(start, end)
const lineOf = ({ file, start }: Span): string => file.line(file.position(start).line)
const within = (outer: Span, at: Span): boolean =>
  at.file === outer.file && at.start >= outer.start && at.start <= outer.end

/** The name that a broken declaration most likely declares. */
const declares = /^(?:\s*\[[^[\]]*\])*[^({;=]*?\b([A-Za-z_]\w*)\s*(?:<[^<>]*>\s*)?[({:;=]/

/** Whether what was not understood stands right before or behind something. */
function touches({ span, what }: Broken, other: Span): boolean {
  if (what !== 'declaration' || span.file !== other.file) return false
  const [first, second] = span.start < other.start ? [span, other] : [other, span]
  return /^\s*$/.test(span.file.text.slice(first.end, second.start))
}

/** A function part of which was not understood. */
interface Part {
  readonly span: Span
  /** Names that the rest may have declared. */
  readonly names: ReadonlySet<string>
  /** A brace is missing in it, so that names may be out of their scope. */
  readonly isOpen: boolean
}

/** What is in doubt in a program. */
export class Doubts {
  readonly #broken: readonly Broken[]
  /** Any name may be declared: a file is missing. */
  readonly #anything: boolean
  /** All declarations but those in bodies. */
  readonly #decls: readonly Decl[]
  /** Names that may have been declared outside of functions. */
  readonly #lost = new Set<string>()
  #parts: readonly Part[] | undefined
  /** Declarations whose own text was not understood in full. */
  #doubtful: ReadonlySet<string> = new Set()

  constructor(decls: readonly Decl[], broken: readonly Broken[], found: readonly Diagnostic[], anything = false) {
    this.#decls = [...decls]
    this.#anything = anything || found.some(d => missing.has(d.code))
    // A comment without an end holds all that follows.
    const rest = found.flatMap((d): readonly Broken[] =>
      d.code === syntax.unterminatedComment.code && d.span !== undefined
        ? [{ span: new Span(d.span.file, d.span.start, d.span.file.text.length), what: 'declaration' }]
        : [],
    )
    this.#broken = [...broken, ...rest]
  }

  /** The same with more that was not understood. */
  with(more: readonly Broken[]): Doubts {
    return more.length === 0 ? this : new Doubts(this.#decls, [...this.#broken, ...more], [], this.#anything)
  }

  /** Whether every name may mean something. */
  get isOpen(): boolean {
    return this.#anything
  }

  /** Whether a part of a declaration was not understood. */
  touch(decl: Decl): boolean {
    const syntax = 'syntax' in decl ? decl.syntax : null
    return syntax !== null && this.#broken.some(b => within(syntax.span, b.span))
  }

  /** The diagnostics without those that are in doubt. */
  without(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
    if (this.#broken.length === 0 && !this.#anything) return diagnostics
    const parts = (this.#parts ??= this.#divide())
    return diagnostics.filter(d => !this.#doubts(d, parts))
  }

  /** Finds which functions and other declarations the broken parts belong to. */
  #divide(): readonly Part[] {
    const parts: { span: Span; names: Set<string>; isOpen: boolean }[] = []
    const doubtful = new Set<string>()
    const left = new Set(this.#broken)
    const decls = this.#decls.flatMap(d => ('syntax' in d && d.syntax !== null ? [{ decl: d, syntax: d.syntax }] : []))
    for (const { decl, syntax: tree } of decls) {
      if (decl.kind !== 'func') continue
      const inside = this.#broken.filter(b => within(tree.span, b.span) || touches(b, tree.span))
      if (inside.length === 0) continue
      const body = 'body' in tree ? tree.body : undefined
      const own = inside.filter(b => body !== undefined && within(body.span, b.span))
      for (const b of own) left.delete(b)
      if (own.length < inside.length) doubtful.add(decl.name)
      const text = own.map(b => textOf(b.span)).join(' ')
      parts.push({ span: tree.span, names: new Set(wordsIn(text)), isOpen: own.some(b => b.what === 'braces') })
    }
    for (const { decl, syntax: tree } of decls)
      if (decl.kind !== 'func' && [...left].some(b => within(tree.span, b.span) || touches(b, tree.span)))
        doubtful.add(decl.name)
    for (const b of left) {
      for (const word of wordsIn(textOf(b.span))) this.#lost.add(word)
      const declared = declares.exec(textOf(b.span))
      if (declared !== null) doubtful.add(declared[1]!)
    }
    // What was taken for the name of a declaration may be anything.
    this.#doubtful = new Set([...doubtful].filter(name => builtinType(name) === null))
    return parts
  }

  #doubts(d: Diagnostic, parts: readonly Part[]): boolean {
    const { span } = d
    if (span === undefined) return false
    if (this.#broken.some(b => within(b.span, span))) return true
    const around = parts.filter(p => within(p.span, span))
    if (unknown.has(d.code)) {
      const name = wordsIn(textOf(span)).at(-1) ?? ''
      const isLost = this.#anything || this.#lost.has(name) || wordsIn(d.message).some(w => this.#doubtful.has(w))
      return isLost || around.some(p => p.isOpen || p.names.has(name))
    }
    if (around.length > 0 && ofWhole.has(d.code)) return true
    if (d.code === names.redeclared.code && around.some(p => p.isOpen)) return true
    const words = wordsIn(`${lineOf(span)} ${d.message}`)
    return words.some(word => this.#doubtful.has(word) || around.some(p => p.names.has(word)))
  }
}
