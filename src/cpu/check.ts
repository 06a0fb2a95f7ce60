/**
 * Tests derivatives without any set-up. For each differentiable function of a program it compares, at random inputs and in double
 * precision, forward mode with central differences, and reverse mode with forward mode by the inner product ⟨w, J v⟩ = ⟨Jᵀ w, v⟩.
 */
import {
  InternalError,
  type Blamed,
  type CompileError,
  type Diagnostic,
  type NonFinite,
  type Program,
  type Reference,
} from '../index.ts'
import { anyDirection, anyScalar, build, combine, inner, randomFrom, type Random } from './sample.ts'
import { NameError, ShapeError, isStackOverflow } from './errors.ts'
import { isCount, unknownName } from '../host/given.ts'
import { Subject } from './subject.ts'
import { zeroOf } from './constant.ts'

/** What `checkDerivatives` looks at. */
export interface CheckOptions {
  /** Names of functions; default: every differentiable function of the source's own file. */
  readonly functions?: readonly string[] | undefined
  /** Random inputs a function; default 20. */
  readonly samples?: number | undefined
  /** The seed of the random inputs: the same one gives the same inputs. Default: a random one. */
  readonly seed?: number | undefined
  /** Whether to look for the first instruction that makes a NaN or an infinity where there is one. */
  readonly traceNan?: boolean | undefined
  /** Milliseconds after which no further input of a function is tried; default: none. At least one input is. */
  readonly timeLimit?: number | undefined
  /** Called for each function when it is done. */
  readonly progress?: ((outcome: CheckOutcome, done: number, total: number) => void) | undefined
  /** Called and awaited between inputs: a page can draw meanwhile, or throw to end the check. */
  readonly pause?: (() => Promise<void> | void) | undefined
}

/** What disagreed at one input. */
export interface Disagreement {
  /** The first parameter along which derivatives disagree. */
  readonly parameter: string
  /** The mode whose derivative is off the differences. */
  readonly mode: 'forward' | 'reverse'
  /** The derivative along a random direction: by reverse mode, by forward mode and by central differences. */
  readonly reverse: number | null
  readonly forward: number
  readonly differences: number
  /** The arguments of the call, by the names of the parameters. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** The function whose derivative is wrong; null if unknown. */
  readonly blame: Blamed | null
}

/** What came of one function. */
export interface CheckOutcome {
  readonly name: string
  /** `skipped`: no input could be compared. */
  readonly status: 'ok' | 'failed' | 'skipped'
  /**
   * `compared`: inputs that were compared; then the inputs left out because the function is not smooth there, and those where
   * something is not finite.
   */
  readonly compared: number
  readonly kinks: number
  readonly notFinite: number
  /** Inputs where the derivative differs from the differences only because of what is held constant on purpose (`no_diff`, `detach`). */
  readonly held: number
  /** Inputs at which the function did not end, or stopped with an error. */
  readonly stopped: number
  /** Why it failed, was skipped, or stopped at some input; '' where there is nothing to say. */
  readonly detail: string
  /** What disagreed first, if something did. */
  readonly disagreement: Disagreement | null
  /** The first instruction that made a NaN or an infinity, if `traceNan` is set. */
  readonly nonFinite: NonFinite | null
  /** Why its derivative cannot be made, if it cannot. */
  readonly diagnostics: readonly Diagnostic[]
}

/** What came of all functions. */
export interface CheckReport {
  /** The seed that makes the same inputs again. */
  readonly seed: number
  /** Whether none failed and at least one was compared. */
  readonly ok: boolean
  readonly functions: readonly CheckOutcome[]
}

/**
 * Tests the derivatives of a program's functions; throws its `CompileError` where it has errors. A program compiled with `debug` stops
 * where a loop makes more trips than its `[MaxIters]` allows, in place of a derivative that is wrong for it.
 */
export async function checkDerivatives(program: Program, options: CheckOptions = {}): Promise<CheckReport> {
  checkOptions(options)
  // One for WGSL alone makes no JavaScript.
  if (typeof (program as Partial<Program> | null | undefined)?.js !== 'function')
    throw new ShapeError('checkDerivatives', "a program that compile of 'cotangent' made", program)
  // `js` throws the error: the `CompileError` of the bundle that the program is from.
  if (!program.ok) program.js()
  const names = options.functions ?? program.subjects.filter(f => f.differentiable !== 'none').map(f => f.name)
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31) + 1
  const functions: CheckOutcome[] = []
  for (const name of names) {
    const outcome = await new Examination(program, name, seed, options).run()
    functions.push(outcome)
    options.progress?.(outcome, functions.length, names.length)
  }
  return { seed, ok: functions.every(o => o.status !== 'failed') && functions.some(o => o.status === 'ok'), functions }
}

const isFunction = (value: unknown): boolean => typeof value === 'function'

