/** Checks the derivative attributes of functions. */
import * as errors from '../../base/errors/derivative.ts'
import { misplaced } from '../../base/errors/names.ts'
import type { Expr } from '../../syntax/ast.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl, Level } from '../model/decl.ts'
import {
  attached,
  attributesOf,
  extended,
  extensionArgs,
  funcExtensionsOf,
  forwardNames,
  forwardTarget,
  isExtension,
  linksOf,
  ofNames,
  ofTarget,
} from '../types/index.ts'

/** Says which of the functions that an attribute may name it means. */
function named({ observer }: Cx, target: Expr | undefined, meant: FuncDecl): void {
  let e = target
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
    if (target !== null) named(cx, a.attribute.args[0]?.value, target)
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
  if (isExtension(func)) checkExtension(cx, func)
  for (const a of attached(func, ofNames)) {
    const primal = ofTarget(cx, func, a, true)
    if (primal === null) continue
    named(cx, a.attribute.args[0]?.value, primal)
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

/** Reports what is wrong with a `__func_extension`. */
function checkExtension(cx: Cx, func: FuncDecl): void {
  if (func.owner !== null)
    cx.sink.add(misplaced, func.span ?? undefined, { what: 'a derivative of another function', where: 'a module' })
  const own = extended(cx, func, true)
  if (own === null) return
  const target = func.syntax.kind === 'func' ? func.syntax.extends?.target : undefined
  if (target !== undefined) named(cx, target, own.primal)
  if (extensionArgs(cx, own, own.pattern) === null)
    cx.sink.add(errors.extensionOpen, func.span ?? undefined, { name: own.primal.name })
  const isReverse = own.derives !== 'forward'
  const other = own.primal.module.isCore ? null : linksOf(cx, own.primal)[isReverse ? 'backward' : 'forward']
  const twin = funcExtensionsOf(cx, own.primal).find(
    e =>
      (e.derives !== 'forward') === isReverse &&
      extensionArgs(cx, e, own.pattern) !== null &&
      extensionArgs(cx, own, e.pattern) !== null,
  )
  const first = other ?? (twin?.decl === func ? undefined : twin?.decl)
  if (first !== undefined)
    cx.sink.add(
      errors.twoDerivatives,
      func.span ?? undefined,
      { name: own.primal.name },
      { span: first.span ?? undefined, text: 'this one' },
    )
}

const order = (level: Level): number => (level === 'none' ? 0 : level === 'forward' ? 1 : 2)
