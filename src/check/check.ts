/**
 * The checker: makes a checked program of source files, which answers what lowering asks. It checks user files in full, and of the
 * core library only what they use.
 */
import { Sink } from '../base/diag.ts'
import * as derivative from '../base/errors/derivative.ts'
import * as names from '../base/errors/names.ts'
import { tooDeep as nestedTooDeep } from '../base/errors/syntax.ts'
import {
  adoptApplied,
  adoptBase,
  packBits,
  anyValueSize,
  attributesOf,
  conforms,
  constraintsOf,
  coreInterface,
  declaredBases,
  derivativesOf,
  differentialOf,
  enumTag,
  enumValues,
  fieldDefault,
  findUsed,
  containsItself,
  fieldSigs,
  isExtension,
  levelOf,
  funcSig,
  globalInfo,
  globalInit,
  isUnresolved,
  knownConstant,
  paramDefault,
  paramLists,
  shadowOf,
  foldExpr,
  put,
  putRef,
  requiredConstant,
  resolveRef,
  resolveType,
  selfType,
  signatureOf,
  structDiff,
  substFor,
  usualCounts,
  writtenOut,
} from './types/index.ts'
import { Cx, Env, type Above, type Observer } from './model/context.ts'
import { argumentNeedsItself, defaultNeedsItself, globalNeedsItself, inheritsItself } from './declarations/cycle.ts'
import type {
  Decl,
  FieldDecl,
  FuncAttributes,
  FuncDecl,
  GlobalDecl,
  InterfaceDecl,
  Level,
  ModuleDecl,
  ParamDecl,
  StructDecl,
} from './model/decl.ts'
import type { Lack } from './model/lack.ts'
import type { Instance } from './model/missing.ts'
import { checkDerivatives } from './derivatives/derivative.ts'
import { checkLostDerivatives, reportLosses } from './derivatives/differentiable.ts'
import { bridge, checkAs, checkCondition, checkExpr, checkValue, emptyConstructors } from './expressions/index.ts'
import { Doubts } from './modules/doubts.ts'
import { Loader, type SourceOptions } from './modules/import.ts'
import { coreOf, type LibraryData } from './modules/library.ts'
import { namedInstance } from './declarations/instance.ts'
import { checkLinkedType } from './declarations/link.ts'
import { checkConformances, checkExternFields } from './declarations/conformance.ts'
import { Lacks, isMissing } from './statements/lacking.ts'
import { reportReturns } from './statements/returns.ts'
import { assertStatic, messageOf } from './statements/assert.ts'
import { checkTry } from './statements/attempt.ts'
import { checkBody, statements } from './statements/stmt.ts'
import type { FuncRef, Signature } from './model/func-ref.ts'
import type {
  Body,
  CheckedProgram,
  DerivativeInfo,
  Expr,
  FieldInfo,
  GlobalInfo,
  Stmt,
  StructDiffInfo,
} from './model/tree.ts'
import {
  intType,
  known,
  noSubst,
  show,
  substituteInt,
  type Int,
  type InterfaceType,
  type StructType,
  type Subst,
  type Type,
} from './model/type.ts'
import { parseRange } from '../syntax/parse.ts'
import { SourceFile, type Span } from '../base/source.ts'
import { checkLambda } from './statements/lambda.ts'

export type CheckOptions = SourceOptions

/** What rooms ask of the rooms above them. */
export const above: Above = {
  term: checkExpr,
  value: (env, e, to) => (to === null ? checkValue(env, e) : checkAs(env, e, to)),
  lambda: checkLambda,
  attempt: (env, e) => checkTry(env, e, statements),
  bridge,
  loses: (cx, func, body) => {
    const sink = new Sink()
    reportLosses(cx, func, body, sink)
    return sink.errors > 0
  },
}

/** A program whose files are parsed, and whose declarations are entered and not checked yet. */
export interface Loaded {
  readonly cx: Cx
  readonly root: ModuleDecl
  readonly doubts: Doubts
  /** A text was given up half way. Of that only this is worth saying. */
  readonly isHalf: boolean
}

