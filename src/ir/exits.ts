/** The exits of constructs: which are left from inside, and how; and code that moves because of them. */
import type { Func, Inst, Region, Value } from './value.ts'
import { walk } from './walk.ts'

/** What leaves which constructs of a function, found in one walk. */
export class Exits {
  readonly #left = new Set<Inst>()
  readonly #through = new Set<Inst>()
  readonly #divergent = new Map<Inst, boolean>()
  readonly #open: Inst[] = []

  private constructor() {
    // Use `in` or `of`.
  }

  /** Those in a whole function. */
  static in(func: Func): Exits {
    const exits = new Exits()
    exits.#walk(func.body!)
    return exits
  }

  /** That of one construct, and of those in it. */
  static of(inst: Inst): Exits {
    const exits = new Exits()
    exits.#enter(inst)
    return exits
  }

  #enter(inst: Inst): void {
    this.#open.push(inst)
    for (let i = 0; i < inst.regions.length; i++) this.#walk(inst.regions[i]!)
    this.#open.pop()
  }

  #walk(region: Region): void {
    for (let k = 0; k < region.insts.length; k++) {
      const inst = region.insts[k]!
      if (inst.op === 'leave') {
        this.#left.add(inst.attr)
        this.#pass(inst.attr)
      } else if (inst.op === 'ret') this.#pass(undefined)
      if (inst.regions.length > 0) this.#enter(inst)
    }
  }

  /** Control leaves what is open inside of the target, or all of it. */
  #pass(target: Inst | undefined): void {
    for (let i = this.#open.length - 1; i >= 0 && this.#open[i] !== target; i--) this.#through.add(this.#open[i]!)
  }

  /** True where a `leave` names the construct. */
  isLeft(inst: Inst): boolean {
    return this.#left.has(inst)
  }

  /** True where something inside the construct returns, or leaves a construct around it. */
  leavesAround(inst: Inst): boolean {
    return this.#through.has(inst)
  }

  /** True where nothing after the instruction in its region can be reached. */
  diverges(inst: Inst): boolean {
    if (inst.regions.length === 0 || this.#left.has(inst)) return false
    let known = this.#divergent.get(inst)
    if (known === undefined) {
      known = inst.op === 'loop' ? isEndless(inst) : inst.regions.every(r => this.ends(r))
      this.#divergent.set(inst, known)
    }
    return known
  }

  /** True for a region whose end hands nothing on. */
  ends(region: Region): boolean {
    return region.end.op !== 'yield' || region.insts.some(i => this.diverges(i))
  }
}

/**
 * What the values become that a terminator hands on, one by one. The condition of a `test` becomes nothing; those of `ret` are the results
 * of the function.
 */
export function receivers(end: Inst, owner: Inst | undefined): readonly (Value | undefined)[] {
  switch (end.op) {
    case 'yield':
      return owner!.results
    case 'test':
      return [undefined, ...owner!.results]
    case 'next':
      return owner!.regions[0]!.params
    case 'leave':
      return end.attr.results
    default:
      return []
  }
}

/** True for a loop that its head never leaves. */
export function isEndless(loop: Inst<'loop'>): boolean {
  const { def } = loop.regions[0]!.end.args[0]!
  return def.op === 'const' && def.attr === true
}

/** How many `leave`s in a region name a construct. */
export function leavesTo(region: Region, construct: Inst): number {
  let count = 0
  walk(region, inst => {
    if (inst.op === 'leave' && inst.attr === construct) count++
  })
  return count
}

/**
 * Moves the code after the instruction at `at` into one of its regions, in place of the `yield` or `leave` there. `replace` gets each result of
 * the instruction with what the region handed on for it.
 */
export function moveTail(
  region: Region,
  at: number,
  into: Region,
  replace: (result: Value, value: Value) => void,
): void {
  const values = into.insts.pop()!.args
  region.insts[at]!.results.forEach((result, k) => {
    replace(result, values[k]!)
  })
  into.insts.push(...region.insts.splice(at + 1))
}
