/**
 * Loops of which the reverse pass keeps only some states, and runs stretches again. Such a loop becomes a function of its own,
 *
 *     %y = loop %x (%s) { … }   →   %y = call @f_loop %x
 *
 * whose primal half counts the trips, and whose reverse half goes through them from the last to the first, each from its
 * state: kept, or made again from one that is. One trip is differentiated like any function, and its residuals never leave it.
 * Which states are kept is the scheme's part: `binomial.ts`, `window.ts`.
 */
import { rerunsEffects } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import { differential, holding, i32, type Type } from '../ir/type.ts'
import { Inst, Region, Value, type Func } from '../ir/value.ts'
import { captured, cloneInst, mapValues, substitute, walk, type ValueTable } from '../ir/walk.ts'
import { boundOf, counterOf, statesOf, tripBound } from '../opt/loops.ts'
import { activityOf, rootOf } from './activity.ts'
import { addOf, newFunc, zeroOf, type AdContext, type Split } from './context.ts'
import { differentiableResults, hasBackwardEffects } from './plan.ts'

/** States kept one a trip, the last so many; how many of the windows of that length there can be. */
export interface Windows {
  readonly size: number
  readonly count: number
}

/** A loop that is a function of its own. Its inputs are the initial values, then `values`, then the contents of `memory`. */
export interface Rerun {
  /** The loop as it stood; what it takes from outside are values of the function it was in. */
  readonly loop: Inst<'loop'>
  /** How many states it may keep, or which it keeps one a trip. */
  readonly states: number | Windows
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
      const states = inst.op === 'loop' ? statesOf(inst.attr) : undefined
      if (inst.op === 'loop' && states !== undefined && isWorth(cx, inst, states)) {
        i += extract(cx, func, region, inst, states)
        found = true
      } else {
        if (inst.op === 'loop' && states !== undefined) inst.attr = boundOf(inst.attr) ?? null
        inst.regions.forEach(visit)
      }
    }
  }
  visit(func.body!)
  return found
}

function isWorth(cx: AdContext, loop: Inst<'loop'>, states: number): boolean {
  const trips = tripBound(loop)
  if (trips !== undefined && trips.max <= states) return false
  const culprit = loop.regions[0]!.params.some(v => holdsResource(v.type)) ? 'carries a buffer or a texture' : unrepeatable(loop)
  if (culprit !== undefined) cx.sink.add(rerunsEffects, loop.span ?? undefined, { what: culprit })
  return culprit === undefined
}

export const holdsResource: (type: Type) => boolean = holding('ptr', 'opaque')

