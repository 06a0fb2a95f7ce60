/**
 * Loops under `[Checkpoints(k)]`: the reverse pass keeps at most k states of the loop at a time and runs stretches of it
 * again. Such a loop becomes a function of its own,
 *
 *     %y = loop %x (%s) { … }   →   %y = call @f_loop %x
 *
 * whose primal half only counts the trips. Its reverse half goes through them from the last to the first: it runs forward
 * from the last state kept before the trip, keeps further states on the way, and differentiates the one trip, whose
 * residuals never leave it. Where states are kept is the binomial schedule of Griewank (1992), with which n trips take
 * about r n steps where C(k + r, k) first reaches n. As k states do for any number of trips, no bound is needed.
 */
import { rerunsEffects } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import * as ops from '../ir/ops.ts'
import { array, differential, f32, i32, type Type } from '../ir/type.ts'
import { Inst, Region, Value, type Func } from '../ir/value.ts'
import { captured, cloneInst, mapValues, substitute, walk, type ValueTable } from '../ir/walk.ts'
import { boundOf, statesOf, tripBound } from '../opt/loops.ts'
import { activityOf, rootOf } from './activity.ts'
import { addOf, newFunc, zeroOf, type AdContext, type Split } from './context.ts'
import { differentiableResults, hasBackwardEffects } from './plan.ts'

/** A loop that is a function of its own. Its inputs are the initial values, then `values`, then the contents of `memory`. */
export interface Rerun {
  /** The loop as it stood; what it takes from outside are values of the function it was in. */
  readonly loop: Inst
  readonly states: number
  /** No run makes more trips; null where nothing says. */
  readonly bound: number | null
  readonly values: readonly Value[]
  /** Variables from outside, those that the loop writes first. */
  readonly memory: readonly Value[]
  readonly written: number
  /** Constants and pointers into `memory` from outside, to be made again. */
  readonly outside: readonly Inst[]
}

/** Makes functions of the outermost loops under `[Checkpoints(k)]` that make more trips. True where there is one. */
export function extractReruns(cx: AdContext, func: Func): boolean {
  let found = false
  const visit = (region: Region): void => {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      const states = inst.op === ops.loop ? statesOf(inst.attr) : undefined
      if (states !== undefined && isWorth(cx, inst, states)) {
        i += extract(cx, func, region, i, states)
        found = true
      } else {
        if (states !== undefined) inst.attr = boundOf(inst.attr) ?? null
        inst.regions.forEach(visit)
      }
    }
  }
  visit(func.body!)
  return found
}

function isWorth(cx: AdContext, loop: Inst, states: number): boolean {
  const trips = tripBound(loop)
  if (trips !== undefined && trips.max <= states) return false
  const culprit = loop.regions[0]!.params.some(v => holdsResource(v.type)) ? 'carries a buffer or a texture' : unrepeatable(loop)
  if (culprit !== undefined) cx.sink.add(rerunsEffects, loop.span ?? undefined, { what: culprit })
  return culprit === undefined
}

function holdsResource(type: Type): boolean {
  if (type.kind === 'struct') return type.fields.some(f => holdsResource(f.type))
  return type.kind === 'ptr' || type.kind === 'opaque' || (type.kind === 'array' && holdsResource(type.elem!))
}

/** What in a loop may be done only once, or may come out differently the next time. */
export function unrepeatable(inst: Inst, seen: Set<Func> = new Set()): string | undefined {
  switch (inst.op) {
    case ops.print: return 'prints'
    case ops.barrier: case ops.atomic: return 'works with other threads'
    case ops.store: if (inst.args[0]!.type.space !== 'function') return 'writes a buffer or a global variable'; break
    case ops.load: {
      const { space } = inst.args[0]!.type
      if (space === 'storage_rw' || space === 'workgroup' || space === 'private') return 'reads a buffer or a global variable that can be written'
      break
    }
    case ops.call: {
      const callee = inst.attr as Func
      if (callee.info.pure || callee.body === undefined || seen.has(callee)) break
      if (seen.size > callLimit) return 'makes calls that nest too deeply'
      seen.add(callee)
      return inRegion(callee.body, seen)
    }
    default:
  }
  for (const r of inst.regions) {
    const what = inRegion(r, seen)
    if (what !== undefined) return what
  }
  return undefined
}

