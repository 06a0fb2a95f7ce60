/**
 * The meaning of derivatives: `fwd_diff(f)` and `bwd_diff(f)` run f on numbers with derivatives, and a user's derivative replaces
 * the function that it belongs to. None of the transforms takes part, so the two can be compared.
 */
import type { LaneOp } from '../ir/op.ts'
import { Stopped, untracked, zeroOf, type Data, type Machine, type RunOptions } from '../ir/run.ts'
import { apply, type Scalar } from '../ir/scalar.ts'
import { carries, takePointers, type ScalarName, type Type } from '../ir/type.ts'
import { inputs, outputs, type Func, type ParamSig } from '../ir/value.ts'
import { Dual, Noted, Tape, Tracked, below, calculate, isSmooth, type Num } from './numbers.ts'

const part = (x: Data, i: number): Data => (x as readonly Data[])[i]!

/** A value of a type's differential whose floats are made of those of a value. */
function project(type: Type, x: Data, leaf: (x: Num) => Num): Data {
  if (type.kind === 'scalar') return leaf(x as Num)
  if (type.kind !== 'struct') return (x as readonly Data[]).map(y => project(type.elem!, y, leaf))
  const { type: to, fields, alike } = plainDiff(type)
  const out = to.fields.map(f => zeroOf(f.type))
  type.fields.forEach((f, i) => {
    if (fields[i]! >= 0) out[fields[i]!] = project(f.type, part(x, i), leaf)
  })
  for (const [from, at] of alike ?? []) out[at] = part(x, from)
  return out
}

/** A value with its floats made of its own and those of a value of its type's differential. */
function join(type: Type, x: Data, d: Data, leaf: (x: Num, d: Num) => Num): Data {
  if (type.kind === 'scalar') return leaf(x as Num, d as Num)
  if (type.kind !== 'struct') return (x as readonly Data[]).map((y, i) => join(type.elem!, y, part(d, i), leaf))
  const { fields } = plainDiff(type)
  return type.fields.map((f, i) => (fields[i]! < 0 ? part(x, i) : join(f.type, part(x, i), part(d, fields[i]!), leaf)))
}

function plainDiff(type: Type): NonNullable<Type['diff']> {
  const { diff } = type
  if (diff === null || diff.type.kind !== 'struct' || diff.dadd !== undefined || diff.dzero !== undefined)
    throw new Stopped(`the differential of ${type.name} is the user's`)
  return diff
}

function floats(x: Data, see: (x: Tracked) => void): void {
  if (x instanceof Tracked) see(x)
  else if (Array.isArray(x)) for (const y of x as readonly Data[]) floats(y, see)
}

/** The innermost level that values carry; 0 where they carry none. */
function levelOf(args: readonly Data[]): number {
  let level = 0
  floats(args, x => {
    level = Math.max(level, x.level)
  })
  return level
}

function without(x: Data, level: number): Data {
  if (x instanceof Tracked) return below(x, level)
  return Array.isArray(x) ? (x as readonly Data[]).map(y => without(y, level)) : x
}

/** What a function returns, in order: its result, and what it writes. */
function returns(func: Func): readonly Pick<ParamSig, 'noDiff' | 'type'>[] {
  const { sig } = func
  return sig.result.kind === 'void' ? outputs(sig) : [{ noDiff: sig.resultNoDiff, type: sig.result }, ...outputs(sig)]
}

/** The primal substitute of a function where derivatives are taken; else the function itself. */
export function substitute(func: Func): Func {
  return func.info.substitute ?? func
}

/** Whether no derivative is made of a function, so that substitutes do not count behind it. */
export function isPlain({ info, body }: Func): boolean {
  if (info.treatAsDifferentiable) return true
  return (
    body !== undefined &&
    info.level === 'none' &&
    !info.forceInline &&
    !info.library &&
    info.backward === undefined &&
    info.forward === undefined
  )
}

/** Interpreter options that define derivatives; `derivatives` fills in those of the user. */
export function meaning(
  derivatives: (func: Func) => void,
): Pick<RunOptions, 'define' | 'tracked' | 'instead' | 'plain'> {
  const calls = new Calls()
  return {
    instead: func => {
      derivatives(func)
      return substitute(func)
    },
    plain: isPlain,
    define: (machine, func, args) => calls.define(machine, func, args),
    tracked,
  }
}

