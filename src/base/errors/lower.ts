/** Mistakes that only concrete types show. */
import { error, remark, warning, type Entry } from '../diag.ts'

export const unsizedArray: Entry<'type'> = error(
  'E30834',
  'an array without a length cannot be stored or skipped: {type}',
  'give it a length, or let it end a struct behind a pointer: `p->data[i]`',
)

export const unknownNumber: Entry<'value'> = error(
  'E36118',
  'with these generic arguments, {value} is no number',
  'it divides by zero, or needs a constant that a type lacks',
)

export const resourceInBuffer: Entry<'type'> = error(
  'E38204',
  'a structured buffer cannot hold {type}: that is a resource, or has one',
  'declare the resources alone, or as an array of resources',
)

export const endlessInstances: Entry<'name'> = error(
  'E36110',
  'the generic {name} asks for itself with ever larger arguments',
  'end the recursion in the types',
)

export const tooLarge: Entry<'type' | 'size' | 'interface' | 'limit'> = error(
  'E41011',
  '{type} has {size} bytes, and a value of {interface} has room for {limit}',
  'ask for more by `[anyValueSize({size})]` on {interface}, or make the type smaller',
)

export const resourceElement: Entry<never> = error(
  'E36112',
  'this index chooses no resource that is known when compiling',
  'index arrays of resources with constants, or with counters of loops of known trips',
)

export const opaqueVariable: Entry<'name' | 'type'> = error(
  'E30076',
  'the variable {name} cannot be of type {type}: that is a resource, or has one',
  'make it `static const` with an initial value, or pass the resource as a parameter',
)

export const unsupportedHere: Entry<'what'> = error(
  'E36113',
  '{what} is not supported',
  'write it another way, or leave it out for this target',
)

export const atomicOnCopy: Entry<'name'> = error(
  'E36119',
  'an atomic operation on {name}, which holds a copy of the argument here',
  'pass the buffer and an index, or declare it as `__ref` or `Atomic<T>` in a function without derivatives',
)

export const genericEntry: Entry<'name'> = remark(
  'N38011',
  'the generic entry point {name} is compiled only where its arguments are given',
  'name it with its arguments in the option entries, or by --entry',
)

export const noTarget: Entry<'feature'> = error(
  'E50100',
  '{feature} is not supported yet',
  'keep it out of what entry points and exports reach, or write another case of __target_switch',
)

export const systemType: Entry<'name' | 'semantic' | 'lanes'> = error(
  'E38024',
  '{name} has the system value {semantic}, which is one to {lanes} of int or uint',
  'declare it as int or uint, or as a vector of them, and convert it where it is used',
)

export const mixedParameter: Entry<'name' | 'parameter'> = error(
  'E38025',
  '{name} has no semantic, but other fields of the parameter {parameter} are system values',
  'give those a parameter of their own; mark one of uniforms `uniform`',
)

export const varyingType: Entry<'name' | 'semantic' | 'expected'> = error(
  'E38024',
  '{name} has the system value {semantic}, which is {expected} here',
  'declare it with that type, and convert it where it is used',
)

export const notVarying: Entry<'name'> = error(
  'E38024',
  '{name} cannot pass between stages: its type is not made of numbers',
  'use scalars, vectors, matrices, and structs and arrays of them',
)

export const doubleSemantic: Entry<'semantic'> = error(
  'E36116',
  'the entry point has the semantic {semantic} twice',
  'give each input and each output a semantic or number of its own',
)

export const doubleLocation: Entry<'name' | 'location'> = error(
  'E36117',
  '{name} has the location {location}, which another has',
  'give each its own, or leave [[vk::location(n)]] out',
)

export const bindingTaken: Entry<'name' | 'other' | 'binding' | 'group'> = warning(
  'W39001',
  '{name} asks for binding {binding} of group {group}, as {other} does, so {name} gets another',
  'give each a binding of its own, or leave it out',
)

export const missingExport: Entry<'name'> = error(
  'E38001',
  'there is no function {name} to export',
  'name methods Type.method, and generic functions name<arguments>',
)

export const nobodyConforms: Entry<'name' | 'interface'> = warning(
  'W50100',
  'no type is known to conform to {interface}: a call of {name} gives zeros',
  'make such a value, or ask for conformances as Type:{interface}=id',
)

export const missingBody: Entry<'name'> = error(
  'E36115',
  '{name} is called and has no body',
  'give the function a body, or import the module that has it',
)
