/**
 * Makes the derivatives of a function as functions: the JVP; a user's forward rule on plain values; and the split into
 * `f_primal(inputs) → (results, context)` and `f_vjp(needed inputs, context, cotangents) → cotangents`.
 */
import type { Jvp, Split } from './model.ts'
import { deepDerivative, notLinear, noReverse } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import { carries, differential, holding, voidType, type Type } from '../ir/type.ts'
import type { Form } from '../ir/verify.ts'
import { Func, Inst, Region, Value, inputs, outputs, type ParamSig } from '../ir/value.ts'
import { cloneFunc, cloneRegion, valueTable, walk, walkRegions } from '../ir/walk.ts'
import { dce } from '../opt/dce.ts'
import { inlineBeforeDerivatives } from '../opt/inline.ts'
import { boundOf, hintWith, tripBound } from '../opt/loops.ts'
import { Ranges } from '../opt/ranges.ts'
import { binomial } from './binomial.ts'
import { limitStates, noteMemory } from './budget.ts'
import { checkpoint } from './checkpoint.ts'
import { memoKey, newFunc, splitKey, under, zeroOf, type AdContext } from './context.ts'
import { linearizeFused, unzip, type Callees } from './linearize.ts'
import {
  carryingOf,
  differentiableInputs,
  differentiableResults,
  differsFromPrimal,
  hasBackwardEffects,
  planOf,
  reportRecursion,
  resultCarries,
  sourceOf,
} from './plan.ts'
import { keptMemory } from './memory.ts'
import { writesOutside } from './outside.ts'
import { contextType, isLarge, pack, unpack } from './pack.ts'
import { isPair, pairOf } from './pair.ts'
import { prepare, endWithRet, rotateLoops } from './prepare.ts'
import { extractCheckpointedLoops, splitCheckpointedLoop } from './checkpointed-loop.ts'
import { Costs, bytesOf } from './residual.ts'
import { jacobianSplit } from './jacobian.ts'
import { segmentLoops } from './segment.ts'
import { specialiseCalls } from './specialise.ts'
import { slotsOf, windows } from './window.ts'
import { transpose } from './transpose.ts'
import * as costs from '../ir/costs.ts'

/** How many derivatives may nest while they are made: each uses stack. This is a limit and no cost, since beyond it a program is refused. */
const chainLimit = 120

/** The `p` or `d` half of a pair. */
export function half(b: Builder, pair: Value, which: 'p' | 'd'): Value {
  return b.extract(pair, which === 'p' ? 0 : 1)
}

/**
 * Runs `make`, unless the function is being differentiated already, which is recursion, or too many derivatives nest. Then adds a
 * diagnostic.
 */
function guarded<T>(cx: AdContext, key: string, func: Func, make: () => T): T | undefined {
  if (cx.open.has(key)) {
    reportRecursion(cx, func)
    return undefined
  }
  if (cx.open.size >= chainLimit) {
    cx.sink.add(deepDerivative, func.span ?? undefined, { name: sourceOf(cx, func).name, limit: String(chainLimit) })
    return undefined
  }
  cx.open.add(key)
  const made = cx.sink.work.within(1, func.span, make)
  cx.open.delete(key)
  return made
}

function calleesOf(cx: AdContext): Callees {
  return {
    jvp: (func, active) => jvpOf(cx, func, active),
    rule: (func, forward, active) => ruleOf(cx, func, forward, active),
    jacobian: (func, forward, active) => jacobianOf(cx, func, forward, active),
    split: (func, active) => splitOf(cx, func, active),
    linearMap: split => linearMapOf(cx, split),
  }
}

function linearMapOf(cx: AdContext, split: Split): Func {
  const known = cx.linearMaps.get(split)
  if (known !== undefined) return known
  const tangents: Type[] = []
  split.activeResults.forEach((a, i) => {
    if (a) tangents.push(differential(split.primal.results[i]!)!)
  })
  const stub = newFunc(cx, `${split.vjp.name}_linear`, [], tangents, null)
  cx.module.funcs.pop()
  cx.linearMaps.set(split, stub)
  cx.splitOfMap.set(stub, split)
  return stub
}