/** What each option is to be, in the order in which they are named. */
const optionKinds: Readonly<Record<keyof CheckOptions, readonly [expected: string, is: (value: unknown) => boolean]>> =
  {
    functions: ['a list of names', x => Array.isArray(x) && x.every(f => typeof f === 'string')],
    samples: ['a positive whole number', x => isCount(x) && x > 0],
    seed: ['a whole number', Number.isSafeInteger],
    traceNan: ['a boolean', x => typeof x === 'boolean'],
    timeLimit: ['a number of milliseconds', x => typeof x === 'number' && x >= 0],
    progress: ['a function', isFunction],
    pause: ['a function', isFunction],
  }

/** Throws where an option is not what it should be: a check that compares nothing must not look as if all were well. */
function checkOptions(options: CheckOptions): void {
  const wrong = unknownName(options, () => Object.keys(optionKinds), 'checkDerivatives takes no option')
  if (wrong !== undefined) throw new NameError(wrong)
  for (const [name, value] of Object.entries(options) as [keyof CheckOptions, unknown][]) {
    const [expected, is] = optionKinds[name]
    if (value !== undefined && !is(value)) throw new ShapeError(name, expected, value)
  }
}

/** Whether a program has mistakes. In the package the compiler is another bundle, with classes of its own: the name tells. */
const isCompileError = (error: unknown): error is CompileError =>
  error instanceof Error && error.name === 'CompileError'

/** Whether an error is a bug of the compiler, likewise. Firefox has an `InternalError` too, for a full stack. */
const isInternalError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'InternalError' && 'pass' in error

type Verdict = 'ok' | 'kink' | 'held' | 'not finite' | 'stopped' | Disagreement

/** Trips of loops after which a call is given up: random inputs may never leave a loop. */
const tripLimit = 5_000_000
/** How many inputs may take too long before the function is given up. */
const patience = 3

const near = (a: number, b: number, tolerance: number): boolean =>
  Math.abs(a - b) <= tolerance * (1 + Math.abs(a) + Math.abs(b))

class Examination {
  readonly #program: Program
  readonly #name: string
  readonly #options: CheckOptions
  readonly #random: Random
  #compared = 0
  #kinks = 0
  #notFinite = 0
  #held = 0
  #stopped = 0
  #endless = 0
  #why = ''
  #nonFinite: NonFinite | null = null

  constructor(program: Program, name: string, seed: number, options: CheckOptions) {
    this.#program = program
    this.#name = name
    this.#options = options
    // Names enter the seed, so that a function gets the same inputs whatever stands beside it.
    let own = seed
    for (const c of name) own = Math.imul(own ^ c.charCodeAt(0), 16777619)
    this.#random = randomFrom(own)
  }

