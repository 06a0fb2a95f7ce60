/**
 * Which values are written where they are used, and which get a `let`. A value used once, in the same loop and without a
 * name of its own, is written in place; what costs nothing (constants, components, paths into memory) always is. This is an
 * analysis of one function; the printer follows it, and gives a `let` after all where a write comes between.
 */
import type { Effect } from '../../ir/op.ts'
import { Inst, type Func, type Region, type Value } from '../../ir/value.ts'
import { together } from './legal.ts'

/** unused · in a `let` or `var` · written at its only use · written at each use. */
export type Form = 'dead' | 'let' | 'once' | 'always'

/** An `if` that is written as an expression. */
export type Choice = 'and' | 'or' | 'select'

export interface Folding {
  form(v: Value): Form
  /** How often the value is written, counting through what is always written in place. */
  uses(v: Value): number
  choice(inst: Inst): Choice | undefined
  /** True where the region's instructions leave no statement behind. */
  inline(region: Region): boolean
}

/** An instruction's effect; that of a call is its function's. */
export function effectOf(inst: Inst): Effect {
  return inst.op === 'call' && inst.attr.info.pure ? 'none' : inst.row.effect
}

/** Functions whose outcome depends on which invocations call them together. */
const convergent = /^(dpd[xy]|fwidth|textureSample)/

/** Analyses a function. */
export function fold(func: Func): Folding {
  return new Folder(func)
}

class Folder implements Folding {
  readonly #count: Uint32Array
  readonly #form: Form[]
  readonly #choice = new Map<Inst, Choice>()
  /** The loop and kind of a value's last seen use. */
  readonly #loopAt: (Inst | undefined)[]
  readonly #byEnd: boolean[]

  constructor(func: Func) {
    const count = func.nextValue
    this.#count = new Uint32Array(count)
    // The walk goes backwards: a list that began empty would be filled from its end.
    this.#form = new Array(count)
    this.#loopAt = new Array(count)
    this.#byEnd = new Array(count)
    this.#visit(func.body!, undefined, undefined)
  }

  form(v: Value): Form {
    return this.#form[v.id] ?? (this.#count[v.id] === 0 ? 'dead' : 'let')
  }

  uses(v: Value): number {
    return this.#count[v.id]!
  }

  choice(inst: Inst): Choice | undefined {
    return this.#choice.get(inst)
  }

  inline(region: Region): boolean {
    return region.insts.every(i => i.row.ends || this.#leavesNothing(i))
  }

  #leavesNothing(inst: Inst): boolean {
    if (inst.op === 'if') return this.#choice.has(inst) && this.form(inst.results[0]!) !== 'let'
    const effect = effectOf(inst)
    return (effect === 'none' || effect === 'read') && inst.results.length === 1 && this.form(inst.results[0]!) !== 'let'
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
    if (form === 'dead' && effectOf(inst) !== 'write' && inst.regions.length === 0) return
    // What ends a region hands on only what is used outside of it.
    const takers = inst.op === 'yield' || inst.op === 'test' ? owner?.results
      : inst.op === 'leave' ? inst.attr.results : undefined
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
    const effect = effectOf(inst)
    switch (inst.op) {
      case 'const': case 'zero': case 'global': case 'field': case 'elem': case 'splat': case 'extract': case 'swizzle':
        return count === 0 ? 'dead' : 'always'
      case 'wgsl.hide': case 'var': return count === 0 ? 'dead' : 'let'
      case 'if': if (!this.#choice.has(inst)) return count === 0 ? 'dead' : 'let'
    }
    const isChoice = inst.op === 'if'
    if (inst.regions.length > 0 && !isChoice) return count === 0 ? 'dead' : 'let'
    if (!isChoice && effect !== 'none' && effect !== 'read') return count === 0 ? 'dead' : 'let'
    if (count === 0) return 'dead'
    if (count > 1 || inst.results.length > 1 || this.#loopAt[v.id] !== loop) return 'let'
    // Threads that leave later take part.
    if ((inst.op === 'wgsl.builtin' || inst.op === 'wgsl.read') && (convergent.test(inst.attr) || together.test(inst.attr))) return 'let'
    return v.name === '' || this.#byEnd[v.id]! ? 'once' : 'let'
  }

  /** Whether an `if` is `&&`, `||` or a choice between two values at hand. */
  #consider(inst: Inst): void {
    if (inst.results.length !== 1) return
    const yes = inst.regions[0]!, no = inst.regions[1]!
    if (yes.end.op !== 'yield' || no.end.op !== 'yield' || !this.inline(yes) || !this.inline(no)) return
    const type = inst.results[0]!.type
    const [a, b] = [yes.end.args[0]!, no.end.args[0]!]
    if (type.kind === 'scalar' && type.scalar === 'bool') {
      if (isBool(b, false)) this.#choice.set(inst, 'and')
      else if (isBool(a, true)) this.#choice.set(inst, 'or')
      if (this.#choice.has(inst)) return
    }
    const free = (v: Value): boolean => this.form(v) === 'always' || this.form(v) === 'dead'
    const atHand = (r: Region): boolean => r.insts.every(i => i.row.ends || free(i.results[0]!))
    if ((type.kind === 'scalar' || type.kind === 'vec') && atHand(yes) && atHand(no)) this.#choice.set(inst, 'select')
  }
}

function isBool(v: Value, value: boolean): boolean {
  return v.def.op !== 'param' && v.def.op === 'const' && v.def.attr === value
}
