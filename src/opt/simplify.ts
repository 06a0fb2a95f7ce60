/**
 * Folds instructions by the rules of `rules.ts`, and control flow whose course is known. One walk goes in order, so later
 * instructions see the simpler operands. Earlier ones do not: for these the pipeline runs the pass again.
 *
 *   %r: f32 = if %true () { yield %a } () { yield %b }   →   use %a
 */
import { Builder } from '../ir/build.ts'
import type { Constant, OpName, OwnerOp } from '../ir/op.ts'
import { isInt } from '../ir/type.ts'
import { Inst, Region, noRegions, type Func, type Value } from '../ir/value.ts'
import { resolved, substitute, useCounts, valueTable, walk, type ValueTable } from '../ir/walk.ts'
import { leavesTo } from '../ir/exits.ts'
import { joinBranches } from './branches.ts'
import { forgetCarried } from './carried.ts'
import { chooseInside } from './choice.ts'
import type { Cx } from './cx.ts'
import { fold, isFoldable } from './fold.ts'
import { caseOf, constantInt, constantOf, definedBy } from './match.ts'
import { nestGuards } from './guards.ts'
import { rewrite } from './rules.ts'
import * as costs from '../ir/costs.ts'

/** Simplifies instructions and control. */
export function simplify(func: Func, cx?: Pick<Cx, 'wide'>): boolean {
  if (func.body === undefined) return false
  const pass = new Simplifier(func, func.body, cx?.wide === true)
  pass.region(func.body)
  return pass.changed
}

class Simplifier {
  changed = false
  readonly #func: Func
  readonly #wide: boolean
  readonly #b: Builder
  readonly #to: ValueTable
  /** How many `leave`s name an instruction. */
  readonly #leaves = new Map<Inst, number>()
  /** Nesting of the region where a value is defined, by id. */
  readonly #depths: number[]
  #depth = 0
  /** Values in order of definition. */
  readonly #serials: number[]
  #serial = 0

  constructor(func: Func, body: Region, wide: boolean) {
    this.#wide = wide
    this.#func = func
    this.#to = valueTable(func)
    this.#b = new Builder(func, body)
    this.#depths = new Array<number>(func.nextValue)
    this.#serials = new Array<number>(func.nextValue)
    walk(body, inst => {
      if (inst.op === 'leave') this.#leaves.set(inst.attr, (this.#leaves.get(inst.attr) ?? 0) + 1)
    })
  }

