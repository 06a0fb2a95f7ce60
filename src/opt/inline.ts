/**
 * Replaces calls by the bodies of their functions. Returns from the middle of a body become `leave`s of a block:
 *
 *   %r: f32 = call @f %x   →   %r: f32 = block () { … if %c () { leave %a } () { yield } … yield %b }
 */
import type { Work } from '../base/limits.ts'
import { differential, wordsOf } from '../ir/type.ts'
import {
  Inst,
  Region,
  Value,
  inputs,
  noRegions,
  outputs,
  type Func,
  type Module,
  type ParamSig,
  type Signature,
} from '../ir/value.ts'
import { cloneInst, resolved, valueTable, walk, walkRegions, type ValueTable } from '../ir/walk.ts'
import type { Cx } from './cx.ts'
import { holdsList, listVariables } from './lists.ts'
import { isRecursive } from './recursion.ts'
import * as costs from '../ir/costs.ts'

/** Inlines functions that are marked `[ForceInline]`, and from level 2 on small functions. */
export function inline(func: Func, cx: Cx): boolean {
  return inlineAll(
    func,
    callee => callee.info.forceInline || (cx.level >= 2 && isSmall(callee, cx)),
    costs.inlineNesting,
    cx.sink.work,
  )
}

/**
 * Inlines functions that are called only once in the program, except those that the outside knows by name. Gives the functions that
 * grew. Callers go first: each body then moves once, into what is left of its callers, and not again and again up a chain.
 */
export function inlineSingleCalls(module: Module): ReadonlySet<Func> {
  const calls = callCounts(module)
  for (const func of module.funcs) {
    for (const other of [
      func.info.forward,
      func.info.backward,
      func.info.substitute,
      func.info.lanewise,
      func.request?.of,
    ]) {
      if (other !== undefined) calls.set(other, Infinity)
    }
  }
  for (const g of module.globals) if (g.init !== undefined) calls.set(g.init, Infinity)
  const single = new Set(
    module.funcs.filter(
      f => calls.get(f) === 1 && !f.info.noInline && !isNamed(f) && f.body !== undefined && !returnsFromLoop(f.body),
    ),
  )
  const grown = new Set<Func>()
  const seen = new Set<Func>()
  const work = module.funcs.filter(func => !single.has(func))
  for (let func = work.pop(); func !== undefined; func = work.pop()) {
    if (seen.has(func) || func.body === undefined) continue
    seen.add(func)
    if (inlineWith(func, new Inlining(func, callee => single.has(callee), costs.inlineNesting, false, true)))
      grown.add(func)
    walk(func.body, inst => {
      if (inst.op === 'call') work.push(inst.attr)
    })
  }
  return grown
}

/**
 * Inlines functions that return or take a context or much else, for targets that would copy it: always those with lists, others
 * where the program grows little.
 */
export function inlineContexts(module: Module): void {
  const wanted = new Set<Func>()
  for (const [func, times] of callCounts(module)) {
    if (func.body === undefined || returnsFromLoop(func.body)) continue
    const types = [...func.sig.params.map(p => p.type), func.sig.result]
    const copies = func.info.carriesContext || (!func.info.noInline && types.some(t => wordsOf(t) > costs.copiedWords))
    if (types.some(holdsList) || (copies && sizeOf(func.body, costs.contextGrowth) * times <= costs.contextGrowth))
      wanted.add(func)
  }
  if (wanted.size > 0) for (const func of module.funcs) inlineAll(func, callee => wanted.has(callee))
}

/** Inlines functions that have variables with lists, for targets without lists. Gives the functions that grew. */
export function inlineLists(module: Module, cx: Cx): ReadonlySet<Func> {
  const open = new Set(module.funcs.filter(func => listVariables(func).length > 0))
  return new Set(module.funcs.filter(func => inlineAll(func, callee => open.has(callee), Infinity, cx.sink.work)))
}

/** How often each function is called. */
function callCounts(module: Module): Map<Func, number> {
  const calls = new Map<Func, number>()
  for (const func of module.funcs) {
    if (func.body !== undefined)
      walk(func.body, inst => {
        if (inst.op === 'call') calls.set(inst.attr, (calls.get(inst.attr) ?? 0) + 1)
      })
  }
  return calls
}

/** True if a `ret` is in a loop: inlined, it would have to leave several regions, which not every target can do. */
function returnsFromLoop(body: Region): boolean {
  let found = false
  walk(body, loop => {
    if (loop.op !== 'loop' || found) return
    for (let i = 0; i < loop.regions.length; i++) {
      const r = loop.regions[i]!
      walk(r, inst => {
        if (inst.op === 'ret') found = true
      })
    }
  })
  return found
}

