/**
 * The lost-derivative check: in a function that is marked differentiable, no derivative may get lost silently.
 *
 * It first finds which variables may carry a derivative, without regard to the order of statements. An expression is *expected* to
 * pass derivatives on where it is returned, stored in a variable that carries one, or passed to a differentiable function. There, a
 * call of a function that is not differentiable loses the derivatives of its arguments. Arguments without derivatives (constants,
 * integers, `no_diff` values) are never reported.
 */
import * as errors from '../../base/errors/derivative.ts'
import { Sink, type Diagnostic, type Entry, type Note, type PlaceholderValues } from '../../base/diag.ts'
import { handleKind } from '../../base/handle.ts'
import type { Span } from '../../base/source.ts'
import {
  attributesOf,
  differentialOf,
  fieldSigs,
  funcSig,
  isReverseOnly,
  levelOf,
  signatureOf,
  structDiff,
} from '../types/index.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl, Level } from '../model/decl.ts'
import { hasKnownBound, rootVariable } from '../statements/loop.ts'
import type { Arg, Body, CallExpr, Expr, Place, Stmt } from '../model/tree.ts'
import type { FuncRef } from '../model/func-ref.ts'
import { show, type Type } from '../model/type.ts'
import { checkBody } from '../statements/stmt.ts'
import { overwritten } from './overwritten.ts'
import { checkRecompute } from './recompute.ts'
import { children, eachExpr, eachStmt, expressions, operands, placeOperands } from '../model/walk.ts'

/** Notes a loop without attributes that say how: a GPU could not differentiate it in reverse as it stands here. */
function unbounded(cx: Cx, { span, loop }: LoopStmt): void {
  if (span !== null && loop.maxIters === null && loop.checkpoints === null && !loop.forceUnroll) cx.unbounded.push(span)
}

/** Reports where a derivative would get lost, and records loops without a bound. */
export function checkLostDerivatives(cx: Cx, func: FuncDecl, body: Body): void {
  const attributes = attributesOf(cx, func)
  eachStmt(body.stmts, s => {
    if (s.kind !== 'for') return
    const bounded = hasKnownBound(cx, s, true)
    if (attributes.marked && !bounded) unbounded(cx, s)
  })
  if (attributes.prefer === 'recompute') checkRecompute(cx, func, body)
  if (!attributes.marked) return
  eachStmt(body.stmts, s => {
    if (s.kind === 'while' || s.kind === 'do') unbounded(cx, s)
  })
  if (attributes.treatAsDifferentiable) return
  if (attributes.kernel) {
    for (const p of funcSig(cx, func).params)
      if (!p.noDiff && differentialOf(cx, p.type) !== null)
        cx.sink.add(errors.kernelParameters, p.span ?? undefined, { name: p.name })
  }
  new Check(cx, func, attributes.level, cx).run(body)
}

/** Reports to `sink` where derivatives would get lost in a function if it were marked [Differentiable]. */
export function reportLosses(cx: Cx, func: FuncDecl, body: Body, sink: Sink): void {
  new Check(cx, func, 'backward', { sink, inlined: new Map() }).run(body)
}

/** A loop, with its attributes. */
type LoopStmt = Stmt & { readonly kind: 'for' | 'while' | 'do' }

/** Where to report, and what was found in `[ForceInline]` functions that were checked as parts of their callers. */
type Reports = Pick<Cx, 'sink' | 'inlined'>

const ignore = (): void => undefined

/** What may hand a derivative on to a variable. */
type Site = (Stmt & { readonly kind: 'local' }) | (Expr & { readonly kind: 'assign' | 'update' }) | CallExpr

/** The statements and expressions of a body that may assign, in order; of calls only those that write arguments. */
function sitesOf(stmts: readonly Stmt[]): readonly Site[] {
  const found: Site[] = []
  const look = (x: Expr): void => {
    if (x.kind === 'assign' || x.kind === 'update') found.push(x)
    else if (x.kind === 'call' && given(x).some(isWritten)) found.push(x)
  }
  eachStmt(stmts, s => {
    if (s.kind === 'local' && s.init !== null) found.push(s)
    for (const e of expressions(s)) eachExpr(e, look)
  })
  return found
}

