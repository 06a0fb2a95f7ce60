/**
 * Makes statements of IR. `forms.ts` says which values get names, and `exit-plan.ts` how each `leave` is written. Left to do here is
 * the order of effects: results of control flow are assigned where regions end, and a value gets a name before any write that its
 * expression must not see.
 */
import type { Span } from '../../base/source.ts'
import type { OwnerOp, Terminator } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import { Global, type Func, type Inst, type Region, type Value } from '../../ir/value.ts'
import { planExits, type ExitPlan, type PlannedExit } from './exit-plan.ts'
import { effectOf, type Choice } from './forms.ts'
import { LoopForm } from './loop.ts'
import type { Names } from './names.ts'
import { tidy } from './tidy.ts'
import {
  expr,
  nameOf,
  nothing,
  truth,
  type Capabilities,
  type Case,
  type Code,
  type Expr,
  type If,
  type Local,
  type Loop,
  type Once,
  type Stmt,
  type Switch,
  type Target,
} from './tree.ts'
import { Values, rootOf, type Frame, type Shared, type Targets } from './values.ts'
import { Exits } from '../../ir/exits.ts'

/** The statements of a function that is legal for a language. All locals have names. */
export function structure(func: Func, can: Capabilities, names: Names): Code {
  return new Structurer(func, can, names).run()
}

/** Ops whose statements are made one by one; all others are expressions. */
type StatementOp = OwnerOp | Terminator | 'var' | 'store'

function isStatement(inst: Inst): inst is Inst<StatementOp> {
  return inst.row.effect === 'control' || inst.op === 'var' || inst.op === 'store'
}

/** Makes the statements of one function. */
export class Structurer extends Values {
  readonly exits: Exits
  readonly exitPlan: ExitPlan
  readonly #targets = new Map<Inst, Targets>()
  readonly #flags = new Map<Inst, Local>()
  /** The statement of a construct, which a `break` names. */
  readonly #stmts = new Map<Inst, Target>()
  /** Variables that are declared by the store that first writes them. */
  readonly #declaredBy = new Map<Inst, Value>()
  /** What `next` does, for the loops around. */
  readonly #next: ((inst: Inst) => void)[] = []

  constructor(func: Func, can: Capabilities, names: Names) {
    super(func, can, names)
    this.exits = Exits.in(func)
    this.exitPlan = planExits(func, this.exits, can)
  }

