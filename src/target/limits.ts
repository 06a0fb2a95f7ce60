/** Limits on running programs, for hosts that run programs nobody trusts. */
import type { Span } from '../base/source.ts'
import type { Func } from '../ir/value.ts'

/** The limits of one call of a function, or one dispatch of a kernel. A limit that is absent costs nothing. */
export interface RunLimits {
  /** Trips of loops, of all together. */
  readonly trips?: number | undefined
  /** How many calls of recursive functions may be open at once. */
  readonly depth?: number | undefined
  /** Bytes of memory: of variables, of what is bound, and of what reverse derivatives store. */
  readonly bytes?: number | undefined
  /** Workgroups of a dispatch. */
  readonly groups?: number | undefined
}

/** What a loop is called in messages. */
export function loopName({ span }: { readonly span: Span | null }, func: Func): string {
  if (span === null) return `a loop of ${func.name}`
  const { line, column } = span.file.position(span.start)
  return `the loop at ${span.presumed?.file ?? span.file.name}:${span.presumed?.line ?? line}:${column}`
}

/** The message where a call has made all the trips that it may. */
export function tooManyTrips(loop: string, trips: number): string {
  return `the call makes more than ${trips} trips of loops, which is all that limits.trips allows: ${loop} goes on`
}

/** The message where a call reaches a loop that the compiler may drop: nothing in it has an effect, and nothing ends it. */
export function endless(loop: string): string {
  return `the call came to a loop that nothing ends: ${loop} goes on`
}

/** The message where calls nest too deeply. */
export function tooDeepCalls(func: Func, depth: number): string {
  const place = func.span === null ? '' : ` at ${func.span.file.name}:${func.span.file.position(func.span.start).line}`
  return `calls are nested more than ${depth} deep, which is all that limits.depth allows: ${func.name}${place} calls itself`
}

const names = ['trips', 'depth', 'bytes', 'groups'] as const

/** Whether these are limits that can be counted. */
export function isRunLimits(limits: unknown): boolean {
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) return false
  try {
    checkedLimits(limits)
    return true
  } catch {
    return false
  }
}

/** The limits for counting. Throws a `RangeError` if one is invalid. */
export function checkedLimits(limits: RunLimits | undefined): RunLimits {
  const most = 2 ** 32 - 1
  const out: Record<string, number> = {}
  for (const [name, limit] of Object.entries(limits ?? {}) as [string, unknown][]) {
    if (!(names as readonly string[]).includes(name))
      throw new RangeError(`there is no limit ${name}: there are ${names.join(', ')}`)
    if (limit === undefined || limit === Infinity) continue
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0)
      throw new RangeError(`limits.${name} is a whole number, none below 0, and ${String(limit)} came`)
    out[name] = name === 'bytes' ? limit : Math.min(limit, most)
  }
  return out
}