/** Functions that are looked through for effects: each holds a part of the stack. */
const callLimit = 500

function inRegion(region: Region, seen: Set<Func>): string | undefined {
  for (const inst of region.insts) {
    const what = unrepeatable(inst, seen)
    if (what !== undefined) return what
  }
  return undefined
}

/** Puts a call in the place of the loop at an index; gives how many instructions more there are. */
function extract(cx: AdContext, func: Func, region: Region, at: number, states: number): number {
  const loop = region.insts[at]!
  const own = new Region()
  own.insts = [loop]
  const values: Value[] = [], roots = new Set<Value>(), outside: Inst[] = []
  const [head, body] = loop.regions as [Region, Region]
  const defined = new Set<Value>([...head.params, ...head.insts.flatMap(inst => inst.results)])
  const free = new Set([...captured(head, func), ...captured(body, func).filter(v => !defined.has(v))])
  const again = (v: Value): void => {
    const def = v.def
    if (!(def instanceof Inst)) values.push(v)
    else if (outside.includes(def)) return
    else if (def.op === ops.constant || def.op === ops.zero || def.op === ops.global) outside.push(def)
    else if (def.op === ops.variable) roots.add(v)
    else if (def.op === ops.field || def.op === ops.elem) {
      for (const arg of def.args) if (!values.includes(arg)) again(arg)
      outside.push(def)
    } else values.push(v)
  }
  for (const v of free) if (!values.includes(v)) again(v)
  const stored = new Set<Value>()
  walk(own, inst => { if (inst.op === ops.store) stored.add(rootOf(inst.args[0]!)) })
  const memory = [...roots].sort((a, b) => Number(stored.has(b)) - Number(stored.has(a)))
  const written = memory.filter(v => stored.has(v)).length
  const rerun: Rerun = { loop, states, bound: tripBound(loop)?.max ?? boundOf(loop.attr) ?? null, values, memory, written, outside }

  const ins = [...head.params, ...values, ...memory.map(contents)]
  const outs = [...loop.results.map(v => v.type), ...memory.slice(0, written).map(v => v.type.elem!)]
  const made = newFunc(cx, `${func.name}_loop`, ins, outs, loop.span)
  made.body = run(made, rerun, false)
  cx.reruns.set(made, rerun)

  const around = new Region()
  const b = new Builder(func, around)
  b.span = loop.span
  const args = [...loop.args, ...values, ...memory.map(p => b.load(p))]
  const call = b.emit(ops.call, args, made)
  memory.slice(0, written).forEach((p, k) => b.store(p, call.results[loop.results.length + k]!))
  const to: ValueTable = []
  loop.results.forEach((v, k) => { to[v.id] = call.results[k]! })
  region.insts.splice(at, 1, ...around.insts)
  substitute(func.body!, to)
  return around.insts.length - 1
}

/** A value that lends the type of a variable's contents to a signature. */
function contents(p: Value): Value {
  return new Value(0, p.type.elem!, p.def, 0, p.name)
}

/** What stands for what a loop takes from outside, in a function of ours. */
interface Inside {
  readonly table: ValueTable
  /** The variables that stand for `memory`. */
  readonly memory: readonly Value[]
}

/** Declares the loop's variables and makes its constants and pointers again. */
function inside(b: Builder, rerun: Rerun, values: readonly Value[]): Inside {
  const table: ValueTable = []
  rerun.values.forEach((v, k) => { table[v.id] = values[k]! })
  const memory = rerun.memory.map(p => {
    const local = b.variable(p.type.elem!, p.name)
    table[p.id] = local
    return local
  })
  for (const inst of rerun.outside) b.at.insts.push(cloneInst(inst, b.func, table))
  return { table, memory }
}

