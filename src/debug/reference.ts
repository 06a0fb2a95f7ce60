/** A reference for derivatives: the interpreter runs the function as the program has it, with derivatives by their definition. */
import type { Data, RunOptions } from '../ir/run.ts'
import { differential } from '../ir/type.ts'
import { inputs, outputs, type Func } from '../ir/value.ts'
import { inner, toData } from './data.ts'
import { differences, stops, survey } from './held.ts'
import { meaning } from './meaning.ts'

/** Instructions after which a run is given up. */
const stepLimit = 1_000_000

type Globals = Readonly<Record<string, unknown>>

/** Use `Program.reference`. */
export class Reference {
  readonly #func: Func
  readonly #options: RunOptions
  readonly #contents: (globals: Globals) => Readonly<Record<string, Data>>
  /**
   * Whether the function, or anything that it calls or differentiates, holds something constant or has a substitute. If not,
   * differences of compiled code do as well.
   */
  readonly holds: boolean
  /** Whether it takes derivatives itself: then code that is compiled wrong may agree with differences of itself. */
  readonly differentiates: boolean

  /** @internal */
  constructor(
    func: Func,
    derivatives: (func: Func) => void,
    contents: (globals: Globals) => Readonly<Record<string, Data>>,
  ) {
    const { instead, ...how } = meaning(derivatives)
    this.#func = instead!(func)
    this.#options = { ...how, instead: instead!, mode: 'f64', steps: stepLimit }
    this.#contents = contents
    const { holds, differentiates } = survey(this.#func, derivatives)
    this.holds = holds
    this.differentiates = differentiates
  }

  /**
   * The directional derivative of the outputs, weighed by name (the result as ''), at some inputs along some tangents, all as host
   * values. `kink` if the function is not smooth; else the reason why it is unknown.
   */
  slope(
    given: readonly unknown[],
    tangents: readonly unknown[],
    weights: Readonly<Record<string, unknown>>,
    globals: Globals = {},
  ): number | 'kink' | { readonly why: string } {
    const { sig } = this.#func
    const params = inputs(sig)
    const args = params.map((p, i) => toData(p.type, given[i]))
    const directions = params.map((p, i) => {
      const d = p.noDiff ? null : differential(p.type)
      return d === null || tangents[i] === undefined ? undefined : toData(d, tangents[i])
    })
    try {
      const slopes = differences(this.#func, args, directions, () => ({
        ...this.#options,
        globals: this.#contents(globals),
      }))
      if (slopes === undefined) return 'kink'
      const named = [
        ...(sig.result.kind === 'void' ? [] : [{ name: '', type: sig.result, noDiff: sig.resultNoDiff }]),
        ...outputs(sig),
      ]
      return named.reduce((sum, { name, type, noDiff }, i) => {
        const d = noDiff ? null : differential(type)
        return d === null || weights[name] === undefined ? sum : sum + inner(slopes[i]!, toData(d, weights[name]))
      }, 0)
    } catch (error) {
      if (stops(error)) return { why: error.message }
      throw error
    }
  }
}
