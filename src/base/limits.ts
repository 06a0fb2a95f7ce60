/**
 * How much work a program may ask of the compiler. Everything is counted, and nothing measured, so that a program compiles on every
 * machine or on none.
 */
import type { Span } from './source.ts'

/** How much work a program may ask of the compiler: what takes more gets a diagnostic that names the limit. */
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
   * Levels of what is in one another, or needs one another: blocks, expressions, types, calls, constants that are made of others.
   * Default 300, which the stack of an engine holds twice over; more is for engines that were given a larger stack.
   */
  readonly nesting?: number | undefined
}

/** How many levels of one thing in another the stacks of engines hold twice over, whatever is done with them. */
export const deepest = 300

/** Where something is asked for; found out only where that is too much. */
export type Asked = Span | null | undefined | (() => Span)

/** The name of a limit. */
export type Limit = keyof Limits

/** By how much more a program may take whose derivatives are made again and again until they fit (`ad/budget.ts`). */
const budgetedTimes = 10

/** What holds for a source of so many characters that is compiled without limits of its own. */
function defaultLimits(characters: number, budgeted: boolean): Readonly<Record<Limit, number>> {
  const more = Math.max(0, characters - 65_536)
  return {
    tokens: 500_000 + more, text: 2_000_000, typeText: 20_000, instances: 5000 + more, statements: 50_000 + more,
    instructions: (budgeted ? budgetedTimes : 1) * (22_000 + 4 * more), output: 3_000_000 + 64 * more, scalars: 4096, nesting: deepest,
  }
}

/** What each counts, for messages. */
export const counted: Readonly<Record<Limit, string>> = {
  tokens: 'tokens, with those of #include and macros', text: 'characters made by macros', typeText: 'characters in the name of a type',
  instances: 'functions, with instances of generic ones',
  statements: 'statements, with those of defer at each way out', instructions: 'instructions', output: 'characters or bytes of output', scalars: 'numbers in one value',
  nesting: 'levels of what is in one another',
}

/** Thrown where a program asks for more than a limit, through all that is under way; whoever began it adds the diagnostic. */
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
  readonly #limits: Limits
  readonly #spent: Record<Limit, number> = { tokens: 0, text: 0, typeText: 0, instances: 0, statements: 0, instructions: 0, output: 0, scalars: 0, nesting: 0 }
  #defaults = defaultLimits(0, false)

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Says what defaults speak of: how long the source is, and whether derivatives are to fit a budget. */
  measure(characters: number, budgeted: boolean): void {
    this.#defaults = defaultLimits(characters, budgeted)
  }

  /** Adds to what there is of something; throws `LimitReached` where that is too much. */
  spend(limit: Limit, amount: number, at?: Asked): void {
    this.#spent[limit] += amount
    this.check(limit, this.#spent[limit], at)
  }

  /** Goes so many levels deeper, for what takes that much of the stack; false, and no deeper, where that is too deep. After an exception it counts for nothing. */
  descend(levels: number): boolean {
    if (this.#spent.nesting + levels > (this.#limits.nesting ?? this.#defaults.nesting)) return false
    this.#spent.nesting += levels
    return true
  }

  /** Comes back from where it descended to. */
  ascend(levels: number): void {
    this.#spent.nesting -= levels
  }

  /** Does what is so many levels deeper; throws `LimitReached` where that is too deep. */
  within<T>(levels: number, at: Asked, work: () => T): T {
    this.spend('nesting', levels, at)
    const made = work()
    this.ascend(levels)
    return made
  }

  /** Throws `LimitReached` where one thing alone has too much of something. */
  check(limit: Limit, amount: number, at?: Asked): void {
    const most = this.#limits[limit] ?? this.#defaults[limit]
    if (amount > most) throw new LimitReached(limit, most, typeof at === 'function' ? at() : at ?? undefined)
  }
}
