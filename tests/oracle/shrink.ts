/** Makes a program smaller for as long as something still holds of it. */
import {
  isDerived,
  partsOf,
  same,
  type Callable,
  type Expr,
  type Func,
  type Program,
  type Stmt,
  type Type,
} from './tree.ts'

/** A change that can be taken back. */
interface Edit {
  readonly apply: () => void
  readonly undo: () => void
}

type Holder = { set: (e: Expr) => void; readonly get: () => Expr }

function listsOf(body: Stmt[]): Stmt[][] {
  return [body, ...body.flatMap(s => innerLists(s).flatMap(listsOf))]
}

function innerLists(s: Stmt): Stmt[][] {
  switch (s.kind) {
    case 'if':
      return [s.yes, s.no]
    case 'for':
    case 'while':
    case 'block':
    case 'defer':
      return [s.body]
    case 'switch':
      return s.cases.map(c => c.body)
    default:
      return []
  }
}

/** Where expressions stand directly in something. */
function slots(of: Stmt | Expr): Holder[] {
  const at = <K extends string>(holder: Partial<Record<K, Expr | undefined>>, ...keys: K[]): Holder[] =>
    keys.flatMap(key =>
      holder[key] === undefined
        ? []
        : [
            {
              get: () => holder[key]!,
              set: (e: Expr) => {
                holder[key] = e
              },
            },
          ],
    )
  const inList = (list: Expr[]): Holder[] =>
    list.map((_, i) => ({
      get: () => list[i]!,
      set: e => {
        list[i] = e
      },
    }))
  switch (of.kind) {
    case 'decl':
      return at(of, 'init')
    case 'set':
      return at(of, 'value', 'to')
    case 'if':
      return at(of, 'c')
    case 'for':
      return at(of, 'to')
    case 'while':
      return at(of, 'c')
    case 'switch':
    case 'expr':
    case 'show':
      return at(of, 'x')
    case 'return':
      return at(of, 'value')
    case 'neg':
    case 'not':
    case 'cast':
    case 'detach':
    case 'up':
      return at(of, 'x')
    case 'lambda':
      return at(of, 'body', 'x')
    case 'bin':
      return at(of, 'x', 'y')
    case 'cond':
      return at(of, 'c', 'x', 'y')
    case 'prim':
    case 'make':
    case 'call':
    case 'dispatch':
      return inList(of.args)
    case 'part':
    case 'lanes':
      return at(of, 'of')
    case 'elem':
      return at(of, 'of', 'at')
    default:
      return []
  }
}

function exprSlots(of: Stmt | Expr): Holder[] {
  return slots(of).flatMap(slot => [slot, ...exprSlots(slot.get())])
}

function constant(type: Type): Expr | undefined {
  switch (type.kind) {
    case 'real':
    case 'int':
    case 'uint':
    case 'bool':
      return { kind: 'lit', type, value: type.kind === 'real' ? 0.5 : 0 }
    case 'vec':
    case 'mat':
    case 'array':
    case 'pair':
    case 'struct': {
      const parts = partsOf(type).map(p => constant(p.type))
      return parts.includes(undefined) ? undefined : { kind: 'make', type, args: parts as Expr[] }
    }
    default:
      return undefined
  }
}

/** Parts of an expression that could stand in its place. */
function within(e: Expr, type: Type): Expr[] {
  return slots(e).flatMap(s => [...(same(s.get().type, type) ? [s.get()] : []), ...within(s.get(), type)])
}

function functionsOf(program: Program): Func[] {
  return [...program.funcs, ...program.structs.flatMap(s => s.methods), program.test]
}

function splice<T>(list: T[], at: number, count: number, ...put: T[]): Edit {
  let before: T[] = []
  return {
    apply: () => {
      before = [...list]
      list.splice(at, count, ...put)
    },
    undo: () => {
      list.splice(0, list.length, ...before)
    },
  }
}

