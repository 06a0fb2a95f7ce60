/** Mistakes about names, declarations, modules and attributes. */
import { error, warning, type Entry } from '../diag.ts'

export const undefinedName: Entry<'name'> = error(
  'E30015',
  'undefined identifier {name}',
  'declare it, import the module that does, or mend the spelling',
)

export const noMember: Entry<'name' | 'type'> = error('E30027', '{name} is not a member of {type}')

export const unasked: Entry<'name' | 'type' | 'interface'> = error(
  'E30403',
  '{name} is a member of {type} only where that conforms to {interface}',
  'use it in the first branch of `if ({type} is {interface})`',
)

export const noNamespaceMember: Entry<'name' | 'namespace'> = error(
  'E30015',
  'undefined identifier {name} in namespace {namespace}',
)

export const redeclared: Entry<'name'> = error(
  'E30200',
  '{name} is declared already',
  'give one of the two another name',
)

export const redefined: Entry<'name'> = error(
  'E30201',
  'function {name} already has a body',
  'give one of the two another name or other parameters',
)

export const expectedType: Entry<'what'> = error('E30060', 'expected a type, got {what}')

export const expectedValue: Entry<'what'> = error('E30500', 'expected a value, got {what}')

export const misplaced: Entry<'what' | 'where'> = error('E31206', '{what} belongs in {where}')

export const unsupported: Entry<'feature'> = error('E50100', '{feature} is not supported yet')

export const cyclic: Entry<'name'> = error('E39999', 'the definition of {name} needs itself', 'break the circle')

export const noThis: Entry<never> = error('E38101', 'there is no this here', 'only methods and constructors have one')

export const needsObject: Entry<'name'> = error(
  'E30100',
  '{name} needs an object: it is not static',
  'call or read it on a value, or declare it static',
)

export const notVisible: Entry<'name'> = error('E30600', '{name} is not accessible from here', 'declare it public')

export const noModule: Entry<'name'> = error(
  'E00001',
  'cannot open module {name}',
  'check the name, and -I, searchPaths, files or resolve',
)

export const unreadable: Entry<'path' | 'why'> = { ...error('E00001', 'cannot read {path}: {why}'), once: true }

export const importCycle: Entry<'name'> = error('E38200', 'module {name} imports itself')

export const unknownAttribute: Entry<'name'> = warning('W31000', 'unknown attribute {name}')

/** The largest binding, group or location: no device has as many. */
export const maxBinding = 65535
/** The expectation in messages about larger numbers. */
export const bindingsExpected: string = `numbers from 0 to ${maxBinding}`

export const attributeArguments: Entry<'name' | 'expected'> = error('E31001', 'attribute {name} takes {expected}')

/** Threads of a workgroup that every device can run, or more. */
export const maxGroup: number = 1024

export const groupSize: Entry<'got'> = error('E31102', 'a workgroup has at least one thread each way, got {got}')

export const groupTooLarge: Entry<'limit' | 'got'> = error(
  'E31102',
  'a workgroup has at most {limit} threads, got {got}',
  'dispatch more workgroups of fewer threads',
)

export const unknownStage: Entry<'name'> = error(
  'E36105',
  'unknown stage {name}',
  'stages are compute, vertex and fragment',
)

export const tooDeep: Entry<never> = error('E39999', 'this is nested too deeply', 'split it into parts')

export const recursiveType: Entry<'name'> = error(
  'E41001',
  'type {name} contains itself',
  'a value cannot hold a value of its own type; hold an index instead',
)

export const unresolvedExternal: Entry<'name'> = error(
  'E45001',
  'no module exports {name}',
  `give it a default value, or import a module with 'export' before the definition`,
)
