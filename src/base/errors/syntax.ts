/** Mistakes in a text before names are looked up: characters, directives, macros, grammar. */
import { error, warning, type Entry } from '../diag.ts'

// Characters and literals

export const badCharacter: Entry<'char'> = error('E10000', 'illegal character {char}')

export const bidirectionalControl: Entry<'char'> = warning(
  'W10010',
  'the bidirectional control {char} changes how this line looks',
  'remove it',
)

export const badDigit: Entry<'text'> = error(
  'E10003',
  'invalid number {text}',
  'numbers look like 12, 0xFFu, 0b101, 1.5f, 1e-3h; suffixes are u, l, ul, ll, ull, f, h, lf',
)

export const unterminatedComment: Entry<never> = error('E10004', 'this comment does not end', 'end it with */')

export const newlineInLiteral: Entry<never> = error(
  'E10005',
  'this literal does not end on its line',
  'close the quote before the line ends',
)

export const literalTooLarge: Entry<'text'> = error('E39999', 'the integer {text} needs more than 64 bits')

// Directives

export const unclosedConditional: Entry<'directive'> = error(
  'E15000',
  'the file ends inside this {directive}',
  'add #endif',
)

export const strayDirective: Entry<'directive'> = error('E15001', '#{directive} without #if')

export const directiveAfterElse: Entry<'directive'> = error('E15002', '#{directive} after #else')

export const missingDirectiveName: Entry<never> = error('E15100', 'expected the name of a directive after #')

export const unknownDirective: Entry<'name'> = error('E15101', 'unknown directive #{name}')

export const unknownVersion: Entry<'name'> = error(
  'E15207',
  "there is no version '{name}' of the language",
  'write one of #language slang 2018, 2025, 2026, latest or next',
)

export const unknownLanguage: Entry<'name'> = error(
  'E15208',
  'unknown language {name}',
  'write #language slang and a version, or leave the line away',
)

export const expectedInDirective: Entry<'what' | 'directive'> = error('E15102', 'expected {what} in #{directive}')

export const extraInDirective: Entry<'directive'> = error('E15103', 'unexpected tokens after #{directive}')

export const badCondition: Entry<'what'> = error(
  'E15201',
  'expected {what} in this condition',
  'conditions are made of integers, defined(NAME), operators and parentheses',
)

export const divideByZeroInCondition: Entry<never> = error('E15202', 'division by zero in this condition')

export const undefinedInCondition: Entry<'name'> = warning(
  'W15205',
  '{name} is not defined and counts as 0',
  'write defined({name}) to ask whether it is defined',
)

export const includeNotFound: Entry<'path'> = error('E15300', 'cannot find the file {path} to include')

export const includeTooDeep: Entry<'limit'> = error(
  'E15310',
  'files include one another more than {limit} deep',
  'put #pragma once at the top of files that are included',
)

export const userError: Entry<'text'> = error('E15900', '{text}')

export const userWarning: Entry<'text'> = warning('W15901', '{text}')

// Macros

export const macroRedefined: Entry<'name'> = warning(
  'W15400',
  'the macro {name} is defined again in another way',
  '#undef {name} first',
)

export const undefUnknown: Entry<'name'> = warning('W15401', 'the macro {name} is not defined')

export const badMacroParams: Entry<'what'> = error('E15403', 'expected {what} in the macro parameters')

export const pasteAtEdge: Entry<never> = error('E15405', '## cannot stand at the start or end of a macro')

export const badStringize: Entry<never> = error('E15407', '# must be followed by a parameter of the macro')

export const duplicateMacroParam: Entry<'name'> = error('E15408', 'the macro parameter {name} is named twice')

export const unclosedMacroCall: Entry<'name'> = error(
  'E15500',
  'the arguments of the macro {name} do not end',
  'add the closing )',
)

const macroArgCount = 'the macro {name} takes {expected} arguments and got {count}'

export const wrongMacroArgCount: Entry<'name' | 'expected' | 'count'> = error('E15501', macroArgCount)

export const badPaste: Entry<'text'> = warning('W15503', '## made {text}, which is not one token')

// Grammar

export const expectedToken: Entry<'expected' | 'found'> = error('E20001', 'expected {expected} before {found}')

export const expectedExpression: Entry<'found'> = error('E20002', 'expected an expression before {found}')

export const unexpectedToken: Entry<'found'> = error('E20003', 'unexpected {found}')

export const emptyParentheses: Entry<never> = error('E20005', 'empty parentheses are no expression')

export const unintendedEmpty: Entry<never> = warning(
  'W20101',
  'this semicolon is the whole body',
  'write {} for an empty body, or remove the semicolon',
)

export const bodyAfterSemicolon: Entry<never> = error(
  'E20102',
  'the body of the function stands after a semicolon',
  'remove the semicolon',
)

export const unclosedBracket: Entry<'bracket'> = error('E20006', 'this {bracket} is not closed')

export const expectedName: Entry<'what' | 'found'> = error('E20007', 'expected {what} before {found}')

export const tooDeep: Entry<'limit'> = error(
  'E20020',
  'this is nested more than {limit} deep',
  'name inner parts with variables or functions',
)

export const oneError: Entry<never> = error(
  'E20001',
  'a catch takes one error, as in `catch (e : E)`, or no parentheses',
)

export const tryBlock: Entry<never> = error(
  'E20001',
  "a block whose errors are caught begins with 'do'",
  'write do { ... } catch (e : E) { ... }, and try before each call that may throw',
)

export const statementBeforeCase: Entry<never> = warning(
  'W20021',
  'statements of a switch before its first label never run',
)

export const misplacedDeclaration: Entry<'what'> = error('E20022', '{what} cannot stand here')
