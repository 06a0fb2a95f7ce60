/**
 * Dead code elimination: pure instructions, results of control instructions, carried values of loops, and variables that are only
 * stored to. Everything counts as dead until something with an effect needs it.
 *
 *   %i: i32, %dead: f32 = loop %z, %x (%a: i32, %b: f32) { … }   →   %i: i32 = loop %z (%a: i32) { … }
 */
import type { Region } from '../ir/value.ts'
import { type Func, type Inst, type Value } from '../ir/value.ts'
import { isInt } from '../ir/type.ts'
import { walk, zeros } from '../ir/walk.ts'
import { isShared } from './alias.ts'
import type { Change } from './cx.ts'
import { inductions } from './loops.ts'
import { isPureCall, rootOf } from './match.ts'
import * as costs from '../ir/costs.ts'

/** Removes dead code. */
export function dce(func: Func): Change {
  if (func.body === undefined) return false
  const marking = new Marking(func)
  marking.run(func.body)
  return sweep(func.body, marking)
}

let nextMark = 2

function isLive(inst: Inst): boolean {
  return (inst.mark & 1) === 1
}

class Marking {
  /** Live values, by id. */
  readonly values: number[]
  /** Terminators that carry the results of a control instruction. */
  readonly exits = new Map<Inst, Inst[]>()
  readonly #work: Value[] = []
  /**
   * The first mark of this run. Each instruction has two marks, of which the odd one says that it lives: the instructions of the
   * body, and those outside that they use while a derivative is being made. Marks also find the owners of regions.
   */
  readonly #first = nextMark
  readonly #owners: (Inst | undefined)[] = []
  readonly #loops = new Map<Region, Inst>()
  /** Stores to a local variable, by the variable, until a read of it is found. */
  readonly #stores = new Map<Inst, Inst[]>()

  constructor(func: Func) {
    this.values = zeros(func.nextValue)
  }

  run(body: Region): void {
    const roots: Inst[] = []
    this.#survey(body, undefined, roots)
    for (const inst of roots) this.#keep(inst)
    while (this.#work.length > 0) this.#need(this.#work.pop()!)
  }

  #survey(region: Region, owner: Inst | undefined, roots: Inst[]): void {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      const { op } = inst
      this.#enter(inst, owner)
      if (op === 'store') {
        const root = rootOf(inst.args[0]!)
        if (root?.op === 'var') push(this.#stores, root, inst)
        else roots.push(inst)
      } else if (op === 'ret' || (inst.row.effect === 'write' && op !== 'var' && !isPureCall(inst))) roots.push(inst)
      else if (op === 'leave') push(this.exits, inst.attr, inst)
      else if ((op === 'yield' || op === 'test') && owner !== undefined) push(this.exits, owner, inst)
      if (op === 'loop') {
        this.#loops.set(inst.regions[0]!, inst)
        if (mayWait(inst)) roots.push(inst)
      }
      for (let k = 0; k < inst.regions.length; k++) this.#survey(inst.regions[k]!, inst, roots)
    }
  }

