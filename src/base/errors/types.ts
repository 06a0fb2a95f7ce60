/** Mistakes about types: conversions, calls, operators, places, statements. */
import { error, warning, type Entry } from '../diag.ts'

export const typeMismatch: Entry<'expected' | 'got'> = error(
  'E30019',
  'expected an expression of type {expected}, got {got}',
)

export const notThatFunction: Entry<'expected' | 'got'> = error(
  'E30019',
  'expected a function as {expected}, got {got}',
  'its parameters must have these types, and its result one that converts without loss; a differentiable function takes differentiable ones',
)

export const needsCast: Entry<'expected' | 'got'> = error(
  'E30019',
  'expected an expression of type {expected}, got {got}',
  'write the conversion: {expected}(...)',
)

export const lossyConversion: Entry<'from' | 'to'> = warning(
  'W30081',
  'implicit conversion from {from} to {to} may lose something',
  'write the conversion: {to}(...)',
)

export const pairMismatch: Entry<'expected' | 'got' | 'edit'> = error(
  'E30019',
  'expected an expression of type {expected}, got {got}',
  '{edit}',
)

export const noCast: Entry<'from' | 'to'> = error('E30019', '{from} cannot be converted to {to}')

export const notCallable: Entry<'what'> = error('E30016', '{what} cannot be called')

export const noOverload: Entry<'name' | 'args'> = error(
  'E39999',
  'no overload of {name} takes arguments of types ({args})',
)

export const ambiguous: Entry<'name' | 'args'> = error(
  'E39999',
  'ambiguous call of {name} with arguments of types ({args})',
  'convert the arguments to the types of the overload you mean',
)

export const tooManyArguments: Entry<'expected' | 'got'> = error(
  'E39999',
  'too many arguments: expected {expected}, got {got}',
)

export const tooFewArguments: Entry<'expected' | 'got'> = error(
  'E39999',
  'not enough arguments: expected {expected}, got {got}',
)

export const cannotInfer: Entry<'name'> = error(
  'E39999',
  'the generic arguments of {name} cannot be found from the call',
  'write them: {name}<...>(...)',
)

export const notAssignable: Entry<'why'> = error('E30011', 'this cannot be assigned to: {why}')

export const argumentNotAssignable: Entry<'name' | 'why'> = error(
  'E30047',
  'the argument for {name} must be assignable: {why}',
  'pass a variable',
)

export const argumentConverted: Entry<'name' | 'dir' | 'type' | 'got'> = error(
  'E30047',
  '{name} is an {dir} parameter of type {type}, and the argument is of type {got}',
  'pass a variable of type {type}, and copy it to and fro',
)

export const mutatingOnFixed: Entry<'name' | 'why'> = error(
  'E30050',
  '{name} changes its object, which cannot be assigned to: {why}',
  'put the object into a variable first',
)

export const noUnary: Entry<'op' | 'type'> = error('E39999', 'operator {op} has no meaning for {type}')

export const noBinary: Entry<'op' | 'left' | 'right'> = error(
  'E39999',
  'operator {op} has no meaning for {left} and {right}',
  'convert an operand, declare operator{op}, or multiply matrices by mul(a, b)',
)

export const badSwizzle: Entry<'name' | 'type'> = error('E30027', 'invalid swizzle {name} on {type}')

export const notIndexable: Entry<'type'> = error('E30013', '{type} has no elements')

export const indexBounds: Entry<'index' | 'count'> = error('E30029', 'index {index} is outside of {count} elements')

export const indexType: Entry<'type'> = error('E30044', 'an index must be an integer, not {type}')

export const badArraySize: Entry<never> = error('E30025', 'the length of an array cannot be negative')

export const badVectorSize: Entry<'count'> = error(
  'E38203',
  'vectors have 1 to 4 lanes, and matrices 1 to 4 rows and columns, not {count}',
  'use an array for more',
)

