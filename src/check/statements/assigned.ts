/** Warns of numbers that are read before they are written. The bundle that only makes WGSL leaves this out, to stay small. */
import type { Sink } from '../../base/diag.ts'
import * as errors from '../../base/errors/assigned.ts'
import type { Span } from '../../base/source.ts'
import type { FuncDecl, LocalDecl } from '../model/decl.ts'
import type { Arg, CheckedProgram, Expr, Place, Stmt } from '../model/tree.ts'
import type { Type } from '../model/type.ts'
import { children, expressions, operands, placeOperands, writtenParams } from '../model/walk.ts'

const isNumber = (type: Type): boolean => type.kind === 'scalar' || type.kind === 'vector' || type.kind === 'matrix'

/** The variable that a place is, or is part of. */
function rootOf(place: Place): LocalDecl | null {
  for (let p = place; ;) {
    if (p.kind === 'local') return p.decl
    if (
      p.kind !== 'field' &&
      p.kind !== 'index' &&
      p.kind !== 'swizzle' &&
      p.kind !== 'elements' &&
      p.kind !== 'parts' &&
      p.kind !== 'convert'
    )
      return null
    p = p.base
  }
}

/** Follows a body in the order of its text. A write in any branch counts, so each warning is surely right. */
class Reader {
  /** Variables without a write so far, and in how many loops they are declared. */
  readonly #empty = new Map<LocalDecl, number>()
  /** Reads in loops, whose writes may stand further down. */
  readonly #doubtful: { readonly decl: LocalDecl; readonly span: Span | null }[] = []
  readonly #sink: Sink
  #loops = 0

  constructor(sink: Sink) {
    this.#sink = sink
  }

  body(stmts: readonly Stmt[]): void {
    for (const s of stmts) this.#stmt(s)
    for (const { decl, span } of this.#doubtful) if (this.#empty.has(decl)) this.#report(decl, span)
  }

  #report(decl: LocalDecl, span: Span | null): void {
    this.#sink.add(
      errors.unassigned,
      span ?? undefined,
      { name: decl.name },
      { span: decl.span ?? undefined, text: 'declared here' },
    )
  }

  #stmt(s: Stmt): void {
    const isLoop = s.kind === 'for' || s.kind === 'while' || s.kind === 'do'
    if (s.kind === 'for') for (const i of s.init) this.#stmt(i)
    if (isLoop) this.#loops++
    if (s.kind === 'for') {
      if (s.cond !== null) this.#expr(s.cond)
      this.#stmt(s.body)
      if (s.step !== null) this.#expr(s.step)
    } else {
      if (s.kind !== 'do') expressions(s).forEach(e => this.#expr(e))
      children(s).forEach(c => this.#stmt(c))
      if (s.kind === 'do') this.#expr(s.cond)
    }
    if (isLoop) this.#loops--
    if (s.kind === 'local' && s.init === null && isNumber(s.decl.type)) this.#empty.set(s.decl, this.#loops)
  }

  #written(place: Place): void {
    const root = rootOf(place)
    if (root !== null) this.#empty.delete(root)
  }

  #argument(arg: Arg): void {
    if (arg.dir === 'in') return
    placeOperands(
      arg.place,
      e => this.#expr(e),
      () => undefined,
    )
    this.#written(arg.place)
  }

  readonly #expr = (e: Expr): void => {
    switch (e.kind) {
      case 'assign':
        this.#expr(e.value)
        placeOperands(e.place, this.#expr, this.#inside)
        this.#written(e.place)
        return
      case 'update':
        this.#expr(e.value)
        this.#read(e.place)
        this.#written(e.place)
        return
      case 'call': {
        const args = e.object === null ? e.args : [e.object, ...e.args]
        for (const a of args) if (a.dir === 'in') this.#expr(a.value)
        for (const a of args) this.#argument(a)
        return
      }
      case 'read':
        this.#read(e.place)
        return
      default:
        operands(e, this.#expr, this.#inside)
    }
  }

  /** Indices and objects inside a place that is written. */
  readonly #inside = (p: Place): void => placeOperands(p, this.#expr, this.#inside)

  #read(place: Place): void {
    const root = rootOf(place)
    const loops = root === null ? undefined : this.#empty.get(root)
    if (root !== null && loops !== undefined) {
      if (this.#loops > loops) this.#doubtful.push({ decl: root, span: place.span })
      else {
        this.#report(root, place.span)
        this.#empty.delete(root)
      }
    }
    this.#inside(place)
  }
}

/** Reports variables that are read and `out` parameters that are left without a value. */
export function checkAssigned(program: CheckedProgram, sink: Sink): void {
  for (const func of program.functions) checkAssignedIn(program, func, sink)
}

/** The same in one function. */
export function checkAssignedIn(program: CheckedProgram, func: FuncDecl, sink: Sink): void {
  const body = program.body(func)
  if (body === null) return
  new Reader(sink).body(body.stmts)
  const written = writtenParams(body.stmts)
  const { params } = program.signature({ kind: 'direct', decl: func, subst: { args: new Map(), self: null } })
  program.params(func).forEach((p, i) => {
    if (params[i]?.dir === 'out' && isNumber(params[i].type) && !written.has(p))
      sink.add(errors.unassignedOutput, p.span ?? undefined, { name: p.name, func: func.name })
  })
}
