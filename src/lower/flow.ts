/**
 * Emits structured control flow. A region is *closed* once it ends in a terminator; code that the source has after that can never
 * run and is not emitted. Instructions that own regions are emitted first and filled afterwards, so that a `leave` inside can name
 * them.
 */
import type { Builder } from '../ir/build.ts'
import { bool, i32, i64, u64, type Type } from '../ir/type.ts'
import type { Hint } from '../ir/op.ts'
import { Region, type Inst, type Value } from '../ir/value.ts'
import type { Variant } from './variants.ts'

/** True once the region ends in a terminator. */
export function closed(region: Region): boolean {
  const last = region.insts[region.insts.length - 1]
  return last !== undefined && last.row.ends
}

function fill(b: Builder, region: Region, body: () => void): void {
  b.within(region, () => {
    body()
    if (!closed(region)) b.emit('yield', [])
  })
}

/** Closes the region after an instruction that no region leaves by its end. */
function closeIfStuck(b: Builder, inst: Inst, left: ReadonlySet<Inst>): void {
  if (left.has(inst) || inst.regions.some(r => r.end.op === 'yield')) return
  b.emit('unreachable', [])
}

/** Emits an `if` without results. */
export function branch(
  b: Builder,
  cond: Value,
  then: () => void,
  otherwise: () => void,
  left: ReadonlySet<Inst>,
): void {
  const inst = b.emit('if', [cond], null, [], [new Region(), new Region()])
  fill(b, inst.regions[0]!, then)
  fill(b, inst.regions[1]!, otherwise)
  closeIfStuck(b, inst, left)
}

/** Emits an `if` with one result, of which only one side is evaluated. */
export function choose(b: Builder, cond: Value, type: Type, then: () => Value, otherwise: () => Value): Value {
  const inst = b.emit('if', [cond], null, [type], [new Region(), new Region()])
  b.within(inst.regions[0]!, () => b.emit('yield', [then()]))
  b.within(inst.regions[1]!, () => b.emit('yield', [otherwise()]))
  return inst.results[0]!
}

/** Emits a `switch` whose last region is the default; `cases[i]` belongs to the labels with region `i`. */
export function select(
  b: Builder,
  value: Value,
  labels: readonly number[],
  cases: readonly ((inst: Inst) => void)[],
  left: ReadonlySet<Inst>,
): void {
  const wide = value.type === i64 || value.type === u64
  const chooser = wide ? narrow(b, value, labels, cases.length - 1) : value
  const pairs = wide ? cases.slice(1).flatMap((_, i) => [i, i]) : labels
  const inst = b.emit(
    'switch',
    [chooser],
    pairs,
    [],
    cases.map(() => new Region()),
  )
  for (let i = 0; i < cases.length; i++) fill(b, inst.regions[i]!, () => cases[i]!(inst))
  closeIfStuck(b, inst, left)
}

/** The number of the region that a 64-bit value selects, since targets switch on 32 bits. */
function narrow(b: Builder, value: Value, labels: readonly number[], otherwise: number): Value {
  let at = b.const(i32, otherwise)
  for (let i = 0; i < labels.length; i += 2) {
    at = b.select(b.emit1('eq', [value, b.const(value.type, BigInt(labels[i]!))]), b.const(i32, labels[i + 1]!), at)
  }
  return at
}

/**
 * Emits a loop without carried values. `head` gives the condition, or undefined if there is none. `body` ends by itself or falls
 * through to the next trip.
 */
export function loop(
  b: Builder,
  hint: Hint,
  head: (inst: Inst) => Value | undefined,
  body: (inst: Inst) => void,
  left: ReadonlySet<Inst>,
): void {
  const inst = b.emit('loop', [], hint, [], [new Region(), new Region()])
  let endless = false
  b.within(inst.regions[0]!, () => {
    const cond = head(inst)
    endless = cond === undefined
    b.emit('test', [cond ?? b.const(bool, true)])
  })
  b.within(inst.regions[1]!, () => {
    body(inst)
    if (!closed(b.at)) b.emit('next', [])
  })
  if (endless && !left.has(inst)) b.emit('unreachable', [])
}

/** Emits a `block`; where nothing leaves it early, its instructions stand in the enclosing region instead. */
export function block(b: Builder, body: (inst: Inst) => void, left: ReadonlySet<Inst>): void {
  const inst = b.emit('block', [], null, [], [new Region()])
  const region = inst.regions[0]!
  fill(b, region, () => body(inst))
  if (left.has(inst)) return
  b.at.insts.pop()
  if (region.end.op === 'yield') region.insts.pop()
  for (const inner of region.insts) b.at.insts.push(inner)
}

/** Leaves an enclosing `loop`, `block` or `switch`, by a `yield` from its own region. Records that it is left. */
export function leave(b: Builder, inst: Inst, left: Set<Inst>): void {
  if (inst.op !== 'loop' && inst.regions.includes(b.at)) {
    b.emit('yield', [])
    return
  }
  left.add(inst)
  b.emit('leave', [], inst)
}

/** Switches on the tag of a value of an interface; the last variant also serves as the default. */
export function cases(
  b: Builder,
  value: Value,
  variants: readonly Variant[],
  left: ReadonlySet<Inst>,
  body: (index: number) => void,
): void {
  if (variants.length < 2) {
    if (variants.length === 1) body(0)
    return
  }
  const labels = variants.slice(0, -1).flatMap((v, i) => [v.tag, i])
  const bodies = variants.map((_, i) => () => body(i))
  select(b, b.extract(value, 0), labels, bodies, left)
}