/** True for a function that the outside, or a target, knows by name. */
function isNamed(func: Func): boolean {
  const { entry, exported, intrinsics } = func.info
  return entry !== undefined || exported !== undefined || intrinsics !== undefined
}

/** Inlines every call whose callee has a body and for which the predicate holds, callees of callees included, but none deeper than `limit` regions. */
export function inlineAll(
  func: Func,
  predicate: (callee: Func) => boolean,
  limit: number = Infinity,
  work?: Work,
): boolean {
  return inlineWith(func, new Inlining(func, predicate, limit, false, false, work))
}

/** The same in a function that will be differentiated: values that the callee's signature marks `no_diff` keep no derivative. */
export function inlineBeforeDerivatives(func: Func, predicate: (callee: Func) => boolean): boolean {
  return inlineWith(func, new Inlining(func, predicate, Infinity, true))
}

function inlineWith(func: Func, pass: Inlining): boolean {
  if (func.body === undefined || !pass.finds(func.body)) return false
  // Who calls whom is asked while the body is whole.
  isRecursive(func)
  pass.region(func.body, 1)
  return pass.changed
}

/**
 * True where a call costs about as much as the body. Of a function that works lane by lane, the body for one lane counts. What the target has
 * by name is never small: a call of it is better.
 */
function isSmall(func: Func, { target = 'wgsl' }: Cx): boolean {
  const { lanewise, intrinsics, noInline } = func.info
  if (func.body === undefined || noInline || intrinsics?.[target] !== undefined) return false
  const most = target === 'wgsl' ? costs.smallBody : costs.smallBodyOnCpu
  return sizeOf(lanewise?.body ?? func.body, most) <= most
}

/** The number of instructions, terminators and constants left out; counting stops above the limit. */
export function sizeOf(region: Region, limit: number = Infinity): number {
  let size = 0
  for (let i = 0; i < region.insts.length && size <= limit; i++) {
    const inst = region.insts[i]!
    if (!inst.row.ends && inst.op !== 'const' && inst.op !== 'zero') size++
    for (let i = 0; i < inst.regions.length; i++) size += sizeOf(inst.regions[i]!, limit)
  }
  return size
}

class Inlining {
  changed = false
  readonly #func: Func
  readonly #predicate: (callee: Func) => boolean
  readonly #limit: number
  /** Whether to detach the values that the callee's signature marks `no_diff`. */
  readonly #detaches: boolean
  /** Whether bodies move instead of being copied, since each function is called once. */
  readonly #moves: boolean
  /** Counts what is copied. */
  readonly #work: Work | undefined
  readonly #to: ValueTable
  #grown = 0
  #nesting = 0

  constructor(
    func: Func,
    predicate: (callee: Func) => boolean,
    limit: number,
    detaches = false,
    moves = false,
    work?: Work,
  ) {
    this.#work = work
    this.#func = func
    this.#to = valueTable(func)
    this.#predicate = predicate
    this.#limit = limit
    this.#detaches = detaches
    this.#moves = moves
  }

