/** Signatures for overload resolution and lowering: with types substituted, and of derivatives. */
import type { Cx } from '../model/context.ts'
import type { FuncDecl, Type } from '../model/decl.ts'
import type { FuncRef, SigParam, Template } from '../model/func-ref.ts'
import { type Subst, compose, show, structType, voidType } from '../model/type.ts'
import { put, selfType, substFor } from './conform.ts'
import { differentialOf, shadowOf } from './differential.ts'
import { isExtended } from './extend.ts'
import { funcSig, isMutating } from './signature.ts'

function noDiffThis(func: FuncDecl): boolean {
  return (
    func.syntax.attributes.some(a => a.name === 'NoDiffThis') ||
    func.of?.syntax.attributes.some(a => a.name === 'NoDiffThis') === true
  )
}

/** How a signature reads in a message. */
export function showSignature(sig: Template): string {
  const last = sig.params.at(-1)
  const params = last?.thrown === true ? sig.params.slice(0, -1) : sig.params
  const text = show({ ...sig, params, kind: 'func', key: '' })
  return last?.thrown === true && last.type.kind === 'struct' ? `${text} throws ${show(last.type.args[0]!)}` : text
}

/** The signature of a declaration with some generic parameters put in. */
export function template(from: Cx, func: FuncDecl, subst: Subst): Template {
  if (subst.args.size > 0 || subst.self !== null) return makeTemplate(from, func, subst)
  // An extension of the program's may make a type of the library differentiable.
  const cx = from.extensions.length > 0 ? from : from.of(func)
  const known = cx.templates.get(func)
  if (known !== undefined) return known
  const made = makeTemplate(cx, func, subst)
  // While a signature is being resolved it stands as an error, which must not last.
  if (cx.of(func).sigs.get(func) !== 'busy') cx.templates.set(func, made)
  return made
}

/** The same, where only the types that are put in say what is differentiable, and not the bounds of the generic parameters. */
export function openTemplate(cx: Cx, func: FuncDecl, subst: Subst): Template {
  return makeTemplate(cx, func, subst, true)
}

function makeTemplate(cx: Cx, func: FuncDecl, subst: Subst, open = isExtended(cx, func, subst)): Template {
  const sig = funcSig(cx, func)
  const isMethod = func.role === 'method' || func.role === 'accessor'
  const raw = isMethod && func.parent !== null ? selfType(cx, func.parent) : null
  const self = raw === null ? null : put(cx, raw, subst)
  // What is not differentiable by the bounds of a generic function is not in any instance of it, unless an extension says so.
  const user = !func.module.isCore && !open
  return {
    params: sig.params.map(p => ({
      name: p.name,
      type: put(cx, p.type, subst),
      dir: p.dir,
      ...(p.thrown === true && { thrown: p.thrown }),
      noDiff: p.noDiff || (user && differentialOf(cx, p.type) === null && shadowOf(cx, p.type) === null),
    })),
    result: put(cx, sig.result, subst),
    resultNoDiff: sig.resultNoDiff || (user && sig.result.kind !== 'void' && differentialOf(cx, sig.result) === null),
    self,
    mutating: isMutating(func),
    selfNoDiff: self !== null && (noDiffThis(func) || differentialOf(cx, user && raw !== null ? raw : self) === null),
    defaults: sig.params.map(p => p.hasDefault),
  }
}

/** The pair of a type and its differential. */
export function pairType(
  cx: Cx,
  type: Type,
  name: 'DifferentialPair' | 'DifferentialPtrPair' = 'DifferentialPair',
): Type {
  return structType(cx.library.the('struct', name), [type])
}

/** A parameter in a derivative: a pointer travels with its shadow, in both modes. */
export function withShadow(cx: Cx, p: SigParam): SigParam {
  return p.noDiff || p.dir !== 'in' || shadowOf(cx, p.type) === null
    ? p
    : { ...p, type: pairType(cx, p.type, 'DifferentialPtrPair'), noDiff: true }
}