function tracked(op: LaneOp, type: ScalarName, x: Data, y: Data): Data {
  return isSmooth(op)
    ? calculate(op, x as Num, (y ?? 0) as Num)
    : apply(op, type, untracked(x) as Scalar, untracked(y) as Scalar, 'f64')
}

class Calls {
  #levels = 0

  define(machine: Machine, func: Func, args: readonly Data[]): readonly Data[] | undefined {
    if (takePointers(func.sig.params))
      throw new Stopped('a parameter is of pointer type, so its derivative lies elsewhere')
    if (func.request !== undefined) {
      return func.request.kind === 'forward'
        ? this.#forward(machine, func.request.of, args)
        : this.#backward(machine, func.request.of, args)
    }
    const level = levelOf(args)
    if (level === 0) return undefined
    let tape: Tape | undefined
    floats(args, x => {
      if (x.level === level && x instanceof Noted) tape = x.tape
    })
    const { forward, backward, marked, level: allowed, library, treatAsDifferentiable, forceInline } = func.info
    const plain = (): readonly Data[] =>
      machine.invoke(
        func,
        args.map(x => without(x, level)),
      )
    if (tape !== undefined) {
      if (backward !== undefined) return this.#pulled(machine, func, backward, args, tape)
      const byBody = marked && allowed === 'backward' && func.body !== undefined && !library
      if (forward !== undefined && !byBody && (library || forward.info.level !== 'none'))
        return this.#pushedBack(machine, func, forward, args, tape)
    } else if (forward !== undefined) {
      return this.#pushed(machine, func, forward, args, level)
    }
    if (treatAsDifferentiable || func.body === undefined)
      return func.body === undefined && levelOf(args) > 0 ? undefined : plain()
    return allowed === 'none' && !forceInline && backward === undefined ? plain() : undefined
  }

