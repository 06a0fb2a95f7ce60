/**
 * The lost-derivative analysis: in a function marked differentiable, a derivative that can be non-zero must not vanish
 * unnoticed. Two questions are asked of the typed tree. A value *carries* a derivative if a path of differentiable
 * operations leads to it from a differentiable parameter. A value is *wanted* if such a path leads on from it: to the
 * result, to an output, to a differentiable argument, or to a place that holds derivatives. Complaints are made of calls
 * that are wanted, get a derivative and give none, and of carried derivatives stored where none can be kept. Both
 * questions look at locals without regard to order, so they are asked until nothing changes.
 */
import type { Sink } from '../base/diag.ts'
import { note } from '../base/diag.ts'
import { lostInArgument, lostInAssignment, lostInCall } from '../base/errors/derivative.ts'
import type { Span } from '../base/source.ts'
import type { FuncDecl, LocalDecl, ParamDecl } from './decl.ts'
import type { Arg, Body, CallExpr, CheckedProgram, Expr, FuncRef, Place, Stmt } from './tree.ts'
import { noSubst, type Type } from './type.ts'

type Questions = Pick<CheckedProgram, 'attributes' | 'derivatives' | 'differentialOf' | 'signature'>

/** What a call does to derivatives. */
type Flow =
  /** Passes them on. */
  | 'through'
  /** Its derivative is zero by nature or by order: nothing is lost. */
  | 'zero'
  /** Loses them. */
  | 'lost'

class Analysis {
  readonly #ask: Questions
  readonly #sink: Sink
  readonly #func: FuncDecl
  readonly #reverse: boolean
  /** Locals and parameters that may hold a derivative that is not zero. */
  readonly #carrying = new Set<LocalDecl | ParamDecl>()
  /** Locals and parameters whose derivative somebody asks for. */
  readonly #wanted = new Set<LocalDecl | ParamDecl>()
  #thisCarries = false
  #changed = false
  #report = false

  constructor(ask: Questions, func: FuncDecl, sink: Sink) {
    this.#ask = ask
    this.#sink = sink
    this.#func = func
    this.#reverse = ask.attributes(func).level === 'backward'
  }

  run(body: Body): void {
    const ref: FuncRef = { kind: 'direct', decl: this.#func, subst: noSubst }
    for (const p of body.params) {
      if (p.noDiff || !this.#differentiable(p.type)) continue
      if (p.dir !== 'out') this.#carrying.add(p)
      if (p.dir !== 'in') this.#wanted.add(p)
    }
    const sig = this.#ask.signature(ref)
    this.#thisCarries = sig.self !== null && !sig.selfNoDiff && this.#differentiable(sig.self)
    const wantsResult = !sig.resultNoDiff && this.#differentiable(sig.result)
    do {
      this.#changed = false
      this.#stmts(body.stmts, wantsResult)
    } while (this.#changed)
    this.#report = true
    this.#stmts(body.stmts, wantsResult)
  }

  #differentiable(type: Type): boolean {
    return this.#ask.differentialOf(type) !== null
  }

  #stmts(list: readonly Stmt[], wantsResult: boolean): void {
    for (const s of list) this.#stmt(s, wantsResult)
  }

  #stmt(s: Stmt, wantsResult: boolean): void {
    switch (s.kind) {
      case 'expr': this.#expr(s.expr, false); return
      case 'local':
        if (s.init === null) return
        this.#expr(s.init, this.#wanted.has(s.decl))
        if (!s.decl.noDiff) this.#carry(s.decl, s.decl.type, s.init)
        return
      case 'block': this.#stmts(s.body, wantsResult); return
      case 'if':
        this.#expr(s.cond, false)
        this.#stmt(s.then, wantsResult)
        if (s.otherwise !== null) this.#stmt(s.otherwise, wantsResult)
        return
      case 'for':
        this.#stmts(s.init, wantsResult)
        if (s.cond !== null) this.#expr(s.cond, false)
        this.#stmt(s.body, wantsResult)
        if (s.step !== null) this.#expr(s.step, false)
        return
      case 'while': case 'do':
        this.#expr(s.cond, false)
        this.#stmt(s.body, wantsResult)
        return
      case 'switch':
        this.#expr(s.value, false)
        for (const c of s.cases) this.#stmts(c.body, wantsResult)
        return
      case 'return': if (s.value !== null) this.#expr(s.value, wantsResult); return
      case 'break': case 'continue': case 'discard': return
    }
  }

  #carry(decl: LocalDecl | ParamDecl, type: Type, value: Expr): void {
    if (this.#carrying.has(decl) || !this.#differentiable(type) || !this.#carries(value)) return
    this.#carrying.add(decl)
    this.#changed = true
  }

