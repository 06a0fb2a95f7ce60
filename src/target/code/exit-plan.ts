/**
 * Plans how each `leave` is written in a language whose `break` takes no label. There `break` leaves the innermost loop, `switch`
 * or `once`, and `continue` goes to the next trip of the innermost loop. Any other exit sets a flag, which is tested after each
 * construct on the way out. With labels, a `break` does it all. This is an analysis: `structure.ts` follows the table that it
 * makes.
 */
import * as costs from '../../ir/costs.ts'
import type { OpName, OwnerOp } from '../../ir/op.ts'
import type { Func, Inst, Region } from '../../ir/value.ts'
import type { Capabilities } from './tree.ts'
import type { Exits } from '../../ir/exits.ts'

/** What an exit does after it has assigned results. */
export type Exit =
  | { readonly kind: 'break' }
  | { readonly kind: 'continue'; readonly loop: Inst }
  /** Set the target's flag and break; the tests after the enclosing constructs do the rest. */
  | { readonly kind: 'flag' }

/** A test after a construct: if the target's flag is set, go on as `exit` says. `owner` is the construct that a `break` there leaves. */
export interface Check {
  readonly target: Inst
  readonly exit: Exit
  readonly owner: Inst
}

/**
 * How a `block` is written: as the rest of a loop's body, which `continue` cuts short; as a construct that runs once; or without a
 * construct.
 */
export type BlockForm = 'body' | 'once' | 'plain'

/** An exit from a construct, and the construct that its `break` leaves. */
export interface PlannedExit {
  readonly exit: Exit
  readonly owner: Inst
}

/** The plan for one function. */
export interface ExitPlan {
  readonly blocks: ReadonlyMap<Inst, BlockForm>
  /** Switches written as a chain of `if`s, so that `break` inside goes further out. */
  readonly chains: ReadonlySet<Inst>
  readonly leaves: ReadonlyMap<Inst, PlannedExit>
  readonly checks: ReadonlyMap<Inst, readonly Check[]>
  /** Targets that need a flag. */
  readonly flagged: ReadonlySet<Inst>
}

/** Plans the exits of all constructs of a function. */
export function planExits(func: Func, exits: Exits, can: Capabilities): ExitPlan {
  const planner = new Planner(exits, can)
  if (!can.labels) planner.findChains(func.body!)
  planner.chooseForms(func.body!)
  planner.resolve(func.body!)
  return planner
}

class Planner implements ExitPlan {
  readonly blocks = new Map<Inst, BlockForm>()
  readonly chains = new Set<Inst>()
  readonly leaves = new Map<Inst, PlannedExit>()
  readonly checks = new Map<Inst, Check[]>()
  readonly flagged = new Set<Inst>()
  readonly #exits: Exits
  readonly #can: Capabilities
  /** The loop that a block of form `body` belongs to. */
  readonly #loopOf = new Map<Inst, Inst>()
  readonly #stack: Inst[] = []

  constructor(exits: Exits, can: Capabilities) {
    this.#exits = exits
    this.#can = can
  }

  /** Finds switches that control leaves on its way further out. */
  findChains(region: Region): void {
    for (let k = 0; k < region.insts.length; k++) {
      const inst = region.insts[k]!
      if (inst.op === 'leave') {
        for (let i = this.#stack.length - 1; i >= 0 && this.#stack[i] !== inst.attr; i--) {
          const around = this.#stack[i]!
          if (around.op === 'switch' && around.regions.length <= costs.switchOfIfs && !this.#exits.isLeft(around))
            this.chains.add(around)
        }
      }
      if (inst.regions.length > 0) this.#inside(inst, r => this.findChains(r))
    }
  }

  #inside(inst: Inst, visit: (region: Region) => void): void {
    this.#stack.push(inst)
    for (let i = 0; i < inst.regions.length; i++) visit(inst.regions[i]!)
    this.#stack.pop()
  }

  /** What form blocks take. */
  chooseForms(region: Region): void {
    for (let k = 0; k < region.insts.length; k++) {
      const inst = region.insts[k]!
      if (inst.op === 'block' && !this.blocks.has(inst))
        this.blocks.set(inst, this.#exits.isLeft(inst) ? 'once' : 'plain')
      if (inst.op === 'loop' && this.#can.continuing) {
        const body = inst.regions[1]!
        const at = body.insts.findIndex(i => i.op === 'block' && this.#exits.isLeft(i))
        // What `continue` goes to may not leave the loop or the function.
        if (
          at >= 0 &&
          body.end.op === 'next' &&
          body.insts.slice(at + 1).every(i => i.op !== 'leave' && i.op !== 'ret' && !this.#exits.leavesAround(i))
        ) {
          this.blocks.set(body.insts[at]!, 'body')
          this.#loopOf.set(body.insts[at]!, inst)
        }
      }
      for (let i = 0; i < inst.regions.length; i++) this.chooseForms(inst.regions[i]!)
    }
  }

  /** What each `leave` does. */
  resolve(region: Region): void {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      if (inst.op === 'leave') {
        this.leaves.set(
          inst,
          this.#can.labels
            ? { exit: { kind: 'break' }, owner: inst.attr }
            : this.#exitTo(inst.attr, this.#stack.length),
        )
      }
      if (inst.regions.length > 0) this.#inside(inst, r => this.resolve(r))
    }
  }

  /** True for a construct that `break` leaves. */
  #captures(inst: Inst): boolean {
    switch (inst.op) {
      case 'loop':
        return true
      case 'switch':
        return !this.chains.has(inst)
      case 'block':
        return this.blocks.get(inst) === 'once'
      case 'if':
        return this.#exits.isLeft(inst)
      default:
        inst.op satisfies Exclude<OpName, OwnerOp>
        return false
    }
  }

  /** The exit to the end of `target` from inside the innermost `depth` constructs of the stack. */
  #exitTo(target: Inst, depth: number): PlannedExit {
    let inner = depth - 1
    if (this.blocks.get(target) === 'body') {
      let loop = inner
      while (this.#stack[loop]!.op !== 'loop') loop--
      const owner = this.#stack[loop]!
      if (owner === this.#loopOf.get(target)) return { exit: { kind: 'continue', loop: owner }, owner }
    }
    while (!this.#captures(this.#stack[inner]!)) inner--
    const owner = this.#stack[inner]!
    if (owner === target) return { exit: { kind: 'break' }, owner }
    this.flagged.add(target)
    let checks = this.checks.get(owner)
    if (checks === undefined) this.checks.set(owner, (checks = []))
    if (!checks.some(c => c.target === target)) {
      // It stands here before the exit further out is known, so that the order of tests is that of the exits.
      const at = checks.push({ target, exit: { kind: 'break' }, owner }) - 1
      checks[at] = { target, ...this.#exitTo(target, inner) }
    }
    return { exit: { kind: 'flag' }, owner }
  }
}
