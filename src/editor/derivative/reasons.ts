/**
 * Why a function is not differentiable: what it lacks itself, and the calls in which derivatives would get lost, each with the reasons of what is
 * called. The checker's own analysis finds the calls, as if the function were marked.
 */
import { Sink, type Diagnostic } from '../../base/diag.ts'
import { lostInCall, lostInOutput } from '../../base/errors/derivative.ts'
import type { Span } from '../../base/source.ts'
import type { FuncDecl } from '../../check/model/decl.ts'
import { noSubst, show } from '../../check/model/type.ts'
import { rangeOf, type Range } from '../range.ts'
import { callsIn, nameOf, type Call, type EditorProgram } from './subject.ts'

/** A reason, and the reasons behind it. */
export interface Reason {
  /** A sentence without a full stop. */
  readonly text: string
  /** The place that it speaks of; undefined where that is no file of the user's. */
  readonly place: { readonly file: string; readonly range: Range } | undefined
  readonly because: readonly Reason[]
}

/** Whether a function can be differentiated. */
export interface Differentiability {
  readonly level: 'none' | 'forward' | 'backward'
  /** Why it is not, or which derivatives get lost although it is. */
  readonly reasons: readonly Reason[]
}

/** How many calls a chain of reasons follows. */
const deepest = 6

/** How far a function can be differentiated, and why not further. */
export function differentiabilityOf(program: EditorProgram, func: FuncDecl): Differentiability {
  const { level, treatAsDifferentiable } = program.checked.program.attributes(func)
  return { level, reasons: treatAsDifferentiable ? [] : reasonsFor(program, func) }
}

/** The reasons why derivatives do not get through a function; none where they do. */
export function reasonsFor(program: EditorProgram, func: FuncDecl): readonly Reason[] {
  return new Chain(program).of(func, 0)
}

/** The reasons as lines, those behind others further in. */
export function reasonText(reasons: readonly Reason[], indent = ''): string {
  return reasons.map(r => `${indent}- ${r.text}\n${reasonText(r.because, `${indent}  `)}`).join('')
}

class Chain {
  readonly #program: EditorProgram
  readonly #seen = new Set<FuncDecl>()

  constructor(program: EditorProgram) {
    this.#program = program
  }

  of(func: FuncDecl, depth: number): readonly Reason[] {
    if (this.#seen.has(func) || depth > deepest || func.module.isCore) return []
    this.#seen.add(func)
    const { level } = this.#program.checked.program.attributes(func)
    const own = [...(level === 'none' ? [unmarked(func)] : []), ...this.#plain(func)]
    const { program } = this.#program.checked
    const body = func.hasBody ? program.body(func) : null
    if (body === null) return own
    const calls = callsIn(body)
    const sink = new Sink()
    // A function whose derivative is the user's own loses nothing in its body.
    if (level === 'none' || program.attributes(func).marked) program.losses(func, sink)
    return [...own, ...sink.list.map(d => this.#loss(d, calls, depth))]
  }

  /** That nothing goes into a function, or nothing comes out, that carries a derivative. */
  #plain(func: FuncDecl): readonly Reason[] {
    const { program } = this.#program.checked
    const sig = program.signature({ kind: 'direct', decl: func, subst: noSubst })
    const carries = (p: { readonly type: typeof sig.result; readonly noDiff: boolean }): boolean =>
      !p.noDiff && program.differentialOf(p.type) !== null
    const params = program.params(func)
    const given = params.filter(p => p.dir !== 'out')
    const reasons: Reason[] = []
    if (!given.some(carries) && (sig.self === null || sig.selfNoDiff)) {
      if (given.length === 0) reasons.push(reason('it takes no parameter that could carry a derivative', func.span))
      for (const p of given)
        reasons.push(
          reason(
            p.noDiff
              ? `parameter ${p.name} is marked no_diff`
              : `parameter ${p.name} is of type ${show(p.type)}, which carries no derivative`,
            p.span,
          ),
        )
    }
    const result = { type: sig.result, noDiff: sig.resultNoDiff }
    if (!carries(result) && !params.some(p => p.dir !== 'in' && carries(p)) && !sig.mutating) {
      reasons.push(
        reason(
          sig.result.kind === 'void'
            ? 'it returns nothing, and no out parameter carries a derivative'
            : program.differentialOf(sig.result) === null
              ? `its result is of type ${show(sig.result)}, which carries no derivative`
              : 'its result is marked no_diff',
          func.span,
        ),
      )
    }
    return reasons
  }

  #loss(d: Diagnostic, calls: readonly Call[], depth: number): Reason {
    const called = innermost(
      calls.filter(c => this.#program.checked.program.attributes(c.func).level === 'none'),
      d.span,
    )
    if (called === undefined || !lossOfCall.has(d.code)) return reason(d.message, d.span)
    const { func } = called
    const name = nameOf(func)
    const line = d.span === undefined ? '' : ` (line ${d.span.position.line})`
    if (func.module.isCore)
      return reason(`it calls ${name}${line}, a function of the library without a derivative`, d.span)
    return {
      ...reason(`it calls ${name}${line}, which is not differentiable`, d.span),
      because: this.of(func, depth + 1),
    }
  }
}

/** Codes of losses in what a function calls. */
const lossOfCall: ReadonlySet<string> = new Set([lostInCall.code, lostInOutput.code])

function unmarked(func: FuncDecl): Reason {
  return reason(`${nameOf(func)} is not marked [Differentiable]`, func.span)
}

function reason(text: string, span: Span | null | undefined): Reason {
  const at = span?.file.isCore === false ? span : undefined
  const place = at && { file: at.file.name, range: rangeOf(at) }
  return { text, place, because: [] }
}

/** The smallest call around a place. */
function innermost(calls: readonly Call[], at: Span | undefined): Call | undefined {
  let best: Call | undefined
  for (const c of calls) {
    if (at === undefined || c.span === null || c.span.file !== at.file) continue
    if (c.span.start > at.start || c.span.end < at.end) continue
    if (best === undefined || c.span.end - c.span.start < best.span!.end - best.span!.start) best = c
  }
  return best
}
