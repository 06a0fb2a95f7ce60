/** Attributes of loops: `[MaxIters(n)]`, `[ForceUnroll]`, `[Checkpoints(k)]` and hints. */
import * as derivative from '../../base/errors/derivative.ts'
import * as names from '../../base/errors/names.ts'
import type * as ast from '../../syntax/ast.ts'
import type { StatementAttribute } from '../model/attribute-names.ts'
import type { Env } from '../model/context.ts'
import type { LoopAttributes } from '../model/loop-attributes.ts'
import { known } from '../model/type.ts'
import { resolveInt } from '../types/index.ts'

/** The attributes of a loop. Reports those that no loop has. */
export function loopAttributes(env: Env, attributes: readonly ast.Attribute[]): LoopAttributes {
  let forceUnroll = false
  let hint: LoopAttributes['hint'] = null
  let maxIters: LoopAttributes['maxIters'] = null
  let checkpoints: LoopAttributes['checkpoints'] = null
  for (const a of attributes) {
    switch (a.name as StatementAttribute) {
      case 'ForceUnroll':
        forceUnroll = true
        break
      case 'unroll':
        hint = 'ask'
        break
      case 'loop':
        hint = 'keep'
        break
      case 'MaxIters':
      case 'maxiters':
        if (a.args[0] === undefined)
          env.cx.sink.add(names.attributeArguments, a.span, { name: a.name, expected: 'one integer' })
        else maxIters = resolveInt(env.cx, a.args[0].value, env.scope)
        break
      case 'Checkpoints': {
        if (a.args.length !== 1) {
          env.cx.sink.add(names.attributeArguments, a.span, { name: a.name, expected: 'one integer' })
          break
        }
        checkpoints = resolveInt(env.cx, a.args[0]!.value, env.scope)
        const states = known(checkpoints)
        if (states !== null && states < 1) env.cx.sink.add(derivative.noStates, a.span, { given: states })
        break
      }
      case 'fastopt':
      case 'allow_uav_condition':
      case 'branch':
      case 'flatten':
        break
      default:
        env.cx.sink.add(names.unknownAttribute, a.nameSpan, { name: a.name })
    }
  }
  if (forceUnroll && checkpoints !== null)
    env.cx.sink.add(derivative.statesOfUnrolled, attributes.find(a => a.name === 'Checkpoints')!.span, {})
  return { forceUnroll, hint, maxIters, checkpoints }
}
