/** Finds which constructs control leaves from inside, and how, in one walk of a function. */
import type { Inst } from '../ir/value.ts'
import { type Func, type Region } from '../ir/value.ts'

export class Ways {
  readonly #left = new Set<Inst>()
  readonly #through = new Set<Inst>()
  readonly #divergent = new Map<Inst, boolean>()
  readonly #open: Inst[] = []

  constructor(func: Func) {
    this.#walk(func.body!)
  }

  #walk(region: Region): void {
    for (let k = 0; k < region.insts.length; k++) {
      const inst = region.insts[k]!
      if (inst.op === 'leave') {
        this.#left.add(inst.attr)
        this.#pass(inst.attr)
      } else if (inst.op === 'ret') this.#pass(undefined)
      if (inst.regions.length === 0) continue
      this.#open.push(inst)
      for (let i = 0; i < inst.regions.length; i++) this.#walk(inst.regions[i]!)
      this.#open.pop()
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

/** True for a loop that its head never leaves. */
export function isEndless(loop: Inst<'loop'>): boolean {
  const { def } = loop.regions[0]!.end.args[0]!
  return def.op === 'const' && def.attr === true
}
