/**
 * Schedules a function's statements and node graphs into instructions. A node with one use is computed at that use, if it then runs
 * no more often and, for a load, no write comes between. Other nodes get a local where they are defined.
 */
import * as costs from '../../ir/costs.ts'
import { InternalError } from '../../base/diag.ts'
import type { Ins, Seq } from './node.ts'
import { Node, type Code, type Label, type Stmt } from './node.ts'
import { op, type ValType } from './opcode.ts'

/** The instructions of a function's body. */
export function schedule(code: Code): readonly Ins[] {
  code.scheduled ??= new Scheduler(code).run()
  return code.scheduled
}

class Scheduler {
  readonly #code: Code
  readonly #out: Ins[] = []
  readonly #labels: (Label | undefined)[] = []
  /** Height of what is computed at its use, by node id. */
  readonly #height: number[] = []
  /** Loads that wait for their use, in order; all belong to the list being emitted. */
  #waiting: Node[] = []
  /** Uses that are still to come, by id of the nodes that have a local. */
  readonly #left: number[] = []
  /** Locals to be used again, by type. */
  readonly #free = new Map<ValType, number[]>()
  /** The loops around the current code, with the locals that are free after them. */
  readonly #loops: { readonly depth: number; readonly freed: { readonly type: ValType; readonly local: number }[] }[] =
    []

  constructor(code: Code) {
    this.#code = code
  }

  run(): Ins[] {
    this.#countSeq(this.#code.body)
    this.#seq(this.#code.body)
    if (this.#code.callee.results.length > 0 && this.#out[this.#out.length - 1]?.op !== op.return)
      this.#emit(op.unreachable)
    return this.#out
  }

  // ── Uses ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #countSeq(seq: Seq): void {
    for (let i = 0; i < seq.stmts.length; i++) {
      const s = seq.stmts[i]!
      const values = operands(s)
      for (let k = 0; k < values.length; k++) this.#count(values[k]!, seq)
      for (const inner of children(s)) this.#countSeq(inner)
    }
  }

