/** `for` loops whose variable chooses a resource from an array: their trips are written out, since no target chooses resources while it runs. */
import type { LocalDecl } from '../check/model/decl.ts'
import type { Expr, Place, Stmt } from '../check/model/tree.ts'
import type { Type } from '../check/model/type.ts'
import { eachStmt, expressions, operands, placeOperands } from '../check/model/walk.ts'
import { holdsPointer } from '../ir/type.ts'
import type { Fn } from './context.ts'

type For = Stmt & { readonly kind: 'for' }

/** More trips stay a loop, in which the choice is an error. */
const mostTrips = 64

/** The variable of such a loop and its value in each trip; null of any other loop. */
export function countedTrips(fn: Fn, stmt: For): { readonly decl: LocalDecl; readonly values: number[] } | null {
  const [start] = stmt.init
  if (stmt.init.length !== 1 || start?.kind !== 'local' || start.init === null) return null
  const { decl } = start
  if (decl.type.kind !== 'scalar' || !choosesResource(fn, stmt.body, decl)) return null
  let now: number | null = null
  const evaluate = (e: Expr): number | null => {
    switch (e.kind) {
      case 'read':
        return isLocal(e.place, decl) ? now : fn.cx.program.fold(e, fn.subst)
      case 'old':
        return now
      case 'ahead':
      case 'convert':
        return evaluate(e.value)
      case 'binary': {
        const [x, y] = [evaluate(e.left), evaluate(e.right)]
        return x === null || y === null ? null : (numbers[e.op]?.(x, y) ?? null)
      }
      default:
        return fn.cx.program.fold(e, fn.subst)
    }
  }
  const { cond, step } = stmt
  if (cond === null || (step?.kind !== 'update' && step?.kind !== 'assign') || !isLocal(step.place, decl)) return null
  const values: number[] = []
  for (now = evaluate(start.init); now !== null; now = evaluate(step.value)) {
    const goes = evaluate(cond)
    if (goes === 0) return { decl, values }
    if (goes === null || values.push(now) > mostTrips) break
  }
  return null
}

const numbers: Readonly<Record<string, (x: number, y: number) => number>> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
  '<': (x, y) => Number(x < y),
  '<=': (x, y) => Number(x <= y),
  '>': (x, y) => Number(x > y),
  '>=': (x, y) => Number(x >= y),
  '!=': (x, y) => Number(x !== y),
}

const isLocal = (place: Place, decl: LocalDecl): boolean => place.kind === 'local' && place.decl === decl

/** Whether the variable is in an index of an array of resources, and the body does not write it. */
function choosesResource(fn: Fn, body: Stmt, decl: LocalDecl): boolean {
  let [chooses, writes] = [false, false]
  // How many indices of such arrays are around.
  let inside = 0
  const index = (type: Type, at: Expr): void => {
    const own = isArrayOfResources(fn, type)
    if (own) inside++
    expr(at)
    if (own) inside--
  }
  const expr = (e: Expr): void => {
    if ((e.kind === 'assign' || e.kind === 'update') && isLocal(e.place, decl)) writes = true
    if (e.kind === 'call' && e.args.some(a => a.dir !== 'in' && isLocal(a.place, decl))) writes = true
    if (e.kind !== 'index') return operands(e, expr, place)
    expr(e.base)
    index(e.base.type, e.index)
  }
  const place = (p: Place): void => {
    if (isLocal(p, decl) && inside > 0) chooses = true
    if (p.kind !== 'index') return placeOperands(p, expr, place)
    place(p.base)
    index(p.base.type, p.index)
  }
  eachStmt([body], s => {
    expressions(s).forEach(expr)
  })
  return chooses && !writes
}

function isArrayOfResources(fn: Fn, type: Type): boolean {
  let elem = type
  while (elem.kind === 'array') elem = elem.elem
  return elem !== type && elem.kind === 'struct' && holdsPointer(fn.type(elem))
}
