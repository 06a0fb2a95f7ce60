/** What all derivative transforms of one compile share: the derivatives made so far, the policy, and who is told of decisions. */
import type { Budget, CheckpointedLoop, Decisions, Held, Jvp, Split, Touched } from './model.ts'
import type { Sink } from '../base/diag.ts'
import type { Builder } from '../ir/build.ts'
import { isZero } from '../ir/build.ts'
import { differential, shadowType, voidType, type Type } from '../ir/type.ts'
import type { Form } from '../ir/verify.ts'
import { Copies } from '../opt/resources.ts'
import { Func, inputs, type Global, type Module, type ParamSig, type Value } from '../ir/value.ts'

/** The stages whose IR can be dumped. */
export type AdStage = 'prepared' | 'linearized' | 'unzipped' | 'transposed' | 'checkpointed' | 'extracted'

/** A listener for the decisions that reverse passes make, which `explain` shows. */
export interface Explain {
  /** The decisions about a function. A call of `split` follows, which names the function. */
  decided(decisions: Decisions): void
  split(func: Func, split: Split, isCustom: boolean): void
  /**
   * The reverse half of a checkpointed loop keeps this many states of these parts, and with `window` a context of so many states.
   * `step` is one trip. A call of `split` follows.
   */
  kept?(states: number, parts: readonly Value[], span: Func['span'], step: Split, window?: number): void
  /**
   * `mark` says how many functions were reported so far, and `forget` drops the later ones. `heldBy` gives what takes memory in the
   * reverse pass of a split function.
   */
  mark?(): number
  forget?(mark: number): void
  heldBy?(primal: Func): readonly Held[]
  /** Reports a function that was made of a loop, or of a segment of one. */
  segment?(func: Func): void
  /** Reports a forward derivative on plain values; `rule` is the user's derivative that it was made of, if any. */
  jvp?(func: Func, active: readonly boolean[], jvp: Jvp, rule: Func | undefined): void
}

/** How derivatives are made. A policy never changes: another policy makes another derivative, which is kept under another key. */
export interface Policy {
  /** Whether loops may keep windows of their states. The derivative of a loop with windows would keep windows of windows. */
  readonly windows: boolean
  /** How hard reverse passes avoid to store bytes (`budget.ts`): 0 without a budget. */
  readonly pressure: number
  /** Memory that nothing writes while the derivative runs (`memory.ts`): the reverse pass may read it again. */
  readonly kept: ReadonlySet<Global>
}

/** What the derivative transforms share: the program, memo tables, functions that lowering provides, and the policy. */
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
  /** The outermost function whose reverse derivative is being made. */
  readonly root: Func | undefined
  /** Memos of what functions, and their reverse derivatives, touch. */
  readonly touched: Map<Func, Touched>
  readonly derivativeTouches: Map<Func, Touched>
  /** The copies of functions, and of requests, for resources; and the requests that nothing makes any more. */
  readonly copies: Copies
  readonly requestCopies: Copies
  readonly dropped: Set<Func>
  /** Fills in the body of a function that is still a request, under the policy of the context. */
  readonly resolve: (cx: AdContext, func: Func) => void
  /** Called with each function after each stage, for dumps and verification. `form` is what a whole function then promises. */
  readonly observe: (stage: AdStage, func: Func, form?: Form) => void
  /** Unrolls loops of few trips in a function before it is differentiated; true if there were any. */
  readonly expand?: ((func: Func) => boolean) | undefined
  /** True on a CPU, where the context grows as it is filled instead of having its largest size from the start. */
  readonly growable?: boolean | undefined
  /** The listener for decisions; undefined where nobody asks. */
  readonly explain?: Explain | undefined
  readonly jvps: Map<string, Jvp>
  readonly rules: Map<string, Jvp>
  readonly splits: Map<string, Split>
  /** Stand-ins for the linear maps of split functions, in linear trees. */
  readonly linearMaps: Map<Split, Func>
  readonly splitOfMap: Map<Func, Split>
  /** Functions being differentiated now, to find recursion. */
  readonly open: Set<string>
  /** `origins`: what each former request is the derivative of, and what each copy for resources or pointers is a copy of; `writing`: the requests whose bodies are being written. */
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
  /** Functions with a diagnostic that they lose a derivative. */
  readonly lost: Set<Func>
  /** Memo of `withShadows`. */
  readonly shadowed: Map<Func, Func>
  /** Functions that are checkpointed loops. */
  readonly checkpointedLoops: Map<Func, CheckpointedLoop>
  /** Whether some loop keeps windows of its states. */
  readonly windowed: { some: boolean }
  /** The former requests that may have windows, with what they asked for. */
  readonly requests: Map<Func, NonNullable<Func['request']>>
  /** How many bytes a reverse pass may keep; undefined without a budget. */
  readonly budget: Budget | undefined
  /** By the primal half of a split function: the function itself. */
  readonly plainOf: Map<Func, Func>
  /** Functions that derivatives share, by name. */
  readonly helpers: Map<string, Func>
}

