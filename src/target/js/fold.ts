/**
 * Makes emitted statements readable: constants that are used once move to their use, dead ones go, `if`s that only choose
 * become conditional expressions, endless loops that begin with a test become `while`.
 */
import { binary, cond, direct, eachName, eachRead, inner, isAtom, operands, replaceIn, unary, type Expr, type Local, type Stmt } from './tree.ts'

/** Tidies the body of a function in place. */
export function fold(body: Stmt[]): void {
  countUses(body)
  dropDead(body)
  foldList(body, new Timeline(body))
}

const used = (local: Local): void => { local.uses++ }
const unused = (local: Local): void => { local.uses-- }

function countUses(body: readonly Stmt[]): void {
  for (let i = 0; i < body.length; i++) {
    eachRead(body[i]!, used)
    for (const part of inner(body[i]!)) countUses(part)
  }
}

/** True where an expression writes, or waits: it stays where it is. */
function hasEffect(e: Expr): boolean {
  if (isAtom(e)) return false
  if (e.kind === 'call' && !e.pure) return true
  if (e.kind === 'method' && e.method === 'set') return true
  return operands(e).some(hasEffect)
}

function dropDead(body: Stmt[]): void {
  const gone = new Uint8Array(body.length)
  for (let i = body.length - 1; i >= 0; i--) {
    const s = body[i]!
    for (const part of inner(s)) dropDead(part)
    const dead = s.kind === 'const' && s.locals.every(l => l.uses === 0) && !hasEffect(s.init)
    const empty = s.kind === 'if' && s.yes.length === 0 && s.no.length === 0 && !hasEffect(s.c)
    if (!dead && !empty) continue
    eachRead(s, unused)
    gone[i] = 1
  }
  drop(body, gone)
}

/** Takes the marked statements out of a list. */
function drop(body: Stmt[], gone: Uint8Array): void {
  let count = 0
  for (let i = 0; i < body.length; i++) if (gone[i] === 0) body[count++] = body[i]!
  body.length = count
}

// ── Moving constants to their use ────────────────────────────────────────────────────────────────────────────────

/** What an expression reads that may change: variables, and memory behind an index. */
interface Reads {
  readonly locals: Set<Local>
  /** Reads memory that the module owns, or the host. */
  memory: boolean
}

function reads(e: Expr, into: Reads): Reads {
  if (e.kind === 'name' && !e.local.fixed) into.locals.add(e.local)
  if (isAtom(e)) return into
  if ((e.kind === 'index' || e.kind === 'method') && e.of.kind === 'text') into.memory = true
  for (const x of operands(e)) reads(x, into)
  return into
}

/** When a statement of a function begins and ends, counted in statements as they are written. */
interface Span {
  readonly start: number
  readonly end: number
}

/** Where in a function what changes. What folding moves changes nothing, so it holds while it does. */
class Timeline {
  readonly #spans = new Map<Stmt, Span>()
  readonly #locals = new Map<Local, number[]>()
  readonly #memory: number[] = []
  /** Where something is called that may change module-level variables and memory. */
  readonly #calls: number[] = []
  /** Where anything may have changed. */
  readonly #all: number[] = []
  #now = 0

  constructor(body: readonly Stmt[]) {
    this.#list(body)
  }

