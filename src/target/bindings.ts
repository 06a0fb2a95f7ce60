/** The binding slots of a module's resources. */
import type { Global, Module, ParameterBlock } from '../ir/value.ts'

/** A binding slot. */
export interface Slot {
  readonly group: number
  readonly binding: number
}

/** How many groups WebGPU promises. */
const maxGroups = 4

/**
 * The slot of each resource: the one it asks for, else the lowest free one of group 0, in order of declaration. Where two
 * ask for one slot, as `register(t0)` and `register(u0)` do, the first has it. A slot does not depend on which resources
 * an entry point uses. Each parameter block has a group of its own, as long as there are any.
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
  const own = new Set(resources.filter(g => g.block === undefined).map(g => g.binding?.group ?? 0))
  const groups = new Map<ParameterBlock | undefined, number>([[undefined, 0]])
  const next: number[] = []
  for (const { block } of resources) {
    if (groups.has(block)) continue
    let group = block!.group ?? 0
    if (block!.group === undefined) while (own.has(group)) group++
    if (block!.group === undefined && group >= maxGroups) group = 0
    own.add(group)
    groups.set(block, group)
  }
  for (const g of resources) {
    const group = groups.get(g.block)!
    next[group] ??= 0
    if (!slots.has(g)) while (!take(g, { group, binding: next[group] })) next[group]++
  }
  return slots
}
