/** One function as a JavaScript tree. Every leaf of every value gets a `const`; `fold.ts` inlines those that need none. */
import type { OpName } from '../../ir/op.ts'
import type { ScalarName, Type } from '../../ir/type.ts'
import { component } from '../../ir/type.ts'
import { Inst, type Func, type Region, type Value } from '../../ir/value.ts'
import { InternalError } from '../../base/diag.ts'
import { zeroScalar } from '../../ir/scalar.ts'
import { arrayClass, leafStart, leavesOf, type Leaf } from './leaf.ts'
import { walk } from '../../ir/walk.ts'
import { isRecursive } from '../../opt/recursion.ts'
import { loopName, tooDeepCalls } from '../limits.ts'
import { helpers } from './helper.ts'
import { Memory, tableOf, wholePlace, type Place } from './place.ts'
import type { Unit } from './unit.ts'
import { binary, call, cond, isAtom, list, name, text, Local, type Case, type Expr, type Stmt } from './tree.ts'

/** A function of the output: its parameters by leaf, and its body. */
export interface JsFunc {
  readonly name: string
  readonly params: readonly Local[]
  readonly body: Stmt[]
  readonly generator: boolean
  /** What is said where calls of a function that calls itself are nested too deeply; '' where that is not bounded. */
  readonly tooDeep: string
}

/** What each number that an instruction gives, or hands over, counts of the output before it is written. */
const leafCost = 8

/** What `leave` and the terminators of a control instruction need. */
interface Frame {
  readonly stmt: Stmt
  /** Leaves of the results, but for those in `same`. */
  readonly results: readonly Local[]
  /** Results of a loop that are what a carried value was last, and need no variable. */
  readonly same: readonly boolean[]
}

/** Emits the body of a function. */
export function emitFunc(func: Func, unit: Unit): JsFunc {
  return new Emitter(func, unit).run()
}

class Emitter {
  readonly #func: Func
  readonly #unit: Unit
  readonly #leaves: (readonly Expr[] | undefined)[] = []
  readonly #places: (Place | undefined)[] = []
  readonly #frames = new Map<Inst, Frame>()
  readonly #memory: Memory
  #out: Stmt[] = []

  constructor(func: Func, unit: Unit) {
    this.#func = func
    this.#unit = unit
    this.#memory = new Memory(unit.scalars, unit.layouts, (e, hint) => this.#atom(e, hint), s => this.#out.push(s))
  }

  run(): JsFunc {
    const body = this.#func.body!
    const params: Local[] = []
    for (const p of body.params) {
      const locals = leavesOf(p.type).map(leaf => new Local(hint(p) + leaf.suffix, true))
      params.push(...locals)
      this.#leaves[p.id] = locals.map(name)
    }
    this.#region(body, undefined)
    const { depth } = this.#unit.limits
    const tooDeep = depth !== undefined && isRecursive(this.#func) ? tooDeepCalls(this.#func, depth) : ''
    return { name: this.#unit.funcName(this.#func), params, body: this.#out, generator: this.#unit.effects(this.#func).waits, tooDeep }
  }

  // ── Values ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #use(v: Value): readonly Expr[] {
    const leaves = this.#leaves[v.id]
    if (leaves === undefined) throw new InternalError('target/js', `%${v.name} of ${this.#func.name} has no leaves`)
    return leaves
  }

  #scalar(v: Value): Expr {
    return this.#use(v)[0]!
  }

