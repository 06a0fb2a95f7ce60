/**
 * Checks the bodies of a program's functions one by one, in any order, and keeps what that found. As long as everything outside of bodies
 * stays as it is, a body is only checked again if it changes itself, or if its check looked into other bodies.
 */
import { Sink, type Diagnostic } from '../base/diag.ts'
import type { SourceFile, Span } from '../base/source.ts'
import { checkDecl, checked, checkFunction, type Loaded } from '../check/check.ts'
import type { Decl, FuncDecl } from '../check/model/decl.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import { paramLists } from '../check/types/index.ts'
import { checkAssignedIn } from '../check/statements/assigned.ts'
import { callsOf, reportOpen } from '../check/statements/returns.ts'
import { checkStrictlyIn } from '../check/statements/strict.ts'
import type { Heard, Names } from './names.ts'
import type { Broken } from '../syntax/ast.ts'
import { noteFault, type Relay } from './relay.ts'
import type { Anchor, Segments } from './segments.ts'
import type { Target } from './target.ts'

/** A name in a body. */
export interface BodyUse {
  readonly anchor: Anchor
  readonly target: Target
}

/** A function that can end without its result. */
export interface Open {
  /** Said where the function is used and surely ends so; null where that is not sure. */
  readonly mistake: Diagnostic | null
  /** Said otherwise. */
  readonly warning: Diagnostic
  /** Whether the body around it leads there, if it is not that itself. */
  readonly isCalled: boolean
}

/** What the check of a body found. */
export interface Result {
  /** What reading it found, and which parts of it could not be understood. */
  readonly syntax: readonly Diagnostic[]
  readonly broken: readonly Broken[]
  readonly diagnostics: readonly Diagnostic[]
  /** What is only worth saying of a body without mistakes. */
  readonly warnings: readonly Diagnostic[]
  /** Functions in it, itself first, that can end without their result. */
  readonly open: readonly Open[]
  /** The bodies that it calls, by number, and the requirements by name. */
  readonly calls: { readonly bodies: readonly number[]; readonly names: readonly string[] }
  readonly uses: readonly BodyUse[]
  /** What macros in it name. */
  readonly hidden: readonly Target[]
  /** Diagnostics outside of the function, in words. */
  readonly elsewhere: readonly string[]
  /** Whether nothing but the body itself and what stands outside of all bodies had a part in it. */
  readonly isOwn: boolean
}

/** A check that is going on. */
interface Running {
  readonly func: FuncDecl
  isOwn: boolean
}

/** What compiling one root of a program found. */
export interface LoweredRoot {
  readonly diagnostics: readonly Diagnostic[]
  /** The bodies that had a part in it. */
  readonly bodies: readonly number[]
}

/** What all bodies of a program share. */
export interface Around {
  readonly loaded: Loaded
  readonly names: Names
  readonly relay: Relay
  readonly segments: Segments
  readonly targetOf: (decl: Decl) => Target
  /** Takes errors of the checker itself. */
  readonly faults: unknown[]
}

/** The bodies of a program. */
export class Bodies {
  readonly funcs: readonly FuncDecl[]
  readonly #around: Around
  readonly #numbers: ReadonlyMap<FuncDecl, number>
  readonly #results: (Result | undefined)[]
  /** Bodies that have been checked in this state of the program. */
  readonly #live = new Set<number>()
  /** Declarations in bodies that have been checked. */
  readonly #entered = new Set<Decl>()
  /** What the results that were kept found outside of their bodies. */
  readonly #believed: string | undefined
  #program: CheckedProgram | undefined
  #heard: Set<number> | undefined
  #running: Running | undefined
  /** The first body after which nothing can be said, since its check went too far. */
  #halted = Infinity

  constructor(funcs: readonly FuncDecl[], around: Around, previous: Bodies | undefined) {
    this.funcs = funcs
    this.#around = around
    this.#numbers = new Map(funcs.map((func, i) => [func, i]))
    this.#results = funcs.map((_, i) => (previous === undefined ? undefined : previous.#kept(i, this)))
    this.#believed = previous === undefined ? undefined : previous.isComplete ? previous.#elsewhere : previous.#believed
  }

  get #checked(): CheckedProgram {
    return (this.#program ??= checked(this.#around.loaded))
  }

  get isComplete(): boolean {
    return this.#results.slice(0, this.count).every(r => r !== undefined)
  }

  /**
   * What checks of bodies found outside of them. What several bodies lead to is found by the first that asks for it, so if this changes,
   * results that were kept may lack something.
   */
  get #elsewhere(): string {
    const found = new Set(this.#results.slice(0, this.count).flatMap(r => r?.elsewhere ?? []))
    return [...found].toSorted().join('\n')
  }

  /** Whether what was kept of a previous state holds here, once all is known. */
  get isBelieved(): boolean {
    return this.#believed === undefined || this.#believed === this.#elsewhere
  }

