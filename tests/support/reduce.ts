/** Shrinks a generated program while it still fails: statements go, compound expressions give way to their parts. */
import type { Expr, FuncDecl, Program, Stmt } from './program.ts'
import { eachPart, eachStmt, exprParts, stmtExprs, stmtLists } from './program.ts'
import * as t from '../../src/ir/type.ts'

/** Makes one change; gives how to take it back, or undefined where there is nothing to change. */
type Edit = () => (() => void) | undefined

/** Applies every edit that keeps `fails` true, again and again; the program is changed in place. */
export async function reduce(
  program: Program,
  fails: (program: Program) => boolean | Promise<boolean>,
  tries = 2000,
): Promise<Program> {
  let left = tries
  for (let changed = true; changed && left > 0;) {
    changed = false
    for (const edit of edits(program)) {
      if (left <= 0) break
      const undo = edit()
      if (undo === undefined) continue
      left--
      if (await fails(program)) changed = true
      else undo()
    }
  }
  return program
}

function* edits(program: Program): Generator<Edit> {
  for (const i of program.interfaces) {
    for (const r of i.requirements) {
      yield together([
        removalOf(i.requirements, r),
        ...program.funcs.filter(f => f.implements === r).map(f => removalOf(program.funcs, f)),
      ])
    }
    for (const s of i.structs) {
      yield together([
        removalOf(i.structs, s),
        ...program.funcs
          .filter(f => f.implements !== undefined && f.params[0]!.type === s && i.requirements.includes(f.implements))
          .map(f => removalOf(program.funcs, f)),
      ])
    }
  }
  for (let i = program.interfaces.length - 1; i >= 0; i--) yield removal(program.interfaces, i)
  for (let i = program.funcs.length - 1; i >= 0; i--) yield removal(program.funcs, i)
  for (let i = program.structs.length - 1; i >= 0; i--) yield removal(program.structs, i)
  for (const f of program.funcs) {
    yield set(f, 'custom', 'none')
    yield set(f, 'prefer', 'none')
    if (f.implements === undefined) yield set(f, 'noDiffResult', false)
    for (const p of f.params) if (f.implements === undefined) yield set(p, 'noDiff', false)
  }
  for (const f of [program.main, ...program.funcs]) yield* listEdits(f.body)
  for (const f of [program.main, ...program.funcs, ...program.interfaces.flatMap(i => i.requirements)])
    yield* paramEdits(program, f)
  for (const f of [program.main, ...program.funcs]) {
    const all: Stmt[] = []
    eachStmt(f.body, s => all.push(s))
    for (const s of all) yield* stmtEdits(s)
  }
}

function removal<T>(list: T[], i: number): Edit {
  return () => {
    if (i >= list.length) return undefined
    const [gone] = list.splice(i, 1)
    return () => {
      list.splice(i, 0, gone!)
    }
  }
}

function removalOf<T>(list: T[], item: T): Edit {
  return () => (list.includes(item) ? removal(list, list.indexOf(item))() : undefined)
}

function together(edits: readonly Edit[]): Edit {
  return () => {
    const undos = edits.map(edit => edit()).filter(undo => undo !== undefined)
    return undos.length === 0
      ? undefined
      : () => {
          for (const undo of undos.reverse()) undo()
        }
  }
}

function* listEdits(list: Stmt[]): Generator<Edit> {
  for (let i = list.length - 1; i >= 0; i--) {
    if (list[i] === undefined) continue
    yield removal(list, i)
    const s = list[i]
    if (s === undefined) continue
    for (const part of stmtLists(s)) {
      yield () => {
        if (list[i] !== s) return undefined
        list.splice(i, 1, ...part)
        const count = part.length
        return () => {
          list.splice(i, count, s)
        }
      }
    }
    for (const part of stmtLists(s)) yield* listEdits(part)
  }
}

/** A parameter goes, with its arguments. */
function* paramEdits(program: Program, f: FuncDecl): Generator<Edit> {
  // What is required and what stands for it have the same parameters.
  if (f.implements !== undefined && program.interfaces.some(i => i.requirements.includes(f.implements!))) return
  const same = new Set([f, ...program.funcs.filter(g => g.implements === f)])
  for (let i = f.params.length - 1; i >= (f.isMethod || f.generic !== undefined ? 1 : 0); i--) {
    yield () => {
      if (i >= f.params.length) return undefined
      // What is differentiated keeps its parameters.
      if (isDifferentiated(program, same)) return undefined
      const undo: (() => void)[] = []
      const drop = (list: unknown[]): void => {
        const [gone] = list.splice(i, 1)
        undo.push(() => {
          list.splice(i, 0, gone)
        })
      }
      for (const g of same) drop(g.params)
      const visit = (e: Expr): void => {
        if (e.kind === 'call' && same.has(e.func)) drop(e.args)
        exprParts(e).forEach(visit)
      }
      for (const g of [program.main, ...program.funcs]) {
        eachStmt(g.body, s => {
          if (s.kind === 'call' && same.has(s.func)) drop(s.args)
          stmtExprs(s).forEach(visit)
        })
      }
      return () => {
        for (const u of undo.reverse()) u()
      }
    }
  }
}

