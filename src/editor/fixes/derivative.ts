/** Fixes of mistakes about derivatives. */
import * as ad from '../../base/errors/ad.ts'
import * as errors from '../../base/errors/derivative.ts'
import { unrollForever } from '../../base/errors/opt.ts'
import { nearest } from '../../base/near.ts'
import type { FuncDecl } from '../../check/model/decl.ts'
import type { Attribute, Expr, Param, VarDecl } from '../../syntax/ast.ts'
import { innermost, row, textOf, type Edit, type Mistake, type Row } from './fix.ts'
import {
  atStart,
  before,
  behind,
  conform,
  lineBefore,
  remove,
  removeAttribute,
  replace,
  withoutBase,
  wrap,
} from './text.ts'

/** Marks a function of the user's. */
function marked(func: FuncDecl | undefined): readonly Edit[] | undefined {
  return func && [lineBefore(func.syntax.span, '[Differentiable]')]
}

/** Marks the function that the call at the mistake means. */
function markCalled(at: Mistake): readonly Edit[] | undefined {
  const call = at.inner('call')
  return marked(call && (at.called(call.callee) ?? at.onlyFunction(String(at.given['name']))))
}

/** Writes `no_diff` before the call at the mistake. */
function noDiffCall(at: Mistake): readonly Edit[] | undefined {
  const call = at.inner('call')
  return call && [before(call.span, 'no_diff ')]
}

/** A function that derives, where the mistake names it by `fwd_diff(f)` or an attribute. */
function namedFunction(at: Mistake): FuncDecl | undefined {
  const differentiated = innermost(at.path, 'differentiate') ?? callee(at)
  return (differentiated && at.called(differentiated.func)) ?? at.onlyFunction(String(at.given['name']))
}

function callee(at: Mistake): (Expr & { readonly kind: 'differentiate' }) | undefined {
  const called = at.whole('call')?.callee
  return called?.kind === 'differentiate' ? called : undefined
}

/** Puts `no_diff` before the parameter or field that the mistake stands at. */
function noDiffHere(at: Mistake): readonly Edit[] | undefined {
  const node = at.inner('param', 'var')
  return node && [before(typeStart(node), 'no_diff ')]
}

function typeStart({ modifiers, type, span }: Param | VarDecl): Param['span'] {
  return modifiers[0]?.span ?? type?.span ?? span
}

/** Lets a struct of the user's conform to IDifferentiable. */
function differentiable(at: Mistake, type: string | number): readonly Edit[] | undefined {
  const struct = at.struct(String(type))
  const edit = struct && conform(struct, 'IDifferentiable')
  return edit && [edit]
}

/** The attributes of the loop at the mistake. */
function loopAttribute(at: Mistake, name: string): Attribute | undefined {
  return at.inner('for', 'while', 'do')?.attributes.find(a => a.name === name)
}

function removeLoopAttribute(at: Mistake, name: string): readonly Edit[] | undefined {
  const found = loopAttribute(at, name)
  return found && [removeAttribute(found.span)]
}

/** How often a loop of unknown bound is allowed to run: a number to be changed, which debug builds check. */
const someTrips = 64
const someStates = 8

const bound = {
  does: ['put [MaxIters(n)]', 'before the loop'],
  edit: (at: Mistake): readonly Edit[] => [lineBefore(at.span, `[MaxIters(${someTrips})]`)],
} as const
const checkpoints = {
  does: ['put', '[Checkpoints(k)] before the loop'],
  edit: (at: Mistake): readonly Edit[] => [lineBefore(at.span, `[Checkpoints(${someStates})]`)],
} as const

/** Puts one name in place of another in an expression. */
function renamed(at: Mistake, e: Expr | undefined, from: string, to: string): readonly Edit[] | undefined {
  const name = e && at.behind(new RegExp(`\\b${from}\\b`), e.span.start, e.span.end)
  return name && [replace(name, to)]
}

