/**
 * Promotes local variables that are only loaded and stored whole. A variable written inside a control instruction
 * leaves it as one more result; one written inside a loop is carried by it:
 *
 *   %x: ptr = var                    %y: f32 = if %c () { yield %a } () { yield %b }
 *   if %c () { store %x, %a }   →    use %y
 *      () { store %x, %b }
 *   %y: f32 = load %x
 *
 * One walk: `current` holds the value of each variable at the place reached.
 */
import { Inst, Value, noRegions, type Func, type Region } from '../ir/value.ts'
import type { ValueTable } from '../ir/walk.ts'
import { valueTable, walk } from '../ir/walk.ts'

interface Local {
  readonly inst: Inst
  readonly pointer: Value
  /** Nesting of the region that owns it: control instructions deeper than this see it from outside. */
  depth: number
  undef: Value | undefined
}

/** Promotes `var`s to values, through regions. */
export function ssa(func: Func): boolean {
  if (func.body === undefined) return false
  const locals = promotable(func, func.body)
  if (locals.count === 0) return false
  new Promotion(func, locals.byPointer).region(func.body)
  return true
}

/** Variables whose pointer is used by whole loads and stores only. */
function promotable(func: Func, body: Region): { byPointer: (Local | undefined)[]; count: number } {
  const found: Inst[] = []
  walk(body, inst => {
    if (inst.op === 'var') found.push(inst)
  })
  let count = found.length
  // Most functions have no variables left, and need no table.
  if (count === 0) return { byPointer: [], count }
  const byPointer = new Array<Local | undefined>(func.nextValue)
  for (const inst of found)
    byPointer[inst.results[0]!.id] = { inst, pointer: inst.results[0]!, depth: 0, undef: undefined }
  walk(body, inst => {
    const from = inst.op === 'load' || inst.op === 'store' ? 1 : 0
    for (let k = from; k < inst.args.length; k++) {
      const id = inst.args[k]!.id
      if (byPointer[id] !== undefined) {
        byPointer[id] = undefined
        count--
      }
    }
  })
  return { byPointer, count }
}

class Promotion {
  readonly #func: Func
  readonly #locals: readonly (Local | undefined)[]
  /** Value of each variable here, by pointer id. */
  readonly #current: ValueTable
  /** What loads became, by id of their result. */
  readonly #replaced: ValueTable
  /** Variables from outside that a control instruction writes. */
  readonly #written = new Map<Inst, Local[]>()

  constructor(func: Func, locals: readonly (Local | undefined)[]) {
    this.#func = func
    this.#locals = locals
    this.#current = valueTable(func)
    this.#replaced = valueTable(func)
    this.#findWritten(func.body!, 0, new Set())
  }

  #findWritten(region: Region, depth: number, all: Set<Local>): void {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      if (inst.op === 'var') {
        const local = this.#locals[inst.results[0]!.id]
        if (local !== undefined) local.depth = depth
      } else if (inst.op === 'store') {
        const local = this.#locals[inst.args[0]!.id]
        if (local !== undefined) all.add(local)
      } else if (inst.regions.length > 0) {
        const inside = new Set<Local>()
        for (let i = 0; i < inst.regions.length; i++) this.#findWritten(inst.regions[i]!, depth + 1, inside)
        if (inside.size === 0) continue
        const outer = [...inside].filter(local => local.depth <= depth)
        if (outer.length > 0) this.#written.set(inst, outer)
        for (let i = 0; i < outer.length; i++) all.add(outer[i]!)
      }
    }
  }

  region(region: Region): void {
    const kept: Inst[] = []
    const insts = region.insts
    for (let i = 0; i < insts.length; i++) {
      const inst = insts[i]!
      for (let k = 0; k < inst.args.length; k++) {
        const to = this.#replaced[inst.args[k]!.id]
        if (to !== undefined) inst.args[k] = to
      }
      if (this.#simple(inst, kept)) continue
      kept.push(inst)
      if (inst.row.ends) this.#exit(inst)
      else if (inst.regions.length > 0) this.#control(inst)
    }
    region.insts = kept
  }

  /** Handles the instructions that vanish. */
  #simple(inst: Inst, kept: Inst[]): boolean {
    const pointer = inst.op === 'var' ? inst.results[0]! : inst.args[0]
    const local = pointer === undefined ? undefined : this.#locals[pointer.id]
    if (local === undefined) return false
    if (inst.op === 'var') {
      const undef = new Inst('undef', [], null, noRegions, inst.span)
      local.undef = new Value(this.#func.nextValue++, pointer!.type.elem!, undef, 0, pointer!.name)
      undef.results.push(local.undef)
      kept.push(undef)
      this.#current[pointer!.id] = local.undef
    } else if (inst.op === 'load') {
      this.#replaced[inst.results[0]!.id] = this.#current[pointer!.id]
    } else {
      const value = inst.args[1]!
      if (value.name === '') value.name = pointer!.name
      this.#current[pointer!.id] = value
    }
    return true
  }

  /** Variables leave a region through its terminator. */
  #exit(inst: Inst): void {
    const owner = inst.op === 'leave' ? inst.attr : this.#owner
    if (owner === undefined || inst.op === 'ret' || inst.op === 'unreachable') return
    const written = this.#written.get(owner)
    if (written === undefined) return
    for (const local of written) inst.args.push(this.#current[local.pointer.id]!)
  }

  #owner: Inst | undefined = undefined

  #control(inst: Inst): void {
    const written = this.#written.get(inst) ?? []
    const before = written.map(local => this.#current[local.pointer.id]!)
    const outer = this.#owner
    this.#owner = inst
    if (inst.op === 'loop') this.#loop(inst, written, before)
    else {
      for (let k = 0; k < inst.regions.length; k++) {
        const r = inst.regions[k]!
        written.forEach((local, i) => {
          this.#current[local.pointer.id] = before[i]
        })
        this.region(r)
      }
    }
    this.#owner = outer
    for (const local of written) {
      const result = this.#value(local, inst, inst.results.length)
      inst.results.push(result)
      this.#current[local.pointer.id] = result
    }
  }

  #loop(inst: Inst, written: readonly Local[], before: readonly Value[]): void {
    const head = inst.regions[0]!
    written.forEach((local, i) => {
      inst.args.push(before[i]!)
      const param = this.#value(local, head, head.params.length)
      head.params.push(param)
      this.#current[local.pointer.id] = param
    })
    this.region(head)
    this.region(inst.regions[1]!)
  }

  #value(local: Local, def: Inst | Region, index: number): Value {
    return new Value(this.#func.nextValue++, local.pointer.type.elem!, def, index, local.pointer.name)
  }
}