  /** `fwd_diff(of)` on pairs. */
  #forward(machine: Machine, of: Func, args: readonly Data[]): readonly Data[] {
    const level = ++this.#levels
    const taken = inputs(of.sig).map((p, i) =>
      carries(p) ? join(p.type, part(args[i]!, 0), part(args[i]!, 1), (x, d) => new Dual(level, x, d)) : args[i]!,
    )
    const results = machine.invoke(of, taken)
    return returns(of).map((r, i) =>
      carries(r) ? this.#pair(r.type, results[i]!, level) : without(results[i]!, level),
    )
  }

  #pair(type: Type, x: Data, level: number): Data {
    return [without(x, level), project(type, x, y => (y instanceof Dual && y.level === level ? y.d : 0))]
  }

  /** `bwd_diff(of)` on the arguments of the user guide's signature. */
  #backward(machine: Machine, of: Func, args: readonly Data[]): readonly Data[] {
    const tape = new Tape(++this.#levels)
    const taken: Data[] = [],
      cotangents: (Data | undefined)[] = [],
      pairs: { readonly type: Type; readonly p: Data; readonly noted: Data }[] = []
    let at = 0
    for (const p of of.sig.params) {
      if (!carries(p)) {
        if (p.dir !== 'in') cotangents.push(undefined)
        if (p.dir !== 'out') taken.push(args[at++]!)
      } else if (p.dir === 'out') {
        cotangents.push(args[at++])
      } else {
        const [x, d] = args[at++] as readonly [Data, Data]
        const noted = join(
          p.type,
          x,
          project(p.type, x, () => 0),
          y => tape.note(y, [], []),
        )
        pairs.push({ type: p.type, p: x, noted })
        taken.push(noted)
        if (p.dir === 'inout') cotangents.push(d)
      }
    }
    if (of.sig.result.kind !== 'void')
      cotangents.unshift(carries({ type: of.sig.result, noDiff: of.sig.resultNoDiff }) ? args[at] : undefined)
    const results = machine.invoke(of, taken)
    const seeds: (readonly [number, Num])[] = []
    returns(of).forEach((r, i) => {
      const ct = cotangents[i]
      if (ct !== undefined && carries(r))
        join(r.type, results[i]!, ct, (x, d) => {
          if (x instanceof Noted && x.tape === tape) seeds.push([x.index, d])
          return 0
        })
    })
    const cotangentOf = tape.backward(seeds)
    return pairs.map(({ type, p, noted }) => [p, project(type, noted, x => cotangentOf((x as Noted).index))])
  }

  /** A forward derivative of the user's, with the tangents of one level. */
  #pushed(machine: Machine, func: Func, forward: Func, args: readonly Data[], level: number): readonly Data[] {
    const given = inputs(func.sig).map((p, i) =>
      carries(p) ? this.#pair(p.type, args[i]!, level) : without(args[i]!, level),
    )
    const results = machine.invoke(forward, given)
    return returns(func).map((r, i) =>
      carries(r)
        ? join(r.type, part(results[i]!, 0), part(results[i]!, 1), (x, d) => new Dual(level, x, d))
        : results[i]!,
    )
  }

  /** The same on a tape. The forward derivative is linear in its tangents, so it is called for the partial derivative along each float. */
  #pushedBack(machine: Machine, func: Func, forward: Func, args: readonly Data[], tape: Tape): readonly Data[] {
    const { level } = tape
    const params = inputs(func.sig)
    const from: number[] = []
    floats(args, x => {
      if (x.level === level) from.push((x as Noted).index)
    })
    const along = (index: number): readonly Data[] =>
      machine.invoke(
        forward,
        params.map((p, i) =>
          carries(p)
            ? [
                without(args[i]!, level),
                project(p.type, args[i]!, x => (x instanceof Noted && x.level === level && x.index === index ? 1 : 0)),
              ]
            : without(args[i]!, level),
        ),
      )
    const inputsOnce = [...new Set(from)]
    const columns = inputsOnce.map(along)
    // The derivative gives the value too, as in forward mode: it need not be what the function itself gives.
    const given = along(-1)
    const base = returns(func).map((r, i) => (carries(r) ? part(given[i]!, 0) : given[i]!))
    return returns(func).map((r, i) => {
      if (!carries(r)) return base[i]!
      const slopes = columns.map(c => this.#list(r.type, part(c[i]!, 0), part(c[i]!, 1)))
      let k = 0
      return join(
        r.type,
        base[i]!,
        project(r.type, base[i]!, () => 0),
        x => {
          const own = k++
          return tape.note(
            x,
            inputsOnce,
            slopes.map(s => s[own]!),
          )
        },
      )
    })
  }

  #list(type: Type, x: Data, d: Data): Num[] {
    const out: Num[] = []
    join(type, x, d, (_, y) => {
      out.push(y)
      return 0
    })
    return out
  }

  /** A reverse derivative of the user's on a tape. */
  #pulled(machine: Machine, func: Func, backward: Func, args: readonly Data[], tape: Tape): readonly Data[] {
    const { level } = tape
    const bare = args.map(x => without(x, level))
    const results = machine.invoke(func, bare)
    let noted: readonly Data[] = []
    tape.custom((take, give) => {
      const cts = returns(func).map((r, i) =>
        carries(r) ? project(r.type, noted[i]!, x => take((x as Noted).index)) : undefined,
      )
      const hasResult = func.sig.result.kind !== 'void'
      const given: Data[] = []
      let input = 0,
        out = hasResult ? 1 : 0
      const gradients: number[] = []
      for (const p of func.sig.params) {
        const ct = p.dir === 'in' ? undefined : cts[out++]
        if (!carries(p)) {
          if (p.dir !== 'out') given.push(bare[input++]!)
        } else if (p.dir === 'out') given.push(ct!)
        else {
          gradients.push(input)
          given.push([bare[input]!, ct ?? project(p.type, bare[input]!, () => 0)])
          input++
        }
      }
      if (hasResult && cts[0] !== undefined) given.push(cts[0])
      const params = inputs(func.sig)
      machine.invoke(backward, given).forEach((pair, k) => {
        const i = gradients[k]!
        join(params[i]!.type, args[i]!, part(pair, 1), (x, d) => {
          if (x instanceof Noted && x.tape === tape) give(x.index, d)
          return 0
        })
      })
    })
    noted = returns(func).map((r, i) =>
      carries(r)
        ? join(
            r.type,
            results[i]!,
            project(r.type, results[i]!, () => 0),
            x => tape.note(x, [], []),
          )
        : results[i]!,
    )
    return noted
  }
}
