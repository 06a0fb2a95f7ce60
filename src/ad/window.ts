/**
 * Keeps windows of states, for loops on a GPU whose trips are only bounded. WGSL clears an array before use, so slots for all trips
 * that the bound allows would cost far more than the trips that are made. The primal half of such a loop keeps only the states of
 * its last trips, in as many slots as a window has trips:
 *
 *     %y = loop %x (%s, %i) { test … } { store %window[%i mod size], %s; …; next … }
 *
 * The reverse half goes through the window. Then it runs the window before that again, from a state ahead of it. So a loop of few
 * trips runs nothing twice, whatever its bound. The states before earlier windows are kept by the digits of the windows' numbers,
 * one slot for each value of each digit. Their memory, and how often a trip runs, grow like the logarithm of the bound.
 */
import type { CheckpointedLoop, Windows } from './model.ts'
import type { Builder } from '../ir/build.ts'
import { array, i32, type Type } from '../ir/type.ts'
import { Inst, Region, type Func, type Value } from '../ir/value.ts'
import { inductions } from '../opt/loops.ts'
import type { AdContext } from './context.ts'
import { carry, contents, reverseTrip, trip, type Reversal, type Reverse, type Scheme } from './checkpointed-loop.ts'
import * as costs from '../ir/costs.ts'

const radix = 1 << costs.windowDigitBits

/** The windows for a loop with a bound on its trips and so many bytes of state. */
export function windowsFor(bound: number, bytes: number): Windows {
  let size = costs.windowTripsMost
  while (size > costs.windowTripsFewest && size * bytes > costs.windowBytes) size /= 2
  return { size, count: Math.ceil(bound / size) }
}

/** How many slots the states before windows take. */
export function slotsOf({ count }: Windows): number {
  const last = digitsOf(count) - 1
  return last * (radix - 1) + ((count - 1) >> (last * costs.windowDigitBits)) + 1
}

function digitsOf(count: number): number {
  let digits = 1
  while (radix ** digits < count) digits++
  return digits
}

/** Carried flags that are true whenever a trip begins. */
export function trueFlags(loop: Inst<'loop'>): Set<Value> {
  const head = loop.regions[0]!
  const found = new Set<Value>()
  const visit = (c: Value): void => {
    if (head.params.includes(c)) found.add(c)
    else if (c.def instanceof Inst && c.def.op === 'and' && head.insts.includes(c.def)) c.def.args.forEach(visit)
  }
  if (head.end.op === 'test') visit(head.end.args[0]!)
  return found
}

/**
 * The live state of a loop: the carried values that must be kept to run a trip again. The others follow from the trip's number,
 * or are only summed and handed on.
 */
export function liveState(loop: Inst<'loop'>): Value[] {
  const derived = new Set([...inductions(loop).map(i => i.param), ...trueFlags(loop)])
  const dead = new Set(loop.regions[0]!.params.filter(p => !derived.has(p)))
  for (let changed = true; changed;) {
    changed = false
    for (const p of dead) {
      if (!isLive(loop, p, dead)) continue
      dead.delete(p)
      changed = true
    }
  }
  return loop.regions[0]!.params.filter(p => !derived.has(p) && !dead.has(p))
}

/** False for a carried value that is used only in sums and in dead carried values. */
function isLive(loop: Inst<'loop'>, param: Value, dead: ReadonlySet<Value>): boolean {
  const [head, body] = loop.regions as [Region, Region]
  const sums = new Set([param])
  const visit = (region: Region): boolean =>
    region.insts.some(inst => {
      if (inst.regions.some(visit)) return true
      for (const r of inst.regions)
        r.end.args.forEach((v, i) => {
          if (sums.has(v) && r.end.op === 'yield') sums.add(inst.results[i]!)
        })
      if (!inst.args.some(v => sums.has(v))) return false
      if (inst === head.end) return sums.has(inst.args[0]!)
      if (inst === body.end) return inst.args.some((v, k) => sums.has(v) && !dead.has(head.params[k]!))
      if (inst.op === 'yield') return false
      if (inst.row.ad.is !== 'linear') return true
      for (const v of inst.results) sums.add(v)
      return false
    })
  return loop.regions.some(visit)
}