/** The forward derivative of a function's body with respect to the active inputs. */
export function jvpOf(cx: AdContext, func: Func, active: readonly boolean[]): Jvp | undefined {
  const key = memoKey(cx, func, active)
  const known = cx.jvps.get(key)
  if (known !== undefined) return known
  return guarded(cx, `jvp ${key}`, func, () => {
    const source = copyOf(cx, func)
    const params = source.body!.params
    const ins = [...params, ...params.filter((_, i) => active[i]).map(v => tangentLike(v))]
    const scratch = newFunc(cx, `${func.name}_jvp`, [], [], func.span)
    cx.module.funcs.pop()
    scratch.body = new Region()
    const results = linearizeFused(cx, calleesOf(cx), source, active, scratch)
    const outs = [...func.results, ...func.results.filter((_, i) => results[i]).map(type => differential(type)!)]
    const jvp = newFunc(cx, `${func.name}_jvp`, ins, outs, func.span, carryingOf(func))
    jvp.body = scratch.body
    jvp.nextValue = scratch.nextValue
    jvp.tangentsFrom = params.length
    cx.observe('linearized', jvp, 'surface')
    cx.tidy(jvp)
    const made = { func: jvp, results }
    cx.jvps.set(key, made)
    cx.explain?.jvp?.(func, active, made, undefined)
    return made
  })
}

/** A value that only lends its type and name to a signature. */
function tangentLike(v: Value): Value {
  return new Value(0, differential(v.type)!, v.def, 0, v.name === '' ? '' : `d_${v.name}`)
}

/** Whether the user gives a derivative of a function, so that it is not made from the body. */
function hasOwnDerivative(cx: AdContext, func: Func): boolean {
  if (func.info.library) return false
  cx.derivatives(func)
  const { forward, backward, substitute, treatAsDifferentiable } = func.info
  return treatAsDifferentiable || (forward ?? backward ?? substitute) !== undefined
}

/**
 * A user's forward derivative on plain values, in reversible form. If it has derivatives of its own, it is called, so that they
 * hold for derivatives of this one; otherwise its body is copied.
 */
export function ruleOf(cx: AdContext, func: Func, forward: Func, active: readonly boolean[]): Jvp {
  const isCalled = hasOwnDerivative(cx, forward)
  const key = memoKey(cx, forward, active)
  const known = cx.rules.get(key)
  if (known !== undefined) return known
  const params = inputs(func.sig)
  const can = differentiableInputs(func)
  const results = differentiableResults(func)
  const primals = params.map(p => new Value(0, p.type, new Region(), 0, p.name))
  const tangents = primals.filter((_, i) => active[i]).map(v => tangentLike(v))
  const outs = [...func.results, ...func.results.filter((_, i) => results[i]).map(type => differential(type)!)]
  const make = (): Func =>
    newFunc(cx, `${func.name}_rule`, [...primals, ...tangents], outs, func.span, carryingOf(func))
  // Not among the program's functions before it is whole: what derivatives bring in is tidied with all of those.
  const scratch = make()
  cx.module.funcs.pop()
  scratch.body = new Region()
  const b = new Builder(scratch, scratch.body)
  const ps = primals.map(v => b.param(v.type, v.name))
  const ts = tangents.map(v => b.param(v.type, v.name))
  const pairs = inputs(forward.sig)
  let k = 0
  const args = ps.map((p, i) => {
    if (!can[i]) return p
    const d = active[i] ? ts[k++]! : zeroOf(cx, b, differential(p.type)!)
    return pairOf(b, pairs[i]!.type, p, d)
  })
  const out = b.call(forward, args)
  const halves = (which: 'p' | 'd'): Value[] =>
    out.flatMap((v, i) => (results[i] ? [half(b, v, which)] : which === 'p' ? [v] : []))
  b.emit('ret', [...halves('p'), ...halves('d')])
  // In a pair that is handed on whole the primal half cannot be told from the tangent.
  let callsPairs = isCalled
  const takesPairs = (callee: Func): boolean => {
    if (callee === forward) return !isCalled
    if (callee.info.library || cx.writing.has(callee) || !inputs(callee.sig).some(p => isPair(p.type))) return false
    if (!hasOwnDerivative(cx, callee)) return true
    callsPairs = true
    return false
  }
  for (let again = true; again;) {
    walk(scratch.body, inst => {
      if (inst.op === 'call' && takesPairs(inst.attr)) cx.resolve(cx, inst.attr)
    })
    again = inlineBeforeDerivatives(scratch, takesPairs)
  }
  const rule = make()
  rule.body = scratch.body
  rule.nextValue = scratch.nextValue
  cx.tidy(rule)
  reversible(cx, rule)
  const made = { func: rule, results, callsPairs }
  cx.rules.set(key, made)
  cx.explain?.jvp?.(func, active, made, forward)
  return made
}

