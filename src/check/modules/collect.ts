/**
 * Collects declarations from syntax: it enters every name into its scope and resolves nothing. So the order of declarations does
 * not matter, and unused ones cost little.
 */
import type { Name } from '../../syntax/ast.ts'
import * as ast from '../../syntax/ast.ts'
import * as errors from '../../base/errors/names.ts'
import type { Span } from '../../base/source.ts'
import type { Cx } from '../model/context.ts'
import type {
  AliasDecl,
  AssocDecl,
  Container,
  Decl,
  EnumCaseDecl,
  EnumDecl,
  ExtensionDecl,
  FieldDecl,
  FuncDecl,
  GenericParams,
  GlobalDecl,
  InterfaceDecl,
  ModuleDecl,
  NamespaceDecl,
  PropertyDecl,
  StructDecl,
  SubscriptDecl,
  TypeParamDecl,
  ValueParamDecl,
  Visibility,
} from '../model/decl.ts'
import { declare, newScope, type Scope } from '../model/scope.ts'
import { withHidden } from './hidden.ts'
import { withoutRef } from './ref.ts'
import { storage } from './storage.ts'
import { withLengths } from './unsized.ts'

interface Enclosing {
  readonly cx: Cx
  readonly module: ModuleDecl
  readonly parent: Container
  readonly scope: Scope
  readonly visibility: Visibility
  /** Takes the declaration instead of the scope. */
  readonly take?: (decl: Entered) => void
}

interface Base {
  readonly id: number
  readonly name: string
  readonly parent: Container
  readonly module: ModuleDecl
  readonly span: Span
  readonly visibility: Visibility
  readonly scope: Scope
}

function base(at: Enclosing, name: Name, modifiers: readonly ast.Modifier[], scope: Scope = at.scope): Base {
  // Since version 2026, what is in a public struct is public.
  const inPublic = (at.module.version ?? 0) >= 2026 && at.parent.kind === 'struct' && at.parent.visibility === 'public'
  let visibility: Visibility = inPublic ? 'public' : at.visibility
  for (const m of modifiers)
    if (m.name === 'public' || m.name === 'internal' || m.name === 'private') visibility = m.name
  return { id: at.cx.id(), name: name.text, parent: at.parent, module: at.module, span: name.span, visibility, scope }
}

/** A generic parameter list with its scope; null if there is none. The caller sets the owner of the scope. */
function generics(
  at: Enclosing,
  syntax: ast.Generics | undefined,
): { readonly generics: GenericParams | null; readonly scope: Scope } {
  if (syntax === undefined) return { generics: null, scope: at.scope }
  const scope = newScope(at.scope, 'generics', null)
  const params: (TypeParamDecl | ValueParamDecl)[] = []
  for (let index = 0; index < syntax.params.length; index++) {
    const p = syntax.params[index]!
    const common = base(at, p.name, [], scope)
    const decl: TypeParamDecl | ValueParamDecl =
      p.kind === 'typeParam'
        ? { kind: 'typeparam', ...common, index, syntax: p }
        : { kind: 'valueparam', ...common, index, syntax: p }
    params.push(decl)
    if (p.kind === 'typeParam' && p.hides !== undefined) continue
    if (scope.names.has(decl.name)) at.cx.sink.add(errors.redeclared, p.name.span, { name: decl.name })
    declare(scope, decl)
  }
  const list: GenericParams = { params, syntax, scope, packed: syntax.params.some(p => p.pack) }
  at.cx.paramLists.set(scope, list)
  return { generics: list, scope }
}

function refusePacks(at: Enclosing, list: GenericParams | null): boolean {
  if (list?.packed !== true) return false
  at.cx.sink.add(errors.unsupported, list.syntax.span, { feature: 'a pack on an interface or a subscript' })
  return true
}

const has = ast.hasModifier

const derivativeOf = new Set(['ForwardDerivativeOf', 'BackwardDerivativeOf', 'PrimalSubstituteOf'])

/** Enters declarations into a scope. */
export function collect(
  cx: Cx,
  decls: readonly ast.Decl[],
  module: ModuleDecl,
  parent: Container,
  scope: Scope,
  visibility: Visibility,
): void {
  const at: Enclosing = { cx, module, parent, scope, visibility }
  for (const decl of decls) collectOne(at, decl)
}

