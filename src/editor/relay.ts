/** Where the diagnostics of an analysis go. */
import { Sink, type Entry, type Note, type PlaceholderValues } from '../base/diag.ts'
import { limitReached } from '../base/errors/limits.ts'
import { counted, LimitReached } from '../base/limits.ts'
import type { Span } from '../base/source.ts'
import { core, forgetCore } from '../compile.ts'

/** A sink that hands diagnostics on to another, while there is one. */
export class Relay extends Sink {
  to: Sink | null = null

  override suggests(names: number): boolean {
    return this.to?.suggests(names) ?? super.suggests(names)
  }

  override has(entry: Entry): boolean {
    return this.to?.has(entry) ?? super.has(entry)
  }

  override add<P extends string>(
    entry: Entry<P>,
    span: Span | undefined,
    given: PlaceholderValues<P>,
    ...notes: Note[]
  ): void {
    if (this.to === null) super.add(entry, span, given, ...notes)
    else this.to.add(entry, span, given, ...notes)
  }
}

/** Notes what ended a part of the work before its time: a limit of the program, as a diagnostic, or an error of the checker. */
export function noteFault(error: unknown, sink: Sink, faults: unknown[]): void {
  // The state of the library may be half done.
  forgetCore(core)
  const cause = error instanceof Error && error.cause instanceof LimitReached ? error.cause : error
  if (cause instanceof LimitReached) {
    const { limit, most, span } = cause
    sink.add(limitReached, span, { limit, most, what: counted[limit] })
  } else faults.push(error)
}
