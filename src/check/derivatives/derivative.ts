/** Checks the derivative attributes of functions. */
import * as errors from '../../base/errors/derivative.ts'
import type { Attribute } from '../../syntax/ast.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl, Level } from '../model/decl.ts'
import { attached, attributesOf, forwardNames, forwardTarget, linksOf, ofNames, ofTarget } from '../types/index.ts'

/** Says which of the functions that an attribute may name it means. */
function names({ observer }: Cx, attribute: Attribute, meant: FuncDecl): void {
  let e = attribute.args[0]?.value
  while (e?.kind === 'generic') e = e.base
  if (e !== undefined) observer?.named(e.kind === 'member' ? e.name.span : e.span, meant)
}

/** Whether following primal substitutes from a function leads back to it. */
function substitutesItself(cx: Cx, func: FuncDecl, first: FuncDecl): boolean {
  const seen = new Set<FuncDecl>()
  for (let f: FuncDecl | null = first; f !== null && !seen.has(f); f = linksOf(cx, f).substitute) {
    if (f === func) return true
    seen.add(f)
  }
  return false
}

/** Reports what is wrong with the derivative attributes of a function. */
export function checkDerivatives(cx: Cx, func: FuncDecl): void {
  for (const a of attached(func, forwardNames)) {
    const target = forwardTarget(cx, func, a, true)
    if (target !== null) names(cx, a.attribute, target)
    if (target === null || a.kind !== 'substitute') continue
    cx.substitutes = true
    if (substitutesItself(cx, func, target)) {
      cx.sink.add(errors.substituteCycle, a.attribute.span, { name: func.name })
      continue
    }
    const [own, theirs] = [attributesOf(cx, func), attributesOf(cx, target)]
    if ((own.marked || own.level !== 'none') && order(theirs.level) < order(own.level))
      cx.sink.add(errors.weakSubstitute, a.attribute.span, { name: target.name })
  }
  for (const a of attached(func, ofNames)) {
    const primal = ofTarget(cx, func, a, true)
    if (primal === null) continue
    names(cx, a.attribute, primal)
    const taken = linksOf(cx, primal)[a.kind]
    if (taken !== null && taken !== func)
      cx.sink.add(
        errors.twoDerivatives,
        a.attribute.span,
        { name: primal.name },
        { span: taken.span ?? undefined, text: 'this one' },
      )
    if (a.kind === 'substitute' && substitutesItself(cx, primal, func)) {
      cx.sink.add(errors.substituteCycle, a.attribute.span, { name: primal.name })
      continue
    }
    if (a.kind === 'substitute') {
      cx.substitutes = true
      const level = attributesOf(cx, primal).marked ? attributesOf(cx, primal).level : 'none'
      if (order(attributesOf(cx, func).level) < order(level))
        cx.sink.add(errors.weakSubstitute, a.attribute.span, { name: func.name })
    }
  }
}

const order = (level: Level): number => (level === 'none' ? 0 : level === 'forward' ? 1 : 2)
