/** What can be wrong with a text before anything is looked up: characters, directives, macros, grammar. */
import { error, warning, type Entry } from '../diag.ts'

// Characters and literals

export const badCharacter: Entry<'char'> = error('E10000', 'illegal character {char}', {
  example: 'float f(float x) { return x \\ 2.0; }',
})

export const bidirectionalControl: Entry<'char'> = warning('W10010', 'the bidirectional control {char} makes this line look other than it is compiled', {
  help: 'remove it; in a string literal, write text in its logical order',
  example: 'float f(float x) { /* \u202e } \u2066 if (x > 1) \u2069 \u2066 */ return x; }',
})

export const badDigit: Entry<'text'> = error('E10003', 'invalid number {text}', {
  help: 'numbers look like 12, 0xFFu, 0b101, 1.5, 1.5f, 1e-3h; suffixes are u, l, ul, ll, ull, f, h, lf',
  example: 'int f() { return 0xFG; }',
})

export const unterminatedComment: Entry<never> = error('E10004', 'this comment does not end', {
  help: 'end it with */',
  example: 'float f(float x) { return x; } /* the rest is gone',
})

export const newlineInLiteral: Entry<never> = error('E10005', 'this literal does not end on its line', {
  help: 'close the quote before the line ends',
  example: 'void f() { printf("hello); }',
})

export const literalTooLarge: Entry<'text'> = error('E39999', 'the integer {text} needs more than 64 bits', {
  example: 'uint64_t f() { return 99999999999999999999; }',
})

// Directives

export const unclosedConditional: Entry<'directive'> = error('E15000', 'the file ends inside this {directive}', {
  help: 'add #endif',
  example: '#if 1\nfloat f(float x) { return x; }\n',
})

export const strayDirective: Entry<'directive'> = error('E15001', '#{directive} without #if', {
  example: 'float f(float x) { return x; }\n#endif\n',
})

export const directiveAfterElse: Entry<'directive'> = error('E15002', '#{directive} after #else', {
  example: '#if 1\nfloat f(float x) { return x; }\n#else\n#else\n#endif\n',
})

export const missingDirectiveName: Entry<never> = error('E15100', 'expected the name of a directive after #', {
  example: '# 12\nfloat f(float x) { return x; }\n',
})

export const unknownDirective: Entry<'name'> = error('E15101', 'unknown directive #{name}', {
  example: '#defne N 3\nfloat f(float x) { return x; }\n',
})

export const expectedInDirective: Entry<'what' | 'directive'> = error('E15102', 'expected {what} in #{directive}', {
  example: '#define 3\nfloat f(float x) { return x; }\n',
})

export const extraInDirective: Entry<'directive'> = error('E15103', 'unexpected tokens after #{directive}', {
  example: '#define A\n#ifdef A B\nfloat f(float x) { return x; }\n#endif\n',
})

export const badCondition: Entry<'what'> = error('E15201', 'expected {what} in this condition', {
  help: 'conditions are made of integers, defined(NAME), operators and parentheses',
  example: '#if 1 +\nfloat f(float x) { return x; }\n#endif\n',
})

export const divideByZeroInCondition: Entry<never> = error('E15202', 'division by zero in this condition', {
  example: '#if 1 / 0\n#endif\nfloat f(float x) { return x; }\n',
})

export const undefinedInCondition: Entry<'name'> = warning('W15205', '{name} is not defined and counts as 0', {
  help: 'write defined({name}) to ask whether it is defined',
  example: '#if QUALITY > 2\n#endif\nfloat f(float x) { return x; }\n',
})

export const includeNotFound: Entry<'path'> = error('E15300', 'cannot find the file {path} to include', {
  example: '#include "missing.h"\nfloat f(float x) { return x; }\n',
})

export const includeTooDeep: Entry<'limit'> = error('E15310', 'files include one another more than {limit} deep', {
  help: 'put #pragma once at the top of files that are included',
  example: { source: '#include "a.h"\nfloat f(float x) { return x; }\n', files: { 'a.h': '#include "a.h"\n' } },
})

export const userError: Entry<'text'> = error('E15900', '{text}', {
  example: '#error this file is for another compiler\n',
})