/** Parses a program; mistakes become diagnostics. */
export function load(options: CheckOptions, core: LibraryData, sink: Sink, observer: Observer | null = null): Loaded {
  const state = coreOf(core, above)
  const cx = new Cx(sink, state.library, above, state)
  cx.observer = observer
  cx.columnMajor = options.columnMajor
  const loader = new Loader(cx, options, sink)
  const root = loader.root()
  return { cx, root, doubts: new Doubts(cx.userDecls, loader.broken, sink.list), isHalf: sink.has(nestedTooDeep) }
}

/** Parses and checks a program; mistakes become diagnostics. */
export function check(options: CheckOptions, core: LibraryData, sink: Sink): CheckedProgram {
  const loaded = load(options, core, sink)
  const { cx, root } = loaded
  if (!loaded.isHalf) {
    const before = sink.list.length
    checkNames(cx)
    // Checking bodies enters local declarations, which are checked in turn.
    for (const decl of cx.userDecls) checkDecl(cx, decl)
    reportReturns(cx, rootsOf(cx, root))
    checkAsserts(cx)
    sink.list.push(...loaded.doubts.without(sink.list.splice(before)))
  }
  return checked(loaded)
}

/** What lowering may ask of a program. */
export function checked({ cx, root }: Loaded): CheckedProgram {
  const { sink } = cx
  const program = new Program(cx, root)
  const entries = new Map<string, FuncDecl>()
  for (const func of program.entries) {
    // A stage has its own: a vertex and a fragment entry point may both be called `main`.
    const key = `${program.attributes(func).stage} ${func.name}`
    const other = entries.get(key)
    if (other === undefined) entries.set(key, func)
    else
      sink.add(
        names.redeclared,
        func.span ?? undefined,
        { name: func.name },
        { span: other.span ?? undefined, text: 'an entry point of this name stands here' },
      )
  }
  return program
}

/** What comes before all declarations: the namespaces that are used, and the bases of structs. */
export function checkNames(cx: Cx): void {
  for (const { inner } of cx.modules) {
    for (const u of inner.usings) checkUsing(cx, u.target)
    findUsed(cx, inner)
  }
  const structs = cx.userDecls.filter(d => d.kind === 'struct')
  for (const decl of structs) adoptBase(cx, decl)
  for (const decl of structs) packBits(cx, decl)
  adoptApplied(cx)
}

/** The functions that somebody else may call. */
export function rootsOf(cx: Cx, root: ModuleDecl): FuncDecl[] {
  return cx.userDecls.filter(
    (d): d is FuncDecl =>
      d.kind === 'func' && d.module === root && (attributesOf(cx, d).stage !== null || attributesOf(cx, d).exported),
  )
}

export function checkAsserts(cx: Cx): void {
  for (const a of cx.asserts)
    assertStatic(
      cx,
      checkCondition(new Env(cx, a.scope), a.decl.condition),
      messageOf(a.decl.message),
      a.decl.span,
      noSubst,
    )
}

/** Reports a `using` of something that is not a namespace. */
function checkUsing(cx: Cx, target: Parameters<typeof resolveType>[1]): void {
  if (target.kind !== 'name') return
  if (!cx.modules.some(m => m.inner.names.get(target.name)?.some(d => d.kind === 'namespace') === true))
    cx.sink.add(names.undefinedName, target.span, { name: target.name })
}

/** Checks a declaration in full. */
export function checkDecl(cx: Cx, decl: Decl): void {
  checkOutline(cx, decl)
  if (decl.kind === 'func' && decl.generics?.packed !== true) checkFunction(cx, decl)
}

/** Checks the body of a function, and what shows with it. */
export function checkFunction(cx: Cx, func: FuncDecl): void {
  const body = checkBody(cx, func)
  if (body !== null) checkLostDerivatives(cx, func, body)
}