/** The reverse of a forward derivative that has derivatives of its own, or calls functions with such derivatives. */
function jacobianOf(cx: AdContext, func: Func, forward: Func, active: readonly boolean[]): Split | undefined {
  const key = `${splitKey(cx, func, active)} jacobian`
  const known = cx.splits.get(key)
  if (known !== undefined) return known
  const split = jacobianSplit(cx, func, forward, active)
  if (split !== undefined) cx.splits.set(key, split)
  return split
}

/** A copy in clean SSA form. */
function copyOf(cx: AdContext, func: Func): Func {
  const copy = cloneFunc(func, func.name)
  if (!cx.isTidy(func)) cx.tidy(copy)
  return copy
}

/** Gives each loop without a bound the bound that its surroundings imply, if any. */
function noteBounds(func: Func): void {
  let ranges: Ranges | undefined
  const visit = (region: Region, around: ReadonlySet<Inst>): void => {
    for (const inst of region.insts) {
      if (inst.op === 'loop' && boundOf(inst.attr) === undefined) {
        const bound =
          tripBound(inst) ??
          tripBound(inst, v => {
            ranges ??= new Ranges(func)
            return ranges.of(v, loop => around.has(loop))
          })
        if (bound !== undefined && bound.exact === undefined) inst.attr = hintWith(inst.attr, bound.max)
      }
      inst.regions.forEach((r, k) => visit(r, inst.op === 'loop' && k === 1 ? new Set([...around, inst]) : around))
    }
  }
  visit(func.body!, new Set())
}

/** Brings a function that is in clean SSA form into reversible form. */
function reversible(cx: AdContext, func: Func): void {
  noteBounds(func)
  if (prepare(func)) cx.tidy(func)
  if (rotateLoops(func, callee => hasBackwardEffects(cx, callee))) cx.tidy(func)
  endWithRet(func)
}

/** Whether a call is inlined before its caller is differentiated. */
function isSmall(cx: AdContext, callee: Func): boolean {
  const plan = planOf(cx, callee, 'reverse')
  if (plan.is !== 'transform' || plan.func !== callee || callee.info.prefer !== 'none' || callee.info.noInline)
    return false
  // What a function itself writes is left out of its reverse, what its callees write is not.
  if (writesOutside(callee)) return false
  if (callee.info.forceInline) return true
  if ([...callee.sig.params.map(p => p.type), callee.sig.result].some(holdsArray)) return false
  if (!cx.isTidy(callee)) cx.tidy(callee)
  const each = new Costs()
  let plain = true,
    cost = 0
  walk(callee.body!, inst => {
    if (inst.op === 'loop' || (inst.op === 'call' && !isLibrary(inst.attr))) plain = false
    if (inst.regions.length === 0) cost += each.of(inst)
  })
  return plain && cost <= costs.inlinedCost
}

function isLibrary(func: Func): boolean {
  return func.info.library || func.info.intrinsics !== undefined
}

const holdsArray = holding('array', 'ptr')

