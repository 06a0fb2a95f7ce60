/** The struct of a lambda: what it captures as fields, and a method `operator()`. It conforms to `IFunc` of its types. */
import { redeclared } from '../../base/errors/names.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { attributesOf, coreInterface, ownArgs } from '../types/index.ts'
import { Env, type Cx } from '../model/context.ts'
import type { FieldDecl, FuncDecl, Level, ParamDecl, StructDecl } from '../model/decl.ts'
import { declare, newScope } from '../model/scope.ts'
import type { Body, Expr, Place, Stmt } from '../model/tree.ts'
import {
  interfaceType,
  structType,
  voidType,
  type GenericArg,
  type InterfaceType,
  type StructType,
  type Type,
} from '../model/type.ts'

/** A parameter that the compiler makes, or that a lambda declares. */
export function parameter(cx: Cx, name: string, index: number, type: Type, span: Span): ParamDecl {
  return {
    kind: 'parameter',
    id: cx.id(),
    name,
    index,
    type,
    dir: 'in',
    noDiff: false,
    constant: false,
    hasDefault: false,
    semantic: '',
    modifiers: [],
    span,
  }
}

/** A checked method, and what it gives. */
interface Made {
  readonly stmts: readonly Stmt[]
  readonly result: Type
  readonly open?: Body['open']
}

export interface Closure {
  readonly struct: StructDecl
  readonly type: StructType
  /** Adds a field that holds a value. */
  capture(name: string, held: Expr, noDiff: boolean): FieldDecl
  /** A field of `this`. */
  field(index: number, type: Type): Place
  /** Checks the method. */
  method(params: readonly ParamDecl[], level: Level, check: (env: Env) => Made): Method
  /** The value; all has been captured. */
  finish(method: Method, level: Level): Expr
}

interface Method {
  readonly func: FuncDecl
  readonly params: readonly ParamDecl[]
  readonly made: Made
}

/** A closure that stands at a place in an environment. `params` is what its text has. */
export function closureOf(env: Env, span: Span, written: readonly ast.Param[] = []): Closure {
  const { cx } = env
  const module = env.func?.module ?? cx.modules[0] ?? cx.library.module
  const inner = newScope(env.scope, 'type', null)
  const common = { id: cx.id(), module, span, visibility: 'public' as const }
  const struct: StructDecl = {
    ...common,
    kind: 'struct',
    name: 'Lambda',
    parent: env.func,
    scope: env.scope,
    generics: null,
    nested: null,
    intrinsic: null,
    differentialOf: null,
    isBlock: false,
    syntax: null,
    inner,
    fields: [],
  }
  Object.assign(inner, { owner: struct })
  const held: Expr[] = []
  const fields: { decl: FieldDecl; type: Type; noDiff: boolean; semantic: string }[] = []
  cx.fieldSigs.set(struct, fields)
  const bases: InterfaceType[] = []
  cx.bases.set(struct, bases)
  const type = structType(struct, ownArgs(struct))
  const add = (name: string, args: GenericArg[] | null): void => {
    const iface = args === null ? coreInterface(cx, name) : cx.library.lookup(name)[0]
    if (iface?.kind !== 'interface') return
    if ('args' in iface) bases.push(iface)
    else if (args !== null && args.length <= (iface.generics?.params.length ?? 0)) {
      while (args.length < iface.generics!.params.length) args.push(voidType)
      bases.push(interfaceType(iface, args))
    }
  }
  return {
    struct,
    type,
    capture: (name, value, noDiff) => {
      const field: FieldDecl = {
        ...common,
        kind: 'field',
        id: cx.id(),
        name,
        parent: struct,
        scope: inner,
        index: fields.length,
        owner: struct,
        syntax: null,
      }
      struct.fields.push(field)
      fields.push({ decl: field, type: value.type, noDiff, semantic: '' })
      held.push(value)
      return field
    },
    field: (index, of) => ({
      kind: 'field',
      type: of,
      span,
      base: { kind: 'this', type, span },
      field: struct.fields[index]!,
    }),
    method: (params, level, check) => {
      const syntax: ast.FuncDecl = {
        kind: 'func',
        span,
        attributes: [],
        modifiers: [],
        name: { text: 'operator()', span },
        generics: undefined,
        params: written,
        result: undefined,
        semantics: [],
        body: { kind: 'block', span, stmts: [] },
      }
      const func: FuncDecl = {
        ...common,
        kind: 'func',
        id: cx.id(),
        name: 'operator()',
        parent: struct,
        scope: inner,
        role: 'method',
        accessor: null,
        generics: null,
        owner: null,
        hasBody: true,
        syntax,
        of: null,
        inner,
      }
      declare(inner, func)
      if (level !== 'none') add('IDifferentiable', null)
      const scope = newScope(inner, 'block', func)
      for (const p of params) {
        if (scope.names.has(p.name)) cx.sink.add(redeclared, p.span ?? undefined, { name: p.name })
        else declare(scope, p)
      }
      const body = new Env(cx, scope, func, type, 'what a lambda captures is constant', voidType, level)
      return { func, params, made: check(body) }
    },
    finish: ({ func, params, made: { stmts, result, open } }, given) => {
      const body: Body = { params, stmts, ...(open !== undefined && { open }) }
      cx.sigs.set(func, { params, result, resultNoDiff: false })
      cx.bodies.set(func, body)
      // Where nobody asked, it is differentiable if it loses no derivative.
      if (given === 'none') add('IDifferentiable', null)
      const level = given === 'none' && !module.isCore && !cx.above.loses(cx, func, body) ? 'backward' : given
      cx.attributes.set(func, { ...attributesOf(cx, func), level, marked: level !== 'none' })
      // Interfaces of functions take all by value.
      if (params.some(p => p.dir !== 'in')) return { kind: 'construct', type, span, parts: held }
      const args = [result, ...params.map(p => p.type)]
      add('IFunc', [...args])
      if (level !== 'none') add('IDifferentiableFunc', args)
      return { kind: 'construct', type, span, parts: held }
    },
  }
}
