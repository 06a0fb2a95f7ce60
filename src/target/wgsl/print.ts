/**
 * Prints a function of legal IR. Values are named or written in place as `fold.ts` says, `leave`s as `exits.ts` says; what
 * remains here is the order of the text: results of control are assigned where regions end, and a `let` comes before any
 * write that its expression must not see.
 */
import type { Span } from '../../base/source.ts'
import { Inst, type Func, type Region, type Value } from '../../ir/value.ts'
import { planExits, type Exits } from './exits.ts'
import { assignment, binds, choiceText, expression, logic, primary, rootOf, type Expr } from './expr.ts'
import { effectOf } from './fold.ts'
import type { Lines } from './lines.ts'
import { LoopForm } from './loop.ts'
import type { Names } from './names.ts'
import { Values, type ModuleScope, type Shared, type Targets } from './values.ts'

/** Prints the statements of one function. */
export class FuncPrinter extends Values {
  readonly exits: Exits
  readonly #targets = new Map<Inst, Targets>()
  readonly #divergent = new Map<Inst, boolean>()
  readonly #flags = new Map<Inst, string>()
  /** Variables that are declared by the store that first writes them. */
  readonly #declaredBy = new Map<Inst, Value>()
  /** What `next` does, for the loops around. */
  readonly #next: ((inst: Inst) => void)[] = []

  constructor(func: Func, module: ModuleScope, names: Names, lines: Lines) {
    super(func, module, names, lines)
    this.exits = planExits(func)
  }

  /** Names the parameters, in order. */
  params(): readonly string[] {
    return this.func.body!.params.map(p => this.name(p, 'arg'))
  }

  body(): void {
    this.#region(this.func.body!, () => undefined)
  }

  // ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Prints a region's instructions; `onYield` says what its end does. */
  #region(region: Region, onYield: (end: Inst) => void, targets: Targets = []): void {
    this.#findDeclarations(region)
    const outside = this.waiting()
    const frame = { region, at: 0, targets }
    this.frames.push(frame)
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      frame.at = i
      if (inst.op === 'yield') onYield(inst)
      else this.#inst(inst)
      if (this.diverges(inst)) break
    }
    this.frames.pop()
    this.forget(outside)
  }

  /** Prints a region that assigns what it yields. */
  #regionTo(region: Region, targets: Targets): void {
    this.#region(region, end => {
      this.assign(targets, end.args.map((a, i) => targets[i] === undefined ? this.discard(a) : this.get(a)), end.span)
    }, targets)
  }

  /** True where nothing after the instruction in its region can be reached. */
  diverges(inst: Inst): boolean {
    if (inst.regions.length === 0 || this.exits.left.has(inst)) return false
    let known = this.#divergent.get(inst)
    if (known === undefined) {
      known = inst.op === 'loop' ? isConstant(inst.regions[0]!.end.args[0]!, true) : inst.regions.every(r => this.#ends(r))
      this.#divergent.set(inst, known)
    }
    return known
  }

  /** True for a region whose end hands nothing on. */
  #ends(region: Region): boolean {
    return region.end.op !== 'yield' || region.insts.some(i => this.diverges(i))
  }

  /** A variable whose first use in its region is a store of the whole is declared there. */
  #findDeclarations(region: Region): void {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      if (inst.op !== 'var') continue
      const v = inst.results[0]!
      for (let k = i + 1; k < region.insts.length; k++) {
        const user = region.insts[k]!
        if (user.op === 'store' && user.args[0] === v && user.args[1] !== v) {
          this.#declaredBy.set(user, v)
          this.set(v, primary(''))
          break
        }
        if (uses(user, v)) break
      }
    }
  }

  #inst(inst: Inst): void {
    const { lines } = this
    switch (inst.op) {
      case 'if': this.#if(inst); return
      case 'switch': this.#switch(inst); return
      case 'loop': new LoopForm(this, inst).print(); return
      case 'block': this.#block(inst); return
      case 'var': {
        const v = inst.results[0]!
        if (this.folding.form(v) === 'dead' || this.known(v) !== undefined) return
        const type = this.typeText(v.type.elem!)
        lines.add(`var ${this.name(v, 'local')}: ${type};`, inst.span)
        return
      }
      case 'store': this.#store(inst); return
      case 'ret': {
        const value = inst.args[0] === undefined ? undefined : this.get(inst.args[0])
        if (value !== undefined) lines.add(`return ${value.text};`, inst.span)
        else if (!this.#endsBody(inst)) lines.add('return;', inst.span)
        return
      }
      case 'leave': this.#leave(inst); return
      case 'next': this.#next[this.#next.length - 1]!(inst); return
      case 'unreachable': {
        const result = this.func.sig.result
        if (result.kind !== 'void' && this.#endsBody(inst) && this.#couldEnd()) lines.add(`return ${this.typeText(result)}();`, inst.span)
        return
      }
    }
    if (inst.results.length > 0 && inst.results.every(r => this.folding.form(r) === 'dead') && effectOf(inst) !== 'write') return
    if (inst.op === 'wgsl.exchange') {
      const call = expression(inst, this)
      this.flush('globals')
      const name = this.name(inst.results[0]!, 'tried')
      lines.add(`let ${name} = ${call.text};`, inst.span)
      this.set(inst.results[0]!, primary(`${name}.old_value`))
      this.set(inst.results[1]!, primary(`${name}.exchanged`))
      return
    }
    const result = inst.results[0]
    if (result === undefined) {
      const args = inst.args.map(a => this.get(a))
      this.flush('globals')
      const texts = args.map((a, i) => inst.args[i]!.type.kind === 'ptr' && inst.args[i]!.type.space !== 'handle' ? `&${a.text}` : a.text)
      const callee = inst.op === 'call' ? this.funcText(inst.attr) : inst.attr
      if (callee === 'discard') {
        lines.add('discard;', inst.span)
        return
      }
      lines.add(`${callee}(${texts.join(', ')});`, inst.span)
      return
    }
    const form = this.folding.form(result)
    if (form === 'always') return
    const e = expression(inst, this)
    if (effectOf(inst) === 'write') {
      this.flush('globals')
      // Of the built-in functions with effects, WGSL wants the result of this one to be used.
      if (form === 'dead') lines.add(`${inst.attr === 'workgroupUniformLoad' ? '_ = ' : ''}${e.text};`, inst.span)
      else this.let(result, e, inst.span)
    } else if (form === 'once') this.defer(result, e, inst.span)
    else this.let(result, e, inst.span)
  }

  #store(inst: Inst): void {
    const declared = this.#declaredBy.get(inst)
    const value = this.get(inst.args[1]!)
    if (declared !== undefined) {
      if (this.folding.uses(declared) <= 1) return
      this.lines.add(`var ${this.name(declared, 'local')} = ${value.text};`, inst.span)
      return
    }
    const place = this.get(inst.args[0]!)
    this.flush(rootOf(inst.args[0]!))
    this.lines.add(assignment(place.text, value), inst.span)
  }

  #endsBody(inst: Inst): boolean {
    return this.func.body!.end === inst
  }

  /** False where WGSL sees by itself that the body's end is never reached. */
  #couldEnd(): boolean {
    const insts = this.func.body!.insts
    const before = insts[insts.length - 2]
    return before === undefined || !this.diverges(before)
  }

  /** Declares variables for the results that are used; others have none. */
  #declareResults(inst: Inst): Targets {
    return inst.results.map(r => {
      if (this.folding.form(r) === 'dead') return undefined
      const shared = this.share(inst, r)
      if (shared !== undefined) return this.#standFor(r, shared)
      const name = this.name(r, 'result')
      this.lines.add(`var ${name}: ${this.typeText(r.type)};`, inst.span)
      return name
    })
  }

  setTargets(inst: Inst, targets: Targets): void {
    this.#targets.set(inst, targets)
  }

  /** Declares the flag of a construct that is left from afar. */
  declareFlag(inst: Inst): void {
    if (!this.exits.flagged.has(inst)) return
    const name = this.fresh('left')
    this.#flags.set(inst, name)
    this.lines.add(`var ${name} = false;`, inst.span)
  }

  /** Prints the tests of flags that come after a construct. */
  checks(inst: Inst): void {
    for (const check of this.exits.checks.get(inst) ?? []) {
      this.lines.braces(`if (${this.#flags.get(check.target)!})`, null, () => {
        this.lines.add(check.exit.kind === 'continue' ? 'continue;' : 'break;')
      })
    }
  }

  #leave(inst: Inst<'leave'>): void {
    const target = inst.attr
    const targets = this.#targets.get(target)!
    const values = inst.args.map((a, i) => targets[i] === undefined ? this.discard(a) : this.get(a))
    this.assign(targets, values, inst.span)
    const exit = this.exits.leaves.get(inst)!
    if (exit.kind === 'flag') this.lines.add(`${this.#flags.get(target)!} = true;`, inst.span)
    this.lines.add(exit.kind === 'continue' ? 'continue;' : 'break;', inst.span)
  }

  #standFor(result: Value, shared: Shared): string {
    this.set(result, primary(shared.name, shared.held === undefined ? [] : [shared.name]))
    return shared.name
  }

  /** Lets the results stand for what the only region that goes on yields. */
  #yieldAs(inst: Inst): (end: Inst) => void {
    return end => {
      for (let i = 0; i < inst.results.length; i++) {
        const r = inst.results[i]!
        const from = end.args[i]!
        if (this.folding.form(r) === 'dead') {
          this.discard(from)
          continue
        }
        const e = this.get(from)
        if (e.binds === binds.primary && /^\w+$/.test(e.text) && e.vars.length === 0) this.set(r, e)
        else this.let(r, e, end.span)
      }
    }
  }

  // ── Control ──────────────────────────────────────────────────────────────────────────────────────────────────

  #if(inst: Inst): void {
    const choice = this.folding.choice(inst)
    if (choice !== undefined) {
      this.#choose(inst, choice)
      return
    }
    if (this.exits.left.has(inst)) {
      const targets = this.#declareResults(inst)
      this.#targets.set(inst, targets)
      this.declareFlag(inst)
      const cond = this.get(inst.args[0]!)
      this.flush()
      this.#once(inst.span, () => this.#branches(inst, cond, targets))
      this.checks(inst)
      return
    }
    const yes = inst.regions[0]!, no = inst.regions[1]!
    const [yesEnds, noEnds] = [this.#ends(yes), this.#ends(no)]
    if (yesEnds !== noEnds) {
      const cond = yesEnds ? this.get(inst.args[0]!) : this.not(inst.args[0]!)
      this.flush()
      this.lines.braces(`if (${cond.text})`, inst.span, () => this.#region(yesEnds ? yes : no, () => undefined))
      this.#region(yesEnds ? no : yes, this.#yieldAs(inst))
      return
    }
    const shared = inst.results.map(r => this.folding.form(r) === 'dead' ? undefined : this.share(inst, r))
    // A shared variable may be read in the other branch, so it cannot be given another value before.
    const starts = this.#idle(no) && !yesEnds && shared.every((s, i) => s?.held === undefined || no.end.args[i] === s.held)
    if (!starts) {
      const targets = this.#declareResults(inst)
      const cond = this.get(inst.args[0]!)
      this.flush()
      this.#branches(inst, cond, targets)
      return
    }
    // The other side only hands on what is at hand: that is what the variables begin with.
    const cond = this.get(inst.args[0]!)
    this.flush()
    const first = no.end.args.map((a, i) => this.folding.form(inst.results[i]!) === 'dead' ? this.discard(a) : this.get(a))
    const targets = inst.results.map((r, i) => {
      if (this.folding.form(r) === 'dead') return undefined
      const of = shared[i]
      if (of !== undefined) {
        if (of.held === undefined) this.lines.add(`${of.name} = ${first[i]!.text};`, inst.span)
        return this.#standFor(r, of)
      }
      const name = this.name(r, 'result')
      this.lines.add(`var ${name} = ${first[i]!.text};`, inst.span)
      return name
    })
    this.lines.braces(`if (${cond.text})`, inst.span, () => this.#regionTo(yes, targets))
  }

  /** True for a region without statements that yields constants and what is visible outside. */
  #idle(region: Region): boolean {
    return region.end.op === 'yield' && region.insts.every(i => {
      if (i.row.ends) return true
      if (i.regions.length > 0 || effectOf(i) === 'write') return false
      const form = i.results.length === 1 ? this.folding.form(i.results[0]!) : 'let'
      return form === 'dead' || (form === 'always' && i.row.effect !== 'read')
    })
  }

  #branches(inst: Inst, cond: Expr, targets: Targets): void {
    const { lines } = this
    const yes = inst.regions[0]!, no = inst.regions[1]!
    const head = lines.count
    lines.add(`if (${cond.text}) {`, inst.span)
    lines.indented(() => this.#regionTo(yes, targets))
    const start = lines.count
    if (start === head + 1) {
      lines.replace(head, `if (${this.opposite(inst.args[0]!, cond).text}) {`)
      lines.indented(() => this.#regionTo(no, targets))
      if (lines.count === start) lines.remove(head, start)
      else lines.add('}')
      return
    }
    lines.add('} else {')
    lines.indented(() => this.#regionTo(no, targets))
    if (lines.count === start + 1) lines.remove(start, start + 1)
    lines.add('}')
    if (lines.count > start + 1) lines.joinElse(start)
  }

  #choose(inst: Inst, choice: 'and' | 'or' | 'select'): void {
    const result = inst.results[0]!
    if (this.folding.form(result) === 'dead') {
      this.discard(inst.args[0]!)
      return
    }
    const cond = this.get(inst.args[0]!)
    const side = (region: Region): Expr => {
      let e: Expr | undefined
      this.#region(region, end => { e = this.get(end.args[0]!) })
      return e!
    }
    const e = this.inline(() => choice === 'and' ? logic('&&', cond, side(inst.regions[0]!))
      : choice === 'or' ? logic('||', cond, side(inst.regions[1]!))
      : choiceText(cond, side(inst.regions[0]!), side(inst.regions[1]!)))
    if (this.folding.form(result) === 'once') this.defer(result, e, inst.span)
    else this.let(result, e, inst.span)
  }

  /** A construct that `break` leaves and that runs once. */
  #once(span: Span | null, body: () => void): void {
    this.lines.braces('switch (0)', span, () => this.lines.braces('default:', null, body))
  }

  #block(inst: Inst): void {
    const region = inst.regions[0]!
    switch (this.exits.blocks.get(inst)) {
      case 'plain':
        this.#region(region, this.#yieldAs(inst))
        return
      case 'body':
        // The loop around has declared where the results go.
        this.flush()
        this.#regionTo(region, this.#targets.get(inst)!)
        return
      default: {
        const targets = this.#declareResults(inst)
        this.#targets.set(inst, targets)
        this.declareFlag(inst)
        this.flush()
        this.#once(inst.span, () => this.#regionTo(region, targets))
        this.checks(inst)
      }
    }
  }

  /** Declares where the results of a block that `continue` cuts short go. */
  declareBody(block: Inst, targets?: Targets): void {
    this.#targets.set(block, targets ?? this.#declareResults(block))
    this.declareFlag(block)
  }

  #switch(inst: Inst<'switch'>): void {
    const { lines } = this
    const targets = this.#declareResults(inst)
    this.#targets.set(inst, targets)
    this.declareFlag(inst)
    const pairs = inst.attr
    const unsigned = inst.args[0]!.type.scalar === 'u32' ? 'u' : ''
    const labels = inst.regions.map((_, i) => {
      const of: string[] = []
      for (let k = 0; k < pairs.length; k += 2) if (pairs[k + 1] === i) of.push(`${pairs[k]}${unsigned}`)
      return of
    })
    const selector = this.get(inst.args[0]!)
    this.flush()
    const last = inst.regions.length - 1
    if (!this.exits.chains.has(inst)) {
      lines.braces(`switch (${selector.text})`, inst.span, () => {
        for (let i = 0; i <= last; i++) {
          const list = i === last ? [...labels[i]!, 'default'] : labels[i]!
          const head = list.length === 1 && i === last ? 'default:' : `case ${list.join(', ')}:`
          lines.braces(head, inst.regions[i]!.insts[0]!.span, () => this.#regionTo(inst.regions[i]!, targets))
        }
      })
      this.checks(inst)
      return
    }
    let text = selector.text
    if (!/^\w+$/.test(text)) {
      text = this.fresh('selector')
      lines.add(`let ${text} = ${selector.text};`, inst.span)
    }
    let head = ''
    for (let i = 0; i < last; i++) {
      head += `if (${labels[i]!.map(l => `${text} == ${l}`).join(' || ') || 'false'})`
      lines.add(`${head} {`, inst.span)
      lines.indented(() => this.#regionTo(inst.regions[i]!, targets))
      head = '} else '
    }
    if (last > 0) lines.add('} else {')
    else lines.add('{')
    lines.indented(() => this.#regionTo(inst.regions[last]!, targets))
    lines.add('}')
  }

  // ── For loops ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Prints instructions of a loop's region; `next` says what the end of the body does. */
  within(region: Region, from: number, to: number, next: (end: Inst) => void, targets: Targets = []): void {
    this.#next.push(next)
    const frame = { region, at: 0, targets }
    this.frames.push(frame)
    if (from === 0) this.#findDeclarations(region)
    for (let i = from; i < to; i++) {
      frame.at = i
      this.#inst(region.insts[i]!)
      if (this.diverges(region.insts[i]!)) break
    }
    this.frames.pop()
    this.#next.pop()
  }

  /** Evaluates a head that leaves no statement behind. */
  headInline(region: Region): void {
    this.inline(() => { for (const inst of region.insts) if (!inst.row.ends) this.#inst(inst) })
  }
}

function isConstant(v: Value, value: boolean): boolean {
  return v.def.op !== 'param' && v.def.op === 'const' && v.def.attr === value
}

function uses(inst: Inst, v: Value): boolean {
  return inst.args.includes(v) || inst.regions.some(r => r.insts.some(i => uses(i, v)))
}
