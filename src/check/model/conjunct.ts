import type { InterfaceType } from './decl.ts'

/** The interfaces that a conjunction `A & B` joins; of any other interface itself. */
export function conjuncts(type: InterfaceType): readonly InterfaceType[] {
  if (type.decl.name !== '__Both' || !type.decl.module.isCore) return [type]
  return (type.args as readonly InterfaceType[]).flatMap(conjuncts)
}

/** A conjunction as text, given that of each interface. */
export const joined = (type: InterfaceType, show: (one: InterfaceType) => string): string =>
  conjuncts(type).map(show).join(' & ')
