/**
 * The values of a function while its statements are made: their names, the expressions that wait for their use, and the variables
 * that results may share.
 */
import * as costs from '../../ir/costs.ts'
import { InternalError } from '../../base/diag.ts'
import type { Span } from '../../base/source.ts'
import type { Type } from '../../ir/type.ts'
import { Global, type Func, type Inst, type Region, type Value } from '../../ir/value.ts'
import { CarriedReads } from './carried.ts'
import { Forms } from './forms.ts'
import type { Names } from './names.ts'
import { negate } from './tidy.ts'
import {
  Local,
  applied,
  nameOf,
  nothing,
  type Capabilities,
  type Expr,
  type Root,
  type Stmt,
  type ValueOp,
} from './tree.ts'

/** Where a construct's results go: a variable, or nowhere. */
export type Targets = readonly (Local | undefined)[]

/** A region whose statements are being made, with the variables that its end assigns. */
export interface Frame {
  readonly region: Region
  at: number
  readonly targets: Targets
  /** The same variables by the value that the end gives; made on first use. */
  targetOf?: ReadonlyMap<Value, Local | undefined>
}

/** A variable to assign a result to, and the carried value that it holds until then. */
export interface Shared {
  readonly local: Local
  readonly held: Value | undefined
}

/** The variable that a pointer points into. */
export function rootOf(ptr: Value): Root {
  let at = ptr
  for (;;) {
    const def = at.def
    if (def.op === 'global') return def.attr
    if (def.op !== 'field' && def.op !== 'elem') return at
    at = def.args[0]!
  }
}

/** The memory that an instruction reads and that something may write. */
function readsOf(inst: Inst): readonly Root[] {
  if (inst.op === 'load') {
    const { space } = inst.args[0]!.type
    return space === 'storage' || space === 'uniform' || space === 'handle' ? none : [rootOf(inst.args[0]!)]
  }
  return inst.op === 'intrinsic.read' ? inst.args.filter(a => a.type.kind === 'ptr').map(rootOf) : none
}

const none: readonly never[] = []

function spanOf(v: Value): Span | null {
  return v.def.op !== 'param' ? v.def.span : null
}

export class Values {
  readonly forms: Forms
  readonly func: Func
  readonly can: Capabilities
  /** Where statements go. */
  out: Stmt[] = []
  /** The regions that are open, outermost first. */
  readonly frames: Frame[] = []
  readonly #names: Names
  readonly #exprs: (Expr | undefined)[] = []
  /** Values written once that have not been written yet, in order of definition. */
  readonly #pending = new Set<Value>()
  /** Greater than zero while expressions must not need statements of their own. */
  #inline = 0
  /** The carried value that each loop variable holds until it is assigned. */
  readonly #carried = new Map<Local, Value>()
  #known: CarriedReads | undefined

  constructor(func: Func, can: Capabilities, names: Names) {
    this.func = func
    this.can = can
    this.#names = names
    this.forms = new Forms(func, can)
  }

  /** Runs `f` while statements go to a list. */
  into(list: Stmt[], f: () => void): void {
    const saved = this.out
    this.out = list
    f()
    this.out = saved
  }

