/**
 * The reference interpreter: the meaning of a program, written as plainly as possible. Composites are JS arrays that never change;
 * memory consists of locations that pointers name. Regions run as generators, so that the threads of a workgroup can meet at
 * barriers.
 */
import { computed } from './exact.ts'
import type { AtomicOp, LaneOp, Single } from './op.ts'
import { apply, bitcastScalar, convertScalar, wrap, zeroScalar, type Mode, type Scalar } from './scalar.ts'
import { bounded, isFloat, type ScalarName, type Type } from './type.ts'
import type { Func, Global, Inst } from './value.ts'
import { inputs, type Module, type Region, type Value } from './value.ts'

/** Thrown where a program cannot run to its end: it takes too long, nests too deep, traps, or calls a function without a body. */
export class Stopped extends Error {}

/** A float with more than its value, such as derivatives. The code that made it knows how to compute with it. */
export abstract class TrackedFloat {
  abstract readonly value: number
}

/** A value at run time: a composite is the array of its components. */
export type Data = Scalar | TrackedFloat | readonly Data[] | Pointer

/** A place in memory: component `key` of `of`. */
export interface Pointer {
  readonly of: Data[]
  readonly key: number
}

export interface RunOptions {
  /** `f32` rounds every float result to its type; `f64` computes floats as doubles. Default `f32`. */
  readonly mode?: Mode
  /** Instructions after which the run is given up; default ten million. */
  readonly steps?: number
  /** Contents of resources by name: buffers are arrays of elements and are written in place, uniforms one value. */
  readonly globals?: Readonly<Record<string, Data>>
  /** Takes what `printf` prints: the format and its operands. */
  readonly print?: (format: string, args: readonly Data[]) => void
  /** Called with each computed value and its operands. */
  readonly watch?: (inst: Inst, value: Data, args: readonly Data[]) => void
  /** Whether `watch` sees only the results of library functions, not the values in their bodies. */
  readonly opaque?: boolean
  /** Called with each computed value; may replace it. */
  readonly intercept?: (inst: Inst, value: Data) => Data
  /** Called when a call returns: callees before their callers. */
  readonly called?: (func: Func, args: readonly Data[], results: readonly Data[]) => void
  /** May replace the results of a call. */
  readonly returned?: (func: Func, results: readonly Data[]) => readonly Data[]
  /** What to call instead of a function. */
  readonly instead?: (func: Func) => Func
  /**
   * Whether the calls of a function go to the callees themselves, without substitutes, except in derivatives that the function
   * takes itself.
   */
  readonly plain?: (func: Func) => boolean
  /** May replace the arguments of a call. */
  readonly given?: (func: Func, args: readonly Data[]) => readonly Data[]
  /** May define the results of a call; undefined if the function's body does. */
  readonly define?: (machine: Machine, func: Func, args: readonly Data[]) => readonly Data[] | undefined
  /** Operations on tracked floats. */
  readonly tracked?: (op: LaneOp, type: ScalarName, x: Data, y: Data) => Data
}

/** How many nested regions and calls may run at a time: each uses stack. */
const maxDepth = 250

/** Runs a function; gives its results. */
export function run(func: Func, args: readonly Data[], options: RunOptions = {}): readonly Data[] {
  return new Machine(options).call(func, args)
}

/** Runs an entry point for each thread of the groups. `uniforms` are its parameters without a system value. */
export function dispatch(
  func: Func,
  groups: readonly [number, number, number],
  uniforms: readonly Data[],
  options: RunOptions = {},
): void {
  new Machine(options).dispatch(func, groups, uniforms)
}

/** Finds a function by name. */
export function funcNamed(module: Module, name: string): Func {
  const func = module.funcs.find(f => f.name === name)
  if (func === undefined) throw new Error(`there is no function ${name}`)
  return func
}

type Env = (Data | undefined)[]
type Steps<T> = Generator<void, T, void>

/** One run: globals, and a count of steps. */
export class Machine {
  readonly #mode: Mode
  readonly #options: RunOptions
  #left: number
  #depth = 0
  #inLibrary = 0
  #inPlain = false
  readonly #shared = new Map<Global, Data[]>()
  #private = new Map<Global, Data[]>()

  constructor(options: RunOptions) {
    this.#mode = options.mode ?? 'f32'
    this.#options = options
    this.#left = options.steps ?? 10_000_000
  }