  /** Whether a region has a call that is wanted at all. */
  finds(region: Region): boolean {
    const { insts } = region
    for (let i = 0; i < insts.length; i++) {
      const { op, attr, regions } = insts[i]!
      if (op === 'call' && attr.body !== undefined && this.#predicate(attr)) return true
      for (let k = 0; k < regions.length; k++) if (this.finds(regions[k]!)) return true
    }
    return false
  }

  /** Inlines in a region; `depth` is the length of the chain of calls that led here. */
  region(region: Region, depth: number): void {
    const insts = region.insts
    region.insts = []
    this.#nesting++
    this.#append(region, insts, depth)
    this.#nesting--
  }

  /** Appends instructions. False if an inlined body never returns, so that what follows is dropped. */
  #append(region: Region, insts: readonly Inst[], depth: number): boolean {
    for (let i = 0; i < insts.length; i++) {
      const inst = insts[i]!
      for (let k = 0; k < inst.args.length; k++) inst.args[k] = resolved(inst.args[k]!, this.#to)
      if (inst.op === 'call' && this.#wanted(inst.attr, depth)) {
        if (!this.#inline(region, inst, depth)) return false
        continue
      }
      region.insts.push(inst)
      for (let k = 0; k < inst.regions.length; k++) this.region(inst.regions[k]!, depth)
    }
    return true
  }

  #wanted(callee: Func, depth: number): boolean {
    if (callee.body === undefined || depth > costs.inlineDepth || !this.#predicate(callee) || isRecursive(callee))
      return false
    if (callee.info.forceInline) return true
    if (this.#grown > costs.inlineGrowth || this.#nesting > this.#limit) return false
    this.#grown += sizeOf(callee.body)
    return true
  }

  #inline(region: Region, call: Inst<'call'>, depth: number): boolean {
    this.changed = true
    const callee = call.attr
    const body = callee.body!
    this.#work?.spend('instructions', sizeOf(body), call.span)
    const copies = this.#moves ? this.#taken(call, body) : this.#copied(region, call, body)
    // What comes of the library, a rule of it too, stands where it is called.
    if (callee.span?.file.isCore === true && call.span !== null) for (const inst of copies) inst.span = call.span
    if (returnsEarly(body)) {
      const copy = new Region()
      copy.insts = copies
      const block = new Inst('block', [], null, [copy], call.span)
      block.results = this.#detaches ? call.results.map((r, k) => this.#value(r, block, k)) : call.results
      for (const r of block.results) r.def = block
      returnsLeave(copy, block)
      if (copies[copies.length - 1]!.op === 'leave')
        copies.push(new Inst('yield', copies.pop()!.args, null, noRegions, call.span))
      region.insts.push(block)
      this.region(copy, depth + 1)
      if (this.#detaches) this.#results(region, call, block.results)
      return true
    }
    const end = copies.pop()!
    if (!this.#append(region, copies, depth + 1)) return false
    if (end.op === 'ret') {
      this.#results(
        region,
        call,
        end.args.map(v => resolved(v, this.#to)),
      )
      return true
    }
    region.insts.push(end)
    return false
  }

  #copied(region: Region, call: Inst<'call'>, body: Region): Inst[] {
    const callee = call.attr
    const values = valueTable(callee)
    const labels = new Map<Inst, Inst>()
    const given = this.#detaches ? inputs(callee.sig) : []
    body.params.forEach((p, k) => {
      values[p.id] = this.#cut(region, call.args[k]!, given[k])
    })
    return body.insts.map(inst => cloneInst(inst, this.#func, values, labels))
  }

  /** Takes the instructions out of a body, and numbers their values anew. */
  #taken(call: Inst<'call'>, body: Region): Inst[] {
    call.attr.body = undefined
    const number = (v: Value): void => {
      v.id = this.#func.nextValue++
    }
    walkRegions(body, r => {
      r.params.forEach(number)
      r.insts.forEach(inst => {
        inst.results.forEach(number)
      })
    })
    body.params.forEach((p, k) => {
      this.#to[p.id] = call.args[k]!
    })
    return body.insts
  }

  /** Replaces the results of the call by those of the body. */
  #results(region: Region, call: Inst<'call'>, values: readonly Value[]): void {
    const { sig } = call.attr
    const given = this.#detaches ? resultParams(sig) : []
    call.results.forEach((r, k) => this.#become(r, this.#cut(region, values[k]!, given[k])))
  }

  /** Detaches a value if the signature says so. */
  #cut(region: Region, value: Value, by: Pick<ParamSig, 'noDiff'> | undefined): Value {
    if (by?.noDiff !== true || differential(value.type) === null) return value
    const inst = new Inst('detach', [value], null, noRegions, null)
    const result = this.#value(value, inst, 0)
    inst.results = [result]
    region.insts.push(inst)
    return result
  }

  /** A value like another. */
  #value(like: Value, def: Inst, index: number): Value {
    return new Value(this.#func.nextValue++, like.type, def, index, like.name)
  }

  #become(from: Value, to: Value): void {
    if (to.name === '') to.name = from.name
    this.#to[from.id] = to
  }
}

function resultParams(sig: Signature): readonly Pick<ParamSig, 'noDiff'>[] {
  return sig.result.kind === 'void' ? outputs(sig) : [{ noDiff: sig.resultNoDiff }, ...outputs(sig)]
}

/** True where a `ret` stands anywhere but at the end. */
function returnsEarly(body: Region): boolean {
  let early = false
  walk(body, (inst, region) => {
    if (inst.op === 'ret' && region !== body) early = true
  })
  return early
}

/** Turns every `ret` in a region into a `leave` of the block around it. */
function returnsLeave(region: Region, block: Inst): void {
  for (let i = 0; i < region.insts.length; i++) {
    const inst = region.insts[i]!
    if (inst.op === 'ret') region.insts[i] = new Inst('leave', inst.args, block, noRegions, inst.span)
    for (let i = 0; i < inst.regions.length; i++) returnsLeave(inst.regions[i]!, block)
  }
}
