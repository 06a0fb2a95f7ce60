import type { Sink } from '../base/diag.ts'
import { Builder, isZero } from '../ir/build.ts'
import { differential, voidType, type Type } from '../ir/type.ts'
import type { Budget } from './budget.ts'
import type { Decisions } from './checkpoint.ts'
import type { Held } from './explain.ts'
import type { Rerun } from './rerun.ts'
import { Func, type Module, type ParamSig, type Value } from '../ir/value.ts'

/** The stages whose IR can be dumped. */
export type AdStage = 'prepared' | 'linearized' | 'unzipped' | 'transposed' | 'checkpointed' | 'extracted'

/** A function split for reverse mode: `primal(inputs) → (results, context)`, `vjp(needed inputs, context, cotangents) → cotangents`. */
export interface Split {
  readonly primal: Func
  /** Number of results of `primal` that are the function's own; the rest is the context. */
  readonly own: number
  readonly vjp: Func
  /** Indices of the inputs that `vjp` takes, in order. */
  readonly needs: readonly number[]
  /** Per input: whether it gets a cotangent. Per result: whether `vjp` takes one. */
  readonly activeInputs: readonly boolean[]
  readonly activeResults: readonly boolean[]
  /** True where `vjp` must be called even if nothing is known of the cotangents, for its effects. */
  readonly effects: boolean
}

/** `(inputs, tangents of active inputs) → (results, tangents of active results)`. */
export interface Jvp {
  readonly func: Func
  readonly results: readonly boolean[]
  /** Of a user's rule: whether it hands pairs on to functions whose derivatives the user wrote. */
  readonly callsPairs?: boolean
}

/** Told what the reverse passes of functions hold on to. */
export interface Explain {
  /** What was decided of a function; `split` follows with its name. */
  decided(decisions: Decisions): void
  split(func: Func, split: Split, isCustom: boolean): void
  /** What the reverse half of a loop keeps: so many states of these parts, and a context of as many as `window` has. `step` is one trip; `split` follows. */
  kept?(states: number, parts: readonly Value[], span: Func['span'], step: Split, window?: number): void
  /** How much was told so far, and to leave out what was told since; what takes memory in the reverse pass of a split function. */
  mark?(): number
  forget?(mark: number): void
  heldBy?(primal: Func): readonly Held[]
  /** A function that is made of a loop, or of a stretch of one. */
  stretch?(func: Func): void
  /** A forward derivative on plain values; `rule` is the user's, where it is made of one. */
  jvp?(func: Func, active: readonly boolean[], jvp: Jvp, rule: Func | undefined): void
}

/** How derivatives are made. It never changes: under another policy another derivative is made, which is kept under another key. */
export interface Policy {
  /** Whether loops may keep windows of their states. Derivatives of such would have slots for windows of windows. */
  readonly windows: boolean
  /** How hard reverse passes avoid to store bytes, to fit a budget: 0 not more than else (`budget.ts`). */
  readonly pressure: number
}

