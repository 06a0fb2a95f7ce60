/** Finds structs that would contain a value of their own type. */
import { writtenFields } from './signature.ts'
import { paramLists } from './conform.ts'
import type { Cx } from '../model/context.ts'
import { leadsToItself } from '../model/cycle.ts'
import type { StructDecl } from '../model/decl.ts'
import { isInt, type GenericArg } from '../model/type.ts'

/** Whether a value of the struct would hold one of itself, through fields, arrays and generic arguments that are held by value. */
export function containsItself(cx: Cx, root: StructDecl): boolean {
  const held: Held = new Map()
  return leadsToItself(root, (decl, give) => {
    const holding = (type: GenericArg): void => {
      if (isInt(type)) return
      if (type.kind === 'array') holding(type.elem)
      if (type.kind !== 'struct') return
      if (type.decl.intrinsic === null) give(type.decl)
      type.args.forEach((arg, i) => {
        if (holds(cx, type.decl, i, held)) holding(arg)
      })
    }
    for (const f of writtenFields(cx, decl)) holding(f.type)
  })
}

/** Whether a value of a generic struct holds a value of its parameter of that number; undefined while that is being found out. */
type Held = Map<StructDecl, (boolean | undefined)[]>

function holds(cx: Cx, decl: StructDecl, index: number, held: Held): boolean {
  if (decl.intrinsic !== null) return holders.has(decl.intrinsic)
  const known = held.get(decl) ?? []
  if (index in known) return known[index] === true
  known[index] = undefined
  held.set(decl, known)
  const param = paramLists(decl).flatMap(l => l.params)[index]
  const inside = (type: GenericArg): boolean => {
    if (isInt(type)) return false
    switch (type.kind) {
      case 'param':
        return type.decl === param
      case 'array':
        return inside(type.elem)
      case 'struct':
        return type.args.some((arg, i) => inside(arg) && holds(cx, type.decl, i, held))
      default:
        return false
    }
  }
  return (known[index] = cx.sink.work.within(1, decl.span, () => writtenFields(cx, decl).some(f => inside(f.type))))
}

/** Types of the language that hold their arguments by value. */
const holders: ReadonlySet<string> = new Set(['Optional', 'Conditional', 'Tuple', 'DifferentialPair'])
