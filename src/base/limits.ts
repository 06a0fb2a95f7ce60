/**
 * Limits the work that a program may ask of the compiler. All work is counted, and nothing is measured by time, so that a program
 * compiles on every machine or on none.
 */
import type { Span } from './source.ts'

/** Limits on the work of compiling. A program that exceeds one gets a diagnostic that names the limit. */
export interface Limits {
  /** Tokens of the files that have directives, of all together, with what macros make; an `#include` counts as ten. Default 500,000, and one more for each character of the source over 65,536. */
  readonly tokens?: number | undefined
  /** Characters of names and strings that macros make by `#` and `##`. Default 2,000,000. */
  readonly text?: number | undefined
  /** Characters of one type with all its arguments written out, as in `Pair<Pair<int, int>, int>`. Default 20,000, and at most 1,000,000. */
  readonly typeText?: number | undefined
  /** Functions, with the instances of generic ones and derivatives. Default 5,000, and one more for each character of the source over 65,536. */
  readonly instances?: number | undefined
  /** Statements, counted again at each way out that a `defer` is due at. Default 50,000, and one more for each character of the source over 65,536. */
  readonly statements?: number | undefined
  /**
   * Instructions of all functions together, derivatives and calls that are replaced by bodies included; a function counts as ten.
   * Default 22,000, and four more for each character of the source over 65,536; ten times as many with `maxContext`, since a derivative that
   * is to fit is made up to ten times.
   */
  readonly instructions?: number | undefined
  /**
   * Characters of WGSL or JavaScript and bytes of WebAssembly, of one target. Before that is written, each value of WGSL counts as sixteen, each number that
   * JavaScript handles, be it a part of a struct, as twenty-four, and each operation of WebAssembly as twenty. Default 3,000,000, and sixty-four more for
   * each character of the source over 65,536.
   */
  readonly output?: number | undefined
  /** Numbers that a struct consists of, with those of structs in it; of an array one element counts. Default 4,096. */
  readonly scalars?: number | undefined
  /**
   * Levels of nesting, and of definitions that need each other: blocks, expressions, types, calls, constants made of others.
   * Default 300, which takes half of an engine's stack; more is for engines with a larger stack.
   */
  readonly nesting?: number | undefined
}

/** How many levels of nesting take half of an engine's stack at most, whatever the compiler does with them. */
export const deepest = 300

/** The source position of a demand for work, or a function that finds it, called only if a limit is exceeded. */
export type Asked = Span | null | undefined | (() => Span)

/** The name of a limit. */
export type Limit = keyof Limits

/** How many times the work is allowed for derivatives that are made again and again until they fit a budget (`ad/budget.ts`). */
const budgetedTimes = 10

/** The limits for a source of so many characters, where the caller gives none. */
function defaultLimits(characters: number, budgeted: boolean): Readonly<Record<Limit, number>> {
  const more = Math.max(0, characters - 65_536)
  return {
    tokens: 500_000 + more,
    text: 2_000_000,
    typeText: 20_000,
    instances: 5000 + more,
    statements: 50_000 + more,
    instructions: (budgeted ? budgetedTimes : 1) * (22_000 + 4 * more),
    output: 3_000_000 + 64 * more,
    scalars: 4096,
    nesting: deepest,
  }
}

/** The limits that the caller gives, with the defaults for the rest. */
function withDefaults(given: Limits, characters: number, budgeted: boolean): Readonly<Record<Limit, number>> {
  const all = { ...defaultLimits(characters, budgeted) }
  for (const limit of Object.keys(all) as Limit[]) all[limit] = given[limit] ?? all[limit]
  return all
}

/** What each counts, for messages. */
export const counted: Readonly<Record<Limit, string>> = {
  tokens: 'tokens, with those of #include and macros',
  text: 'characters made by macros',
  typeText: 'characters in the name of a type',
  instances: 'functions, with instances of generic ones',
  statements: 'statements, with those of defer at each way out',
  instructions: 'instructions',
  output: 'characters or bytes of output',
  scalars: 'numbers in one value',
  nesting: 'levels of what is in one another',
}

/** Thrown where a program exceeds a limit. The code that began the stage catches it and adds the diagnostic. */
export class LimitReached extends Error {
  readonly limit: Limit
  readonly most: number
  readonly span: Span | undefined

  constructor(limit: Limit, most: number, span: Span | undefined) {
    super(`more than ${most} ${counted[limit]}`)
    this.name = 'LimitReached'
    this.limit = limit
    this.most = most
    this.span = span
  }
}

/** Counts work against limits. */
export class Work {
  readonly #given: Limits
  /** What is given, and the defaults for the rest. */
  #limits: Readonly<Record<Limit, number>>
  readonly #spent: Record<Limit, number> = {
    tokens: 0,
    text: 0,
    typeText: 0,
    instances: 0,
    statements: 0,
    instructions: 0,
    output: 0,
    scalars: 0,
    nesting: 0,
  }

  constructor(limits: Limits) {
    this.#given = limits
    this.#limits = withDefaults(limits, 0, false)
  }

  /** Sets what the defaults depend on: the length of the source, and whether derivatives must fit a budget. */
  measure(characters: number, budgeted: boolean): void {
    this.#limits = withDefaults(this.#given, characters, budgeted)
  }

  /** Adds to a counter; throws `LimitReached` where it exceeds its limit. */
  spend(limit: Limit, amount: number, at?: Asked): void {
    this.#spent[limit] += amount
    this.check(limit, this.#spent[limit], at)
  }

  /**
   * Goes so many levels deeper, for code that takes that much stack. False, without going deeper, if that is too deep. An exception
   * resets the depth.
   */
  descend(levels: number): boolean {
    if (this.#spent.nesting + levels > this.#limits.nesting) return false
    this.#spent.nesting += levels
    return true
  }

  /** Comes back from where it descended to. */
  ascend(levels: number): void {
    this.#spent.nesting -= levels
  }

  /** Runs `work` so many levels deeper; throws `LimitReached` if that is too deep. */
  within<T>(levels: number, at: Asked, work: () => T): T {
    this.spend('nesting', levels, at)
    const made = work()
    this.ascend(levels)
    return made
  }

  /** Runs `work`; if it throws, the depth is again what it was before. */
  levelled<T>(work: () => T): T {
    const { nesting } = this.#spent
    try {
      return work()
    } catch (error) {
      this.#spent.nesting = nesting
      throw error
    }
  }

  /** Runs work that is limited on its own: what was spent before does not count there, nor what it spends afterwards. */
  apart<T>(work: () => T): T {
    const before = { ...this.#spent }
    for (const limit of Object.keys(before) as Limit[]) this.#spent[limit] = 0
    try {
      return work()
    } finally {
      Object.assign(this.#spent, before)
    }
  }

  /** Throws `LimitReached` if a single thing exceeds a limit. */
  check(limit: Limit, amount: number, at?: Asked): void {
    const most = this.#limits[limit]
    if (amount > most) throw new LimitReached(limit, most, typeof at === 'function' ? at() : (at ?? undefined))
  }
}
