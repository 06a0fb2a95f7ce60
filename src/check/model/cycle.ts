/** Whether a definition needs itself, directly or not. Chains of definitions are long, so there is no recursion. */
export function leadsToItself<N>(root: N, needs: (node: N, give: (needed: N) => void) => void): boolean {
  const seen = new Set<N>()
  const open: N[] = [root]
  const give = (needed: N): void => {
    if (seen.has(needed)) return
    seen.add(needed)
    open.push(needed)
  }
  for (let node = open.pop(); node !== undefined && !seen.has(root); node = open.pop()) needs(node, give)
  return seen.has(root)
}
