/** Control flow: regions become blocks, loops and ifs. The values that pass between them become locals or slots in memory. */
import * as costs from '../../ir/costs.ts'
import { InternalError } from '../../base/diag.ts'
import type { OwnerOp, Terminator } from '../../ir/op.ts'
import type { Region } from '../../ir/value.ts'
import { Inst, type Value } from '../../ir/value.ts'
import type { Body } from './body.ts'
import { countTrip, stopEndless } from './limit.ts'
import { sameLocation, type Location } from './memory.ts'
import { Label, type Node, type Seq } from './node.ts'
import { op } from './opcode.ts'
import { Exits } from '../../ir/exits.ts'

/** The destination of a value that leaves a region: locals for its scalars, or a slot for its bytes. */
export type Destination = readonly number[] | Location

/** An instruction whose regions are being compiled. */
export interface Scope {
  readonly label: Label
  readonly destinations: readonly Destination[]
}

export class Control {
  protected readonly body: Body
  protected readonly scopes: Map<Inst, Scope> = new Map()
  protected readonly exits: Exits
  protected readonly carried: Map<Inst, readonly Destination[]> = new Map()
  protected readonly tops: Map<Inst, Label> = new Map()
  /** The innermost loop or other owner of the region that is being compiled. */
  protected owner: Inst | undefined = undefined

  constructor(body: Body) {
    this.body = body
    this.exits = Exits.in(body.func)
  }

  inst(inst: Inst<OwnerOp | Exclude<Terminator, 'ret'>>): void {
    switch (inst.op) {
      case 'if':
        this.if(inst)
        return
      case 'block':
        this.block(inst)
        return
      case 'switch':
        this.switch(inst)
        return
      case 'loop':
        this.loop(inst)
        return
      case 'yield':
        this.yield(inst)
        return
      case 'leave': {
        const scope = this.scopes.get(inst.attr)
        if (scope === undefined) throw new InternalError('wasm', 'a leave names what it is not in')
        this.leave(inst, scope)
        return
      }
      case 'test':
        this.test(inst)
        return
      case 'next':
        this.next(inst)
        return
      case 'unreachable':
        stopEndless(this.body, inst)
        return
    }
  }

  protected yield(inst: Inst): void {
    this.deliver(inst.args, this.scopes.get(this.owner!)!.destinations)
  }

  protected leave(inst: Inst<'leave'>, scope: Scope): void {
    this.deliver(inst.args, scope.destinations)
    this.body.g.br(scope.label)
  }

  protected destinations(values: readonly Value[]): Destination[] {
    const body = this.body
    return values.map(v => (body.isFlat(v.type) ? body.locals(v) : body.slot(v.type, v)))
  }

  /** Defines the values as the contents of the destinations. */
  protected receive(values: readonly Value[], destinations: readonly Destination[]): void {
    const body = this.body
    values.forEach((v, i) => {
      const destination = destinations[i]!
      if (isLocals(destination)) {
        body.set(
          v,
          destination.map(local => this.held(local)),
        )
      } else {
        body.set(v, destination)
        body.own(v)
      }
    })
  }

  protected deliver(values: readonly Value[], destinations: readonly Destination[]): void {
    const body = this.body
    values.forEach((v, i) => {
      const destination = destinations[i]!
      if (!isLocals(destination)) this.fill(destination, v)
      else if (!isUndefined(v)) body.nodes(v).forEach((value, k) => this.place(destination[k]!, value))
    })
  }

  /** Gives a destination in memory its value. */
  protected fill(slot: Location, value: Value): void {
    this.body.build(slot, value)
  }

  /** Gives a local its value. */
  protected place(local: number, value: Node): void {
    this.body.g.stmt({ kind: 'set', local, value: this.as(local, value) })
  }

  /** The value that a local holds. */
  protected held(local: number): Node {
    return this.body.g.get(local)
  }

  /** A value as what a local holds. */
  protected as(_local: number, value: Node): Node {
    return value
  }

  /** Gives what a loop carries its first values. */
  protected enter(loop: Inst, carried: readonly Destination[]): void {
    this.deliver(loop.args, carried)
  }

  /** Moves what the next trip of a loop has in memory. */
  protected move(_loop: Inst, f: () => void): void {
    this.body.fresh(f)
  }

  /** What a local that a loop carries gets for the next trip. */
  protected carry(_loop: Inst, local: number, value: Node): Node {
    return this.as(local, value)
  }

  /** Begins a trip of a loop. */
  protected begin(_loop: Inst): void {
    // One thread has nothing to prepare.
  }

  /** What a loop carries besides the values of the program: locals, and what the next trip has in them. */
  protected further(_loop: Inst): readonly (readonly [number, Node])[] {
    return []
  }

  protected within(inst: Inst, region: Region): void {
    const saved = this.owner
    this.owner = inst
    this.body.region(region)
    this.owner = saved
  }

  protected open(inst: Inst): Scope {
    const scope = { label: new Label(), destinations: this.destinations(inst.results) }
    this.scopes.set(inst, scope)
    return scope
  }

  protected if(inst: Inst): void {
    const g = this.body.g
    const cond = this.body.node(inst.args[0]!)
    const scope = this.open(inst)
    const yes = g.nested(false, () => this.within(inst, inst.regions[0]!))
    const no = g.nested(false, () => this.within(inst, inst.regions[1]!))
    if (yes.stmts.length === 0 && no.stmts.length > 0 && !scope.label.used) {
      g.stmt({ kind: 'if', cond: g.eqz(cond), yes: no, no: undefined, label: scope.label })
    } else {
      g.stmt({ kind: 'if', cond, yes, no, label: scope.label })
    }
    this.receive(inst.results, scope.destinations)
  }

