/** Mistakes about generic parameters and interfaces. */
import { error, type Entry } from '../diag.ts'

export const notInterface: Entry<'name'> = error('E30402', '{name} can only conform to an interface')

export const secondBase: Entry<'name' | 'base'> = error(
  'E30820',
  '{name} cannot inherit from {base} too: a struct inherits from one struct, its first base',
  'make it a field, or let an interface say what both have',
)

export const extendsInterface: Entry<'name'> = error(
  'E30852',
  'interface {name} cannot be extended by itself',
  'extend all that conform to it: extension<T : {name}> T',
)

export const doesNotConform: Entry<'type' | 'interface'> = error(
  'E38029',
  '{type} does not conform to {interface}',
  'declare the conformance, or extend the type with it',
)

export const countDiffers: Entry<'got' | 'expected'> = error(
  'E30433',
  'there are {got} types in the pack, but its constraint asks for {expected}',
  'give as many arguments as the where clause says',
)

export const countOfNoPack: Entry<never> = error(
  'E30434',
  'a constraint of this form counts the types of a pack of this declaration',
  'write where countof(T) == N, with each T among the generic parameters',
)

export const needsArguments: Entry<'name'> = error(
  'E30400',
  'generic type {name} needs arguments',
  'write them: {name}<...>',
)

export const notGeneric: Entry<'name'> = error('E30403', '{name} takes no generic arguments')

export const argumentCount: Entry<'name' | 'expected' | 'got'> = error(
  'E39999',
  '{name} takes {expected} generic arguments, got {got}',
)

export const argumentKind: Entry<'expected'> = error('E30404', 'expected {expected} as generic argument')

export const missingRequirement: Entry<'type' | 'name' | 'interface'> = error(
  'E38100',
  '{type} does not provide {name}, which {interface} requires',
)

export const missingOverride: Entry<'name' | 'interface'> = error(
  'E30853',
  '{name} replaces the body that {interface} gives it',
  'write override before it',
)

export const requirementMismatch: Entry<'type' | 'name' | 'interface'> = error(
  'E38106',
  '{name} of {type} does not have the signature that {interface} requires',
)

export const notDifferentiableRequirement: Entry<'type' | 'name' | 'interface'> = error(
  'E38105',
  '{name} of {type} is not differentiable, which {interface} requires',
  'mark it [Differentiable] or [TreatAsDifferentiable], or give it a derivative',
)

export const eachOutside: Entry<never> = error(
  'E30104',
  `'each' stands outside of an 'expand'`,
  `write 'expand' before the expression that is meant for each part`,
)

export const nothingToExpand: Entry<never> = error(
  'E30105',
  `nothing in this 'expand' is a pack`,
  `write 'each' before the name of a pack`,
)

export const emptyPack: Entry<never> = error(
  'E30435',
  'the pack is empty here: it has no first or last part',
  'say that it is not: where nonempty(T)',
)

export const packHere: Entry<never> = error(
  'E30106',
  'a pack cannot be used here',
  'hold the parts in a tuple: Tuple<expand each T>',
)

export const noTuple: Entry<'what'> = error(
  'E30111',
  `'each' stands before {what}`,
  'write a pack behind it, or a variable that holds a tuple',
)

export const packLengths: Entry<'one' | 'other'> = error(
  'E30107',
  'packs of {one} and {other} parts go through one expansion',
  'give both as many parts',
)

export const packTooLong: Entry<'name' | 'count' | 'limit'> = error(
  'E30108',
  'a pack of {name} has {count} parts, the limit is {limit}',
  'give fewer arguments each time it calls itself',
)