  #list(body: readonly Stmt[]): void {
    for (const s of body) {
      const start = this.#now++
      this.#note(s, start)
      for (const part of inner(s)) this.#list(part)
      this.#spans.set(s, { start, end: this.#now })
    }
  }

  #local(local: Local, at: number): void {
    const list = this.#locals.get(local)
    if (list === undefined) this.#locals.set(local, [at])
    else list.push(at)
  }

  #note(s: Stmt, at: number): void {
    if (s.kind === 'yield') this.#all.push(at)
    if (s.kind === 'set') {
      let root = s.target
      // Writes to a list in a list reach it by calls.
      while (root.kind === 'index' || root.kind === 'call') root = root.kind === 'index' ? root.of : root.args[0]!
      if (root.kind === 'text') this.#memory.push(at)
      if (root.kind === 'name') this.#local(root.local, at)
    }
    if (s.kind === 'do') {
      if (s.value.kind === 'call' && s.value.callee === 'given') this.#all.push(at)
      if (s.value.kind === 'method' && s.value.of.kind === 'name' && s.value.method === 'set') return this.#local(s.value.of.local, at)
      if (s.value.kind === 'method' && s.value.of.kind === 'text') {
        this.#memory.push(at)
        return
      }
    }
    if (direct(s).some(hasEffect)) this.#calls.push(at)
  }

  /** A statement stands where another stood. */
  replace(s: Stmt, by: Stmt): void {
    this.#spans.set(by, this.#spans.get(s)!)
  }

  /** True where what is read may change after one statement and before another. */
  disturbs(r: Reads, from: Stmt, to: Stmt): boolean {
    if (!r.memory && r.locals.size === 0) return false
    const [start, end] = [this.#spans.get(from)!.end, this.#spans.get(to)!.start]
    const hits = (list: readonly number[] | undefined): boolean => list !== undefined && (list[notBefore(list, start)] ?? end) < end
    if (hits(this.#all) || (r.memory && (hits(this.#memory) || hits(this.#calls)))) return true
    for (const local of r.locals) if (hits(this.#locals.get(local)) || (local.name !== undefined && hits(this.#calls))) return true
    return false
  }
}

/** The index of the first number of an ascending list that is as great or greater. */
function notBefore(list: readonly number[], n: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]! >= n) high = middle
    else low = middle + 1
  }
  return low
}

const maxSize = 48

/** How many nodes an expression has; counting stops above the limit. */
function size(e: Expr): number {
  let n = 1
  if (!isAtom(e)) for (const x of operands(e)) if ((n += size(x)) > maxSize) break
  return n
}

function foldList(body: Stmt[], timeline: Timeline): void {
  for (let i = 0; i < body.length; i++) {
    const s = body[i]!
    if (s.kind === 'if' || s.kind === 'block' || s.kind === 'switch') sink(body, i)
  }
  for (const s of body) for (const part of inner(s)) foldList(part, timeline)
  for (let i = 0; i < body.length; i++) choose(body, i, timeline)
  const useAt = new Map<Local, number>()
  for (let i = 0; i < body.length; i++) eachRead(body[i]!, local => useAt.set(local, i))
  const gone = new Uint8Array(body.length)
  // What moves into a statement is put in all at once when it is its turn: it may be as long as the list.
  const moved = new Map<number, Map<Local, Expr>>()
  for (let i = 0; i < body.length; i++) {
    const s = body[i]!
    const parts = moved.get(i)
    if (parts !== undefined) replaceIn(s, parts)
    if (s.kind !== 'const' || s.locals.length !== 1 || s.locals[0]!.uses !== 1 || hasEffect(s.init)) continue
    const local = s.locals[0]!
    const at = useAt.get(local)
    if (at === undefined || at <= i || size(s.init) > maxSize) continue
    const r = reads(s.init, { locals: new Set(), memory: false })
    if (timeline.disturbs(r, s, body[at]!)) continue
    const into = moved.get(at)
    if (into === undefined) moved.set(at, new Map([[local, s.init]]))
    else into.set(local, s.init)
    eachName(s.init, l => { if (useAt.get(l) === i) useAt.set(l, at) })
    gone[i] = 1
  }
  drop(body, gone)
  for (const s of body) {
    if (s.kind === 'loop') whileLoop(s)
    const last = s.kind === 'block' ? s.body[s.body.length - 1] : undefined
    if (s.kind === 'block' && last?.kind === 'break' && last.of === s) s.body.pop()
  }
}

/** Moves constants that only one branch of the statement uses into that branch. */
function sink(body: Stmt[], at: number): void {
  const home = new Map<Local, Stmt[]>()
  for (const part of inner(body[at]!)) {
    for (let k = 0; k < part.length; k++) eachRead(part[k]!, local => home.set(local, part))
  }
  for (let i = at - 1; i >= 0; i--) {
    const s = body[i]!
    if (s.kind === 'let') continue
    if (s.kind !== 'const') return
    const branch = home.get(s.locals[0]!)
    if (branch === undefined || s.locals.length !== 1 || s.locals[0]!.uses !== 1 || hasEffect(s.init)) continue
    const r = reads(s.init, { locals: new Set(), memory: false })
    if (r.memory || r.locals.size > 0) continue
    eachName(s.init, local => home.set(local, branch))
    branch.unshift(s)
    body.splice(i, 1)
  }
}

/** `let r; if (c) r = x; else r = y` becomes `const r = c ? x : y`. */
function choose(body: Stmt[], i: number, timeline: Timeline): void {
  const s = body[i]!
  if (s.kind !== 'if' || s.labelled || s.yes.length !== 1 || s.no.length !== 1) return
  const [a, b] = [s.yes[0]!, s.no[0]!]
  if (a.kind !== 'set' || b.kind !== 'set' || a.target.kind !== 'name' || b.target.kind !== 'name') return
  const local = a.target.local
  const before = body[i - 1]
  if (local !== b.target.local || before?.kind !== 'let' || before.local !== local || before.init !== undefined) return
  if (size(a.value) + size(b.value) > maxSize) return
  const logic = b.value.kind === 'text' && b.value.text === 'false' ? binary('&&', s.c, a.value)
    : a.value.kind === 'text' && a.value.text === 'true' ? binary('||', s.c, b.value) : cond(s.c, a.value, b.value)
  Object.assign(local, { fixed: true })
  const empty: Stmt = { kind: 'block', body: [], labelled: false }
  const chosen: Stmt = { kind: 'const', locals: [local], init: logic }
  timeline.replace(s, chosen)
  timeline.replace(before, empty)
  body[i] = chosen
  body[i - 1] = empty
}

/** A loop that begins with `if (!c) break` tests `c` itself. */
function whileLoop(s: Stmt & { kind: 'loop' }): void {
  const first = s.body[0]
  if (s.c !== undefined || first?.kind !== 'if' || first.yes.length !== 1 || first.no.length > 0) return
  const exit = first.yes[0]!
  if (exit.kind !== 'break' || exit.of !== s) return
  s.c = first.c.kind === 'unary' && first.c.op === '!' ? first.c.x : unary('!', first.c)
  s.body.shift()
}
