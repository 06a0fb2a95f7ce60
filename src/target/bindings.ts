/** Where the host binds the resources of a module. */
import type { Global, Module } from '../ir/value.ts'

/** A binding slot. */
export interface Slot {
  readonly group: number
  readonly binding: number
}

/**
 * The slot of each resource: the one it asks for, else the lowest free one of group 0, in order of declaration. Where two
 * ask for one slot, as `register(t0)` and `register(u0)` do, the first has it. A slot does not depend on which resources
 * an entry point uses.
 */
export function bindingsOf(module: Module): ReadonlyMap<Global, Slot> {
  const slots = new Map<Global, Slot>()
  const taken = new Set<string>()
  const take = (g: Global, slot: Slot): boolean => {
    const key = `${slot.group}:${slot.binding}`
    if (taken.has(key)) return false
    taken.add(key)
    slots.set(g, slot)
    return true
  }
  const resources = module.globals.filter(g => g.resource !== 'none')
  for (const g of resources) if (g.binding !== undefined) take(g, g.binding)
  let next = 0
  for (const g of resources) {
    if (slots.has(g)) continue
    while (!take(g, { group: 0, binding: next })) next++
  }
  return slots
}
