/**
 * Brings a function into reversible form: one `ret`, at the end, and no `leave`. The code after an exit moves into the branch that
 * does not take the exit. Where several branches go on, or the exit leaves a loop, the exit becomes a flag among the results. A
 * loop with `break` carries a flag that says whether it goes on, and its condition is not evaluated again once the flag is false:
 *
 *     loop { test %c, %x } { if %e { leave loop %y } …; next %z }
 *     loop (%go = true) { test (and %go %c), %x } { %g, %n = if %e { yield false, %y } { …; yield true, %z }; next %n, %g }
 */
import { InternalError } from '../base/diag.ts'
import { LimitReached, deepest } from '../base/limits.ts'
import { Builder } from '../ir/build.ts'
import type { BareOp } from '../ir/op.ts'
import { bool, differential, type Type } from '../ir/type.ts'
import { Inst, Region, type Func, type Value } from '../ir/value.ts'
import { substitute, walk } from '../ir/walk.ts'
import { moveTail } from '../ir/exits.ts'
import { boundOf, hintWith, inductions, tripBound, type Induction } from '../opt/loops.ts'

/** Gives what a region yields instead of its terminator. The builder then emits at the end of the region. */
type Encode = (end: Inst) => Value[]

/** An exit's target: an instruction, or null for the function. */
type Target = Inst | null

function targetOf(end: Inst): Target | undefined {
  return end.op === 'leave' ? end.attr : end.op === 'ret' ? null : undefined
}

class Preparer {
  readonly func: Func
  readonly b: Builder
  readonly #replaced: Value[] = []
  #depth = 0

  constructor(func: Func) {
    this.func = func
    this.b = new Builder(func, func.body!)
  }

  undef(type: Type): Value {
    return this.b.emit1('undef', [], null, type)
  }

  undefs(types: readonly Type[]): Value[] {
    return types.map(type => this.undef(type))
  }