/** Keeps the states of the last window. */
export function windows(cx: AdContext, func: Func, checkpointed: CheckpointedLoop, how: Reverse): Scheme {
  return new WindowScheme(cx, func, checkpointed, how)
}

class WindowScheme implements Scheme {
  readonly kept: readonly Type[]
  readonly #cx: AdContext
  readonly #checkpointed: CheckpointedLoop
  readonly #how: Reverse
  readonly #windows: Windows
  /** Indices of the carried values that are live state. */
  readonly #live: readonly number[]
  /** Types of the live state, then of the memory that the loop writes. */
  readonly #types: readonly Type[]

  constructor(cx: AdContext, func: Func, checkpointed: CheckpointedLoop, how: Reverse) {
    const { loop } = checkpointed
    const state = loop.regions[0]!.params
    this.#cx = cx
    this.#checkpointed = checkpointed
    this.#how = how
    this.#windows = checkpointed.states as Windows
    this.#live = liveState(loop).map(v => v.index)
    const memory = checkpointed.memory.slice(0, checkpointed.written)
    this.#types = [...this.#live.map(k => state[k]!.type), ...memory.map(p => p.type.elem!)]
    this.kept = this.#types.map(type => array(type, this.#windows.size))
    cx.explain?.kept?.(
      slotsOf(this.#windows),
      [...this.#live.map(k => state[k]!), ...memory.map(contents)],
      func.span,
      how.step,
      this.#windows.size,
    )
  }

  keep(b: Builder): ReturnType<NonNullable<Scheme['keep']>> {
    const slots = this.kept.map(type => b.variable(type, 'kept'))
    return {
      each: (number, state, memory) => this.#put(b, slots, this.#inWindow(b, number), state, memory),
      ends: () => slots.map(p => b.load(p)),
    }
  }

  /** The slot of the window that holds the state before a trip. */
  #inWindow(b: Builder, number: Value): Value {
    return b.emit1('and', [number, b.const(i32, this.#windows.size - 1)])
  }

  #put(b: Builder, slots: readonly Value[], at: Value, state: readonly Value[], memory: readonly Value[]): void {
    slots.forEach((p, k) =>
      b.store(b.elem(p, at), k < this.#live.length ? state[this.#live[k]!]! : b.load(memory[k - this.#live.length]!)),
    )
  }

  /** The state before a trip; its live part lies in slots. */
  #stateAt(
    { b, params }: Reversal,
    slots: readonly Value[],
    at: Value,
    number: Value,
  ): { readonly state: Value[]; readonly memory: readonly Value[] } {
    const loaded = slots.map(p => b.load(b.elem(p, at)))
    const { loop } = this.#checkpointed
    const steps = inductions(loop)
    const flags = trueFlags(loop)
    const state = loop.regions[0]!.params.map((p, k) => {
      const live = this.#live.indexOf(k)
      if (live >= 0) return loaded[live]!
      const step = steps.find(s => s.param === p)?.step
      if (step === undefined) return flags.has(p) ? b.const(p.type, true) : b.zero(p.type)
      const wide = p.type.scalar === 'i64' || p.type.scalar === 'u64'
      return b.add(params[k]!, b.mul(b.convert(number, p.type), b.const(p.type, wide ? BigInt(step) : step)))
    })
    return { state, memory: loaded.slice(this.#live.length) }
  }

  reverse(r: Reversal): readonly Value[] {
    const { b, params, at } = r
    const { size, count } = this.#windows
    const window = r.kept.map(v => {
      const p = b.variable(v.type, 'window')
      b.store(p, v)
      return p
    })
    const starts = this.#types.map(type => b.variable(array(type, slotsOf(this.#windows)), 'before'))
    this.#put(b, starts, b.const(i32, 0), params, at.memory)
    const [head, body] = [new Region(), new Region()]
    const loop = b.emit(
      'loop',
      [r.trips, ...r.last],
      count,
      r.last.map(v => v.type),
      [head, body],
    )
    const left = b.param(i32, 'left', head)
    const now = carry(r, this.#checkpointed, head)
    b.within(head, () => b.emit('test', [b.emit1('gt', [left, b.const(i32, 0)]), ...now]))
    b.within(body, () => {
      const base = b.emit1('and', [b.sub(left, b.const(i32, 1)), b.const(i32, -size)])
      base.name = 'base'
      const then = this.#through(r, window, left, base, now)
      this.#again(r, window, starts, base, b.emit1('eq', [left, r.trips]))
      b.emit('next', [base, ...then])
    })
    return loop.results
  }

  /** Reverses the trips of a window. */
  #through(r: Reversal, window: readonly Value[], from: Value, to: Value, last: readonly Value[]): readonly Value[] {
    const { b, params, at } = r
    const checkpointed = this.#checkpointed
    const n = checkpointed.loop.args.length
    const [head, body] = [new Region(), new Region()]
    const loop = b.emit(
      'loop',
      [from, ...last],
      this.#windows.size,
      last.map(v => v.type),
      [head, body],
    )
    const left = b.param(i32, 'left', head)
    const now = carry(r, checkpointed, head)
    b.within(head, () => b.emit('test', [b.emit1('gt', [left, to]), ...now]))
    b.within(body, () => {
      const t = b.sub(left, b.const(i32, 1))
      t.name = 'trip'
      const { state, memory } = this.#stateAt(r, window, this.#inWindow(b, t), t)
      const all = [
        ...state,
        ...params.slice(n, n + checkpointed.values.length),
        ...memory,
        ...at.memory.slice(checkpointed.written).map(p => b.load(p)),
      ]
      b.emit('next', [t, ...reverseTrip(this.#cx, r, checkpointed, this.#how, all, now)])
    })
    return loop.results
  }

  /** Fills the window with the states before the trips that end at `base`; with none if `base` is the first trip. */
  #again(r: Reversal, window: readonly Value[], starts: readonly Value[], base: Value, isFirst: Value): void {
    const { b, at } = r
    const { size, count } = this.#windows
    const int = (n: number): Value => b.const(i32, n)
    const number = b.emit1('shr', [base, int(Math.log2(size))])
    // All but the first time, the nearest state before is one less in the lowest digit that is not zero.
    const digit = (of: Value, d: number): Value => {
      const high = d === 0 ? of : b.emit1('shr', [of, int(d * costs.windowDigitBits)])
      return d === digits - 1 ? high : b.emit1('and', [high, int(radix - 1)])
    }
    const digits = digitsOf(count)
    const lowest = (of: Value, otherwise: Value, pick: (d: number, value: Value) => Value): Value => {
      let found = otherwise
      for (let d = digits - 1; d >= 0; d--) {
        const value = digit(of, d)
        found = b.select(b.emit1('ne', [value, int(0)]), pick(d, value), found)
      }
      return found
    }
    const slotFor = (of: Value): Value => lowest(of, int(0), (d, value) => b.add(value, int(d * (radix - 1))))
    const start = b.select(
      isFirst,
      int(0),
      b.sub(
        number,
        lowest(number, int(0), d => int(radix ** d)),
      ),
    )
    const { state, memory } = this.#stateAt(r, starts, slotFor(start), b.mul(start, int(size)))
    memory.forEach((v, k) => b.store(at.memory[k]!, v))
    const [head, body] = [new Region(), new Region()]
    b.emit('loop', [start, ...state], count, [], [head, body])
    const c = b.param(i32, 'window', head)
    const here = state.map(v => b.param(v.type, v.name, head))
    b.within(head, () => b.emit('test', [b.emit1('lt', [c, number])]))
    b.within(body, () => {
      const [inHead, inBody] = [new Region(), new Region()]
      const run = b.emit(
        'loop',
        [int(0), ...here],
        size,
        state.map(v => v.type),
        [inHead, inBody],
      )
      const j = b.param(i32, 'trip', inHead)
      const now = state.map(v => b.param(v.type, v.name, inHead))
      b.within(inHead, () => b.emit('test', [b.emit1('lt', [j, int(size)]), ...now]))
      b.within(inBody, () => {
        this.#put(b, window, j, now, at.memory)
        b.emit('next', [b.add(j, int(1)), ...trip(b, this.#checkpointed, at, now)])
      })
      const after = b.add(c, int(1))
      this.#put(b, starts, slotFor(after), run.results, at.memory)
      b.emit('next', [after, ...run.results])
    })
  }
}
