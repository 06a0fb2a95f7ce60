/**
 * What the reverse pass of a function stores, as data: each value, how many bytes it takes, and why it is stored. All of it is read off
 * the decisions of `checkpoint`. Where a budget is too small, the error names the largest values. `explain.ts` says more.
 */
import type { Choice, Decisions, Held, Residual, Split } from './model.ts'
import type { Span } from '../base/source.ts'
import { type Func, type Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import type { Explain } from './context.ts'
import { baseOf } from '../ir/pointer.ts'
import { bytesOf, inMemory } from './residual.ts'

/** An explanation that is not final: later callers may hold its context. */
export interface Draft {
  readonly func: Func
  readonly split: Split
  readonly custom: boolean
  readonly residuals: readonly Residual[]
  /** For residuals that are registers when no caller holds the context: their bytes that take memory nevertheless. */
  readonly registers: ReadonlyMap<Residual, number>
  readonly spans: ReadonlyMap<Residual, Span | null>
  readonly operations: number
  readonly callees: readonly Callee[]
  /**
   * `inside`: whether it keeps its values within its reverse half instead of in a context; `context`: the bytes of the context that
   * it has besides.
   */
  readonly inside: boolean
  readonly context: number
  /** Whether a caller holds its context. */
  held: boolean
}

/** A callee in a reverse half; `again`: its context is made there, too. */
export interface Callee {
  readonly draft: Draft
  readonly again: boolean
}

export type Found = Pick<Draft, 'residuals' | 'registers' | 'spans' | 'operations' | 'callees' | 'inside' | 'context'>

const nothing: Found = {
  residuals: [],
  registers: new Map(),
  spans: new Map(),
  operations: 0,
  callees: [],
  inside: false,
  context: 0,
}

/** Collects what the reverse passes of a program store. */
export class Stores implements Explain {
  protected readonly ofPrimal: Map<Func, Draft> = new Map()
  protected readonly segments: Set<Func> = new Set()
  #last: Found = nothing

  /** What the decisions about a function come to. */
  protected read(decisions: Decisions): Found {
    return new Report(decisions, this.ofPrimal, this.segments).make()
  }

  decided(decisions: Decisions): void {
    this.#last = this.read(decisions)
  }

  kept(states: number, parts: readonly Value[], span: Func['span'], step: Split, window?: number): void {
    const reason =
      window === undefined
        ? `[Checkpoints(${states})]: so many at a time, and trips from one to the next are run again`
        : `states from which ${window} trips at a time are run again`
    const residuals =
      states === 0
        ? []
        : parts.map((v): Residual => {
            const bytes = bytesOf(v.type)
            return {
              value: v.name,
              ...placeOf(span),
              decision: 'stored',
              used: true,
              bytes,
              trips: states,
              stored: bytes * states,
              operations: 0,
              reason,
              change: undefined,
            }
          })
    const trip = this.ofPrimal.get(step.primal)
    const each = parts.reduce((sum, v) => sum + bytesOf(v.type), 0)
    this.#last = {
      residuals,
      registers: new Map(),
      spans: new Map(residuals.map(r => [r, span])),
      operations: 0,
      callees: trip === undefined ? [] : [{ draft: trip, again: true }],
      inside: true,
      context: each * (window ?? 0),
    }
  }

  split(func: Func, split: Split, isCustom: boolean): void {
    this.ofPrimal.set(split.primal, {
      func,
      split,
      custom: isCustom,
      ...(isCustom ? nothing : this.#last),
      held: false,
    })
    this.#last = nothing
  }

  segment(func: Func): void {
    this.segments.add(func)
  }

  /** How much was found so far. */
  mark(): number {
    return this.ofPrimal.size
  }

  /** Drops what was found after the mark. */
  forget(mark: number): void {
    for (const func of [...this.ofPrimal.keys()].slice(mark)) this.ofPrimal.delete(func)
  }

  /** What takes memory in the reverse pass of a split function and of what it calls. */
  heldBy(primal: Func): readonly Held[] {
    const found: Held[] = []
    const seen = new Set<Draft>()
    const visit = (d: Draft | undefined): void => {
      if (d === undefined || seen.has(d)) return
      seen.add(d)
      for (const residual of d.residuals) {
        if (residual.stored > 0 && (d.held || d.registers.get(residual) !== 0))
          found.push({ residual, span: d.spans.get(residual) ?? null, func: d.func })
      }
      for (const c of d.callees) visit(c.draft)
    }
    visit(this.ofPrimal.get(primal))
    return found
  }
}

/** A place as numbers. */
export function placeOf(span: Span | null): { readonly file: string; readonly line: number; readonly column: number } {
  if (span === null) return { file: '', line: 0, column: 0 }
  const { line, column } = span.file.position(span.start)
  return { file: span.presumed?.file ?? span.file.name, line: span.presumed?.line ?? line, column }
}

/** The longest source text that names a value without a name. It shapes what is said and no code. */
const textLimit = 40

/** The functions that were differentiated before, by their primal halves. */
export type Callees = ReadonlyMap<Func, Draft>

/** What is said of the decisions about one function. */
export class Report {
  protected readonly of: Decisions
  protected readonly segments: ReadonlySet<Func>
  readonly #callees: Callees

  constructor(of: Decisions, callees: Callees, segments: ReadonlySet<Func>) {
    this.of = of
    this.segments = segments
    this.#callees = callees
  }

  /** Whether something is said of a value. */
  protected tells(_: Value, choice: Choice): boolean {
    return choice === 'store'
  }

  make(): Found {
    const { choices, primal } = this.of
    const values = [...choices].filter(([v, choice]) => this.tells(v, choice)).map(([v]) => v)
    values.sort((a, b) => primal.sites[a.id]!.order - primal.sites[b.id]!.order)
    const registers = new Map<Residual, number>()
    const spans = new Map<Residual, Span | null>()
    const residuals = this.residuals(values)
    residuals.forEach((r, i) => {
      const v = values[i]!
      spans.set(r, this.#span(v))
      if (r.decision === 'stored' && primal.sites[v.id]!.loops.length === 0 && inMemory(v.type) < r.stored)
        registers.set(r, inMemory(v.type))
    })
    const reversed = new Set<Func>()
    walk(this.of.adjoint.body, inst => {
      if (inst.op === 'call') reversed.add(inst.attr)
    })
    const callees = new Map<Draft, boolean>()
    walk(this.of.trees.primal, inst => {
      const callee = inst.op === 'call' ? this.#callees.get(inst.attr) : undefined
      if (callee === undefined || !reversed.has(callee.split.vjp)) return
      const chosen = inst.results.map(v => choices.get(v))
      if (chosen.some((c, i) => i >= callee.split.own && c === 'store')) callee.held = true
      callees.set(callee, callees.get(callee) === true || chosen.includes('recompute'))
    })
    const list = [...callees].map(([draft, again]): Callee => ({ draft, again }))
    return { ...nothing, residuals, registers, spans, callees: list }
  }

  protected residuals(values: readonly Value[]): Residual[] {
    return values.map(v => this.residual(v))
  }

  /** What is said of a value, without what it costs to compute it again. */
  protected residual(v: Value): Residual {
    const choice = this.of.choices.get(v)!
    const trips = this.trips(v)
    const bytes = this.bytes(v)
    return {
      value: this.#name(v),
      ...placeOf(this.#span(v)),
      used: true,
      decision: choice === 'free' ? 'kept' : choice === 'store' ? 'stored' : 'recomputed',
      bytes,
      trips,
      stored: choice === 'store' ? bytes * (trips ?? 1) : 0,
      operations: 0,
      reason: this.reason(v, choice),
      change: undefined,
    }
  }

  protected bytes(v: Value): number {
    return bytesOf(v.type.kind === 'ptr' ? v.type.elem! : v.type)
  }

  protected trips(v: Value): number | null {
    let trips = 1
    for (const loop of this.of.primal.sites[v.id]!.loops) {
      const bound = this.of.bound(loop)
      if (bound === undefined) return null
      trips *= Math.max(1, bound.max)
    }
    return trips
  }

  #span(v: Value): Span | null {
    const from = v.def.op === 'param' ? this.of.primal.sites[v.id]!.loops.at(-1) : v.def
    // What stands nowhere, such as a part of a parameter, is where the function is.
    return from?.span ?? this.of.trees.work.span
  }

  #name(v: Value): string {
    const from = this.#contextOf(v)
    if (from !== undefined) return `context of ${from.func.name}`
    if (v.name !== '') return v.name
    if (v.def.op !== 'param' && v.def.op === 'load') {
      const root = baseOf(v.def.args[0]!)
      if (root.name !== '') return v.def.args[0] === root ? root.name : `${root.name}[…]`
    }
    if (v.def.op === 'param') return this.counts(v) ? 'trip number' : 'carried value'
    if (this.isCount(v)) return 'number of trips'
    const { span } = v.def
    if (span === null) return v.def.op
    const text = span.file.text.slice(span.start, span.end).replace(/\s+/g, ' ')
    return v.def.op === 'if' || v.def.op === 'switch' || text.length > textLimit
      ? `${text.slice(0, textLimit - 1)}…`
      : text
  }

  /** The callee whose context a value is. */
  #contextOf(v: Value): Draft | undefined {
    if (v.def.op === 'param' || v.def.op !== 'call') return undefined
    const callee = this.#callees.get(v.def.attr)
    return callee !== undefined && v.index >= callee.split.own ? callee : undefined
  }

  /** The source's name of a function or of its primal half. */
  protected nameOf(func: Func): string {
    return this.#callees.get(func)?.func.name ?? func.name
  }

  protected counts(v: Value): boolean {
    for (const counter of this.of.counters.values()) if (counter === v) return true
    return false
  }

  protected isCount(v: Value): boolean {
    for (const trips of this.of.trees.trips.values()) if (trips.count === v) return true
    return false
  }

  /** Whether a callee is a segment of a loop. */
  protected isSegment(callee: Func): boolean {
    return this.segments.has(this.#callees.get(callee)?.func ?? callee)
  }

  /** Why a value is stored. */
  protected reason(v: Value, _: Choice): string {
    const { def } = v
    if (this.of.recipe(v) !== undefined)
      return `${count(this.bytes(v), 'byte')} cost less than what computing it again needs`
    if (def.op === 'param') return 'carried from trip to trip: a trip starts from what the one before left'
    if (def.op === 'call') {
      const callee = def.attr
      if (this.isSegment(callee)) return 'the states before the last trips: those before are made again'
      return callee.info.prefer === 'checkpoint'
        ? `${this.nameOf(callee)} is marked [PreferCheckpoint]`
        : `${this.nameOf(callee)} has effects, or reads what the derivative writes, so it is not called again`
    }
    switch (def.op) {
      case 'var':
        return 'an array that is written: kept as it is in the end'
      case 'load':
        return 'this memory is written again after it is read'
      case 'loop':
        return this.isCount(v) ? 'how many trips the reverse pass takes' : 'what a loop gives, which is not run again'
      case 'if':
      case 'switch':
        return 'a branch with effects or memory of its own, which is not run again'
      default:
        return 'has effects, so it is not computed again'
    }
  }
}

/** A number of things. */
export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
