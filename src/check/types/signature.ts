/** Signatures of functions as declared; types of fields and globals; default values. */
import type { Span } from '../../base/source.ts'
import * as names from '../../base/errors/names.ts'
import * as types from '../../base/errors/types.ts'
import * as ast from '../../syntax/ast.ts'
import { constraintsAround, selfType } from './conform.ts'
import { containsItself } from './contain.ts'
import { Env, type Cx, type FieldSig, type FuncSig } from '../model/context.ts'
import type { Binding, FieldDecl, FuncDecl, GlobalDecl, ParamDecl, StructDecl } from '../model/decl.ts'
import { emptyError } from '../model/term.ts'
import { optionalType } from './optional.ts'
import { linkedGlobal } from './link.ts'
import { referred } from './reference.ts'
import { ordered, resolveInt, resolveType } from './resolve.ts'
import type { Expr, GlobalInfo } from '../model/tree.ts'
import {
  arrayType,
  errorType,
  known,
  paramType,
  structType,
  voidType,
  type Direction,
  type Type,
} from '../model/type.ts'

const has = (node: { readonly modifiers: readonly ast.Modifier[] }, name: string): boolean =>
  ast.hasModifier(node, name)

/** Whether `no_diff` stands among modifiers or inside the type. */
function isNoDiff(node: { readonly modifiers: readonly ast.Modifier[] }, type: ast.TypeExpr | undefined): boolean {
  return (
    has(node, 'no_diff') ||
    (type !== undefined && type.kind === 'modified' && type.modifiers.some(m => m.name === 'no_diff'))
  )
}

// ── Fields ───────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The instance fields of a struct in order, in terms of its own parameters. A struct that would contain itself, which is an error,
 * has no typed fields, so that recursion over fields ends.
 */
export function fieldSigs(from: Cx, decl: StructDecl): readonly FieldSig[] {
  const cx = from.of(decl)
  const known = cx.fieldSigs.get(decl)
  if (known !== undefined) return known
  const written = writtenFields(cx, decl)
  if (cx.writtenFields.get(decl) === 'busy') return []
  cx.fieldSigs.set(decl, written)
  if (!containsItself(cx, decl)) return written
  const sigs = written.map((sig): FieldSig => ({ ...sig, type: errorType }))
  cx.fieldSigs.set(decl, sigs)
  return sigs
}

/** The declared instance fields, also of a struct that would contain itself. */
export function writtenFields(from: Cx, decl: StructDecl): readonly FieldSig[] {
  const cx = from.of(decl)
  const known = cx.writtenFields.get(decl) ?? cx.fieldSigs.get(decl)
  if (known !== undefined) return known === 'busy' ? [] : known
  cx.writtenFields.set(decl, 'busy')
  const sigs = decl.fields.map((f): FieldSig => fieldSig(cx, f))
  cx.writtenFields.set(decl, sigs)
  return sigs
}

function fieldSig(cx: Cx, f: FieldDecl): FieldSig {
  const syntax = f.syntax
  if (syntax === null) return { decl: f, type: errorType, noDiff: false, semantic: '' }
  let type: Type
  if (syntax.type !== undefined) type = ordered(cx, syntax, resolveType(cx, syntax.type, f.scope))
  else if (syntax.init !== undefined) type = cx.above.value(new Env(cx, f.scope), syntax.init, null).type
  else {
    cx.sink.add(types.noInitialiser, f.span ?? undefined, { name: f.name })
    type = errorType
  }
  if (type.kind === 'void') {
    cx.sink.add(types.voidVariable, f.span ?? undefined, { name: f.name })
    type = errorType
  }
  return { decl: f, type, noDiff: isNoDiff(syntax, syntax.type), semantic: semanticOf(syntax.semantics) }
}

/** The type of one field; that of its struct's other fields is not needed for it. */
export function fieldType(from: Cx, f: FieldDecl): Type {
  const cx = from.of(f.owner)
  if (cx.writtenFields.get(f.owner) === 'busy') return fieldSig(cx, f).type
  return fieldSigs(cx, f.owner)[f.index]?.type ?? errorType
}

/** The default value of a field in terms of the struct's parameters, or null. */
export function fieldDefault(from: Cx, f: FieldDecl): Expr | null {
  const cx = from.of(f)
  const known = cx.fieldDefaults.get(f)
  if (known !== undefined) return known
  cx.fieldDefaults.set(f, null)
  const init = f.syntax?.init
  if (init === undefined) return null
  const expr = cx.above.value(new Env(cx, f.scope), init, fieldType(cx, f))
  cx.fieldDefaults.set(f, expr)
  return expr
}

function semanticOf(semantics: readonly ast.Semantic[]): string {
  return semantics.find(s => s.name !== 'register' && s.name !== 'packoffset')?.name ?? ''
}