/** The body of a function that runs the loop; with `counted`, the number of trips comes last. */
function run(func: Func, rerun: Rerun, counted: boolean): Region {
  const body = new Region()
  const b = new Builder(func, body)
  b.span = rerun.loop.span
  const n = rerun.loop.args.length
  const params = inputsOf(rerun).map(v => b.param(v.type, v.name))
  const at = inside(b, rerun, params.slice(n, n + rerun.values.length))
  at.memory.forEach((p, k) => b.store(p, params[n + rerun.values.length + k]!))
  const table = [...at.table]
  const copy = cloneInst(rerun.loop, func, table)
  copy.attr = rerun.bound
  copy.args = params.slice(0, n)
  const out = [...copy.results]
  if (counted) {
    const [head, loopBody] = copy.regions as [Region, Region]
    copy.args.push(b.const(i32, 0))
    const trip = b.param(i32, 'trip', head)
    head.end.args.push(trip)
    const next = loopBody.insts.pop()!
    next.args.push(b.within(loopBody, () => b.add(trip, b.const(i32, 1))))
    loopBody.insts.push(next)
    copy.results.push(b.value(i32, copy, copy.results.length, 'trips'))
  }
  body.insts.push(copy)
  const kept = at.memory.slice(0, rerun.written).map(p => b.load(p))
  b.emit(ops.ret, [...out, ...kept, ...copy.results.slice(out.length)])
  return body
}

/** Values that lend their types and names to the inputs. */
function inputsOf(rerun: Rerun): Value[] {
  return [...rerun.loop.regions[0]!.params, ...rerun.values, ...rerun.memory.map(contents)]
}

/** Appends one trip, head and body; gives what it carries on. */
function trip(b: Builder, rerun: Rerun, at: Inside, state: readonly Value[]): Value[] {
  const [head, body] = rerun.loop.regions as [Region, Region]
  const table = [...at.table]
  head.params.forEach((p, k) => { table[p.id] = state[k]! })
  for (const inst of [...head.insts.slice(0, -1), ...body.insts.slice(0, -1)]) b.at.insts.push(cloneInst(inst, b.func, table))
  return mapValues(body.end.args, table)
}

/** One trip as a function of the same inputs; it gives the next state. */
function stepOf(cx: AdContext, of: Func, rerun: Rerun): Func {
  const params = rerun.loop.regions[0]!.params
  const outs = [...params.map(v => v.type), ...rerun.memory.slice(0, rerun.written).map(p => p.type.elem!)]
  const step = newFunc(cx, `${of.name}_step`, inputsOf(rerun), outs, rerun.loop.span)
  step.body = new Region()
  const b = new Builder(step, step.body)
  b.span = rerun.loop.span
  const ins = inputsOf(rerun).map(v => b.param(v.type, v.name))
  const n = params.length
  const at = inside(b, rerun, ins.slice(n, n + rerun.values.length))
  at.memory.forEach((p, k) => b.store(p, ins[n + rerun.values.length + k]!))
  const next = trip(b, rerun, at, ins.slice(0, n))
  b.emit(ops.ret, [...next, ...at.memory.slice(0, rerun.written).map(p => b.load(p))])
  cx.tidy(step)
  return step
}

/** Primal and reverse half of such a function. `split` splits the function of one trip. */
export function splitRerun(cx: AdContext, func: Func, rerun: Rerun, active: readonly boolean[], split: (step: Func, active: readonly boolean[]) => Split | undefined): Split | undefined {
  const step = stepOf(cx, func, rerun)
  const n = rerun.loop.args.length
  const m = n + rerun.values.length
  // A state is active once anything makes it so, on whichever trip.
  const mask = [...active]
  for (let changed = true; changed;) {
    changed = false
    activityOf(cx, step, mask, 'reverse').results.forEach((is, k) => {
      const input = k < n ? k : m + k - n
      if (!is || mask[input]) return
      mask[input] = true
      changed = true
    })
  }
  const parts = split(step, mask)
  if (parts === undefined) return undefined
  cx.explain?.kept?.(rerun.states, inputsOf(rerun).filter((_, i) => i < n || (i >= m && i < m + rerun.written)), func.span, parts)

  const results = func.results
  const primal = newFunc(cx, `${func.name}_primal`, inputsOf(rerun), [...results, i32], func.span)
  primal.body = run(primal, rerun, true)
  const can = differentiableResults(func)
  const isActive = (k: number): boolean => {
    if (!can[k]) return false
    if (k >= rerun.loop.results.length) return mask[m + k - rerun.loop.results.length]!
    const source = sourceOf(rerun, k)
    return source !== undefined && mask[source]!
  }
  const activeResults = results.map((_, k) => isActive(k))
  const vjp = reverse(cx, func, rerun, { active, mask, activeResults, step: parts })
  cx.tidy(primal)
  cx.tidy(vjp)
  return {
    primal, own: results.length, vjp, needs: active.map((_, i) => i), activeInputs: active, activeResults, effects: hasBackwardEffects(cx, func),
  }
}

