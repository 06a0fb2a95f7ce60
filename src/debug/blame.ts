/**
 * Finds the function whose derivative is wrong. The interpreter runs the program. Each function that it calls is compared, at the
 * arguments of the call, with its own central differences. The first that disagrees although all of its callees agree is to blame.
 * The differences also hold constant what the program holds constant on purpose.
 */
import type { Span } from '../base/source.ts'
import type { Explain } from '../ad/context.ts'
import type { Jvp, Split } from '../ad/model.ts'
import { Machine, type Data, type RunOptions } from '../ir/run.ts'
import { differential } from '../ir/type.ts'
import { inputs, type Func } from '../ir/value.ts'
import { filled, inner, toData } from './data.ts'
import { differences, gap, norm, stops } from './held.ts'
import { isPlain, substitute } from './meaning.ts'

/** Collects the derivative functions that are made. */
export class Derived implements Explain {
  readonly jvps: Map<
    Func,
    { readonly of: Func; readonly active: readonly boolean[]; readonly jvp: Jvp; readonly rule: Func | undefined }
  > = new Map()
  readonly splits: Map<Func, { readonly of: Func; readonly split: Split; readonly isCustom: boolean }> = new Map()

  decided(): void {}

  jvp(of: Func, active: readonly boolean[], jvp: Jvp, rule: Func | undefined): void {
    this.jvps.set(jvp.func, { of, active, jvp, rule })
  }

  split(of: Func, split: Split, isCustom: boolean): void {
    this.splits.set(split.primal, { of, split, isCustom })
  }
}

/** Where a derivative goes wrong. */
export interface Blame {
  /** The function whose derivative it is. */
  readonly name: string
  /** The function that the user wrote as its derivative, '' where the compiler made it. */
  readonly derivative: string
  readonly mode: 'forward' | 'reverse'
  readonly span: Span | null
  readonly slope: number
  readonly given: number
}

/** Runs for the comparison use double precision everywhere. */
const options: RunOptions = { mode: 'f64', steps: 4_000_000 }
/** How many calls are compared; the wrong one is likely among the first. */
const callLimit = 2000

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-3 * (1 + Math.abs(a) + Math.abs(b))

/** Looks for the forward derivative that goes wrong when `jvp` is called. */
function blameForward(derived: Derived, jvp: Func, args: readonly Data[], more: RunOptions): Blame | 'agrees' | null {
  let found: Blame | undefined
  let agrees = false
  let left = callLimit
  const called = (func: Func, given: readonly Data[], results: readonly Data[]): void => {
    const known = derived.jvps.get(func)
    if (known === undefined || found !== undefined || left-- <= 0) return
    const { of, active, jvp: made, rule } = known
    if (of.body === undefined) return
    let k = of.body.params.length
    const direction = of.body.params.map((_, i) => (active[i] ? given[k++] : undefined))
    const slopes = differences(of, given.slice(0, of.body.params.length), direction, () => ({
      ...options,
      ...more,
      instead: substitute,
      plain: isPlain,
    }))
    if (slopes === undefined) return
    let r = of.results.length
    of.results.forEach((_, i) => {
      if (!made.results[i] || found !== undefined) return
      const tangent = results[r++]!
      const off = gap(tangent, slopes[i]!)
      if (off <= 1e-3 * (1 + norm([slopes[i]!]))) return
      found = {
        name: of.name,
        derivative: rule?.name ?? '',
        mode: 'forward',
        span: (rule ?? of).span,
        ...worst(slopes[i]!, tangent),
      }
    })
    agrees = func === jvp && found === undefined
  }
  new Machine({ ...options, ...more, called }).run(jvp, args)
  return found ?? (agrees ? 'agrees' : null)
}

/** The numbers of two values that differ most. */
function worst(x: Data, y: Data): { readonly slope: number; readonly given: number } {
  let most = { slope: 0, given: 0 }
  const visit = (a: Data, b: Data): void => {
    if (typeof a === 'number' && typeof b === 'number') {
      if (!(Math.abs(a - b) <= Math.abs(most.slope - most.given))) most = { slope: a, given: b }
    } else if (Array.isArray(a) && Array.isArray(b)) {
      ;(a as readonly Data[]).forEach((p, i) => visit(p, (b as readonly Data[])[i]!))
    }
  }
  visit(x, y)
  return most
}