// ── Functions ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The signature as declared, in terms of the generic parameters around it. */
export function funcSig(from: Cx, func: FuncDecl): FuncSig {
  const cx = from.of(func)
  const known = cx.sigs.get(func)
  if (known === 'busy') {
    cx.sink.add(names.cyclic, func.span ?? undefined, { name: func.name })
    return { params: [], result: errorType, resultNoDiff: false }
  }
  if (known !== undefined) return known
  cx.sigs.set(func, 'busy')
  constraintsAround(cx, func)
  const sig = makeSig(cx, func)
  cx.sigs.set(func, sig)
  return sig
}

function makeSig(cx: Cx, func: FuncDecl): FuncSig {
  const { syntax } = func
  if (syntax.kind === 'func') {
    const result =
      syntax.result === undefined ? voidType : resolveType(cx, referred(cx, func) ?? syntax.result, func.inner)
    const list = params(cx, func, syntax.params)
    if (syntax.throws !== undefined) list.push(thrown(cx, func, syntax.throws, list.length))
    return { params: list, result, resultNoDiff: isNoDiff(syntax, syntax.result) }
  }
  if (syntax.kind === 'init')
    return {
      params: params(cx, func, syntax.params),
      result: (func.parent === null ? null : selfType(cx, func.parent)) ?? errorType,
      resultNoDiff: false,
    }
  const of = func.of!
  const valueSyntax = of.kind === 'property' ? of.syntax.type : of.syntax.result
  const type = resolveType(cx, valueSyntax, func.inner)
  const noDiff = isNoDiff(of.syntax, valueSyntax)
  const list = of.kind === 'subscript' ? params(cx, func, of.syntax.params) : []
  if (func.accessor !== 'set') return { params: list, result: type, resultNoDiff: noDiff }
  const value: ParamDecl = {
    kind: 'parameter',
    id: cx.id(),
    name: syntax.param?.name?.text ?? 'newValue',
    index: list.length,
    type,
    dir: 'in',
    noDiff,
    constant: false,
    hasDefault: false,
    semantic: '',
    modifiers: [],
    span: syntax.span,
  }
  return { params: [...list, value], result: voidType, resultNoDiff: false }
}

function direction(p: ast.Param): Direction {
  if (has(p, 'inout') || (has(p, 'in') && has(p, 'out')) || has(p, 'ref') || has(p, '__ref')) return 'inout'
  return has(p, 'out') ? 'out' : 'in'
}

/** The parameter that takes what a function throws. */
function thrown(cx: Cx, func: FuncDecl, error: ast.TypeExpr, index: number): ParamDecl {
  let held = resolveType(cx, error, func.inner)
  if (held.kind === 'void') {
    cx.sink.add(types.voidVariable, error.span, { name: 'an error' })
    held = errorType
  }
  const type = optionalType(cx, held)
  return {
    kind: 'parameter',
    id: cx.id(),
    name: 'thrown',
    index,
    type,
    dir: 'out',
    noDiff: false,
    constant: false,
    hasDefault: true,
    thrown: true,
    semantic: '',
    modifiers: [],
    span: error.span,
  }
}

function params(cx: Cx, func: FuncDecl, syntax: readonly ast.Param[]): ParamDecl[] {
  const hidden = func.generics?.params.filter(g => g.kind === 'typeparam' && g.syntax.hides !== undefined) ?? []
  return syntax.map((p, index): ParamDecl => {
    const own = hidden.find(g => g.kind === 'typeparam' && g.syntax.hides === index)
    const type =
      own?.kind === 'typeparam'
        ? paramType(own)
        : p.type === undefined
          ? errorType
          : ordered(cx, p, resolveType(cx, p.type, func.inner))
    return paramOf(cx, p, index, type)
  })
}

/** A parameter that a function or a lambda declares. */
export function paramOf(cx: Cx, p: ast.Param, index: number, declared: Type): ParamDecl {
  let type = declared
  if (p.fallback !== undefined && direction(p) !== 'in')
    cx.sink.add(types.outputDefault, p.fallback.span, { name: p.name?.text ?? `p${index}` })
  if (type.kind === 'void') {
    cx.sink.add(types.voidVariable, p.name?.span ?? p.span, { name: p.name?.text ?? 'a parameter' })
    type = errorType
  }
  return {
    kind: 'parameter',
    id: cx.id(),
    name: p.name?.text ?? `p${index}`,
    index,
    type,
    dir: direction(p),
    noDiff: isNoDiff(p, p.type),
    constant: has(p, 'const') || has(p, 'constexpr') || has(p, 'constref') || has(p, '__constref'),
    hasDefault: p.fallback !== undefined,
    semantic: semanticOf(p.semantics),
    modifiers: p.modifiers.map(m => m.name),
    span: p.name?.span ?? p.span,
  }
}

/** The default value of a parameter, in terms of the function's parameters. */
export function paramDefault(from: Cx, func: FuncDecl, index: number): Expr {
  const cx = from.of(func)
  let map = cx.paramDefaults.get(func)
  if (map === undefined) cx.paramDefaults.set(func, (map = new Map()))
  const known = map.get(index)
  if (known !== undefined) return known
  const list =
    func.syntax.kind === 'accessor' ? (func.of?.kind === 'subscript' ? func.of.syntax.params : []) : func.syntax.params
  const syntax = list[index]?.fallback
  const expr =
    syntax === undefined
      ? emptyError(errorType)
      : cx.above.value(new Env(cx, func.inner), syntax, funcSig(cx, func).params[index]!.type)
  map.set(index, expr)
  return expr
}