/** The input that result `k` of the loop is, of the last state or from outside; undefined where it is neither. */
function sourceOf(rerun: Rerun, k: number): number | undefined {
  const v = rerun.loop.regions[0]!.end.args[k + 1]!
  const param = rerun.loop.regions[0]!.params.indexOf(v)
  if (param >= 0) return param
  const value = rerun.values.indexOf(v)
  return value < 0 ? undefined : rerun.loop.args.length + value
}

interface Reverse {
  /** Which inputs get a cotangent; which carry one while the loop runs; which results bring one. */
  readonly active: readonly boolean[]
  readonly mask: readonly boolean[]
  readonly activeResults: readonly boolean[]
  /** The halves of one trip. */
  readonly step: Split
}

function reverse(cx: AdContext, func: Func, rerun: Rerun, { active, mask, activeResults, step }: Reverse): Func {
  const ins = inputsOf(rerun)
  const n = rerun.loop.args.length
  const m = n + rerun.values.length
  const cts = func.results.filter((_, k) => activeResults[k]).map((type, k) => new Value(0, differential(type)!, new Region(), 0, `ct${k}`))
  const grads = ins.filter((_, i) => active[i]).map(v => differential(v.type)!)
  const vjp = newFunc(cx, `${func.name}_vjp`, [...ins, new Value(0, i32, new Region(), 0, 'trips'), ...cts], grads, func.span)
  vjp.body = new Region()
  const b = new Builder(vjp, vjp.body)
  b.span = func.span
  const params = ins.map(v => b.param(v.type, v.name))
  const trips = b.param(i32, 'trips')
  const given = cts.map(v => b.param(v.type, v.name))
  const at = inside(b, rerun, params.slice(n, m))
  at.memory.forEach((p, k) => b.store(p, params[m + k]!))

  // The states kept, as a stack.
  const stateTypes = ins.slice(0, n).map(v => v.type)
  const kept = new Kept(b, rerun, stateTypes, at.memory.slice(0, rerun.written))
  kept.put(b.const(i32, 0), b.const(i32, 0), params.slice(0, n))

  // Cotangents by input: those of the state go from trip to trip, the others add up.
  const sums = ins.map((v, i) => mask[i] ? zeroOf(cx, b, differential(v.type)!) : undefined)
  let used = 0
  activeResults.forEach((is, k) => {
    if (!is) return
    const of = k < rerun.loop.results.length ? sourceOf(rerun, k)! : m + k - rerun.loop.results.length
    sums[of] = addOf(cx, b, sums[of]!, given[used++]!)
  })
  const carried = sums.flatMap((v, i) => v === undefined ? [] : [i])
  const isState = (i: number): boolean => i < n || (i >= m && i < m + rerun.written)
  const one = b.const(i32, 1)
  const [head, body] = [new Region(), new Region()]
  const init = [trips, b.const(i32, 0), ...carried.map(i => sums[i]!)]
  const loop = b.emit(ops.loop, init, rerun.bound, carried.map(i => sums[i]!.type), [head, body])
  const left = b.param(i32, 'left', head)
  const top = b.param(i32, 'top', head)
  const now = carried.map(i => b.param(sums[i]!.type, ins[i]!.name === '' ? '' : `d_${ins[i]!.name}`, head))
  b.within(head, () => b.emit(ops.test, [b.emit1(ops.gt, [left, b.const(i32, 0)]), ...now]))
  b.within(body, () => {
    const t = b.sub(left, one)
    t.name = 'trip'
    const { state, top: reached } = kept.advance(top, t, (from: Value[]) => trip(b, rerun, at, from), scheduleOf(cx))
    const all = [...state, ...params.slice(n, m), ...at.memory.map(p => b.load(p))]
    const out = b.call(step.primal, all)
    const residuals = [...step.needs.map(i => all[i]!), ...out.slice(step.own)]
    // Results of a trip are the state, which has the cotangents of what it becomes.
    const ctOf = (k: number): Value => {
      const i = k < n ? k : m + k - n
      const c = carried.indexOf(i)
      return c >= 0 ? now[c]! : zeroOf(cx, b, differential(ins[i]!.type)!)
    }
    const back = b.call(step.vjp, [...residuals, ...step.activeResults.flatMap((is, k) => is ? [ctOf(k)] : [])])
    let next = 0
    const newer = new Map<number, Value>()
    mask.forEach((is, i) => { if (is) newer.set(i, back[next++]!) })
    const following = carried.map((i, c) => isState(i) ? newer.get(i)! : addOf(cx, b, now[c]!, newer.get(i)!))
    b.emit(ops.next, [t, kept.drop(reached, t), ...following])
  })
  b.emit(ops.ret, active.flatMap((is, i) => is ? [loop.results[carried.indexOf(i)]!] : []))
  return vjp
}

