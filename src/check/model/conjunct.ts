import type { GenericArg, InterfaceType } from './decl.ts'

/** The interfaces that a conjunction `A & B` joins; of any other interface itself. */
export function conjuncts(type: InterfaceType): readonly InterfaceType[] {
  if (type.decl.name !== '__Both' || !type.decl.module.isCore) return [type]
  return (type.args as readonly InterfaceType[]).flatMap(conjuncts)
}

/** An interface as text, given how others read: a conjunction, and a type of functions, which is an `IFunc`, as programs write them. */
export function shownInterface(type: InterfaceType, show: (arg: GenericArg) => string): string {
  const list = (args: readonly GenericArg[]): string => args.map(show).join(', ')
  return conjuncts(type)
    .map(({ decl: { name, module }, args }) =>
      module.isCore && name === 'IFunc'
        ? `functype (${list(args.slice(1).filter(a => a.kind !== 'void'))}) -> ${show(args[0]!)}`
        : name + (args.length === 0 ? '' : `<${list(args)}>`),
    )
    .join(' & ')
}