  protected block(inst: Inst): void {
    const g = this.body.g
    const scope = this.open(inst)
    const body = g.nested(false, () => this.within(inst, inst.regions[0]!))
    g.stmt({ kind: 'block', body, label: scope.label })
    this.receive(inst.results, scope.destinations)
  }

  protected switch(inst: Inst<'switch'>): void {
    const g = this.body.g
    const scope = this.open(inst)
    const selector = this.body.index(inst.args[0]!)
    const pairs = inst.attr
    const labels = pairs.filter((_x, i) => i % 2 === 0)
    const least = labels.reduce((a, b) => Math.min(a, b), labels[0] ?? 0)
    const most = labels.reduce((a, b) => Math.max(a, b), least)
    const last = inst.regions.length - 1
    const cases: Seq[] = inst.regions.map(r => g.nested(false, () => this.within(inst, r)))
    const table: number[] = []
    let at = g.pure(op.i32Sub, selector.type, selector, g.i32(least))
    if (most - least < costs.switchTable) {
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
    this.receive(inst.results, scope.destinations)
  }

  // ── Loops ────────────────────────────────────────────────────────────────────────────────────────────────────

  protected loop(inst: Inst): void {
    const body = this.body
    const g = body.g
    const [head, inner] = [inst.regions[0]!, inst.regions[1]!]
    const carried = this.destinations(head.params)
    this.enter(inst, carried)
    const aliased = this.exitsThatAreParams(inst)
    const scope = {
      label: new Label(),
      destinations: inst.results.map((r, k) =>
        aliased === undefined ? this.destinations([r])[0]! : carried[aliased[k]!]!,
      ),
    }
    this.scopes.set(inst, scope)
    this.carried.set(inst, carried)
    const top = new Label()
    this.tops.set(inst, top)
    const seq = g.nested(true, () => {
      this.receive(head.params, carried)
      this.begin(inst)
      this.within(inst, head)
      body.bodies.add(inst)
      if (g.at.open) {
        countTrip(body, inst)
        this.within(inst, inner)
      }
      body.bodies.delete(inst)
    })
    g.stmt({ kind: 'loop', body: seq, top, exit: scope.label })
    this.receive(inst.results, scope.destinations)
  }

  /** The indices of the carried values that the exits are, if nothing else leaves the loop: their locals then hold the results too. */
  protected exitsThatAreParams(inst: Inst): number[] | undefined {
    if (this.exits.isLeft(inst)) return undefined
    const head = inst.regions[0]!
    const out: number[] = []
    for (const exit of head.end.args.slice(1)) {
      if (exit.def !== head || !this.body.isFlat(exit.type)) return undefined
      out.push(exit.index)
    }
    return out
  }

  protected test(end: Inst): void {
    const g = this.body.g
    const loop = this.owner!
    const scope = this.scopes.get(loop)!
    const stop = g.eqz(this.body.node(end.args[0]!))
    const carried = this.carried.get(loop)!
    const exits = end.args.slice(1)
    const moves = exits.some((v, k) => scope.destinations[k] !== carried[v.index] || v.def !== loop.regions[0])
    if (!moves) {
      g.br(scope.label, stop)
      return
    }
    g.when(stop, () => {
      this.deliver(exits, scope.destinations)
      g.br(scope.label)
    })
  }

  protected next(end: Inst): void {
    const body = this.body
    const loop = this.owner!
    const carried = this.carried.get(loop)!
    const locals: number[] = []
    const values: Node[] = []
    const moves: [Location, Value][] = []
    end.args.forEach((v, k) => {
      const destination = carried[k]!
      if (!isLocals(destination)) {
        moves.push([destination, v])
      } else if (!isUndefined(v)) {
        locals.push(...destination)
        values.push(...body.nodes(v).map((value, i) => this.carry(loop, destination[i]!, value)))
      }
    })
    // A slot must not be overwritten while another value is still to be read from it.
    const copies = moves.map(([slot, v]) => {
      const rep = body.rep(v)
      const own = !Array.isArray(rep) && rep !== 'zero' && !(rep instanceof Inst) && sameLocation(rep as Location, slot)
      if (own || (!dependsOnParam(v, loop) && (moves.length === 1 || isFresh(v)))) return undefined
      const copy = body.slot(v.type, v)
      body.fresh(() => body.build(copy, v))
      return copy
    })
    this.move(loop, () =>
      moves.forEach(([slot, v], k) => {
        const copy = copies[k]
        if (copy === undefined) body.build(slot, v)
        else body.memory.copy(slot, copy)
      }),
    )
    for (const [local, value] of this.further(loop)) {
      locals.push(local)
      values.push(value)
    }
    body.g.stmt({ kind: 'sets', locals, values })
    body.g.br(this.tops.get(loop)!)
  }
}

export function isLocals(destination: Destination): destination is readonly number[] {
  return Array.isArray(destination)
}

export function isUndefined(v: Value): boolean {
  return v.def.op !== 'param' && v.def.op === 'undef'
}

/** True where a value may share the memory of what its loop carries. */
function dependsOnParam(v: Value, loop: Inst): boolean {
  const def = v.def
  if (def.op === 'param') return def === loop.regions[0]
  return (
    (def.op === 'extract' || def.op === 'select' || def.op === 'detach') && def.args.some(a => dependsOnParam(a, loop))
  )
}

/** True for values whose memory is certainly no slot of a loop. */
function isFresh(v: Value): boolean {
  return v.def.op !== 'param' && (v.def.op === 'zero' || v.def.op === 'call' || v.def.op === 'construct')
}