  /** The body around an offset. */
  at(file: SourceFile, offset: number): number | undefined {
    const found = this.funcs.findIndex(({ syntax: { body } }) => {
      const { span } = body!
      return span.file === file && span.start <= offset && offset <= span.end
    })
    return found < 0 ? undefined : found
  }

  /** What is to be said of functions that can end without their result, if those in `roots` are called from outside. */
  openEnds(roots: readonly FuncDecl[]): readonly Diagnostic[] {
    const results = Array.from({ length: this.count }, (_, i) => this.result(i))
    if (results.every(r => r.open.length === 0)) return []
    const used = new Set(roots.flatMap(f => this.#numbers.get(f) ?? []))
    const names = new Set<string>()
    // What is added on the way is visited too.
    for (const i of used) {
      const { calls } = this.result(i)
      for (const called of calls.bodies) used.add(called)
      for (const name of calls.names) {
        if (names.has(name)) continue
        names.add(name)
        this.funcs.forEach((f, j) => f.name === name && f.role !== 'function' && used.add(j))
      }
    }
    return results.flatMap((r, i) => r.open.map(o => (used.has(i) && o.isCalled && o.mistake) || o.warning))
  }

  /** The result for a body if it holds in another state of the program. */
  #kept(i: number, now: Bodies): Result | undefined {
    const result = this.#results[i]
    if (result?.isOwn !== true || !this.isSame(i, now)) return undefined
    const move = this.mover(now)
    return {
      ...result,
      syntax: result.syntax.map(move),
      broken: result.broken.map(b => ({ ...b, span: this.#moved(b.span, now) })),
      diagnostics: result.diagnostics.map(move),
      warnings: result.warnings.map(move),
      open: result.open.map(o => ({
        ...o,
        mistake: o.mistake === null ? null : move(o.mistake),
        warning: move(o.warning),
      })),
    }
  }

  /** Whether a body is the same in another state of the program. */
  isSame(i: number, now: Bodies): boolean {
    return now.funcs[i]?.name === this.funcs[i]?.name && this.#text(i) === now.#text(i)
  }

  /** Moves diagnostics to where their places are in another state of the program. */
  mover(now: Bodies): (d: Diagnostic) => Diagnostic {
    const moved = <T extends { readonly span: Span | undefined }>(x: T): T =>
      x.span === undefined ? x : { ...x, span: this.#moved(x.span, now) }
    return d => ({ ...moved(d), notes: d.notes.map(moved) })
  }

  #moved(span: Span, now: Bodies): Span {
    const anchor = this.#around.segments.anchor(span)
    return anchor === undefined ? span : now.#around.segments.span(anchor)
  }

  /** The bodies that `work` asks for. */
  during(work: () => void): readonly number[] {
    const outer = this.#heard
    const heard = (this.#heard = new Set<number>())
    work()
    this.#heard = outer
    return [...heard]
  }

  /** The text of a body, if it is a segment. */
  #text(i: number): string {
    const segment = this.#segment(i)
    return segment === undefined ? '' : this.#around.segments.of(segment.path)!.text(segment.number)
  }

  #segment(i: number): { readonly path: string; readonly number: number } | undefined {
    const span = this.funcs[i]!.syntax.body!.span
    const file = this.#around.segments.of(span.file.name)
    const number = file?.at(span.start) ?? 0
    return number % 2 === 0 ? undefined : { path: span.file.name, number }
  }

  /** How many bodies there are about which something can be said. */
  get count(): number {
    return Math.min(this.funcs.length, this.#halted + 1)
  }

  /** Whether a body has been checked, here or where its result comes from. */
  isKnown(i: number): boolean {
    return this.#results[i] !== undefined
  }

  isLive(i: number): boolean {
    return this.#live.has(i)
  }

  /** The result for a body, which is checked if it is not known. */
  result(i: number): Result {
    return this.#results[i] ?? this.check(i)
  }

  /** Checks a body so that its names and expressions are known, whether its result is or not. */
  check(i: number): Result {
    if (!this.#live.has(i)) this.#run(i)
    return this.#results[i]!
  }

  /** The number of a function's body. */
  numberOf(func: FuncDecl): number | undefined {
    return this.#numbers.get(func)
  }

  /** The checker asks for a body. */
  asked(func: FuncDecl): void {
    const i = this.#numbers.get(func)
    if (i === undefined || this.#running?.func === func) return
    this.#heard?.add(i)
    if (this.#running !== undefined) this.#running.isOwn = false
    if (!this.#live.has(i)) this.#run(i)
  }

  /** The checker uses what other bodies may use too. */
  shared(): void {
    if (this.#running !== undefined) this.#running.isOwn = false
  }

  #run(i: number): void {
    const { loaded, names, relay } = this.#around
    const { cx } = loaded
    const func = this.funcs[i]!
    const outer = { running: this.#running, to: relay.to, inlined: [...cx.inlined] }
    const running = (this.#running = { func, isOwn: true })
    const sink = (relay.to = new Sink())
    this.#live.add(i)
    cx.inlined.clear()
    const from = cx.userDecls.length
    const before = cx.bodies.size
    let heard: Heard = { uses: [], hidden: new Set() }
    const inside: Decl[] = []
    try {
      heard = names.during(() =>
        relay.work.apart(() => {
          checkFunction(cx, func)
          for (let j = from; j < cx.userDecls.length; j++) {
            const decl = cx.userDecls[j]!
            if (this.#entered.has(decl)) continue
            this.#entered.add(decl)
            inside.push(decl)
            checkDecl(cx, decl)
          }
          for (const decl of inside) names.declared(decl)
        }),
      )
    } catch (error) {
      this.#halted = Math.min(this.#halted, i)
      noteFault(error, sink, this.#around.faults)
    } finally {
      relay.to = outer.to
      this.#running = outer.running
      cx.inlined.clear()
      for (const [f, lost] of outer.inlined) cx.inlined.set(f, lost)
    }
    const { parts, calls } = this.#calls(func)
    this.#results[i] = {
      ...this.#found(i, sink, heard, inside, running.isOwn && this.#halted !== i),
      open: this.#open(func, before, parts),
      calls,
    }
  }

  /** The functions in a body that may end without a result, among those whose bodies were entered so late. */
  #open(func: FuncDecl, before: number, parts: ReadonlySet<FuncDecl>): readonly Open[] {
    const { cx } = this.#around.loaded
    return [...cx.bodies].slice(before).flatMap(([f, body]): readonly Open[] => {
      if (body?.open === undefined || (f !== func && (this.#numbers.has(f) || this.#entered.has(f)))) return []
      this.#entered.add(f)
      const said = (isMistake: boolean): Diagnostic => this.#apart(() => reportOpen(cx, f, isMistake))[0]!
      return [{ mistake: body.open === 'surely' ? said(true) : null, warning: said(false), isCalled: parts.has(f) }]
    })
  }

  /** What `work` reports. */
  #apart(work: () => void): readonly Diagnostic[] {
    const { relay } = this.#around
    const { to } = relay
    const sink = (relay.to = new Sink())
    work()
    relay.to = to
    return sink.list
  }

  #found(i: number, sink: Sink, heard: Heard, inside: readonly Decl[], isOwn: boolean): Omit<Result, 'open' | 'calls'> {
    const { loaded, names, segments, targetOf } = this.#around
    const func = this.funcs[i]!
    const { diagnostics: syntax, broken } = names.reading(func.syntax.body!)
    const own = this.#segment(i)
    const anchored = (span: Span | undefined): Anchor | undefined => {
      const anchor = span === undefined ? undefined : segments.anchor(span)
      const isHere = (segment: number): boolean => segment % 2 === 0 || segment === own?.number
      return anchor !== undefined && isHere(anchor.first) && isHere(anchor.last) ? anchor : undefined
    }
    const { span } = func.syntax
    const isWithin = (d: Diagnostic): boolean =>
      d.span?.file === span.file &&
      d.span.start >= span.start &&
      d.span.end <= span.end &&
      [d, ...d.notes].every(n => n.span === undefined || anchored(n.span) !== undefined)
    return {
      syntax,
      broken,
      diagnostics: sink.list,
      warnings:
        sink.errors === 0 && broken.length === 0 && !loaded.doubts.touch(func)
          ? this.#warnings([func, ...inside.filter(d => d.kind === 'func')])
          : [],
      hidden: [...heard.hidden].map(targetOf),
      uses: heard.uses.flatMap(use => {
        const anchor = anchored(use.span)
        return anchor === undefined ? [] : [{ anchor, target: targetOf(use.decl) }]
      }),
      elsewhere: sink.list.flatMap(d => {
        const at = d.span === undefined || isWithin(d) ? undefined : segments.anchor(d.span)
        return isWithin(d) ? [] : [`${at?.path}:${at?.first}:${at?.start} ${d.code} ${d.message}`]
      }),
      isOwn: isOwn && sink.list.every(isWithin),
    }
  }

  #warnings(funcs: readonly FuncDecl[]): readonly Diagnostic[] {
    const sink = new Sink()
    for (const func of funcs) {
      if (paramLists(func).length > 0) continue
      checkAssignedIn(this.#checked, func, sink)
      checkStrictlyIn(func, sink)
    }
    return sink.list
  }

  /** What a body calls; functions in it count as parts of it. */
  #calls(func: FuncDecl): { readonly parts: ReadonlySet<FuncDecl>; readonly calls: Result['calls'] } {
    const bodies = new Set<number>()
    const names = new Set<string>()
    const parts = new Set([func])
    for (const part of parts) {
      const calls = callsOf(this.#around.loaded.cx.bodies.get(part))
      for (const name of calls.names) names.add(name)
      for (const called of calls.funcs) {
        const number = this.#numbers.get(called)
        if (number === undefined) parts.add(called)
        else bodies.add(number)
      }
    }
    return { parts, calls: { bodies: [...bodies], names: [...names] } }
  }
}