  #want(place: Place): void {
    const root = rootOf(place)
    if ((root.kind !== 'local' && root.kind !== 'param') || this.#wanted.has(root.decl) || root.decl.noDiff) return
    this.#wanted.add(root.decl)
    this.#changed = true
  }

  /** Whether a value may have a derivative that is not zero. */
  #carries(e: Expr): boolean {
    if (!this.#differentiable(e.type)) return false
    switch (e.kind) {
      case 'read': return this.#placeCarries(e.place)
      case 'field': return this.#carries(e.base)
      case 'index': case 'swizzle': case 'elements': return this.#carries(e.base)
      case 'unary': return this.#carries(e.operand)
      case 'binary': return this.#carries(e.left) || this.#carries(e.right)
      case 'conditional': return this.#carries(e.then) || this.#carries(e.otherwise)
      case 'convert': case 'wrap': return this.#carries(e.value)
      case 'construct': return e.parts.some(p => this.#carries(p))
      case 'call': return this.#flow(e.func) === 'through' && (this.#isFed(e) || this.#ask.derivatives(e.func).backward !== null)
      case 'assign': return this.#carries(e.value)
      case 'update': return this.#placeCarries(e.place) || this.#carries(e.value)
      case 'sequence': return this.#carries(e.parts[e.parts.length - 1]!)
      case 'const': case 'string': case 'int': case 'default': case 'fieldDefault': case 'paramDefault': case 'noDiff': case 'old':
      case 'logical': case 'error': return false
    }
  }

  #placeCarries(place: Place): boolean {
    if (!this.#differentiable(place.type)) return false
    switch (place.kind) {
      case 'local': case 'param': return this.#carrying.has(place.decl)
      case 'this': return this.#thisCarries
      case 'field': return this.#differentiable(place.base.type) && this.#placeCarries(place.base)
      case 'index': case 'swizzle': case 'elements': case 'convert': return this.#placeCarries(place.base)
      case 'accessor': return place.get !== null && this.#flow(place.get) === 'through' && place.object !== null && this.#argCarries(place.object)
      case 'temp': return this.#carries(place.value)
      case 'global': case 'ref': return false
    }
  }

  #argCarries(arg: Arg): boolean {
    return arg.dir === 'in' ? this.#carries(arg.value) : this.#placeCarries(arg.place)
  }