/** What the derivative transforms share: the program, memo tables, and what lowering provides; and the policy that they follow. */
export interface AdContext {
  readonly module: Module
  readonly sink: Sink
  /** Fills in `info.forward`, `info.backward` and `info.substitute` of a function, lowering them when first asked. */
  readonly derivatives: (func: Func) => void
  /** Brings a function into clean SSA form: promotion, simplification, value numbering, dead code. */
  readonly tidy: (func: Func) => void
  /** Whether a function is in clean SSA form already. */
  readonly isTidy: (func: Func) => boolean
  readonly policy: Policy
  /** Fills in the body of a function that is still a request, under the policy of the context. */
  readonly resolve: (cx: AdContext, func: Func) => void
  /** Called with each stage of each function, for dumps and verification. */
  readonly observe: (stage: AdStage, func: Func) => void
  /** Writes out loops of few trips in a function that is to be differentiated; true where there were any. */
  readonly expand?: ((func: Func) => boolean) | undefined
  /** True where slots had better grow than be as large as they may become: on a CPU. */
  readonly growable?: boolean | undefined
  /** Told of every decision, where somebody asks. */
  readonly explain?: Explain | undefined
  readonly jvps: Map<string, Jvp>
  readonly rules: Map<string, Jvp>
  readonly splits: Map<string, Split>
  /** Stand-ins for the linear maps of split functions, in linear trees. */
  readonly linearMaps: Map<Split, Func>
  readonly splitOfMap: Map<Func, Split>
  /** Functions being differentiated now, to find recursion. */
  readonly open: Set<string>
  /** What functions that were requests are derivatives of, and those whose bodies are being written. */
  readonly origins: Map<Func, Func>
  readonly writing: Set<Func>
  readonly ids: Map<Func, number>
  /** Memo of `hasBackwardEffects`. */
  readonly effects: Map<Func, boolean>
  /** Memo of `hasForwardSource`. */
  readonly sources: Map<Func, boolean>
  /** Memos of `reachesSubstitute` and `differsFromPrimal`. */
  readonly substituted: Map<Func, boolean>
  readonly differing: Map<Func, boolean>
  /** Functions of which it was said that they lose a derivative. */
  readonly lost: Set<Func>
  /** Memo of `dualOf`. */
  readonly duals: Map<Func, Func>
  /** Functions that are a loop under `[Checkpoints]`. */
  readonly reruns: Map<Func, Rerun>
  /** Whether some loop keeps windows of its states. */
  readonly windowed: { some: boolean }
  /** What functions that were requests asked for, of those that may have windows. */
  readonly requests: Map<Func, NonNullable<Func['request']>>
  /** How many bytes a reverse pass may keep, where somebody says. */
  readonly budget: Budget | undefined
  /** Of the primal half of a split function: the function. */
  readonly plainOf: Map<Func, Func>
  /** Functions that derivatives share, by name. */
  readonly helpers: Map<string, Func>
  /** Copies of functions without derivatives. */
  readonly plains: Map<Func, Func>
}

export function adContext(
  module: Module, hooks: Pick<AdContext, 'sink' | 'derivatives' | 'tidy' | 'isTidy' | 'observe' | 'growable' | 'expand' | 'explain'> & { readonly maxContext?: number | undefined },
  resolve: AdContext['resolve'],
): AdContext {
  // Copied by `...`, the context would be of another shape each time for an engine.
  const { sink, derivatives, tidy, isTidy, observe, growable, expand, explain, maxContext } = hooks
  return {
    module, sink, policy: { windows: true, pressure: 0 }, derivatives, tidy, isTidy, resolve, observe, growable, expand, explain, jvps: new Map(), rules: new Map(), splits: new Map(), linearMaps: new Map(), splitOfMap: new Map(),
    open: new Set(), origins: new Map(), writing: new Set(), ids: new Map(), effects: new Map(), sources: new Map(), substituted: new Map(), differing: new Map(), duals: new Map(), plains: new Map(), lost: new Set(), reruns: new Map(), windowed: { some: false }, requests: new Map(),
    budget: maxContext === undefined ? undefined : { max: maxContext, slots: new Map(), inside: new Map() }, helpers: new Map(), plainOf: new Map(),
  }
}

/** The same under another policy. */
export function under(cx: AdContext, policy: Partial<Policy>): AdContext {
  return { ...cx, policy: { ...cx.policy, ...policy } }
}

/** A key for memo tables of what stores nothing: a function, which of its inputs are active, and the policy as far as it matters. */
export function memoKey(cx: AdContext, func: Func, active: readonly boolean[]): string {
  let id = cx.ids.get(func)
  if (id === undefined) {
    id = cx.ids.size
    cx.ids.set(func, id)
  }
  return `${cx.policy.windows ? '' : 'w'}${id}:${active.map(a => a ? '1' : '0').join('')}`
}

