/**
 * The values of a function as text while it is printed: their names, the expressions that wait to be written where they
 * are used, and the variables that results may share.
 */
import { InternalError } from '../../base/diag.ts'
import type { Span } from '../../base/source.ts'
import type { OpName } from '../../ir/op.ts'
import type { Type } from '../../ir/type.ts'
import * as t from '../../ir/type.ts'
import { Global, Inst, type Func, type Region, type Value } from '../../ir/value.ts'
import { assignment, binds, expression, negate, primary, type Expr, type Root, type Scope } from './expr.ts'
import { fold, type Folding } from './fold.ts'
import type { Lines } from './lines.ts'
import type { Names } from './names.ts'

/** What a function needs to know of its module. */
export interface ModuleScope {
  typeText(type: Type): string
  fieldText(type: Type, i: number): string
  funcText(func: Func): string
  globalText(global: Global): string
}

/** Longer expressions get a name. */
const longest = 100

/** Variables are not shared across more instructions than this. */
const farthest = 300

/** Where a construct's results go: a variable, or nowhere. */
export type Targets = readonly (string | undefined)[]

/** A region being printed, with where its end hands values to. */
export interface Frame {
  readonly region: Region
  at: number
  readonly targets: Targets
}

/** A variable to assign a result to, and the carried value that it holds until then. */
export interface Shared {
  readonly name: string
  readonly held: Value | undefined
}

export class Values implements Scope {
  readonly lines: Lines
  readonly folding: Folding
  readonly func: Func
  /** The regions being printed, outermost first. */
  readonly frames: Frame[] = []
  readonly #module: ModuleScope
  readonly #names: Names
  readonly #exprs: (Expr | undefined)[] = []
  /** Values written once that have not been written yet, in order of definition. */
  readonly #pending = new Set<Value>()
  /** Greater than zero while text must not need statements of its own. */
  #inline = 0
  /** The carried value that each loop variable holds until it is assigned. */
  readonly #carried = new Map<string, Value>()

  constructor(func: Func, module: ModuleScope, names: Names, lines: Lines) {
    this.func = func
    this.#module = module
    this.#names = names
    this.lines = lines
    this.folding = fold(func)
  }