/** Whether a method changes its object. */
export function isMutating(func: FuncDecl): boolean {
  if (func.role !== 'method' && func.role !== 'accessor') return false
  const nodes = func.of === null ? [func.syntax] : [func.syntax, func.of.syntax]
  for (const n of nodes) {
    if (n.attributes.some(a => a.name === 'mutating') || has(n, 'mutating')) return true
    if (n.attributes.some(a => a.name === 'nonmutating' || a.name === '__nonmutating') || has(n, 'nonmutating'))
      return false
  }
  // A resource is a handle: writing through it does not change it.
  return func.accessor === 'set' && !(func.parent?.kind === 'struct' && func.parent.intrinsic !== null)
}

// ── Globals ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The type and initial value of a global, static member or block. */
export function globalInfo(from: Cx, decl: GlobalDecl): GlobalInfo {
  const cx = from.of(decl)
  const known = cx.globalInfos.get(decl)
  if (known === 'busy') {
    cx.sink.add(names.cyclic, decl.span ?? undefined, { name: decl.name })
    return { decl, type: errorType, init: () => null, binding: null, semantic: '' }
  }
  if (known !== undefined) return known
  cx.globalInfos.set(decl, 'busy')
  const { syntax } = decl
  let type: Type
  if (syntax.kind === 'buffer') type = decl.block === null ? errorType : structType(decl.block, [])
  else if (syntax.type !== undefined) {
    type = ordered(cx, syntax, resolveType(cx, syntax.type, decl.scope))
    // `float k[] = {…}` counts its elements.
    if (type.kind === 'array' && type.count === null && syntax.init !== undefined) {
      cx.globalInfos.delete(decl)
      const init = cx.above.value(new Env(cx, decl.scope), syntax.init, type)
      cx.globalInits.set(decl, init)
      type = init.type.kind === 'array' ? init.type : arrayType(type.elem, null)
    }
  } else if (syntax.init !== undefined) {
    const init = cx.above.value(new Env(cx, decl.scope), syntax.init, null)
    cx.globalInits.set(decl, init)
    type = init.type
  } else {
    cx.sink.add(types.noInitialiser, decl.span ?? undefined, { name: decl.name })
    type = errorType
  }
  if (type.kind === 'void') {
    cx.sink.add(types.voidVariable, decl.span ?? undefined, { name: decl.name })
    type = errorType
  }
  const info: GlobalInfo = {
    decl,
    type,
    init: () => globalInit(cx, decl),
    binding: bindingOf(cx, decl),
    semantic: syntax.kind === 'var' ? semanticOf(syntax.semantics) : '',
  }
  cx.globalInfos.set(decl, info)
  return info
}

/** The initialiser of a static variable or constant, or null. */
export function globalInit(from: Cx, decl: GlobalDecl): Expr | null {
  const cx = from.of(decl)
  const known = cx.globalInits.get(decl)
  if (known === 'busy') {
    cx.sink.add(names.cyclic, decl.span ?? undefined, { name: decl.name })
    return null
  }
  if (known !== undefined) return known
  const { syntax, scope } = linkedGlobal(cx, decl)
  if (syntax.kind === 'buffer' || syntax.init === undefined) return null
  const { type } = globalInfo(cx, decl)
  const made = cx.globalInits.get(decl)
  if (made !== undefined && made !== 'busy') return made
  cx.globalInits.set(decl, 'busy')
  const init = cx.above.value(new Env(cx, scope), syntax.init, type)
  cx.globalInits.set(decl, init)
  return init
}

function bindingOf(cx: Cx, decl: GlobalDecl): Binding | null {
  const bound = (
    { name, span }: { readonly name: string; readonly span: Span },
    binding: number,
    group: number,
    register?: string,
  ): Binding | null => {
    if ([binding, group].every(n => n >= 0 && n <= names.maxBinding)) return { binding, group, register }
    cx.sink.add(names.attributeArguments, span, { name, expected: names.bindingsExpected })
    return null
  }
  for (const a of decl.syntax.attributes) {
    if (a.name !== 'vk::binding' && a.name !== 'vk_binding' && a.name !== 'gl::binding') continue
    const [binding = 0, group = 0] = a.args.map(x => known(resolveInt(cx, x.value, decl.scope)) ?? 0)
    return bound(a, binding, group)
  }
  for (const s of decl.syntax.semantics) {
    if (s.name !== 'register') continue
    const register = s.args[0]
    const space = s.args[1]
    const number = register?.kind === 'name' ? /^([a-zA-Z])(\d+)$/.exec(register.name) : null
    const group = space?.kind === 'name' ? /^space(\d+)$/.exec(space.name) : null
    if (number !== null) return bound(s, Number(number[2]), Number(group?.[1] ?? 0), number[1]!.toLowerCase())
  }
  return null
}