  #place(v: Value): Place {
    const place = this.#places[v.id]
    if (place === undefined) throw new InternalError('target/js', `a pointer in ${this.#func.name} comes from nowhere`)
    return place
  }

  /** A name for the expression where it has none. */
  #atom(e: Expr, wanted: string): Expr {
    if (isAtom(e)) return e
    const local = new Local(wanted, true)
    this.#out.push({ kind: 'const', locals: [local], init: e })
    return name(local)
  }

  #define(v: Value, leaves: readonly Expr[]): void {
    const types = leavesOf(v.type)
    this.#leaves[v.id] = leaves.map((e, k) => this.#atom(e, hint(v) + types[k]!.suffix))
  }

  #zero({ scalar, count, depth }: Leaf): Expr {
    if (depth > 0) return list([])
    if (count > 0) return call(`new ${arrayClass(scalar, this.#unit.scalars.mode)}`, text(String(count)))
    return this.#unit.scalars.literal(scalar, zeroScalar(scalar))
  }

  // ── Control ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #within(out: Stmt[], f: () => void): void {
    const saved = this.#out
    this.#out = out
    f()
    this.#out = saved
  }

  #region(region: Region, owner: Inst | undefined): void {
    for (const inst of region.insts) {
      if (inst.row.ends) this.#end(inst, owner)
      else this.#inst(inst)
    }
  }

  #declare(v: Value): Local[] {
    return leavesOf(v.type).map(leaf => {
      const local = new Local(hint(v) + leaf.suffix, false)
      this.#out.push({ kind: 'let', local, init: undefined })
      return local
    })
  }

  #owner(inst: Inst, stmt: Stmt, fill: () => void, same: readonly boolean[] = []): void {
    const results: Local[] = []
    inst.results.forEach((r, i) => {
      if (same[i] === true) return
      const locals = this.#declare(r)
      results.push(...locals)
      this.#leaves[r.id] = locals.map(name)
    })
    this.#frames.set(inst, { stmt, results, same })
    fill()
    this.#out.push(stmt)
  }

  /** Assigns in parallel: what one assignment overwrites and a later one wants is kept first. */
  #assign(targets: readonly Local[], values: readonly Expr[]): void {
    const sets: Stmt[] = []
    for (let i = 0; i < targets.length; i++) {
      let value = values[i]!
      if (value.kind === 'name' && value.local === targets[i]) continue
      const before = value.kind === 'name' ? targets.indexOf(value.local) : -1
      if (before >= 0 && before < i) {
        const kept = new Local(targets[before]!.hint, true)
        this.#out.push({ kind: 'const', locals: [kept], init: value })
        value = name(kept)
      }
      sets.push({ kind: 'set', target: name(targets[i]!), value })
    }
    this.#out.push(...sets)
  }

  #all(values: readonly Value[]): Expr[] {
    return values.flatMap(v => this.#use(v))
  }

  #end(inst: Inst, owner: Inst | undefined): void {
    switch (inst.op) {
      case 'ret': {
        const leaves = this.#all(inst.args)
        this.#out.push({ kind: 'return', value: leaves.length === 0 ? undefined : leaves.length === 1 ? leaves[0]! : list(leaves) })
        return
      }
      case 'unreachable':
        this.#out.push({ kind: 'throw', text: 'the program came to a loop that nothing ends' })
        return
      case 'leave': {
        const frame = this.#frames.get(inst.attr)!
        this.#assign(frame.results, this.#all(inst.args))
        this.#out.push({ kind: 'break', of: frame.stmt })
        return
      }
      case 'yield': {
        const frame = this.#frames.get(owner!)!
        this.#assign(frame.results, this.#all(inst.args))
        return
      }
      case 'next': {
        const carried = this.#all(owner!.regions[0]!.params).map(e => (e as { local: Local }).local)
        this.#assign(carried, this.#all(inst.args))
        return
      }
      default: {
        const frame = this.#frames.get(owner!)!
        const yes: Stmt[] = []
        this.#within(yes, () => this.#assign(frame.results, this.#all(inst.args.slice(1).filter((_, i) => frame.same[i] !== true))))
        yes.push({ kind: 'break', of: frame.stmt })
        this.#out.push({ kind: 'if', c: { kind: 'unary', op: '!', x: this.#scalar(inst.args[0]!) }, yes, no: [], labelled: false })
      }
    }
  }

  #loop(inst: Inst): void {
    const [head, body] = [inst.regions[0]!, inst.regions[1]!]
    const carried: Local[] = []
    head.params.forEach((p, i) => {
      const init = this.#use(inst.args[i]!)
      const locals = leavesOf(p.type).map((leaf, k) => {
        const local = new Local(hint(p) + leaf.suffix, false)
        this.#out.push({ kind: 'let', local, init: init[k]! })
        return local
      })
      carried.push(...locals)
      this.#leaves[p.id] = locals.map(name)
    })
    const stmt: Stmt = { kind: 'loop', c: undefined, body: [], labelled: false, name: loopName(inst, this.#func) }
    let left = false
    walk(body, i => { left ||= i.op === 'leave' && i.attr === inst })
    const same = left ? [] : head.end.args.slice(1).map((a, i) => {
      if (a.def !== head) return false
      this.#leaves[inst.results[i]!.id] = this.#use(a)
      return true
    })
    this.#owner(inst, stmt, () => this.#within(stmt.body, () => {
      this.#region(head, inst)
      this.#region(body, inst)
    }), same)
  }

  #switch(inst: Inst<'switch'>): void {
    const type = inst.args[0]!.type.scalar!
    const attr = inst.attr
    const cases: Case[] = []
    const stmt: Stmt = { kind: 'switch', x: this.#scalar(inst.args[0]!), cases, labelled: false }
    this.#owner(inst, stmt, () => inst.regions.forEach((region, k) => {
      const labels: string[] = []
      for (let i = 0; i < attr.length; i += 2) {
        if (attr[i + 1] === k) labels.push(type === 'i64' || type === 'u64' ? `${attr[i]}n` : String(attr[i]))
      }
      const body: Stmt[] = []
      this.#within(body, () => this.#region(region, inst))
      const last = k === inst.regions.length - 1
      if (labels.length > 0 && !last) cases.push({ labels, body })
      if (last) cases.push({ labels: [], body })
    }))
  }

  // ── Instructions ─────────────────────────────────────────────────────────────────────────────────────────────────

  #inst(inst: Inst): void {
    let parts = 0
    for (let i = 0; i < inst.results.length; i++) parts += leavesOf(inst.results[i]!.type).length
    if (inst.op === 'call' || inst.op === 'store') for (let i = 0; i < inst.args.length; i++) parts += leavesOf(inst.args[i]!.type).length
    this.#unit.sink.work.spend('output', leafCost * parts, inst.span)
    switch (inst.op) {
      case 'if': {
        const stmt: Stmt = { kind: 'if', c: this.#scalar(inst.args[0]!), yes: [], no: [], labelled: false }
        this.#owner(inst, stmt, () => {
          this.#within(stmt.yes, () => this.#region(inst.regions[0]!, inst))
          this.#within(stmt.no, () => this.#region(inst.regions[1]!, inst))
        })
        return
      }
      case 'block': {
        const stmt: Stmt = { kind: 'block', body: [], labelled: false }
        this.#owner(inst, stmt, () => this.#within(stmt.body, () => this.#region(inst.regions[0]!, inst)))
        return
      }
      case 'switch': this.#switch(inst); return
      case 'loop': this.#loop(inst); return
      case 'call': this.#call(inst); return
      case 'var': this.#variable(inst.results[0]!); return
      case 'global': this.#places[inst.results[0]!.id] = this.#unit.globalPlace(inst.attr); return
      case 'field': this.#places[inst.results[0]!.id] = this.#memory.field(this.#place(inst.args[0]!), inst.attr); return
      case 'elem': {
        const i = inst.args[1]!
        this.#places[inst.results[0]!.id] = this.#memory.elem(this.#place(inst.args[0]!), this.#scalar(i), i.type.scalar!)
        return
      }
      case 'load': this.#load(inst.results[0]!, this.#place(inst.args[0]!)); return
      case 'store': this.#memory.store(this.#place(inst.args[0]!), this.#use(inst.args[1]!)); return
      case 'atomic': this.#atomic(inst); return
      case 'barrier': this.#out.push({ kind: 'yield' }); return
      case 'length': this.#define(inst.results[0]!, [this.#length(inst.args[0]!)]); return
      case 'printf': {
        const args = [text(JSON.stringify(inst.attr)), ...this.#all(inst.args)]
        const e = this.#unit.scalars.help('printf', ...args)
        this.#unit.scalars.used.add('host')
        this.#out.push({ kind: 'do', value: { ...e, pure: false } as Expr })
        return
      }
      case 'trap':
        this.#out.push({
          kind: 'if', c: { kind: 'unary', op: '!', x: this.#scalar(inst.args[0]!) },
          yes: [{ kind: 'throw', text: String(inst.attr) }], no: [], labelled: false,
        })
        return
      default: this.#define(inst.results[0]!, this.#pure(inst, inst.results[0]!.type))
    }
  }

  /** Scalars are read here and now, since the variable may change before the value is used. */
  #load(result: Value, place: Place): void {
    const types = leavesOf(result.type)
    this.#leaves[result.id] = this.#memory.load(place).map((e, k) => {
      const local = new Local(hint(result) + types[k]!.suffix, true)
      this.#out.push({ kind: 'const', locals: [local], init: e })
      return name(local)
    })
  }

  #variable(v: Value): void {
    const type = v.type.elem!
    const locals = leavesOf(type).map(leaf => {
      const isArray = leaf.count > 0 && leaf.depth === 0
      const local = new Local(hint(v) + leaf.suffix, false)
      this.#out.push(isArray ? { kind: 'const', locals: [local], init: this.#zero(leaf) } : { kind: 'let', local, init: this.#zero(leaf) })
      return local
    })
    this.#places[v.id] = wholePlace(locals, type)
  }

  #length(pointer: Value): Expr {
    const place = this.#place(pointer)
    if (place.type.count > 0) return text(String(place.type.count))
    return place.kind === 'words' ? text(`${place.buffer}_length`) : text('0')
  }

  #atomic(inst: Inst): void {
    const place = this.#place(inst.args[0]!)
    const type = place.type.scalar!
    const old = new Local(hint(inst.results[0]!), true)
    const before = this.#memory.load(place)[0]!
    const inside = place.kind === 'words' ? place.write?.inside : undefined
    this.#out.push({ kind: 'const', locals: [old], init: inside === undefined ? before : cond(inside, before, this.#unit.scalars.literal(type, zeroScalar(type))) })
    const x = name(old)
    this.#leaves[inst.results[0]!.id] = [x]
    const y = inst.args[1] === undefined ? x : this.#scalar(inst.args[1])
    const apply = (op: OpName): Expr => this.#unit.scalars.apply(op, type, x, y)
    let value: Expr
    switch (inst.attr) {
      case 'load': return
      case 'add': value = apply('add'); break
      case 'and': value = apply('and'); break
      case 'or': value = apply('or'); break
      case 'xor': value = apply('xor'); break
      case 'min': value = cond(binary('<', x, y), x, y); break
      case 'max': value = cond(binary('>', x, y), x, y); break
      case 'compare': value = cond(type.startsWith('f') ? call('Object.is', x, y) : binary('===', x, y), this.#scalar(inst.args[2]!), x); break
      default: value = y
    }
    this.#memory.store(place, [value])
  }

  #call(inst: Inst<'call'>): void {
    const callee = inst.attr
    const spelling = this.#unit.spelling(callee)
    if (spelling !== undefined) {
      const result = inst.results[0]!
      const parts = inst.args.map(a => this.#use(a))
      this.#define(result, leavesOf(result.type).map((leaf, k) => {
        const args = parts.map(p => p.length === 1 ? p[0]! : p[k]!)
        const e = spelling in helpers ? this.#unit.scalars.help(spelling, ...args) : call(spelling, ...args)
        return exact.has(spelling) && leaf.scalar.startsWith('f') ? e : this.#unit.scalars.fit(leaf.scalar, e)
      }))
      return
    }
    if (!this.#unit.want(callee)) {
      inst.results.forEach(r => this.#define(r, leavesOf(r.type).map(l => this.#zero(l))))
      return
    }
    const effects = this.#unit.effects(callee)
    const value: Expr = {
      kind: 'call', callee: this.#unit.funcName(callee), args: this.#all(inst.args), pure: effects.pure, delegate: effects.waits,
    }
    const locals: Local[] = []
    for (const r of inst.results) {
      const mine = leavesOf(r.type).map(leaf => new Local(hint(r) + leaf.suffix, true))
      this.#leaves[r.id] = mine.map(name)
      locals.push(...mine)
    }
    this.#out.push(locals.length === 0 ? { kind: 'do', value } : { kind: 'const', locals, init: value })
  }

  #pure(inst: Inst, type: Type): readonly Expr[] {
    const { scalars } = this.#unit
    const args = inst.args
    const x = args.length > 0 ? this.#use(args[0]!) : []
    const y = args.length > 1 ? this.#use(args[1]!) : []
    const xt = args[0]?.type
    switch (inst.op) {
      case 'const': return [scalars.literal(type.scalar!, inst.attr)]
      case 'zero': case 'undef': return leavesOf(type).map(l => this.#zero(l))
      case 'detach': return x
      case 'select': return this.#select(x, y, this.#use(args[2]!))
      case 'convert': return x.map(e => scalars.convert(xt!.scalar!, type.scalar!, e))
      case 'bitcast': return this.#bitcast(x, xt!, type)
      case 'construct': return type.kind === 'array' ? this.#array(type, args) : this.#all(args)
      case 'splat': return leavesOf(type).map(() => x[0]!)
      case 'extract': return this.#extract(x, xt!, inst.attr)
      case 'insert': return this.#insert(x, xt!, inst.attr, y)
      case 'swizzle': return inst.attr.map(lane => x[lane]!)
      case 'index': return this.#index(x, xt!, y[0]!, args[1]!.type)
      case 'dot': return [this.#dot(xt!.scalar!, x, y)]
      case 'matmul': return this.#matmul(args[0]!, args[1]!)
      case 'transpose': {
        const cols = xt!.elem!.count
        return leavesOf(type).map((_, k) => x[(k % type.elem!.count) * cols + Math.floor(k / type.elem!.count)]!)
      }
      default: {
        const leaves = leavesOf(xt!)
        return leaves.map((leaf, k) => leaf.depth > 0 ? scalars.help('addedLists', x[k]!, y[k]!) : leaf.count > 0 ? scalars.help('added', x[k]!, y[k]!) : scalars.apply(inst.op, leaf.scalar, x[k]!, y[y.length === 1 ? 0 : k] ?? x[k]!))
      }
    }
  }

  #select(c: readonly Expr[], x: readonly Expr[], y: readonly Expr[]): readonly Expr[] {
    return x.map((e, k) => e === y[k] ? e : cond(c[c.length === 1 ? 0 : k]!, e, y[k]!))
  }

  #bitcast(x: readonly Expr[], from: Type, to: Type): readonly Expr[] {
    const leaves = leavesOf(to)
    if (leaves.length !== x.length) throw new InternalError('target/js', 'a bitcast between shapes')
    return leaves.map((leaf, k) => this.#unit.scalars.bitcast(from.scalar!, leaf.scalar, x[k]!))
  }

  #array(type: Type, args: readonly Value[]): readonly Expr[] {
    const inner = leavesOf(type.elem!)
    return leavesOf(type).map((leaf, k) => {
      const items = args.map(a => this.#use(a)[k]!)
      if (leaf.depth > 0) return list(items)
      if (inner[k]!.count > 0) return this.#unit.scalars.help('joined', list(items))
      return tableOf(arrayClass(leaf.scalar, this.#unit.scalars.mode), items)
    })
  }

  #extract(x: readonly Expr[], type: Type, i: number): readonly Expr[] {
    const inner = leavesOf(component(type, i))
    if (type.kind === 'array') {
      const wholes = leavesOf(type)
      return inner.map((leaf, k) => wholes[k]!.depth > 0 ? this.#unit.scalars.help('inner', x[k]!, text(String(i))) : this.#memory.element(x[k]!, leaf.scalar, leaf.count, i))
    }
    const start = leafStart(type, i)
    return x.slice(start, start + inner.length)
  }

  #insert(x: readonly Expr[], type: Type, i: number, part: readonly Expr[]): readonly Expr[] {
    if (type.kind === 'array') {
      const inner = leavesOf(type.elem!)
      return x.map((e, k) => {
        const { count, depth } = inner[k]!
        if (depth > 0) return this.#unit.scalars.help('replacedList', e, text(String(i)), part[k]!)
        return this.#unit.scalars.help('replaced', e, text(String(i * Math.max(1, count))), count > 0 ? part[k]! : list([part[k]!]))
      })
    }
    const start = leafStart(type, i)
    return [...x.slice(0, start), ...part, ...x.slice(start + part.length)]
  }

  /** A lane or row with a computed index: a cascade of choices, the last for all that is past the end. */
  #index(x: readonly Expr[], type: Type, at: Expr, indexType: Type): readonly Expr[] {
    const size = leavesOf(type.elem!).length
    const big = indexType.scalar === 'i64' || indexType.scalar === 'u64'
    return leavesOf(type.elem!).map((_, k) => {
      let e = x[(type.count - 1) * size + k]!
      for (let i = type.count - 2; i >= 0; i--) e = cond(binary('===', at, text(`${i}${big ? 'n' : ''}`)), x[i * size + k]!, e)
      return e
    })
  }

  #dot(scalar: ScalarName, x: readonly Expr[], y: readonly Expr[]): Expr {
    const { scalars } = this.#unit
    let sum = scalars.apply('mul', scalar, x[0]!, y[0]!)
    for (let i = 1; i < x.length; i++) sum = scalars.apply('add', scalar, sum, scalars.apply('mul', scalar, x[i]!, y[i]!))
    return sum
  }

  #matmul(a: Value, b: Value): readonly Expr[] {
    const [x, y] = [this.#use(a), this.#use(b)]
    const inner = a.type.kind === 'vec' ? a.type.count : a.type.elem!.count
    const rows = a.type.kind === 'vec' ? 1 : a.type.count
    const cols = b.type.kind === 'vec' ? 1 : b.type.elem!.count
    const out: Expr[] = []
    for (let r = 0; r < rows; r++) {
      const row = x.slice(r * inner, (r + 1) * inner)
      for (let c = 0; c < cols; c++) out.push(this.#dot(a.type.scalar!, row, row.map((_, k) => y[k * cols + c]!)))
    }
    return out
  }
}

/** Functions of JavaScript whose results need no rounding where their operands needed none. */
const exact: ReadonlySet<string> = new Set(['Math.abs', 'Math.ceil', 'Math.floor', 'Math.max', 'Math.min', 'Math.sign', 'Math.trunc'])

function hint(v: Value): string {
  const plain = v.name.replace(/[^\w$]/g, '_')
  return plain === '' || /^\d/.test(plain) ? 't' : plain
}