function assign<T extends object, K extends keyof T>(to: T, key: K, value: T[K]): Edit {
  const before = to[key]
  return {
    apply: () => {
      to[key] = value
    },
    undo: () => {
      to[key] = before
    },
  }
}

/** Whether an expression is what a statement assigns to, or a part of that. */
function isPlace(s: Stmt, e: Expr): boolean {
  if (s.kind !== 'set') return false
  for (let of = s.to; ; of = of.of) {
    if (of === e) return true
    if (of.kind !== 'part' && of.kind !== 'elem' && of.kind !== 'lanes') return false
  }
}

/** All changes that make a program smaller, the large ones first. */
function* edits(program: Program, keepsMarks: boolean): Generator<Edit> {
  const rules = new Set(functionsOf(program).flatMap(f => [f.forward, f.backward]))
  // What rules claim of a function must go on to fit: they stay as they are, and what they call gets smaller.
  const funcs = functionsOf(program).filter(f => !rules.has(f))
  for (let i = program.funcs.length - 1; i >= 0; i--) yield splice(program.funcs, i, 1)
  for (const s of program.structs) for (let i = s.methods.length - 1; i >= 0; i--) yield splice(s.methods, i, 1)
  for (let i = program.structs.length - 1; i >= 0; i--) yield splice(program.structs, i, 1)
  for (let i = program.interfaces.length - 1; i >= 0; i--) yield splice(program.interfaces, i, 1)
  if (program.statics.length > 0) yield splice(program.statics, 0, 1)
  for (const f of funcs) {
    if (f.prefer !== 'none') yield assign(f, 'prefer', 'none')
    if (f.forward !== undefined && !keepsMarks) yield assign(f, 'forward', undefined)
    if (f.backward !== undefined && !keepsMarks) yield assign(f, 'backward', undefined)
    if (f.substitute !== undefined && !keepsMarks) yield assign(f, 'substitute', undefined)
    // Derivatives of methods stand outside the struct.
    if (f.ruleOf && !f.method) yield assign(f, 'ruleOf', false)
    if (f.body.length > 2) yield splice(f.body, 0, f.body.length - 1)
  }
  for (const f of funcs) {
    for (const list of listsOf(f.body)) {
      for (let size = list.length; size > 0; size = Math.floor(size / 2))
        for (let i = list.length - size; i >= 0; i--) yield splice(list, i, size)
    }
  }
  for (const f of funcs) {
    for (const list of listsOf(f.body)) {
      for (let i = 0; i < list.length; i++) {
        const s = list[i]!
        for (const inner of innerLists(s)) if (inner.length > 0) yield splice(list, i, 1, ...inner)
        if ((s.kind === 'for' || s.kind === 'while' || s.kind === 'switch') && s.label !== undefined)
          yield assign(s, 'label', undefined)
        if (s.kind === 'for' && s.unroll) yield assign(s, 'unroll', false)
        if (s.kind === 'while' && s.c !== undefined) yield assign(s, 'c', undefined)
        if ((s.kind === 'for' || s.kind === 'while') && s.max !== undefined && s.max > 1)
          yield assign(s as { max: number }, 'max', 1)
        if (s.kind === 'set' && s.op !== '=') yield assign(s, 'op', '=')
      }
    }
  }
  for (const f of funcs) {
    for (const list of listsOf(f.body)) {
      for (const s of list.slice()) {
        for (const slot of exprSlots(s)) {
          const e = slot.get()
          if (e.kind === 'lit') continue
          const change = (put: Expr): Edit => ({ apply: () => slot.set(put), undo: () => slot.set(e) })
          const plain = isPlace(s, e) ? undefined : constant(e.type)
          if (plain !== undefined && (e.kind !== 'make' || e.args.some(a => a.kind !== 'lit'))) yield change(plain)
          for (const inner of within(e, e.type)) yield change(inner)
          if (e.kind === 'call' && e.noDiff && !keepsMarks) yield change({ ...e, noDiff: false })
        }
      }
    }
  }
  for (const f of program.funcs) {
    if (
      rules.has(f) ||
      f.forward !== undefined ||
      f.backward !== undefined ||
      f.substitute !== undefined ||
      program.funcs.some(g => g.substitute === f)
    )
      continue
    for (let i = f.params.length - 1; i >= 0; i--) yield withoutParam(program, f, i)
  }
}