  typeText(type: Type): string { return this.#module.typeText(type) }
  fieldText(type: Type, i: number): string { return this.#module.fieldText(type, i) }
  funcText(func: Func): string { return this.#module.funcText(func) }
  globalText(global: Global): string { return this.#module.globalText(global) }

  /** Gives a value a name of its own. */
  name(v: Value, fallback = 't', vars: readonly string[] = []): string {
    const name = this.#names.make(v.name, fallback)
    this.#exprs[v.id] = primary(name, vars)
    return name
  }

  /** A variable's name after a hint. */
  fresh(hint: string): string {
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
    if (def.op === 'param' || this.folding.form(v) !== 'always') {
      const what = def.op !== 'param' ? def.op : 'parameter'
      throw new InternalError('wgsl', `value ${v.id} of ${this.func.name} (${what}) is not in scope`)
    }
    return expression(def, this)
  }

  /** Gives a value a name, and its expression to the name. */
  let(v: Value, e: Expr, span: Span | null): void {
    this.#pending.delete(v)
    this.lines.add(`let ${this.name(v)} = ${e.text};`, span)
  }

  /** Remembers an expression for where it is used; a long one gets a name after all. */
  defer(v: Value, e: Expr, span: Span | null): void {
    if (this.#inline === 0 && e.text.length > longest) this.let(v, e, span)
    else {
      this.#exprs[v.id] = e
      this.#pending.add(v)
    }
  }

  /** Names what has been read from memory and not been written yet: something may now be written there. */
  flush(written: 'all' | 'globals' | Root = 'all'): void {
    if (this.#inline > 0) return
    const touched = (root: Root): boolean => written === 'all' || (written === 'globals' ? root instanceof Global : root === written)
    for (const v of this.#pending) {
      const e = this.#exprs[v.id]!
      if (e.reads.some(touched)) this.let(v, e, v.def.op !== 'param' ? v.def.span : null)
    }
  }

  /** The opposite of a condition. */
  not(cond: Value): Expr {
    return this.opposite(cond, this.get(cond))
  }

  /** The opposite of a condition whose expression is `e`; comparisons of integers turn round. */
  opposite(cond: Value, e: Expr): Expr {
    const def = cond.def
    if (def.op !== 'param' && e.binds === binds.compare && t.isInt(def.args[0]!.type)) {
      const turned = opposite.get(def.op)
      const symbol = / (<=|>=|==|!=|<|>) /.exec(e.text)
      if (turned !== undefined && symbol !== null && !e.text.includes(' && ') && e.text.split(symbol[0]).length === 2) {
        return { ...e, text: e.text.replace(symbol[0], () => ` ${turned} `) }
      }
    }
    return negate(e)
  }

  /** The values that wait to be written. */
  waiting(): ReadonlySet<Value> {
    return new Set(this.#pending)
  }

  /** Forgets what waits beyond these: what a region leaves unwritten is not needed. */
  forget(outside: ReadonlySet<Value>): void {
    for (const v of this.#pending) if (!outside.has(v)) this.#pending.delete(v)
  }

  /** Runs `f` while text may need no statements of its own. */
  inline<T>(f: () => T): T {
    this.#inline++
    const out = f()
    this.#inline--
    return out
  }

  /** Takes note that a value is not written after all. */
  discard(v: Value): Expr {
    this.#pending.delete(v)
    return primary('')
  }

  /** Assigns to several variables at once: no assignment may spoil what a later one reads. */
  assign(targets: readonly (string | undefined)[], values: readonly Expr[], span: Span | null): void {
    const open: { target: string; value: Expr }[] = []
    for (let i = 0; i < targets.length; i++) {
      const target = targets[i]
      if (target !== undefined && values[i]!.text !== target) open.push({ target, value: values[i]! })
    }
    while (open.length > 0) {
      const free = open.findIndex(a => open.every(o => o === a || !o.value.vars.includes(a.target)))
      if (free < 0) {
        // They wait for each other in a ring: one that still reads variables is kept aside.
        const reader = open.find(a => a.value.vars.length > 0)!
        const name = this.fresh(`${reader.target}_next`)
        this.lines.add(`let ${name} = ${reader.value.text};`, span)
        reader.value = primary(name)
        continue
      }
      const [a] = open.splice(free, 1)
      this.lines.add(assignment(a!.target, a!.value), span)
    }
  }

  /**
   * The variable that a construct's result may be assigned to straight away: the one that the end of its region hands it
   * to. Where that is a loop's variable, nothing after the construct may read what the variable held before.
   */
  share(inst: Inst, result: Value): Shared | undefined {
    const frame = this.frames[this.frames.length - 1]
    if (frame === undefined || frame.region.insts[frame.at] !== inst || this.folding.uses(result) !== 1) return undefined
    const { insts, end } = frame.region
    if (end.op !== 'yield' && end.op !== 'next') return undefined
    const name = frame.targets[end.args.indexOf(result)]
    if (name === undefined) return undefined
    const held = this.#carried.get(name)
    if (held === undefined) return { name, held }
    if (insts.length - frame.at > farthest) return undefined
    for (let i = frame.at + 1; i < insts.length; i++) if (this.#reads(insts[i]!, held)) return undefined
    for (const v of this.#pending) {
      if (this.#exprs[v.id]!.vars.includes(name)) this.let(v, this.#exprs[v.id]!, v.def.op !== 'param' ? v.def.span : null)
    }
    return { name, held }
  }

  /** Remembers which carried value a loop's variable holds. */
  carry(name: string, param: Value): void {
    this.#carried.set(name, param)
    this.#exprs[param.id] = primary(name, [name])
  }

  #reads(inst: Inst, v: Value): boolean {
    const depends = (of: Value): boolean =>
      of === v || (of.def.op !== 'param' && this.folding.form(of) === 'always' && of.def.args.some(depends))
    return inst.args.some(depends) || inst.regions.some(r => r.insts.some(i => this.#reads(i, v)))
  }

  /** True where something inside the construct reads the value. */
  readsInside(inst: Inst, v: Value): boolean {
    return inst.regions.some(r => r.insts.some(i => this.#reads(i, v)))
  }
}

const opposite: ReadonlyMap<OpName, string> = new Map([
  ['lt', '>='], ['le', '>'], ['gt', '<='], ['ge', '<'], ['eq', '!='], ['ne', '=='],
])