  #resultsOf(target: Target): readonly Type[] {
    return target === null ? this.func.results : target.results.map(v => v.type)
  }

  /** The targets outside of `inst` for which something inside leaves, and whether something nested leaves `inst` itself. */
  exits(inst: Inst): { readonly outer: readonly Target[]; readonly self: boolean; readonly nestedSelf: boolean } {
    const inside = new Set<Inst>([inst])
    const outer = new Set<Target>()
    let self = false,
      nestedSelf = false
    for (const r of inst.regions)
      walk(r, i => {
        if (i.regions.length > 0) inside.add(i)
      })
    for (const r of inst.regions)
      walk(r, (i, at) => {
        const target = targetOf(i)
        if (target === undefined) return
        if (target === inst) {
          self = true
          if (at !== r) nestedSelf = true
        } else if (target === null || !inside.has(target)) outer.add(target)
      })
    return { outer: [...outer], self, nestedSelf }
  }

  /** Rewrites a region so that control leaves it only by its terminator, which becomes `end` of the values that `encode` gives. */
  convert(region: Region, encode: Encode, types: readonly Type[], end: BareOp): void {
    if (++this.#depth > deepest) throw new LimitReached('nesting', deepest, region.insts[0]?.span ?? undefined)
    this.#convert(region, encode, types, end)
    this.#depth--
  }

  #convert(region: Region, encode: Encode, types: readonly Type[], end: BareOp): void {
    let i = 0
    while (i < region.insts.length - 1) {
      const x = region.insts[i]!
      if (x.regions.length === 0) {
        i++
        continue
      }
      const exits = this.exits(x)
      if (exits.outer.length === 0) {
        i = this.settle(region, i, exits.self)
      } else if (
        x.op === 'loop' ||
        exits.nestedSelf ||
        x.op === 'block' ||
        x.regions.filter(r => this.falls(r, x)).length > 1
      ) {
        this.#flag(region, i, exits.outer)
        i = this.settle(region, i, true)
      } else {
        this.moveTail(region, i)
        const branch = x
        for (const r of branch.regions) this.convert(r, encode, types, 'yield')
        branch.results = types.map((type, k) => this.b.value(type, branch, k))
        region.insts.push(new Inst(end, [...branch.results], null, [], branch.span))
        return
      }
    }
    const last = region.insts.pop()!
    this.b.span = last.span
    const args = this.b.within(region, () => encode(last))
    region.insts.push(new Inst(end, args, null, [], last.span))
  }

  falls(region: Region, owner: Inst): boolean {
    return region.end.op === 'yield' || (region.end.op === 'leave' && region.end.attr === owner)
  }

  /** Moves the code after a branch into the only region of the branch that goes on. */
  moveTail(region: Region, at: number): void {
    const x = region.insts[at]!
    const open = x.regions.find(r => this.falls(r, x))
    // Nothing comes here.
    if (open === undefined) region.insts.length = at + 1
    else
      moveTail(region, at, open, (result, value) => {
        this.#replaced[result.id] = value
      })
  }

  /**
   * Makes exits through `x` exits of `x`: it gets a flag and the carried values as further results for each target, and
   * the exit itself is taken after it.
   */
  #flag(region: Region, at: number, targets: readonly Target[]): void {
    const x = region.insts[at]!
    const own = x.results.length
    const extra = targets.map(target => [bool, ...this.#resultsOf(target)])
    const all = extra.flat()
    const pad = (chosen: Target | undefined, args: readonly Value[]): Value[] =>
      targets.flatMap((target, k) =>
        target === chosen
          ? [this.b.const(bool, true), ...args]
          : [this.b.const(bool, false), ...this.undefs(extra[k]!.slice(1))],
      )
    const ownTypes = x.results.map(v => v.type)
    const rewrite = (r: Region): void => {
      for (const inst of r.insts) for (const q of inst.regions) rewrite(q)
      const end = r.end
      const target = targetOf(end)
      if (target === x) {
        this.b.within(r, () => {
          r.insts.pop()
          end.args.push(...pad(undefined, []))
          r.insts.push(end)
        })
      } else if (target !== undefined && targets.includes(target)) {
        r.insts.pop()
        const args = this.b.within(r, () => [...this.undefs(ownTypes), ...pad(target, end.args)])
        r.insts.push(new Inst('leave', args, x, [], end.span))
      }
    }
    for (const r of x.regions) {
      rewrite(r)
      const end = r.end
      if (end.op !== 'yield' && end.op !== 'test') continue
      r.insts.pop()
      end.args.push(...this.b.within(r, () => pad(undefined, [])))
      r.insts.push(end)
    }
    all.forEach((type, k) => x.results.push(this.b.value(type, x, own + k)))
    let k = own
    const after: Inst[] = []
    for (const target of targets) {
      const [taken, other] = [new Region(), new Region()]
      const n = this.#resultsOf(target).length
      const args = x.results.slice(k + 1, k + 1 + n)
      taken.insts.push(
        target === null ? new Inst('ret', args, null, [], x.span) : new Inst('leave', args, target, [], x.span),
      )
      other.insts.push(new Inst('yield', [], null, [], x.span))
      after.push(new Inst('if', [x.results[k]!], null, [taken, other], x.span))
      k += 1 + n
    }
    region.insts.splice(at + 1, 0, ...after)
  }

  /** Rewrites an instruction that control leaves only at its own end. Gives the index of the instruction after it. */
  settle(region: Region, at: number, self: boolean): number {
    const x = region.insts[at]!
    const types = x.results.map(v => v.type)
    if (x.op === 'loop') {
      this.loop(x, self)
      return at + 1
    }
    const pass: Encode = end => (end.op === 'unreachable' ? this.undefs(types) : end.args)
    for (const r of x.regions) this.convert(r, pass, types, 'yield')
    if (x.op !== 'block') return at + 1
    const body = x.regions[0]!
    const end = body.insts.pop()!
    x.results.forEach((v, k) => {
      this.#replaced[v.id] = end.args[k]!
    })
    region.insts.splice(at, 1, ...body.insts)
    return at + body.insts.length
  }

  loop(x: Inst<'loop'>, breaks: boolean): void {
    const [head, body] = x.regions as [Region, Region]
    const test = head.end
    this.convert(head, end => end.args, [], 'test')
    if (!breaks) {
      const nexts = head.params.map(v => v.type)
      this.convert(body, end => (end.op === 'unreachable' ? this.undefs(nexts) : end.args), nexts, 'next')
      return
    }
    if (head.insts.some(i => i.row.effect === 'write' || i.regions.length > 0)) {
      this.#rotate(x)
      return
    }
    // Whoever gives a bound counts the trips that get to their end; one more may begin, and break.
    const given = boundOf(x.attr)
    if (given !== undefined) {
      x.attr = hintWith(x.attr, undefined)
      x.attr = hintWith(x.attr, Math.min(given + 1, tripBound(x)?.max ?? Infinity))
    }
    const b = this.b
    const n = head.params.length
    const steps = inductions(x)
    // A result that is a carried value takes the value of a break in the carried value's stead.
    const slots = x.results.map((v, k) => {
      const from = head.params.indexOf(test.args[k + 1]!)
      if (from >= 0 && test.args.indexOf(test.args[k + 1]!, 1) === k + 1) return from
      x.args.push(this.place(x, () => this.undef(v.type)))
      b.param(v.type, v.name, head)
      return head.params.length - 1
    })
    x.args.push(this.place(x, () => b.const(bool, true)))
    const go = b.param(bool, 'go', head)
    head.insts.pop()
    b.within(head, () => {
      const exits = slots.map((s, k) => (s < n ? test.args[k + 1]! : b.select(go, test.args[k + 1]!, head.params[s]!)))
      const c = b.emit1('and', [test.args[0]!, go])
      b.emit('test', [c, ...exits])
    })
    const types = head.params.map(v => v.type)
    const stepped = this.#stepped(
      steps.filter(s => !slots.includes(s.index)),
      body,
    )
    const encode: Encode = end => {
      if (end.op === 'unreachable') return this.undefs(types)
      const left = end.op === 'leave'
      return types.map((type, k) => {
        if (k === types.length - 1) return b.const(bool, !left)
        if (stepped.has(k)) return stepped.get(k)!
        const slot = left ? slots.indexOf(k) : -1
        if (slot >= 0) return end.args[slot]!
        if (!left && k < n) return end.args[k]!
        return k < n ? head.params[k]! : this.undef(type)
      })
    }
    this.convert(body, encode, types, 'next')
  }

  /**
   * Lets counters go on counting in the trip that breaks, where nobody uses them, so that they still follow from the trip number.
   * Gives their next values by index among the carried values; they are computed first in the body.
   */
  #stepped(steps: readonly Induction[], body: Region): Map<number, Value> {
    const b = this.b
    const start = new Region()
    const next = new Map<number, Value>()
    b.within(start, () => {
      for (const { param, index, step } of steps) {
        const { scalar } = param.type
        const by =
          scalar === 'i64'
            ? BigInt(step)
            : scalar === 'u64'
              ? BigInt.asUintN(64, BigInt(step))
              : scalar === 'u32'
                ? step >>> 0
                : step
        next.set(index, b.add(param, b.const(param.type, by)))
      }
    })
    body.insts.unshift(...start.insts)
    return next
  }

  /** Emits in front of the loop that is being rewritten: `emit` appends, and the loop stands after it. */
  place(x: Inst, emit: () => Value): Value {
    const before = new Region()
    const v = this.b.within(before, emit)
    this.before.push({ x, insts: before.insts })
    return v
  }

  readonly before: { readonly x: Inst; readonly insts: readonly Inst[] }[] = []

  /**
   * Moves the head into the body, so that the head only asks whether to go on:
   * `loop (go = true, r = undef) { test go, r } { head…; if c { body…; yield next, true } else { yield params, false, exits } }`
   */
  #rotate(x: Inst<'loop'>): void {
    const b = this.b
    const [head, body] = x.regions as [Region, Region]
    const n = head.params.length
    const steps = inductions(x)
    // The trip on which the condition fails is now one more run of the body.
    const bound = tripBound(x)?.max ?? boundOf(x.attr)
    const test = head.insts.pop()!
    const outs = x.results.map(v => v.type)
    if (bound !== undefined) x.attr = hintWith(x.attr, bound + 1)
    for (const v of x.results) {
      x.args.push(this.place(x, () => this.undef(v.type)))
      b.param(v.type, v.name, head)
    }
    x.args.push(this.place(x, () => b.const(bool, true)))
    const go = b.param(bool, 'go', head)
    const moved = head.insts
    head.insts = []
    b.within(head, () => b.emit('test', [go, ...head.params.slice(n, n + outs.length)]))
    const types = head.params.map(v => v.type)
    const on = new Region(),
      off = new Region()
    on.insts = body.insts
    b.within(off, () => b.emit('leave', test.args.slice(1), x))
    const branch = new Inst('if', [test.args[0]!], null, [on, off], x.span)
    body.insts = [...moved, branch, new Inst('unreachable', [], null, [], x.span)]
    const stepped = this.#stepped(steps, body)
    const encode: Encode = end => {
      if (end.op === 'unreachable') return this.undefs(types)
      const left = end.op === 'leave'
      const own = head.params.slice(0, n).map((p, k) => stepped.get(k) ?? (left ? p : end.args[k]!))
      return left ? [...own, ...end.args, b.const(bool, false)] : [...own, ...this.undefs(outs), b.const(bool, true)]
    }
    this.convert(body, encode, types, 'next')
  }

  /**
   * Rotates loops whose head does what the linear tree must do too, since heads of the linear tree hold no code: the head runs once
   * more than the body. It may compute a differentiable exit value, hold branches or variables, write to differentiable memory, or
   * make a call for which `hasEffects` holds.
   */
  rotateHeads(region: Region, hasEffects: (callee: Func) => boolean): void {
    for (const inst of region.insts) {
      for (const r of inst.regions) this.rotateHeads(r, hasEffects)
      if (inst.op !== 'loop') continue
      const head = inst.regions[0]!
      const own = new Set(head.insts)
      let rotates = head.end.args.some(
        (v, k) => k > 0 && differential(v.type) !== null && v.def.op !== 'param' && own.has(v.def),
      )
      walk(head, x => {
        // A residual that stands in a branch or in a variable would be stored on the last run too, past the slots of the trips.
        rotates ||= x.regions.length > 0 || x.op === 'var'
        rotates ||= x.op === 'store' && differential(x.args[0]!.type.elem!) !== null
        rotates ||= x.op === 'call' && hasEffects(x.attr)
      })
      if (rotates) this.#rotate(inst)
    }
  }

  finish(): void {
    for (const { x, insts } of this.before) {
      let done = false
      const insert = (r: Region): void => {
        const at = r.insts.indexOf(x)
        if (at >= 0) {
          r.insts.splice(at, 0, ...insts)
          done = true
          return
        }
        for (const i of r.insts) for (const q of i.regions) if (!done) insert(q)
      }
      insert(this.func.body!)
      if (!done) throw new InternalError('prepare', 'a loop was lost')
    }
    this.before.length = 0
    substitute(this.func.body!, this.#replaced)
  }
}

