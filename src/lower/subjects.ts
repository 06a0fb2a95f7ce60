/**
 * The functions of a program that can be called by name: functions at module level; methods as `Type.method`; instances of generic
 * functions as `name<args>`; overloads as `name(types)`.
 */
import { Sink } from '../base/diag.ts'
import type { FuncDecl } from '../check/model/decl.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import { noSubst, show } from '../check/model/type.ts'
import { refKey } from './context.ts'
import { lower, type EntryRoot, type ExportRoot } from './lower.ts'

export interface Subject {
  readonly name: string
  readonly func: FuncDecl
  readonly ref: FuncRef
}

/** All of them by name, in order of the source; instances are those that the program itself makes. */
export function subjectsOf(program: CheckedProgram, entries: readonly EntryRoot[]): ReadonlyMap<string, Subject> {
  const found = new Map<string, Subject>()
  const keys = new Set<string>()
  const add = (ref: FuncRef): void => {
    if (ref.kind !== 'direct' || ref.decl.module.isCore || !ref.decl.hasBody || keys.has(refKey(ref))) return
    keys.add(refKey(ref))
    const plain = nameOf(ref)
    const name = found.has(plain)
      ? `${plain}(${program
          .signature(ref)
          .params.map(p => show(p.type))
          .join(', ')})`
      : plain
    if (!found.has(name)) found.set(name, { name, func: ref.decl, ref })
  }
  const roots: ExportRoot[] = []
  for (const func of program.functions) {
    if (!func.hasBody || func.owner !== null || entries.some(e => e.func === func)) continue
    const ref: FuncRef = { kind: 'direct', decl: func, subst: noSubst }
    if (func.role !== 'function' && func.parent?.kind !== 'struct') continue
    add(ref)
    roots.push({ func, name: '', mode: 'primal', ref })
  }
  // Mistakes in what nobody calls are no concern of those who look for names.
  for (const ref of lower(program, { entries, exports: roots, conformances: [] }, new Sink()).refs.values()) add(ref)
  return found
}

/** `name`, `Type.name`, with the arguments of generic ones. */
function nameOf(ref: FuncRef & { readonly kind: 'direct' }): string {
  const { decl, subst } = ref
  const owner = decl.parent
  const own =
    decl.role === 'constructor' ? '__init' : decl.role === 'accessor' ? `${decl.name}.${decl.accessor}` : decl.name
  const name = decl.role !== 'function' && owner?.kind === 'struct' ? `${owner.name}.${own}` : own
  const args = [...subst.args.values()].map(show)
  return args.length === 0 ? name : `${name}<${args.join(', ')}>`
}
