/**
 * Checkpointing under `[Checkpoints(k)]`, which keeps at most k states at a time. To reverse a trip, the reverse half runs forward
 * from the last state kept before it, keeps further states on the way, and then differentiates that one trip. The binomial schedule
 * of Griewank (1992) says where states are kept: n trips take about r n steps, where r is the least for which C(k + r, k) reaches
 * n. Since k states do for any number of trips, no bound is needed.
 */
import type { CheckpointedLoop } from './model.ts'
import { Builder } from '../ir/build.ts'
import { array, f32, i32, type Type } from '../ir/type.ts'
import { Region, Value, type Func } from '../ir/value.ts'
import { newFunc, type AdContext } from './context.ts'
import { carry, inputsOf, reverseTrip, trip, type Reversal, type Reverse, type Scheme } from './checkpointed-loop.ts'

/** Keeps at most so many states at a time. */
export function binomial(cx: AdContext, func: Func, checkpointed: CheckpointedLoop, how: Reverse): Scheme {
  const n = checkpointed.loop.args.length
  const m = n + checkpointed.values.length
  cx.explain?.kept?.(
    checkpointed.states as number,
    inputsOf(checkpointed).filter((_, i) => i < n || (i >= m && i < m + checkpointed.written)),
    func.span,
    how.step,
  )
  return { kept: [], reverse: r => reverse(cx, r, checkpointed, how) }
}

function reverse(cx: AdContext, r: Reversal, checkpointed: CheckpointedLoop, how: Reverse): readonly Value[] {
  const { b, params, at } = r
  const n = checkpointed.loop.args.length
  const m = n + checkpointed.values.length
  // The states kept, as a stack.
  const kept = new StateStack(
    b,
    checkpointed,
    checkpointed.loop.regions[0]!.params.map(v => v.type),
    at.memory.slice(0, checkpointed.written),
  )
  kept.put(b.const(i32, 0), b.const(i32, 0), params.slice(0, n))
  const [head, body] = [new Region(), new Region()]
  const loop = b.emit(
    'loop',
    [r.trips, b.const(i32, 0), ...r.last],
    checkpointed.bound,
    r.last.map(v => v.type),
    [head, body],
  )
  const left = b.param(i32, 'left', head)
  const top = b.param(i32, 'top', head)
  const now = carry(r, checkpointed, head)
  b.within(head, () => b.emit('test', [b.emit1('gt', [left, b.const(i32, 0)]), ...now]))
  b.within(body, () => {
    const t = b.sub(left, b.const(i32, 1))
    t.name = 'trip'
    const { state, top: reached } = kept.advance(
      top,
      t,
      (from: Value[]) => trip(b, checkpointed, at, from),
      scheduleOf(cx),
    )
    const all = [...state, ...params.slice(n, m), ...at.memory.map(p => b.load(p))]
    const following = reverseTrip(cx, r, checkpointed, how, all, now)
    b.emit('next', [t, kept.drop(reached, t), ...following])
  })
  return loop.results
}

/** A stack of kept states: one array for each part of the state, and one for the numbers of the trips before which the states were. */
class StateStack {
  readonly #b: Builder
  readonly #states: number
  readonly #parts: readonly Value[]
  readonly #memory: readonly Value[]
  readonly #contents: readonly Value[]
  readonly #trips: Value
  readonly #bound: number | null
  readonly #types: readonly Type[]

  constructor(b: Builder, checkpointed: CheckpointedLoop, types: readonly Type[], memory: readonly Value[]) {
    this.#b = b
    this.#states = checkpointed.states as number
    this.#bound = checkpointed.bound
    this.#types = types
    this.#memory = memory
    const slot = (type: Type, name: string): Value =>
      b.variable(array(type, this.#states), name === '' ? 'kept' : `kept_${name}`)
    this.#parts = checkpointed.loop.regions[0]!.params.map((v, k) => slot(types[k]!, v.name))
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
  advance(
    top: Value,
    t: Value,
    step: (state: Value[]) => Value[],
    schedule: Func,
  ): { readonly state: Value[]; readonly top: Value } {
    const b = this.#b
    const from = b.load(b.elem(this.#trips, top))
    const state = this.#parts.map(p => b.load(b.elem(p, top)))
    this.#contents.forEach((p, k) => b.store(this.#memory[k]!, b.load(b.elem(p, top))))
    const last = b.const(i32, this.#states - 1)
    const planned = b.call(schedule, [from, t, b.sub(last, top)])[0]!
    const [head, body] = [new Region(), new Region()]
    const loop = b.emit('loop', [from, planned, top, ...state], this.#bound, [i32, ...this.#types], [head, body])
    const at = b.param(i32, 'at', head)
    const plan = b.param(i32, 'plan', head)
    const high = b.param(i32, 'top', head)
    const here = this.#types.map(type => b.param(type, '', head))
    b.within(head, () => b.emit('test', [b.emit1('lt', [at, t]), high, ...here]))
    b.within(body, () => {
      const next = step(here)
      const after = b.add(at, b.const(i32, 1))
      const [keep, skip] = [new Region(), new Region()]
      const branch = b.emit('if', [b.emit1('eq', [after, plan])], null, [i32, i32], [keep, skip])
      b.within(keep, () => {
        const higher = b.add(high, b.const(i32, 1))
        this.put(higher, after, next)
        b.emit('yield', [b.call(schedule, [after, t, b.sub(last, higher)])[0]!, higher])
      })
      b.within(skip, () => b.emit('yield', [plan, high]))
      b.emit('next', [after, branch.results[0]!, branch.results[1]!, ...next])
    })
    return { state: loop.results.slice(1), top: loop.results[0]! }
  }

  /** Gives up the last state where it was kept for trip `t`. */
  drop(top: Value, t: Value): Value {
    const b = this.#b
    const spent = b.emit1('eq', [b.load(b.elem(this.#trips, top)), t])
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
  const places = b.emit1('and', [b.emit1('gt', [free, int(0)]), b.emit1('gt', [count, int(1)])])
  const [yes, no] = [new Region(), new Region()]
  const branch = b.emit('if', [places], null, [i32], [yes, no])
  b.within(yes, () => {
    const behind = b.convert(free, f32)
    const length = b.convert(count, f32)
    const [head, body] = [new Region(), new Region()]
    // For r = 1, 2, …: what s states reach, and what s - 1 states reach.
    const loop = b.emit('loop', [float(1), b.add(behind, float(2)), b.add(behind, float(1))], null, [f32], [head, body])
    const r = b.param(f32, 'r', head)
    const reach = b.param(f32, 'reach', head)
    const less = b.param(f32, 'less', head)
    b.within(head, () => b.emit('test', [b.emit1('lt', [reach, length]), less]))
    b.within(body, () => {
      const more = b.add(r, float(1))
      const grown = (x: Value, s: Value): Value => b.div(b.mul(x, b.add(s, more)), more)
      b.emit('next', [more, grown(reach, b.add(behind, float(1))), grown(less, behind)])
    })
    const most = b.sub(count, int(1))
    const isLess = b.emit1('lt', [loop.results[0]!, b.convert(most, f32)])
    const short = b.convert(b.select(isLess, loop.results[0]!, float(1)), i32)
    const right = b.select(b.emit1('and', [isLess, b.emit1('lt', [short, most])]), short, most)
    b.emit('yield', [b.add(from, b.sub(count, right))])
  })
  b.within(no, () => b.emit('yield', [int(-1)]))
  b.emit('ret', [branch.results[0]!])
  cx.tidy(func)
  cx.helpers.set('schedule', func)
  return func
}