  /** Gives a value a name of its own. */
  name(v: Value, fallback: string, type: Type = v.type): Local {
    const local = new Local(this.#names.make(v.name, fallback), type)
    this.#exprs[v.id] = nameOf(local, v.type)
    return local
  }

  /** A variable's name after a hint. */
  fresh(hint: string, type: Type): Local {
    return new Local(this.#names.make(hint, hint), type)
  }

  /** A name for a label. */
  label(hint: string): string {
    return this.#names.make(hint, hint)
  }

  set(v: Value, e: Expr): void {
    this.#exprs[v.id] = e
  }

  known(v: Value): Expr | undefined {
    return this.#exprs[v.id]
  }

  get(v: Value): Expr {
    this.#pending.delete(v)
    const known = this.#exprs[v.id]
    if (known !== undefined) return known
    const def = v.def
    if (def.op === 'param' || this.forms.of(v) !== 'always') {
      throw new InternalError('code', `value ${v.id} of ${this.func.name} (${def.op}) is not in scope`)
    }
    return this.expression(def)
  }

  /** The expression of an instruction without regions that has one result at most. */
  expression(inst: Inst): Expr {
    if (inst.op === 'detach' || inst.op === 'intrinsic.hide') return this.get(inst.args[0]!)
    const args = inst.args.map(a => this.get(a))
    const type = inst.results.length > 0 ? inst.results[0]!.type : this.func.sig.result
    return applied(inst as Inst<ValueOp>, type, args, readsOf(inst))
  }

  /** Gives a value a name, and its expression to the name. */
  let(v: Value, value: Expr, span: Span | null): void {
    this.#pending.delete(v)
    this.out.push({ kind: 'let', locals: [this.name(v, 't')], value, span })
  }

  /** Keeps an expression for its use. A wide one gets a name after all. */
  defer(v: Value, e: Expr, span: Span | null): void {
    if (this.#inline === 0 && e.width > costs.namedWidth) this.let(v, e, span)
    else {
      this.#exprs[v.id] = e
      this.#pending.add(v)
    }
  }

  /** Names the values that were read from memory and not written in place yet, since something may now write there. */
  flush(written: 'all' | 'globals' | Root = 'all'): void {
    if (this.#inline > 0 || this.#pending.size === 0) return
    const root = written instanceof Global && !this.can.distinctBuffers ? 'globals' : written
    const touched = (read: Root): boolean =>
      root === 'all' || (root === 'globals' ? read instanceof Global : read === root)
    for (const v of this.#pending) {
      const e = this.#exprs[v.id]!
      if (e.reads.some(touched)) this.let(v, e, spanOf(v))
    }
  }

  /** The opposite of a condition. */
  not(cond: Value): Expr {
    return negate(this.get(cond))
  }

  /** The values that wait to be written. */
  waiting(): ReadonlySet<Value> {
    return new Set(this.#pending)
  }

  /** Drops the expressions that wait, except these: what a region leaves unused is not needed. */
  forget(outside: ReadonlySet<Value>): void {
    for (const v of this.#pending) if (!outside.has(v)) this.#pending.delete(v)
  }

  /** Runs `f` while expressions may need no statements of their own. */
  inline<T>(f: () => T): T {
    this.#inline++
    const out = f()
    this.#inline--
    return out
  }

  /** Takes note that a value is not written after all. */
  discard(v: Value): Expr {
    this.#pending.delete(v)
    return nothing
  }

  /** Assigns to several variables at once: no assignment may spoil what a later one reads. */
  assign(targets: Targets, values: readonly Expr[], span: Span | null): void {
    const open = new Map<Local, Expr>()
    /** How many of the other values read what a variable holds now. */
    const readers = new Map<Local, number>()
    for (let i = 0; i < targets.length; i++) {
      const target = targets[i]
      const value = values[i]!
      if (target === undefined || value.attr === target) continue
      open.set(target, value)
      for (const v of value.vars) if (v !== target) readers.set(v, (readers.get(v) ?? 0) + 1)
    }
    const free = [...open.keys()].filter(target => !readers.has(target))
    /** A variable whose last reader has been assigned may be assigned next. */
    const wasRead = (target: Local, vars: readonly Local[]): void => {
      for (const v of vars) {
        if (v === target) continue
        const left = readers.get(v)! - 1
        readers.set(v, left)
        if (left === 0 && open.has(v)) free.push(v)
      }
    }
    for (let k = 0; open.size > 0; k++) {
      const target = free[k]
      if (target === undefined) {
        this.#keepAside(open, span, wasRead)
        k--
        continue
      }
      const value = open.get(target)!
      open.delete(target)
      this.out.push({ kind: 'assign', place: nameOf(target), value, span })
      wasRead(target, value.vars)
    }
  }

  /** Breaks a cycle of assignments: one value that still reads variables gets a name. */
  #keepAside(
    open: Map<Local, Expr>,
    span: Span | null,
    wasRead: (target: Local, vars: readonly Local[]) => void,
  ): void {
    for (const [target, value] of open) {
      if (value.vars.length === 0) continue
      const local = this.fresh(`${target.name}_next`, target.type)
      this.out.push({ kind: 'let', locals: [local], value, span })
      open.set(target, nameOf(local))
      wasRead(target, value.vars)
      return
    }
  }

  /**
   * The variable that a construct's result may be assigned to directly: the one that the end of its region assigns it to. If that
   * is a loop's variable, nothing after the construct may read its old value.
   */
  share(inst: Inst, result: Value): Shared | undefined {
    const frame = this.frames[this.frames.length - 1]
    if (frame === undefined || frame.region.insts[frame.at] !== inst || this.forms.uses(result) !== 1) return undefined
    const { end } = frame.region
    if (end.op !== 'yield' && end.op !== 'next') return undefined
    // Of a value that is handed over twice, the first counts.
    frame.targetOf ??= new Map(end.args.map((a, i) => [a, frame.targets[i]] as const).reverse())
    const local = frame.targetOf.get(result)
    if (local === undefined) return undefined
    const held = this.#carried.get(local)
    if (held === undefined) return { local, held }
    if (this.#carriedReads().after(inst, frame.region, held)) return undefined
    for (const v of this.#pending) {
      const e = this.#exprs[v.id]!
      if (e.vars.includes(local)) this.let(v, e, spanOf(v))
    }
    return { local, held }
  }

  /** Remembers which carried value a loop's variable holds. */
  carry(local: Local, param: Value): void {
    this.#carried.set(local, param)
    this.#exprs[param.id] = nameOf(local, param.type, true)
  }

  #carriedReads(): CarriedReads {
    return (this.#known ??= new CarriedReads(this.func, this.forms))
  }

  /** True where something inside the construct reads the carried value. */
  readsInside(inst: Inst, v: Value): boolean {
    return this.#carriedReads().inside(inst, v)
  }
}