/** Enters a declaration that replaces another, whose name stays with that one. */
export function collectWritten(cx: Cx, of: FuncDecl | StructDecl | AliasDecl | ExtensionDecl, syntax: ast.Decl): Decl {
  let made: Decl = of
  collectOne(
    {
      cx,
      module: of.module,
      parent: of.parent!,
      scope: of.scope,
      visibility: of.visibility,
      take: decl => {
        made = decl
      },
    },
    syntax,
  )
  return made
}

/** Enters one declaration that stands in a function. */
export function collectLocal(cx: Cx, decl: ast.Decl, parent: FuncDecl, scope: Scope): void {
  collectOne({ cx, module: parent.module, parent, scope, visibility: 'public' }, decl)
}

function members(
  at: Enclosing,
  owner: Container,
  scope: Scope,
  decls: readonly ast.Decl[],
  visibility: Visibility,
): void {
  const inside: Enclosing = { cx: at.cx, module: at.module, parent: owner, scope, visibility }
  for (const decl of decls) collectOne(inside, decl)
}

function collectOne(at: Enclosing, decl: ast.Decl): void {
  switch (decl.kind) {
    case 'moduleDecl':
    case 'import':
    case 'include':
    case 'enumCase':
    case 'accessor':
      return
    case 'namespace':
      return collectNamespace(at, decl)
    case 'using':
      at.scope.usings.push({ target: decl.target, found: null })
      return
    case 'struct':
      return collectStruct(at, decl)
    case 'interface':
      return collectInterface(at, decl)
    case 'enum':
      return collectEnum(at, decl)
    case 'extension':
      return collectExtension(at, decl)
    case 'func':
    case 'init':
      collectFunc(at, decl.kind === 'func' ? withLengths(decl, at.parent.kind === 'interface') : decl)
      return
    case 'subscript':
      return collectSubscript(at, decl)
    case 'property':
      return collectProperty(at, decl)
    case 'alias': {
      const g = generics(at, decl.generics)
      // `typedef Foo Foo;` in a namespace means the one outside.
      const ownName =
        at.parent.kind === 'namespace' && decl.target.kind === 'name' && decl.target.name === decl.name.text
      const alias: AliasDecl = {
        kind: 'alias',
        ...base(at, decl.name, decl.modifiers),
        generics: g.generics,
        target: decl.target,
        inner: ownName ? at.scope.parent! : g.scope,
      }
      return enter(at, alias)
    }
    case 'associatedtype': {
      if (at.parent.kind !== 'interface') {
        at.cx.sink.add(errors.misplaced, decl.span, { what: 'an associated type', where: 'an interface' })
        return
      }
      if (decl.where.length > 0) at.cx.interfacesWithFacts.add(at.parent)
      const assoc: AssocDecl = { kind: 'assoc', ...base(at, decl.name, decl.modifiers), owner: at.parent, syntax: decl }
      return enter(at, assoc)
    }
    case 'var':
      return collectVar(at, decl)
    case 'buffer':
      return collectBuffer(at, decl)
    case 'assert':
      return
    case 'unsupported':
      at.cx.sink.add(errors.unsupported, decl.span, { feature: decl.feature })
      return
  }
}

type Entered =
  | AliasDecl
  | AssocDecl
  | EnumDecl
  | ExtensionDecl
  | FuncDecl
  | FieldDecl
  | GlobalDecl
  | InterfaceDecl
  | NamespaceDecl
  | PropertyDecl
  | StructDecl
  | SubscriptDecl

function enter(at: Enclosing, decl: Entered): void {
  if (at.take !== undefined) {
    at.take(decl)
    if (!at.module.isCore) at.cx.userDecls.push(decl)
    return
  }
  const old = at.scope.names.get(decl.name)
  if (old !== undefined && !at.module.isCore) {
    const clash = old.find(
      o => !(o.kind === 'func' && decl.kind === 'func') && !(o.kind === 'subscript' && decl.kind === 'subscript'),
    )
    if (clash !== undefined) {
      at.cx.sink.add(
        errors.redeclared,
        decl.span ?? undefined,
        { name: decl.name },
        ...(clash.kind !== 'module' && clash.span !== null ? [{ span: clash.span, text: 'declared here first' }] : []),
      )
      return
    }
  }
  declare(at.scope, decl)
  if (!at.module.isCore) at.cx.userDecls.push(decl)
}