/** The primal and the reverse half of a function, with respect to the active inputs. Undefined, with a diagnostic, if it has none. */
export function splitOf(outer: AdContext, func: Func, active: readonly boolean[]): Split | undefined {
  const cx = under(outer, { kept: keptMemory(outer, func) })
  const key = splitKey(cx, func, active)
  const known = cx.splits.get(key)
  if (known !== undefined) return known
  const plan = planOf(cx, func, 'reverse')
  const split =
    plan.is === 'backward'
      ? customSplit(cx, plan.func, plan.backward, active)
      : plan.is === 'transform'
        ? guarded(cx, `vjp ${key}`, func, () => splitBody(cx, plan.func, active))
        : undefined
  if (split !== undefined) {
    cx.splits.set(key, split)
    cx.explain?.split(plan.func, split, plan.is === 'backward')
  } else if (plan.is === 'plain' && !cx.writing.has(func))
    cx.sink.add(noReverse, func.span ?? undefined, { name: sourceOf(cx, func).name })
  return split
}

function splitBody(cx: AdContext, func: Func, active: readonly boolean[]): Split | undefined {
  const checkpointed = cx.checkpointedLoops.get(func)
  if (checkpointed === undefined) return transformSplit(cx, func, active)
  const { states } = checkpointed
  const split = splitCheckpointedLoop(
    cx,
    func,
    checkpointed,
    active,
    (step, of) => splitOf(cx, step, of),
    how => (typeof states === 'number' ? binomial : windows)(cx, func, checkpointed, how),
  )
  if (split !== undefined && cx.budget !== undefined) {
    const sum = (types: readonly Type[]): number => types.reduce((n, type) => n + bytesOf(type), 0)
    const context = sum(split.primal.results.slice(split.own + 1))
    const inside =
      typeof states === 'number'
        ? states *
          (4 +
            sum([
              ...checkpointed.loop.args.map(v => v.type),
              ...checkpointed.memory.slice(0, checkpointed.written).map(p => p.type.elem!),
            ]))
        : (context / states.size) * slotsOf(states)
    noteMemory(cx.budget, split, context, inside, split.vjp.body!)
  }
  return split
}

