/** The bindings of a module's resources. */
import type { Binding, Global, Module, ParameterBlock } from '../ir/value.ts'

/** How many groups WebGPU promises. */
const maxGroups = 4

/**
 * The binding of each resource: the one it asks for, else the lowest free one of group 0, in order of declaration. Where two
 * ask for one, as `register(t0)` and `register(u0)` do, the first has it. A binding does not depend on which resources an
 * entry point uses. Each parameter block has a group of its own, as long as there are any.
 */
export function bindingsOf(module: Module): ReadonlyMap<Global, Binding> {
  const bindings = new Map<Global, Binding>()
  const taken = new Set<string>()
  const take = (g: Global, binding: Binding): boolean => {
    const key = `${binding.group}:${binding.binding}`
    if (taken.has(key)) return false
    taken.add(key)
    bindings.set(g, binding)
    return true
  }
  const resources = module.globals.filter(g => g.resource !== 'none')
  for (const g of resources) if (g.binding !== undefined) take(g, g.binding)
  // Of a resource that is several, such as a texture with a sampler, the first asks. The other comes beside it, if nothing asks for that place.
  resources.forEach(({ binding, path }, i) => {
    const beside = resources[i + 1]
    if (binding !== undefined && beside?.path !== undefined && beside.path[0] === path?.[0])
      take(beside, { ...binding, binding: binding.binding + 1 })
  })
  const own = new Set(resources.filter(g => g.block === undefined).map(g => g.binding?.group ?? 0))
  const groups = new Map<ParameterBlock | undefined, number>([[undefined, 0]])
  const next: number[] = []
  for (const { block } of resources) {
    if (groups.has(block)) continue
    let { group } = block!
    if (group === undefined) {
      group = 0
      while (own.has(group)) group++
      if (group >= maxGroups) group = 0
    }
    own.add(group)
    groups.set(block, group)
  }
  for (const g of resources) {
    const group = groups.get(g.block)!
    next[group] ??= 0
    if (!bindings.has(g)) while (!take(g, { group, binding: next[group] })) next[group]++
  }
  return bindings
}
