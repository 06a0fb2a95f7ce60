/**
 * What no target has may stand in a program, as long as nothing reaches it. Lowering meets it where an entry point or an exported
 * function does: one diagnostic then says what it is, where it stands, and by which calls it is reached. The function that uses it
 * is given up there; others go on.
 */
import { note, type Note, type Sink } from '../base/diag.ts'
import { noTarget } from '../base/errors/lower.ts'
import { unresolvedExternal } from '../base/errors/names.ts'
import type { Span } from '../base/source.ts'
import type { FuncDecl } from '../check/model/decl.ts'
import type { Lack } from '../check/model/lack.ts'
import type { Missing } from '../check/model/missing.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import { Builder } from '../ir/build.ts'
import { Region, inputs, type Func } from '../ir/value.ts'

/** Ends the lowering of a function that uses what no target has, after that was reported. */
class Refused extends Error {}

/** A declaration that is being lowered; `func` is null for one that is no function. */
interface Part {
  readonly func: FuncDecl | null
  readonly span: Span | null
}

/** Calls that a diagnostic shows at most. */
const longestWay = 8

/** More functions than this are not given up one by one. */
const mostRefused = 50

/** Gives a function a body that later stages can take. */
function empty(func: Func): void {
  func.body = new Region()
  const b = new Builder(func, func.body)
  for (const p of inputs(func.sig)) b.param(p.type, p.name)
  b.emit(
    'ret',
    func.results.map(type => b.emit1('undef', [], null, type)),
  )
}

function holds(outer: Span, inner: Span): boolean {
  return outer.file === inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/** What this must know of lowering. */
interface State {
  readonly program: Missing
  readonly sink: Sink
  readonly refs: ReadonlyMap<Func, FuncRef>
  /** The body that is lowered now. */
  current: Body | undefined
}

interface Body {
  readonly func: Func
  readonly b: { readonly span: Span | null }
}

export class Reach<B extends Body = Body> {
  readonly #cx: State & { current: B | undefined }
  /** The declarations whose types are being lowered, the innermost last. */
  readonly #parts: Part[] = []
  /** The function that first asked for another, and where. */
  readonly #askers = new Map<Func, { readonly by: Func; readonly at: Span | undefined }>()
  #refused = 0
  #guards = 0

  constructor(cx: State & { current: B | undefined }) {
    this.#cx = cx
  }

  /** Lowers the types of a declaration. */
  within<T>(func: FuncDecl | null, span: Span | null, work: () => T): T {
    this.#parts.push({ func, span })
    try {
      return work()
    } finally {
      this.#parts.pop()
    }
  }

  /** A function is needed by the one that is lowered now. */
  asked(func: Func, current: Body | undefined = this.#cx.current): void {
    if (current !== undefined) this.#askers.set(func, { by: current.func, at: current.b.span ?? undefined })
  }

  /** Lowers something, such as the body of a function. If it uses what no target has, nothing of it is left but the diagnostic. */
  guard(work: () => void, func?: Func): void {
    const { current } = this.#cx
    this.#guards++
    try {
      this.#cx.sink.work.levelled(work)
    } catch (error) {
      if (!(error instanceof Refused) || (++this.#refused > mostRefused && this.#guards > 1)) throw error
      if (func !== undefined) empty(func)
    } finally {
      this.#guards--
      this.#cx.current = current
    }
  }

  /**
   * Reports the use of what no target has: the one given, or that which stands where lowering is. Returns if there is none, since then
   * the cause is another mistake.
   */
  refuse(lack: Lack | null | undefined = this.#nearest()): void {
    if (lack === undefined || lack === null) return
    const way = this.#way(lack.span)
    if (lack.isExternal === true) this.#cx.sink.add(unresolvedExternal, lack.span, { name: lack.feature }, ...way)
    else this.#cx.sink.add(noTarget, lack.span, { feature: lack.feature }, ...way)
    throw new Refused(lack.feature)
  }

  /** Where lowering is: in a part of a declaration, or in a body. */
  here(): Span | undefined {
    return this.#parts.findLast(p => p.span !== null)?.span ?? this.#cx.current?.b.span ?? undefined
  }

  /** Where the program called the library, if a function of that is lowered now. */
  outside(): Span | undefined {
    let at: Func | undefined = this.#cx.current?.func
    let span: Span | undefined
    while (at?.info.library === true) {
      const asker = this.#askers.get(at)
      span = asker?.at
      at = asker?.by
    }
    return span
  }

  /** The use of what no target has in a part of the text. */
  at(span: Span | null): Lack | undefined {
    return span === null ? undefined : this.#cx.program.lacking(span)
  }

  #nearest(): Lack | undefined {
    const { current } = this.#cx
    const own = current === undefined ? undefined : this.#declared(current.func)
    const spans = [...this.#parts.map(p => p.span).reverse(), current?.b.span, own?.syntax.span]
    for (const span of spans) {
      const lack = this.at(span ?? null)
      if (lack !== undefined) return lack
    }
    return undefined
  }

  #declared(func: Func): FuncDecl | undefined {
    const ref = this.#cx.refs.get(func)
    return ref === undefined || ref.kind === 'derivative' ? undefined : ref.decl
  }

  /** The calls that lead from an entry point or export to what is lowered now, the last one first. */
  #way(use: Span): readonly Note[] {
    const notes: Note[] = []
    const { current } = this.#cx
    const here = current?.b.span
    const user = current === undefined ? undefined : (this.#declared(current.func)?.syntax ?? current.func).span
    if (here && user && !holds(user, use) && !this.#parts.some(p => p.func !== null))
      notes.push(note(here, `${this.#name(current.func)} uses it here`))
    const add = (func: Func, callee: string, at: Span | undefined): void => {
      if (!func.info.library) notes.push(note(at, `${this.#name(func)} needs ${callee} here`))
    }
    let at: Func | undefined = current?.func
    const asked = this.#parts.findLast(p => p.func !== null)?.func
    if (current !== undefined && asked !== undefined && asked !== null && asked !== this.#declared(current.func))
      add(current.func, asked.name, current.b.span ?? undefined)
    while (at !== undefined && notes.length < longestWay) {
      const asker = this.#askers.get(at)
      if (asker === undefined) break
      if (!at.info.library) add(asker.by, this.#name(at), asker.at)
      at = asker.by
    }
    return notes
  }

  #name(func: Func): string {
    const decl = this.#declared(func)
    if (decl === undefined) return func.name
    const owner = decl.parent
    return owner?.kind === 'struct' || owner?.kind === 'enum' ? `${owner.name}.${decl.name}` : decl.name
  }
}