/** Checks a declaration but for the body of a function. */
export function checkOutline(cx: Cx, decl: Decl): void {
  if (
    (decl.kind === 'func' || decl.kind === 'struct' || decl.kind === 'alias' || decl.kind === 'extension') &&
    decl.generics?.packed === true
  ) {
    // What is wrong with it shows with as many types as it asks for, or one, in each pack, and that is entered for checking.
    writtenOut(cx, decl, usualCounts(decl.generics))
    return
  }
  if ('generics' in decl && decl.generics !== null) constraintsOf(cx, decl.generics)
  switch (decl.kind) {
    case 'func': {
      const sig = funcSig(cx, decl)
      attributesOf(cx, decl)
      sig.params.forEach((p, i) => {
        if (p.hasDefault && argumentNeedsItself(cx, decl, i))
          cx.sink.add(names.cyclic, p.span ?? undefined, { name: p.name })
      })
      if (attributesOf(cx, decl).marked) {
        checkReferences(cx, decl)
        checkShadows(cx, decl)
      }
      checkRedefinition(cx, decl)
      checkDerivatives(cx, decl)
      return
    }
    case 'struct': {
      for (const f of fieldSigs(cx, decl)) fieldDefault(cx, f.decl)
      for (const f of decl.fields)
        if (defaultNeedsItself(cx, f)) cx.sink.add(names.cyclic, f.span ?? undefined, { name: f.name })
      if (containsItself(cx, decl)) cx.sink.add(names.recursiveType, decl.span ?? undefined, { name: decl.name })
      checkBothWays(cx, decl)
      checkConformances(cx, decl)
      return
    }
    case 'extension':
      checkExternFields(cx, decl)
      checkConformances(cx, decl)
      return
    case 'interface':
      anyValueSize(cx, decl)
      if (inheritsItself(cx, decl)) cx.sink.add(names.cyclic, decl.span ?? undefined, { name: decl.name })
      return
    case 'enum':
      enumTag(cx, decl)
      enumValues(cx, decl)
      checkConformances(cx, decl)
      return
    case 'alias':
      resolveType(cx, decl.target, decl.inner)
      checkLinkedType(cx, decl)
      return
    case 'global':
      globalInfo(cx, decl)
      globalInit(cx, decl)
      if ((decl.storage === 'constant' || decl.storage === 'static') && globalNeedsItself(cx, decl))
        cx.sink.add(names.cyclic, decl.span ?? undefined, { name: decl.name })
      return
    default:
  }
}

/** Reports differentiable parameters that are passed by constant reference, which have no memory for a derivative. */
function checkReferences(cx: Cx, func: FuncDecl): void {
  const syntax = func.syntax.kind === 'accessor' ? [] : func.syntax.params
  for (const p of funcSig(cx, func).params) {
    const byReference = syntax[p.index]?.modifiers.some(m => m.name === 'constref' || m.name === '__constref') === true
    if (byReference && !p.noDiff && differentialOf(cx, p.type) !== null)
      cx.sink.add(derivative.constantReference, p.span ?? undefined, { name: p.name })
  }
}

/** Shadows travel one way, as pointers do: in. */
function checkShadows(cx: Cx, func: FuncDecl): void {
  const sig = funcSig(cx, func)
  const hasShadow = (type: Type): boolean => type.kind !== 'void' && shadowOf(cx, type) !== null
  for (const p of sig.params) {
    if (p.dir !== 'in' && !p.noDiff && hasShadow(p.type))
      cx.sink.add(derivative.pointerComesOut, p.span ?? undefined, {
        what: `${p.dir} parameter ${p.name}`,
        type: show(p.type),
      })
  }
  if (!sig.resultNoDiff && hasShadow(sig.result))
    cx.sink.add(derivative.pointerComesOut, func.span ?? undefined, { what: 'the result', type: show(sig.result) })
}

