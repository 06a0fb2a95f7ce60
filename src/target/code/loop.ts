/**
 * Makes statements of loops. Carried values become variables, which are assigned all at once at the end of a trip. If the head is a
 * single condition, it is the loop's condition; otherwise the body begins with a test and a `break`. A loop that steps a counter
 * becomes a `for`. `continue` goes to the assignments at the end of the body, or makes its own where they are what it carries.
 */
import type { OpName } from '../../ir/op.ts'
import type { Inst, Region, Value } from '../../ir/value.ts'
import type { Structurer } from './structure.ts'
import { nameOf, nothing, type Assign, type Expr, type If, type Local, type Loop, type Stmt, type Var } from './tree.ts'
import type { Targets } from './values.ts'
import { isEndless } from '../../ir/exits.ts'

export class LoopForm {
  readonly #s: Structurer
  readonly #inst: Inst<'loop'>
  readonly #head: Region
  readonly #body: Region
  /** The carried variables; undefined for those that nothing reads. */
  readonly #vars: (Local | undefined)[] = []
  /** Indices of the carried variables that also hold a result of the loop. */
  readonly #outlive = new Set<number>()
  /** Variables of results that are no carried variable. */
  readonly #results: (Local | undefined)[] = []

  constructor(structurer: Structurer, inst: Inst<'loop'>) {
    this.#s = structurer
    this.#inst = inst
    this.#head = inst.regions[0]!
    this.#body = inst.regions[1]!
  }