export const outputDefault: Entry<'name'> = error(
  'E30700',
  '{name} is written by the function and cannot have a default value',
  'leave the default value away, or the out before the parameter',
)

export const arrayTooLarge: Entry<'count' | 'limit'> = error(
  'E30025',
  'an array of {count} elements is too large: it may have {limit}',
  'keep the elements in a StructuredBuffer',
)

export const literalDoesNotFit: Entry<'value' | 'type' | 'got'> = warning(
  'W39999',
  '{value} does not fit into {type}: it becomes {got}',
  'write the conversion if that is meant: {type}(...)',
)

export const enumTag: Entry<'type'> = error(
  'E32000',
  'an enum cannot stand for values of type {type}',
  'use an integer type',
)

export const notConstant: Entry<never> = error(
  'E39999',
  'this is not an integer known at compile time',
  'use literals, static const integers and generic values',
)

export const unknownSize: Entry<never> = error(
  'E30026',
  'the size of this array is not known',
  'write the number of elements, or give an initialiser',
)

export const listTooLong: Entry<'type' | 'expected' | 'got'> = error(
  'E30500',
  'too many values for {type}: it takes {expected}, got {got}',
)

export const listTooShort: Entry<'type' | 'expected' | 'got'> = error(
  'E30501',
  'not enough values for {type}: it takes {expected}, got {got}',
)

export const listNeedsType: Entry<never> = error(
  'E30502',
  'the type of this list is not known',
  'write the type before it',
)

export const voidValue: Entry<never> = error('E30009', 'a value is needed, and this returns nothing')

export const returnNeedsValue: Entry<'type'> = error('E30006', 'return needs a value of type {type}')

export const returnTakesNoValue: Entry<never> = error('E30019', 'a function that returns nothing cannot return a value')

export const noReturn: Entry<'name' | 'type'> = error(
  'E41009',
  '{name} does not return a value of type {type} on every path',
  'end each path in a return',
)

export const missingReturn: Entry<'name' | 'type'> = warning(
  'W41010',
  '{name} may end without a value of type {type}',
  'return a value at the end too',
)

export const breakOutside: Entry<never> = error('E30003', 'break is neither in a loop nor in a switch')

export const continueOutside: Entry<never> = error('E30004', 'continue is not in a loop')

export const duplicateCase: Entry<'value'> = error('E30601', 'case {value} stands twice')

export const secondDefault: Entry<never> = error('E30600', 'the switch has a second default')

export const divisionByZero: Entry<never> = error('E30002', 'division by zero')

export const switchType: Entry<'type'> = error('E30603', 'a switch needs an integer or an enum, not {type}')

export const conditionType: Entry<'type'> = error(
  'E30019',
  'expected a condition, got {type}',
  'compare it, or reduce it by any(...) or all(...)',
)

export const assignedCondition: Entry<never> = error(
  'E30057',
  'this condition is an assignment',
  'compare with ==, or add parentheses',
)

export const bitFieldTooWide: Entry<'width' | 'type' | 'size'> = error(
  'E31300',
  'a bit field of {width} bits is wider than its type {type}, which has {size}',
)

export const bitFieldType: Entry<'type'> = error('E31301', 'a bit field is an integer or an enum, not {type}')

export const noInitialiser: Entry<'name'> = error('E30620', '{name} needs an initial value')

export const voidVariable: Entry<'name'> = error('E30605', '{name} cannot be of type void')

export const assertionFailed: Entry<'message'> = error('E41400', 'static assertion failed: {message}')

export const deprecated: Entry<'name' | 'why'> = warning('W31200', '{name} is deprecated: {why}')

export const isInterface: Entry<never> = error(
  'E30301',
  'is asks for a concrete type, not for an interface',
  "let a method of its interface say what is wanted; of a type parameter, write 'where optional T : I' to ask",
)

export const asInterface: Entry<never> = error(
  'E30302',
  'as asks for a concrete type, not for an interface',
  'let a method of its interface say what is wanted',
)
