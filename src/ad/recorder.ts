/**
 * Records what the reverse passes of a program keep: for each primal value that one needs, whether it is kept, recomputed or
 * stored, at what cost, and why. All of it is read off the decisions of `checkpoint`. `explain.ts` makes explanations of it.
 */
import type { Change, Choice, Decisions, Held, Residual, Split } from './model.ts'
import type { Span } from '../base/source.ts'
import type { Func, Inst, Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import type { Explain } from './context.ts'
import { baseOf } from '../opt/match.ts'
import { bytesOf, inMemory } from './residual.ts'

/** What is known of one reverse pass. It is not final: later callers may hold its context. */
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
interface Callee {
  readonly draft: Draft
  readonly again: boolean
}

type Found = Pick<Draft, 'residuals' | 'registers' | 'spans' | 'operations' | 'callees' | 'inside' | 'context'>

const nothing: Found = {
  residuals: [],
  registers: new Map(),
  spans: new Map(),
  operations: 0,
  callees: [],
  inside: false,
  context: 0,
}

/** What an attribute on what computes a value would change. */
export type FindChange = (report: Report, v: Value, choice: Choice) => Change | undefined

/** Collects the decisions of all reverse passes of a program. */
export class Recorder implements Explain {
  protected readonly ofPrimal: Map<Func, Draft> = new Map()
  readonly #segments: Set<Func> = new Set()
  #last: Found = nothing
  readonly #change: FindChange | undefined

  constructor(change?: FindChange) {
    this.#change = change
  }

  decided(decisions: Decisions): void {
    this.#last = new Report(decisions, this.ofPrimal, this.#segments).make(this.#change)
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
    this.#segments.add(func)
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

export function placeOf(span: Span | null): { readonly file: string; readonly line: number; readonly column: number } {
  if (span === null) return { file: '', line: 0, column: 0 }
  const { line, column } = span.file.position(span.start)
  return { file: span.presumed?.file ?? span.file.name, line: span.presumed?.line ?? line, column }
}

/** The longest source text that names a value without a name. Like the next, it shapes what is said and no code. */
const textLimit = 40
type Callees = ReadonlyMap<Func, Draft>

/** What is to be said of the decisions about one function. */
export class Report {
  readonly of: Decisions
  /** Those that something is said of, in order. */
  readonly values: readonly Value[]
  readonly #callees: Callees
  readonly #segments: ReadonlySet<Func>
  readonly #needed: ReadonlySet<Value>

  constructor(of: Decisions, callees: Callees, segments: ReadonlySet<Func>) {
    this.of = of
    this.#segments = segments
    this.#callees = callees
    this.#needed = new Set(of.needed())
    const orderOf = (v: Value): number => of.primal.sites[v.id]!.order
    this.values = [...of.choices.keys()].filter(v => !isConstant(v)).sort((a, b) => orderOf(a) - orderOf(b))
  }

  make(change: FindChange | undefined): Found {
    const { choices } = this.of
    const registers = new Map<Residual, number>()
    const spans = new Map<Residual, Span | null>()
    // What an instruction with several results costs is said once.
    const said = new Set<Inst>()
    const residuals = this.values.map(v => {
      const def = v.def.op === 'param' ? undefined : v.def
      const r = this.#residual(v, change, def === undefined || !said.has(def))
      if (def !== undefined) said.add(def)
      spans.set(r, this.#span(v))
      if (r.decision === 'stored' && this.of.primal.sites[v.id]!.loops.length === 0 && inMemory(v.type) < r.stored)
        registers.set(r, inMemory(v.type))
      return r
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
    return {
      residuals,
      registers,
      spans,
      operations: this.totals(choices).operations,
      callees: list,
      inside: false,
      context: 0,
    }
  }

  /** Bytes and operations of one call under some choices. */
  totals(choices: Decisions['choices']): { readonly bytes: number; readonly operations: number } {
    let bytes = 0,
      operations = 0
    const counted = new Set<Inst>()
    for (const [v, choice] of choices) {
      if (choice === 'store') bytes += this.#bytes(v) * (this.#trips(v) ?? 1)
      if (choice !== 'recompute') continue
      if (v.def.op !== 'param') {
        if (counted.has(v.def)) continue
        counted.add(v.def)
      }
      operations += this.#operations(v)
    }
    return { bytes, operations }
  }

  #bytes(v: Value): number {
    return bytesOf(v.type.kind === 'ptr' ? v.type.elem! : v.type)
  }

  #trips(v: Value): number | null {
    let trips = 1
    for (const loop of this.of.primal.sites[v.id]!.loops) {
      const bound = this.of.bound(loop)
      if (bound === undefined) return null
      trips *= Math.max(1, bound.max)
    }
    return trips
  }

  #operations(v: Value): number {
    return (this.of.recipe(v)?.cost ?? 0) * (this.#trips(v) ?? 1)
  }

  #residual(v: Value, change: FindChange | undefined, isFirst: boolean): Residual {
    const choice = this.of.choices.get(v)!
    const trips = this.#trips(v)
    const entry = this.of.entries.find(e => e.value === v)
    return {
      value: this.#name(v),
      ...this.#place(v),
      used: this.#needed.has(v),
      decision: choice === 'free' ? 'kept' : choice === 'store' ? 'stored' : 'recomputed',
      bytes: this.#bytes(v),
      trips,
      stored: entry === undefined ? 0 : this.#bytes(v) * (trips ?? 1),
      operations: choice === 'recompute' && isFirst ? this.#operations(v) : 0,
      reason: this.#reason(v, choice),
      change: isFirst ? change?.(this, v, choice) : undefined,
    }
  }

  #place(v: Value): { readonly file: string; readonly line: number; readonly column: number } {
    return placeOf(this.#span(v))
  }

  #span(v: Value): Span | null {
    if (v.def.op !== 'param') return v.def.span
    const loop = this.of.primal.sites[v.id]!.loops.at(-1)
    return loop === undefined ? this.of.trees.work.span : loop.span
  }

  #name(v: Value): string {
    const from = this.#contextOf(v)
    if (from !== undefined) return `context of ${from.func.name}`
    if (v.name !== '') return v.name
    if (v.def.op !== 'param' && v.def.op === 'load') {
      const root = baseOf(v.def.args[0]!)
      if (root.name !== '') return v.def.args[0] === root ? root.name : `${root.name}[…]`
    }
    if (v.def.op === 'param') return this.#counts(v) ? 'trip number' : 'carried value'
    if (this.#isCount(v)) return 'number of trips'
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
  nameOf(func: Func): string {
    return this.#callees.get(func)?.func.name ?? func.name
  }

  #counts(v: Value): boolean {
    for (const counter of this.of.counters.values()) if (counter === v) return true
    return false
  }

  #isCount(v: Value): boolean {
    for (const trips of this.of.trees.trips.values()) if (trips.count === v) return true
    return false
  }

  #reason(v: Value, choice: Choice): string {
    const recipe = this.of.recipe(v)
    const { def } = v
    if (choice === 'free') {
      if (def.op === 'param' && def === this.of.trees.primal) return 'a parameter: the reverse pass takes it'
      return this.#counts(v) ? 'counts the trips, as the reverse pass does' : 'known when compiling'
    }
    const callee = def.op !== 'param' && def.op === 'call' ? def.attr : undefined
    const name = callee === undefined ? '' : this.nameOf(callee)
    if (choice === 'recompute') {
      if (def.op === 'param') return 'follows from the trip number'
      if (this.#segments.has(this.#callees.get(callee!)?.func ?? callee!))
        return 'a segment of the loop is run again from the state before it'
      if (callee?.info.prefer === 'recompute') return `${name} is marked [PreferRecompute]`
      if (def.op === 'loop') return 'run again: no slots can be had, for nothing bounds the loop around it'
      if (def.op === 'load' || def.op === 'var') return 'nothing writes this memory afterwards'
      if (recipe!.cost === 0) return 'costs nothing, given what it is made of'
      return `${count(recipe!.cost, 'operation')} cost less than ${count(this.#bytes(v), 'byte')} of memory`
    }
    if (recipe !== undefined) return `${count(this.#bytes(v), 'byte')} cost less than what computing it again needs`
    if (def.op === 'param') return 'carried from trip to trip: a trip starts from what the one before left'
    if (callee !== undefined) {
      if (this.#segments.has(this.#callees.get(callee)?.func ?? callee))
        return 'the states before the last trips: those before are made again'
      return callee.info.prefer === 'checkpoint'
        ? `${name} is marked [PreferCheckpoint]`
        : `${name} has effects, or reads what the derivative writes, so it is not called again`
    }
    switch (def.op) {
      case 'var':
        return 'an array that is written: kept as it is in the end'
      case 'load':
        return 'this memory is written again after it is read'
      case 'loop':
        return this.#isCount(v) ? 'how many trips the reverse pass takes' : 'what a loop gives, which is not run again'
      case 'if':
      case 'switch':
        return 'a branch with effects or memory of its own, which is not run again'
      default:
        return 'has effects, so it is not computed again'
    }
  }
}

/** True for a value that is computed from constants alone. */
function isConstant(v: Value): boolean {
  const { def } = v
  if (def.op === 'param' || def.regions.length > 0) return false
  if (def.op === 'const' || def.op === 'zero' || def.op === 'undef') return true
  return def.row.effect === 'none' && def.op !== 'call' && def.args.length > 0 && def.args.every(isConstant)
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
