/**
 * Transposes the linear tree: each region's instructions in reverse order, each by its transpose. An `if` or `switch` stays one, on
 * the same condition, which is a residual; a loop becomes a loop that counts its trips down. A region yields its contributions to
 * captured linear values, and loops carry them. The adjoint of memory is memory: `load` becomes add-into, and `store` becomes
 * take-and-clear. The adjoint uses residuals as if they were available; `checkpoint` makes them so.
 */
import type { Adjoint, Split, Trees } from './model.ts'
import { InternalError } from '../base/diag.ts'
import { Builder, isZero } from '../ir/build.ts'
import type { Part, PlainOp } from '../ir/op.ts'
import type * as t from '../ir/type.ts'
import { Inst, Region, type Func, type Value } from '../ir/value.ts'
import { walk, walkRegions } from '../ir/walk.ts'
import { boundOf, tripBound } from '../opt/loops.ts'
import { addOf, zeroOf, type AdContext } from './context.ts'
import { Cotangents } from './cotangent.ts'

class Transposer {
  readonly cx: AdContext
  readonly trees: Trees
  readonly b: Builder
  readonly splits: Map<Func, Split>
  readonly grads: Cotangents
  readonly linear: Set<number> = new Set()
  /** By id of a variable of the linear tree: its adjoint. */
  readonly #adjoints: (Value | undefined)[] = []
  readonly mirrors: Map<Region, readonly Region[]> = new Map()
  readonly trips: Adjoint['trips'] = new Map()

  constructor(cx: AdContext, trees: Trees, splits: Map<Func, Split>, b: Builder) {
    this.cx = cx
    this.trees = trees
    this.splits = splits
    this.b = b
    this.grads = new Cotangents(
      (at, x, y) => addOf(cx, at, x, y),
      (at, type) => zeroOf(cx, at, type),
    )
    walkRegions(trees.linear, r => {
      for (const v of r.params) this.linear.add(v.id)
      for (const inst of r.insts) for (const v of inst.results) this.linear.add(v.id)
    })
  }

  zero(type: t.Type): Value {
    return zeroOf(this.cx, this.b, type)
  }

  /** Adds to the cotangent of `v`, unless `v` is a constant of the linear tree or a value from outside of it. */
  give(v: Value, ct: Value | undefined, path?: readonly number[]): void {
    if (ct !== undefined && this.linear.has(v.id) && !isZero(v)) this.grads.add(this.b, v, ct, path)
  }

  /** The adjoint of a pointer of the linear tree. */
  pointer(p: Value): Value {
    const def = p.def as Inst
    switch (def.op) {
      case 'var':
        return this.#adjoints[p.id]!
      case 'field':
        return this.b.field(this.pointer(def.args[0]!), def.attr)
      case 'elem':
        return this.b.elem(this.pointer(def.args[0]!), def.args[1]!)
      default:
        throw new InternalError('transpose', `no adjoint of a pointer made by ${def.op}`)
    }
  }

  /** Emits the adjoint of a region's instructions. The cotangents of its terminator are there already. */
  region(r: Region): void {
    for (const inst of r.insts) {
      if (inst.op !== 'var') continue
      const p = inst.results[0]!
      const adjoint = this.b.variable(p.type.elem!, p.name)
      this.#adjoints[p.id] = adjoint
      this.b.store(adjoint, this.zero(p.type.elem!))
    }
    for (let i = r.insts.length - 2; i >= 0; i--) this.#visit(r.insts[i]!)
  }

