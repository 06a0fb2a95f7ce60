/**
 * What the reverse pass of a function keeps, as data: for each primal value that it needs, whether it is kept, recomputed or
 * stored, at what cost, and why. What an attribute would change is found by solving the same minimum cut with other constraints.
 */
import type { Change, Choice, Decisions, Explanation, Residual } from './model.ts'
import type { Span } from '../base/source.ts'
import type { Func, Inst, Value } from '../ir/value.ts'
import { count, placeOf, Report, Stores, type Callees, type Draft, type Found } from './held.ts'

/** Bytes of a function's stored residuals besides registers. */
function storedBytes(d: Draft): number {
  return d.residuals.reduce((sum, r) => sum + (d.registers.get(r) ?? r.stored), 0)
}

/** Bytes that a function's reverse half takes besides its inputs. */
function insideOf(d: Draft): number {
  return d.callees.reduce(
    (sum, { draft, again }) =>
      sum + (again ? (draft.inside ? draft.context : storedBytes(draft)) : 0) + insideOf(draft),
    d.inside ? storedBytes(d) : 0,
  )
}

/** Collects the decisions of all reverse passes of a program. */
export class Explainer extends Stores {
  readonly #made: Map<Draft, Explanation> = new Map()
  readonly #spans: Map<Residual, Span | null> = new Map()

  protected override read(decisions: Decisions): Found {
    return new FullReport(decisions, this.ofPrimal, this.segments).make()
  }

  /** The explanations, those of functions that no other function calls first. */
  explanations(): readonly Explanation[] {
    const drafts = [...this.ofPrimal.values()]
    const called = new Set(drafts.flatMap(d => d.callees.map(c => c.draft)))
    return drafts.filter(d => !called.has(d)).map(d => this.#explain(d))
  }

  /** The whole place of a residual of an explanation, of which it has the start only. */
  spanOf(residual: Residual): Span | null {
    return this.#spans.get(residual) ?? null
  }

  /** Where the function of an explanation stands. */
  placeOf(explanation: Explanation): Span | null {
    return [...this.#made].find(([, made]) => made === explanation)?.[0].func.span ?? null
  }

  #explain(d: Draft): Explanation {
    const known = this.#made.get(d)
    if (known !== undefined) return known
    const callees = d.callees.map(c => this.#explain(c.draft))
    const residuals = d.residuals.map((r): Residual => {
      const stored = d.held ? undefined : d.registers.get(r)
      if (stored === undefined) return r
      return stored > 0
        ? { ...r, stored }
        : {
            ...r,
            decision: 'kept',
            stored,
            reason: 'a register: the two passes are one function where they are called',
            change: undefined,
          }
    })
    residuals.forEach((r, i) => this.#spans.set(r, d.spans.get(d.residuals[i]!) ?? null))
    const bytes = residuals.reduce((sum, r) => sum + r.stored, 0)
    const { file, line } = placeOf(d.func.span)
    const made: Explanation = {
      name: d.func.name,
      file,
      line,
      custom: d.custom,
      residuals,
      bytes,
      memory: bytes + insideOf(d) - (d.inside ? bytes : 0),
      operations: d.operations,
      callees,
    }
    this.#made.set(d, made)
    return made
  }
}

/** In functions with more values than this the minimum cut is not solved again, so nothing is said of attributes. It shapes no code. */
const changeLimit = 400

/** What is said of all values, and what other choices would change. */
class FullReport extends Report {
  readonly #needed: ReadonlySet<Value>

  constructor(of: Decisions, callees: Callees, segments: ReadonlySet<Func>) {
    super(of, callees, segments)
    this.#needed = new Set(of.needed())
  }

  protected override tells(v: Value): boolean {
    return !isConstant(v)
  }

  override make(): Found {
    return { ...super.make(), operations: this.#totals(this.of.choices).operations }
  }

  protected override residuals(values: readonly Value[]): Residual[] {
    const withChange = values.length <= changeLimit
    // What an instruction with several results costs is said once.
    const said = new Set<Inst>()
    return values.map(v => {
      const { def } = v
      const isFirst = def.op === 'param' || !said.has(def)
      if (def.op !== 'param') said.add(def)
      const choice = this.of.choices.get(v)!
      return {
        ...this.residual(v),
        used: this.#needed.has(v),
        operations: choice === 'recompute' && isFirst ? this.#operations(v) : 0,
        change: withChange && isFirst ? this.#change(v, choice) : undefined,
      }
    })
  }

  /** Bytes and operations of one call under some choices. */
  #totals(choices: Decisions['choices']): { readonly bytes: number; readonly operations: number } {
    let bytes = 0,
      operations = 0
    const counted = new Set<Inst>()
    for (const [v, choice] of choices) {
      if (choice === 'store') bytes += this.bytes(v) * (this.trips(v) ?? 1)
      if (choice !== 'recompute') continue
      if (v.def.op !== 'param') {
        if (counted.has(v.def)) continue
        counted.add(v.def)
      }
      operations += this.#operations(v)
    }
    return { bytes, operations }
  }

  #operations(v: Value): number {
    return (this.of.recipe(v)?.cost ?? 0) * (this.trips(v) ?? 1)
  }

  protected override reason(v: Value, choice: Choice): string {
    const recipe = this.of.recipe(v)
    const { def } = v
    if (choice === 'free') {
      if (def.op === 'param' && def === this.of.trees.primal) return 'a parameter: the reverse pass takes it'
      return this.counts(v) ? 'counts the trips, as the reverse pass does' : 'known when compiling'
    }
    const callee = def.op !== 'param' && def.op === 'call' ? def.attr : undefined
    const name = callee === undefined ? '' : this.nameOf(callee)
    if (choice === 'recompute') {
      if (def.op === 'param') return 'follows from the trip number'
      if (callee !== undefined && this.isSegment(callee))
        return 'a segment of the loop is run again from the state before it'
      if (callee?.info.prefer === 'recompute') return `${name} is marked [PreferRecompute]`
      if (def.op === 'loop') return 'run again: no slots can be had, for nothing bounds the loop around it'
      if (def.op === 'load' || def.op === 'var') return 'nothing writes this memory afterwards'
      if (recipe!.cost === 0) return 'costs nothing, given what it is made of'
      return `${count(recipe!.cost, 'operation')} cost less than ${count(this.bytes(v), 'byte')} of memory`
    }
    return super.reason(v, choice)
  }

  #change(v: Value, choice: Choice): Change | undefined {
    const recipe = this.of.recipe(v)
    if (choice === 'free' || recipe === undefined || v.def.op === 'param' || v.type.kind === 'ptr') return undefined
    if (choice === 'recompute' && (recipe.cost === 0 || v.def.op === 'load')) return undefined
    const callee = v.def.op === 'call' ? v.def.attr : undefined
    if (callee !== undefined && callee.info.prefer !== 'none') return undefined
    const before = this.#totals(this.of.choices)
    const after = this.#totals(
      this.of.decide(
        v.def.results.filter(r => this.of.choices.has(r)),
        choice === 'store' ? 'recompute' : 'store',
      ),
    )
    if (after.bytes === before.bytes && after.operations === before.operations) return undefined
    return {
      attribute: choice === 'store' ? 'PreferRecompute' : 'PreferCheckpoint',
      on: callee === undefined || callee.info.library ? '' : this.nameOf(callee),
      bytes: after.bytes - before.bytes,
      operations: after.operations - before.operations,
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
