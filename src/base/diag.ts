/** Diagnostics: their catalogue entries, what one says and where, and the sink that collects them. */
import { Work, type Limits } from './limits.ts'
import type { Span } from './source.ts'

/** The names between braces in a message: `'{a} is not {b}'` has the placeholders `a` and `b`. */
export type Placeholders<S extends string> = S extends `${string}{${infer P}}${infer R}` ? P | Placeholders<R> : never

/** How bad a diagnostic is. A program with an `error` makes no code. */
export type Severity = 'error' | 'warning' | 'note'

/**
 * One kind of diagnostic: its message, and the edit that mends the mistake. `P` lists the placeholders of its text, as in `Entry<'name' |
 * 'limit'>` (`Entry<never>` if there are none); a plain `Entry` takes any.
 */
export interface Entry<P extends string = string> {
  readonly code: string
  readonly severity: Severity
  readonly text: string
  /** The edit that mends it. It may use placeholders too. */
  readonly help: string | undefined
  /** Only for the type checker. */
  readonly placeholders?: P
  /** True where the same text is said once in a program, wherever it belongs. */
  readonly once?: true
}

/** A program whose errors all have the code of its entry, or one with what else is needed to provoke it; a test compiles it. */
export type Example =
  | string
  | {
      readonly source: string
      readonly files?: Readonly<Record<string, string>>
      readonly resolve?: (path: string) => string | undefined
      readonly target?: 'wgsl' | 'wasm' | 'js'
      readonly entry?: string
      readonly exports?: readonly string[]
      readonly maxContext?: number
      /** An option that `compile` does not have. */
      readonly unknown?: string
      /** A project file that is read instead of a program. */
      readonly project?: string
    }

/** The examples of an area of the catalogue: one for each entry. Only tests read them, so they stand in files that no bundle imports. */
export type Examples<Area> = { readonly [K in keyof Area as Area[K] extends Entry ? K : never]: Example }

/** Declares an error. Codes are Slang's own number where Slang has the same mistake: `E30015`. */
export function error<const S extends string>(code: string, text: S, help?: string): Entry<Placeholders<S>> {
  return { code, severity: 'error', text, help }
}

/** Declares a warning. */
export function warning<const S extends string>(code: string, text: S, help?: string): Entry<Placeholders<S>> {
  return { code, severity: 'warning', text, help }
}

/** Declares a remark: the program is right, and something of it is left out. */
export function remark<const S extends string>(code: string, text: S, help?: string): Entry<Placeholders<S>> {
  return { code, severity: 'note', text, help }
}

/** A second place that belongs to a diagnostic. */
export interface Note {
  readonly span: Span | undefined
  readonly text: string
}

/** One thing that is wrong with a program, or doubtful: `renderDiagnostic` makes text of it, `diagnosticJson` a plain object. */
export interface Diagnostic {
  /** The kind of mistake: `E30015`. The number is Slang's own where Slang has the same mistake. */
  readonly code: string
  readonly severity: Severity
  /** One sentence, without a full stop. */
  readonly message: string
  /** The edit that mends it, if there is one. */
  readonly help: string | undefined
  /** The place in the source; undefined for a mistake that has none, such as a wrong option. */
  readonly span: Span | undefined
  /** Other places that belong to it. */
  readonly notes: readonly Note[]
  /**
   * What it is one of.
   *
   * @internal
   */
  readonly entry?: Entry
  /**
   * What its placeholders stand for.
   *
   * @internal
   */
  readonly given?: Readonly<Record<string, string | number>>
}

export type PlaceholderValues<P extends string> = { readonly [K in P]: string | number }

const maxDiagnostics = 200
/** How many names are compared with unknown ones. */
const maxCompared = 300_000

/** Collects diagnostics; nothing throws for a user's mistake. */
export class Sink {
  readonly list: Diagnostic[] = []
  errors = 0
  /** The counters of work, which report to this sink. */
  readonly work: Work
  readonly #seen = new Set<string>()
  #compared = 0

  constructor(limits: Limits = {}) {
    this.work = new Work(limits)
  }

  /**
   * Whether to look for the name that an unknown name was meant to be, among so many names. False when no more diagnostics are
   * kept, or when so many names were compared that more would take long.
   */
  suggests(names: number): boolean {
    this.#compared += names
    return this.list.length < maxDiagnostics && this.#compared < maxCompared
  }

  /** Whether a kind of diagnostic was added. */
  has(entry: Entry): boolean {
    return this.list.some(d => d.code === entry.code && d.severity === entry.severity)
  }

  #others = 0

  /**
   * Adds a diagnostic. The same code at the same position counts once, and of an entry that is `once` the same text. 200 errors are kept, and as many
   * other diagnostics.
   */
  add<P extends string>(entry: Entry<P>, span: Span | undefined, given: PlaceholderValues<P>, ...notes: Note[]): void {
    const isError = entry.severity === 'error'
    if ((isError ? this.errors : this.#others) >= maxDiagnostics) {
      // What is not kept is only counted.
      if (isError) this.errors++
      return
    }
    const key =
      span === undefined || entry.once === true
        ? `${entry.code}:${JSON.stringify(given)}`
        : `${entry.code}:${span.file.name}:${span.start}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    if (isError) this.errors++
    else this.#others++
    const values = given as Readonly<Record<string, string | number>>
    const fill = (text: string): string =>
      text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
    this.list.push({
      code: entry.code,
      severity: entry.severity,
      message: fill(entry.text),
      help: entry.help === undefined ? undefined : fill(entry.help),
      span,
      notes,
      entry,
      given: values,
    })
  }
}

/** A note for `Sink.add`. */
export function note(span: Span | undefined, text: string): Note {
  return { span, text }
}

/** A compiler bug: names the pass and says how to report it. Never thrown for a user's mistake. */
export class InternalError extends Error {
  readonly pass: string

  constructor(pass: string, message: string, options?: ErrorOptions) {
    super(`internal error in ${pass}: ${message}`, options)
    this.name = 'InternalError'
    this.pass = pass
  }
}

/** Closes a switch over a union: the type checker lists a case that was forgotten. */
export function assertNever(x: never, pass: string): never {
  throw new InternalError(pass, `unexpected ${JSON.stringify(x)}`)
}
