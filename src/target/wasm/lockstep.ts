/**
 * Runs kernels with barriers on one thread: the code between two barriers becomes a loop over the threads of the workgroup.
 *
 *     a; barrier; b        →        for each thread { a }  for each thread { b }
 *
 * Values of `a` that `b` uses go through arrays with one element a thread. Control flow around a barrier runs once for all threads,
 * on the condition of the first. A check stops the program where another thread would go elsewhere. Pointers and constants are made
 * again instead of stored.
 */
import { InternalError } from '../../base/diag.ts'
import type { Work } from '../../base/limits.ts'
import { Builder, region } from '../../ir/build.ts'
import type { OwnerOp, PlainOp } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'
import { Func, Inst, type Global, type Region, type Value } from '../../ir/value.ts'
import { cloneInst, substitute, walk, type ValueTable } from '../../ir/walk.ts'
import { Exits } from '../../ir/exits.ts'
import { inlineAll } from '../../opt/inline.ts'

/** True for functions in which a barrier stands. */
export function hasBarrier(func: Func): boolean {
  return func.body !== undefined && holds(func.body, i => i.op === 'barrier')
}

/** True where some instruction of a region passes a test. */
export function holds(region: Region, test: (inst: Inst) => boolean): boolean {
  return region.insts.some(i => test(i) || i.regions.some(r => holds(r, test)))
}

/** True where a function's own code uses one of the variables. */
export function touches(func: Func, globals: readonly Global[]): boolean {
  return func.body !== undefined && holds(func.body, i => i.op === 'global' && globals.includes(i.attr))
}

/**
 * Makes static variables local to a function that holds all that uses them; `globals` come after those that their initial values are
 * made of. `inside` tells of functions that become part of it.
 */
export function localise(func: Func, globals: readonly Global[], inside: (callee: Func) => boolean, work?: Work): void {
  const start = region()
  const b = new Builder(func, start)
  const locals = new Map(
    globals.map(g => {
      const local = b.variable(g.type, g.name)
      b.store(local, g.init === undefined ? b.zero(g.type) : b.call(g.init, [])[0]!)
      return [g, local]
    }),
  )
  func.body!.insts.unshift(...start.insts)
  inlineAll(func, inside, Infinity, work)
  const table: ValueTable = []
  walk(func.body!, inst => {
    if (inst.op !== 'global') return
    const local = locals.get(inst.attr)
    if (local !== undefined) table[inst.results[0]!.id] = local
  })
  substitute(func.body!, table)
}

/** A kernel whose threads take turns. */
export interface Together {
  /** A function of the group's id that runs all threads of a workgroup. */
  readonly func: Func
  /** How many trips of the program's loops one trip stands for: none in a loop over threads, one a thread in a loop of all threads. */
  readonly trips: ReadonlyMap<Inst, number>
}

/** Lets the threads of a workgroup take turns; the kernel's body is left as it is. */
export function lockstep(kernel: Func): Together {
  return new Lockstep(kernel).run()
}

/** Code that runs for all threads before any runs what comes after; numbers tell pieces apart. */
type Piece = number

class Lockstep {
  readonly #source: Func
  readonly #exits: Exits
  readonly #out: Func
  readonly #b: Builder
  readonly #top: Region = region()
  readonly #threads: number
  readonly #group: Value
  /** By id of a source value: the piece that defines it. */
  readonly #definedIn: Piece[] = []
  /** Source values that another piece uses. */
  readonly #crossing = new Set<Value>()
  /** Their arrays, one element a thread. */
  readonly #homes = new Map<Value, Value>()
  readonly #labels = new Map<Inst, Inst>()
  readonly #common = new Set<Inst>()
  readonly #trips = new Map<Inst, number>()
  /** By instruction that is not inside another of its piece: the piece. */
  readonly #pieceOf = new Map<Inst, Piece>()
  /** The owners of regions that run for all threads at once. */
  readonly #owners = new Map<Region, Inst>()
  #pieces = 0