/** A type is differentiated as a value or as a pointer. */
function checkBothWays(cx: Cx, decl: StructDecl): void {
  if (declaredBases(cx, decl).length < 2) return
  const type = selfType(cx, decl)
  const [value, pointer] = [coreInterface(cx, 'IDifferentiable'), coreInterface(cx, 'IDifferentiablePtrType')]
  if (type === null || value === null || pointer === null) return
  if (conforms(cx, type, value) && conforms(cx, type, pointer))
    cx.sink.add(derivative.valueAndPointer, decl.span ?? undefined, { type: decl.name })
}

/** Two functions of one scope with bodies and the same parameters are a mistake. */
function checkRedefinition(cx: Cx, func: FuncDecl): void {
  if (!func.hasBody || func.of !== null) return
  const params = (f: FuncDecl): string =>
    funcSig(cx, f)
      .params.map(p => `${p.dir} ${p.type.key}`)
      .join(',')
  for (const other of func.scope.names.get(func.name) ?? []) {
    if (other === func) return
    if (
      other.kind !== 'func' ||
      !other.hasBody ||
      other.generics !== null ||
      func.generics !== null ||
      params(other) !== params(func)
    )
      continue
    cx.sink.add(
      names.redefined,
      func.span ?? undefined,
      { name: func.name },
      { span: other.span ?? undefined, text: 'declared here first' },
    )
    return
  }
}

class Program implements CheckedProgram {
  readonly #cx: Cx
  readonly #lacks: Lacks
  readonly #missing = new Map<string, boolean>()
  readonly modules: readonly ModuleDecl[]
  readonly declarations: readonly Decl[]
  readonly functions: readonly FuncDecl[]
  readonly entries: readonly FuncDecl[]
  readonly globals: readonly GlobalDecl[]
  readonly unbounded: readonly Span[]
  readonly substitutes: boolean
  readonly columnMajor: boolean

  constructor(cx: Cx, root: ModuleDecl) {
    this.#cx = cx
    this.#lacks = new Lacks(cx)
    this.unbounded = cx.unbounded
    this.substitutes = cx.substitutes
    this.columnMajor = cx.columnMajor
    this.modules = cx.modules
    this.declarations = cx.userDecls
    const functions = cx.userDecls.filter(
      (d): d is FuncDecl => d.kind === 'func' && paramLists(d).length === 0 && !isExtension(d),
    )
    this.functions = [...functions.filter(f => f.module === root), ...functions.filter(f => f.module !== root)]
    this.entries = this.functions.filter(
      f => f.module === root && f.hasBody && f.role === 'function' && attributesOf(cx, f).stage !== null,
    )
    this.globals = cx.userDecls.filter(
      (d): d is GlobalDecl => d.kind === 'global' && d.storage !== 'constant' && paramLists(d.parent).length === 0,
    )
  }