function transformSplit(cx: AdContext, func: Func, active: readonly boolean[]): Split {
  const source = copyOf(cx, func)
  specialiseCalls(cx, source)
  for (
    let round = 0;
    round < costs.inlineRounds && inlineBeforeDerivatives(source, callee => callee !== func && isSmall(cx, callee));
    round++
  ) {
    cx.tidy(source)
    specialiseCalls(cx, source)
  }
  if (cx.expand?.(source) === true) cx.tidy(source)
  reversible(cx, source)
  limitStates(cx, source)
  if (extractCheckpointedLoops(cx, source)) cx.tidy(source)
  if (segmentLoops(cx, source)) cx.tidy(source)
  endWithRet(source)
  cx.observe('prepared', source, 'reversible')
  const trees = unzip(cx, calleesOf(cx), source, active)
  if (!trees.isLinear) cx.sink.add(notLinear, func.span ?? undefined, { name: sourceOf(cx, func).name })
  const shown = observeTree(cx, 'unzipped', trees.work, `${func.name}.primal`, trees.primal)
  const form = trees.isLinear ? 'linear' : undefined
  observeTree(cx, 'unzipped', trees.work, `${func.name}.linear`, trees.linear, shown, form)
  const adjoint = transpose(cx, trees, cx.splitOfMap)
  const beside = observeTree(cx, 'transposed', trees.work, `${func.name}.primal`, trees.primal)
  observeTree(cx, 'transposed', trees.work, `${func.name}.adjoint`, adjoint.body, beside)
  const cts = adjoint.cotangents.filter(v => v !== undefined)
  const grads = adjoint.inputs
  // The gradients are what the adjoint returns; a terminator that names them lets `checkpoint` see their uses.
  const zeros = new Builder(trees.work, adjoint.body)
  const outs = trees.tangents.flatMap((v, i) => (v === undefined ? [] : [grads[i] ?? zeroOf(cx, zeros, v.type)]))
  const end = zeros.emit('ret', outs)
  trees.work.body = adjoint.body
  dce(trees.work)
  const done = checkpoint(cx, trees, adjoint)
  observeTree(cx, 'checkpointed', trees.work, `${func.name}.primal`, trees.primal)
  observeTree(cx, 'checkpointed', trees.work, `${func.name}.adjoint`, adjoint.body)

  withoutContexts(cx, trees.primal, new Set([...trees.results, ...done.entries.map(e => e.out)]))
  const isPacked = isLarge(done.entries.map(e => e.type))
  const type = isPacked
    ? contextType(
        cx,
        `${func.name}.context`,
        done.entries.map(e => e.type),
      )
    : undefined
  const packed =
    type === undefined
      ? done.entries.map(e => e.out)
      : [
          pack(
            new Builder(trees.work, trees.primal),
            type,
            done.entries.map(e => e.out),
          ),
        ]
  const results = [...trees.results, ...packed]
  const carrying = carryingOf(func)
  const primal = newFunc(
    cx,
    `${func.name}_primal`,
    trees.primal.params,
    results.map(v => v.type),
    func.span,
    carrying,
  )
  trees.primal.insts.push(new Inst('ret', results, null, [], func.span))
  primal.body = cloneRegion(trees.primal, primal, valueTable(trees.work))

  const entries = done.entries.map(e => e.in)
  const taken = type === undefined ? entries : [zeros.value(type, adjoint.body, 0, 'context')]
  if (type !== undefined) adjoint.body.insts.unshift(...unpack(taken[0]!, entries))
  const takes = [...done.inputs, ...taken, ...cts]
  const vjp = newFunc(
    cx,
    `${func.name}_vjp`,
    takes,
    end.args.map(v => v.type),
    func.span,
    { inputs: done.needs.map(i => carrying.inputs[i]!), results: [] },
  )
  adjoint.body.params = []
  for (const v of takes) {
    v.def = adjoint.body
    v.index = adjoint.body.params.push(v) - 1
  }
  vjp.body = cloneRegion(adjoint.body, vjp, valueTable(trees.work))
  cx.observe('extracted', primal, 'surface')
  cx.observe('extracted', vjp, 'surface')
  primal.info.carriesContext = vjp.info.carriesContext = done.entries.some(
    e => e.type.kind === 'array' || e.type.kind === 'list',
  )
  cx.tidy(primal)
  cx.tidy(vjp)
  primal.info.prefer = func.info.prefer
  if (cx.budget !== undefined) noteMemory(cx.budget, { primal, vjp }, done.memory, 0, adjoint.body)
  cx.plainOf.set(primal, func)
  return {
    primal,
    own: func.results.length,
    vjp,
    needs: done.needs,
    activeInputs: active,
    activeResults: trees.resultTangents.map(v => v !== undefined),
    effects: hasBackwardEffects(cx, func),
  }
}

/** Replaces calls of primal halves whose context nobody uses by calls of the functions themselves. */
function withoutContexts(cx: AdContext, primal: Region, out: ReadonlySet<Value>): void {
  const used = new Set<Value>(out)
  walk(primal, inst => {
    for (const v of inst.args) used.add(v)
  })
  walkRegions(primal, region => {
    region.insts = region.insts.map(inst => {
      const plain = inst.op === 'call' ? cx.plainOf.get(inst.attr) : undefined
      if (
        plain === undefined ||
        differsFromPrimal(cx, plain) ||
        inst.results.slice(plain.results.length).some(v => used.has(v))
      )
        return inst
      const call = new Inst('call', inst.args, plain, [], inst.span)
      call.results = inst.results.slice(0, plain.results.length)
      for (const v of call.results) v.def = call
      return call
    })
  })
}

/** Shows a tree as if it were a function. The values that it captures have the names that they have in the tree `outer`. */
function observeTree(
  cx: AdContext,
  stage: 'unzipped' | 'transposed' | 'checkpointed',
  work: Func,
  name: string,
  body: Region,
  outer?: Func,
  form?: Form,
): Func {
  const params = body.params.map((v): ParamSig => ({ name: v.name, type: v.type, dir: 'in', noDiff: false }))
  const shown = new Func(name, { params, result: voidType, resultNoDiff: true }, work.span)
  shown.body = body
  shown.nextValue = work.nextValue
  shown.outer = outer
  cx.observe(stage, shown, form)
  return shown
}

