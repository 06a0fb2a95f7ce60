/**
 * Checkpointed loops: loops of which the reverse pass keeps only some states, and runs trips again from these. Such a loop becomes
 * a function of its own:
 *
 *     %y = loop %x (%s) { … }   →   %y = call @f_loop %x
 *
 * The primal half of the function counts the trips. The reverse half goes through them from the last to the first, each from the
 * state before it, which was kept or is made again from a kept one. One trip is differentiated like any function, and its residuals
 * never leave it. `binomial.ts` and `window.ts` say which states are kept.
 */
import type { CheckpointedLoop, Split, Windows } from './model.ts'
import * as costs from '../ir/costs.ts'
import { unrepeatableLoop } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import type { PlainOp } from '../ir/op.ts'
import { differential, holding, holdsPointer, i32, type Type } from '../ir/type.ts'
import { Inst, Region, Value, type Func } from '../ir/value.ts'
import { captured, cloneInst, mapValues, substitute, walk, type ValueTable } from '../ir/walk.ts'
import { boundOf, counterOf, statesOf, tripBound } from '../opt/loops.ts'
import { baseOf } from '../ir/pointer.ts'
import { activityOf } from './activity.ts'
import { carryingIn, addOf, newFunc, zeroOf, type AdContext } from './context.ts'
import { isShared, mayLoadAgain, readsTheSame } from './memory.ts'
import { differentiableResults, hasBackwardEffects } from './plan.ts'

