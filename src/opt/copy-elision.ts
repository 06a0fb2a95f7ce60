/**
 * Removes copies of variables that stay in memory, mostly arrays:
 *
 * - a variable that only ever holds a copy of another, unchanged since, is the other;
 * - a variable that takes over what another held last is that other one;
 * - two variables that hold the same value and are never written again are one;
 * - a copy that is changed and then copied back (an `inout` argument) is changed in place.
 */
import type { Region } from '../ir/value.ts'
import { type Func, type Inst, type Value } from '../ir/value.ts'
import { substitute, type ValueTable } from '../ir/walk.ts'
import { Locals, remove, type Local, type Site } from './locals.ts'
import { definedBy } from './match.ts'

/** Removes copies of variables; true where it changed something. */
export function copyElision(func: Func): boolean {
  if (func.body === undefined) return false
  let changed = false
  // Each merge may make the next possible; a variable is merged at most once.
  while (new Copies(func.body).merge()) changed = true
  return changed
}

class Copies {
  readonly #body: Region
  readonly #locals: Locals

  constructor(body: Region) {
    this.#body = body
    this.#locals = new Locals(body)
  }

  /** Makes all merges, except those with a variable that is itself merged away. False if there is none. */
  merge(): boolean {
    const to: ValueTable = []
    const drop = new Set<Inst>()
    const gone = new Set<Local>()
    const used = new Set<Local>()
    const bySource = new Map<Value, Local>()
    for (const local of this.#locals.all.values()) {
      if (local.escapes || local.stores.length !== 1 || used.has(local)) continue
      const store = local.stores[0]!
      const value = store.inst.args[1]!
      if (local.uses.some(u => u.at < store.at)) continue
      const source = this.#source(value)
      const other = source?.local ?? bySource.get(value)
      if (
        other !== undefined &&
        other !== local &&
        !other.escapes &&
        !gone.has(other) &&
        other.pointer.type === local.pointer.type
      ) {
        const merged =
          source === undefined
            ? this.#sameValue(local, other)
            : this.#unchanged(local, store, other, source.load) ||
              this.#takesOver(local, other, source.load, used, gone) ||
              this.#inPlace(local, store, other, source.load, drop)
        if (merged) {
          to[local.pointer.id] = other.pointer
          drop.add(store.inst)
          gone.add(local)
          used.add(other)
          continue
        }
      }
      if (local.writes.length === 0 && !bySource.has(value)) bySource.set(value, local)
    }
    if (drop.size === 0) return false
    substitute(this.#body, to)
    remove(this.#body, drop)
    return true
  }

  /** The local variable that a value was loaded from, whole. */
  #source(value: Value): { readonly local: Local; readonly load: Site } | undefined {
    const load = definedBy(value, 'load')
    const root = load === undefined ? undefined : definedBy(load.args[0]!, 'var')
    const local = root === undefined ? undefined : this.#locals.all.get(root)
    return local === undefined ? undefined : { local, load: this.#locals.loads.get(load!)! }
  }

  /** Both hold one value and are never written again. */
  #sameValue(local: Local, other: Local): boolean {
    return (
      local.writes.length === 0 &&
      other.writes.length === 0 &&
      this.#surrounds(other.stores[0]!.region, local.declared.region) &&
      other.stores[0]!.at < local.stores[0]!.at
    )
  }

  /** The copy is only read, and the original is not written as long as the copy is used. */
  #unchanged(local: Local, store: Site, other: Local, load: Site): boolean {
    if (local.writes.length > 0 || !this.#surrounds(other.declared.region, local.declared.region)) return false
    return [...other.stores, ...other.writes].every(w => w.at < load.at && !this.#comesAgain(w, store, local))
  }

  /** The original is not accessed after it was copied, so the copy may take its memory. */
  #takesOver(local: Local, other: Local, load: Site, used: ReadonlySet<Local>, gone: Set<Local>): boolean {
    if (used.has(other) || !this.#surrounds(other.declared.region, local.declared.region)) return false
    if (other.uses.some(u => u.at > load.at)) return false
    for (let r: Region | undefined = load.region; r !== undefined; r = this.#locals.owner.get(r)?.region) {
      const owner = this.#locals.owner.get(r)
      if (owner?.inst.op === 'loop' && !this.#inside(other.declared.region, owner.inst)) return false
    }
    // Nothing else may become this variable while it holds what the copy holds.
    gone.add(other)
    return true
  }

  /** True where a loop that outlives the copy leads from its reads back to the write. */
  #comesAgain(write: Site, store: Site, local: Local): boolean {
    for (let r: Region | undefined = write.region; r !== undefined; r = this.#locals.owner.get(r)?.region) {
      const owner = this.#locals.owner.get(r)
      if (owner?.inst.op !== 'loop') continue
      if (this.#inside(store.region, owner.inst) && !this.#inside(local.declared.region, owner.inst)) return true
    }
    return false
  }

  /** The copy is changed and copied back in the same region, and the original is not accessed between. */
  #inPlace(local: Local, store: Site, other: Local, load: Site, drop: Set<Inst>): boolean {
    if (load.region !== store.region || !this.#surrounds(other.declared.region, local.declared.region)) return false
    const back = other.stores.find(
      s => s.region === store.region && s.at > store.at && this.#source(s.inst.args[1]!)?.local === local,
    )
    if (back === undefined) return false
    const out = this.#locals.loads.get(definedBy(back.inst.args[1]!, 'load')!)!
    if (out.region !== store.region || local.declared.region !== store.region) return false
    if (local.uses.some(u => u.at < store.at || u.at > out.at)) return false
    if (other.uses.some(u => u.at > load.at && u.at < back.at && u !== load)) return false
    // The value loaded before may be used while the original changes, or after: it was loaded, so it keeps its value.
    if (this.#leavesBetween(store, back)) return false
    drop.add(back.inst)
    return true
  }

  /** True if control may leave between two instructions of a region, other than to the end of the function. */
  #leavesBetween(from: Site, to: Site): boolean {
    for (const exit of this.#locals.exits) {
      if (exit.at < from.at || exit.at > to.at) continue
      if (this.#inside(from.region, exit.target)) return true
    }
    return false
  }

  /** True where `inner` is `outer` or lies in it. */
  #surrounds(outer: Region, inner: Region): boolean {
    for (let r: Region | undefined = inner; r !== undefined; r = this.#locals.owner.get(r)?.region) {
      if (r === outer) return true
      // The body of a loop sees what its head defines.
      const owner = this.#locals.owner.get(r)
      if (owner?.inst.op === 'loop' && owner.inst.regions[0] === outer) return true
    }
    return false
  }

  #inside(region: Region, inst: Inst): boolean {
    for (let r: Region | undefined = region; r !== undefined; r = this.#locals.owner.get(r)?.region) {
      if (this.#locals.owner.get(r)?.inst === inst) return true
    }
    return false
  }
}
