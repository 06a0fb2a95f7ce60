/** What the server answers to `cotangent/explain`, how people read it, and the limits that make sense for it. */
import type { Diagnostic, Range } from 'vscode-languageserver-protocol'
import type { Json } from '../project/project.ts'

/** What becomes of a value, with what that means. */
export const decisions = {
  kept: 'at hand anyway: it costs nothing',
  recomputed: 'computed again in the reverse pass',
  stored: 'held in memory until the reverse pass needs it',
} as const
export type Decision = keyof typeof decisions

/** A value that a reverse pass needs. */
export interface Value {
  readonly value: string
  readonly range: Range
  readonly decision: Decision
  /** False where only values that are computed again need it. */
  readonly used: boolean
  readonly bytes: number
  /** Null where nothing bounds how often it is computed. */
  readonly trips: number | null
  readonly stored: number
  readonly operations: number
  readonly reason: string
  readonly change?: {
    readonly attribute: string
    readonly on: string
    readonly bytes: number
    readonly operations: number
  }
}

/** The reverse pass of one function. */
export interface Explained {
  readonly name: string
  readonly range: Range
  /** True where the reverse derivative is the user's own. */
  readonly custom: boolean
  readonly values: readonly Value[]
  readonly bytes: number
  readonly memory: number
  readonly operations: number
}

export interface ExplainAnswer {
  readonly functions: readonly Explained[]
  readonly diagnostics: readonly Diagnostic[]
  readonly refused?: string
}

/** What the pane remembers in a link. */
export interface ExplainPicks {
  /** How many bytes a reverse pass may store; undefined is no limit. */
  readonly maxContext?: number
}

/** What a link says, as far as it makes sense. */
export function explainPicks(said: Json | undefined): ExplainPicks {
  const { maxContext } =
    typeof said === 'object' && said !== null && !Array.isArray(said) ? (said as { [name: string]: Json }) : {}
  return typeof maxContext === 'number' && Number.isInteger(maxContext) && maxContext >= 0 && maxContext <= 2 ** 31
    ? { maxContext }
    : {}
}

/**
 * The limits that a slider offers, from small to large: from four bytes to what the functions store where nothing limits them, each about √2 times the
 * one before.
 */
export function limitsFor(functions: readonly Explained[]): readonly number[] {
  const most = Math.max(0, ...functions.map(f => Math.max(f.bytes, f.memory)))
  const limits: number[] = []
  for (let limit = most; limit >= 4; limit /= Math.SQRT2) limits.unshift(Math.round(limit / 4) * 4)
  return [...new Set(limits)]
}

/** Whether a value matters by itself. What only serves to compute others is of interest where it takes memory. */
export function matters({ used, decision }: Value): boolean {
  return used || decision === 'stored'
}

/** The values that a table shows: those that read alike as one, with the sum of what they cost. */
export function merged(values: readonly Value[]): readonly Value[] {
  const found = new Map<string, Value>()
  for (const v of values) {
    const key = JSON.stringify([v.value, v.range, v.decision, v.used, v.trips, v.reason])
    const old = found.get(key)
    const { bytes, stored, operations } = v
    found.set(
      key,
      old === undefined
        ? v
        : { ...old, bytes: old.bytes + bytes, stored: old.stored + stored, operations: old.operations + operations },
    )
  }
  return [...found.values()]
}

/** What a value costs, for people. */
export function costOf({ decision, bytes, trips, stored, operations }: Value): string {
  switch (decision) {
    case 'kept':
      return 'nothing'
    case 'recomputed':
      return operations === 0 ? 'nothing' : counted(operations, 'operation')
    case 'stored':
      if (trips === null) return `${number(bytes)} B for each trip`
      return trips === 1 ? `${number(bytes)} B` : `${number(bytes)} B × ${number(trips)} trips = ${number(stored)} B`
  }
}

/** A value, what becomes of it and why, as a sentence. */
export function toldOf(v: Value): string {
  const cost = v.decision === 'kept' ? '' : ` (${costOf(v)})`
  return `${v.value}: ${v.decision}${cost}. Why: ${v.reason}.`
}

/** What the other choice would change. */
export function changeOf({ change }: Value): string {
  if (change === undefined) return ''
  const { attribute, on, bytes, operations } = change
  return `[${attribute}]${on === '' ? '' : ` on ${on}`}: ${signed(bytes)} B, ${signed(operations)} operation${Math.abs(operations) === 1 ? '' : 's'}`
}

/** A number with its unit. */
export function counted(n: number, what: string): string {
  return `${number(n)} ${what}${n === 1 ? '' : 's'}`
}

export function number(n: number): string {
  return n.toLocaleString('en')
}

function signed(n: number): string {
  return n < 0 ? `−${number(-n)}` : `+${number(n)}`
}