function collectNamespace(at: Enclosing, decl: ast.NamespaceDecl): void {
  const old = at.scope.names.get(decl.name.text)?.find(d => d.kind === 'namespace')
  let ns = old
  if (ns === undefined) {
    const inner = newScope(at.scope, 'namespace', null)
    ns = { kind: 'namespace', ...base(at, decl.name, decl.modifiers), inner }
    Object.assign(inner, { owner: ns })
    enter(at, ns)
  }
  at.cx.observer?.named(decl.name.span, ns)
  members(at, ns, ns.inner, decl.decls, at.visibility)
}

function nestedName(at: Enclosing, name: string): string | null {
  return at.parent.kind === 'struct' ? `${at.parent.nested ?? at.parent.name}.${name}` : null
}

function stringArg(attributes: readonly ast.Attribute[], name: string): string | null {
  const value = attributes.find(a => a.name === name)?.args[0]?.value
  return value !== undefined && value.kind === 'string' ? value.value : null
}

function collectStruct(at: Enclosing, decl: ast.StructDecl): void {
  if (decl.alias !== undefined || (decl.members === undefined && has(decl, 'extern'))) {
    const target: ast.TypeExpr = decl.alias ?? { kind: 'error', span: decl.span }
    const alias: AliasDecl = {
      kind: 'alias',
      ...base(at, decl.name, decl.modifiers),
      generics: null,
      target,
      inner: at.scope,
      link: decl,
    }
    enter(at, alias)
    return offer(at, decl, alias)
  }
  const forward = at.take === undefined ? at.scope.names.get(decl.name.text)?.[0] : undefined
  if (decl.members === undefined && forward !== undefined && forward.kind === 'struct') {
    at.cx.observer?.named(decl.name.span, forward)
    return
  }
  if (
    forward !== undefined &&
    forward.kind === 'struct' &&
    forward.syntax?.kind === 'struct' &&
    forward.syntax.members === undefined
  )
    at.scope.names.delete(decl.name.text)
  const g = generics(at, decl.generics)
  const inner = newScope(g.scope, 'type', null)
  const struct: StructDecl = {
    kind: 'struct',
    ...base(at, decl.name, decl.modifiers),
    generics: g.generics,
    nested: nestedName(at, decl.name.text),
    intrinsic: at.module.isCore ? stringArg(decl.attributes, '__intrinsic') : null,
    differentialOf: null,
    isBlock: false,
    syntax: decl,
    inner,
    fields: [],
  }
  Object.assign(inner, { owner: struct })
  enter(at, struct)
  offer(at, decl, struct)
  if (g.generics?.packed === true) return
  members(
    at,
    struct,
    inner,
    [...represented(decl), ...(decl.members ?? [])],
    at.visibility === 'internal' && struct.visibility === 'public' ? 'internal' : struct.visibility,
  )
}

/** The field that stands for the value of a struct declared by `__intrinsic_type(UInt)`, which the real compiler takes for a number. */
function represented(decl: ast.StructDecl): ast.VarDecl[] {
  const of = decl.attributes.find(a => a.name === '__intrinsic_type')?.args[0]?.value
  if (of?.kind !== 'name') return []
  const type: ast.TypeExpr = { ...of, name: of.name.toLowerCase().replace(/\d+$/, '$&_t') }
  const name: ast.Name = { ...decl.name, text: '__value' }
  return [
    { ...decl, kind: 'var', form: 'typed', name, type, init: undefined, semantics: [], attributes: [], modifiers: [] },
  ]
}

/** Records what a module exports for `extern` declarations of others. */
function offer(at: Enclosing, syntax: ast.VarDecl | ast.StructDecl, decl: GlobalDecl | StructDecl | AliasDecl): void {
  if (!has(syntax, 'export') || inType(at.parent)) return
  const others = at.cx.exports.get(decl.name)
  if (others === undefined) at.cx.exports.set(decl.name, [decl])
  else others.push(decl)
}