  /** The same as a call that is seen. */
  run(func: Func, args: readonly Data[]): readonly Data[] {
    const results = this.call(func, args)
    this.#options.called?.(func, args, results)
    return results
  }

  call(func: Func, args: readonly Data[]): readonly Data[] {
    return finished(this.#call(func, args))
  }

  /** Calls a function as a program would. */
  invoke(func: Func, args: readonly Data[]): readonly Data[] {
    return finished(this.#enter(func, args))
  }

  *#enter(func: Func, args: readonly Data[]): Steps<readonly Data[]> {
    const { given, instead, plain, define, returned } = this.#options
    const inPlain = this.#inPlain
    const callee = inPlain ? func : (instead?.(func) ?? func)
    this.#inPlain = func.request === undefined && (inPlain || plain?.(callee) === true)
    let taken = given?.(func, args) ?? args
    if (callee !== func) taken = given?.(callee, taken) ?? taken
    let results = define?.(this, callee, taken) ?? (yield* this.#call(callee, taken))
    this.#inPlain = inPlain
    if (callee !== func) results = returned?.(callee, results) ?? results
    return returned?.(func, results) ?? results
  }

  dispatch(func: Func, groups: readonly [number, number, number], uniforms: readonly Data[]): void {
    const { numthreads, semantics } = func.info.entry!
    const [nx, ny, nz] = numthreads
    for (let g = 0; g < groups[0] * groups[1] * groups[2]; g++) {
      const group = [g % groups[0], Math.floor(g / groups[0]) % groups[1], Math.floor(g / (groups[0] * groups[1]))]
      for (const key of this.#shared.keys()) if (key.space === 'workgroup') this.#shared.delete(key)
      const threads: { steps: Steps<readonly Data[]>; privates: Map<Global, Data[]> }[] = []
      for (let i = 0; i < nx * ny * nz; i++) {
        const local = [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))]
        let uniform = 0
        const args = inputs(func.sig).map(p => {
          const value = system(semantics[func.sig.params.indexOf(p)] ?? '', group, local, numthreads, i)
          if (value === undefined) return uniforms[uniform++]!
          return p.type.kind === 'vec' ? value.slice(0, p.type.count) : value[0]!
        })
        threads.push({ steps: this.#call(func, args), privates: new Map() })
      }
      for (let alive = threads; alive.length > 0;) {
        alive = alive.filter(thread => {
          this.#private = thread.privates
          this.#depth = 0
          return thread.steps.next().done !== true
        })
      }
    }
  }

  *#callOf(inst: Inst<'call'>, env: Env): Steps<void> {
    const func = inst.attr
    const args = read(inst.args, env)
    const hides = this.#options.opaque === true && func.info.library
    if (hides) this.#inLibrary++
    const results = yield* this.#enter(func, args)
    if (hides) this.#inLibrary--
    write(inst.results, results, env)
    this.#options.called?.(func, args, results)
    if (hides && this.#inLibrary === 0) for (const result of results) this.#options.watch?.(inst, result, args)
  }

  *#call(func: Func, args: readonly Data[]): Steps<readonly Data[]> {
    const builtin =
      func.body !== undefined && this.#options.tracked !== undefined && args.some(isTracked)
        ? undefined
        : func.info.computes === undefined
          ? undefined
          : computed[func.info.computes]
    if (builtin !== undefined) return [this.#lanes(func.results[0]!, args.map(untracked), builtin)]
    const body = func.body
    if (body === undefined) throw new Stopped(`${func.name} has no body`)
    const env: Env = []
    body.params.forEach((p, i) => {
      env[p.id] = args[i]!
    })
    const end = yield* this.#region(body, env)
    if (end.op !== 'ret') throw new Error(`${func.name} ran into ${end.op}`)
    return read(end.args, env)
  }

  /** A function of scalars over all lanes of its operands; the result rounds to its type. */
  #lanes(type: Type, args: readonly Data[], f: (...args: number[]) => number): Data {
    if (type.kind === 'scalar') {
      const result = f(...(args as number[]))
      return typeof result === 'number' ? wrap(type.scalar!, result, this.#mode) : result
    }
    const out: Data[] = []
    for (let i = 0; i < type.count; i++) {
      out.push(
        this.#lanes(
          type.elem!,
          args.map(a => (Array.isArray(a) ? (a as readonly Data[])[i]! : a)),
          f,
        ),
      )
    }
    return out
  }

  /** Runs a region; gives the terminator that ended it, whose operands stand in `env`. */
  *#region(region: Region, env: Env): Steps<Inst> {
    if (this.#depth >= maxDepth) throw new Stopped('calls are nested too deeply')
    this.#depth++
    const end = yield* this.#insts(region, env)
    this.#depth--
    return end
  }

  *#insts(region: Region, env: Env): Steps<Inst> {
    for (const inst of region.insts) {
      if (--this.#left < 0) throw new Stopped('the run takes too many steps')
      let left: Inst | undefined
      switch (inst.op) {
        case 'if':
          left = yield* this.#nested(inst, inst.regions[env[inst.args[0]!.id] === true ? 0 : 1]!, env)
          break
        case 'switch':
          left = yield* this.#nested(inst, chosen(inst, env[inst.args[0]!.id] as Scalar), env)
          break
        case 'block':
          left = yield* this.#nested(inst, inst.regions[0]!, env)
          break
        case 'loop':
          left = yield* this.#loop(inst, env)
          break
        case 'call':
          yield* this.#callOf(inst, env)
          break
        case 'barrier':
          yield
          break
        case 'yield':
        case 'test':
        case 'next':
        case 'leave':
        case 'ret':
        case 'unreachable':
          return inst
        case 'intrinsic.pure':
        case 'intrinsic.read':
        case 'intrinsic.write':
        case 'intrinsic.hide':
          throw new Stopped(`${inst.op} is for targets alone`)
        default: {
          const args = read(inst.args, env)
          let result = this.#plain(inst, args)
          if (inst.results.length > 0) {
            result = this.#options.intercept?.(inst, result) ?? result
            env[inst.results[0]!.id] = result
            if (this.#inLibrary === 0) this.#options.watch?.(inst, result, args)
          }
        }
      }
      if (left !== undefined) return left
    }
    throw new Error('a region has no terminator')
  }

  /** Runs a region of `if`, `switch` or `block`; gives the terminator where that leaves something further out. */
  *#nested(inst: Inst, region: Region, env: Env): Steps<Inst | undefined> {
    const end = yield* this.#region(region, env)
    if (end.op !== 'yield' && !(end.op === 'leave' && end.attr === inst)) return end
    write(inst.results, read(end.args, env), env)
    return undefined
  }

  *#loop(inst: Inst, env: Env): Steps<Inst | undefined> {
    const [head, body] = [inst.regions[0]!, inst.regions[1]!]
    let carried = read(inst.args, env)
    for (;;) {
      write(head.params, carried, env)
      let end = yield* this.#region(head, env)
      if (end.op === 'test') {
        const values = read(end.args, env)
        if (values[0] !== true) {
          write(inst.results, values.slice(1), env)
          return undefined
        }
        end = yield* this.#region(body, env)
      }
      if (end.op === 'next') {
        carried = read(end.args, env)
      } else {
        if (end.op !== 'leave' || end.attr !== inst) return end
        write(inst.results, read(end.args, env), env)
        return undefined
      }
    }
  }

  #plain(inst: Inst<Exclude<Single, 'barrier'>>, args: readonly Data[]): Data {
    const type = inst.results[0]?.type
    const [x, y, z] = [args[0]!, args[1]!, args[2]!]
    switch (inst.op) {
      case 'const':
        return typeof inst.attr === 'number' ? wrap(type!.scalar!, inst.attr, this.#mode) : inst.attr
      case 'zero':
      case 'undef':
        return zeroOf(type!)
      case 'detach':
        return x
      case 'select':
        return choose(x, y, z)
      case 'convert':
        return lanewise(x, v =>
          v instanceof TrackedFloat
            ? isFloat(type!)
              ? v
              : convertScalar('f64', type!.scalar!, v.value, this.#mode)
            : convertScalar(inst.args[0]!.type.scalar!, type!.scalar!, v, this.#mode),
        )
      case 'bitcast':
        return lanewise(untracked(x), v => bitcastScalar(inst.args[0]!.type.scalar!, type!.scalar!, v as Scalar))
      case 'construct':
        return args
      case 'splat':
        return splat(x, type!)
      case 'extract':
        return at(x, inst.attr)
      case 'insert':
        return (x as readonly Data[]).map((part, i) => (i === inst.attr ? y : part))
      case 'swizzle':
        return inst.attr.map(lane => at(x, lane))
      case 'index':
        return at(x, bounded(Number(y), (x as readonly Data[]).length))
      case 'dot':
        return this.#dot(inst.args[0]!.type.elem!, x as readonly Data[], y as readonly Data[])
      case 'matmul':
        return this.#matmul(inst, x as readonly Data[], y as readonly Data[])
      case 'transpose':
        return at(x, 0) === undefined
          ? []
          : (at(x, 0) as readonly Data[]).map((_, c) => (x as readonly Data[]).map(row => at(row, c)))
      case 'var':
        return { of: [copy(zeroOf(type!.elem!))], key: 0 }
      case 'global':
        return { of: this.#global(inst.attr), key: 0 }
      case 'field':
        return { of: target(x) as Data[], key: inst.attr }
      case 'elem': {
        const list = target(x) as Data[]
        const whole = inst.args[0]!.type.elem!
        if (whole.kind === 'list') {
          for (let i = list.length; i <= Number(y); i++) list.push(zeroOf(whole.elem!))
          return { of: list, key: Math.max(Number(y), 0) }
        }
        const i = bounded(Number(y), list.length)
        // Past the end of a buffer reads find the last element, or zeros, and writes are lost.
        if (whole.count === 0 && (i < 0 || i !== Number(y)))
          return { of: [copy(list[i] ?? zeroOf(type!.elem!))], key: 0 }
        return { of: list, key: i }
      }
      case 'load':
        return copy(target(x))
      // No derivative flows through what others see.
      case 'store':
        assign(x as Pointer, inst.args[0]!.type.space === 'function' ? y : untracked(y))
        return 0
      case 'length':
        return (target(x) as Data[]).length
      case 'atomic':
        return this.#atomic(inst.attr, type!, x as Pointer, untracked(y) as Scalar, untracked(z) as Scalar)
      case 'printf':
        this.#options.print?.(inst.attr, args.map(untracked))
        return 0
      case 'trap':
        if (x !== true) throw new Stopped(`trap: ${inst.attr}`)
        return 0
      default:
        return this.#arithmetic(inst.op, inst.args[0]!.type, x, y)
    }
  }

  #arithmetic(op: LaneOp, type: Type, x: Data, y: Data): Data {
    if (x instanceof TrackedFloat || y instanceof TrackedFloat) return this.#options.tracked!(op, type.scalar!, x, y)
    // Whether two resources are one.
    if (type.kind === 'ptr') return (x as Pointer).of === (y as Pointer).of
    if (type.kind === 'scalar') return apply(op, type.scalar!, x as Scalar, y as Scalar, this.#mode)
    if (type.kind === 'list') {
      const [short, long] =
        (x as readonly Data[]).length < (y as readonly Data[]).length
          ? [x as readonly Data[], y]
          : [y as readonly Data[], x]
      return (long as readonly Data[]).map((part, i) =>
        i < short.length ? this.#arithmetic(op, type.elem!, part, short[i]!) : part,
      )
    }
    return (x as readonly Data[]).map((part, i) => {
      const inner = type.kind === 'struct' ? type.fields[i]!.type : type.elem!
      return this.#arithmetic(
        op,
        inner,
        part,
        y === undefined ? y : inner.kind === 'scalar' && !Array.isArray(y) ? y : at(y, i),
      )
    })
  }

  #dot(type: Type, x: readonly Data[], y: readonly Data[]): Data {
    let sum: Data = this.#arithmetic('mul', type, x[0]!, y[0]!)
    for (let i = 1; i < x.length; i++)
      sum = this.#arithmetic('add', type, sum, this.#arithmetic('mul', type, x[i]!, y[i]!))
    return sum
  }

  #matmul(inst: Inst, x: readonly Data[], y: readonly Data[]): Data {
    const [vx, vy] = [inst.args[0]!.type.kind === 'vec', inst.args[1]!.type.kind === 'vec']
    const elem = vx ? inst.args[0]!.type.elem! : inst.args[0]!.type.elem!.elem!
    const columns = vy ? [y] : (y[0] as readonly Data[]).map((_, c) => y.map(row => at(row, c)))
    const row = (r: readonly Data[]): Data => (vy ? this.#dot(elem, r, y) : columns.map(c => this.#dot(elem, r, c)))
    return vx ? row(x) : x.map(r => row(r as readonly Data[]))
  }

  #global(g: Global): Data[] {
    const map = g.space === 'private' ? this.#private : this.#shared
    let place = map.get(g)
    if (place === undefined) {
      const given = this.#options.globals?.[g.name]
      // A buffer given by the host is written in place; anything else is copied in.
      const isBuffer = g.type.kind === 'array' && g.type.count === 0 && Array.isArray(given)
      const init = g.init === undefined ? undefined : this.call(g.init, [])[0]
      place = [isBuffer ? given : copy(given ?? init ?? zeroOf(g.type))]
      map.set(g, place)
    }
    return place
  }

  #atomic(how: AtomicOp, type: Type, p: Pointer, y: Scalar, z: Scalar): Data {
    const old = untracked(target(p)) as Scalar
    let value: Scalar
    switch (how) {
      case 'min':
        value = old < y ? old : y
        break
      case 'max':
        value = old > y ? old : y
        break
      case 'exchange':
      case 'store':
        value = y
        break
      case 'compare':
        value = Object.is(old, y) ? z : old
        break
      case 'load':
        value = old
        break
      case 'add':
      case 'and':
      case 'or':
      case 'xor':
        value = apply(how, type.scalar!, old, y, this.#mode)
    }
    assign(p, value)
    return old
  }
}

/** Runs a call to its end. */
function finished<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

function read(values: readonly Value[], env: Env): Data[] {
  return values.map(v => env[v.id]!)
}

function write(values: readonly Value[], data: readonly Data[], env: Env): void {
  for (let i = 0; i < values.length; i++) env[values[i]!.id] = data[i]!
}

function at(x: Data, i: number): Data {
  return (x as readonly Data[])[i]!
}

function chosen(inst: Inst<'switch'>, selector: Scalar): Region {
  const cases = inst.attr
  for (let i = 0; i < cases.length; i += 2) {
    if (cases[i] === Number(selector)) return inst.regions[cases[i + 1]!]!
  }
  return inst.regions[inst.regions.length - 1]!
}

function target(p: Data): Data {
  const pointer = p as Pointer
  return pointer.of[pointer.key]!
}

/** Writes into the composite that lies at the place, so that pointers to its parts stay good. */
function assign(p: Pointer, value: Data): void {
  const old = p.of[p.key]
  if (Array.isArray(old)) {
    const parts = value as readonly Data[]
    // Only a list changes its length.
    old.length = parts.length
    for (let i = 0; i < parts.length; i++) assign({ of: old as Data[], key: i }, parts[i]!)
  } else {
    p.of[p.key] = copy(value)
  }
}

function copy(x: Data): Data {
  return Array.isArray(x) ? (x as readonly Data[]).map(copy) : x
}

function choose(c: Data, x: Data, y: Data): Data {
  if (!Array.isArray(c)) return c === true ? x : y
  return (c as readonly Data[]).map((lane, i) => choose(lane, at(x, i), at(y, i)))
}

function lanewise(x: Data, f: (x: Scalar | TrackedFloat) => Scalar | TrackedFloat): Data {
  return Array.isArray(x) ? (x as readonly Data[]).map(part => lanewise(part, f)) : f(x as Scalar | TrackedFloat)
}

function isTracked(x: Data): boolean {
  return x instanceof TrackedFloat || (Array.isArray(x) && (x as readonly Data[]).some(isTracked))
}

/** A value without what its floats carry. */
export function untracked(x: Data): Data {
  if (x instanceof TrackedFloat) return x.value
  return Array.isArray(x) ? (x as readonly Data[]).map(untracked) : x
}

function splat(x: Data, type: Type): Data {
  if (type.kind === 'scalar') return x
  return Array.from({ length: type.count }, () => splat(x, type.elem!))
}

/** Zero of any type; a list and a runtime-sized array are empty. */
export function zeroOf(type: Type): Data {
  switch (type.kind) {
    case 'scalar':
      return zeroScalar(type.scalar!)
    case 'struct':
      return type.fields.map(f => zeroOf(f.type))
    case 'vec':
    case 'mat':
    case 'array':
    case 'list':
      return Array.from({ length: type.count }, () => zeroOf(type.elem!))
    default:
      return 0
  }
}

function system(
  semantic: string,
  group: readonly number[],
  local: readonly number[],
  size: readonly number[],
  index: number,
): readonly number[] | undefined {
  switch (semantic) {
    case 'SV_DISPATCHTHREADID':
      return group.map((g, k) => g * size[k]! + local[k]!)
    case 'SV_GROUPTHREADID':
      return local
    case 'SV_GROUPID':
      return group
    case 'SV_GROUPINDEX':
      return [index]
    default:
      return undefined
  }
}