/** A user's reverse derivative on plain values: `(inputs, cotangents of results) → cotangents of active inputs`. */
function customSplit(cx: AdContext, func: Func, backward: Func, active: readonly boolean[]): Split {
  if (backward.info.halves !== undefined) return splitByHalves(cx, func, backward.info.halves, active)
  const ins = inputs(func.sig)
  const results = differentiableResults(func)
  const primals = ins.map(p => new Value(0, p.type, new Region(), 0, p.name))
  const cts = func.results
    .filter((_, i) => results[i])
    .map((type, i) => new Value(0, differential(type)!, new Region(), 0, `ct${i}`))
  const outs = ins.filter((_, i) => active[i]).map(p => differential(p.type)!)
  const vjp = newFunc(cx, `${func.name}_vjp`, [...primals, ...cts], outs, func.span, {
    inputs: differentiableInputs(func),
    results: [],
  })
  vjp.body = new Region()
  const b = new Builder(vjp, vjp.body)
  const ps = primals.map(v => b.param(v.type, v.name))
  const given = cts.map(v => b.param(v.type, v.name))
  b.emit(
    'ret',
    callBackward(cx, b, func, backward, ps, given)
      .filter((_, i) => active[i])
      .map(v => v!),
  )
  return {
    primal: func,
    own: func.results.length,
    vjp,
    needs: ins.map((_, i) => i),
    activeInputs: active,
    activeResults: results,
    effects: true,
  }
}

/** A user's reverse derivative in two halves: what the first returns is kept for the second. */
function splitByHalves(
  cx: AdContext,
  func: Func,
  { primal, reverse }: NonNullable<Func['info']['halves']>,
  active: readonly boolean[],
): Split {
  const taken = inputs(reverse.sig).map(p => new Value(0, p.type, new Region(), 0, p.name))
  const given = outputs(reverse.sig).filter((_, i) => active[carriers(func)[i]!])
  const vjp = newFunc(
    cx,
    `${func.name}_vjp`,
    taken,
    given.map(p => p.type),
    func.span,
    { inputs: [differential(taken[0]!.type) !== null], results: [] },
  )
  vjp.body = new Region()
  const b = new Builder(vjp, vjp.body)
  const out = b.call(
    reverse,
    taken.map(v => b.param(v.type, v.name)),
  )
  b.emit(
    'ret',
    out.filter((_, i) => active[carriers(func)[i]!]),
  )
  return {
    primal,
    own: func.results.length,
    vjp,
    needs: [],
    activeInputs: active,
    activeResults: differentiableResults(func),
    effects: true,
  }
}

/** The numbers of the inputs that carry a derivative. */
const carriers = (func: Func): number[] => differentiableInputs(func).flatMap((can, i) => (can ? [i] : []))

/** Calls a reverse derivative that has the user guide's signature. Gives the cotangent of each input that carries one. */
function callBackward(
  cx: AdContext,
  b: Builder,
  func: Func,
  backward: Func,
  primals: readonly Value[],
  cts: readonly Value[],
): (Value | undefined)[] {
  const hasResult = resultCarries(func)
  const types = backward.sig.params
  const args: Value[] = []
  let input = 0,
    ct = hasResult ? 1 : 0,
    at = 0
  const pairs: number[] = []
  for (const p of func.sig.params) {
    if (!carries(p)) {
      if (p.dir === 'out') continue
      args.push(primals[input++]!)
    } else if (p.dir === 'out') {
      args.push(cts[ct++]!)
    } else {
      const d = p.dir === 'inout' ? cts[ct++]! : zeroOf(cx, b, differential(p.type)!)
      pairs.push(input)
      args.push(pairOf(b, types[at]!.type, primals[input++]!, d))
    }
    at++
  }
  if (hasResult) args.push(cts[0]!)
  const out = b.call(backward, args)
  const gradients = new Array<Value | undefined>(primals.length).fill(undefined)
  pairs.forEach((i, k) => {
    gradients[i] = half(b, out[k]!, 'd')
  })
  return gradients
}
