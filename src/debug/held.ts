/**
 * Central differences that hold constant what the program holds constant on purpose: detached values, values that pass `no_diff`
 * parameters and results, and results of `[TreatAsDifferentiable]` functions. At every other point these have the value that they
 * have at the point itself.
 */
import { InternalError } from '../base/diag.ts'
import { Machine, Stopped, untracked, type Data, type RunOptions } from '../ir/run.ts'
import { differential } from '../ir/type.ts'
import { inputs, outputs, type Func, type Inst } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { inner, isFinite, moved, quotient } from './data.ts'

/** Whether the program itself stopped the run. Any other exception is a mistake of ours. */
export function stops(error: unknown): error is Error {
  if (error instanceof Stopped) return true
  if (error instanceof InternalError) return false
  throw new InternalError('debug', error instanceof Error ? error.message : String(error), { cause: error })
}

/** Per argument, or per result, of a call: whether it carries a derivative that is to be held. */
function heldInputs(func: Func): boolean[] {
  return inputs(func.sig).map(p => p.noDiff && differential(p.type) !== null)
}

function heldResults(func: Func): boolean[] {
  const { sig, info } = func
  const held = (p: { readonly noDiff: boolean; readonly type: Func['sig']['result'] }): boolean =>
    (p.noDiff || info.treatAsDifferentiable) && differential(p.type) !== null
  const out = outputs(sig).map(held)
  return sig.result.kind === 'void' ? out : [held({ noDiff: sig.resultNoDiff, type: sig.result }), ...out]
}

/** A run that replaces what is held constant by its values in another run. */
export class Held {
  readonly #values: Data[] = []
  #next = 0
  #replays = false

  replay(): void {
    this.#replays = true
    this.#next = 0
  }

  /** Whether the run met the held values as often as the first run. */
  get isAlike(): boolean {
    return this.#next === this.#values.length
  }

  readonly intercept = (inst: Inst, value: Data): Data => (inst.op === 'detach' ? this.#hold(value) : value)

  readonly given = (func: Func, args: readonly Data[]): readonly Data[] => this.#each(heldInputs(func), args)

  readonly returned = (func: Func, results: readonly Data[]): readonly Data[] => this.#each(heldResults(func), results)

  #each(which: readonly boolean[], values: readonly Data[]): readonly Data[] {
    return which.includes(true) ? values.map((v, i) => (which[i] ? this.#hold(v) : v)) : values
  }

  #hold(value: Data): Data {
    if (!this.#replays) this.#values.push(untracked(value))
    return this.#replays ? (this.#values[this.#next++] ?? untracked(value)) : untracked(value)
  }
}

/** Whether a function, or what it calls or differentiates, holds anything constant or has a substitute, and whether it takes derivatives itself. */
export function survey(
  func: Func,
  derivatives: (func: Func) => void,
): { readonly holds: boolean; readonly differentiates: boolean } {
  let holds = false,
    differentiates = false
  const seen = new Set<Func>()
  const visit = (f: Func | undefined): void => {
    if (f === undefined || seen.has(f)) return
    seen.add(f)
    if (f.info.library) return
    derivatives(f)
    if (f !== func && (heldInputs(f).includes(true) || heldResults(f).includes(true))) holds = true
    if (f.request !== undefined) differentiates = true
    const { forward, backward, substitute } = f.info
    if (substitute !== undefined) holds = true
    for (const other of [f.request?.of, forward, backward, substitute]) visit(other)
    if (f.body === undefined) return
    walk(f.body, inst => {
      if (inst.op === 'detach') holds = true
      if (inst.op === 'call') visit(inst.attr)
    })
  }
  visit(func)
  return { holds, differentiates }
}

function subtract(x: Data, y: Data): Data {
  if (typeof x === 'number' && typeof y === 'number') return x - y
  return Array.isArray(x) && Array.isArray(y)
    ? (x as readonly Data[]).map((a, i) => subtract(a, (y as readonly Data[])[i]!))
    : 0
}

/** The length of a list of values, and of the difference of two. */
export function norm(list: readonly Data[]): number {
  return Math.sqrt(list.reduce<number>((sum, x) => sum + inner(x, x), 0))
}

export function gap(x: Data, y: Data): number {
  return norm([subtract(x, y)])
}

/**
 * Directional derivatives of a function's results by central differences, each run with options of its own. Undefined near a kink,
 * or if something is not finite.
 */
export function differences(
  func: Func,
  args: readonly Data[],
  direction: readonly (Data | undefined)[],
  options: () => RunOptions,
): readonly Data[] | undefined {
  const types = func.body!.params.map(p => p.type)
  const held = new Held()
  const run = (): Machine =>
    new Machine({ ...options(), intercept: held.intercept, given: held.given, returned: held.returned })
  let isAlike = true
  const at = (h: number): readonly Data[] => {
    held.replay()
    const results = run().call(
      func,
      args.map((x, i) => (direction[i] === undefined ? x : moved(types[i]!, x, direction[i], h))),
    )
    isAlike &&= held.isAlike
    return results
  }
  const base = run().call(func, args)
  const slope = (h: number, up: readonly Data[], down: readonly Data[]): readonly Data[] =>
    base.map((_, i) => (differential(func.results[i]!) === null ? 0 : quotient(func.results[i]!, up[i]!, down[i]!, h)))
  const [up, down] = [at(1e-5), at(-1e-5)]
  const [coarse, fine] = [slope(2e-4, at(1e-4), at(-1e-4)), slope(2e-5, up, down)]
  if (!coarse.every(isFinite) || !fine.every(isFinite)) return undefined
  const sides = [slope(1e-5, up, base), slope(1e-5, base, down)]
  const size = 1 + norm(fine)
  // Numbers whose squares are too large would hide any difference.
  if (!Number.isFinite(size)) return undefined
  const smooth =
    norm(fine.map((x, i) => subtract(x, coarse[i]!))) <= 1e-4 * size &&
    norm(sides[0]!.map((x, i) => subtract(x, sides[1]![i]!))) <= 1e-2 * size
  return isAlike && smooth ? fine : undefined
}