  /** Whether a derivative goes into a call, other than where its signature shuts it out. */
  #isFed(call: CallExpr): boolean {
    const sig = this.#ask.signature(call.func)
    if (call.object !== null && !sig.selfNoDiff && this.#argCarries(call.object)) return true
    return call.args.some((a, i) => a.dir !== 'out' && sig.params[i]?.noDiff !== true && this.#argCarries(a))
  }

  #flow(ref: FuncRef): Flow {
    if (ref.kind === 'derivative') return this.#flow(ref.of)
    const attributes = this.#ask.attributes(ref.decl)
    if (attributes.treatAsDifferentiable) return 'zero'
    if (attributes.op !== null || attributes.intrinsic === 'detach') return attributes.intrinsic === 'detach' ? 'zero' : 'through'
    if (attributes.forceInline) return 'through'
    const given = this.#ask.derivatives(ref)
    if (given.substitute !== null && given.substitute !== ref) return this.#flow(given.substitute)
    if (given.backward !== null) return 'through'
    if (attributes.level === 'backward' || (attributes.level === 'forward' && !this.#reverse)) return 'through'
    if (given.forward !== null && (!this.#reverse || ref.decl.module.isCore)) return 'through'
    return 'lost'
  }

  #expr(e: Expr, wanted: boolean): void {
    switch (e.kind) {
      case 'read': this.#place(e.place); if (wanted) this.#want(e.place); return
      case 'field': case 'swizzle': case 'elements': this.#expr(e.base, wanted); return
      case 'index': this.#expr(e.base, wanted); this.#expr(e.index, false); return
      case 'unary': this.#expr(e.operand, wanted && e.op === '-'); return
      case 'binary': {
        const on = wanted && this.#differentiable(e.type)
        this.#expr(e.left, on)
        this.#expr(e.right, on)
        return
      }
      case 'logical': this.#expr(e.left, false); this.#expr(e.right, false); return
      case 'conditional': this.#expr(e.cond, false); this.#expr(e.then, wanted); this.#expr(e.otherwise, wanted); return
      case 'convert': case 'wrap': this.#expr(e.value, wanted && this.#differentiable(e.type)); return
      case 'construct': for (const p of e.parts) this.#expr(p, wanted && this.#differentiable(e.type)); return
      case 'sequence': e.parts.forEach((p, i) => this.#expr(p, wanted && i === e.parts.length - 1)); return
      case 'call': this.#call(e, wanted); return
      case 'assign': {
        this.#place(e.place)
        const root = rootOf(e.place)
        const kept = this.#keeps(e.place)
        this.#expr(e.value, wanted || (kept && this.#isWanted(root)))
        if (wanted) this.#want(e.place)
        this.#stored(e.place, e.value, e.span)
        return
      }
      case 'update': {
        this.#place(e.place)
        this.#expr(e.value, wanted || (this.#keeps(e.place) && this.#isWanted(rootOf(e.place))))
        if (wanted) this.#want(e.place)
        this.#stored(e.place, e.value, e.span)
        return
      }
      case 'noDiff': case 'const': case 'string': case 'int': case 'default': case 'fieldDefault': case 'paramDefault': case 'old': case 'error': return
    }
  }

  #isWanted(root: Place): boolean {
    if (root.kind === 'this') return true
    return (root.kind === 'local' || root.kind === 'param') && this.#wanted.has(root.decl)
  }

  #call(call: CallExpr, wanted: boolean): void {
    const sig = this.#ask.signature(call.func)
    const flow = this.#flow(call.func)
    const differentiable = flow === 'through'
    if (call.object !== null) this.#arg(call.object, call, differentiable && !sig.selfNoDiff, 'this')
    call.args.forEach((a, i) => {
      const p = sig.params[i]
      this.#arg(a, call, differentiable && p !== undefined && !p.noDiff && this.#differentiable(p.type), p?.name ?? '')
    })
    if (!this.#report || flow !== 'lost') return
    const asked = (wanted && !sig.resultNoDiff && this.#differentiable(sig.result))
      || call.args.some((a, i) => a.dir !== 'in' && sig.params[i]?.noDiff !== true && this.#keeps(a.place) && this.#isWanted(rootOf(a.place)))
    if (!asked || !this.#isFed(call) || call.func.kind === 'derivative') return
    const decl = call.func.decl
    this.#sink.add(lostInCall, call.span ?? undefined, { name: decl.name },
      ...decl.span === null ? [] : [note(decl.span, `${decl.name} is declared here`)])
  }

  /** An argument: `holds` where the parameter takes part in differentiation. */
  #arg(arg: Arg, call: CallExpr, holds: boolean, name: string): void {
    if (arg.dir === 'in') {
      this.#expr(arg.value, holds)
      return
    }
    this.#place(arg.place)
    const root = rootOf(arg.place)
    if (holds && arg.dir === 'inout') this.#want(arg.place)
    if ((root.kind === 'local' || root.kind === 'param') && holds && !root.decl.noDiff && this.#keeps(arg.place) && !this.#carrying.has(root.decl)) {
      this.#carrying.add(root.decl)
      this.#changed = true
    }
    if (this.#report && holds && !this.#keeps(arg.place) && this.#isFed(call)) this.#sink.add(lostInArgument, arg.place.span ?? call.span ?? undefined, { name })
  }

  /** The expressions inside a place. */
  #place(place: Place): void {
    switch (place.kind) {
      case 'field': case 'swizzle': case 'elements': case 'convert': this.#place(place.base); return
      case 'index': this.#place(place.base); this.#expr(place.index, false); return
      case 'ref': case 'accessor':
        for (const a of place.args) if (a.dir === 'in') this.#expr(a.value, false)
        return
      case 'temp': this.#expr(place.value, false); return
      case 'local': case 'param': case 'this': case 'global': return
    }
  }

  /** Whether a derivative stored in a place is kept: all of the way to it lies in differentiable types. */
  #keeps(place: Place): boolean {
    switch (place.kind) {
      case 'local': case 'param': case 'this': return true
      case 'field': return this.#differentiable(place.base.type) && this.#keeps(place.base)
      case 'index': case 'swizzle': case 'elements': case 'convert': return this.#keeps(place.base)
      case 'accessor': return place.set !== null && this.#flow(place.set) !== 'lost'
      case 'temp': return true
      case 'global': case 'ref': return false
    }
  }

  #stored(place: Place, value: Expr, span: Span | null): void {
    const root = rootOf(place)
    if ((root.kind === 'local' || root.kind === 'param') && !root.decl.noDiff && this.#keeps(place)) {
      this.#carry(root.decl, root.type, value)
      return
    }
    if (!this.#report || this.#keeps(place) || !this.#carries(value)) return
    if ((root.kind === 'local' || root.kind === 'param') && root.decl.noDiff) return
    this.#sink.add(lostInAssignment, span ?? value.span ?? undefined, {})
  }
}

/** The variable that a place is part of. */
function rootOf(place: Place): Place {
  switch (place.kind) {
    case 'field': case 'index': case 'swizzle': case 'elements': case 'convert': return rootOf(place.base)
    default: return place
  }
}

/** Reports derivatives that the body of a function marked differentiable loses. */
export function checkLostDerivatives(ask: Questions, func: FuncDecl, body: Body, sink: Sink): void {
  new Analysis(ask, func, sink).run(body)
}