export function adContext(
  module: Module,
  hooks: Pick<AdContext, 'sink' | 'derivatives' | 'tidy' | 'isTidy' | 'observe' | 'growable' | 'expand' | 'explain'> & {
    readonly maxContext?: number | undefined
  },
  resolve: AdContext['resolve'],
): AdContext {
  // Copied by `...`, the context would be of another shape each time for an engine.
  const { sink, derivatives, tidy, isTidy, observe, growable, expand, explain, maxContext } = hooks
  return {
    module,
    sink,
    policy: { windows: true, pressure: 0, kept: new Set() },
    root: undefined,
    touched: new Map(),
    derivativeTouches: new Map(),
    copies: new Copies(),
    requestCopies: new Copies(),
    dropped: new Set(),
    derivatives,
    tidy,
    isTidy,
    resolve,
    observe,
    growable,
    expand,
    explain,
    jvps: new Map(),
    rules: new Map(),
    splits: new Map(),
    linearMaps: new Map(),
    splitOfMap: new Map(),
    open: new Set(),
    origins: new Map(),
    writing: new Set(),
    ids: new Map(),
    effects: new Map(),
    sources: new Map(),
    substituted: new Map(),
    differing: new Map(),
    shadowed: new Map(),
    lost: new Set(),
    checkpointedLoops: new Map(),
    windowed: { some: false },
    requests: new Map(),
    budget: maxContext === undefined ? undefined : { max: maxContext, context: new Map(), inside: new Map() },
    helpers: new Map(),
    plainOf: new Map(),
  }
}

/** The same under another policy; the context itself where the policy is the same. */
export function under(cx: AdContext, change: Partial<Policy>): AdContext {
  const policy = { ...cx.policy, ...change }
  const { windows, pressure, kept } = cx.policy
  // A context is large, and most functions are asked for under the policy of those around them.
  if (policy.windows === windows && policy.pressure === pressure && isSame(policy.kept, kept)) return cx
  return { ...cx, policy }
}

function isSame<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  return a === b || (a.size === b.size && [...a].every(x => b.has(x)))
}

/** A memo key for derivatives that store nothing: the function, its active inputs, and the policy as far as it matters. */
export function memoKey(cx: AdContext, func: Func, active: readonly boolean[]): string {
  let id = cx.ids.get(func)
  if (id === undefined) {
    id = cx.ids.size
    cx.ids.set(func, id)
  }
  return `${cx.policy.windows ? '' : 'w'}${id}:${active.map(a => (a ? '1' : '0')).join('')}`
}

/** A memo key for derivatives that store residuals. */
export function splitKey(cx: AdContext, func: Func, active: readonly boolean[]): string {
  const { pressure, kept } = cx.policy
  return `${memoKey(cx, func, active)}/${pressure}${[...kept].map(g => ` ${g.name}`).join('')}`
}

