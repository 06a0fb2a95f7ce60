/** Which functions cannot be compiled for any target: they use what no target has, or call one that does. */
import { fieldSigs, funcSig, globalInfo, paramLists, put, substFor } from '../types/index.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl } from '../model/decl.ts'
import type { Lack } from '../model/lack.ts'
import type { Expr, Place } from '../model/tree.ts'
import { isInt, type Type } from '../model/type.ts'
import { eachStmt, expressions, operands, placeOperands } from '../model/walk.ts'
import type { SourceFile, Span } from '../../base/source.ts'
import { callsOf } from './returns.ts'

/** The uses of what no target has, by place. */
export class Lacks {
  readonly #cx: Cx
  #count = 0
  #files = new Map<SourceFile, Lack[]>()
  #lacking: ReadonlySet<FuncDecl> | undefined

  constructor(cx: Cx) {
    this.#cx = cx
  }

  /** The first use in a part of the text. */
  in({ file, start, end }: Span): Lack | undefined {
    this.#sort()
    const list = this.#files.get(file) ?? []
    let [low, high] = [0, list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (list[middle]!.span.start < start) low = middle + 1
      else high = middle
    }
    const first = list[low]
    return first !== undefined && first.span.end <= end ? first : undefined
  }

  /** Bodies may have been checked since the last time. */
  #sort(): void {
    const { lacks } = this.#cx
    if (lacks.length === this.#count) return
    this.#count = lacks.length
    this.#files = new Map()
    this.#lacking = undefined
    for (const lack of lacks) {
      const list = this.#files.get(lack.span.file)
      if (list === undefined) this.#files.set(lack.span.file, [lack])
      else list.push(lack)
    }
    for (const list of this.#files.values()) list.sort((a, b) => a.span.start - b.span.start)
  }

  /** Whether what a function needs uses what no target has. Calls of requirements count as calls of all that may meet them. */
  reachedFrom(func: FuncDecl): boolean {
    if (this.#cx.lacks.length === 0 && !this.#cx.hasPointers) return false
    this.#sort()
    return (this.#lacking ??= this.#find()).has(func)
  }

  #find(): ReadonlySet<FuncDecl> {
    const cx = this.#cx
    // What has packs stands for functions that are written out.
    const funcs = cx.userDecls.filter((d): d is FuncDecl => d.kind === 'func' && !paramLists(d).some(l => l.packed))
    const types = new Map<string, boolean>()
    const callers = new Map<FuncDecl | string, FuncDecl[]>()
    const found = new Set<FuncDecl>()
    for (const func of funcs) {
      const sig = funcSig(cx, func)
      if (
        this.in(func.syntax.span) !== undefined ||
        [...sig.params.map(p => p.type), sig.result].some(type => isMissing(cx, type, types)) ||
        this.#holds(func, types)
      )
        found.add(func)
      const calls = callsOf(cx.bodies.get(func))
      for (const callee of [...calls.funcs, ...calls.names]) {
        const list = callers.get(callee)
        if (list === undefined) callers.set(callee, [func])
        else list.push(func)
      }
    }
    // What is added on the way is visited too.
    for (const func of found) {
      for (const caller of callers.get(func) ?? []) found.add(caller)
      if (func.role !== 'function') for (const caller of callers.get(func.name) ?? []) found.add(caller)
    }
    return found
  }

  /** Whether a body has values of types that no target has. */
  #holds(func: FuncDecl, types: Map<string, boolean>): boolean {
    const cx = this.#cx
    let holds = false
    const expr = (e: Expr): void => {
      holds ||= isMissing(cx, e.type, types)
      if (!holds) operands(e, expr, place)
    }
    const place = (p: Place): void => {
      holds ||= isMissing(cx, p.type, types)
      if (p.kind === 'global') holds ||= isMissing(cx, globalInfo(cx, p.decl).type, types)
      if (!holds) placeOperands(p, expr, place)
    }
    eachStmt(cx.bodies.get(func)?.stmts ?? [], s => {
      if (s.kind === 'local') holds ||= isMissing(cx, s.decl.type, types)
      if (!holds) expressions(s).forEach(expr)
    })
    return holds
  }
}

/** Whether values of a type hold what no target has. */
export function isMissing(cx: Cx, type: Type, known: Map<string, boolean>): boolean {
  if (type.kind === 'array') return isMissing(cx, type.elem, known)
  if (type.kind !== 'struct') return type.kind === 'error'
  const before = known.get(type.key)
  if (before !== undefined) return before
  known.set(type.key, false)
  const is =
    storesPointers(cx, type, false, new Set()) ||
    cx.sink.work.within(
      1,
      type.decl.span,
      () =>
        type.args.some(a => !isInt(a) && isMissing(cx, a, known)) ||
        (type.decl.intrinsic === null && fieldSigs(cx, type.decl).some(f => isMissing(cx, f.type, known))),
    )
  known.set(type.key, is)
  return is
}

/** Whether a buffer that a type holds, or leads to by pointers, has pointers for elements: nobody knows where those lead. */
function storesPointers(cx: Cx, type: Type, isStored: boolean, seen: Set<string>): boolean {
  if (!cx.hasPointers) return false
  if (type.kind === 'array') return storesPointers(cx, type.elem, isStored, seen)
  if (type.kind !== 'struct') return false
  const key = `${isStored} ${type.key}`
  if (seen.has(key)) return false
  seen.add(key)
  const { intrinsic } = type.decl
  const isPointer = intrinsic === 'Ptr'
  if (isStored && isPointer) return true
  const subst = substFor(type.decl, type.args, null)
  if (intrinsic === null)
    return fieldSigs(cx, type.decl).some(f => storesPointers(cx, put(cx, f.type, subst), isStored, seen))
  const [first] = type.args
  const inside = isStored || isPointer || intrinsic.endsWith('StructuredBuffer')
  return first !== undefined && !isInt(first) && storesPointers(cx, first, inside, seen)
}
