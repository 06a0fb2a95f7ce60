/**
 * Decides which arrays need a copy, from uses of values and writes to memory. A value of array type is the address of memory that
 * keeps it. A load makes no copy if nothing writes to the variable before the value's last use. A variable that is stored to once
 * and then only read shares the memory of the value.
 */
import type { Region } from '../../ir/value.ts'
import { Inst, type Func, type Global, type Value } from '../../ir/value.ts'
import { addWrites, noWrites, writesByControl, type Root, type Writes } from '../../opt/alias.ts'
import { rootOf } from '../../opt/match.ts'

interface Site {
  readonly region: Region
  readonly index: number
}

export class Usage {
  readonly #users: Inst[][] = []
  readonly #sites = new Map<Inst, Site>()
  readonly #owner = new Map<Region, Inst>()
  readonly #onceStored = new Map<Inst, Inst | undefined>()
  readonly #flat: (value: Value) => boolean
  readonly #body: Region
  /** What each control instruction writes, once somebody asks. */
  #inside: ReadonlyMap<Inst, Writes> | undefined = undefined

  constructor(func: Func, flat: (value: Value) => boolean) {
    this.#flat = flat
    this.#body = func.body!
    for (let i = 0; i < func.nextValue; i++) this.#users.push([])
    this.#index(this.#body)
  }

  #index(region: Region): void {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      this.#sites.set(inst, { region, index: i })
      for (let k = 0; k < inst.args.length; k++) this.#users[inst.args[k]!.id]!.push(inst)
      for (const inner of inst.regions) {
        this.#owner.set(inner, inst)
        this.#index(inner)
      }
    }
  }

  usesOf(value: Value): readonly Inst[] {
    return this.#users[value.id]!
  }

  regionOf(inst: Inst): Region {
    return this.#sites.get(inst)!.region
  }

  /** The instruction that owns a region; undefined for a function's body. */
  ownerOf(region: Region): Inst | undefined {
    return this.#owner.get(region)
  }

  /** The position in `region` of the instruction that is, or holds, `inst`; -1 where `inst` lies elsewhere. */
  #positionIn(region: Region, inst: Inst): number {
    for (let at: Inst | undefined = inst; at !== undefined;) {
      const site: Site = this.#sites.get(at)!
      if (site.region === region) return site.index
      at = this.#owner.get(site.region)
    }
    return -1
  }

  root(pointer: Value): Root {
    const def = rootOf(pointer)
    return def?.op === 'global' ? def.attr : def
  }

  /** The only store to a variable, where it stores the whole of it and all other uses are reads that come later. */
  onceStored(variable: Inst): Inst | undefined {
    if (this.#onceStored.has(variable)) return this.#onceStored.get(variable)
    const found = this.#findOnceStored(variable)
    this.#onceStored.set(variable, found)
    return found
  }

  #findOnceStored(variable: Inst): Inst | undefined {
    const p = variable.results[0]!
    const stores = this.usesOf(p).filter(u => u.op === 'store' && u.args[0] === p)
    if (stores.length !== 1) return undefined
    const store = stores[0]!
    const { region, index } = this.#sites.get(store)!
    const readsOnly = (q: Value): boolean =>
      this.usesOf(q).every(u => {
        if (u === store && q === p) return true
        if (this.#positionIn(region, u) <= index) return false
        return u.op === 'load' || ((u.op === 'field' || u.op === 'elem') && readsOnly(u.results[0]!))
      })
    return readsOnly(p) ? store : undefined
  }

  /** All instructions that may read the memory of a value, through what shares that memory. */
  #readers(value: Value, out: Inst[], seen: Set<Value>): void {
    if (seen.has(value)) return
    seen.add(value)
    for (const u of this.usesOf(value)) {
      out.push(u)
      if (u.op === 'store') {
        const into = this.root(u.args[0]!)
        if (into instanceof Inst && this.onceStored(into) === u) this.#pointerReaders(into.results[0]!, out, seen)
      } else if (u.op === 'extract' || u.op === 'select' || u.op === 'detach' || u.op === 'construct') {
        if (!this.#flat(u.results[0]!)) this.#readers(u.results[0]!, out, seen)
      }
    }
  }

  #pointerReaders(pointer: Value, out: Inst[], seen: Set<Value>): void {
    for (const u of this.usesOf(pointer)) {
      out.push(u)
      if (u.op === 'load') {
        if (!this.#flat(u.results[0]!)) this.#readers(u.results[0]!, out, seen)
      } else if (u.op !== 'store') {
        this.#pointerReaders(u.results[0]!, out, seen)
      }
    }
  }

  /** True where nothing writes to what was loaded until the last use of the loaded value. */
  staysAsLoaded(load: Inst): boolean {
    const root = this.root(load.args[0]!)
    if (root === undefined) return false
    const readers: Inst[] = []
    this.#readers(load.results[0]!, readers, new Set())
    return this.#untouched(load, readers, root)
  }

  /** True where no write to `root` comes after `from` and before the last of `readers`. */
  #untouched(from: Inst, readers: readonly Inst[], root: Inst | Global): boolean {
    const { region, index } = this.#sites.get(from)!
    let last = index
    for (const r of readers) {
      const at = this.#positionIn(region, r)
      if (at < 0) return false
      last = Math.max(last, at)
    }
    for (let i = index + 1; i <= last; i++) {
      const inst = region.insts[i]!
      const reads =
        i === last &&
        inst.regions.length === 0 &&
        (inst.op === 'store' || inst.row.ends || (inst.op === 'call' && root instanceof Inst))
      if (!reads && this.#writes(inst, root)) return false
    }
    return true
  }

  /** True where an instruction, or one inside it, may write to the memory of `root`. */
  #writes(inst: Inst, root: Inst | Global): boolean {
    let writes: Writes
    if (inst.regions.length > 0) {
      this.#inside ??= writesByControl(this.#body)
      writes = this.#inside.get(inst)!
    } else {
      if (inst.row.effect !== 'write') return false
      writes = noWrites()
      addWrites(writes, inst)
    }
    if (writes.unknown || writes.roots.has(root)) return true
    return !(root instanceof Inst) && (writes.calls || writes.barrier)
  }

  /** True where neither the call's operands nor anything up to the store reads or writes the variable. */
  untouchedUntil(call: Inst, store: Inst, root: Inst): boolean {
    const shares = (inst: Inst): boolean => inst.args.some(a => !this.#flat(a) && this.#sharesMemory(a, root))
    if (shares(call)) return false
    const insts = this.regionOf(call).insts
    for (let i = insts.indexOf(call) + 1; insts[i] !== store; i++) {
      const inst = insts[i]!
      if (inst.regions.length > 0 || inst.op === 'atomic' || shares(inst)) return false
      if ((inst.op === 'load' || inst.op === 'store') && this.root(inst.args[0]!) === root) return false
    }
    return true
  }

  /** True where a value in memory may be the memory of a variable, or of a part of it. */
  #sharesMemory(value: Value, root: Inst): boolean {
    const def = value.def
    if (def.op === 'param' || value.type.kind === 'ptr') return false
    switch (def.op) {
      case 'load': {
        const from = this.root(def.args[0]!)
        if (from === root || from === undefined) return true
        const stored = from instanceof Inst ? this.onceStored(from) : undefined
        return stored !== undefined && this.#sharesMemory(stored.args[1]!, root)
      }
      case 'extract':
      case 'detach':
      case 'select':
      case 'construct':
      case 'insert':
        return def.args.some(a => !this.#flat(a) && this.#sharesMemory(a, root))
      default:
        return false
    }
  }
}
