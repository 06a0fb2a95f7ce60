/** Bounds on what a program may do when it runs, for hosts that run programs of strangers. */
import type { Func, Inst } from '../ir/value.ts'

/** What one call of a function, or one dispatch of a kernel, may take. What is not given is not bounded, and costs nothing. */
export interface RunLimits {
  /** Trips of loops, of all together. */
  readonly trips?: number | undefined
  /** How many calls of functions that call themselves may be open at once. */
  readonly depth?: number | undefined
  /** Bytes of memory: of variables, of what is bound, and of what reverse derivatives store. */
  readonly bytes?: number | undefined
  /** Workgroups of a dispatch. */
  readonly groups?: number | undefined
}

/** What a loop is called in messages. */
export function loopName(inst: Inst, func: Func): string {
  const { span } = inst
  if (span === null) return `a loop of ${func.name}`
  const { line, column } = span.file.position(span.start)
  return `the loop at ${span.presumed?.file ?? span.file.name}:${span.presumed?.line ?? line}:${column}`
}

/** What is said where a call has made all the trips that it may. */
export function tooManyTrips(loop: string, trips: number): string {
  return `the call makes more than ${trips} trips of loops, which is all that limits.trips allows: ${loop} goes on`
}

/** What is said where calls are nested more deeply than they may be. */
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

/** The limits as they are counted. Throws a `RangeError` for what is no limit. */
export function checkedLimits(limits: RunLimits | undefined): RunLimits {
  const most = 2 ** 32 - 1
  const out: Record<string, number> = {}
  for (const [name, limit] of Object.entries(limits ?? {}) as [string, unknown][]) {
    if (!(names as readonly string[]).includes(name)) throw new RangeError(`there is no limit ${name}: there are ${names.join(', ')}`)
    if (limit === undefined || limit === Infinity) continue
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) throw new RangeError(`limits.${name} is a whole number, none below 0, and ${String(limit)} came`)
    out[name] = name === 'bytes' ? limit : Math.min(limit, most)
  }
  return out
}
