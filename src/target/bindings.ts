/** Where the host binds the resources of a module. */
import type { Global, Module } from '../ir/value.ts'

/** A binding slot. */
export interface Slot {
  readonly group: number
  readonly binding: number
}

/**
 * The slot of each resource: the one it asks for, else the lowest free one of group 0, in order of declaration. A slot
 * does not depend on which resources an entry point uses.
 */
export function bindingsOf(module: Module): ReadonlyMap<Global, Slot> {
  const slots = new Map<Global, Slot>()
  const taken = new Set<number>()
  const resources = module.globals.filter(g => g.resource !== 'none')
  for (const g of resources) {
    if (g.binding === undefined) continue
    slots.set(g, g.binding)
    if (g.binding.group === 0) taken.add(g.binding.binding)
  }
  let next = 0
  for (const g of resources) {
    if (g.binding !== undefined) continue
    while (taken.has(next)) next++
    slots.set(g, { group: 0, binding: next++ })
  }
  return slots
}