/** Looks for the reverse derivative that goes wrong when `primal`, the first half of a split function, is called. */
function blameReverse(
  derived: Derived,
  primal: Func,
  args: readonly Data[],
  more: RunOptions,
): Blame | 'agrees' | null {
  let found: Blame | undefined
  let agrees = false
  let left = callLimit
  // Directions without a pattern, the same each time.
  let phase = 0
  const float = (): number => Math.sin(++phase * 12.9898)
  const called = (func: Func, given: readonly Data[], results: readonly Data[]): void => {
    const known = derived.splits.get(func)
    if (known === undefined || found !== undefined || left-- <= 0) return
    const { of, split, isCustom } = known
    if (of.body === undefined) return
    const direction = of.body.params.map((p, i) =>
      split.activeInputs[i] ? filled(differential(p.type)!, float) : undefined,
    )
    const slopes = differences(of, given, direction, () => ({
      ...options,
      ...more,
      instead: substitute,
      plain: isPlain,
    }))
    if (slopes === undefined) return
    const weights = of.results.flatMap((type, i) =>
      split.activeResults[i] ? [filled(differential(type)!, float)] : [],
    )
    const context = results.slice(split.own)
    const gradients = new Machine({ ...options, ...more }).call(split.vjp, [
      ...split.needs.map(i => given[i]!),
      ...context,
      ...weights,
    ])
    const active = split.activeResults.flatMap((a, i) => (a ? [slopes[i]!] : []))
    const slope = active.reduce<number>((sum, s, i) => sum + inner(s, weights[i]!), 0)
    const reverse = direction
      .filter(d => d !== undefined)
      .reduce<number>((sum, d, i) => sum + inner(gradients[i]!, d), 0)
    agrees = func === primal && near(slope, reverse)
    if (near(slope, reverse)) return
    const custom = isCustom ? of.info.backward : undefined
    found = {
      name: of.name,
      derivative: custom?.name ?? '',
      mode: 'reverse',
      span: (custom ?? of).span,
      slope,
      given: reverse,
    }
  }
  new Machine({ ...options, ...more, called }).run(primal, args)
  return found ?? (agrees ? 'agrees' : null)
}

/** What a program is looked through for. */
export interface Suspicion {
  readonly mode: 'forward' | 'reverse'
  /** Inputs and directions, as hosts hand them over; undefined directions are zero. */
  readonly inputs: readonly unknown[]
  readonly tangents: readonly unknown[]
  readonly globals: Readonly<Record<string, Data>>
}

/**
 * Finds the function whose derivative disagrees when that of `func` is taken. `agrees`: none does once the constants are held.
 * Null: the interpreter cannot say.
 */
export function blame(derived: Derived, func: Func, suspicion: Suspicion): Blame | 'agrees' | null {
  try {
    return find(derived, func, suspicion)
  } catch (error) {
    if (stops(error)) return null
    throw error
  }
}

function find(
  derived: Derived,
  func: Func,
  { mode, inputs: given, tangents, globals }: Suspicion,
): Blame | 'agrees' | null {
  const of = substitute(func)
  const more: RunOptions = { globals }
  const params = inputs(of.sig)
  const args = params.map((p, i) => toData(p.type, given[i]))
  if (of.info.treatAsDifferentiable) return 'agrees'
  const own = mode === 'forward' ? of.info.forward : of.info.backward
  if (own !== undefined) return { name: of.name, derivative: own.name, mode, span: own.span, slope: NaN, given: NaN }
  if (mode === 'reverse') {
    const made = [...derived.splits.values()].findLast(s => s.of === of)
    return made === undefined ? null : blameReverse(derived, made.split.primal, args, more)
  }
  const made = [...derived.jvps.values()].findLast(j => j.of === of)
  if (made === undefined) return null
  const directions = params.flatMap((p, i) => (made.active[i] ? [toData(differential(p.type)!, tangents[i])] : []))
  return blameForward(derived, made.jvp.func, [...args, ...directions], more)
}