/** The same for what stores residuals. */
export function splitKey(cx: AdContext, func: Func, active: readonly boolean[]): string {
  return `${memoKey(cx, func, active)}/${cx.policy.pressure}`
}

/** Which of the first inputs and results of a function carry a derivative; those that follow do where their types have one. */
export interface Carrying {
  readonly inputs: readonly boolean[]
  readonly results: readonly boolean[]
}

const byType: Carrying = { inputs: [], results: [] }

/**
 * A new function of plain values, registered with the program and differentiable in its turn. What the function that it is made of
 * holds constant it must hold constant too, or a derivative of the derivative would see it change: `carrying` says that.
 */
export function newFunc(cx: AdContext, name: string, ins: readonly Value[], outs: readonly Type[], span: Func['span'], carrying: Carrying = byType): Func {
  const params: ParamSig[] = [
    ...ins.map((v, i): ParamSig => ({ name: v.name === '' ? `a${i}` : v.name, type: v.type, dir: 'in', noDiff: differential(v.type) === null || carrying.inputs[i] === false })),
    ...outs.map((type, i): ParamSig => ({ name: `r${i}`, type, dir: 'out', noDiff: differential(type) === null || carrying.results[i] === false })),
  ]
  const func = new Func(uniqueName(cx.module.funcs, name), { params, result: voidType, resultNoDiff: true }, span)
  func.info.level = 'backward'
  cx.module.funcs.push(func)
  return func
}

/** A name that nothing in the list has. */
export function uniqueName(taken: readonly { readonly name: string }[], name: string): string {
  const names = new Set(taken.map(x => x.name))
  let found = name
  for (let n = 1; names.has(found); n++) found = `${name}_${n}`
  return found
}

function customOf(cx: AdContext, type: Type): { readonly dzero: Func | undefined; readonly dadd: Func | undefined } | undefined {
  for (const s of cx.module.structs) {
    const diff = s.diff
    if (diff !== null && diff.type === type && (diff.dzero !== undefined || diff.dadd !== undefined)) return diff
  }
  return undefined
}

function hasCustom(cx: AdContext, type: Type): boolean {
  if (type.kind === 'array') return hasCustom(cx, type.elem!)
  if (type.kind !== 'struct') return false
  return customOf(cx, type) !== undefined || type.fields.some(f => hasCustom(cx, f.type))
}

/** The zero of a differential type. */
export function zeroOf(cx: AdContext, b: Builder, type: Type): Value {
  if (!hasCustom(cx, type)) return b.zero(type)
  const custom = type.kind === 'struct' ? customOf(cx, type) : undefined
  if (custom?.dzero !== undefined) return b.call(custom.dzero, [])[0]!
  const parts: Value[] = []
  for (let i = 0; i < type.count; i++) parts.push(zeroOf(cx, b, type.kind === 'struct' ? type.fields[i]!.type : type.elem!))
  return b.construct(type, parts)
}

/** The sum of two values of a differential type. */
export function addOf(cx: AdContext, b: Builder, x: Value, y: Value): Value {
  if (isZero(x)) return y
  if (isZero(y)) return x
  const type = x.type
  const custom = type.kind === 'struct' ? customOf(cx, type) : undefined
  if (custom?.dadd !== undefined) return b.call(custom.dadd, [x, y])[0]!
  if (type.kind === 'struct' || (type.kind === 'array' && hasCustom(cx, type))) {
    const parts: Value[] = []
    for (let i = 0; i < type.count; i++) parts.push(addOf(cx, b, b.extract(x, i), b.extract(y, i)))
    return b.construct(type, parts)
  }
  // Flags in a differential come from the first.
  return type.scalar === 'bool' ? x : b.emit1('add', [x, y])
}

/** The differential of a type that is known to have one. */
export function tangentType(type: Type): Type {
  return differential(type)!
}