/** Whether something leaves a region other than at its end. */
function exitsEarly(func: Func): boolean {
  let found = false
  walk(func.body!, (inst, region) => {
    found ||=
      inst.op === 'leave' ||
      inst.op === 'unreachable' ||
      inst.op === 'block' ||
      (inst.op === 'ret' && region !== func.body)
  })
  return found
}

/** Rewrites `func`, which must be in SSA form, in place. True if it changed something; the caller then tidies. */
export function prepare(func: Func): boolean {
  if (!exitsEarly(func)) return false
  const p = new Preparer(func)
  p.convert(func.body!, end => (end.op === 'unreachable' ? p.undefs(func.results) : end.args), func.results, 'ret')
  p.finish()
  return true
}

/** Last step of reversible form, after tidying: the linear tree has nothing to do in the head of a loop. */
export function rotateLoops(func: Func, hasEffects: (callee: Func) => boolean): boolean {
  const p = new Preparer(func)
  p.rotateHeads(func.body!, hasEffects)
  const changed = p.before.length > 0
  p.finish()
  return changed
}

/** Ends a function that runs for ever, as tidying found, with a `ret`. Nothing sees the value that it returns. */
export function endWithRet(func: Func): void {
  const body = func.body!
  if (body.end.op !== 'unreachable') return
  body.insts.pop()
  const b = new Builder(func, body)
  b.emit(
    'ret',
    func.results.map(type => b.emit1('undef', [], null, type)),
  )
}