  #enter(inst: Inst, owner?: Inst): void {
    inst.mark = nextMark
    nextMark += 2
    this.#owners.push(owner)
  }

  /** Keeps an instruction with its operands and the control flow around it. Of a control instruction it keeps only the conditions. */
  #keep(inst: Inst): void {
    if (inst.mark < this.#first) this.#enter(inst)
    if (isLive(inst)) return
    const owner = this.#owners[(inst.mark++ - this.#first) >> 1]
    if (owner !== undefined) this.#keep(owner)
    const { op, args } = inst
    if (inst.regions.length > 0) {
      if (op !== 'loop') for (let k = 0; k < args.length; k++) this.#ask(args[k]!, true)
      for (const exit of this.exits.get(inst) ?? none) this.#keep(exit)
    } else if (op === 'test') this.#ask(args[0]!, true)
    else if (op !== 'yield' && op !== 'leave') {
      for (let k = 0; k < args.length; k++) this.#ask(args[k]!, op !== 'store' || k > 0)
    }
  }

  /** Keeps what a value needs. If a pointer is used for more than writing, the stores to its variable live. */
  #ask(value: Value, reads: boolean): void {
    if (reads && value.type.kind === 'ptr') this.#read(value)
    if (this.values[value.id] === 1) return
    this.values[value.id] = 1
    this.#work.push(value)
  }

  #read(pointer: Value): void {
    const root = rootOf(pointer)
    const stores = root === undefined ? undefined : this.#stores.get(root)
    if (stores === undefined) return
    this.#stores.delete(root!)
    for (const store of stores) this.#keep(store)
  }

  #need(value: Value): void {
    const { def, index } = value
    if (def.op === 'param') {
      const loop = this.#loops.get(def)
      if (loop === undefined) return
      this.#ask(loop.args[index]!, true)
      const end = loop.regions[1]!.end
      if (end.op === 'next') this.#ask(end.args[index]!, true)
    } else if (def.op === 'field' || def.op === 'elem') {
      if (def.mark < this.#first) this.#enter(def)
      if (!isLive(def)) def.mark++
      for (let k = 0; k < def.args.length; k++) this.#ask(def.args[k]!, k > 0)
    } else {
      this.#keep(def)
      if (def.regions.length === 0) return
      for (const exit of this.exits.get(def) ?? none)
        this.#ask(exit.args[exit.op === 'test' ? index + 1 : index]!, true)
    }
  }
}

const none: readonly Inst[] = []

/** True where a loop may wait for what another invocation writes: it reads shared integers and counts no trips. */
function mayWait(loop: Inst<'loop'>): boolean {
  let reads = false
  for (let i = 0; i < loop.regions.length; i++) {
    const r = loop.regions[i]!
    walk(r, inst => {
      if (inst.op === 'load' && isShared(inst.args[0]!.type.space!) && isInt(inst.args[0]!.type.elem!)) reads = true
    })
  }
  return reads && inductions(loop).length === 0
}

function push(lists: Map<Inst, Inst[]>, key: Inst, inst: Inst): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [inst])
  else list.push(inst)
}

function sweep(region: Region, marking: Marking): Change {
  const { insts } = region
  let changed: Change = false
  let to = 0
  for (let i = 0; i < insts.length; i++) {
    const inst = insts[i]!
    if (!inst.row.ends && !isLive(inst)) continue
    insts[to++] = inst
    if (inst.regions.length === 0) continue
    // An `if` that has lost results, or most of a branch, may be a choice of values now.
    if (dropResults(inst, marking)) changed = inst.op === 'loop' ? changed || true : 'control'
    for (let k = 0; k < inst.regions.length; k++) {
      const r = inst.regions[k]!
      const below = sweep(r, marking)
      if (below === false) continue
      if (below === 'control' || (inst.op === 'if' && r.insts.length <= costs.emptiedBranch)) changed = 'control'
      else changed ||= true
    }
  }
  if (to === insts.length) return changed
  insts.length = to
  return changed || true
}

/** Drops the results and carried values of a control instruction that nothing needs. */
function dropResults(inst: Inst, marking: Marking): boolean {
  const { values } = marking
  const live = inst.results.map(r => values[r.id] === 1)
  let changed = false
  if (live.includes(false)) {
    for (const exit of marking.exits.get(inst) ?? []) {
      const skip = exit.op === 'test' ? 1 : 0
      exit.args = exit.args.filter((_, k) => k < skip || live[k - skip]!)
    }
    inst.results = renumbered(inst.results, live)
    changed = true
  }
  if (inst.op !== 'loop') return changed
  const head = inst.regions[0]!
  const carried = head.params.map(p => values[p.id] === 1)
  if (!carried.includes(false)) return changed
  const end = inst.regions[1]!.end
  if (end.op === 'next') end.args = end.args.filter((_, k) => carried[k]!)
  inst.args = inst.args.filter((_, k) => carried[k]!)
  head.params = renumbered(head.params, carried)
  return true
}

function renumbered(list: readonly Value[], live: readonly boolean[]): Value[] {
  const kept = list.filter((_, k) => live[k]!)
  kept.forEach((v, k) => {
    v.index = k
  })
  return kept
}