/** Whether the program differentiates one of some functions. */
function isDifferentiated(program: Program, funcs: ReadonlySet<FuncDecl>): boolean {
  let found = false
  for (const f of [program.main, ...program.funcs]) {
    eachStmt(f.body, s => {
      if (s.kind === 'pull' && funcs.has(s.func)) found = true
      stmtExprs(s).forEach(e =>
        eachPart(e, part => {
          if (part.kind === 'pushed' && funcs.has(part.func)) found = true
        }),
      )
    })
  }
  return found
}

function* stmtEdits(s: Stmt): Generator<Edit> {
  if (s.kind === 'set') {
    yield set(s, 'op', '=')
    yield* exprEdits(s.value, e => {
      s.value = e
    })
  }
  if (s.kind === 'decl' && s.init !== undefined)
    yield* exprEdits(s.init, e => {
      s.init = e
    })
  if (s.kind === 'if')
    yield* exprEdits(s.c, e => {
      s.c = e
    })
  if (s.kind === 'while') yield set(s, 'form', 'while')
  if (s.kind === 'while' && s.c !== undefined) {
    yield set(s, 'c', undefined)
    if (s.c !== undefined)
      yield* exprEdits(s.c, e => {
        s.c = e
      })
  }
  if (s.kind === 'switch') {
    for (let k = 0; k < s.falls.length; k++) yield set(s.falls, k, false)
    yield* exprEdits(s.x, e => {
      s.x = e
    })
  }
  if (s.kind === 'return' && s.value !== undefined)
    yield* exprEdits(s.value, e => {
      s.value = e
    })
  if (s.kind === 'for') {
    yield set(s, 'unroll', false)
    if (s.step > 0) {
      yield set(s, 'from', 0)
      yield set(s, 'step', 1)
    }
  }
  if (s.kind === 'call') {
    yield set(s, 'to', undefined)
    for (let i = 0; i < s.args.length; i++)
      if (s.func.params[i]?.dir === 'in')
        yield* exprEdits(s.args[i]!, e => {
          s.args[i] = e
        })
  }
  if (s.kind === 'pull') {
    for (let i = s.to.length - 1; i > 0; i--) yield removal(s.to, i)
    for (let i = 0; i < s.args.length; i++)
      yield* exprEdits(s.args[i]!, e => {
        s.args[i] = e
      })
    yield* exprEdits(s.ct, e => {
      s.ct = e
    })
  }
}

function set<T extends object, K extends keyof T>(of: T, key: K, value: T[K]): Edit {
  return () => {
    const old = of[key]
    if (old === value) return undefined
    of[key] = value
    return () => {
      of[key] = old
    }
  }
}

/** An expression gives way to a literal or to a part of its type, or its parts do. */
function* exprEdits(e: Expr, put: (e: Expr) => void): Generator<Edit> {
  let now = e
  const become =
    (other: Expr): Edit =>
    () => {
      if (now === other) return undefined
      const old = now
      put(other)
      now = other
      return () => {
        put(old)
        now = old
      }
    }
  if (e.kind !== 'lit' && e.type.kind === 'scalar' && e.type !== t.bool)
    yield become({ kind: 'lit', type: e.type, value: 1 })
  for (const part of exprParts(e)) {
    if (now !== e) break
    if (part.type === e.type) yield become(part)
  }
  if (now !== e) {
    if (now.kind !== 'lit' && now.kind !== 'var') yield* exprEdits(now, put)
    return
  }
  const target = e as unknown as Record<string, Expr> & { args: Expr[] }
  if (e.kind === 'lib' || e.kind === 'make' || e.kind === 'list' || e.kind === 'call' || e.kind === 'pushed') {
    for (let i = 0; i < e.args.length; i++)
      if (e.kind !== 'call' || e.func.params[i]?.dir === 'in')
        yield* exprEdits(e.args[i]!, x => {
          target.args[i] = x
        })
  } else {
    for (const key of ['x', 'y', 'c', 'of', 'body', 'id'] as const) {
      const part: unknown = key in target ? target[key] : undefined
      if (typeof part === 'object')
        yield* exprEdits(part as Expr, x => {
          target[key] = x
        })
    }
  }
}