  attributes(func: FuncDecl): FuncAttributes {
    return attributesOf(this.#cx, func)
  }

  level(func: FuncDecl, subst: Subst): Level {
    return levelOf(this.#cx, func, subst)
  }

  params(func: FuncDecl): readonly ParamDecl[] {
    return funcSig(this.#cx, func).params
  }

  signature(ref: FuncRef): Signature {
    return signatureOf(this.#cx, ref)
  }

  body(func: FuncDecl): Body | null {
    return checkBody(this.#cx, func)
  }

  paramDefault(func: FuncDecl, index: number): Expr {
    return paramDefault(this.#cx, func, index)
  }

  global(decl: GlobalDecl): GlobalInfo {
    return globalInfo(this.#cx, decl)
  }

  requiredGlobal(decl: GlobalDecl, type: Type): { readonly decl: GlobalDecl; readonly subst: Subst } | null {
    const member = requiredConstant(this.#cx, type, decl.name)
    return member === null || member.decl.kind !== 'global' ? null : { decl: member.decl, subst: member.subst }
  }

  substitute(type: Type, subst: Subst): Type {
    return put(this.#cx, type, subst)
  }

  substituteInt(value: Int, subst: Subst): Int {
    return substituteInt(value, subst, (base, name) => knownConstant(this.#cx, base, name))
  }

  assert({ cond, message, span }: Stmt & { readonly kind: 'assert' }, subst: Subst, outside: Span | undefined): void {
    // What a call of the library leaves open is reported there.
    if (outside !== undefined && this.fold(cond, subst) === null) return
    assertStatic(this.#cx, cond, message, outside ?? span, subst)
  }

  fold(expr: Expr, subst: Subst): number | null {
    const value = foldExpr(this.#cx, expr, subst)
    return value === null ? null : known(value)
  }

  substituteRef(ref: FuncRef, subst: Subst): FuncRef {
    return putRef(this.#cx, ref, subst)
  }

  resolve(ref: FuncRef): FuncRef {
    return resolveRef(this.#cx, ref)
  }

  structSubst(type: StructType): Subst {
    return substFor(type.decl, type.args, null)
  }

  fields(type: StructType): readonly FieldInfo[] {
    const subst = this.structSubst(type)
    return fieldSigs(this.#cx, type.decl).map(f => ({
      decl: f.decl,
      name: f.decl.name,
      type: put(this.#cx, f.type, subst),
      noDiff: f.noDiff,
      semantic: f.semantic,
    }))
  }

  anyValueSize(iface: InterfaceDecl): number | null {
    return anyValueSize(this.#cx, iface)
  }

  fieldDefault(field: FieldDecl): Expr | null {
    return fieldDefault(this.#cx, field)
  }

  defaultConstructor(type: StructType): FuncRef | null {
    if (type.decl.intrinsic !== null) return null
    const [found] = emptyConstructors(new Env(this.#cx, type.decl.scope), type)
    return found === undefined ? null : { kind: 'direct', decl: found.decl, subst: found.subst }
  }

  shadowOf(type: Type): Type | null {
    return shadowOf(this.#cx, type)
  }

  differentialOf(type: Type): Type | null {
    return differentialOf(this.#cx, type)
  }

  structDiff(type: StructType): StructDiffInfo | null {
    return structDiff(this.#cx, type)
  }

  conforms(type: Type, iface: InterfaceType): boolean {
    return conforms(this.#cx, type, iface)
  }

  derivatives(ref: FuncRef): DerivativeInfo {
    return ref.kind === 'direct'
      ? derivativesOf(this.#cx, ref)
      : { forward: null, backward: null, substitute: null, apply: null }
  }

  isUnresolved(decl: GlobalDecl): boolean {
    return isUnresolved(this.#cx, decl)
  }

  lacking(part: Span): Lack | undefined {
    return this.#lacks.in(part)
  }

  reachesLack(func: FuncDecl): boolean {
    return this.#lacks.reachedFrom(func)
  }

  instance(name: string, sink: Sink): Instance | null {
    const root = this.modules[0]
    return root === undefined ? null : namedInstance(this.#cx, root, name, sink)
  }

  isMissing(type: Type): boolean {
    return isMissing(this.#cx, type, this.#missing)
  }

  losses(func: FuncDecl, sink: Sink): void {
    const body = this.body(func)
    if (body !== null) reportLosses(this.#cx, func, body, sink)
  }

  typeNamed(name: string): Type | null {
    const file = new SourceFile('<type>', `typealias t = ${name};`)
    const decl = parseRange(file, 0, file.text.length, this.#cx.sink)[0]
    const root = this.modules[0]
    if (decl === undefined || decl.kind !== 'alias' || root === undefined) return null
    const type = resolveType(this.#cx, decl.target, root.inner)
    return type.kind === 'error' ? null : type
  }

  core<K extends Decl['kind']>(kind: K, name: string): Extract<Decl, { readonly kind: K }> {
    return this.#cx.library.the(kind, name)
  }

  enumTag(type: Type): Type {
    return type.kind === 'enum' ? enumTag(this.#cx, type.decl) : intType
  }
}