export const userWarning: Entry<'text'> = warning('W15901', '{text}', {
  example: '#warning slow path\nfloat f(float x) { return x; }\n',
})

// Macros

export const macroRedefined: Entry<'name'> = warning('W15400', 'the macro {name} is defined again in another way', {
  help: '#undef {name} first',
  example: '#define N 3\n#define N 4\nint f() { return N; }\n',
})

export const undefUnknown: Entry<'name'> = warning('W15401', 'the macro {name} is not defined', {
  example: '#undef N\nfloat f(float x) { return x; }\n',
})

export const badMacroParams: Entry<'what'> = error('E15403', 'expected {what} in the macro parameters', {
  example: '#define ADD(a, 3) a\nfloat f(float x) { return x; }\n',
})

export const pasteAtEdge: Entry<never> = error('E15405', '## cannot stand at the start or end of a macro', {
  example: '#define P(a) ## a\nfloat f(float x) { return x; }\n',
})

export const badStringize: Entry<never> = error('E15407', '# must be followed by a parameter of the macro', {
  example: '#define S(a) #b\nfloat f(float x) { return x; }\n',
})

export const duplicateMacroParam: Entry<'name'> = error('E15408', 'the macro parameter {name} is named twice', {
  example: '#define ADD(a, a) a + a\nfloat f(float x) { return x; }\n',
})

export const unclosedMacroCall: Entry<'name'> = error('E15500', 'the arguments of the macro {name} do not end', {
  help: 'add the closing )',
  example: '#define ADD(a, b) (a + b)\nfloat f(float x) { return ADD(x, 1.0; }\n',
})

const macroArgCount = 'the macro {name} takes {expected} arguments and got {count}'

export const wrongMacroArgCount: Entry<'name' | 'expected' | 'count'> = error('E15501', macroArgCount, {
  example: '#define ADD(a, b) (a + b)\nfloat f(float x) { return ADD(x); }\n',
})

export const badPaste: Entry<'text'> = warning('W15503', '## made {text}, which is not one token', {
  example: '#define P(a, b) a ## b\nfloat f(float x) { return P(x, +) 1.0; }\n',
})

// Grammar

export const expectedToken: Entry<'expected' | 'found'> = error('E20001', 'expected {expected} before {found}', {
  example: 'float f(float x) { return x + 1.0 }',
})

export const expectedExpression: Entry<'found'> = error('E20002', 'expected an expression before {found}', {
  example: 'float f(float x) { return x + ; }',
})

export const unexpectedToken: Entry<'found'> = error('E20003', 'unexpected {found}', {
  example: 'float f(float x) { return x; } }',
})

export const emptyParentheses: Entry<never> = error('E20005', 'empty parentheses are no expression', {
  example: 'float f(float x) { float y = (); return x; }',
})

export const unintendedEmpty: Entry<never> = warning('W20101', 'this semicolon is the whole body', {
  help: 'write {} for an empty body, or remove the semicolon',
  example: 'float f(float x) { if (x > 0.0); return x; }',
})

export const bodyAfterSemicolon: Entry<never> = error('E20102', 'the body of the function stands after a semicolon', {
  help: 'remove the semicolon',
  example: 'float f(float x);\n{ return x; }',
})

export const unclosedBracket: Entry<'bracket'> = error('E20006', 'this {bracket} is not closed', {
  example: 'float f(float x) { return x;',
})

export const expectedName: Entry<'what' | 'found'> = error('E20007', 'expected {what} before {found}', {
  example: 'static const int 3 = 4;',
})

export const tooDeep: Entry<'limit'> = error('E20020', 'this is nested more than {limit} deep', {
  help: 'name inner parts with variables or functions',
  example: `float f(float x) { return ${'('.repeat(600)}x${')'.repeat(600)}; }`,
})

export const statementBeforeCase: Entry<never> = warning('W20021', 'statements of a switch before its first label never run', {
  example: 'int f(int x) { switch (x) { x = 2; case 1: return 1; default: return 0; } }',
})

export const misplacedDeclaration: Entry<'what'> = error('E20022', '{what} cannot stand here', {
  example: 'interface I { float f(); } float g(float x) { module m; return x; }',
})