/** What in a loop may be done only once, or may come out differently the next time. */
export function unrepeatable(inst: Inst, seen: Set<Func> = new Set()): string | undefined {
  switch (inst.op) {
    case 'printf': return 'prints'
    case 'barrier': case 'atomic': return 'works with other threads'
    case 'store': if (inst.args[0]!.type.space !== 'function') return 'writes a buffer or a global variable'; break
    case 'load': {
      const { space } = inst.args[0]!.type
      if (space === 'storage_rw' || space === 'workgroup' || space === 'private') return 'reads a buffer or a global variable that can be written'
      break
    }
    case 'call': {
      const callee = inst.attr
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

/** Puts a call in the place of a loop of the region; gives how many instructions more there are. */
export function extract(cx: AdContext, func: Func, region: Region, loop: Inst<'loop'>, states: number | Windows, prefer: Func['info']['prefer'] = 'none'): number {
  const at = region.insts.indexOf(loop)
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
    else if (def.op === 'const' || def.op === 'zero' || def.op === 'global') outside.push(def)
    else if (def.op === 'var') roots.add(v)
    else if (def.op === 'field' || def.op === 'elem') {
      for (const arg of def.args) if (!values.includes(arg)) again(arg)
      outside.push(def)
    } else values.push(v)
  }
  for (const v of free) if (!values.includes(v)) again(v)
  const stored = new Set<Value>()
  walk(own, inst => { if (inst.op === 'store') stored.add(rootOf(inst.args[0]!)) })
  const memory = [...roots].sort((a, b) => Number(stored.has(b)) - Number(stored.has(a)))
  const written = memory.filter(v => stored.has(v)).length
  const rerun: Rerun = { loop, states, bound: tripBound(loop)?.max ?? boundOf(loop.attr) ?? null, values, memory, written, outside }

  const ins = [...head.params, ...values, ...memory.map(contents)]
  const outs = [...loop.results.map(v => v.type), ...memory.slice(0, written).map(v => v.type.elem!)]
  const made = newFunc(cx, `${func.name}_loop`, ins, outs, loop.span)
  made.body = run(made, rerun)
  cx.reruns.set(made, rerun)
  made.info.prefer = prefer
  if (typeof states !== 'number') cx.explain?.stretch?.(made)

  const around = new Region()
  const b = new Builder(func, around)
  b.span = loop.span
  const args = [...loop.args, ...values, ...memory.map(p => b.load(p))]
  const call = b.emit('call', args, made)
  memory.slice(0, written).forEach((p, k) => b.store(p, call.results[loop.results.length + k]!))
  const to: ValueTable = []
  loop.results.forEach((v, k) => { to[v.id] = call.results[k]! })
  region.insts.splice(at, 1, ...around.insts)
  substitute(func.body!, to)
  return around.insts.length - 1
}

/** A value that lends the type of a variable's contents to a signature. */
export function contents(p: Value): Value {
  return new Value(0, p.type.elem!, p.def, 0, p.name)
}

/** What stands for what a loop takes from outside, in a function of ours. */
export interface Inside {
  readonly table: ValueTable
  /** The variables that stand for `memory`. */
  readonly memory: readonly Value[]
}

/** Declares the loop's variables and makes its constants and pointers again. */
export function inside(b: Builder, rerun: Rerun, values: readonly Value[]): Inside {
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

/** The body of a function that runs the loop; where the trips are counted, their number comes last, and what `ends` gives. */
export function run(func: Func, rerun: Rerun, counted?: Pick<Scheme, 'keep'>): Region {
  const body = new Region()
  const b = new Builder(func, body)
  b.span = rerun.loop.span
  const n = rerun.loop.args.length
  const params = inputsOf(rerun).map(v => b.param(v.type, v.name))
  const at = inside(b, rerun, params.slice(n, n + rerun.values.length))
  at.memory.forEach((p, k) => b.store(p, params[n + rerun.values.length + k]!))
  const keeper = counted?.keep?.(b)
  const copy = cloneInst(rerun.loop, func, [...at.table])
  copy.attr = rerun.bound
  copy.args = params.slice(0, n)
  const out = [...copy.results]
  if (counted !== undefined) {
    const [head, loopBody] = copy.regions as [Region, Region]
    const state = [...head.params]
    const own = counterOf(rerun.loop)
    const trip = own === undefined || own.type !== i32 ? b.param(i32, 'trip', head) : state[own.index]!
    head.end.args.push(trip)
    if (!state.includes(trip)) {
      copy.args.push(b.const(i32, 0))
      const next = loopBody.insts.pop()!
      next.args.push(b.within(loopBody, () => b.add(trip, b.const(i32, 1))))
      loopBody.insts.push(next)
    }
    copy.results.push(b.value(i32, copy, copy.results.length, 'trips'))
    const first = new Region()
    b.within(first, () => keeper?.each(trip, state, at.memory))
    loopBody.insts.unshift(...first.insts)
  }
  body.insts.push(copy)
  const kept = at.memory.slice(0, rerun.written).map(p => b.load(p))
  b.emit('ret', [...out, ...kept, ...copy.results.slice(out.length), ...keeper?.ends() ?? []])
  return body
}

/** Values that lend their types and names to the inputs. */
export function inputsOf(rerun: Rerun): Value[] {
  return [...rerun.loop.regions[0]!.params, ...rerun.values, ...rerun.memory.map(contents)]
}

/** Appends one trip, head and body; gives what it carries on. */
export function trip(b: Builder, rerun: Rerun, at: Inside, state: readonly Value[]): Value[] {
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
  b.emit('ret', [...next, ...at.memory.slice(0, rerun.written).map(p => b.load(p))])
  cx.tidy(step)
  return step
}

/** Which states are kept, and how the trips are reversed from them. */
export interface Scheme {
  /** What the primal half gives after the number of trips. */
  readonly kept: readonly Type[]
  /** What it does on each trip, from the trip's number and state, and how it comes to what it gives. */
  readonly keep?: (b: Builder) => {
    readonly each: (trip: Value, state: readonly Value[], memory: readonly Value[]) => void
    readonly ends: () => readonly Value[]
  }
  /** Goes through the trips from the last to the first; gives the cotangents before the first. */
  readonly reverse: (r: Reversal) => readonly Value[]
}

/** Primal and reverse half of such a function. `split` splits the function of one trip. */
export function splitRerun(cx: AdContext, func: Func, rerun: Rerun, active: readonly boolean[], split: (step: Func, active: readonly boolean[]) => Split | undefined, schemeOf: (how: Reverse) => Scheme): Split | undefined {
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
  const results = func.results
  const can = differentiableResults(func)
  const isActive = (k: number): boolean => {
    if (!can[k]) return false
    if (k >= rerun.loop.results.length) return mask[m + k - rerun.loop.results.length]!
    const source = sourceOf(rerun, k)
    return source !== undefined && mask[source]!
  }
  const activeResults = results.map((_, k) => isActive(k))
  const how: Reverse = { active, mask, activeResults, step: parts }
  const scheme = schemeOf(how)
  const primal = newFunc(cx, `${func.name}_primal`, inputsOf(rerun), [...results, i32, ...scheme.kept], func.span)
  primal.body = run(primal, rerun, scheme)
  const r = begin(cx, func, rerun, how, scheme.kept)
  finish(r, active, scheme.reverse(r))
  if (scheme.kept.length > 0) {
    primal.info.carriesContext = r.func.info.carriesContext = true
    primal.info.prefer = func.info.prefer
    cx.plainOf.set(primal, func)
  }
  cx.tidy(primal)
  cx.tidy(r.func)
  return {
    primal, own: results.length, vjp: r.func, needs: active.map((_, i) => i), activeInputs: active, activeResults, effects: hasBackwardEffects(cx, func),
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

export interface Reverse {
  /** Which inputs get a cotangent; which carry one while the loop runs; which results bring one. */
  readonly active: readonly boolean[]
  readonly mask: readonly boolean[]
  readonly activeResults: readonly boolean[]
  /** The halves of one trip. */
  readonly step: Split
}

/** A reverse half that is being written: it takes the inputs, the number of trips, what else is kept, and cotangents. */
export interface Reversal {
  readonly func: Func
  readonly b: Builder
  readonly params: readonly Value[]
  readonly trips: Value
  readonly kept: readonly Value[]
  readonly at: Inside
  /** Inputs that carry a cotangent from trip to trip, and these before the last trip is reversed. */
  readonly carried: readonly number[]
  readonly last: readonly Value[]
}

/** Begins the reverse half of a loop. */
function begin(cx: AdContext, func: Func, rerun: Rerun, { mask, activeResults, active }: Reverse, kept: readonly Type[]): Reversal {
  const ins = inputsOf(rerun)
  const n = rerun.loop.args.length
  const m = n + rerun.values.length
  const lend = (type: Type, name: string): Value => new Value(0, type, new Region(), 0, name)
  const cts = func.results.filter((_, k) => activeResults[k]).map((type, k) => lend(differential(type)!, `ct${k}`))
  const grads = ins.filter((_, i) => active[i]).map(v => differential(v.type)!)
  const vjp = newFunc(cx, `${func.name}_vjp`, [...ins, lend(i32, 'trips'), ...kept.map(type => lend(type, 'kept')), ...cts], grads, func.span)
  vjp.body = new Region()
  const b = new Builder(vjp, vjp.body)
  b.span = func.span
  const params = ins.map(v => b.param(v.type, v.name))
  const trips = b.param(i32, 'trips')
  const slots = kept.map(type => b.param(type, 'kept'))
  const given = cts.map(v => b.param(v.type, v.name))
  const at = inside(b, rerun, params.slice(n, m))
  at.memory.forEach((p, k) => b.store(p, params[m + k]!))
  // Cotangents by input: those of the state go from trip to trip, the others add up.
  const sums = ins.map((v, i) => mask[i] ? zeroOf(cx, b, differential(v.type)!) : undefined)
  let used = 0
  activeResults.forEach((is, k) => {
    if (!is) return
    const of = k < rerun.loop.results.length ? sourceOf(rerun, k)! : m + k - rerun.loop.results.length
    sums[of] = addOf(cx, b, sums[of]!, given[used++]!)
  })
  const carried = sums.flatMap((v, i) => v === undefined ? [] : [i])
  return { func: vjp, b, params, trips, kept: slots, at, carried, last: carried.map(i => sums[i]!) }
}

/** Parameters of a loop's head for the cotangents that are carried. */
export function carry({ b, carried, last }: Reversal, rerun: Rerun, head: Region): Value[] {
  const ins = inputsOf(rerun)
  return carried.map((i, c) => b.param(last[c]!.type, ins[i]!.name === '' ? '' : `d_${ins[i]!.name}`, head))
}

/** Differentiates one trip: from all its inputs and the cotangents after it to those before it. */
export function reverseTrip(cx: AdContext, { b, carried }: Reversal, rerun: Rerun, { mask, step }: Pick<Reverse, 'mask' | 'step'>, all: readonly Value[], now: readonly Value[]): Value[] {
  const ins = inputsOf(rerun)
  const n = rerun.loop.args.length
  const m = n + rerun.values.length
  const out = b.call(step.primal, [...all])
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
  const isState = (i: number): boolean => i < n || (i >= m && i < m + rerun.written)
  return carried.map((i, c) => isState(i) ? newer.get(i)! : addOf(cx, b, now[c]!, newer.get(i)!))
}

/** Ends it with the cotangents before the first trip. */
function finish({ b, carried }: Reversal, active: readonly boolean[], first: readonly Value[]): void {
  b.emit('ret', active.flatMap((is, i) => is ? [first[carried.indexOf(i)]!] : []))
}
