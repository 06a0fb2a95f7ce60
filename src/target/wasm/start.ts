/** What runs when a module is instantiated: constants are written to its region of memory, and its tape is placed behind that. */
import type { Work } from '../../base/limits.ts'
import { Graph } from './graph.ts'
import { Callee, Code, type Data } from './node.ts'
import { placeTape } from './tape.ts'

/** The start function; undefined where there is nothing to do. `heap` is the end of the region, `listed` whether the module keeps lists. */
export function startCode(data: readonly Data[], heap: number, listed: boolean, work: Work): Code | undefined {
  if (data.length === 0 && !listed) return undefined
  const code = new Code(new Callee('start', [], []), work)
  const g = new Graph(code)
  data.forEach(({ at, bytes }, index) =>
    g.stmt({ kind: 'data', index, to: g.add(g.base(), g.i32(at)), bytes: bytes.length }),
  )
  if (listed) placeTape(g, heap)
  return code
}