  make(): void {
    const s = this.#s
    const inst = this.#inst
    const test = this.#head.end
    const endless = isEndless(inst)
    const left = s.exits.isLeft(inst)
    const inits = inst.args.map((a, i) => (this.#isUsed(i) ? s.get(a) : s.discard(a)))
    s.flush()
    const targets = this.#planResults(endless, left)
    const block = this.#body.insts.find(i => s.exitPlan.blocks.get(i) === 'body')
    const direct = block === undefined ? undefined : this.#directTargets(block)
    const headInline = s.forms.inline(this.#head) && this.#results.every(r => r === undefined)
    let counter = headInline && !endless && (block === undefined || direct !== undefined) ? this.#findCounter() : -1
    const continues =
      block !== undefined && (direct === undefined || (direct.counter >= 0 && direct.counter !== counter))
    if (continues) counter = -1
    const start = this.#declare(inits, counter)
    const loop: Loop = {
      kind: 'loop',
      cond: undefined,
      start,
      step: undefined,
      body: [],
      continuing: [],
      isLeft: !endless || left || s.exits.leavesAround(inst),
      of: inst,
      span: inst.span,
      label: '',
    }
    s.open(inst, loop, targets)
    s.declareFlag(inst)
    s.out.push(loop)
    s.into(loop.body, () => {
      if (headInline && !endless && !continues) {
        s.headInline(this.#head)
        loop.cond = s.get(test.args[0]!)
      } else this.#makeHead(loop, endless)
      this.#makeBody(loop, block, direct, continues, counter)
    })
    s.checks(inst)
    this.#setResults(targets)
  }

  /** Declares the variables; gives the declaration of the counter. */
  #declare(inits: readonly Expr[], counter: number): Var | undefined {
    const { out } = this.#s
    const { span } = this.#inst
    let start: Var | undefined
    for (let i = 0; i < this.#vars.length; i++) {
      const local = this.#vars[i]
      if (local === undefined || inits[i]!.attr === local) continue
      const declared: Var = { kind: 'var', local, init: inits[i]!, span }
      if (i === counter) start = declared
      else out.push(declared)
    }
    for (let i = 0; i < this.#results.length; i++) {
      const local = this.#results[i]
      if (local !== undefined) out.push({ kind: 'var', local, init: undefined, span })
    }
    return start
  }

  #isUsed(i: number): boolean {
    return this.#s.forms.uses(this.#head.params[i]!) > 0
  }

  /** Names the carried variables, and decides which variable holds each result of the loop. */
  #planResults(endless: boolean, left: boolean): Targets {
    const s = this.#s
    const exits = this.#head.end.args.slice(1)
    const { params } = this.#head
    const { results } = this.#inst
    const paramAt = new Map(params.map((p, k) => [p, k]))
    const alias: (number | undefined)[] = []
    const aliased = new Map<number, number>()
    for (let j = 0; j < results.length; j++) {
      if (s.forms.of(results[j]!) === 'dead') continue
      const k = exits[j] === undefined ? undefined : paramAt.get(exits[j]!)
      if (k === undefined || (left && this.#outlive.has(k))) continue
      alias[j] = k
      if (!aliased.has(k)) aliased.set(k, j)
      this.#outlive.add(k)
    }
    for (let k = 0; k < params.length; k++) {
      const param = params[k]!
      if (!this.#isUsed(k)) {
        this.#vars.push(undefined)
        continue
      }
      const result = aliased.get(k)
      if (param.name === '' && result !== undefined) param.name = results[result]!.name
      const local = this.#sharedLocal(k, result) ?? s.name(param, 'v')
      s.carry(local, param)
      this.#vars.push(local)
    }
    return results.map((result, j) => {
      if (s.forms.of(result) === 'dead') return undefined
      const k = alias[j]
      if (k !== undefined) return this.#vars[k]
      if (!left && !endless && exits[j] !== undefined && this.#isOutside(exits[j])) return undefined
      return (this.#results[j] = s.name(result, 'result'))
    })
  }

  /** The variable of the outer loop that a carried value shares, since it starts with that variable's value and gives its own back. */
  #sharedLocal(k: number, result: number | undefined): Local | undefined {
    if (result === undefined) return undefined
    const s = this.#s
    const shared = s.share(this.#inst, this.#inst.results[result]!)
    if (shared?.held === undefined) return undefined
    const { args } = this.#inst
    if (args.indexOf(shared.held) !== k || args.lastIndexOf(shared.held) !== k) return undefined
    return s.readsInside(this.#inst, shared.held) ? undefined : shared.local
  }

  /** True for a value that is defined before the loop, or costs nothing to write again. */
  #isOutside(v: Value): boolean {
    if (v.def.op === 'const' || v.def.op === 'zero') return true
    return this.#s.known(v) !== undefined && v.def !== this.#head
  }

  /** After the loop nothing changes its variables. */
  #setResults(targets: Targets): void {
    const exits = this.#head.end.args.slice(1)
    for (let j = 0; j < this.#inst.results.length; j++) {
      const result = this.#inst.results[j]!
      if (this.#s.forms.of(result) === 'dead') continue
      const local = targets[j]
      this.#s.set(result, local === undefined ? this.#s.get(exits[j]!) : nameOf(local, result.type))
    }
  }

  #makeHead(loop: Loop, endless: boolean): void {
    const s = this.#s
    const test = this.#head.end
    s.within(this.#head, 0, this.#head.insts.length - 1, () => undefined)
    if (endless) return
    const targets = this.#inst.results.map((_, j) => this.#results[j])
    const values = targets.map((local, j) => (local === undefined ? nothing : s.get(test.args[j + 1]!)))
    const cond = s.not(test.args[0]!)
    s.flush()
    const exit: If = { kind: 'if', cond, yes: [], no: [], span: test.span, label: '' }
    s.out.push(exit)
    s.into(exit.yes, () => s.assign(targets, values, test.span))
    exit.yes.push({ kind: 'break', of: loop, span: null })
  }

  #makeBody(
    loop: Loop,
    block: Inst | undefined,
    direct: Direct | undefined,
    continues: boolean,
    counter: number,
  ): void {
    const s = this.#s
    const { insts } = this.#body
    const finish = (end: Inst): void => {
      const targets: (Local | undefined)[] = []
      const values: Expr[] = []
      for (let k = 0; k < end.args.length; k++) {
        const arg = end.args[k]!
        const target = this.#vars[k]
        const done = direct !== undefined && !continues && direct.next[k] === true
        if (target === undefined || done || arg === this.#head.params[k]) continue
        const value = s.get(arg)
        if (k === counter) {
          loop.step = { kind: 'assign', place: nameOf(target), value, span: end.span } satisfies Assign
          continue
        }
        targets.push(target)
        values.push(value)
      }
      s.flush()
      s.assign(targets, values, end.span)
    }
    const targets = this.#vars.map((v, k) => (k === counter ? undefined : v))
    if (block === undefined) {
      s.within(this.#body, 0, insts.length, finish, targets)
      return
    }
    const at = insts.indexOf(block)
    s.within(this.#body, 0, at, finish, targets)
    s.declareBody(block, direct !== undefined && !continues ? direct.targets(this.#vars) : undefined)
    s.within(this.#body, at, at + 1, finish)
    const rest: Stmt[] = continues ? loop.continuing : s.out
    s.into(rest, () => s.within(this.#body, at + 1, insts.length, finish, targets))
  }

  /**
   * The carried values that the exits of a block assign directly, if the block carries what the loop carries. Then only the
   * counter's step is left to do after the block.
   */
  #directTargets(block: Inst): Direct | undefined {
    const { forms } = this.#s
    const { insts, end } = this.#body
    const leavesNothing = (i: Inst): boolean =>
      i.regions.length === 0 && i.results.length === 1 && forms.of(i.results[0]!) !== 'let' && i.row.effect === 'none'
    for (let i = insts.indexOf(block) + 1; i < insts.length - 1; i++) if (!leavesNothing(insts[i]!)) return undefined
    const param: (number | undefined)[] = []
    const next: boolean[] = []
    let counter = -1
    for (let k = 0; k < end.args.length; k++) {
      const arg = end.args[k]!
      if (arg === this.#head.params[k] || !this.#isUsed(k)) continue
      if (arg.def === block && forms.uses(arg) === 1) {
        param[arg.index] = k
        next[k] = true
      } else if (counter < 0) counter = k
      else return undefined
    }
    if (block.results.some((r, j) => param[j] === undefined && forms.of(r) !== 'dead')) return undefined
    return {
      counter,
      next,
      targets: vars => block.results.map((_, j) => (param[j] === undefined ? undefined : vars[param[j]])),
    }
  }

  /** The carried variable that a `for` can step: a scalar whose next value depends on nothing else that changes. */
  #findCounter(): number {
    const s = this.#s
    const { end, insts } = this.#body
    if (end.op !== 'next' || insts.some(i => s.exits.diverges(i))) return -1
    const own = new Set(insts)
    for (let k = 0; k < this.#head.params.length; k++) {
      const param = this.#head.params[k]!
      const next = end.args[k]!
      if (this.#vars[k] === undefined || this.#outlive.has(k) || next === param) continue
      if (param.type.kind !== 'scalar' || param.type.scalar === 'bool') continue
      const { def } = next
      if (def.op === 'param' || !steps.has(def.op) || !own.has(def) || s.forms.of(next) !== 'once') continue
      if (def.args.every(a => a === param || this.#isOutside(a)) && def.args.includes(param) && this.#condReads(param))
        return k
    }
    return -1
  }

  #condReads(param: Value): boolean {
    const own = new Set(this.#head.insts)
    const seen = new Set<Value>()
    const reads = (v: Value): boolean => {
      if (v === param) return true
      if (v.def.op === 'param' || seen.has(v) || !own.has(v.def)) return false
      seen.add(v)
      return v.def.args.some(reads)
    }
    return reads(this.#head.end.args[0]!)
  }
}

/** Where a block's results go when they are carried values of the loop. */
interface Direct {
  /** The carried value that is stepped after the block, or -1. */
  readonly counter: number
  /** Carried values that exits of the block assign. */
  readonly next: readonly boolean[]
  targets(vars: Targets): Targets
}

/** Ops by which a `for` steps its counter. */
const steps: ReadonlySet<OpName> = new Set(['add', 'sub', 'mul', 'div', 'shl', 'shr'])