  run(): Code {
    const body = this.func.body!
    const params = body.params.map(p => this.name(p, 'arg'))
    const list: Stmt[] = []
    this.into(list, () => this.#region(body, () => undefined))
    tidy(list)
    this.can.labels?.(list, hint => this.label(hint))
    return { params, body: list }
  }

  // ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Makes the statements of a region; `onYield` handles its end. */
  #region(region: Region, onYield: (end: Inst) => void, targets: Targets = []): void {
    this.#findDeclarations(region)
    const outside = this.waiting()
    const frame: Frame = { region, at: 0, targets }
    this.frames.push(frame)
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      frame.at = i
      if (inst.op === 'yield') onYield(inst)
      else this.#inst(inst)
      if (this.exits.diverges(inst)) break
    }
    this.frames.pop()
    this.forget(outside)
  }

  /** The statements of a region that assigns what it yields. */
  #regionTo(region: Region, targets: Targets, list: Stmt[]): Stmt[] {
    this.into(list, () =>
      this.#region(
        region,
        end => {
          this.assign(
            targets,
            end.args.map((a, i) => (targets[i] === undefined ? this.discard(a) : this.get(a))),
            end.span,
          )
        },
        targets,
      ),
    )
    return list
  }

  /** Finds variables that are declared by a store: their first use in their region is a store of the whole. */
  #findDeclarations(region: Region): void {
    /** Variables that nothing has used yet. */
    let fresh: Set<Value> | undefined
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      if (inst.op === 'var') (fresh ??= new Set()).add(inst.results[0]!)
      else if (fresh !== undefined && fresh.size > 0) {
        const place = inst.args[0]!
        if (inst.op === 'store' && fresh.has(place) && inst.args[1] !== place) {
          this.#declaredBy.set(inst, place)
          this.set(place, nothing)
        }
        forget(fresh, inst)
      }
    }
  }

  #inst(inst: Inst): void {
    if (isStatement(inst)) (Structurer.#statements[inst.op] as (inst: Inst, s: Structurer) => void)(inst, this)
    else this.#plain(inst)
  }

  static readonly #statements: { readonly [K in StatementOp]: (inst: Inst<K>, s: Structurer) => void } = {
    if: (inst, s) => s.#if(inst),
    switch: (inst, s) => s.#switch(inst),
    loop: (inst, s) => new LoopForm(s, inst).make(),
    block: (inst, s) => s.#block(inst),
    var: (inst, s) => {
      const v = inst.results[0]!
      if (s.forms.of(v) === 'dead' || s.known(v) !== undefined) return
      const type = v.type.elem!
      const init = s.can.initial?.(type)
      s.out.push({ kind: 'var', local: s.name(v, 'local', type), init, span: inst.span })
    },
    store: (inst, s) => s.#store(inst),
    ret: (inst, s) => {
      const values = inst.args.map(a => s.get(a))
      if (values.length > 0 || s.func.body!.end !== inst) s.out.push({ kind: 'return', values, span: inst.span })
    },
    leave: (inst, s) => s.#leave(inst),
    next: (inst, s) => s.#next[s.#next.length - 1]!(inst),
    unreachable: (inst, s) => {
      s.out.push({ kind: 'unreachable', span: inst.span })
    },
    // Whoever opens the region sees to its end.
    yield: () => undefined,
    test: () => undefined,
  }

  /** An instruction without regions. */
  #plain(inst: Inst): void {
    const { results, span } = inst
    const writes = effectOf(inst) === 'write'
    const isDead = results.every(r => this.forms.of(r) === 'dead')
    if (isDead && results.length > 0 && !writes) return
    const result = results[0]
    const form = result === undefined ? 'dead' : this.forms.of(result)
    if (form === 'always') return
    const e = this.expression(inst)
    if (writes) this.#flushFor(inst)
    if (isDead) this.out.push({ kind: 'do', value: e, span })
    else if (results.length > 1)
      this.out.push({
        kind: 'let',
        locals: results.map(r => (this.forms.of(r) === 'dead' ? undefined : this.name(r, 't'))),
        value: e,
        span,
      })
    else if (form === 'once' && !writes) this.defer(result!, e, span)
    else this.let(result!, e, span)
  }

  /** Names values that were read from memory which an instruction may write: the memory of its pointers, or all that others see. */
  #flushFor(inst: Inst): void {
    const roots = inst.args.filter(a => a.type.kind === 'ptr').map(rootOf)
    if (roots.length === 0 || roots.some(r => r instanceof Global)) this.flush('globals')
    for (const root of roots) if (!(root instanceof Global)) this.flush(root)
  }

  #store(inst: Inst): void {
    const declared = this.#declaredBy.get(inst)
    const value = this.get(inst.args[1]!)
    if (declared !== undefined) {
      if (this.forms.uses(declared) <= 1) return
      this.out.push({
        kind: 'var',
        local: this.name(declared, 'local', declared.type.elem),
        init: value,
        span: inst.span,
      })
      return
    }
    const place = this.get(inst.args[0]!)
    this.flush(rootOf(inst.args[0]!))
    this.out.push({ kind: 'assign', place, value, span: inst.span })
  }

  /** Declares a variable without a value. */
  declare(v: Value, span: Span | null): Local {
    const local = this.name(v, 'result')
    this.out.push({ kind: 'var', local, init: undefined, span })
    return local
  }

  /** Declares variables for the results that are used; others have none. */
  #declareResults(inst: Inst): Targets {
    return inst.results.map(r => {
      if (this.forms.of(r) === 'dead') return undefined
      const shared = this.share(inst, r)
      return shared === undefined ? this.declare(r, inst.span) : this.#standFor(r, shared)
    })
  }

  /** Records the statement of a construct, and the variables of its results. */
  open(inst: Inst, stmt: Target, targets: Targets): void {
    this.#stmts.set(inst, stmt)
    this.#targets.set(inst, targets)
  }

  /** Declares the flag of a construct that is left from afar. */
  declareFlag(inst: Inst): void {
    if (!this.exitPlan.flagged.has(inst)) return
    const flag = this.fresh('left', t.bool)
    this.#flags.set(inst, flag)
    this.out.push({ kind: 'var', local: flag, init: truth(false), span: inst.span })
  }

  /** Emits the tests of flags that come after a construct. */
  checks(inst: Inst): void {
    for (const check of this.exitPlan.checks.get(inst) ?? []) {
      this.out.push({
        kind: 'if',
        cond: nameOf(this.#flags.get(check.target)!),
        yes: [this.#goOut(check, null)],
        no: [],
        span: null,
        label: '',
      })
    }
  }

  #goOut({ exit, owner }: PlannedExit, span: Span | null): Stmt {
    if (exit.kind === 'continue') return { kind: 'continue', of: this.#stmts.get(exit.loop) as Loop, span }
    return { kind: 'break', of: this.#stmts.get(owner)!, span }
  }

  #leave(inst: Inst<'leave'>): void {
    const targets = this.#targets.get(inst.attr)!
    this.assign(
      targets,
      inst.args.map((a, i) => (targets[i] === undefined ? this.discard(a) : this.get(a))),
      inst.span,
    )
    const planned = this.exitPlan.leaves.get(inst)!
    if (planned.exit.kind === 'flag') {
      this.out.push({ kind: 'assign', place: nameOf(this.#flags.get(inst.attr)!), value: truth(true), span: inst.span })
    }
    this.out.push(this.#goOut(planned, null))
  }

  #standFor(result: Value, { local, held }: Shared): Local {
    this.set(result, nameOf(local, result.type, held !== undefined))
    return local
  }

  /** Lets the results of an instruction be the values that its only region that goes on yields. */
  #yieldAs(inst: Inst): (end: Inst) => void {
    return end => {
      for (let i = 0; i < inst.results.length; i++) {
        const r = inst.results[i]!
        const from = end.args[i]!
        if (this.forms.of(r) === 'dead') {
          this.discard(from)
          continue
        }
        const e = this.get(from)
        if ((e.op === 'name' || e.op === 'global') && e.vars.length === 0) this.set(r, e)
        else this.let(r, e, end.span)
      }
    }
  }

  // ── Control ──────────────────────────────────────────────────────────────────────────────────────────────────

  #if(inst: Inst<'if'>): void {
    const choice = this.forms.choice(inst)
    if (choice !== undefined) {
      this.#choose(inst, choice)
      return
    }
    if (this.exits.isLeft(inst)) {
      this.#leftIf(inst)
      return
    }
    const yes = inst.regions[0]!,
      no = inst.regions[1]!
    const [yesEnds, noEnds] = [this.exits.ends(yes), this.exits.ends(no)]
    if (yesEnds !== noEnds) {
      const cond = yesEnds ? this.get(inst.args[0]!) : this.not(inst.args[0]!)
      this.flush()
      const stmt: If = { kind: 'if', cond, yes: [], no: [], span: inst.span, label: '' }
      this.out.push(stmt)
      this.into(stmt.yes, () => this.#region(yesEnds ? yes : no, () => undefined))
      this.#region(yesEnds ? no : yes, this.#yieldAs(inst))
      return
    }
    const shared = inst.results.map(r => (this.forms.of(r) === 'dead' ? undefined : this.share(inst, r)))
    // A shared variable may be read in the other branch, so it cannot be given another value before.
    const starts =
      this.#idle(no) && !yesEnds && shared.every((s, i) => s?.held === undefined || no.end.args[i] === s.held)
    if (!starts) {
      const targets = this.#declareResults(inst)
      this.#branches(inst, targets, () => this.out)
      return
    }
    // The other side only hands on what is at hand: that is what the variables begin with.
    const cond = this.get(inst.args[0]!)
    this.flush()
    const first = no.end.args.map((a, i) =>
      this.forms.of(inst.results[i]!) === 'dead' ? this.discard(a) : this.get(a),
    )
    const targets = inst.results.map((r, i) => {
      if (this.forms.of(r) === 'dead') return undefined
      const of = shared[i]
      if (of !== undefined) {
        if (of.held === undefined)
          this.out.push({ kind: 'assign', place: nameOf(of.local), value: first[i]!, span: inst.span })
        return this.#standFor(r, of)
      }
      const local = this.name(r, 'result')
      this.out.push({ kind: 'var', local, init: first[i]!, span: inst.span })
      return local
    })
    const stmt: If = { kind: 'if', cond, yes: [], no: [], span: inst.span, label: '' }
    this.out.push(stmt)
    this.#regionTo(yes, targets, stmt.yes)
  }

  /** True for a region without statements that yields constants and what is visible outside. */
  #idle(region: Region): boolean {
    return (
      region.end.op === 'yield' &&
      region.insts.every(i => {
        if (i.row.ends) return true
        if (i.regions.length > 0 || effectOf(i) === 'write') return false
        const form = i.results.length === 1 ? this.forms.of(i.results[0]!) : 'let'
        return form === 'dead' || (form === 'always' && i.row.effect !== 'read')
      })
    )
  }

  /** Makes both branches of an `if`; `around` gives the list that they go into. */
  #branches(inst: Inst<'if'>, targets: Targets, around: (stmt: If) => Stmt[]): void {
    const cond = this.get(inst.args[0]!)
    this.flush()
    const stmt: If = { kind: 'if', cond, yes: [], no: [], span: inst.span, label: '' }
    around(stmt).push(stmt)
    this.#regionTo(inst.regions[0]!, targets, stmt.yes)
    this.#regionTo(inst.regions[1]!, targets, stmt.no)
  }

  /** An `if` that control leaves from inside. If only loops can be left, it goes into a construct that runs once. */
  #leftIf(inst: Inst<'if'>): void {
    const targets = this.#declareResults(inst)
    this.#targets.set(inst, targets)
    this.declareFlag(inst)
    this.#branches(inst, targets, stmt => {
      if (!this.can.labels) return this.#once(inst, targets).body
      this.open(inst, stmt, targets)
      return this.out
    })
    this.checks(inst)
  }

  /** Opens a construct that `break` leaves and that runs once. */
  #once(inst: Inst, targets: Targets): Once {
    const stmt: Once = { kind: 'once', body: [], span: inst.span, label: '' }
    this.open(inst, stmt, targets)
    this.out.push(stmt)
    return stmt
  }

  #choose(inst: Inst<'if'>, choice: Choice): void {
    const result = inst.results[0]!
    if (this.forms.of(result) === 'dead') {
      this.discard(inst.args[0]!)
      return
    }
    const cond = this.get(inst.args[0]!)
    const side = (region: Region): Expr => {
      let e: Expr | undefined
      this.#region(region, end => {
        e = this.get(end.args[0]!)
      })
      return e!
    }
    const [yes, no] = [inst.regions[0]!, inst.regions[1]!]
    const e = this.inline(() =>
      choice === 'and'
        ? expr('both', null, t.bool, [cond, side(yes)])
        : choice === 'or'
          ? expr('either', null, t.bool, [cond, side(no)])
          : expr('select', null, result.type, [cond, side(yes), side(no)]),
    )
    if (this.forms.of(result) === 'once') this.defer(result, e, inst.span)
    else this.let(result, e, inst.span)
  }

  #block(inst: Inst<'block'>): void {
    const region = inst.regions[0]!
    switch (this.exitPlan.blocks.get(inst)) {
      case 'plain':
        this.#region(region, this.#yieldAs(inst))
        return
      case 'body':
        // The loop around has declared where the results go.
        this.flush()
        this.#regionTo(region, this.#targets.get(inst)!, this.out)
        return
      default: {
        const targets = this.#declareResults(inst)
        this.declareFlag(inst)
        this.flush()
        this.#regionTo(region, targets, this.#once(inst, targets).body)
        this.checks(inst)
      }
    }
  }

  /** Declares the variables for the results of a block that `continue` cuts short. */
  declareBody(block: Inst, targets?: Targets): void {
    this.#targets.set(block, targets ?? this.#declareResults(block))
    this.declareFlag(block)
  }

  #switch(inst: Inst<'switch'>): void {
    const targets = this.#declareResults(inst)
    this.#targets.set(inst, targets)
    this.declareFlag(inst)
    const labels = inst.regions.map((): number[] => [])
    for (let k = 0; k < inst.attr.length; k += 2) labels[inst.attr[k + 1]!]!.push(inst.attr[k]!)
    const value = this.get(inst.args[0]!)
    this.flush()
    if (this.exitPlan.chains.has(inst)) {
      this.#chain(inst, value, labels, targets)
      return
    }
    const cases = inst.regions.map((r, i): Case => ({
      labels: labels[i]!,
      isDefault: i === inst.regions.length - 1,
      body: [],
      span: r.insts[0]!.span,
    }))
    const stmt: Switch = { kind: 'switch', value, cases, span: inst.span, label: '' }
    this.open(inst, stmt, targets)
    this.out.push(stmt)
    cases.forEach((c, i) => this.#regionTo(inst.regions[i]!, targets, c.body))
    this.checks(inst)
  }

  /** A `switch` as a chain of `if`s. */
  #chain(inst: Inst<'switch'>, value: Expr, labels: readonly (readonly number[])[], targets: Targets): void {
    let selector = value
    if (value.op !== 'name') {
      const local = this.fresh('selector', value.type)
      this.out.push({ kind: 'let', locals: [local], value, span: inst.span })
      selector = nameOf(local)
    }
    const last = inst.regions.length - 1
    let list = this.out
    for (let i = 0; i < last; i++) {
      const is = labels[i]!.map((l): Expr => expr('eq', null, t.bool, [selector, expr('const', l, value.type, [])]))
      const cond = is.length === 0 ? truth(false) : is.reduce((x, y) => expr('either', null, t.bool, [x, y]))
      const stmt: If = { kind: 'if', cond, yes: [], no: [], span: inst.span, label: '' }
      list.push(stmt)
      this.#regionTo(inst.regions[i]!, targets, stmt.yes)
      list = stmt.no
    }
    this.#regionTo(inst.regions[last]!, targets, list)
  }

  // ── Loops ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Makes the statements of instructions of a loop's region; `next` says what the end of the body does. */
  within(region: Region, from: number, to: number, next: (end: Inst) => void, targets: Targets = []): void {
    this.#next.push(next)
    const frame: Frame = { region, at: 0, targets }
    this.frames.push(frame)
    if (from === 0) this.#findDeclarations(region)
    for (let i = from; i < to; i++) {
      frame.at = i
      this.#inst(region.insts[i]!)
      if (this.exits.diverges(region.insts[i]!)) break
    }
    this.frames.pop()
    this.#next.pop()
  }

  /** Evaluates a head that leaves no statement behind. */
  headInline(region: Region): void {
    this.inline(() => {
      for (const inst of region.insts) if (!inst.row.ends) this.#inst(inst)
    })
  }
}

/** Removes the values that an instruction, or one inside it, uses. */
function forget(values: Set<Value>, inst: Inst): void {
  for (let k = 0; k < inst.args.length; k++) values.delete(inst.args[k]!)
  for (let k = 0; k < inst.regions.length; k++) {
    const { insts } = inst.regions[k]!
    for (let i = 0; i < insts.length && values.size > 0; i++) forget(values, insts[i]!)
  }
}
