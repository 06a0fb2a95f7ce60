/**
 * Makes emitted statements readable: constants that are used once move to their use, dead ones go, `if`s that only choose
 * become conditional expressions, endless loops that begin with a test become `while`.
 */
import { binary, cond, direct, inner, operands, replaceIn, unary, type Expr, type Local, type Stmt } from './tree.ts'

/** Tidies the body of a function in place. */
export function fold(body: Stmt[]): void {
  countUses(body)
  dropDead(body)
  foldList(body)
}

function eachName(e: Expr, f: (local: Local) => void): void {
  if (e.kind === 'name') f(e.local)
  else for (const x of operands(e)) eachName(x, f)
}

function countUses(body: readonly Stmt[]): void {
  for (const s of body) {
    for (const e of direct(s)) eachName(e, local => { local.uses++ })
    for (const part of inner(s)) countUses(part)
  }
}

/** True where an expression writes, or waits: it stays where it is. */
function hasEffect(e: Expr): boolean {
  if (e.kind === 'call' && !e.pure) return true
  if (e.kind === 'method' && e.method === 'set') return true
  return operands(e).some(hasEffect)
}

function release(e: Expr): void {
  eachName(e, local => { local.uses-- })
}

function dropDead(body: Stmt[]): void {
  for (let i = body.length - 1; i >= 0; i--) {
    const s = body[i]!
    for (const part of inner(s)) dropDead(part)
    const dead = s.kind === 'const' && s.locals.every(l => l.uses === 0) && !hasEffect(s.init)
    const empty = s.kind === 'if' && s.yes.length === 0 && s.no.length === 0 && !hasEffect(s.c)
    if (!dead && !empty) continue
    for (const e of direct(s)) release(e)
    body.splice(i, 1)
  }
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
  if ((e.kind === 'index' || e.kind === 'method') && e.of.kind === 'text') into.memory = true
  for (const x of operands(e)) reads(x, into)
  return into
}

/** True where running the statement may change what is read. */
function disturbs(s: Stmt, r: Reads): boolean {
  switch (s.kind) {
    case 'yield': return true
    case 'set': {
      let root = s.target
      // Writes to a list in a list reach it by calls.
      while (root.kind === 'index' || root.kind === 'call') root = root.kind === 'index' ? root.of : root.args[0]!
      if (root.kind === 'text' ? r.memory : root.kind === 'name' && r.locals.has(root.local)) return true
      break
    }
    case 'do':
      if (s.value.kind === 'call' && s.value.callee === 'given') return true
      if (s.value.kind === 'method' && s.value.of.kind === 'name' && s.value.method === 'set') return r.locals.has(s.value.of.local)
      if (s.value.kind === 'method' && s.value.of.kind === 'text') return r.memory
      break
    default: break
  }
  for (const e of direct(s)) {
    if (hasEffect(e) && (r.memory || [...r.locals].some(l => l.name !== undefined))) return true
  }
  return inner(s).some(part => part.some(x => disturbs(x, r)))
}

const maxSize = 48

function size(e: Expr): number {
  let n = 1
  for (const x of operands(e)) n += size(x)
  return n
}

function foldList(body: Stmt[]): void {
  for (let i = 0; i < body.length; i++) {
    const s = body[i]!
    if (s.kind === 'if' || s.kind === 'block' || s.kind === 'switch') sink(body, i)
  }
  for (const s of body) for (const part of inner(s)) foldList(part)
  for (let i = 0; i < body.length; i++) choose(body, i)
  const useAt = new Map<Local, number>()
  body.forEach((s, i) => {
    for (const e of direct(s)) eachName(e, local => useAt.set(local, i))
  })
  const gone = new Uint8Array(body.length)
  for (let i = 0; i < body.length; i++) {
    const s = body[i]!
    if (s.kind !== 'const' || s.locals.length !== 1 || s.locals[0]!.uses !== 1 || hasEffect(s.init)) continue
    const local = s.locals[0]!
    const at = useAt.get(local)
    if (at === undefined || at <= i || size(s.init) > maxSize) continue
    const r = reads(s.init, { locals: new Set(), memory: false })
    let free = true
    if (r.memory || r.locals.size > 0) {
      for (let k = i + 1; k < at && free; k++) free = gone[k] === 1 || !disturbs(body[k]!, r)
    }
    if (!free) continue
    replaceIn(body[at]!, local, s.init)
    eachName(s.init, l => { if (useAt.get(l) === i) useAt.set(l, at) })
    gone[i] = 1
  }
  for (let i = body.length - 1; i >= 0; i--) if (gone[i] === 1) body.splice(i, 1)
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
    for (const x of part) for (const e of direct(x)) eachName(e, local => home.set(local, part))
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
function choose(body: Stmt[], i: number): void {
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
  body[i] = { kind: 'const', locals: [local], init: logic }
  body.splice(i - 1, 1, { kind: 'block', body: [], labelled: false })
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
