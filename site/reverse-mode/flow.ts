/** How values flow through a function of the IR: one row for each line of its text, and an edge from each value to each row that takes it. */
import type { IrFunction, IrInstruction, IrRegion, IrValue } from './read.ts'

export interface Row {
  /** The values that the row defines. */
  readonly defines: readonly IrValue[]
  readonly kind: 'parameter' | 'instruction' | 'end'
  /** `parameter`, or the operation. */
  readonly op: string
  readonly attribute: string
  readonly args: readonly string[]
  /** How many regions are around it. */
  readonly depth: number
}

/** From the row that defines a value to the row that takes it; undefined where no row defines it. */
export interface Edge {
  readonly value: string
  readonly from: number | undefined
  readonly to: number
}

export interface Flow {
  readonly rows: readonly Row[]
  readonly edges: readonly Edge[]
}

const ends = new Set(['ret', 'next', 'test', 'yield', 'leave'])

/** The rows of a function and what flows between them. */
export function flowOf(func: IrFunction): Flow {
  const rows: Row[] = func.params.map(p => ({
    defines: [p],
    kind: 'parameter',
    op: 'parameter',
    attribute: '',
    args: [],
    depth: 0,
  }))
  const add = (region: IrRegion, depth: number): void => {
    for (const { results, op, attribute, args, regions } of region.instructions) {
      const kind = ends.has(op) ? 'end' : 'instruction'
      rows.push({ defines: [...results, ...regions.flatMap(r => r.params)], kind, op, attribute, args, depth })
      for (const inner of regions) add(inner, depth + 1)
    }
  }
  if (func.body !== undefined) add(func.body, 0)

  const definedIn = new Map<string, number>()
  rows.forEach((row, i) => {
    for (const { name } of row.defines) definedIn.set(name, i)
  })
  const edges = rows.flatMap((row, to): Edge[] =>
    [...new Set(row.args)].map(value => ({ value, from: definedIn.get(value), to })),
  )
  return { rows, edges }
}

/**
 * All values that depend on one of the given ones. Values leave a region through its last instruction: `yield` and `next` give them in the order of
 * the results, or of the region's parameters; `test` has its condition first. `untouched` says how many first results of a call depend on none of
 * them.
 */
export function dependent(
  func: IrFunction,
  seeds: Iterable<string>,
  untouched: (call: IrInstruction) => number = () => 0,
): Set<string> {
  const found = new Set(seeds)
  const labelled: IrInstruction[] = []
  const mark = (to: IrValue | undefined, from: string | undefined): void => {
    if (to !== undefined && from !== undefined && found.has(from)) found.add(to.name)
  }
  const visit = (region: IrRegion, owner: IrInstruction | undefined): void => {
    for (const inst of region.instructions) {
      const { op, args, results, regions } = inst
      if (op === 'yield' || op === 'leave') {
        // `leave` names the construct that it leaves, by the label that stands behind the operation there.
        const target = op === 'yield' ? owner : labelled.findLast(i => i.attribute.startsWith(inst.attribute))
        target?.results.forEach((r, i) => mark(r, args[i]))
      } else if (op === 'test') owner?.results.forEach((r, i) => mark(r, args[i + 1]))
      else if (op === 'next') owner?.regions[0]?.params.forEach((p, i) => mark(p, args[i]))
      else if (op === 'loop') regions[0]?.params.forEach((p, i) => mark(p, args[i]))
      else if (op === 'store' && found.has(args[1] ?? '')) found.add(args[0]!)
      else if (regions.length === 0)
        for (const r of results.slice(op === 'call' ? untouched(inst) : 0)) for (const a of args) mark(r, a)
      if (inst.attribute.startsWith('^') && regions.length > 0) labelled.push(inst)
      for (const inner of regions) visit(inner, inst)
    }
  }
  // Loops carry values back to where they begin, so one walk is not enough.
  for (let before = -1; before < found.size;) {
    before = found.size
    if (func.body !== undefined) visit(func.body, undefined)
  }
  return found
}
