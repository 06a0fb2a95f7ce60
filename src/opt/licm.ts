/**
 * Loop-invariant code motion: moves work that is the same on every trip in front of its loop, and out of outer loops where it can.
 * It moves pure instructions, and loads of memory that the loop does not write, if every trip executes them: nothing in a branch
 * moves.
 *
 *   loop { … %k: f32 = mul %a, %b … }   →   %k: f32 = mul %a, %b   loop { … }
 */
import * as t from '../ir/type.ts'
import type { Func, Inst, Region } from '../ir/value.ts'
import { disturbs, isShared, pathOf, writesByControl, type Writes } from './alias.ts'
import { isPure } from './match.ts'

/** Hoists loop-invariant work. */
export function licm(func: Func): boolean {
  if (func.body === undefined) return false
  const pass = new Hoisting(func, func.body)
  pass.region(func.body, 0, undefined)
  return pass.moved
}

class Hoisting {
  moved = false
  /** For each value the number of loops around its definition. */
  readonly #depths: Uint16Array
  readonly #writes: Map<Inst, Writes>

  constructor(func: Func, body: Region) {
    this.#depths = new Uint16Array(func.nextValue)
    this.#writes = writesByControl(body)
  }

  /** Visits a region that is the head or body of `loop`. Gives the instructions that leave the loop. */
  region(region: Region, depth: number, loop: Inst<'loop'> | undefined): Inst[] {
    const stay: Inst[] = []
    const leave: Inst[] = []
    const place = (inst: Inst): void => {
      let home = 0
      for (let k = 0; k < inst.args.length; k++) home = Math.max(home, this.#depths[inst.args[k]!.id]!)
      const goes = loop !== undefined && home < depth && this.#movable(inst, loop)
      for (let k = 0; k < inst.results.length; k++) this.#depths[inst.results[k]!.id] = goes ? home : depth
      if (goes) {
        leave.push(inst)
        this.moved = true
      } else stay.push(inst)
    }
    for (let i = 0; i < region.params.length; i++) this.#depths[region.params[i]!.id] = depth
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      const isLoop = inst.op === 'loop'
      for (let k = 0; k < inst.regions.length; k++) {
        const out = this.region(inst.regions[k]!, isLoop ? depth + 1 : depth, isLoop ? inst : undefined)
        for (let m = 0; m < out.length; m++) place(out[m]!)
      }
      place(inst)
    }
    region.insts = stay
    return leave
  }

  #movable(inst: Inst, loop: Inst<'loop'>): boolean {
    if (isPure(inst)) return true
    if (inst.op !== 'load') return false
    const pointer = inst.args[0]!
    const space = pointer.type.space!
    // An integer that others see may be an atomic that this loop waits for.
    if (isShared(space) && t.isInt(pointer.type.elem!)) return false
    return !disturbs(this.#writes.get(loop)!, pathOf(pointer), space)
  }
}