/** Takes a parameter away, and the arguments for it where the function is called by its name alone. */
function withoutParam(program: Program, f: Func, at: number): Edit {
  const done: Edit[] = []
  return {
    apply: () => {
      done.length = 0
      const drop = (e: Edit): void => {
        e.apply()
        done.push(e)
      }
      drop(splice(f.params, at, 1))
      for (const g of functionsOf(program)) {
        for (const list of listsOf(g.body)) {
          for (const s of list) {
            for (const slot of exprSlots(s)) {
              // What was found is gone where it stood in an argument that was taken away.
              const e = slot.get() as Expr | undefined
              if (e?.kind === 'call' && e.of === f && e.args.length > f.params.length) drop(splice(e.args, at, 1))
            }
          }
        }
      }
    },
    undo: () => {
      for (const e of done.reverse()) e.undo()
    },
  }
}

/** Whether all that a program calls stands in it, and every function that gives something ends by that. */
function isWhole(program: Program): boolean {
  const funcs = new Set(functionsOf(program))
  const isRule = (f: Func): boolean => functionsOf(program).some(g => g.forward === f || g.backward === f)
  const isKnown = (of: Callable): boolean => (isDerived(of) ? isKnown(of.of) : funcs.has(of))
  for (const f of funcs) {
    if (f.result.kind !== 'void' && f.body.at(-1)?.kind !== 'return') return false
    // What an output holds before it is assigned means nothing.
    if (
      !isRule(f) &&
      f.params
        .filter(p => p.dir === 'out')
        .some((p, i) => {
          const s = f.body[i]
          return s?.kind !== 'set' || s.to.kind !== 'var' || s.to.name !== p.name
        })
    )
      return false
    if (
      (f.forward !== undefined && !funcs.has(f.forward)) ||
      (f.backward !== undefined && !funcs.has(f.backward)) ||
      (f.substitute !== undefined && !funcs.has(f.substitute))
    )
      return false
    for (const list of listsOf(f.body)) {
      for (const s of list)
        for (const slot of exprSlots(s)) {
          const e = slot.get()
          if (
            (e.kind === 'call' || e.kind === 'dispatch') &&
            !(e.kind === 'call' ? isKnown(e.of) : program.interfaces.some(x => x.requirements.includes(e.of)))
          )
            return false
        }
    }
  }
  const declared = new Set<Type>([...program.structs, ...program.interfaces])
  const isDeclared = (type: Type): boolean =>
    type.kind === 'array' || type.kind === 'pair'
      ? isDeclared(type.of)
      : (type.kind !== 'struct' && type.kind !== 'interface') ||
        type.name.endsWith('.Differential') ||
        declared.has(type)
  for (const f of funcs) if (!isDeclared(f.result) || f.params.some(p => !isDeclared(p.type))) return false
  return listsOf(program.test.body).some(list => list.some(s => s.kind === 'show'))
}

/** The program as small as it gets in so many attempts. It is changed in place. */
export async function shrink(
  program: Program,
  holds: (program: Program) => Promise<boolean>,
  attempts: number,
  keepsMarks: boolean,
): Promise<Program> {
  let left = attempts
  const tries = async (edit: Edit): Promise<boolean> => {
    left--
    edit.apply()
    let good = false
    try {
      good = isWhole(program) && (await holds(program))
    } catch {
      // A program that means nothing is not a smaller one.
    }
    if (!good) edit.undo()
    return good
  }
  for (let changed = true; changed && left > 0;) {
    changed = false
    for (const edit of edits(program, keepsMarks)) {
      if (left <= 0) break
      if (!(await tries(edit))) continue
      changed = true
      break
    }
  }
  return program
}
