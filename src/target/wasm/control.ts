/** Control: regions become blocks, loops and ifs; the values that pass between them become locals or slots in memory. */
import { InternalError } from '../../base/diag.ts'
import type { OwnerOp, Terminator } from '../../ir/op.ts'
import { Inst, Region, type Value } from '../../ir/value.ts'
import type { Body } from './body.ts'
import { countTrip } from './limit.ts'
import { samePlace, type Place } from './memory.ts'
import { Label, type Node, type Seq } from './node.ts'
import { op } from './opcode.ts'
import { Ways } from '../ways.ts'

/** Where a value goes that leaves a region: its scalars to locals, or its bytes to a slot. */
type Sink = readonly number[] | Place

/** An instruction whose regions are being compiled. */
interface Scope {
  readonly label: Label
  readonly sinks: readonly Sink[]
}

/** More case labels than this apart, and a switch is a chain of comparisons. */
const maxTable = 256

export class Control {
  readonly #body: Body
  readonly #scopes = new Map<Inst, Scope>()
  readonly #ways: Ways
  readonly #carried = new Map<Inst, readonly Sink[]>()
  readonly #tops = new Map<Inst, Label>()
  /** The innermost loop or other owner of the region that is being compiled. */
  #owner: Inst | undefined = undefined

  constructor(body: Body) {
    this.#body = body
    this.#ways = new Ways(body.func)
  }

  inst(inst: Inst<OwnerOp | Exclude<Terminator, 'ret'>>): void {
    const g = this.#body.g
    switch (inst.op) {
      case 'if': this.#if(inst); return
      case 'block': this.#block(inst); return
      case 'switch': this.#switch(inst); return
      case 'loop': this.#loop(inst); return
      case 'yield': this.#deliver(inst.args, this.#scopes.get(this.#owner!)!.sinks); return
      case 'leave': {
        const scope = this.#scopes.get(inst.attr)
        if (scope === undefined) throw new InternalError('wasm', 'a leave names what it is not in')
        this.#deliver(inst.args, scope.sinks)
        g.br(scope.label)
        return
      }
      case 'test': this.#test(inst); return
      case 'next': this.#next(inst); return
      case 'unreachable':
        g.stmt({ kind: 'unreachable' })
        g.at.open = false
        return
    }
  }