export const derivativeFixes: readonly Row[] = [
  row(errors.notDifferentiable, {
    does: 'mark it [Differentiable]',
    with: '{name}',
    isPreferred: true,
    edit: at => marked(namedFunction(at)),
  }),
  row(
    errors.lostInCall,
    { does: 'mark {name} [Differentiable]', isPreferred: true, edit: markCalled },
    { does: 'write no_diff before the call', edit: noDiffCall },
  ),
  row(
    errors.lostInOutput,
    { does: 'mark {name} [Differentiable]', isPreferred: true, edit: markCalled },
    { does: 'write no_diff before the call', edit: noDiffCall },
  ),
  row(ad.lacksShadow, { does: 'write no_diff before the call', edit: noDiffCall }),
  row(ad.lostInInstance, {
    does: 'mark {name} [Differentiable]',
    isPreferred: true,
    edit: at => marked(at.onlyFunction(at.given.name as string)),
  }),
  row(errors.lostInAssignment, {
    does: 'write detach(...) around the value',
    edit: at => {
      const e = at.whole('assign')
      return e && wrap(e.value.span, 'detach(', ')')
    },
  }),
  row(errors.noDiffNeedsCall, {
    does: 'write detach(...) to drop the derivative of a value',
    isPreferred: true,
    edit: at => {
      const e = at.whole('noDiff')
      return e && [replace(at.part(e.span.start, e.operand.span.start), 'detach('), behind(e.span, ')')]
    },
  }),
  row(errors.noDiffOfDifferentiable, { does: 'leave no_diff away', isPreferred: true, edit: withoutNoDiff }),
  row(
    errors.noDiffOutside,
    { does: 'leave it away', isPreferred: true, edit: withoutNoDiff },
    {
      does: 'mark the function [Differentiable]',
      edit: at => {
        const func = at.func()
        return func && [lineBefore(func.span, '[Differentiable]')]
      },
    },
  ),
  row(errors.vectorConditional, {
    does: 'use select(condition, a, b)',
    isPreferred: true,
    edit: at => {
      const e = at.inner('conditional')
      if (e === undefined) return undefined
      return [
        before(e.span, 'select('),
        replace(at.part(e.condition.span.end, e.then.span.start), ', '),
        replace(at.part(e.then.span.end, e.else.span.start), ', '),
        behind(e.span, ')'),
      ]
    },
  }),
  row(errors.ownDifferential, {
    does: 'let it conform to IDifferentiable',
    with: '{type}',
    isPreferred: true,
    edit: at => differentiable(at, at.given.type),
  }),
  row(errors.noCounterpart, { does: 'mark the field no_diff', edit: noDiffHere }),
  row(errors.memberNotDifferentiable, { title: 'remove [DerivativeMember]', edit: withoutAttribute }),
  row(errors.noDerivativeMember, {
    title: 'write {best}',
    isPreferred: true,
    find: at => {
      const fields = at
        .struct(String(at.given.differential))
        ?.members?.flatMap(m => (m.kind === 'var' ? [m.name.text] : []))
      const best = nearest(String(at.given.name), fields ?? [])
      return best === null ? undefined : { best }
    },
    edit: (at, { best }) => {
      const arg = at.inner('attribute')?.args[0]?.value
      return arg?.kind === 'member' ? [replace(arg.name.span, best!)] : undefined
    },
  }),
  row(errors.memberOfPlainType, {
    does: 'let {type} conform to IDifferentiable',
    with: '{type}',
    isPreferred: true,
    edit: at => {
      const struct = at.struct(String(at.given.type))
      const base = struct && conform(struct, 'IDifferentiable')
      const named = at.inner('attribute')?.args[0]?.value
      if (base === undefined || named?.kind !== 'member') return undefined
      // The attribute names a member of the differential.
      const body = at.behind(/\{/, base.span.end)
      return body && [base, atStart(body, `typealias Differential = ${textOf(named.base.span)};`)]
    },
  }),
  row(errors.weakSubstitute, {
    does: 'mark it [Differentiable]',
    with: '{name}',
    isPreferred: true,
    edit: at => marked(at.onlyFunction(String(at.given.name))),
  }),
  row(errors.substituteCycle, { does: 'let the last function of the chain have none', edit: withoutAttribute }),
  row(
    errors.plainThis,
    { does: 'let {type} conform to IDifferentiable', isPreferred: true, edit: at => differentiable(at, at.given.type) },
    {
      does: 'mark the method [NoDiffThis]',
      edit: at => {
        const func = at.func()
        return func && [lineBefore(func.span, '[NoDiffThis]')]
      },
    },
  ),
  row(errors.plainStruct, {
    does: 'declare it as struct {type} : IDifferentiable',
    isPreferred: true,
    edit: at => differentiable(at, at.given.type),
  }),
  row(errors.unboundedLoop, bound, checkpoints),
  row(ad.unknownBound, bound, checkpoints),
  row(errors.noStates, {
    does: 'give it a whole number of 1 or more',
    edit: at => {
      const arg = at.inner('attribute')?.args[0]
      return arg && [replace(arg.span, String(someStates))]
    },
  }),
  row(errors.statesOfUnrolled, {
    does: 'leave one of them out',
    with: '[Checkpoints]',
    isPreferred: true,
    edit: withoutAttribute,
  }),
  row(ad.unrepeatableLoop, { does: 'leave [Checkpoints] out', edit: at => removeLoopAttribute(at, 'Checkpoints') }),
  row(unrollForever, {
    does: 'use [MaxIters(n)]',
    edit: at => {
      const found = loopAttribute(at, 'ForceUnroll')
      return found && [replace(found.span, `MaxIters(${someTrips})`)]
    },
  }),
  row(errors.stepsAnother, {
    title: 'step {name}',
    edit: at => renamed(at, at.inner('for')?.step, String(at.given.other), String(at.given.name)),
  }),
  row(errors.testsAnother, {
    title: 'test {name}',
    edit: at => renamed(at, at.inner('for')?.condition, String(at.given.other), String(at.given.name)),
  }),
  row(errors.runsAway, {
    title: 'step {name} the other way',
    isPreferred: true,
    edit: at => {
      const step = at.inner('for')?.step
      const sign = step && at.behind(/\+\+|--|\+=|-=/, step.span.start, step.span.end)
      if (sign === undefined) return undefined
      const turned = textOf(sign).replace(/[+-]/g, c => (c === '+' ? '-' : '+'))
      return [replace(sign, turned)]
    },
  }),
  row(errors.maxItersTooLarge, {
    title: 'write [MaxIters({known})]',
    isPreferred: true,
    edit: at => {
      const arg = loopAttribute(at, 'MaxIters')?.args[0]
      return arg && [replace(arg.span, String(at.given.known))]
    },
  }),
  row(
    errors.sideEffectsRecomputed,
    { does: 'use [PreferCheckpoint]', isPreferred: true, edit: at => prefer(at, 'PreferCheckpoint') },
    {
      does: 'say [PreferRecompute(SideEffectBehavior.Allow)]',
      edit: at => prefer(at, 'PreferRecompute(SideEffectBehavior.Allow)'),
    },
  ),
  row(errors.kernelParameters, { does: 'mark it no_diff', edit: noDiffHere }),
  row(
    errors.constantReference,
    {
      does: 'pass it by value',
      edit: at => {
        const reference = at.inner('param')?.modifiers.find(m => m.name.endsWith('constref'))
        return reference && [remove(reference.span)]
      },
    },
    { does: 'mark it no_diff', edit: noDiffHere },
  ),
  row(
    errors.valueAndPointer,
    {
      does: 'leave one of them out',
      with: 'IDifferentiablePtrType',
      edit: at => oneBase(at, 'IDifferentiablePtrType'),
    },
    { does: 'leave one of them out', with: 'IDifferentiable', edit: at => oneBase(at, 'IDifferentiable') },
  ),
  row(
    errors.counterpartType,
    {
      does: 'give {counterpart} the type {expected}',
      edit: at => {
        const [owner, name] = String(at.given.counterpart).split('.')
        const field =
          owner === undefined
            ? undefined
            : at.struct(owner)?.members?.find((m): m is VarDecl => m.kind === 'var' && m.name.text === name)
        return field?.type && [replace(field.type.span, String(at.given.expected))]
      },
    },
    {
      does: 'mark {name} no_diff',
      edit: at => {
        const attribute = at.inner('var')?.attributes.find(a => a.name === 'DerivativeMember')
        const edits = noDiffHere(at)
        return edits && [...(attribute === undefined ? [] : [removeAttribute(attribute.span)]), ...edits]
      },
    },
  ),
  row(errors.pointerComesOut, {
    does: 'mark it no_diff',
    edit: at => {
      const param = at.inner('param')
      if (param !== undefined) return [before(typeStart(param), 'no_diff ')]
      const result = at.inner('func')?.result
      return result && [before(result.span, 'no_diff ')]
    },
  }),
]

function withoutNoDiff(at: Mistake): readonly Edit[] | undefined {
  const e = at.whole('noDiff')
  return e && [replace(at.part(e.span.start, e.operand.span.start), '')]
}

function withoutAttribute(at: Mistake): readonly Edit[] | undefined {
  const attribute = at.inner('attribute')
  return attribute && [removeAttribute(attribute.span)]
}

function prefer(at: Mistake, text: string): readonly Edit[] | undefined {
  const attribute = at.func()?.attributes.find(a => a.name === 'PreferRecompute')
  return attribute && [replace(attribute.span, text)]
}

function oneBase(at: Mistake, name: string): readonly Edit[] | undefined {
  const struct = at.struct(String(at.given['type']))
  const edit = struct && withoutBase(struct, name)
  return edit && [edit]
}