function collectInterface(at: Enclosing, decl: ast.InterfaceDecl): void {
  const g = generics(at, decl.generics)
  const inner = newScope(g.scope, 'type', null)
  if (refusePacks(at, g.generics)) return
  const iface: InterfaceDecl = {
    kind: 'interface',
    ...base(at, decl.name, decl.modifiers),
    generics: g.generics,
    syntax: decl,
    inner,
  }
  Object.assign(inner, { owner: iface })
  enter(at, iface)
  members(at, iface, inner, decl.members ?? [], iface.visibility)
}

function collectEnum(at: Enclosing, decl: ast.EnumDecl): void {
  const inner = newScope(at.scope, 'type', null)
  const cases: EnumCaseDecl[] = []
  const owner: EnumDecl = { kind: 'enum', ...base(at, decl.name, decl.modifiers), syntax: decl, inner, cases }
  Object.assign(inner, { owner })
  enter(at, owner)
  const unscoped = ast.findAttribute(decl, 'UnscopedEnum') !== undefined
  for (const c of decl.cases) {
    const enumCase: EnumCaseDecl = {
      kind: 'case',
      ...base({ ...at, parent: owner }, c.name, [], inner),
      visibility: owner.visibility,
      owner,
      syntax: c,
      index: cases.length,
    }
    if (inner.names.has(enumCase.name)) at.cx.sink.add(errors.redeclared, c.name.span, { name: enumCase.name })
    else {
      declare(inner, enumCase)
      cases.push(enumCase)
    }
    if (unscoped) declare(at.scope, enumCase)
  }
}

function collectExtension(at: Enclosing, decl: ast.ExtensionDecl): void {
  const g = generics(at, decl.generics)
  const inner = newScope(g.scope, 'type', null)
  const name: Name = { text: '', span: decl.target.span }
  const extension: ExtensionDecl = {
    kind: 'extension',
    ...base(at, name, decl.modifiers),
    generics: g.generics,
    syntax: decl,
    inner,
  }
  Object.assign(inner, { owner: extension })
  at.take?.(extension)
  if (!at.module.isCore) {
    at.cx.userDecls.push(extension)
    if (g.generics?.packed === true) {
      at.cx.packedExtensions.push(extension)
      return
    }
    at.cx.extensions.push(extension)
  } else declare(at.scope, extension)
  members(at, extension, inner, decl.members, at.visibility)
}

const inType = ({ kind }: Container): boolean => kind === 'struct' || kind === 'interface' || kind === 'extension'

function collectFunc(at: Enclosing, decl: ast.FuncDecl | ast.InitDecl): FuncDecl {
  const isExtension = decl.kind === 'func' && decl.extends !== undefined
  const g = generics(at, at.module.isCore || isExtension ? decl.generics : withHidden(decl))
  const member = inType(at.parent)
  const role =
    decl.kind === 'init'
      ? 'constructor'
      : !member
        ? 'function'
        : has(decl, 'static') || isExtension
          ? 'static'
          : 'method'
  const func: FuncDecl = {
    kind: 'func',
    ...base(at, decl.name, decl.modifiers),
    role,
    accessor: null,
    generics: g.generics,
    owner: at.parent.kind === 'interface' ? at.parent : null,
    hasBody: decl.body !== undefined,
    syntax: decl,
    of: null,
    inner: g.scope,
  }
  if (decl.kind === 'init' && !member)
    at.cx.sink.add(errors.misplaced, decl.span, { what: 'a constructor', where: 'a type' })
  if (isExtension) {
    at.cx.funcExtensions.push(func)
    at.cx.userDecls.push(func)
    return func
  }
  enter(at, func)
  if (!func.hasBody && func.owner === null && !at.module.isCore) {
    const others = at.cx.redeclared.get(func.name)
    if (others === undefined) at.cx.redeclared.set(func.name, [func])
    else others.push(func)
  }
  if (decl.attributes.some(a => derivativeOf.has(a.name)) && !at.module.isCore && g.generics?.packed !== true)
    at.cx.derivativeOfs.push(func)
  return func
}

