/**
 * Decides which values get a name, and which are written where they are used. A value that is used once, in the same loop, and has
 * no name in the source is written in place. A value that costs nothing (a constant, a component, a path into memory) always is.
 * This is an analysis of one function: `structure.ts` follows it, but gives a name after all if a write comes between.
 */
import { zeros } from '../../ir/walk.ts'
import * as costs from '../../ir/costs.ts'
import type { Effect, OpName } from '../../ir/op.ts'
import type { Func, Inst, Region, Value } from '../../ir/value.ts'
import type { Capabilities } from './tree.ts'

/** unused · has a name · written at its only use · written at each use. */
export type Form = 'dead' | 'let' | 'once' | 'always'

/** An `if` that is written as an expression. */
export type Choice = 'and' | 'or' | 'select'

/** An instruction's effect; that of a call is its function's. */
export function effectOf(inst: Inst): Effect {
  return inst.op === 'call' && inst.attr.info.pure ? 'none' : inst.row.effect
}

/** Ops that are written at each use. */
const free: ReadonlySet<OpName> = new Set([
  'const',
  'zero',
  'undef',
  'global',
  'field',
  'elem',
  'splat',
  'extract',
  'swizzle',
  'detach',
])

/** The forms of a function's values. */
export class Forms {
  readonly #can: Capabilities
  readonly #count: number[]
  readonly #form: Form[]
  readonly #choice = new Map<Inst, Choice>()
  /** The loop and kind of a value's last seen use. */
  readonly #loopAt: (Inst | undefined)[]
  readonly #byEnd: boolean[]

  constructor(func: Func, can: Capabilities) {
    this.#can = can
    const count = func.nextValue
    this.#count = zeros(count)
    // The walk goes backwards: a list that began empty would be filled from its end.
    this.#form = new Array(count)
    this.#loopAt = new Array(count)
    this.#byEnd = new Array(count)
    this.#visit(func.body!, undefined, undefined)
  }

  of(v: Value): Form {
    return this.#form[v.id] ?? (this.#count[v.id] === 0 ? 'dead' : 'let')
  }

  /** How often the value is written, counting uses by values that are always written in place. */
  uses(v: Value): number {
    return this.#count[v.id]!
  }

  choice(inst: Inst): Choice | undefined {
    return this.#choice.get(inst)
  }

  /** True if the instructions of the region become no statements. */
  inline(region: Region): boolean {
    return (
      region.insts.length <= costs.expressionRegion && region.insts.every(i => i.row.ends || this.#leavesNothing(i))
    )
  }

  #leavesNothing(inst: Inst): boolean {
    if (inst.op === 'if') return this.#choice.has(inst) && this.of(inst.results[0]!) !== 'let'
    const effect = effectOf(inst)
    return (effect === 'none' || effect === 'read') && inst.results.length === 1 && this.of(inst.results[0]!) !== 'let'
  }

  #visit(region: Region, loop: Inst<'loop'> | undefined, owner: Inst | undefined): void {
    for (let i = region.insts.length - 1; i >= 0; i--) {
      const inst = region.insts[i]!
      const inner = inst.op === 'loop' ? inst : loop
      for (let k = inst.regions.length - 1; k >= 0; k--) this.#visit(inst.regions[k]!, inner, inst)
      if (inst.op === 'if') this.#consider(inst)
      const result = inst.results[0]
      if (result !== undefined) this.#form[result.id] = this.#decide(inst, result, loop)
      this.#use(inst, loop, owner)
    }
  }

  #use(inst: Inst, loop: Inst<'loop'> | undefined, owner: Inst | undefined): void {
    const result = inst.results[0]
    const form = result === undefined ? 'let' : this.#form[result.id]!
    if (
      form === 'dead' &&
      effectOf(inst) !== 'write' &&
      inst.regions.length === 0 &&
      inst.results.every(r => this.#count[r.id] === 0)
    )
      return
    // What ends a region hands on only what is used outside of it.
    const takers =
      inst.op === 'yield' || inst.op === 'test' ? owner?.results : inst.op === 'leave' ? inst.attr.results : undefined
    const first = inst.op === 'test' ? 1 : 0
    for (let i = 0; i < inst.args.length; i++) {
      const arg = inst.args[i]!
      if (takers !== undefined && i >= first && this.#count[takers[i - first]!.id] === 0) continue
      if (form === 'always') {
        this.#count[arg.id]! += this.#count[result!.id]!
        this.#loopAt[arg.id] = this.#loopAt[result!.id]
        this.#byEnd[arg.id] = this.#byEnd[result!.id]!
      } else {
        this.#count[arg.id]!++
        this.#loopAt[arg.id] = loop
        this.#byEnd[arg.id] = inst.row.ends
      }
    }
  }

  #decide(inst: Inst, v: Value, loop: Inst<'loop'> | undefined): Form {
    const count = this.#count[v.id]!
    if (count === 0) return 'dead'
    if (free.has(inst.op) && this.#can.isFree(inst)) return 'always'
    if (inst.op === 'intrinsic.hide' || inst.op === 'var') return 'let'
    const effect = effectOf(inst)
    const isChoice = this.#choice.has(inst)
    if (!isChoice && (inst.regions.length > 0 || (effect !== 'none' && effect !== 'read'))) return 'let'
    if (count > 1 || inst.results.length > 1 || this.#loopAt[v.id] !== loop) return 'let'
    // Threads that leave later take part.
    if ((inst.op === 'intrinsic.pure' || inst.op === 'intrinsic.read') && this.#can.isConvergent(inst.attr))
      return 'let'
    return v.name === '' || this.#byEnd[v.id]! || !this.#can.keepsNames ? 'once' : 'let'
  }

  /** Whether an `if` is `&&`, `||` or a choice between two values. */
  #consider(inst: Inst): void {
    if (inst.results.length !== 1) return
    const yes = inst.regions[0]!,
      no = inst.regions[1]!
    if (yes.end.op !== 'yield' || no.end.op !== 'yield' || !this.inline(yes) || !this.inline(no)) return
    const type = inst.results[0]!.type
    const [a, b] = [yes.end.args[0]!, no.end.args[0]!]
    if (type.kind === 'scalar' && type.scalar === 'bool') {
      if (isBool(b, false)) this.#choice.set(inst, 'and')
      else if (isBool(a, true)) this.#choice.set(inst, 'or')
      if (this.#choice.has(inst)) return
    }
    const costs = (v: Value): boolean => this.of(v) === 'let' || this.of(v) === 'once'
    const atHand = (r: Region): boolean => r.insts.every(i => i.row.ends || !costs(i.results[0]!))
    if (this.#can.lazyChoice || ((type.kind === 'scalar' || type.kind === 'vec') && atHand(yes) && atHand(no)))
      this.#choice.set(inst, 'select')
  }
}

function isBool(v: Value, value: boolean): boolean {
  return v.def.op === 'const' && v.def.attr === value
}
