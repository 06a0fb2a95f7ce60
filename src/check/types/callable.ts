/** Function types, which are the interface `IFunc`. */
import type { Cx } from '../model/context.ts'
import { interfaceType, voidType, type InterfaceType, type Type } from '../model/type.ts'

const names: ReadonlySet<string> = new Set(['IFunc', 'IMutatingFunc', 'IDifferentiableFunc'])

/** `IFunc` of a result and parameters; null where there are more parameters than it has room for. */
export function callableType(cx: Cx, params: readonly Type[], result: Type, smooth = false): InterfaceType | null {
  const decl = cx.library.the('interface', smooth ? 'IDifferentiableFunc' : 'IFunc')
  const room = decl.generics?.params.length ?? 0
  if (params.length >= room) return null
  const args = [result, ...params]
  while (args.length < room) args.push(voidType)
  return interfaceType(decl, args)
}

/** What a value of an interface of functions takes and gives; null for other types. */
export function calledAs(type: Type): { readonly params: readonly Type[]; readonly result: Type } | null {
  if (type.kind !== 'interface' || !type.decl.module.isCore || !names.has(type.decl.name)) return null
  const [result, ...params] = type.args as Type[]
  return { params: params.filter(p => p.kind !== 'void'), result: result! }
}