/** The differential that a type would have with floats for the type parameters that it is made of; null where it is made of none. */
function floatDifferential(type: Type): Type | null {
  switch (type.kind) {
    case 'param':
      return type
    case 'vector':
    case 'matrix':
    case 'array':
      return floatDifferential(type.elem) === null ? null : type
    case 'struct':
      return type.decl.intrinsic === 'DifferentialPair' && floatDifferential(type.args[0] as Type) !== null
        ? type
        : null
    default:
      return null
  }
}

/**
 * The signature of `fwd_diff(f)` or `bwd_diff(f)` from that of f. With `floats`, type parameters stand for floats even if their
 * bounds do not say so: a library function may be differentiable only for floats.
 */
export function derive(cx: Cx, sig: Template, mode: 'forward' | 'backward', floats = false): Template {
  const differential = (type: Type): Type | null =>
    differentialOf(cx, type) ?? (floats ? floatDifferential(type) : null)
  const all: SigParam[] = (
    sig.self === null
      ? sig.params.filter(p => p.thrown !== true)
      : [
          {
            name: 'this',
            type: sig.self,
            dir: sig.mutating ? ('inout' as const) : ('in' as const),
            noDiff: sig.selfNoDiff && shadowOf(cx, sig.self) === null,
          },
          ...sig.params.filter(p => p.thrown !== true),
        ]
  ).map(p => withShadow(cx, p))
  const diff = (p: SigParam): Type | null => (p.noDiff ? null : differential(p.type))
  const resultShadow = sig.result.kind === 'void' ? null : shadowOf(cx, sig.result)
  const resultDiff = sig.resultNoDiff || sig.result.kind === 'void' ? null : differential(sig.result)
  if (mode === 'forward') {
    const list = all.map((p): SigParam =>
      diff(p) === null ? p : { name: p.name, type: pairType(cx, p.type), dir: p.dir, noDiff: false },
    )
    return {
      params: list,
      result:
        resultShadow !== null
          ? pairType(cx, sig.result, 'DifferentialPtrPair')
          : resultDiff === null
            ? sig.result
            : pairType(cx, sig.result),
      resultNoDiff: sig.resultNoDiff,
      self: null,
      mutating: false,
      selfNoDiff: false,
      defaults: list.map(() => false),
    }
  }
  const list: SigParam[] = []
  for (const p of all) {
    const d = diff(p)
    if (d === null) {
      if (p.dir !== 'out') list.push({ name: p.name, type: p.type, dir: 'in', noDiff: p.noDiff })
    } else if (p.dir === 'out') list.push({ name: p.name, type: d, dir: 'in', noDiff: false })
    else list.push({ name: p.name, type: pairType(cx, p.type), dir: 'inout', noDiff: false })
  }
  if (resultDiff !== null) list.push({ name: 'resultGradient', type: resultDiff, dir: 'in', noDiff: false })
  return {
    params: list,
    result: voidType,
    resultNoDiff: false,
    self: null,
    mutating: false,
    selfNoDiff: false,
    defaults: list.map(() => false),
  }
}

/** The signature of a reference. */
export function signatureOf(cx: Cx, ref: FuncRef): Template {
  switch (ref.kind) {
    case 'direct':
      return template(cx, ref.decl, ref.subst)
    case 'requirement':
    case 'dynamic': {
      const self = ref.kind === 'requirement' ? ref.type : (ref.over ?? ref.iface)
      const sig = template(cx, ref.decl, compose(ref.subst, substFor(ref.iface.decl, ref.iface.args, self)))
      // What a value of the wider interface is made of may be differentiable where the one that asks says nothing of it.
      if (ref.kind !== 'dynamic' || ref.over === undefined || sig.self === null) return sig
      return { ...sig, selfNoDiff: noDiffThis(ref.decl) || differentialOf(cx, ref.over) === null }
    }
    case 'derivative':
      return derive(cx, signatureOf(cx, ref.of), ref.mode)
  }
}