function accessors(
  at: Enclosing,
  of: PropertyDecl | SubscriptDecl,
  inner: Scope,
  given: readonly ast.AccessorDecl[],
  isStatic: boolean,
): void {
  const span = of.span!
  const list: readonly ast.AccessorDecl[] =
    given.length > 0
      ? at.module.isCore
        ? given
        : withoutRef(given)
      : [
          {
            kind: 'accessor',
            span,
            attributes: [],
            modifiers: [],
            name: { text: 'get', span },
            which: 'get',
            param: undefined,
            body: undefined,
          },
        ]
  for (const a of list) {
    const func: FuncDecl = {
      kind: 'func',
      ...base(at, { text: of.name, span: a.name.span }, of.syntax.modifiers),
      role: isStatic ? 'static' : 'accessor',
      accessor: a.which,
      generics: of.kind === 'subscript' ? of.generics : null,
      owner: at.parent.kind === 'interface' ? at.parent : null,
      hasBody: a.body !== undefined,
      syntax: a,
      of,
      inner,
    }
    of.accessors.push(func)
    if (!at.module.isCore) at.cx.userDecls.push(func)
  }
}

function collectSubscript(at: Enclosing, decl: ast.SubscriptDecl): void {
  const g = generics(at, decl.generics)
  if (refusePacks(at, g.generics)) return
  const subscript: SubscriptDecl = {
    kind: 'subscript',
    ...base(at, { text: 'operator[]', span: decl.name.span }, decl.modifiers),
    accessors: [],
    syntax: decl,
    generics: g.generics,
  }
  enter(at, subscript)
  accessors(at, subscript, g.scope, decl.accessors, false)
}

function collectProperty(at: Enclosing, decl: ast.PropertyDecl): void {
  const isStatic = has(decl, 'static') || !inType(at.parent)
  const property: PropertyDecl = {
    kind: 'property',
    ...base(at, decl.name, decl.modifiers),
    isStatic,
    accessors: [],
    syntax: decl,
  }
  enter(at, property)
  accessors(at, property, at.scope, decl.accessors, isStatic)
}

function collectVar(at: Enclosing, decl: ast.VarDecl): void {
  const common = base(at, decl.name, decl.modifiers)
  if (ast.bitWidth(decl) !== null) {
    // Once all names are known, a field becomes a property.
    if (at.parent.kind === 'struct' && !has(decl, 'static')) return
    at.cx.sink.add(errors.misplaced, decl.name.span, { what: 'a bit field', where: 'a struct' })
  }
  if (at.parent.kind === 'struct' && !has(decl, 'static')) {
    const field: FieldDecl = {
      kind: 'field',
      ...common,
      index: at.parent.fields.length,
      owner: at.parent,
      syntax: decl,
    }
    const count = at.parent.fields.length
    enter(at, field)
    if (at.scope.names.get(decl.name.text)?.includes(field) === true) at.parent.fields[count] = field
    return
  }
  if (at.parent.kind === 'extension' && !has(decl, 'static')) {
    // An `extern` field is one that the type has, and is declared again for its attributes.
    if (has(decl, 'extern')) return
    at.cx.sink.add(errors.misplaced, decl.span, { what: 'a field', where: 'the type itself, not in an extension' })
    return
  }
  const global: GlobalDecl = {
    kind: 'global',
    ...common,
    storage: storage(decl, at.parent.kind === 'interface'),
    syntax: decl,
    block: null,
  }
  enter(at, global)
  if (global.storage === 'constant') offer(at, decl, global)
}

function collectBuffer(at: Enclosing, decl: ast.BufferDecl): void {
  const inner = newScope(at.scope, 'type', null)
  const common = base(at, decl.name, decl.modifiers)
  const block: StructDecl = {
    kind: 'struct',
    ...common,
    generics: null,
    nested: null,
    intrinsic: null,
    differentialOf: null,
    isBlock: true,
    syntax: decl,
    inner,
    fields: [],
  }
  Object.assign(inner, { owner: block })
  const global: GlobalDecl = { kind: 'global', ...common, id: at.cx.id(), storage: 'block', syntax: decl, block }
  declare(at.scope, global)
  at.cx.userDecls.push(global)
  for (const m of decl.members) {
    if (m.kind !== 'var' || ast.bitWidth(m) !== null) {
      collectOne(at, m)
      continue
    }
    const field: FieldDecl = {
      kind: 'field',
      ...base({ ...at, parent: block }, m.name, m.modifiers, inner),
      index: block.fields.length,
      owner: block,
      syntax: m,
    }
    declare(inner, field)
    block.fields.push(field)
    at.cx.blockMembers.set(field, global)
    enter(at, field)
  }
}
