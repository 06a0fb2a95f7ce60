/**
 * A low guess of how long code becomes when loops in it are written out. What computes with counters and constants alone becomes a
 * constant, a choice by such a condition goes, and parts of values are moved for nothing:
 *
 *   loop 0 (%i) { … %c = eq %i, 2; %x = select %c, %a, %b; next %i + 1 }   →   %x is %a in one trip, %b in the others
 */
import * as costs from '../ir/costs.ts'
import type { Inst, Value } from '../ir/value.ts'
import { sizeOf } from './inline.ts'
import { inductions } from './loops.ts'
import { constantOf, isPure } from './match.ts'

type Loop = Inst<'loop'>

/** How many instructions become of some. `trips` gives those of a loop that is written out; of what is called, at most `ofCall` count. */
export function writtenOut(
  insts: readonly Inst[],
  trips: (loop: Loop) => number | undefined,
  ofCall: number = 0,
): number {
  const folded = new Set<Value>()
  const isKnown = (value: Value): boolean => folded.has(value) || constantOf(value) !== undefined
  const all = (some: readonly Inst[]): number => {
    let size = 0
    for (const inst of some) size += one(inst)
    return size
  }
  const one = (inst: Inst): number => {
    const { op, args, row, results } = inst
    if (op === 'loop') {
      const known = trips(inst)
      if (known !== undefined) for (const { param, start } of inductions(inst)) if (isKnown(start)) folded.add(param)
      const once = all(inst.regions[0]!.insts) + all(inst.regions[1]!.insts)
      return known === undefined ? costs.keptLoop + once : known * once
    }
    if (op === 'call') return inst.attr.body === undefined ? 1 : sizeOf(inst.attr.body, ofCall)
    if (inst.regions.length > 0) {
      const sizes = inst.regions.map(r => all(r.insts))
      return args.length > 0 && isKnown(args[0]!) ? Math.max(...sizes) : sizes.reduce((sum, size) => sum + size, 1)
    }
    if (isPure(inst) && args.every(isKnown)) for (const r of results) folded.add(r)
    else if (!row.ends && !moves.has(op) && !(op === 'select' && isKnown(args[0]!))) return 1
    return 0
  }
  return all(insts)
}

const moves: ReadonlySet<string> = new Set(['construct', 'extract', 'index', 'insert', 'splat', 'swizzle'])