  #replace(from: Value, to: Value): void {
    if (from === to) return
    if (to.name === '' && constantOf(to) === undefined) to.name = from.name
    this.#to[from.id] = to
    this.changed = true
  }

  region(region: Region): void {
    const insts = region.insts
    region.insts = []
    this.#depth++
    for (let i = 0; i < region.params.length; i++) this.#defined(region.params[i]!)
    this.#into(region, insts)
    this.#depth--
  }

  #defined(value: Value): void {
    this.#depths[value.id] = this.#depth
    this.#serials[value.id] = this.#serial++
  }

  /** What replaces a `select`; see `chooseInside`. */
  #choice(inst: Inst): Value | undefined {
    const isBefore = (v: Value, control: Inst): boolean => {
      const [at, end] = [this.#serials[v.id], this.#serials[control.results[0]!.id]]
      return (
        at !== undefined &&
        end !== undefined &&
        at < end &&
        this.#depths[v.id]! <= this.#depths[control.results[0]!.id]!
      )
    }
    const chosen = chooseInside(this.#func, inst, isBefore, control => this.#leaves.get(control) ?? 0)
    if (chosen !== undefined) {
      this.#depths[chosen.id] = this.#depths[inst.args[0]!.id]!
      this.#serials[chosen.id] = this.#serials[inst.args[0]!.id]!
    }
    return chosen
  }

  /** Appends instructions to a region, simplified; false where control does not get past them. */
  #into(region: Region, insts: readonly Inst[]): boolean {
    const b = this.#b
    for (let i = 0; i < insts.length; i++) {
      const inst = insts[i]!
      const { args } = inst
      for (let k = 0; k < args.length; k++)
        if (this.#to[args[k]!.id] !== undefined) args[k] = resolved(args[k]!, this.#to)
      b.at = region
      b.span = inst.span
      let before = region.insts.length
      let goesOn = !inst.row.ends
      if (inst.regions.length > 0) {
        const joined = this.#join(region, inst)
        if (joined !== inst) before--
        goesOn = this.#control(region, joined)
      } else if (inst.op === 'trap' && constantOf(inst.args[0]!) === true) {
        this.changed = true
      } else {
        const value = rewrite(b, inst, this.#wide) ?? (inst.op === 'select' ? this.#choice(inst) : undefined)
        if (value === undefined) region.insts.push(inst)
        else this.#replace(inst.results[0]!, value)
      }
      for (let k = before; k < region.insts.length; k++) {
        const { results } = region.insts[k]!
        for (let m = 0; m < results.length; m++) this.#defined(results[m]!)
      }
      if (!goesOn) {
        const dead = insts.length - 1 - i
        if (dead > 1 || (dead === 1 && insts[i + 1]!.op !== 'unreachable')) this.changed = true
        if (!region.end.row.ends) region.insts.push(new Inst('unreachable', [], null, noRegions, inst.span))
        return false
      }
    }
    return true
  }

  /** Joins the instruction with an `if` on the same condition, which is removed from the region. */
  #join(region: Region, inst: Inst): Inst {
    if (inst.op !== 'if') return inst
    const joined = joinBranches(
      region.insts,
      inst,
      i => this.#leaves.get(i) ?? 0,
      v => resolved(v, this.#to),
    )
    this.changed ||= joined !== undefined
    return joined ?? inst
  }

  /** Appends a control instruction, or its simpler form. False if control does not get past it. */
  #control(region: Region, inst: Inst): boolean {
    switch (inst.op) {
      case 'if': {
        const c = constantOf(inst.args[0]!)
        return c === undefined ? this.#if(region, inst) : this.#always(region, inst, inst.regions[c === true ? 0 : 1]!)
      }
      case 'switch': {
        const c = constantInt(inst.args[0]!)
        if (c !== undefined || inst.regions.length === 1)
          return this.#always(region, inst, inst.regions[caseOf(inst, c)]!)
        this.#nestGuards(inst)
        for (let i = 0; i < inst.regions.length; i++) this.region(inst.regions[i]!)
        return this.#finish(region, inst)
      }
      case 'loop':
        return this.#loop(region, inst)
      default:
        inst.op satisfies 'block' | Exclude<OpName, OwnerOp>
        this.#nestGuards(inst)
        if (this.#leavesIn(inst.regions[0]!, inst) === 0) return this.#always(region, inst, inst.regions[0]!)
        this.region(inst.regions[0]!)
        return this.#finish(region, inst)
    }
  }

  #nestGuards(inst: Inst): void {
    if (nestGuards(this.#func, inst, this.#leaves, (from, to) => this.#replace(from, to))) this.changed = true
  }

  /** Counts the `leave`s inside a region that name the instruction, except the one at the region's own end. */
  #leavesIn(region: Region, inst: Inst): number {
    const end = region.insts[region.insts.length - 1]!
    const own = end.op === 'leave' && end.attr === inst ? 1 : 0
    if ((this.#leaves.get(inst) ?? 0) <= own) return 0
    return leavesTo(region, inst) - own
  }

  /** Replaces an instruction by the instructions of its only region that runs. */
  #always(region: Region, inst: Inst, only: Region): boolean {
    this.changed ||= inst.op !== 'block' || this.#leavesIn(only, inst) === 0
    if (this.#leavesIn(only, inst) > 0) {
      const block = asBlock(inst, only)
      this.#leaves.set(block, this.#leaves.get(inst)!)
      this.region(only)
      return this.#finish(region, block)
    }
    const end = only.end
    if (!this.#into(region, only.insts.slice(0, -1))) return false
    if (end.op !== 'yield' && !(end.op === 'leave' && end.attr === inst)) return this.#into(region, [end])
    inst.results.forEach((r, k) => this.#replace(r, resolved(end.args[k]!, this.#to)))
    return true
  }

  #if(region: Region, inst: Inst): boolean {
    const negated = definedBy(inst.args[0]!, 'not')
    if (negated !== undefined) {
      inst.args = [negated.args[0]!]
      inst.regions = [inst.regions[1]!, inst.regions[0]!]
      this.changed = true
    }
    this.#nestGuards(inst)
    for (let i = 0; i < inst.regions.length; i++) this.region(inst.regions[i]!)
    const yes = inst.regions[0]!,
      no = inst.regions[1]!
    this.#endsInYield(inst)
    if (this.#leavesIn(yes, inst) + this.#leavesIn(no, inst) === 0 && yes.end.op === 'yield' && no.end.op === 'yield') {
      if (yes.insts.length === 1 && no.insts.length === 1 && inst.results.length === 0) {
        this.changed = true
        return true
      }
      if (this.#select(region, inst, yes, no)) return true
    }
    return this.#finish(region, inst)
  }

  /** Replaces a `leave` that names the owner of its region, at the region's end, by a `yield`. */
  #endsInYield(inst: Inst): void {
    for (let i = 0; i < inst.regions.length; i++) {
      const r = inst.regions[i]!
      const end = r.end
      if (end.op !== 'leave' || end.attr !== inst || inst.op === 'loop') continue
      r.insts[r.insts.length - 1] = new Inst('yield', end.args, null, noRegions, end.span)
      this.#leaves.set(inst, this.#leaves.get(inst)! - 1)
      this.changed = true
    }
  }

  /** Appends a processed `if`, `switch` or `block`. A result that has the same value in all branches is replaced by it. */
  #finish(region: Region, inst: Inst): boolean {
    this.#endsInYield(inst)
    const ends = inst.regions.map(r => r.end).filter(e => e.op === 'yield')
    const leaves = this.#leaves.get(inst) ?? 0
    if (leaves === 0 && ends.length > 0) {
      this.#b.at = region
      inst.results.forEach((r, k) => {
        const same =
          this.#agreed(
            region,
            inst.regions,
            ends.map(e => e.args[k]!),
          ) ?? this.#duplicate(inst.results, k, ends, 0)
        if (same !== undefined) this.#replace(r, same)
      })
    }
    region.insts.push(inst)
    return leaves > 0 || ends.length > 0
  }

  /** The value that all of these are, if they are the same value and it is visible here. */
  #agreed(region: Region, regions: readonly Region[], values: readonly Value[]): Value | undefined {
    const known = values.filter(v => definedBy(v, 'undef') === undefined)
    const first = known[0]
    if (first === undefined) return this.#b.emit1('undef', [], null, values[0]!.type)
    if (known.every(v => v === first)) {
      if (this.#isVisible(first)) return first
      if (known.length < values.length && this.#lift(region, regions, first)) return first
    }
    const c = constantOf(first)
    if (c === undefined || !known.every(v => Object.is(constantOf(v), c))) return undefined
    return this.#b.const(first.type, c)
  }

  #isVisible(value: Value): boolean {
    return (this.#depths[value.id] ?? Infinity) <= this.#depth
  }

  /** Moves integer work out of the only branch that gives a result a value, so that counters stay counters. */
  #lift(region: Region, regions: readonly Region[], value: Value): boolean {
    const def = value.def
    if (def.op === 'param' || !isInt(value.type) || def.row.effect !== 'none' || def.regions.length > 0) return false
    if (!def.args.every(a => this.#isVisible(a) || constantOf(a) !== undefined)) return false
    const home = regions.find(r => r.insts.includes(def))
    if (home === undefined) return false
    def.args = def.args.map(a => (this.#isVisible(a) ? a : this.#b.const(a.type, constantOf(a)!)))
    home.insts.splice(home.insts.indexOf(def), 1)
    region.insts.push(def)
    return true
  }

  /** An earlier result that every branch gives the same value as result `k`. */
  #duplicate(results: readonly Value[], k: number, ends: readonly Inst[], skip: number): Value | undefined {
    const like = (m: number): boolean => ends.every(e => e.args[m + skip] === e.args[k + skip])
    for (let m = 0; m < k; m++) if (like(m)) return resolved(results[m]!, this.#to)
    return undefined
  }

  /** Turns an `if` into `select`s if its branches are cheap, and differentiating a branch that is not taken does no harm. */
  #select(region: Region, inst: Inst, yes: Region, no: Region): boolean {
    if (inst.results.length === 0 || inst.results.length > costs.selectResults) return false
    if (!inst.results.every(r => r.type.kind === 'scalar' || r.type.kind === 'vec')) return false
    let cost = 0
    for (const r of [yes, no]) {
      for (let i = 0; i < r.insts.length - 1; i++) {
        const work = r.insts[i]!
        if (work.row.effect !== 'none' || work.regions.length > 0) return false
        // Zero times an infinite derivative is NaN: only linear work may move out of a branch that guards it.
        if (work.row.ad.is !== 'linear' && work.row.ad.is !== 'flat') return false
        if (work.op !== 'const' && ++cost > costs.selectInstructions) return false
      }
    }
    const before = region.insts.length
    region.insts.push(...yes.insts.slice(0, -1), ...no.insts.slice(0, -1))
    this.#b.at = region
    for (let i = 0; i < region.insts.length - before; i++)
      for (const r of region.insts[before + i]!.results) this.#defined(r)
    inst.results.forEach((r, k) => this.#replace(r, this.#chosen(inst.args[0]!, yes.end.args[k]!, no.end.args[k]!)))
    this.changed = true
    return true
  }

  #chosen(condition: Value, x: Value, y: Value): Value {
    const choice = this.#b.select(condition, x, y)
    const select = definedBy(choice, 'select')
    if (x === y || select === undefined) return choice
    return rewrite(this.#b, select, this.#wide) ?? this.#choice(select) ?? choice
  }

  #loop(region: Region, inst: Inst<'loop'>): boolean {
    const head = inst.regions[0]!,
      body = inst.regions[1]!
    const again = body.insts[body.insts.length - 1]!
    head.params.forEach((p, k) => {
      const next = again.op === 'next' ? resolved(again.args[k]!, this.#to) : p
      const c = constantOf(next)
      const same = next === p || next === inst.args[k] || (c !== undefined && Object.is(c, constantOf(inst.args[k]!)))
      if (same && this.#to[p.id] === undefined) this.#replaceParam(p, inst.args[k]!)
    })
    this.#mergeCarried(inst, head, again)
    if (again.op !== 'next') return this.#always(region, ...singleTrip(inst, head, body))
    if (this.#firstTest(inst, head) === false && this.#leavesIn(head, inst) === 0) {
      head.params.forEach((p, k) => this.#replace(p, inst.args[k]!))
      head.insts[head.insts.length - 1] = new Inst('yield', head.end.args.slice(1), null, noRegions, head.end.span)
      head.params = []
      return this.#always(region, inst, head)
    }
    this.region(head)
    if (head.end.op !== 'test') {
      const init: ValueTable = []
      head.params.forEach((p, k) => {
        init[p.id] = inst.args[k]!
      })
      substitute(head, init)
      head.params = []
      const block = asBlock(inst, head)
      this.#leaves.set(block, this.#leaves.get(inst) ?? 0)
      this.changed = true
      return this.#finish(region, block)
    }
    this.#depth++
    this.region(body)
    this.#depth--
    region.insts.push(inst)
    const leaves = this.#leaves.get(inst) ?? 0
    if (leaves === 0 && forgetCarried(this.#func, inst)) this.changed = true
    if (leaves === 0) {
      inst.results.forEach((r, k) => {
        const exit = head.end.args[k + 1]!
        const same =
          (this.#depths[exit.id] ?? Infinity) <= this.#depth ? exit : this.#duplicate(inst.results, k, [head.end], 1)
        if (same !== undefined) this.#replace(r, same)
      })
    }
    return leaves > 0 || constantOf(head.end.args[0]!) !== true
  }

  /** Merges carried values that begin with the same value and step alike. */
  #mergeCarried(inst: Inst, head: Region, again: Inst): void {
    if (again.op !== 'next') return
    for (let k = 1; k < head.params.length; k++) {
      const q = head.params[k]!
      if (this.#to[q.id] !== undefined) continue
      for (let m = 0; m < k; m++) {
        const p = head.params[m]!
        if (p.type !== q.type || this.#to[p.id] !== undefined || !alike(inst.args[m]!, inst.args[k]!)) continue
        if (again.args[m] !== again.args[k] && !stepAlike(again.args[m]!.def, p, again.args[k]!.def, q)) continue
        this.#replaceParam(q, p)
        break
      }
    }
  }

  #replaceParam(param: Value, init: Value): void {
    this.#to[param.id] = init
    if (this.#used === undefined) this.#used = useCounts(this.#func)
    if ((this.#used[param.id] ?? 1) > 0) this.changed = true
  }

  #used: readonly number[] | undefined = undefined

  /** Whether the loop makes a first trip, if constants decide it. */
  #firstTest(inst: Inst, head: Region): boolean | undefined {
    const value = (v: Value, depth: number): Constant | undefined => {
      const at = resolved(v, this.#to)
      const c = constantOf(at)
      if (c !== undefined) return c
      if (at.def === head) {
        const init = inst.args[at.index]!
        return constantOf(init)
      }
      const def = at.def
      if (def.op === 'param' || depth === 0 || at.type.kind !== 'scalar' || def.regions.length > 0) return undefined
      if (!isFoldable(def) || def.op === 'convert' || def.op === 'bitcast' || def.args[0]!.type.kind !== 'scalar')
        return undefined
      const parts: Constant[] = []
      for (let i = 0; i < def.args.length; i++) {
        const a = def.args[i]!
        const part = value(a, depth - 1)
        if (part === undefined) return undefined
        parts.push(part)
      }
      return fold(def.op, def.args[0]!.type, def.results[0]!.type, parts[0]!, parts[1])
    }
    const test = head.end
    const known = test.op === 'test' ? value(test.args[0]!, costs.firstTestSteps) : undefined
    return typeof known === 'boolean' ? known : undefined
  }
}

/** True for one value, and for equal constants. */
function alike(x: Value, y: Value): boolean {
  if (x === y) return true
  const c = constantOf(x)
  return c !== undefined && x.type === y.type && Object.is(c, constantOf(y))
}

/** True if `x` computes from `p` what `y` computes from `q`. */
function stepAlike(x: Inst | Region, p: Value, y: Inst | Region, q: Value): boolean {
  if (!(x instanceof Inst) || !(y instanceof Inst) || x.op !== y.op || x.row.effect !== 'none') return false
  if (x.attr !== null || x.args.length !== 2) return false
  return x.args.every((a, i) => (a === p && y.args[i] === q) || alike(a, y.args[i]!))
}

/** A block that runs a region of an instruction and gives the instruction's results. */
function asBlock(inst: Inst, only: Region): Inst {
  const block = new Inst('block', [], null, [only], inst.span)
  block.results = inst.results
  for (const r of block.results) r.def = block
  walk(only, i => {
    if (i.op === 'leave' && i.attr === inst) i.attr = block
  })
  return block
}

/** A loop whose body never comes back, as a region that runs once: the head, and the body if the test holds. */
function singleTrip(inst: Inst, head: Region, body: Region): [Inst, Region] {
  const test = head.insts.pop()!
  if (test.op !== 'test') {
    head.insts.push(test)
  } else {
    const out = new Region()
    out.insts.push(new Inst('yield', [], null, noRegions, test.span))
    head.insts.push(new Inst('if', [test.args[0]!], null, [body, out], test.span))
    head.insts.push(new Inst('yield', test.args.slice(1), null, noRegions, test.span))
  }
  head.params = []
  return [inst, head]
}
