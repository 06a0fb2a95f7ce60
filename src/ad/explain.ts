/**
 * What the reverse pass of a function keeps, as data. What an attribute would change is found by solving the minimum cut of
 * `checkpoint` again with other constraints.
 */
import type { Change, Choice, Explanation, Residual } from './model.ts'
import type { Span } from '../base/source.ts'
import type { Value } from '../ir/value.ts'
import { Recorder, placeOf, type Draft, type Report } from './recorder.ts'

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

/** Explains the reverse passes of a program. */
export class Explainer extends Recorder {
  readonly #made: Map<Draft, Explanation> = new Map()
  readonly #spans: Map<Residual, Span | null> = new Map()

  constructor() {
    super(changeOf)
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

/** In functions with more values than this the minimum cut is not solved again, so nothing is said of attributes. */
const changeLimit = 400

function changeOf(report: Report, v: Value, choice: Choice): Change | undefined {
  if (report.values.length > changeLimit) return undefined
  const { of } = report
  const recipe = of.recipe(v)
  if (choice === 'free' || recipe === undefined || v.def.op === 'param' || v.type.kind === 'ptr') return undefined
  if (choice === 'recompute' && (recipe.cost === 0 || v.def.op === 'load')) return undefined
  const callee = v.def.op === 'call' ? v.def.attr : undefined
  if (callee !== undefined && callee.info.prefer !== 'none') return undefined
  const before = report.totals(of.choices)
  const after = report.totals(
    of.decide(
      v.def.results.filter(r => of.choices.has(r)),
      choice === 'store' ? 'recompute' : 'store',
    ),
  )
  if (after.bytes === before.bytes && after.operations === before.operations) return undefined
  return {
    attribute: choice === 'store' ? 'PreferRecompute' : 'PreferCheckpoint',
    on: callee === undefined || callee.info.library ? '' : report.nameOf(callee),
    bytes: after.bytes - before.bytes,
    operations: after.operations - before.operations,
  }
}