  constructor(source: Func) {
    this.#source = source
    this.#exits = Exits.in(source)
    this.#threads = source.info.entry!.numthreads.reduce((a, b) => a * b, 1)
    const group = t.vec(t.u32, 3)
    this.#out = new Func(
      source.name,
      { params: [{ name: 'group', type: group, dir: 'in', noDiff: true }], result: t.voidType, resultNoDiff: true },
      source.span,
    )
    const body = region()
    this.#out.body = body
    this.#b = new Builder(this.#out, body)
    this.#group = this.#b.param(group, 'group')
  }

  run(): Together {
    const body = this.#source.body!
    for (const p of body.params) this.#definedIn[p.id] = -1
    this.#number(body, true)
    this.#find(body, undefined)
    this.#run(body, true)
    if (this.#b.at.insts.length === 0 || !this.#b.at.end.row.ends) this.#b.emit('ret', [])
    this.#out.body!.insts.unshift(...this.#top.insts)
    return { func: this.#out, trips: this.#trips }
  }

  // ── Pieces ───────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Where the pieces of a region's own instructions begin and end. An instruction that runs for all threads at once is a piece of
   * its own.
   */
  #split(r: Region, outermost: boolean): (readonly Inst[] | Inst)[] {
    let last = -1
    if (outermost)
      r.insts.forEach((inst, i) => {
        if (this.#isCommon(inst, true)) last = i
      })
    const out: (readonly Inst[] | Inst)[] = []
    let run: Inst[] = []
    r.insts.forEach((inst, i) => {
      const common = outermost && i > last ? false : this.#isCommon(inst, false)
      if (!common) {
        run.push(inst)
        return
      }
      if (run.length > 0) out.push(run)
      run = []
      out.push(inst)
    })
    if (run.length > 0) out.push(run)
    return out
  }

  /** True for what all threads do together: barriers, control flow around them, and exits from such control flow. */
  #isCommon(inst: Inst, barriersOnly: boolean): boolean {
    if (inst.op === 'barrier') return true
    if (inst.row.ends) return !barriersOnly
    if (inst.regions.length === 0) return false
    if (inst.regions.some(r => holds(r, i => i.op === 'barrier'))) return true
    return !barriersOnly && this.#exits.leavesAround(inst)
  }

  #number(r: Region, outermost: boolean): void {
    for (const part of this.#split(r, outermost)) {
      const piece = this.#pieces++
      if (part instanceof Inst) {
        this.#common.add(part)
        for (const v of part.results) this.#definedIn[v.id] = -2 - piece
        for (const inner of part.regions) {
          for (const p of inner.params) this.#definedIn[p.id] = -2 - piece
          this.#number(inner, false)
        }
      } else {
        for (const inst of part) {
          this.#pieceOf.set(inst, piece)
          this.#define(inst, piece)
        }
      }
    }
  }

  #define(inst: Inst, piece: Piece): void {
    for (const v of inst.results) this.#definedIn[v.id] = piece
    for (const r of inst.regions) {
      for (const p of r.params) this.#definedIn[p.id] = piece
      for (const i of r.insts) this.#define(i, piece)
    }
  }

  /** Finds the values that are used outside of the piece that defines them. */
  #find(r: Region, piece: Piece | undefined): void {
    for (const inst of r.insts) {
      const common = this.#common.has(inst)
      const here = common ? undefined : (piece ?? this.#pieceOf.get(inst))
      for (const arg of inst.args) this.#use(arg, here)
      for (const inner of inst.regions) this.#find(inner, common ? undefined : here)
    }
  }

  #use(v: Value, piece: Piece | undefined): void {
    if (piece !== undefined && this.#definedIn[v.id] === piece) return
    const def = v.def
    if (def.op !== 'param' && remade(def)) {
      for (const arg of def.args) this.#use(arg, piece)
      return
    }
    if (this.#definedIn[v.id] !== -1) this.#crossing.add(v)
  }

  // ── Code for all threads at once ─────────────────────────────────────────────────────────────────────────────

  #run(r: Region, outermost: boolean): void {
    const parts = this.#split(r, outermost)
    parts.forEach((part, i) => {
      if (part instanceof Inst) this.#together(part, r)
      else this.#each(part, outermost && i === parts.length - 1)
    })
  }

  #together(inst: Inst, r: Region): void {
    const b = this.#b
    switch (inst.op) {
      case 'barrier':
        return
      case 'yield': {
        this.#move(inst.args, this.#owners.get(r)!.results)
        b.emit('yield', [])
        return
      }
      case 'leave': {
        const target = inst.attr
        this.#move(inst.args, target.results)
        b.emit('leave', [], this.#labels.get(target)!)
        return
      }
      case 'test': {
        const loop = this.#owners.get(r)!
        this.#move(inst.args.slice(1), loop.results)
        b.emit('test', [this.#agreed(inst.args[0]!)])
        return
      }
      case 'next': {
        this.#move(inst.args, this.#owners.get(r)!.regions[0]!.params)
        b.emit('next', [])
        return
      }
      case 'ret':
      case 'unreachable': {
        const made = new Inst(inst.op, [], null, [], inst.span)
        b.at.insts.push(made)
        return
      }
      case 'if':
      case 'switch':
      case 'loop':
      case 'block':
        this.#construct(inst)
        return
      case 'var':
      case 'global':
      case 'field':
      case 'elem':
      case 'load':
      case 'store':
      case 'atomic':
      case 'printf':
      case 'trap':
      case 'call':
        throw new InternalError('lockstep', `each thread runs ${inst.op} by itself`)
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        throw new InternalError('lockstep', `${inst.op} before legal code is made`)
      default:
        inst.op satisfies PlainOp
        throw new InternalError('lockstep', `each thread runs ${inst.op} by itself`)
    }
  }

  /** Control flow around a barrier. */
  #construct(inst: Inst<OwnerOp>): void {
    const b = this.#b
    if (inst.op === 'loop') this.#move(inst.args, inst.regions[0]!.params)
    const args = inst.op === 'if' || inst.op === 'switch' ? [this.#agreed(inst.args[0]!)] : []
    const regions = inst.regions.map(() => region())
    // Loops over threads inside of a loop are part of it, where messages name it.
    const around = b.span
    if (inst.op === 'loop') b.span = inst.span
    const made = b.emit(inst.op, args, inst.attr, [], regions)
    this.#labels.set(inst, made)
    if (inst.op === 'loop') this.#trips.set(made, this.#threads)
    inst.regions.forEach((inner, k) => {
      this.#owners.set(inner, inst)
      b.within(regions[k]!, () => this.#run(inner, false))
    })
    b.span = around
  }

  /** Gives each thread's `to` its value of `from`. All are read before any is written. */
  #move(from: readonly Value[], to: readonly Value[]): void {
    const pairs = from.map((v, k) => [v, to[k]!] as const).filter(([, v]) => this.#crossing.has(v))
    if (pairs.length === 0) return
    this.#forEachThread(thread => {
      const values = pairs.map(([v]) => this.#value(v, thread))
      pairs.forEach(([, v], k) => this.#b.store(this.#b.elem(this.#home(v), thread.index), values[k]!))
    })
  }

  /** A condition for all threads: the first thread's, checked against the others'. */
  #agreed(v: Value): Value {
    const b = this.#b
    const def = v.def
    if (def.op !== 'param' && def.op === 'const') return b.const(v.type, def.attr)
    const home = this.#home(v)
    if (!this.#crossing.has(v))
      this.#forEachThread(thread => b.store(b.elem(home, thread.index), this.#value(v, thread)))
    const first = b.load(b.elem(home, b.const(t.u32, 0)))
    this.#forEachThread(thread => {
      const same = b.emit1('eq', [b.load(b.elem(home, thread.index)), first])
      b.emit('trap', [same], 'the threads of a workgroup disagree about the way to a barrier')
    })
    return first
  }

  // ── Code for each thread ─────────────────────────────────────────────────────────────────────────────────────

  #each(insts: readonly Inst[], mayReturn: boolean): void {
    const b = this.#b
    const body = mayReturn ? insts.filter(i => i.op !== 'ret') : insts
    if (body.length === 0) return
    this.#forEachThread(thread => {
      if (!mayReturn) {
        for (const inst of body) this.#clone(inst, thread)
        return
      }
      const inner = region()
      const block = b.emit('block', [], null, [], [inner])
      b.within(inner, () => {
        for (const inst of body) this.#clone(inst, thread)
        if (b.at.insts.length === 0 || !b.at.end.row.ends) b.emit('yield', [])
      })
      returnsTo(inner, block)
    })
  }

  #forEachThread(f: (thread: Thread) => void): void {
    const b = this.#b
    const [head, body] = [region(), region()]
    this.#trips.set(b.emit('loop', [b.const(t.u32, 0)], null, [], [head, body]), 0)
    const index = b.param(t.u32, 'thread', head)
    b.within(head, () => b.emit('test', [b.emit1('lt', [index, b.const(t.u32, this.#threads)])]))
    b.within(body, () => {
      f({ index, values: [] })
      b.emit('next', [b.add(index, b.const(t.u32, 1))])
    })
  }

  #clone(inst: Inst, thread: Thread): void {
    const b = this.#b
    const pointer = inst.results[0]
    if (inst.op === 'var' && this.#crossing.has(pointer!)) {
      const mine = this.#value(pointer!, thread)
      b.store(mine, b.zero(pointer!.type.elem!))
      return
    }
    this.#bring(inst, thread)
    b.at.insts.push(cloneInst(inst, this.#out, thread.values))
    for (const v of inst.results) {
      if (this.#crossing.has(v)) b.store(b.elem(this.#home(v), thread.index), thread.values[v.id]!)
    }
  }

  /** Makes the captured values of an instruction known in this loop over threads. */
  #bring(inst: Inst, thread: Thread): void {
    const inside = new Set<Value>()
    const visit = (i: Inst): void => {
      for (const arg of i.args) if (!inside.has(arg)) this.#value(arg, thread)
      for (const r of i.regions) {
        for (const p of r.params) inside.add(p)
        for (const k of r.insts) visit(k)
      }
      for (const v of i.results) inside.add(v)
    }
    visit(inst)
  }

  /** A source value in this loop over threads: made again, or read from its array. */
  #value(v: Value, thread: Thread): Value {
    const known = thread.values[v.id]
    if (known !== undefined) return known
    const b = this.#b
    const def = v.def
    let made: Value
    if (def === this.#source.body) {
      made = this.#id(v, thread)
    } else if (def.op !== 'param' && remade(def)) {
      const args = def.args.map(a => this.#value(a, thread))
      made = b.emit(def.op, args, def.attr, [v.type]).results[0]!
    } else if (def.op !== 'param' && def.op === 'var') {
      made = b.elem(this.#home(v), thread.index)
    } else {
      made = b.load(b.elem(this.#home(v), thread.index))
    }
    thread.values[v.id] = made
    return made
  }

  /** A thread id, from the thread's index in its group. */
  #id(v: Value, thread: Thread): Value {
    const b = this.#b
    const entry = this.#source.info.entry!
    const semantic = entry.semantics[v.index]!
    if (semantic === 'SV_GROUPINDEX') return thread.index
    if (semantic === 'SV_GROUPID') return this.#group
    const [nx, ny, nz] = entry.numthreads.map(n => b.const(t.u32, n)) as [Value, Value, Value]
    const row = b.div(thread.index, nx)
    const local = b.construct(t.vec(t.u32, 3), [
      b.emit1('rem', [thread.index, nx]),
      b.emit1('rem', [row, ny]),
      b.div(row, ny),
    ])
    if (semantic === 'SV_GROUPTHREADID') return local
    return b.add(b.mul(this.#group, b.construct(t.vec(t.u32, 3), [nx, ny, nz])), local)
  }

  /** The array that keeps a value for each thread. */
  #home(v: Value): Value {
    let home = this.#homes.get(v)
    if (home === undefined) {
      const def = v.def
      const type: Type = def.op !== 'param' && def.op === 'var' ? v.type.elem! : v.type
      home = this.#b.within(this.#top, () => this.#b.variable(t.array(type, this.#threads), v.name))
      this.#homes.set(v, home)
    }
    return home
  }
}

/** One run of the loop over threads: its index, and the values known in it by source id. */
interface Thread {
  readonly index: Value
  readonly values: ValueTable
}

/** True for an instruction that is repeated where its value is needed: cheap, and always with the same result. */
function remade(def: Inst): boolean {
  return (
    def.op === 'const' ||
    def.op === 'zero' ||
    def.op === 'undef' ||
    def.op === 'global' ||
    def.op === 'field' ||
    def.op === 'elem'
  )
}

/** Returns become exits from a block. */
function returnsTo(r: Region, block: Inst): void {
  r.insts.forEach((inst, i) => {
    if (inst.op === 'ret') r.insts[i] = new Inst('leave', [], block, [], inst.span)
    for (const inner of inst.regions) returnsTo(inner, block)
  })
}