  #sinks(values: readonly Value[]): Sink[] {
    const body = this.#body
    return values.map(v => body.isFlat(v.type) ? body.locals(v.type) : body.slot(v.type))
  }

  /** Makes what the sinks hold the values. */
  #receive(values: readonly Value[], sinks: readonly Sink[]): void {
    const body = this.#body
    values.forEach((v, i) => {
      const sink = sinks[i]!
      if (isLocals(sink)) {
        body.set(v, sink.map(local => body.g.get(local)))
      } else {
        body.set(v, sink)
        body.own(v)
      }
    })
  }

  #deliver(values: readonly Value[], sinks: readonly Sink[]): void {
    const body = this.#body
    values.forEach((v, i) => {
      const sink = sinks[i]!
      if (!isLocals(sink)) body.build(sink, v)
      else if (!isUndefined(v)) body.nodes(v).forEach((value, k) => body.g.stmt({ kind: 'set', local: sink[k]!, value }))
    })
  }

  #within(inst: Inst, region: Region): void {
    const saved = this.#owner
    this.#owner = inst
    this.#body.region(region)
    this.#owner = saved
  }

  #open(inst: Inst): Scope {
    const scope = { label: new Label(), sinks: this.#sinks(inst.results) }
    this.#scopes.set(inst, scope)
    return scope
  }

  #if(inst: Inst): void {
    const g = this.#body.g
    const cond = this.#body.node(inst.args[0]!)
    const scope = this.#open(inst)
    const yes = g.nested(false, () => this.#within(inst, inst.regions[0]!))
    const no = g.nested(false, () => this.#within(inst, inst.regions[1]!))
    if (yes.stmts.length === 0 && no.stmts.length > 0 && !scope.label.used) {
      g.stmt({ kind: 'if', cond: g.eqz(cond), yes: no, no: undefined, label: scope.label })
    } else {
      g.stmt({ kind: 'if', cond, yes, no, label: scope.label })
    }
    this.#receive(inst.results, scope.sinks)
  }

  #block(inst: Inst): void {
    const g = this.#body.g
    const scope = this.#open(inst)
    const body = g.nested(false, () => this.#within(inst, inst.regions[0]!))
    g.stmt({ kind: 'block', body, label: scope.label })
    this.#receive(inst.results, scope.sinks)
  }

  #switch(inst: Inst<'switch'>): void {
    const g = this.#body.g
    const scope = this.#open(inst)
    const selector = this.#body.index(inst.args[0]!)
    const pairs = inst.attr
    const labels = pairs.filter((_x, i) => i % 2 === 0)
    const least = labels.reduce((a, b) => Math.min(a, b), labels[0] ?? 0)
    const most = labels.reduce((a, b) => Math.max(a, b), least)
    const last = inst.regions.length - 1
    const cases: Seq[] = inst.regions.map(r => g.nested(false, () => this.#within(inst, r)))
    const table: number[] = []
    let at = g.pure(op.i32Sub, selector.type, selector, g.i32(least))
    if (most - least < maxTable) {
      for (let i = 0; i <= most - least && labels.length > 0; i++) table.push(-1)
      for (let i = 0; i < pairs.length; i += 2) table[pairs[i]! - least] = pairs[i + 1]!
    } else {
      at = g.i32(last)
      for (let i = 0; i < pairs.length; i += 2) {
        at = g.select(g.pure(op.i32Eq, selector.type, selector, g.i32(pairs[i]!)), g.i32(pairs[i + 1]!), at)
      }
      for (let i = 0; i < last; i++) table.push(i)
    }
    g.stmt({ kind: 'switch', selector: at, table, cases, label: scope.label })
    this.#receive(inst.results, scope.sinks)
  }

  // ── Loops ────────────────────────────────────────────────────────────────────────────────────────────────────

  #loop(inst: Inst): void {
    const body = this.#body
    const g = body.g
    const [head, inner] = [inst.regions[0]!, inst.regions[1]!]
    const carried = this.#sinks(head.params)
    this.#deliver(inst.args, carried)
    const aliased = this.#exitsThatAreParams(inst)
    const scope = { label: new Label(), sinks: inst.results.map((r, k) => aliased === undefined ? this.#sinks([r])[0]! : carried[aliased[k]!]!) }
    this.#scopes.set(inst, scope)
    this.#carried.set(inst, carried)
    const top = new Label()
    this.#tops.set(inst, top)
    const seq = g.nested(true, () => {
      this.#receive(head.params, carried)
      this.#within(inst, head)
      body.bodies.add(inst)
      if (g.at.open) {
        countTrip(body, inst)
        this.#within(inst, inner)
      }
      body.bodies.delete(inst)
    })
    g.stmt({ kind: 'loop', body: seq, top, exit: scope.label })
    this.#receive(inst.results, scope.sinks)
  }

  /** Where all exits are carried values and nothing else leaves the loop, their indices: the locals hold the results too. */
  #exitsThatAreParams(inst: Inst): number[] | undefined {
    if (this.#ways.isLeft(inst)) return undefined
    const head = inst.regions[0]!
    const out: number[] = []
    for (const exit of head.end.args.slice(1)) {
      if (exit.def !== head || !this.#body.isFlat(exit.type)) return undefined
      out.push(exit.index)
    }
    return out
  }

  #test(end: Inst): void {
    const g = this.#body.g
    const loop = this.#owner!
    const scope = this.#scopes.get(loop)!
    const stop = g.eqz(this.#body.node(end.args[0]!))
    const carried = this.#carried.get(loop)!
    const exits = end.args.slice(1)
    const moves = exits.some((v, k) => scope.sinks[k] !== carried[v.index] || v.def !== loop.regions[0])
    if (!moves) {
      g.br(scope.label, stop)
      return
    }
    g.when(stop, () => {
      this.#deliver(exits, scope.sinks)
      g.br(scope.label)
    })
  }

  #next(end: Inst): void {
    const body = this.#body
    const loop = this.#owner!
    const carried = this.#carried.get(loop)!
    const locals: number[] = []
    const values: Node[] = []
    const moves: [Place, Value][] = []
    end.args.forEach((v, k) => {
      const sink = carried[k]!
      if (!isLocals(sink)) {
        moves.push([sink, v])
      } else if (!isUndefined(v)) {
        locals.push(...sink)
        values.push(...body.nodes(v))
      }
    })
    // A slot must not be overwritten while another value is still to be read from it.
    const copies = moves.map(([slot, v]) => {
      const rep = body.rep(v)
      const own = !Array.isArray(rep) && rep !== 'zero' && !(rep instanceof Inst) && samePlace(rep as Place, slot)
      if (own || !dependsOnParam(v, loop) && (moves.length === 1 || isFresh(v))) return undefined
      const copy = body.slot(v.type)
      body.build(copy, v)
      return copy
    })
    moves.forEach(([slot, v], k) => {
      const copy = copies[k]
      if (copy === undefined) body.build(slot, v)
      else body.memory.copy(slot, copy)
    })
    body.g.stmt({ kind: 'sets', locals, values })
    body.g.br(this.#tops.get(loop)!)
  }
}

function isLocals(sink: Sink): sink is readonly number[] {
  return Array.isArray(sink)
}

function isUndefined(v: Value): boolean {
  return v.def.op !== 'param' && v.def.op === 'undef'
}

/** True where a value may share the memory of what its loop carries. */
function dependsOnParam(v: Value, loop: Inst): boolean {
  const def = v.def
  if (def.op === 'param') return def === loop.regions[0]
  return (def.op === 'extract' || def.op === 'select' || def.op === 'detach') && def.args.some(a => dependsOnParam(a, loop))
}

/** True for values whose memory is certainly no slot of a loop. */
function isFresh(v: Value): boolean {
  return v.def.op !== 'param' && (v.def.op === 'zero' || v.def.op === 'call' || v.def.op === 'construct')
}
