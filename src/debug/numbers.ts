/**
 * Numbers with derivatives, for the interpreter: derivatives by definition, independent of how the compiler makes them. A number of
 * a level carries a tangent, or is an entry of a tape that is read backwards. Its value may carry derivatives of lower levels,
 * which are taken further outside. There are few operations on floats, so their partial derivatives are written here once more.
 */
import type { LaneOp } from '../ir/op.ts'
import { rowOf } from '../ir/ops.ts'
import { TrackedFloat } from '../ir/run.ts'

export type Num = number | Tracked

/** A float that carries a derivative of one level; `p` is the float without it. */
export abstract class Tracked extends TrackedFloat {
  readonly level: number
  readonly p: Num

  constructor(level: number, p: Num) {
    super()
    this.level = level
    this.p = p
  }

  get value(): number {
    return typeof this.p === 'number' ? this.p : this.p.value
  }
}

/** A float with its tangent. */
export class Dual extends Tracked {
  readonly d: Num

  constructor(level: number, p: Num, d: Num) {
    super(level, p)
    this.d = d
  }
}

/** A float whose cotangent a tape will tell. */
export class Noted extends Tracked {
  readonly tape: Tape
  readonly index: number

  constructor(tape: Tape, p: Num, index: number) {
    super(tape.level, p)
    this.tape = tape
    this.index = index
  }
}

/** An entry of a tape: a float with the partial derivatives along its operands, or a function with a reverse derivative of its own. */
type Entry = { readonly from: readonly number[]; readonly slopes: readonly Num[] } | { readonly pull: Pull }

/** Takes cotangents of the results of a function, by index, and gives those of its inputs. */
export type Pull = (take: (index: number) => Num, give: (index: number, by: Num) => void) => void

/** The tape of a reverse derivative: all floats computed from its inputs, in order. */
export class Tape {
  readonly level: number
  readonly #entries: Entry[] = []

  constructor(level: number) {
    this.level = level
  }

  note(p: Num, from: readonly number[], slopes: readonly Num[]): Noted {
    return new Noted(this, p, this.#entries.push({ from, slopes }) - 1)
  }

  /** Adds a function with a reverse derivative of its own; its results are added next. */
  custom(pull: Pull): void {
    this.#entries.push({ pull })
  }

  /** The cotangents of all floats, given those of some. */
  backward(seeds: readonly (readonly [number, Num])[]): (index: number) => Num {
    const sums: (Num | undefined)[] = []
    const give = (index: number, by: Num): void => {
      sums[index] = sums[index] === undefined ? by : calculate('add', sums[index], by)
    }
    for (const [index, by] of seeds) give(index, by)
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!
      const sum = sums[i]
      if ('pull' in entry) entry.pull(index => sums[index] ?? 0, give)
      else if (sum !== undefined) entry.from.forEach((to, k) => give(to, calculate('mul', sum, entry.slopes[k]!)))
    }
    return index => sums[index] ?? 0
  }
}

const levelOf = (x: Num): number => (typeof x === 'number' ? 0 : x.level)

/** A float without what it carries of a level. */
export function below(x: Num, level: number): Num {
  return typeof x !== 'number' && x.level === level ? x.p : x
}

const none = (x: Num): boolean => x === 0

/** The result of an operation on floats, with the derivatives that it carries. */
export function calculate(op: LaneOp, x: Num, y: Num): Num {
  const level = Math.max(levelOf(x), levelOf(y))
  if (typeof x === 'number' && typeof y === 'number') return plain(op, x, y)
  const [a, b] = [below(x, level), below(y, level)]
  const p = calculate(op, a, b)
  const parts = [x, y].flatMap((v, i) =>
    typeof v !== 'number' && v.level === level ? [{ v, slope: (): Num => slope(op, i, a, b, p) }] : [],
  )
  const first = parts[0]!.v
  if (first instanceof Noted)
    return first.tape.note(
      p,
      parts.map(({ v }) => (v as Noted).index),
      parts.map(({ slope: s }) => s()),
    )
  let d: Num = 0
  for (const { v, slope: s } of parts) {
    const by = (v as Dual).d
    if (!none(by)) d = none(d) ? calculate('mul', by, s()) : calculate('add', d, calculate('mul', by, s()))
  }
  return new Dual(level, p, d)
}

/** Whether the result of an operation on floats is a float that depends on them smoothly. */
export function isSmooth(op: LaneOp): boolean {
  return op === 'add' || op === 'sub' || op === 'mul' || op === 'div' || op === 'rem' || op === 'neg'
}

function plain(op: LaneOp, x: number, y: number): number {
  return rowOf(op).lanes!.float!(x, y) as number
}

/** The partial derivative of an operation along one of its operands, at `a` and `b`, where its result is `p`. */
function slope(op: LaneOp, operand: number, a: Num, b: Num, p: Num): Num {
  switch (op) {
    case 'add':
      return 1
    case 'sub':
      return operand === 0 ? 1 : -1
    case 'mul':
      return operand === 0 ? b : a
    case 'div':
      return operand === 0 ? calculate('div', 1, b) : calculate('neg', calculate('div', p, b), 0)
    // x - y trunc(x / y): the number of times that y goes into x is a step.
    case 'rem':
      return operand === 0 ? 1 : calculate('neg', Math.trunc(valueOf(a) / valueOf(b)), 0)
    default:
      return -1
  }
}

/** The number itself. */
export function valueOf(x: Num): number {
  return typeof x === 'number' ? x : x.value
}
