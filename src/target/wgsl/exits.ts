/**
 * How each `leave` is written. WGSL's `break` leaves the innermost `loop` or `switch`, its `continue` goes to the next trip
 * of the innermost loop; everything else needs a flag that is tested after each construct on the way out. This is an
 * analysis: the printer follows the table that it makes.
 */
import { Inst, type Func, type Region } from '../../ir/value.ts'

/** What is printed for a way out, after results are assigned. */
export type Exit =
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' }
  /** Set the target's flag and break; the tests after the enclosing constructs do the rest. */
  | { readonly kind: 'flag'; readonly target: Inst }

/** A test after a construct: where the target's flag is set, go on as `exit` says. */
export interface Check {
  readonly target: Inst
  readonly exit: Exit
}

/** How a `block` is printed: as the rest of a loop's body that `continue` cuts short, as a `switch` of one case, or as its content. */
export type BlockForm = 'body' | 'once' | 'plain'

/** The plan for one function. */
export interface Exits {
  /** Instructions that a `leave` names. */
  readonly left: ReadonlySet<Inst>
  readonly blocks: ReadonlyMap<Inst, BlockForm>
  /** Switches printed as a chain of `if`s, so that `break` inside goes further out. */
  readonly chains: ReadonlySet<Inst>
  readonly leaves: ReadonlyMap<Inst, Exit>
  readonly checks: ReadonlyMap<Inst, readonly Check[]>
  /** Targets that need a flag. */
  readonly flagged: ReadonlySet<Inst>
}

/** Longer chains of `if`s than this are too deep for compilers. */
const maxChain = 32

/** Plans the ways out of all constructs of a function. */
export function planExits(func: Func): Exits {
  const planner = new Planner()
  planner.survey(func.body!)
  planner.resolve(func.body!)
  return planner
}

class Planner implements Exits {
  readonly left = new Set<Inst>()
  readonly blocks = new Map<Inst, BlockForm>()
  readonly chains = new Set<Inst>()
  readonly leaves = new Map<Inst, Exit>()
  readonly checks = new Map<Inst, Check[]>()
  readonly flagged = new Set<Inst>()
  /** The loop that a block of form `body` belongs to. */
  readonly #loopOf = new Map<Inst, Inst>()
  readonly #stack: Inst[] = []

  /** First walk: who is left, and what form blocks and switches take. */
  survey(region: Region): void {
    this.#findLeft(region)
    this.#chooseForms(region)
  }

  #findLeft(region: Region): void {
    for (let k = 0; k < region.insts.length; k++) {
      const inst = region.insts[k]!
      if (inst.op === 'leave') {
        const target = inst.attr
        this.left.add(target)
        for (let i = this.#stack.length - 1; i >= 0 && this.#stack[i] !== target; i--) {
          const around = this.#stack[i]!
          if (around.op === 'switch' && around.regions.length <= maxChain) this.chains.add(around)
        }
      }
      if (inst.regions.length === 0) continue
      this.#stack.push(inst)
      for (let i = 0; i < inst.regions.length; i++) this.#findLeft(inst.regions[i]!)
      this.#stack.pop()
    }
  }

  #chooseForms(region: Region): void {
    for (let k = 0; k < region.insts.length; k++) {
      const inst = region.insts[k]!
      if (inst.op === 'switch' && this.left.has(inst)) this.chains.delete(inst)
      if (inst.op === 'block' && !this.blocks.has(inst)) this.blocks.set(inst, this.left.has(inst) ? 'once' : 'plain')
      if (inst.op === 'loop') {
        const body = inst.regions[1]!
        const at = body.insts.findIndex(i => i.op === 'block' && this.left.has(i))
        // `continuing` may not leave the loop or the function.
        if (at >= 0 && body.end.op === 'next' && body.insts.slice(at + 1).every(i => staysInside(i, i))) {
          this.blocks.set(body.insts[at]!, 'body')
          this.#loopOf.set(body.insts[at]!, inst)
        }
      }
      for (let i = 0; i < inst.regions.length; i++) this.#chooseForms(inst.regions[i]!)
    }
  }

  /** Second walk: what each `leave` prints. */
  resolve(region: Region): void {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      if (inst.op === 'leave') this.leaves.set(inst, this.#way(inst.attr, this.#stack.length))
      if (inst.regions.length === 0) continue
      this.#stack.push(inst)
      for (let i = 0; i < inst.regions.length; i++) this.resolve(inst.regions[i]!)
      this.#stack.pop()
    }
  }

  /** True for what `break` leaves. */
  #captures(inst: Inst): boolean {
    switch (inst.op) {
      case 'loop': return true
      case 'switch': return !this.chains.has(inst)
      case 'block': return this.blocks.get(inst) === 'once'
      case 'if': return this.left.has(inst)
      default: return false
    }
  }

  /** The way to the end of `target` from inside the innermost `depth` constructs of the stack. */
  #way(target: Inst, depth: number): Exit {
    let inner = depth - 1
    if (this.blocks.get(target) === 'body') {
      let loop = inner
      while (this.#stack[loop]!.op !== 'loop') loop--
      if (this.#stack[loop] === this.#loopOf.get(target)) return { kind: 'continue' }
    }
    while (!this.#captures(this.#stack[inner]!)) inner--
    const owner = this.#stack[inner]!
    if (owner === target) return { kind: 'break' }
    this.flagged.add(target)
    let checks = this.checks.get(owner)
    if (checks === undefined) this.checks.set(owner, checks = [])
    if (!checks.some(c => c.target === target)) {
      const entry = { target, exit: { kind: 'break' } as Exit }
      checks.push(entry)
      entry.exit = this.#way(target, inner)
    }
    return { kind: 'flag', target }
  }
}

/** True where nothing in the instruction leaves anything around `root`. */
function staysInside(inst: Inst, root: Inst): boolean {
  if (inst.op === 'ret') return false
  if (inst.op === 'leave' && !contains(root, inst.attr)) return false
  return inst.regions.every(r => r.insts.every(i => staysInside(i, root)))
}

function contains(root: Inst, inst: Inst): boolean {
  return root === inst || root.regions.some(r => r.insts.some(i => contains(i, inst)))
}