/** Makes functions of the outermost loops under `[Checkpoints(k)]` that may make more than k trips. True if there is one. */
export function extractCheckpointedLoops(cx: AdContext, func: Func): boolean {
  let found = false
  const visit = (region: Region): void => {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      const states = inst.op === 'loop' ? statesOf(inst.attr) : undefined
      if (inst.op === 'loop' && states !== undefined && isWorth(cx, inst, states, func.body!)) {
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

function isWorth(cx: AdContext, loop: Inst<'loop'>, states: number, body: Region): boolean {
  const trips = tripBound(loop)
  if (trips !== undefined && trips.max <= states) return false
  const culprit = loop.regions[0]!.params.some(v => holdsResource(v.type))
    ? 'carries a buffer or a texture'
    : unrepeatable(cx, loop, body)
  if (culprit !== undefined) cx.sink.add(unrepeatableLoop, loop.span ?? undefined, { what: culprit })
  return culprit === undefined
}

export const holdsResource: (type: Type) => boolean = holding('ptr', 'opaque')

/**
 * Says what in a loop may be done only once, or may have another result the next time; undefined if the loop can run again. `body` is
 * that of the function around the loop.
 */
export function unrepeatable(cx: AdContext, loop: Inst, body: Region): string | undefined {
  return unrepeatableIn(loop, new Set(), inst =>
    inst.op === 'load'
      ? inst.args[0]!.type.space === 'function' || mayLoadAgain(cx.policy.kept, inst, body)
      : readsTheSame(cx, cx.policy.kept, inst, body),
  )
}

/** `isSame` tells of a load, and of all that a call reads, whether it gives the same the next time; undefined where that is known. */
function unrepeatableIn(
  inst: Inst,
  seen: Set<Func>,
  isSame: ((inst: Inst<'load'> | Inst<'call'>) => boolean) | undefined,
): string | undefined {
  switch (inst.op) {
    case 'printf':
      return 'prints'
    case 'barrier':
    case 'atomic':
      return 'works with other threads'
    case 'store':
      if (inst.args[0]!.type.space !== 'function') return 'writes a buffer or a global variable'
      break
    case 'load':
      if (isSame?.(inst) === false) return rewritten
      break
    case 'call': {
      const callee = inst.attr
      if (isSame?.(inst) === false) return rewritten
      if (isShared(callee)) return 'works with other threads'
      if (callee.info.pure || callee.body === undefined || seen.has(callee)) break
      if (seen.size > costs.followedCalls) return 'makes calls that nest too deeply'
      seen.add(callee)
      return inRegion(callee.body, seen, undefined)
    }
    case 'if':
    case 'switch':
    case 'loop':
    case 'block':
      break
    // A `trap` would stop the program the first time.
    case 'trap':
    case 'var':
    case 'global':
    case 'field':
    case 'elem':
    case 'yield':
    case 'test':
    case 'next':
    case 'leave':
    case 'ret':
    case 'unreachable':
      break
    case 'intrinsic.pure':
    case 'intrinsic.read':
    case 'intrinsic.write':
    case 'intrinsic.hide':
      break
    default:
      inst.op satisfies PlainOp
  }
  for (const r of inst.regions) {
    const what = inRegion(r, seen, isSame)
    if (what !== undefined) return what
  }
  return undefined
}

const rewritten = 'reads a buffer or a global variable that the derivative writes'

function inRegion(
  region: Region,
  seen: Set<Func>,
  isSame: ((inst: Inst<'load'> | Inst<'call'>) => boolean) | undefined,
): string | undefined {
  for (const inst of region.insts) {
    const what = unrepeatableIn(inst, seen, isSame)
    if (what !== undefined) return what
  }
  return undefined
}

/** What a loop uses from outside. */
export interface Captures {
  readonly values: readonly Value[]
  /** Variables. */
  readonly roots: ReadonlySet<Value>
  /** What a function that is made of the loop does again at its start: constants, and what says where memory is. */
  readonly outside: readonly Inst[]
}

/** What a loop uses from outside. */
export function capturesOf(loop: Inst, func: Func): Captures {
  const values: Value[] = [],
    roots = new Set<Value>(),
    outside: Inst[] = []
  const [head, body] = loop.regions as [Region, Region]
  const defined = new Set<Value>([...head.params, ...head.insts.flatMap(inst => inst.results)])
  const free = new Set([...captured(head, func), ...captured(body, func).filter(v => !defined.has(v))])
  const again = (v: Value): void => {
    const def = v.def
    if (!(def instanceof Inst)) values.push(v)
    else if (outside.includes(def)) return
    else if (def.op === 'const' || def.op === 'zero' || def.op === 'global') outside.push(def)
    else if (def.op === 'var') roots.add(v)
    else if (def.op === 'field' || def.op === 'elem' || (def.op === 'construct' && holdsPointer(v.type))) {
      for (const arg of def.args) if (!values.includes(arg)) again(arg)
      outside.push(def)
    } else values.push(v)
  }
  for (const v of free) if (!values.includes(v)) again(v)
  return { values, roots, outside }
}

/** Replaces a loop of the region by a call. Gives by how many instructions the region grew. */
export function extract(
  cx: AdContext,
  func: Func,
  region: Region,
  loop: Inst<'loop'>,
  states: number | Windows,
  prefer: Func['info']['prefer'] = 'none',
): number {
  const at = region.insts.indexOf(loop)
  const own = new Region()
  own.insts = [loop]
  const head = loop.regions[0]!
  const { values, roots, outside } = capturesOf(loop, func)
  const stored = new Set<Value>()
  walk(own, inst => {
    if (inst.op === 'store') stored.add(baseOf(inst.args[0]!))
  })
  const memory = [...roots].sort((a, b) => Number(stored.has(b)) - Number(stored.has(a)))
  const written = memory.filter(v => stored.has(v)).length
  const checkpointed: CheckpointedLoop = {
    loop,
    states,
    bound: tripBound(loop)?.max ?? boundOf(loop.attr) ?? null,
    values,
    memory,
    written,
    outside,
  }

  const ins = [...head.params, ...values, ...memory.map(contents)]
  const outs = [...loop.results.map(v => v.type), ...memory.slice(0, written).map(v => v.type.elem!)]
  const made = newFunc(cx, `${func.name}_loop`, ins, outs, loop.span, carryingIn(func, ins))
  made.body = run(made, checkpointed)
  cx.checkpointedLoops.set(made, checkpointed)
  made.info.prefer = prefer
  if (typeof states !== 'number') cx.explain?.segment?.(made)

  const around = new Region()
  const b = new Builder(func, around)
  b.span = loop.span
  const args = [...loop.args, ...values, ...memory.map(p => b.load(p))]
  const call = b.emit('call', args, made)
  memory.slice(0, written).forEach((p, k) => b.store(p, call.results[loop.results.length + k]!))
  const to: ValueTable = []
  loop.results.forEach((v, k) => {
    to[v.id] = call.results[k]!
  })
  region.insts.splice(at, 1, ...around.insts)
  substitute(func.body!, to)
  return around.insts.length - 1
}

/** A value that lends the type of a variable's contents to a signature. */
export function contents(p: Value): Value {
  return new Value(0, p.type.elem!, p.def, 0, p.name)
}

/** The values that stand for captured ones in a function that is made of a loop. */
export interface Inside {
  readonly table: ValueTable
  /** The variables that stand for `memory`. */
  readonly memory: readonly Value[]
}

/** Declares the loop's variables and makes its constants and pointers again. */
export function inside(b: Builder, checkpointed: CheckpointedLoop, values: readonly Value[]): Inside {
  const table: ValueTable = []
  checkpointed.values.forEach((v, k) => {
    table[v.id] = values[k]!
  })
  const memory = checkpointed.memory.map(p => {
    const local = b.variable(p.type.elem!, p.name)
    table[p.id] = local
    return local
  })
  for (const inst of checkpointed.outside) b.at.insts.push(cloneInst(inst, b.func, table))
  return { table, memory }
}

/** The body of a function that runs the loop. With `counted`, it also returns the number of trips, and then what `ends` gives. */
export function run(func: Func, checkpointed: CheckpointedLoop, counted?: Pick<Scheme, 'keep'>): Region {
  const body = new Region()
  const b = new Builder(func, body)
  b.span = checkpointed.loop.span
  const n = checkpointed.loop.args.length
  const params = inputsOf(checkpointed).map(v => b.param(v.type, v.name))
  const at = inside(b, checkpointed, params.slice(n, n + checkpointed.values.length))
  at.memory.forEach((p, k) => b.store(p, params[n + checkpointed.values.length + k]!))
  const keeper = counted?.keep?.(b)
  const copy = cloneInst(checkpointed.loop, func, [...at.table])
  copy.attr = checkpointed.bound
  copy.args = params.slice(0, n)
  const out = [...copy.results]
  if (counted !== undefined) {
    const [head, loopBody] = copy.regions as [Region, Region]
    const state = [...head.params]
    const own = counterOf(checkpointed.loop)
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
  const kept = at.memory.slice(0, checkpointed.written).map(p => b.load(p))
  b.emit('ret', [...out, ...kept, ...copy.results.slice(out.length), ...(keeper?.ends() ?? [])])
  return body
}

/** Values that only lend types and names to the inputs of the new functions. */
export function inputsOf(checkpointed: CheckpointedLoop): Value[] {
  return [...checkpointed.loop.regions[0]!.params, ...checkpointed.values, ...checkpointed.memory.map(contents)]
}

/** Appends the head and body of one trip. Gives the values that it carries on. */
export function trip(b: Builder, checkpointed: CheckpointedLoop, at: Inside, state: readonly Value[]): Value[] {
  const [head, body] = checkpointed.loop.regions as [Region, Region]
  const table = [...at.table]
  head.params.forEach((p, k) => {
    table[p.id] = state[k]!
  })
  for (const inst of [...head.insts.slice(0, -1), ...body.insts.slice(0, -1)])
    b.at.insts.push(cloneInst(inst, b.func, table))
  return mapValues(body.end.args, table)
}

/** One trip as a function of the same inputs; it gives the next state. */
function stepOf(cx: AdContext, of: Func, checkpointed: CheckpointedLoop): Func {
  const params = checkpointed.loop.regions[0]!.params
  const outs = [
    ...params.map(v => v.type),
    ...checkpointed.memory.slice(0, checkpointed.written).map(p => p.type.elem!),
  ]
  const carrying = carryingIn(of, of.body!.params)
  const step = newFunc(cx, `${of.name}_step`, inputsOf(checkpointed), outs, checkpointed.loop.span, carrying)
  step.body = new Region()
  const b = new Builder(step, step.body)
  b.span = checkpointed.loop.span
  const ins = inputsOf(checkpointed).map(v => b.param(v.type, v.name))
  const n = params.length
  const at = inside(b, checkpointed, ins.slice(n, n + checkpointed.values.length))
  at.memory.forEach((p, k) => b.store(p, ins[n + checkpointed.values.length + k]!))
  const next = trip(b, checkpointed, at, ins.slice(0, n))
  b.emit('ret', [...next, ...at.memory.slice(0, checkpointed.written).map(p => b.load(p))])
  cx.tidy(step)
  return step
}

/** Which states are kept, and how the trips are reversed from them. */
export interface Scheme {
  /** Types of what the primal half returns after the number of trips. */
  readonly kept: readonly Type[]
  /** What the primal half does on each trip, given the trip's number and state, and the values that it returns at the end. */
  readonly keep?: (b: Builder) => {
    readonly each: (trip: Value, state: readonly Value[], memory: readonly Value[]) => void
    readonly ends: () => readonly Value[]
  }
  /** Emits the reversal of all trips, from the last to the first. Gives the cotangents before the first. */
  readonly reverse: (r: Reversal) => readonly Value[]
}

/** The primal and the reverse half of a checkpointed loop. `split` splits the function of one trip. */
export function splitCheckpointedLoop(
  cx: AdContext,
  func: Func,
  checkpointed: CheckpointedLoop,
  active: readonly boolean[],
  split: (step: Func, active: readonly boolean[]) => Split | undefined,
  schemeOf: (how: Reverse) => Scheme,
): Split | undefined {
  const step = stepOf(cx, func, checkpointed)
  const n = checkpointed.loop.args.length
  const m = n + checkpointed.values.length
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
    if (k >= checkpointed.loop.results.length) return mask[m + k - checkpointed.loop.results.length]!
    const source = sourceOf(checkpointed, k)
    return source !== undefined && mask[source]!
  }
  const activeResults = results.map((_, k) => isActive(k))
  const how: Reverse = { active, mask, activeResults, step: parts }
  const scheme = schemeOf(how)
  const primal = newFunc(
    cx,
    `${func.name}_primal`,
    inputsOf(checkpointed),
    [...results, i32, ...scheme.kept],
    func.span,
  )
  primal.body = run(primal, checkpointed, scheme)
  const r = begin(cx, func, checkpointed, how, scheme.kept)
  finish(r, active, scheme.reverse(r))
  if (scheme.kept.length > 0) {
    primal.info.carriesContext = r.func.info.carriesContext = true
    primal.info.prefer = func.info.prefer
    cx.plainOf.set(primal, func)
  }
  cx.tidy(primal)
  cx.tidy(r.func)
  return {
    primal,
    own: results.length,
    vjp: r.func,
    needs: active.map((_, i) => i),
    activeInputs: active,
    activeResults,
    effects: hasBackwardEffects(cx, func),
  }
}

/** Which input result `k` of the loop is: a part of the last state, or a captured value. Undefined if it is neither. */
function sourceOf(checkpointed: CheckpointedLoop, k: number): number | undefined {
  const v = checkpointed.loop.regions[0]!.end.args[k + 1]!
  const param = checkpointed.loop.regions[0]!.params.indexOf(v)
  if (param >= 0) return param
  const value = checkpointed.values.indexOf(v)
  return value < 0 ? undefined : checkpointed.loop.args.length + value
}

export interface Reverse {
  /**
   * `active`: the inputs that get a cotangent; `mask`: those that carry one while the loop runs; `activeResults`: the results that
   * bring one.
   */
  readonly active: readonly boolean[]
  readonly mask: readonly boolean[]
  readonly activeResults: readonly boolean[]
  /** The halves of one trip. */
  readonly step: Split
}

/** A reverse half while it is written. Its parameters are the inputs, the number of trips, the other kept values, and cotangents. */
export interface Reversal {
  readonly func: Func
  readonly b: Builder
  readonly params: readonly Value[]
  readonly trips: Value
  readonly kept: readonly Value[]
  readonly at: Inside
  /** `carried`: the inputs whose cotangents go from trip to trip; `last`: these cotangents before the last trip is reversed. */
  readonly carried: readonly number[]
  readonly last: readonly Value[]
}

/** Begins the reverse half of a loop. */
function begin(
  cx: AdContext,
  func: Func,
  checkpointed: CheckpointedLoop,
  { mask, activeResults, active }: Reverse,
  kept: readonly Type[],
): Reversal {
  const ins = inputsOf(checkpointed)
  const n = checkpointed.loop.args.length
  const m = n + checkpointed.values.length
  const lend = (type: Type, name: string): Value => new Value(0, type, new Region(), 0, name)
  const cts = func.results.filter((_, k) => activeResults[k]).map((type, k) => lend(differential(type)!, `ct${k}`))
  const grads = ins.filter((_, i) => active[i]).map(v => differential(v.type)!)
  const vjp = newFunc(
    cx,
    `${func.name}_vjp`,
    [...ins, lend(i32, 'trips'), ...kept.map(type => lend(type, 'kept')), ...cts],
    grads,
    func.span,
  )
  vjp.body = new Region()
  const b = new Builder(vjp, vjp.body)
  b.span = func.span
  const params = ins.map(v => b.param(v.type, v.name))
  const trips = b.param(i32, 'trips')
  const slots = kept.map(type => b.param(type, 'kept'))
  const given = cts.map(v => b.param(v.type, v.name))
  const at = inside(b, checkpointed, params.slice(n, m))
  at.memory.forEach((p, k) => b.store(p, params[m + k]!))
  // Cotangents by input: those of the state go from trip to trip, the others add up.
  const sums = ins.map((v, i) => (mask[i] ? zeroOf(cx, b, differential(v.type)!) : undefined))
  let used = 0
  activeResults.forEach((is, k) => {
    if (!is) return
    const of =
      k < checkpointed.loop.results.length ? sourceOf(checkpointed, k)! : m + k - checkpointed.loop.results.length
    sums[of] = addOf(cx, b, sums[of]!, given[used++]!)
  })
  const carried = sums.flatMap((v, i) => (v === undefined ? [] : [i]))
  return { func: vjp, b, params, trips, kept: slots, at, carried, last: carried.map(i => sums[i]!) }
}

/** Adds parameters for the carried cotangents to a loop's head. */
export function carry({ b, carried, last }: Reversal, checkpointed: CheckpointedLoop, head: Region): Value[] {
  const ins = inputsOf(checkpointed)
  return carried.map((i, c) => b.param(last[c]!.type, ins[i]!.name === '' ? '' : `d_${ins[i]!.name}`, head))
}

/** Emits the reversal of one trip: from its inputs `all` and the cotangents after it, `now`, to the cotangents before it. */
export function reverseTrip(
  cx: AdContext,
  { b, carried }: Reversal,
  checkpointed: CheckpointedLoop,
  { mask, step }: Pick<Reverse, 'mask' | 'step'>,
  all: readonly Value[],
  now: readonly Value[],
): Value[] {
  const ins = inputsOf(checkpointed)
  const n = checkpointed.loop.args.length
  const m = n + checkpointed.values.length
  const out = b.call(step.primal, [...all])
  const residuals = [...step.needs.map(i => all[i]!), ...out.slice(step.own)]
  // Results of a trip are the state, which has the cotangents of what it becomes.
  const ctOf = (k: number): Value => {
    const i = k < n ? k : m + k - n
    const c = carried.indexOf(i)
    return c >= 0 ? now[c]! : zeroOf(cx, b, differential(ins[i]!.type)!)
  }
  const back = b.call(step.vjp, [...residuals, ...step.activeResults.flatMap((is, k) => (is ? [ctOf(k)] : []))])
  let next = 0
  const newer = new Map<number, Value>()
  mask.forEach((is, i) => {
    if (is) newer.set(i, back[next++]!)
  })
  const isState = (i: number): boolean => i < n || (i >= m && i < m + checkpointed.written)
  return carried.map((i, c) => (isState(i) ? newer.get(i)! : addOf(cx, b, now[c]!, newer.get(i)!)))
}

/** Ends the reverse half with the cotangents before the first trip. */
function finish({ b, carried }: Reversal, active: readonly boolean[], first: readonly Value[]): void {
  b.emit(
    'ret',
    active.flatMap((is, i) => (is ? [first[carried.indexOf(i)]!] : [])),
  )
}