function isWritten(a: Arg): a is Extract<Arg, { readonly place: Place }> {
  return a.dir !== 'in'
}

/** What a call gets: its object, if it has one, and its arguments. */
function given({ object, args }: CallExpr): readonly Arg[] {
  return object === null ? args : [object, ...args]
}

class Check {
  readonly #cx: Cx
  readonly #func: FuncDecl
  readonly #level: Level
  readonly #reports: Reports
  /** Identities of variables that may hold something with a derivative. */
  readonly #active = new Set<number>()
  /** Identities of locals whose derivative something expects. */
  readonly #wanted = new Set<number>()
  #reporting = false
  /** An assignment whose value nothing reads, or what a variable begins with that is to have no derivative. */
  #unread: Expr | null = null
  readonly #selfActive: boolean
  /** The type of `this`, if it carries no derivative without being marked so. */
  readonly #plainSelf: Type | null

  constructor(cx: Cx, func: FuncDecl, level: Level, reports: Reports) {
    this.#cx = cx
    this.#reports = reports
    this.#func = func
    this.#level = level
    const sig = signatureOf(cx, { kind: 'direct', decl: func, subst: { args: new Map(), self: null } })
    this.#selfActive = (sig.self !== null && !sig.selfNoDiff) || func.role === 'constructor'
    const said = attributesOf(cx, func).noDiffThis
    this.#plainSelf = sig.self !== null && sig.selfNoDiff && !said && sig.self.kind === 'struct' ? sig.self : null
    for (const p of funcSig(cx, func).params)
      if (p.dir !== 'out' && !p.noDiff && differentialOf(cx, p.type) !== null) this.#active.add(p.id)
  }

  run(body: Body): void {
    const sites = sitesOf(body.stmts)
    for (let before = -1; before !== this.#active.size;) {
      before = this.#active.size
      for (const site of sites) this.#propagate(site)
    }
    // Which variables are read where a derivative is expected, before anything is reported.
    for (let before = -1; before !== this.#wanted.size;) {
      before = this.#wanted.size
      this.#stmts(body.stmts)
    }
    this.#reporting = true
    this.#stmts(body.stmts)
  }