/**
 * Which of the first inputs and results of a function carry a derivative. The inputs and results after them carry one if their
 * types have one.
 */
export interface Carrying {
  readonly inputs: readonly boolean[]
  readonly results: readonly boolean[]
}

const byType: Carrying = { inputs: [], results: [] }

/**
 * Makes a function of plain values, and registers it with the program; it can be differentiated in its turn. `carrying` says which
 * values it holds constant: those that the function it is made of holds constant too, or a derivative of the derivative would see
 * them change.
 */
export function newFunc(
  cx: AdContext,
  name: string,
  ins: readonly Value[],
  outs: readonly Type[],
  span: Func['span'],
  carrying: Carrying = byType,
): Func {
  const params: ParamSig[] = [
    ...ins.map((v, i): ParamSig => ({
      name: v.name === '' ? `a${i}` : v.name,
      type: v.type,
      dir: 'in',
      // Only who reads the source can say that a pointer has no shadow.
      noDiff: carrying.inputs[i] === false || (differential(v.type) ?? shadowType(v.type)) === null,
    })),
    ...outs.map((type, i): ParamSig => ({
      name: `r${i}`,
      type,
      dir: 'out',
      noDiff: differential(type) === null || carrying.results[i] === false,
    })),
  ]
  const func = new Func(uniqueName(cx.module.funcs, name), { params, result: voidType, resultNoDiff: true }, span)
  func.info.level = 'backward'
  // Its pointers come as they are: a loop of a function with shadows takes those as well.
  cx.shadowed.set(func, func)
  cx.module.funcs.push(func)
  return func
}

/** Whether a value is a parameter of the function that carries nothing. */
export function isHeld(func: Func, v: Value): boolean {
  return v.def === func.body && inputs(func.sig)[v.index]!.noDiff
}

/** What a function of these values carries that is made of a part of another: a pointer that is held there is held here. */
export function carryingIn(func: Func, ins: readonly Value[]): Carrying {
  return { inputs: ins.map(v => differential(v.type) !== null || !isHeld(func, v)), results: [] }
}

/** A name that nothing in the list has. */
export function uniqueName(taken: readonly { readonly name: string }[], name: string): string {
  if (!taken.some(x => x.name === name)) return name
  const names = new Set(taken.map(x => x.name))
  let found = name
  for (let n = 1; names.has(found); n++) found = `${name}_${n}`
  return found
}

/** Where the structs of a program stand, and with them the sums and zeros that users wrote. */
type Structs = Pick<AdContext, 'module'>

function customOf(
  cx: Structs,
  type: Type,
): { readonly dzero: Func | undefined; readonly dadd: Func | undefined } | undefined {
  for (const s of cx.module.structs) {
    const diff = s.diff
    if (diff !== null && diff.type === type && (diff.dzero !== undefined || diff.dadd !== undefined)) return diff
  }
  return undefined
}

function hasCustom(cx: Structs, type: Type): boolean {
  if (type.kind === 'array') return hasCustom(cx, type.elem!)
  if (type.kind !== 'struct') return false
  return customOf(cx, type) !== undefined || type.fields.some(f => hasCustom(cx, f.type))
}

/** The zero of a differential type. */
export function zeroOf(cx: Structs, b: Builder, type: Type): Value {
  if (!hasCustom(cx, type)) return b.zero(type)
  const custom = type.kind === 'struct' ? customOf(cx, type) : undefined
  if (custom?.dzero !== undefined) return b.call(custom.dzero, [])[0]!
  const parts: Value[] = []
  for (let i = 0; i < type.count; i++)
    parts.push(zeroOf(cx, b, type.kind === 'struct' ? type.fields[i]!.type : type.elem!))
  return b.construct(type, parts)
}

/** The sum of two values of a differential type. */
export function addOf(cx: Structs, b: Builder, x: Value, y: Value): Value {
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
