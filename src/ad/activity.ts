/**
 * Activity analysis: which values of a function carry a tangent, given the active inputs. The answer is conservative: a value is
 * active if a path of differentiable operations leads to it from an active input, also through memory and loops.
 */
import { zeros } from '../ir/walk.ts'
import { receivers } from '../ir/exits.ts'
import { baseOf } from '../ir/pointer.ts'
import type { PlainOp } from '../ir/op.ts'
import { differential } from '../ir/type.ts'
import type { Inst } from '../ir/value.ts'
import { type Func, type Region, type Value } from '../ir/value.ts'
import type { AdContext } from './context.ts'
import { carryingThrough, differentiableResults, planOf, runsWhenInactive, type Mode } from './plan.ts'

export interface Activity {
  /** By value id; a pointer is active where its variable is. */
  readonly active: readonly number[]
  /** Per result of the function. */
  readonly results: readonly boolean[]
}

const differentiates = (inst: Inst<PlainOp>): boolean => inst.row.ad.is !== 'flat'

export function activityOf(cx: AdContext, func: Func, inputs: readonly boolean[], mode: Mode): Activity {
  const active = zeros(func.nextValue)
  const results = new Array<boolean>(func.results.length).fill(false)
  const candidates = differentiableResults(func)
  let changed = true

  const mark = (v: Value): void => {
    if (active[v.id] === 0 && (v.type.kind === 'ptr' || differential(v.type) !== null)) {
      active[v.id] = 1
      changed = true
    }
  }
  const flow = (from: Value, to: Value): void => {
    if (active[from.id] === 1) mark(to)
  }
  const visitRegion = (r: Region, owner: Inst | undefined): void => {
    for (const inst of r.insts) visit(inst, owner)
  }
  const visit = (inst: Inst, owner: Inst | undefined): void => {
    switch (inst.op) {
      case 'var':
      case 'global':
        return
      case 'field':
      case 'elem':
        flow(inst.args[0]!, inst.results[0]!)
        return
      case 'load':
        if (active[baseOf(inst.args[0]!).id] === 1) mark(inst.results[0]!)
        return
      case 'store': {
        const root = baseOf(inst.args[0]!)
        if (active[inst.args[1]!.id] === 1 && root.def.op !== 'param' && root.def.op === 'var') mark(root)
        return
      }
      case 'call': {
        const callee = inst.attr
        const plan = planOf(cx, callee, mode)
        const fed = inst.args.some(a => active[a.id] === 1)
        if (plan.is === 'plain' || (!fed && !runsWhenInactive(cx, callee, mode))) return
        const { results: can } = carryingThrough(callee, plan.func)
        for (let i = 0; i < inst.results.length; i++) if (can[i]) mark(inst.results[i]!)
        return
      }
      case 'loop': {
        const params = inst.regions[0]!.params
        for (let i = 0; i < params.length; i++) flow(inst.args[i]!, params[i]!)
        break
      }
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
        receivers(inst, owner).forEach((v, i) => v && flow(inst.args[i]!, v))
        return
      case 'ret':
        for (let i = 0; i < inst.args.length; i++) {
          if (candidates[i] && active[inst.args[i]!.id] === 1 && !results[i]) {
            results[i] = true
            changed = true
          }
        }
        return
      case 'if':
      case 'switch':
      case 'block':
        break
      case 'atomic':
      case 'barrier':
      case 'printf':
      case 'trap':
      case 'unreachable':
        return
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        return
      default:
        // A resource that is taken out of a struct carries nothing, whatever the rest of the struct does.
        if (differentiates(inst) && inst.args.some(a => active[a.id] === 1))
          for (const v of inst.results) if (v.type.kind !== 'ptr') mark(v)
    }
    for (const region of inst.regions) visitRegion(region, inst)
  }

  const params = func.body!.params
  for (let i = 0; i < params.length; i++) if (inputs[i]) mark(params[i]!)
  while (changed) {
    changed = false
    visitRegion(func.body!, undefined)
  }
  return { active, results }
}