  #report<S extends string>(
    entry: Entry<S>,
    span: Span | null | undefined,
    given: PlaceholderValues<S>,
    ...notes: Note[]
  ): void {
    if (this.#reporting) this.#reports.sink.add(entry, span ?? undefined, given, ...notes)
  }

  #differentiable(type: Type): boolean {
    return differentialOf(this.#cx, type) !== null
  }

  // ── What carries a derivative ──────────────────────────────────────────────────────────────────────────────────

  #propagate(x: Site): void {
    if (x.kind === 'local') {
      if (!x.decl.noDiff && this.#carries(x.init!)) this.#active.add(x.decl.id)
    } else if (x.kind !== 'call') {
      if (this.#carries(x.value)) this.#activate(x.place)
    } else if (this.#isDifferentiable(x.func) && this.#anyCarries(x)) {
      for (const a of given(x)) if (isWritten(a)) this.#activate(a.place)
    }
  }

  #activate(p: Place): void {
    const v = rootVariable(p)
    if (v !== null && !v.noDiff && this.#holds(p)) this.#active.add(v.id)
  }

  #argCarries(a: Arg): boolean {
    return a.dir === 'in' ? this.#carries(a.value) : a.dir === 'inout' && this.#placeCarries(a.place)
  }

  #anyCarries(e: CallExpr): boolean {
    return given(e).some(a => this.#argCarries(a))
  }

  #carries(e: Expr): boolean {
    if (!this.#differentiable(e.type)) return false
    switch (e.kind) {
      case 'read':
        return this.#placeCarries(e.place)
      case 'noDiff':
      case 'const':
      case 'int':
      case 'default':
      case 'fieldDefault':
      case 'paramDefault':
      case 'string':
      case 'error':
        return false
      case 'old':
        return true
      case 'call':
        if (isDetach(e.func) || !this.#isDifferentiable(e.func)) return false
        return this.#anyCarries(e)
      case 'update':
        return this.#placeCarries(e.place) || this.#carries(e.value)
      case 'field':
        return this.#carries(e.base) && !this.#isNoDiffField(e.base.type, e.field.index)
      default: {
        let found = false
        operands(
          e,
          x => {
            found ||= this.#carries(x)
          },
          ignore,
        )
        return found
      }
    }
  }

  #isNoDiffField(owner: Type, index: number): boolean {
    // A field of a generic struct has no derivative if its type, as it is written, has none.
    return (
      owner.kind === 'struct' &&
      (structDiff(this.#cx, owner)?.fields[index] === -1 || fieldSigs(this.#cx, owner.decl)[index]?.noDiff === true)
    )
  }

  #placeCarries(p: Place): boolean {
    switch (p.kind) {
      case 'local':
      case 'param':
        return this.#active.has(p.decl.id)
      case 'this':
        return this.#selfActive
      case 'field':
        return (
          this.#differentiable(p.base.type) &&
          !this.#isNoDiffField(p.base.type, p.field.index) &&
          this.#placeCarries(p.base)
        )
      case 'index':
      case 'swizzle':
      case 'elements':
      case 'parts':
      case 'convert':
        return this.#placeCarries(p.base)
      case 'accessor':
        return p.get !== null && this.#isDifferentiable(p.get) && p.object !== null && this.#argCarries(p.object)
      case 'temp':
        return this.#carries(p.value)
      default:
        return false
    }
  }

  // ── What can hold one ──────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Whether memory keeps the derivative of a value that is stored there. In a local variable marked `no_diff` the user drops it on
   * purpose; but what goes to a caller may be lost.
   */
  #holds(p: Place): boolean {
    switch (p.kind) {
      case 'local':
        return this.#differentiable(p.type) || p.decl.noDiff
      case 'param':
        return p.decl.noDiff ? p.decl.dir === 'in' : this.#differentiable(p.type)
      case 'this':
        return this.#selfActive
      case 'field':
        return (
          this.#differentiable(p.base.type) && !this.#isNoDiffField(p.base.type, p.field.index) && this.#holds(p.base)
        )
      case 'index':
      case 'swizzle':
      case 'elements':
      case 'parts':
      case 'convert':
        return this.#holds(p.base)
      case 'accessor':
        return p.set !== null && this.#isDifferentiable(p.set)
      case 'temp':
        return true
      default:
        return false
    }
  }

  #isDifferentiable(ref: FuncRef): boolean {
    if (ref.kind === 'derivative') return true
    // What meets a requirement of a type parameter is known once the type is.
    if (ref.kind === 'requirement') return true
    const level =
      ref.kind === 'direct' ? levelOf(this.#cx, ref.decl, ref.subst) : attributesOf(this.#cx, ref.decl).level
    if (this.#level === 'forward' && ref.kind === 'direct' && isReverseOnly(this.#cx, ref.decl, ref.subst)) return false
    return level === 'backward' || (level === 'forward' && this.#level === 'forward') || this.#becomesPart(ref.decl)
  }

  /**
   * Whether a function is differentiated as a part of its callers: a `[ForceInline]` function, marked or not, that loses no derivative.
   */
  #becomesPart(decl: FuncDecl): boolean {
    return this.#lossesInside(decl)?.every(d => d.severity !== 'error') === true
  }

  /**
   * What gets lost inside of a function that is only inlined by force; null for any other. Nobody has said that it is differentiable,
   * so that counts only where a derivative is expected of it.
   */
  #lossesInside(decl: FuncDecl): readonly Diagnostic[] | null {
    const { forceInline, marked } = attributesOf(this.#cx, decl)
    if (!forceInline || marked || decl.module.isCore) return null
    const { inlined } = this.#reports
    const known = inlined.get(decl)
    if (known !== undefined) return known
    inlined.set(decl, [])
    const sink = new Sink()
    const body = checkBody(this.#cx, decl)
    if (body !== null) new Check(this.#cx, decl, this.#level, { sink, inlined }).run(body)
    inlined.set(decl, sink.list)
    return sink.list
  }

  /** Reports that a call loses a derivative: where that happens inside of it, if it is inlined by force. */
  #lost(e: CallExpr, report: () => void): void {
    const inside = e.func.kind === 'direct' ? this.#lossesInside(e.func.decl) : null
    if (inside === null || inside.length === 0) report()
    else if (this.#reporting)
      for (const { entry, span, given, notes } of inside)
        if (entry !== undefined) this.#reports.sink.add(entry, span, given ?? {}, ...notes)
  }

  // ── Reports ────────────────────────────────────────────────────────────────────────────────────────────────────

  #stmts(list: readonly Stmt[]): void {
    for (let i = 0; i < list.length; i++) {
      const s = list[i]!
      if (
        s.kind === 'local' &&
        s.init !== null &&
        this.#wanted.has(s.decl.id) &&
        !(this.#reporting && overwritten(list, i, s.decl))
      )
        this.#expect(s.init)
      if (
        this.#reporting &&
        s.kind === 'expr' &&
        s.expr.kind === 'assign' &&
        s.expr.place.kind === 'local' &&
        overwritten(list, i, s.expr.place.decl)
      )
        this.#unread = s.expr
      if (s.kind === 'local' && s.decl.noDiff) this.#unread = s.init
      if (s.kind === 'return' && s.value !== null && !funcSig(this.#cx, this.#func).resultNoDiff) this.#expect(s.value)
      for (const e of expressions(s)) this.#visit(e)
      this.#stmts(children(s))
    }
  }

  /** Looks at everything in an expression that runs with derivatives. */
  #visit(e: Expr): void {
    switch (e.kind) {
      case 'noDiff':
        if (
          e.value.kind === 'call' &&
          this.#isDifferentiable(e.value.func) &&
          this.#carries(e.value) &&
          e.value.func.kind === 'direct'
        ) {
          this.#report(errors.noDiffOfDifferentiable, e.span, { name: nameOf(e.value.func) })
        }
        return
      case 'assign':
      case 'update':
        this.#store(e)
        break
      case 'call':
        this.#call(e)
        if (e.func.kind === 'direct' && (e.func.decl.module.isCore || e.func.decl.role === 'constructor'))
          this.#plain(e, this.#anyCarries(e) ? e : undefined)
        break
      case 'construct':
        this.#plain(
          e,
          e.parts.find(p => this.#carries(p)),
        )
        break
      case 'wrap':
        if (!this.#differentiable(e.type) && !isLambda(e.value.type) && this.#carries(e.value))
          this.#plainBound(e.span ?? e.value.span, e.type)
        break
      default:
    }
    operands(e, this.#visitor, this.#placeVisitor)
  }

  /** Reports a struct that keeps no derivatives where it gets some. A tuple keeps them if all of its elements do. */
  #plain(e: Expr, active: Expr | undefined): void {
    if (active === undefined || e === this.#unread || e.type.kind !== 'struct' || this.#differentiable(e.type)) return
    const span = e.span ?? active.span
    if (e.type.decl.module.isCore) this.#plainBound(span, e.type)
    else this.#report(errors.plainStruct, span, { type: show(e.type) })
  }

  /** Reports a type that keeps no derivative of what it is given, as it is written. */
  #plainBound(span: Span | null, type: Type): void {
    this.#report(errors.plainBound, span, { type: show(type) })
  }

  readonly #visitor = (e: Expr): void => {
    this.#visit(e)
  }

  readonly #placeVisitor = (p: Place): void => {
    this.#plainThis(p)
    placeOperands(p, this.#visitor, this.#placeVisitor)
  }

  readonly #expectation = (e: Expr): void => {
    this.#expect(e)
  }

  #plainThis(p: Place): void {
    if (
      this.#plainSelf === null ||
      p.kind !== 'field' ||
      p.base.kind !== 'this' ||
      !this.#differentiable(p.type) ||
      this.#isNoDiffField(p.base.type, p.field.index)
    )
      return
    this.#report(errors.plainThis, p.span, { name: p.field.name, type: show(this.#plainSelf) })
  }

  #store(e: Expr & { readonly kind: 'assign' | 'update' }): void {
    if (!this.#differentiable(e.place.type)) return
    if (e === this.#unread) return
    if (this.#holds(e.place)) {
      const v = rootVariable(e.place)
      if (v === null || v.kind === 'parameter' || this.#wanted.has(v.id)) this.#expect(e.value)
    } else if (isTexel(e.place)) return
    else if (e.kind === 'update' ? this.#addedCarries(e) : this.#carries(e.value))
      this.#report(errors.lostInAssignment, e.span, {})
  }

  /** Whether the value that an update adds carries a derivative, regardless of the old value. */
  #addedCarries(e: Expr & { readonly kind: 'update' }): boolean {
    let found = false
    const visit = (x: Expr): void => {
      if (x === e.old) return
      if (x.kind === 'binary' || x.kind === 'convert') operands(x, visit, ignore)
      else found ||= this.#carries(x)
    }
    visit(e.value)
    return found
  }

  #call(e: CallExpr): void {
    if (isDetach(e.func)) return
    if (!this.#isDifferentiable(e.func)) {
      this.#outputs(e)
      return
    }
    const sig = signatureOf(this.#cx, e.func)
    const declared = this.#declared(e.func)
    const isOwn = e.func.kind === 'direct' && !e.func.decl.module.isCore
    for (let i = 0; i < e.args.length; i++) {
      const [p, a] = [sig.params[i], e.args[i]!]
      if (p?.noDiff === true && declared.params[i]?.noDiff === false) {
        // What a lambda captures would get lost in a parameter whose type is not bound to IDifferentiable.
        const inner = a.dir === 'in' && a.value.kind === 'wrap' ? { ...a, value: a.value.value } : a
        const { type, span } = inner.dir === 'in' ? inner.value : inner.place
        if (!this.#argCarries(inner)) continue
        if (isLambda(type)) this.#report(errors.lostInCall, span ?? e.span, { name: nameOf(e.func) })
        else if (isOwn) this.#plainBound(span ?? e.span, declared.params[i]!.type)
      }
      if (p === undefined || p.noDiff || !this.#differentiable(p.type)) continue
      if (a.dir === 'in') this.#expect(a.value)
      else if (a.dir === 'inout') this.#want(a.place)
      if (a.dir !== 'in' && e.func.kind !== 'derivative' && !this.#holds(a.place))
        this.#report(errors.lostInArgument, a.place.span ?? e.span, { name: p.name })
    }
    if (isOwn && sig.resultNoDiff && !declared.resultNoDiff && this.#differentiable(e.type) && this.#loses(e, sig))
      this.#plainBound(e.span, declared.result)
    if (e.object?.dir === 'in' && !sig.selfNoDiff) this.#expect(e.object.value)
  }

  /** Marks the `out` and `inout` arguments of a function without derivative: they get none. */
  #outputs(e: CallExpr): void {
    if (!this.#reporting || (e.func.kind === 'direct' && e.func.decl.module.isCore) || !this.#loses(e)) return
    const sig = signatureOf(this.#cx, e.func)
    e.args.forEach((a, i) => {
      const p = sig.params[i]
      if (a.dir === 'in' || p === undefined || p.noDiff || !this.#differentiable(p.type) || !this.#holds(a.place))
        return
      const v = rootVariable(a.place)
      if (v === null || v.noDiff || !(v.kind === 'parameter' ? v.dir !== 'in' : this.#wanted.has(v.id))) return
      this.#lost(e, () => {
        this.#report(
          errors.lostInOutput,
          a.place.span ?? e.span,
          { name: nameOf(e.func), parameter: p.name },
          ...this.#sourceNotes(e),
        )
      })
    })
  }

  /** Says which value brings the derivative that a call loses. */
  #sourceNotes(e: CallExpr): Note[] {
    const from = given(e).find(a => this.#argCarries(a))
    const span = from?.dir === 'in' ? from.value.span : from?.place.span
    return span ? [{ span, text: 'the derivative comes from here' }] : []
  }

  /** Finds calls that lose derivatives in a value that is expected to pass them on. */
  #expect(e: Expr): void {
    if (!this.#differentiable(e.type)) return
    switch (e.kind) {
      case 'read':
      case 'update':
      case 'assign':
        this.#want(e.place)
        return
      case 'noDiff':
        return
      case 'call':
        if (this.#isDifferentiable(e.func)) return
        if (this.#declared(e.func).resultNoDiff) return
        if (this.#loses(e))
          this.#lost(e, () => {
            this.#report(errors.lostInCall, e.span, { name: nameOf(e.func) }, ...this.#sourceNotes(e))
          })
        return
      default:
        operands(e, this.#expectation, ignore)
    }
  }

  /** Marks the variable of a place as expected to carry a derivative. */
  #want(p: Place): void {
    const v = rootVariable(p)
    if (v !== null && v.kind === 'local') this.#wanted.add(v.id)
    if (p.kind === 'accessor' && p.object?.dir === 'in') this.#expect(p.object.value)
  }

  /** The signature as it is written: what only the bounds of a generic function make constant loses a derivative like any other. */
  #declared(func: FuncRef): {
    readonly params: readonly { readonly noDiff: boolean; readonly type: Type }[]
    readonly result: Type
    readonly resultNoDiff: boolean
  } {
    return func.kind === 'derivative' ? signatureOf(this.#cx, func) : funcSig(this.#cx, func.decl)
  }

  #loses(
    e: CallExpr,
    { params }: { readonly params: readonly { readonly noDiff: boolean }[] } = this.#declared(e.func),
  ): boolean {
    return (
      (e.object !== null && this.#argCarries(e.object)) ||
      e.args.some((a, i) => params[i]?.noDiff !== true && this.#argCarries(a))
    )
  }
}

/** Whether the place is a texel. As in Slang, a derivative that is written there is not reported. */
function isTexel(p: Place): boolean {
  if (p.kind === 'swizzle' || p.kind === 'index') return isTexel(p.base)
  return (p.kind === 'accessor' || p.kind === 'ref') && p.object !== null && isWritableTexture(p.object)
}

function isWritableTexture(a: Arg): boolean {
  const { type } = a.dir === 'in' ? a.value : a.place
  const kind = type.kind === 'struct' ? handleKind(type.decl.intrinsic ?? '') : undefined
  return kind?.is === 'texture' && kind.access === 'read-write'
}

function isLambda(type: Type): boolean {
  return type.kind === 'struct' && type.decl.name === 'Lambda'
}

function isDetach(ref: FuncRef): boolean {
  return ref.kind === 'direct' && ref.decl.module.isCore && ref.decl.name === 'detach'
}

function nameOf(ref: FuncRef): string {
  if (ref.kind === 'derivative') return nameOf(ref.of)
  if (ref.decl.role === 'constructor') return `the constructor of ${ref.decl.parent?.name ?? '?'}`
  return ref.decl.of?.kind === 'subscript' ? 'the subscript' : ref.decl.name
}