  #count(root: Node, user: Seq): void {
    root.uses++
    root.user = user
    if (root.uses > 1) return
    const queue = [root]
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      for (let k = 0; k < node.args.length; k++) {
        const arg = node.args[k]!
        arg.uses++
        arg.user = node
        if (arg.uses === 1) queue.push(arg)
      }
    }
  }

  /** The list in which the only use of a node computes it. */
  #site(node: Node): Seq {
    let user = node.user!
    while (user instanceof Node) {
      if (user.uses !== 1 || user.reads || loopBetween(user.home, siteOf(user))) return user.home
      user = user.user!
    }
    return user
  }

  // ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────

  #seq(seq: Seq): void {
    for (let i = 0; i < seq.stmts.length; i++) this.#stmt(seq.stmts[i]!, seq)
    this.#flush([])
  }

  #stmt(s: Stmt, seq: Seq): void {
    switch (s.kind) {
      case 'def':
        this.#def(s.node, seq)
        return
      case 'set':
        if (isGetOf(s.value, s.local)) return
        this.#node(s.value)
        this.#emit(op.localSet, s.local)
        return
      case 'sets':
        this.#sets(s.locals, s.values)
        return
      case 'store':
        this.#flush([s.addr, s.value], s.object)
        this.#node(s.addr)
        this.#node(s.value)
        this.#emit(s.op, s.offset)
        return
      case 'atomic':
        this.#flush(s.args, s.object)
        for (const arg of s.args) this.#node(arg)
        this.#emit(s.op, s.offset)
        this.#emit(op.localSet, s.local)
        return
      case 'bulk':
        this.#flush(s.args, s.object)
        if (this.#smallFill(s)) return
        s.args.forEach((arg, k) => {
          this.#node(arg)
          if (k === 0 && s.offset !== 0) {
            this.#emit(op.i32Const, s.offset)
            this.#emit(op.i32Add)
          }
        })
        this.#emit(s.op)
        return
      case 'data':
        this.#node(s.to)
        this.#emit(op.i32Const, 0)
        this.#emit(op.i32Const, s.bytes)
        this.#emit(op.memoryInit, s.index)
        return
      case 'call':
        if (!s.pure) this.#flush(s.args)
        for (const arg of s.args) this.#node(arg)
        this.#emit(op.call, s.func.index)
        for (let k = s.locals.length - 1; k >= 0; k--) this.#emit(op.localSet, s.locals[k])
        return
      case 'if':
        this.#flush([s.cond])
        this.#node(s.cond)
        this.#emit(op.if)
        this.#inside(s.label, s.yes)
        if (s.no !== undefined && s.no.stmts.length > 0) {
          this.#emit(op.else)
          this.#inside(s.label, s.no)
        }
        this.#emit(op.end)
        return
      case 'block':
        this.#flush([])
        if (s.label.used) this.#emit(op.block)
        this.#inside(s.label.used ? s.label : noLabel, s.body)
        if (s.label.used) this.#emit(op.end)
        return
      case 'loop':
        this.#flush([])
        if (s.exit.used) {
          this.#emit(op.block)
          this.#labels.push(s.exit)
        }
        if (s.top.used) this.#emit(op.loop)
        this.#loops.push({ depth: s.body.depth, freed: [] })
        this.#inside(s.top.used ? s.top : noLabel, s.body)
        for (const { type, local } of this.#loops.pop()!.freed) this.#release(type, local)
        if (s.top.used) this.#emit(op.end)
        if (s.exit.used) {
          this.#labels.pop()
          this.#emit(op.end)
        }
        return
      case 'br':
        if (s.cond === undefined) {
          this.#emit(op.br, this.#depth(s.to))
        } else {
          this.#node(s.cond)
          this.#emit(op.brIf, this.#depth(s.to))
        }
        return
      case 'switch':
        this.#switch(s)
        return
      case 'return':
        for (const v of s.values) this.#node(v)
        this.#emit(op.return)
        return
      case 'unreachable':
        this.#emit(op.unreachable)
        return
    }
  }

  /** Clears few bytes by stores instead of a call into the engine. */
  #smallFill(s: Stmt & { readonly kind: 'bulk' }): boolean {
    const size = s.args[2]!.imm as number
    const from = s.args[0]!
    const isGlobal = from.op === op.globalGet
    if (
      s.op !== op.memoryFill ||
      s.args[2]!.op !== op.i32Const ||
      size % 4 !== 0 ||
      size > (isGlobal ? costs.clearedBytes : 8)
    )
      return false
    for (let at = 0; at < size; at += 8) {
      const wide = at + 8 <= size
      // Only the last of several uses counts as one.
      if (at + 8 >= size) this.#node(from)
      else this.#again(from)
      this.#emit(wide ? op.i64Const : op.i32Const, wide ? 0n : 0)
      this.#emit(wide ? op.i64Store : op.i32Store, s.offset + at)
    }
    return true
  }

  /** Gives the value of a node without operands that is used once more. */
  #again(node: Node): void {
    if (node.local < 0) this.#compute(node)
    else this.#emit(op.localGet, node.local)
  }

  #switch(s: Stmt & { readonly kind: 'switch' }): void {
    this.#flush([s.selector])
    const n = s.cases.length
    this.#emit(op.block)
    this.#labels.push(s.label)
    const here: (Label | undefined)[] = s.cases.map(() => ({ used: true }))
    for (let k = n - 1; k >= 0; k--) {
      this.#emit(op.block)
      this.#labels.push(here[k])
    }
    this.#node(s.selector)
    this.#out.push({ op: op.brTable, a: n - 1, b: 0, table: s.table.map(c => (c < 0 ? n - 1 : c)) })
    for (let k = 0; k < n; k++) {
      this.#labels.pop()
      this.#emit(op.end)
      this.#seq(s.cases[k]!)
      if (k < n - 1 && s.cases[k]!.open) this.#emit(op.br, this.#depth(s.label))
    }
    this.#labels.pop()
    this.#emit(op.end)
  }

  #sets(locals: readonly number[], values: readonly Node[]): void {
    const live: number[] = []
    for (let k = 0; k < locals.length; k++) {
      if (!isGetOf(values[k]!, locals[k]!)) live.push(k)
    }
    for (const k of live) this.#node(values[k]!)
    for (let k = live.length - 1; k >= 0; k--) this.#emit(op.localSet, locals[live[k]!])
  }

  #inside(label: Label, body: Seq): void {
    if (label !== noLabel) this.#labels.push(label)
    this.#seq(body)
    if (label !== noLabel) this.#labels.pop()
  }

  #depth(label: Label): number {
    const at = this.#labels.lastIndexOf(label)
    if (at < 0) throw new InternalError('wasm schedule', 'a branch leaves what it is not in')
    return this.#labels.length - 1 - at
  }

  // ── Nodes ────────────────────────────────────────────────────────────────────────────────────────────────────

  #def(node: Node, seq: Seq): void {
    if (node.uses === 0) return
    let height = 1
    for (let k = 0; k < node.args.length; k++) height = Math.max(height, 1 + (this.#height[node.args[k]!.id] ?? 0))
    if (node.uses === 1 && height < costs.expressionHeight) {
      const site = this.#site(node)
      if (node.reads ? site === seq : !loopBetween(seq, site)) {
        this.#height[node.id] = height
        if (node.reads) this.#waiting.push(node)
        return
      }
    }
    this.#keep(node)
  }

  /** Computes a node into a local of its own. */
  #keep(node: Node): void {
    this.#compute(node)
    node.local = this.#free.get(node.type)?.pop() ?? this.#code.local(node.type)
    this.#left[node.id] = node.uses
    this.#height[node.id] = 0
    this.#emit(op.localSet, node.local)
  }

  #release(type: ValType, local: number): void {
    const list = this.#free.get(type)
    if (list === undefined) this.#free.set(type, [local])
    else list.push(local)
  }

  /** Counts a use of a node's local. After the last use the local is free, but not before the end of the loops that use it again. */
  #used(node: Node): void {
    const left = this.#left[node.id]! - 1
    this.#left[node.id] = left
    if (left > 0) return
    for (const loop of this.#loops) {
      if (loop.depth <= node.home.depth) continue
      loop.freed.push({ type: node.type, local: node.local })
      return
    }
    this.#release(node.type, node.local)
  }

  /** Gives a local to all waiting loads that these nodes do not take and that a write to `object` may change. */
  #flush(roots: readonly Node[], object?: object): void {
    if (this.#waiting.length === 0) return
    const taken = new Set<Node>()
    const visit = (node: Node): void => {
      if (node.local >= 0 || node.uses !== 1 || this.#height[node.id] === undefined) return
      if (node.reads) taken.add(node)
      for (let k = 0; k < node.args.length; k++) visit(node.args[k]!)
    }
    for (const root of roots) visit(root)
    const waiting = this.#waiting
    this.#waiting = []
    for (const node of waiting) {
      if (node.local >= 0 || this.#height[node.id] === 0) continue
      const apart = object !== undefined && node.object !== undefined && node.object !== object
      if (apart || taken.has(node)) this.#waiting.push(node)
      else this.#keep(node)
    }
  }

  #node(node: Node): void {
    if (node.local < 0) {
      this.#compute(node)
      return
    }
    this.#emit(op.localGet, node.local)
    this.#used(node)
  }

  #compute(node: Node): void {
    if (node.op >= op.i32Const && node.op <= op.f64Const) {
      this.#emit(node.op, node.imm)
      return
    }
    for (let k = 0; k < node.args.length; k++) this.#node(node.args[k]!)
    this.#emit(node.op, node.imm)
    if (node.reads) this.#height[node.id] = 0
  }

  #emit(code: number, a: number | bigint = 0, b = 0): void {
    this.#out.push({ op: code, a, b, table: undefined })
  }
}

