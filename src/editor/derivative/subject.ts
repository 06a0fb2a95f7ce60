/** The function that a place of a program lies in, and the instances of it that the program makes. */
import type { Diagnostic } from '../../base/diag.ts'
import type { SourceFile, Span } from '../../base/source.ts'
import type { FuncDecl } from '../../check/model/decl.ts'
import type { Arg, Body, CheckedProgram, Expr, Place } from '../../check/model/tree.ts'
import type { FuncRef } from '../../check/model/func-ref.ts'
import { noSubst } from '../../check/model/type.ts'
import { eachExpr, eachStmt, expressions } from '../../check/model/walk.ts'
import type { Checked } from '../../front.ts'
import type { Subject } from '../../lower/subjects.ts'
import type { CompileOptions } from '../../program.ts'
import { offsetOf, type Position } from '../range.ts'

/** A checked program as an editor has it: mistakes in one function do not keep others from being looked at. */
export interface EditorProgram {
  readonly checked: Checked
  readonly diagnostics: readonly Diagnostic[]
  readonly options: Pick<CompileOptions, 'optimize' | 'maxContext' | 'limits'>
}

/** The file of a program by its name. */
export function fileOf({ checked }: EditorProgram, name: string): SourceFile | undefined {
  return checked.program.modules.flatMap(m => m.files).find(f => f.name === name)
}

/** The innermost function with a body around a place; a lambda belongs to the function that it stands in. */
export function functionAt(program: EditorProgram, file: SourceFile, position: Position): FuncDecl | undefined {
  const offset = offsetOf(file, position)
  let best: FuncDecl | undefined
  for (const decl of program.checked.program.declarations) {
    if (decl.kind !== 'func' || !decl.hasBody || !contains(decl.syntax.span, file, offset)) continue
    if (best === undefined || sizeOf(decl.syntax.span) <= sizeOf(best.syntax.span)) best = decl
  }
  return best
}

function contains({ file: own, start, end }: Span, file: SourceFile, offset: number): boolean {
  return own === file && start <= offset && offset <= end
}

function sizeOf({ start, end }: Span): number {
  return end - start
}

/** The name of a function as people say it: `Type.method`. */
export function nameOf(func: FuncDecl): string {
  const owner = func.parent
  const own =
    func.role === 'constructor'
      ? '__init'
      : func.role === 'accessor'
        ? `${func.name}.${func.accessor ?? ''}`
        : func.name
  return func.role !== 'function' && owner !== null && owner.kind === 'struct' ? `${owner.name}.${own}` : own
}

/** The generic parameters that a function needs arguments for: its own and those of the types around it. */
export function genericsOf(func: FuncDecl): readonly string[] {
  const names: string[] = []
  for (let at: FuncDecl['parent'] | FuncDecl = func; at !== null && at.kind !== 'module'; at = at.parent) {
    if ('generics' in at && at.generics !== null) names.unshift(...at.generics.params.map(p => p.name))
  }
  return names
}

/** An instance of a function that can be lowered: the function itself, or one that the program makes of a generic one. */
export interface Instance {
  readonly name: string
  readonly ref: FuncRef
}

/** What a program calls by name, which takes lowering all of it. */
const subjects = new WeakMap<CheckedProgram, ReadonlyMap<string, Subject>>()

/** The functions of a program by the names that the library and the command line take: instances and overloads too. */
export function subjectsOf({ checked }: EditorProgram): readonly Subject[] {
  let found = subjects.get(checked.program)
  if (found === undefined) subjects.set(checked.program, (found = checked.subjects()))
  return [...found.values()]
}

/** The instances of a function; none where it is generic and nothing calls it. */
export function instancesOf(program: EditorProgram, func: FuncDecl): readonly Instance[] {
  if (genericsOf(func).length === 0) {
    // Where only the function itself is asked for, an overload needs no name of its own.
    return [{ name: nameOf(func), ref: { kind: 'direct', decl: func, subst: noSubst } }]
  }
  return subjectsOf(program)
    .filter(s => s.func === func)
    .map(({ name, ref }) => ({ name, ref }))
}

/** A call in a body, also one that reads or writes a property. */
export interface Call {
  readonly func: FuncDecl
  readonly span: Span | null
}

/** What a body calls by name, in order. What dispatches at run time, or depends on a type parameter, is not among it. */
export function callsIn(body: Body): readonly Call[] {
  const found: Call[] = []
  const add = (ref: FuncRef | null, span: Span | null): void => {
    let of = ref
    while (of?.kind === 'derivative') ({ of } = of)
    if (of?.kind === 'direct') found.push({ func: of.decl, span })
  }
  const place = (p: Place): void => {
    if (p.kind === 'accessor') {
      add(p.get, p.span)
      add(p.set, p.span)
    }
    if ('base' in p) place(p.base)
  }
  const arg = (a: Arg | null): void => {
    if (a !== null && a.dir !== 'in') place(a.place)
  }
  const look = (e: Expr): void => {
    if (e.kind === 'read' || e.kind === 'assign' || e.kind === 'update') place(e.place)
    if (e.kind !== 'call') return
    add(e.func, e.span)
    arg(e.object)
    e.args.forEach(arg)
  }
  eachStmt(body.stmts, s => {
    for (const e of expressions(s)) eachExpr(e, look)
  })
  return found
}

/** The functions that a function leads to, itself first, each with the call that leads there. */
export function reachedFrom(program: CheckedProgram, func: FuncDecl): ReadonlyMap<FuncDecl, Call | null> {
  const found = new Map<FuncDecl, Call | null>([[func, null]])
  // A map is walked to its end also where it grows on the way.
  for (const [of] of found) {
    if (of.module.isCore || !of.hasBody) continue
    const body = program.body(of)
    for (const call of body === null ? [] : callsIn(body)) if (!found.has(call.func)) found.set(call.func, call)
  }
  return found
}

/** The first error inside of a function. */
export function errorIn(diagnostics: readonly Diagnostic[], func: FuncDecl): Diagnostic | undefined {
  const { file, start, end } = func.syntax.span
  return diagnostics.find(
    d => d.severity === 'error' && d.span?.file === file && d.span.start >= start && d.span.start <= end,
  )
}