  #visit(inst: Inst): void {
    this.b.span = inst.span
    switch (inst.op) {
      case 'var':
      case 'field':
      case 'elem':
      case 'const':
      case 'zero':
        return
      case 'load': {
        const ct = this.grads.take(this.b, inst.results[0]!)
        if (ct === undefined) return
        const p = this.pointer(inst.args[0]!)
        this.b.store(p, addOf(this.cx, this.b, this.b.load(p), ct))
        return
      }
      case 'store': {
        const p = this.pointer(inst.args[0]!)
        const value = inst.args[1]!
        if (this.linear.has(value.id) && !isZero(value)) this.give(value, this.b.load(p))
        this.b.store(p, this.zero(p.type.elem!))
        return
      }
      case 'call':
        this.call(inst)
        return
      case 'if':
      case 'switch':
        this.branch(inst)
        return
      case 'loop':
        this.loop(inst)
        return
      case 'global':
      case 'atomic':
      case 'barrier':
      case 'printf':
      case 'trap':
      case 'block':
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
      case 'ret':
      case 'unreachable':
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        throw new InternalError('transpose', `${inst.op} is not linear`)
      default:
        this.plain(inst)
    }
  }

  plain(inst: Inst<PlainOp>): void {
    const ct = this.grads.take(this.b, inst.results[0]!)
    if (ct === undefined) return
    inst.args.forEach((v, i) => {
      if (!this.linear.has(v.id) || isZero(v)) return
      const given = this.#rule(inst, i, ct)
      if ('id' in given) this.give(v, given)
      else for (const part of given) this.give(v, part.ct, [part.component])
    })
  }

  /** The cotangent of an operand that is a value of the linear tree. */
  #rule(inst: Inst, operand: number, ct: Value): Value | readonly Part[] {
    const { ad } = inst.row
    if (ad.is === 'linear' || ad.is === 'multilinear') return ad.transpose(this.b, inst, operand, ct)
    if (ad.is === 'smooth' && ad.linearIn?.operand === operand) return ad.linearIn.transpose(this.b, inst, ct)
    throw new InternalError('transpose', `${inst.op} is not linear in operand ${operand}`)
  }

  call(inst: Inst<'call'>): void {
    const split = this.splits.get(inst.attr)
    // The zero of a differential that the user gives: a constant, to which nothing flows back.
    if (split === undefined) {
      if (inst.args.length > 0) throw new InternalError('transpose', `no reverse of a call of ${inst.attr.name}`)
      return
    }
    const cts = inst.results.map(v => this.grads.take(this.b, v))
    if (!split.effects && cts.every(ct => ct === undefined)) return
    const n = inst.args.length - split.activeInputs.filter(a => a).length
    const out = this.b.call(split.vjp, [
      ...inst.args.slice(0, n),
      ...cts.map((ct, i) => ct ?? this.zero(inst.results[i]!.type)),
    ])
    inst.args.slice(n).forEach((v, i) => this.give(v, out[i]))
  }

  /** The captured linear values that instructions of the regions use, without variables. */
  captured(regions: readonly Region[]): Value[] {
    const inside = new Set<number>(),
      seen = new Set<number>(),
      found: Value[] = []
    for (const r of regions)
      walkRegions(r, q => {
        for (const v of q.params) inside.add(v.id)
        for (const inst of q.insts) for (const v of inst.results) inside.add(v.id)
      })
    for (const r of regions)
      walk(r, inst => {
        for (const v of inst.args) {
          if (v.type.kind === 'ptr' || inside.has(v.id) || seen.has(v.id) || !this.linear.has(v.id) || isZero(v))
            continue
          seen.add(v.id)
          found.push(v)
        }
      })
    return found
  }

  /** True if the transposed code has effects even where all cotangents are zero: it writes memory, or calls a function with effects. */
  #acts(regions: readonly Region[]): boolean {
    let found = false
    for (const r of regions)
      walk(r, inst => {
        if (inst.op === 'load' || inst.op === 'store') found = true
        if (inst.op === 'call' && this.splits.get(inst.attr)?.effects === true) found = true
      })
    return found
  }

  branch(inst: Inst): void {
    const cts = inst.results.map(v => this.grads.take(this.b, v))
    if (cts.every(ct => ct === undefined) && !this.#acts(inst.regions)) return
    const caps = this.captured(inst.regions)
    const regions = inst.regions.map(() => new Region())
    const yields: (Value | undefined)[][] = []
    inst.regions.forEach((r, k) => {
      this.mirrors.set(regions[k]!, this.trees.mirrors.get(r)!)
      const resume = this.grads.suspend(caps)
      this.b.within(regions[k]!, () => {
        if (r.end.op === 'yield') r.end.args.forEach((v, i) => this.give(v, cts[i]))
        this.region(r)
        yields.push(caps.map(v => this.grads.take(this.b, v)))
      })
      resume()
    })
    const live = caps.filter((_, i) => yields.some(y => y[i] !== undefined))
    regions.forEach((r, k) =>
      this.b.within(r, () => {
        this.b.emit(
          'yield',
          caps.flatMap((v, i) => (live.includes(v) ? [yields[k]![i] ?? this.zero(v.type)] : [])),
        )
      }),
    )
    const out = this.b.emit(
      inst.op,
      [inst.args[0]!],
      inst.attr,
      live.map(v => v.type),
      regions,
    )
    live.forEach((v, i) => this.give(v, out.results[i]))
  }

  loop(inst: Inst<'loop'>): void {
    const [lh, lb] = inst.regions as [Region, Region]
    const trips = this.trees.trips.get(inst)!
    const cts = inst.results.map(v => this.grads.take(this.b, v))
    if (cts.every(ct => ct === undefined) && !this.#acts([lb])) return
    const b = this.b
    const caps = this.captured([lb]).filter(v => !lh.params.includes(v))
    const resume = this.grads.suspend(lh.params)
    lh.end.args.slice(1).forEach((v, i) => this.give(v, cts[i]))
    const inits = lh.params.map(v => this.grads.take(b, v) ?? this.zero(v.type))
    const int = trips.count.type
    const one = b.const(int, 1)
    const head = new Region(),
      body = new Region()
    const accs = caps.map(v => this.zero(v.type))
    // As many trips as the primal loop, which only that one's bound tells where `break` decides.
    const known = tripBound(trips.primal)
    const { attr } = trips.primal
    const bound = known?.exact === undefined ? (known?.max ?? boundOf(attr) ?? null) : attr === 'keep' ? attr : null
    const out = b.emit(
      'loop',
      [trips.count, ...inits, ...accs],
      bound,
      [...lh.params, ...caps].map(v => v.type),
      [head, body],
    )
    const left = b.param(int, '', head)
    const carried = lh.params.map(v => b.param(v.type, '', head))
    const sums = caps.map(v => b.param(v.type, '', head))
    b.within(head, () => {
      const go = b.emit1('gt', [left, b.const(int, 0)])
      b.emit('test', [go, ...carried, ...sums])
    })
    this.mirrors.set(body, this.trees.mirrors.get(lb)!)
    const resumeCaps = this.grads.suspend(caps)
    b.within(body, () => {
      const k = b.sub(left, one)
      k.name = trips.counter.name
      this.trips.set(body, { number: k, of: trips })
      lb.end.args.forEach((v, i) => this.give(v, carried[i]))
      this.region(lb)
      const next = lh.params.map(v => this.grads.take(b, v) ?? this.zero(v.type))
      const added = caps.map((v, i) => {
        const ct = this.grads.take(b, v)
        return ct === undefined ? sums[i]! : addOf(this.cx, b, sums[i]!, ct)
      })
      b.emit('next', [k, ...next, ...added])
    })
    resumeCaps()
    resume()
    inst.args.forEach((v, i) => this.give(v, out.results[i]))
    caps.forEach((v, i) => this.give(v, out.results[lh.params.length + i]))
  }
}

/** The adjoint of a function's linear tree. `splits` says which call of the tree stands for which split function. */
export function transpose(cx: AdContext, trees: Trees, splits: Map<Func, Split>): Adjoint {
  const body = new Region()
  const b = new Builder(trees.work, body)
  const tr = new Transposer(cx, trees, splits, b)
  const cotangents = trees.resultTangents.map(v =>
    v === undefined ? undefined : b.param(v.type, v.name === '' ? 'ct' : v.name),
  )
  trees.resultTangents.forEach((v, i) => {
    if (v !== undefined) tr.give(v, cotangents[i])
  })
  tr.mirrors.set(body, [trees.primal])
  const linear = trees.linear
  linear.insts.push(new Inst('unreachable', [], null, [], null))
  tr.region(linear)
  linear.insts.pop()
  const inputs = trees.tangents.map(v => (v === undefined ? undefined : tr.grads.take(b, v)))
  return { body, cotangents, inputs, mirrors: tr.mirrors, trips: tr.trips }
}