const noLabel: Label = { used: false }

function siteOf(node: Node): Seq {
  return node.user instanceof Node ? node.user.home : node.user!
}

/** True where going from `outer` in to `inner` enters a loop. */
function loopBetween(outer: Seq, inner: Seq): boolean {
  for (let seq = inner; seq !== outer && seq.depth > outer.depth; seq = seq.parent!) {
    if (seq.loops) return true
  }
  return false
}

function isGetOf(node: Node, local: number): boolean {
  return node.op === op.localGet && node.imm === local
}

const noNodes: readonly Node[] = []

function operands(s: Stmt): readonly Node[] {
  switch (s.kind) {
    case 'set':
      return [s.value]
    case 'sets':
    case 'return':
      return s.values
    case 'store':
      return [s.addr, s.value]
    case 'atomic':
    case 'bulk':
    case 'call':
      return s.args
    case 'data':
      return [s.to]
    case 'if':
      return [s.cond]
    case 'br':
      return s.cond === undefined ? noNodes : [s.cond]
    case 'switch':
      return [s.selector]
    case 'def':
    case 'block':
    case 'loop':
    case 'unreachable':
      return noNodes
  }
}

function children(s: Stmt): readonly Seq[] {
  switch (s.kind) {
    case 'if':
      return s.no === undefined ? [s.yes] : [s.yes, s.no]
    case 'block':
    case 'loop':
      return [s.body]
    case 'switch':
      return s.cases
    default:
      return []
  }
}
