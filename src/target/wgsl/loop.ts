/**
 * How a loop is written: carried values are variables, assigned all at once at the end of a trip. Where the head is one
 * condition the loop is a `for` or `while`, else a `loop` with a `break`; `continue` reaches the assignments through a
 * `continuing` block, or makes them itself where they are what it carries.
 */
import type { OpName } from '../../ir/op.ts'
import { Inst, type Region, type Value } from '../../ir/value.ts'
import { primary, type Expr } from './expr.ts'
import type { FuncPrinter } from './print.ts'

export class LoopForm {
  readonly #p: FuncPrinter
  readonly #inst: Inst
  readonly #head: Region
  readonly #body: Region
  /** Names of the carried variables; undefined for those that nothing reads. */
  readonly #vars: (string | undefined)[] = []
  /** Carried variables that a result of the loop stands for. */
  readonly #outlive = new Set<number>()
  /** Variables of results that are no carried variable. */
  readonly #results: (string | undefined)[] = []

  constructor(printer: FuncPrinter, inst: Inst) {
    this.#p = printer
    this.#inst = inst
    this.#head = inst.regions[0]!
    this.#body = inst.regions[1]!
  }

  print(): void {
    const p = this.#p
    const inst = this.#inst
    const test = this.#head.end
    const endless = isTrue(test.args[0]!)
    const left = p.exits.left.has(inst)
    const inits = inst.args.map((a, i) => this.#isUsed(i) ? p.get(a) : p.discard(a))
    p.flush()
    const targets = this.#planResults(endless, left)
    const block = this.#body.insts.find(i => p.exits.blocks.get(i) === 'body')
    const direct = block === undefined ? undefined : this.#directTargets(block)
    const headInline = p.folding.inline(this.#head) && this.#results.every(r => r === undefined)
    let counter = headInline && !endless && (block === undefined || direct !== undefined) ? this.#findCounter() : -1
    const usesContinuing = block !== undefined && (direct === undefined || (direct.counter >= 0 && direct.counter !== counter))
    if (usesContinuing) counter = -1
    let start = ''
    for (let i = 0; i < this.#vars.length; i++) {
      const name = this.#vars[i]
      if (name === undefined) continue
      if (inits[i]!.text === name) continue
      if (i === counter) start = `var ${name} = ${inits[i]!.text}`
      else p.lines.add(`var ${name} = ${inits[i]!.text};`, inst.span)
    }
    for (let i = 0; i < this.#results.length; i++) {
      const name = this.#results[i]
      if (name !== undefined) p.lines.add(`var ${name}: ${p.typeText(inst.results[i]!.type)};`, inst.span)
    }
    p.setTargets(inst, targets)
    p.declareFlag(inst)
    const header = p.lines.count
    let headText = endless ? (left || hasReturn(this.#body) ? 'loop' : 'while (true)') : 'loop'
    if (headInline && !endless && !usesContinuing) {
      p.headInline(this.#head)
      headText = `while (${p.get(test.args[0]!).text})`
    }
    p.lines.add(`${headText} {`, inst.span)
    p.lines.indented(() => {
      if (!headText.startsWith('while')) this.#printHead(endless)
      this.#printBody(block, direct, usesContinuing, counter, (step) => {
        const cond = /^while \((.*)\)$/.exec(headText)![1]!
        p.lines.replace(header, `for (${start}; ${cond}; ${step}) {`)
      })
    })
    p.lines.add('}')
    p.checks(inst)
    this.#setResults(targets)
  }

  #isUsed(i: number): boolean {
    const param = this.#head.params[i]!
    return this.#p.folding.uses(param) > 0
  }

  /** Names the carried variables, and decides where each result of the loop is found afterwards. */
  #planResults(endless: boolean, left: boolean): (string | undefined)[] {
    const p = this.#p
    const exits = this.#head.end.args.slice(1)
    const params = this.#head.params
    const alias: (number | undefined)[] = []
    for (let j = 0; j < this.#inst.results.length; j++) {
      const result = this.#inst.results[j]!
      if (p.folding.form(result) === 'dead') continue
      const k = exits[j] === undefined ? -1 : params.indexOf(exits[j]!)
      if (k < 0 || (left && this.#outlive.has(k))) continue
      alias[j] = k
      this.#outlive.add(k)
    }
    for (let k = 0; k < params.length; k++) {
      const param = params[k]!
      if (!this.#isUsed(k)) {
        this.#vars.push(undefined)
        continue
      }
      if (param.name === '') {
        const result = alias.indexOf(k)
        param.name = result >= 0 ? this.#inst.results[result]!.name : ''
      }
      const name = this.#sharedName(k, alias.indexOf(k)) ?? p.name(param, 'v')
      p.carry(name, param)
      this.#vars.push(name)
    }
    return this.#inst.results.map((result, j) => {
      if (p.folding.form(result) === 'dead') return undefined
      const k = alias[j]
      if (k !== undefined) return this.#vars[k]
      if (!left && !endless && exits[j] !== undefined && this.#isOutside(exits[j]!)) return undefined
      const name = p.name(result, 'result')
      this.#results[j] = name
      return name
    })
  }

  /** A carried value that goes on with the variable of the loop around: it starts with its value and hands its own back. */
  #sharedName(k: number, result: number): string | undefined {
    if (result < 0) return undefined
    const p = this.#p
    const shared = p.share(this.#inst, this.#inst.results[result]!)
    if (shared?.held === undefined) return undefined
    const { args } = this.#inst
    if (args.indexOf(shared.held) !== k || args.lastIndexOf(shared.held) !== k) return undefined
    return p.readsInside(this.#inst, shared.held) ? undefined : shared.name
  }

  /** True for a value that is defined before the loop, or costs nothing to write again. */
  #isOutside(v: Value): boolean {
    const def = v.def
    if (def.op !== 'param' && (def.op === 'const' || def.op === 'zero')) return true
    return this.#p.known(v) !== undefined && !this.#head.params.includes(v)
  }

  /** After the loop nothing changes its variables. */
  #setResults(targets: readonly (string | undefined)[]): void {
    const exits = this.#head.end.args.slice(1)
    for (let j = 0; j < this.#inst.results.length; j++) {
      const result = this.#inst.results[j]!
      if (this.#p.folding.form(result) === 'dead') continue
      const name = targets[j]
      this.#p.set(result, name === undefined ? this.#p.get(exits[j]!) : primary(name))
    }
  }

  #printHead(endless: boolean): void {
    const p = this.#p
    const test = this.#head.end
    p.within(this.#head, 0, this.#head.insts.length - 1, () => undefined)
    if (endless) return
    const values: Expr[] = []
    for (let j = 0; j < this.#inst.results.length; j++) values.push(this.#results[j] === undefined ? primary('') : p.get(test.args[j + 1]!))
    const cond = p.not(test.args[0]!)
    p.flush()
    p.lines.braces(`if (${cond.text})`, test.span, () => {
      p.assign(this.#inst.results.map((_, j) => this.#results[j]), values, test.span)
      p.lines.add('break;')
    })
  }

  #printBody(
    block: Inst | undefined, direct: Direct | undefined, continuing: boolean, counter: number, setStep: (step: string) => void,
  ): void {
    const p = this.#p
    const insts = this.#body.insts
    const finish = (end: Inst): void => {
      const targets: (string | undefined)[] = []
      const values: Expr[] = []
      for (let k = 0; k < end.args.length; k++) {
        const arg = end.args[k]!
        const target = this.#vars[k]
        const done = direct !== undefined && !continuing && direct.next[k] === true
        if (target === undefined || done || arg === this.#head.params[k]) continue
        const value = p.get(arg)
        if (k === counter) {
          setStep(stepText(target, arg, value, p))
          continue
        }
        targets.push(target)
        values.push(value)
      }
      p.flush()
      p.assign(targets, values, end.span)
    }
    const targets = this.#vars.map((v, k) => k === counter ? undefined : v)
    if (block === undefined) {
      p.within(this.#body, 0, insts.length, finish, targets)
      return
    }
    const at = insts.indexOf(block)
    p.within(this.#body, 0, at, finish, targets)
    p.declareBody(block, direct !== undefined && !continuing ? direct.targets(this.#vars) : undefined)
    p.within(this.#body, at, at + 1, finish)
    if (!continuing) {
      p.within(this.#body, at + 1, insts.length, finish, targets)
      return
    }
    p.lines.braces('continuing', null, () => p.within(this.#body, at + 1, insts.length, finish, targets))
  }

  /**
   * Whether what the block carries is what the loop carries: then each way out of the block assigns the loop's variables,
   * and nothing but the counter's step is left to do after it.
   */
  #directTargets(block: Inst): Direct | undefined {
    const { folding } = this.#p
    const insts = this.#body.insts
    const end = this.#body.end
    const after = insts.slice(insts.indexOf(block) + 1)
    const leavesNothing = (i: Inst): boolean =>
      i.regions.length === 0 && i.results.length === 1 && folding.form(i.results[0]!) !== 'let' && i.row.effect === 'none'
    if (!after.every(i => i === end || leavesNothing(i))) return undefined
    const param: (number | undefined)[] = []
    const next: boolean[] = []
    let counter = -1
    for (let k = 0; k < end.args.length; k++) {
      const arg = end.args[k]!
      if (arg === this.#head.params[k] || !this.#isUsed(k)) continue
      const j = block.results.indexOf(arg)
      if (j >= 0 && folding.uses(arg) === 1) {
        param[j] = k
        next[k] = true
      } else if (counter < 0) counter = k
      else return undefined
    }
    if (block.results.some((r, j) => param[j] === undefined && folding.form(r) !== 'dead')) return undefined
    return { counter, next, targets: vars => block.results.map((_, j) => param[j] === undefined ? undefined : vars[param[j]]) }
  }

  /** The carried variable that a `for` can step: a scalar whose next value depends on nothing else that changes. */
  #findCounter(): number {
    const p = this.#p
    const end = this.#body.end
    if (end.op !== 'next' || this.#body.insts.some(i => p.diverges(i))) return -1
    for (let k = 0; k < this.#head.params.length; k++) {
      const param = this.#head.params[k]!
      const next = end.args[k]!
      if (this.#vars[k] === undefined || this.#outlive.has(k) || next === param) continue
      if (param.type.kind !== 'scalar' || param.type.scalar === 'bool') continue
      const def = next.def
      if (def.op === 'param' || !this.#body.insts.includes(def) || p.folding.form(next) !== 'once' || !steps.has(def.op)) continue
      if (def.args.every(a => a === param || this.#isOutside(a)) && def.args.includes(param) && this.#condReads(param)) return k
    }
    return -1
  }

  #condReads(param: Value): boolean {
    const seen = (v: Value): boolean => v === param || (v.def.op !== 'param' && this.#head.insts.includes(v.def) && v.def.args.some(seen))
    return seen(this.#head.end.args[0]!)
  }
}

/** Where a block's results go when they are carried values of the loop. */
interface Direct {
  /** The carried value that is stepped after the block, or -1. */
  readonly counter: number
  /** Carried values that ways out of the block assign. */
  readonly next: readonly boolean[]
  targets(vars: readonly (string | undefined)[]): (string | undefined)[]
}

const steps: ReadonlySet<OpName> = new Set(['add', 'sub', 'mul', 'div', 'shl', 'shr'])

/** `i++`, `i += 2` or `i = …`. */
function stepText(name: string, next: Value, value: Expr, p: FuncPrinter): string {
  const def = next.def
  if (def.op !== 'param' && (def.op === 'add' || def.op === 'sub') && p.known(def.args[0]!)?.text === name) {
    const by = p.get(def.args[1]!)
    const sign = def.op === 'add' ? '+' : '-'
    const isOne = /^1u?$/.test(by.text)
    return isOne ? `${name}${sign}${sign}` : `${name} ${sign}= ${by.text}`
  }
  return `${name} = ${value.text}`
}

function isTrue(v: Value): boolean {
  return v.def.op !== 'param' && v.def.op === 'const' && v.def.attr === true
}

function hasReturn(region: Region): boolean {
  return region.insts.some(i => i.op === 'ret' || i.regions.some(hasReturn))
}