/** States on a stack: one array for each part of them, and one for the trips before which they were. */
class Kept {
  readonly #b: Builder
  readonly #states: number
  readonly #parts: readonly Value[]
  readonly #memory: readonly Value[]
  readonly #contents: readonly Value[]
  readonly #trips: Value
  readonly #bound: number | null
  readonly #types: readonly Type[]

  constructor(b: Builder, rerun: Rerun, types: readonly Type[], memory: readonly Value[]) {
    this.#b = b
    this.#states = rerun.states
    this.#bound = rerun.bound
    this.#types = types
    this.#memory = memory
    const slot = (type: Type, name: string): Value => b.variable(array(type, rerun.states), name === '' ? 'kept' : `kept_${name}`)
    this.#parts = rerun.loop.regions[0]!.params.map((v, k) => slot(types[k]!, v.name))
    this.#contents = memory.map(p => slot(p.type.elem!, p.name))
    this.#trips = slot(i32, 'trip')
  }

  /** Keeps the state before trip `at`. */
  put(top: Value, at: Value, state: readonly Value[]): void {
    const b = this.#b
    this.#parts.forEach((p, k) => b.store(b.elem(p, top), state[k]!))
    this.#contents.forEach((p, k) => b.store(b.elem(p, top), b.load(this.#memory[k]!)))
    b.store(b.elem(this.#trips, top), at)
  }

  /** Goes from the state kept last to the one before trip `t`, keeping states on the way. */
  advance(top: Value, t: Value, step: (state: Value[]) => Value[], schedule: Func): { readonly state: Value[]; readonly top: Value } {
    const b = this.#b
    const from = b.load(b.elem(this.#trips, top))
    const state = this.#parts.map(p => b.load(b.elem(p, top)))
    this.#contents.forEach((p, k) => b.store(this.#memory[k]!, b.load(b.elem(p, top))))
    const last = b.const(i32, this.#states - 1)
    const planned = b.call(schedule, [from, t, b.sub(last, top)])[0]!
    const [head, body] = [new Region(), new Region()]
    const loop = b.emit(ops.loop, [from, planned, top, ...state], this.#bound, [i32, ...this.#types], [head, body])
    const at = b.param(i32, 'at', head)
    const plan = b.param(i32, 'plan', head)
    const high = b.param(i32, 'top', head)
    const here = this.#types.map(type => b.param(type, '', head))
    b.within(head, () => b.emit(ops.test, [b.emit1(ops.lt, [at, t]), high, ...here]))
    b.within(body, () => {
      const next = step(here)
      const after = b.add(at, b.const(i32, 1))
      const [keep, skip] = [new Region(), new Region()]
      const branch = b.emit(ops.if_, [b.emit1(ops.eq, [after, plan])], null, [i32, i32], [keep, skip])
      b.within(keep, () => {
        const higher = b.add(high, b.const(i32, 1))
        this.put(higher, after, next)
        b.emit(ops.yield_, [b.call(schedule, [after, t, b.sub(last, higher)])[0]!, higher])
      })
      b.within(skip, () => b.emit(ops.yield_, [plan, high]))
      b.emit(ops.next, [after, branch.results[0]!, branch.results[1]!, ...next])
    })
    return { state: loop.results.slice(1), top: loop.results[0]! }
  }

  /** Gives up the last state where it was kept for trip `t`. */
  drop(top: Value, t: Value): Value {
    const b = this.#b
    const spent = b.emit1(ops.eq, [b.load(b.elem(this.#trips, top)), t])
    return b.select(spent, b.sub(top, b.const(i32, 1)), top)
  }
}

/**
 * The function `(from, t, free) → at`: before which trip to keep the next state, on the way from one kept before trip
 * `from` to trip `t`, with room for `free` more; -1 for none. With s states, that at `from` included, and r runs of each
 * trip, C(s + r, s) trips can be reversed: the part behind the new state is as long as s - 1 states allow.
 */
function scheduleOf(cx: AdContext): Func {
  const known = cx.helpers.get('schedule')
  if (known !== undefined) return known
  const param = (name: string): Value => new Value(0, i32, new Region(), 0, name)
  const func = newFunc(cx, 'checkpoint_at', [param('from'), param('t'), param('free')], [i32], null)
  func.info.level = 'none'
  func.body = new Region()
  const b = new Builder(func, func.body)
  const [from, t, free] = ['from', 't', 'free'].map(name => b.param(i32, name)) as [Value, Value, Value]
  const int = (n: number): Value => b.const(i32, n)
  const float = (n: number): Value => b.const(f32, n)
  const count = b.add(b.sub(t, from), int(1))
  const places = b.emit1(ops.and, [b.emit1(ops.gt, [free, int(0)]), b.emit1(ops.gt, [count, int(1)])])
  const [yes, no] = [new Region(), new Region()]
  const branch = b.emit(ops.if_, [places], null, [i32], [yes, no])
  b.within(yes, () => {
    const behind = b.convert(free, f32)
    const length = b.convert(count, f32)
    const [head, body] = [new Region(), new Region()]
    // For r = 1, 2, …: what s states reach, and what s - 1 states reach.
    const loop = b.emit(ops.loop, [float(1), b.add(behind, float(2)), b.add(behind, float(1))], null, [f32], [head, body])
    const r = b.param(f32, 'r', head)
    const reach = b.param(f32, 'reach', head)
    const less = b.param(f32, 'less', head)
    b.within(head, () => b.emit(ops.test, [b.emit1(ops.lt, [reach, length]), less]))
    b.within(body, () => {
      const more = b.add(r, float(1))
      const grown = (x: Value, s: Value): Value => b.div(b.mul(x, b.add(s, more)), more)
      b.emit(ops.next, [more, grown(reach, b.add(behind, float(1))), grown(less, behind)])
    })
    const most = b.sub(count, int(1))
    const isLess = b.emit1(ops.lt, [loop.results[0]!, b.convert(most, f32)])
    const short = b.convert(b.select(isLess, loop.results[0]!, float(1)), i32)
    const right = b.select(b.emit1(ops.and, [isLess, b.emit1(ops.lt, [short, most])]), short, most)
    b.emit(ops.yield_, [b.add(from, b.sub(count, right))])
  })
  b.within(no, () => b.emit(ops.yield_, [int(-1)]))
  b.emit(ops.ret, [branch.results[0]!])
  cx.tidy(func)
  cx.helpers.set('schedule', func)
  return func
}