  async run(): Promise<CheckOutcome> {
    let subject: Subject | undefined, reference: Reference
    try {
      reference = this.#program.reference(this.#name)
      subject = await Subject.load(
        this.#name,
        this.#program.js({ derivativesOf: this.#name, mode: 'f64', limits: { trips: tripLimit } }),
        this.#random,
      )
    } catch (error) {
      if (!isCompileError(error)) throw error
      return { ...this.#outcome('failed', 'its derivative cannot be made'), diagnostics: error.diagnostics }
    }
    if (subject === undefined) return this.#outcome('skipped', 'it takes or gives what plain data cannot say')
    if (subject.outputs.length === 0 || subject.inputs.every(p => p.d === undefined)) {
      return this.#outcome('skipped', 'nothing in it carries a derivative from a parameter to a result')
    }
    const { samples = 20, timeLimit = Infinity } = this.#options
    const begin = performance.now()
    for (let i = 0; i < samples && (i === 0 || performance.now() - begin < timeLimit); i++) {
      await this.#options.pause?.()
      const verdict = this.#attempt(subject, reference)
      if (verdict === 'ok') this.#compared++
      else if (verdict === 'kink') this.#kinks++
      else if (verdict === 'not finite') this.#notFinite++
      else if (verdict === 'held') this.#held++
      else if (verdict === 'stopped') {
        this.#stopped++
        if (this.#endless >= patience) break
      } else return { ...this.#outcome('failed', ''), disagreement: verdict }
    }
    if (this.#compared + this.#held > 0) return this.#outcome('ok', this.#why)
    return this.#outcome(
      'skipped',
      this.#stopped > 0 ? `it stopped at random inputs: ${this.#why}` : 'no input was smooth and finite',
    )
  }

  #attempt(subject: Subject, reference: Reference): Verdict {
    try {
      return this.#compare(subject, reference)
    } catch (error) {
      if (isInternalError(error) || isCompileError(error) || !(error instanceof Error)) throw error
      const isEndless = isStackOverflow(error) || error.name === 'TrapError'
      // A trap of the program is a plain Error. What an engine throws else is a mistake in the code that was made of the program.
      if (!isEndless && error.name !== 'Error')
        throw new InternalError('check', `${this.#name}: ${error.name}: ${error.message}`, { cause: error })
      // What takes too many trips, or memory, takes long; others stop soon.
      if (isEndless) this.#endless++
      this.#why = error.message
      return 'stopped'
    }
  }

  #outcome(status: CheckOutcome['status'], detail: string): CheckOutcome {
    return {
      name: this.#name,
      status,
      compared: this.#compared,
      kinks: this.#kinks,
      notFinite: this.#notFinite,
      held: this.#held,
      stopped: this.#stopped,
      detail,
      disagreement: null,
      nonFinite: this.#nonFinite,
      diagnostics: [],
    }
  }

  /** Compares derivatives at one input. */
  #compare(subject: Subject, reference: Reference): Verdict {
    const random = this.#random
    const scalar = anyScalar(random, random() < 0.5)
    const inputs = subject.inputs.map(p => build(p.type, scalar))
    const tangents = subject.inputs.map(p => p.d && anyDirection(random, p.d))
    const weights = Object.fromEntries(subject.outputs.map(o => [o.name, anyDirection(random, o.d)]))
    const all = this.#along(subject, reference, inputs, tangents, weights)
    if (all === 'not finite' && this.#options.traceNan === true) {
      this.#nonFinite ??= this.#program.traceNonFinite(this.#name, inputs, {
        gradient: true,
        weights,
        globals: subject.globals,
      })
    }
    if (typeof all === 'string') return all
    // Which parameter it is: one direction at a time.
    let first = all
    let along = tangents
    for (let i = 0; i < tangents.length; i++) {
      if (tangents[i] === undefined) continue
      const one = tangents.map((t, k) => (k === i ? t : undefined))
      const verdict = this.#along(subject, reference, inputs, one, weights)
      if (typeof verdict === 'string') continue
      first = { ...verdict, parameter: subject.inputs[i]!.name }
      along = one
      break
    }
    const blame = this.#program.blame(this.#name, first.mode, inputs, along, subject.globals)
    if (blame !== 'agrees') return { ...first, blame }
    // What is held constant has been held in these differences already.
    if (reference.holds) return first
    return first.mode === 'forward' && (first.reverse === null || near(first.reverse, first.forward, 1e-6))
      ? 'held'
      : first
  }

  #along(
    subject: Subject,
    reference: Reference,
    inputs: readonly unknown[],
    direction: readonly unknown[],
    weights: Readonly<Record<string, unknown>>,
  ): Verdict {
    const moved = (h: number): number =>
      inner(
        subject.value(
          inputs.map((x, i) => (direction[i] === undefined ? x : combine(x, direction[i], (p, d) => p + h * d))),
        ),
        weights,
      )
    const slope = (h: number): number => (moved(h) - moved(-h)) / (2 * h)
    const forward = inner(
      subject.jvp(
        inputs,
        direction.map((d, i) => d ?? (subject.inputs[i]!.d && zeroOf(subject.inputs[i]!.d))),
      ),
      weights,
    )
    const [coarse, own] = [slope(1e-4), slope(1e-5)]
    const sides = [(moved(1e-5) - moved(0)) / 1e-5, (moved(0) - moved(-1e-5)) / 1e-5]
    if (![forward, coarse, own].every(Number.isFinite)) return 'not finite'
    const isSmooth = near(coarse, own, 1e-4) && near(sides[0]!, sides[1]!, 1e-2)
    const truth = reference.holds
      ? reference.slope(inputs, direction, weights, subject.globals)
      : isSmooth
        ? own
        : 'kink'
    if (typeof truth === 'object' && (reference.differentiates || !isSmooth || !near(forward, own, 1e-4))) {
      this.#why = `differences that hold what it holds constant cannot be taken: ${truth.why}`
      return 'stopped'
    }
    const differences = typeof truth === 'number' ? truth : own
    const gradients = subject.vjp(inputs, weights)
    const reverse =
      gradients === undefined ? null : gradients.reduce<number>((sum, g, i) => sum + inner(g, direction[i]), 0)
    const found = (mode: Disagreement['mode']): Disagreement => ({
      parameter: '',
      mode,
      reverse,
      forward,
      differences,
      inputs: Object.fromEntries(subject.inputs.map((p, i) => [p.name, inputs[i]])),
      blame: null,
    })
    if (reverse !== null && !near(reverse, forward, 1e-6)) {
      // Whichever of the two is off the differences.
      return found(near(reverse, differences, 1e-4) ? 'forward' : 'reverse')
    }
    if (truth === 'kink') return 'kink'
    if (!near(forward, differences, 1e-4)) return found('forward')
    return near(own, differences, 1e-4) ? 'ok' : 'held'
  }
}
