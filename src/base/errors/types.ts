/** Mistakes about types: conversions, calls, operators, places, statements. */
import { error, warning, type Entry } from '../diag.ts'

export const typeMismatch: Entry<'expected' | 'got'> = error('E30019', 'expected an expression of type {expected}, got {got}', {
  example: 'struct S { float a; } float f(S s) { float x = s; return x; }',
})

export const needsCast: Entry<'expected' | 'got'> = error('E30019', 'expected an expression of type {expected}, got {got}', {
  help: 'write the conversion: {expected}(...)',
  example: 'float3 f(float4 x) { float3 y = x; return y; }',
})

export const lossyConversion: Entry<'from' | 'to'> = warning('W30081', 'implicit conversion from {from} to {to} may lose something', {
  help: 'write the conversion: {to}(...)',
  example: 'int f(float x) { int y = x; return y; }',
})

export const pairMismatch: Entry<'expected' | 'got' | 'edit'> = error('E30019', 'expected an expression of type {expected}, got {got}', {
  help: '{edit}',
  example: '[Differentiable] float f(float x) { return x; } float g() { return fwd_diff(f)(diffPair(1.0, 1.0)); }',
})

export const noCast: Entry<'from' | 'to'> = error('E30019', '{from} cannot be converted to {to}', {
  example: 'struct S { float a; } struct T { int b; } T f(S s) { return (T)s; }',
})

export const notCallable: Entry<'what'> = error('E30016', '{what} cannot be called', {
  example: 'float f(float x) { return x(1.0); }',
})

export const noOverload: Entry<'name' | 'args'> = error('E39999', 'no overload of {name} takes arguments of types ({args})', {
  example: 'struct S { float a; } float f(float x) { return x; } float f(int x) { return 1; } float g(S s) { return f(s); }',
})

export const ambiguous: Entry<'name' | 'args'> = error('E39999', 'ambiguous call of {name} with arguments of types ({args})', {
  help: 'convert the arguments to the types of the overload that is meant',
  example: 'float f(int a, float b) { return 1; } float f(float a, int b) { return 2; } float g() { return f(1, 1); }',
})

export const tooManyArguments: Entry<'expected' | 'got'> = error('E39999', 'too many arguments: expected {expected}, got {got}', {
  example: 'float f(float x) { return x; } float g() { return f(1.0, 2.0); }',
})

export const tooFewArguments: Entry<'expected' | 'got'> = error('E39999', 'not enough arguments: expected {expected}, got {got}', {
  example: 'float f(float x, float y) { return x; } float g() { return f(1.0); }',
})

export const cannotInfer: Entry<'name'> = error('E39999', 'the generic arguments of {name} cannot be found from the call', {
  help: 'write them: {name}<...>(...)',
  example: 'T f<T>() { T x; return x; } float g() { return f(); }',
})

export const notAssignable: Entry<'why'> = error('E30011', 'this cannot be assigned to: {why}', {
  example: 'float f(float x) { const float y = x; y = 2.0; return y; }',
})

export const argumentNotAssignable: Entry<'name' | 'why'> = error('E30047', 'the argument for {name} must be assignable: {why}', {
  help: 'pass a variable',
  example: 'void f(out float x) { x = 1; } void g() { f(1.0); }',
})

export const argumentConverted: Entry<'name' | 'dir' | 'type' | 'got'> = error('E30047', '{name} is an {dir} parameter of type {type}, and the argument is of type {got}', {
  help: 'pass a variable of type {type}, and copy it to and fro',
  example: 'void f(out uint x) { x = 1; } float g() { float y; f(y); return y; }',
})

export const mutatingOnFixed: Entry<'name' | 'why'> = error('E30050', '{name} changes its object, which cannot be assigned to: {why}', {
  help: 'put the object into a variable first',
  example: 'struct S { float a; [mutating] void f() { a = 1; } } void g(const S s) { s.f(); }',
})

export const noUnary: Entry<'op' | 'type'> = error('E39999', 'operator {op} has no meaning for {type}', {
  example: 'struct S { float a; } S f(S s) { return -s; }',
})

export const noBinary: Entry<'op' | 'left' | 'right'> = error('E39999', 'operator {op} has no meaning for {left} and {right}', {
  help: 'convert an operand, declare operator{op}, or multiply matrices by mul(a, b)',
  example: 'struct S { float a; } S f(S s) { return s + s; }',
})

export const badSwizzle: Entry<'name' | 'type'> = error('E30027', 'invalid swizzle {name} on {type}', {
  example: 'float f(float2 v) { return v.z; }',
})

export const notIndexable: Entry<'type'> = error('E30013', '{type} has no elements', {
  example: 'struct S { float a; } float f(S s) { return s[0]; }',
})

export const indexBounds: Entry<'index' | 'count'> = error('E30029', 'index {index} is outside of {count} elements', {
  example: 'float f(float3 v) { return v[3]; }',
})

export const indexType: Entry<'type'> = error('E30044', 'an index must be an integer, not {type}', {
  example: 'struct S { float a; } float f(float x[4], S s) { return x[s]; }',
})

export const badArraySize: Entry<never> = error('E30025', 'an array needs at least one element', {
  example: 'float f() { float x[0]; return 1; }',
})

export const badVectorSize: Entry<'count'> = error('E38203', 'a vector has one to four lanes, and a matrix one to four rows and columns, not {count}', {
  help: 'use an array for more',
  example: 'float f(vector<float, 5> v) { return v[0]; }',
})

export const outputDefault: Entry<'name'> = error('E30700', '{name} is written by the function and cannot have a default value', {
  help: 'leave the default value away, or the out before the parameter',
  example: 'void f(out float x = 1.0) { x = 2.0; }',
})

export const arrayTooLarge: Entry<'count' | 'limit'> = error('E30025', 'an array of {count} elements is too large: it may have {limit}', {
  help: 'keep the elements in a StructuredBuffer',
  example: 'float f() { float x[1000000000000]; return 1; }',
})

export const literalDoesNotFit: Entry<'value' | 'type' | 'got'> = warning('W39999', '{value} does not fit into {type}: it becomes {got}', {
  help: 'write the conversion if that is meant: {type}(...)',
  example: 'int f() { return 4294967297; }',
})

export const enumTag: Entry<'type'> = error('E32000', 'an enum cannot stand for values of type {type}', {
  help: 'use an integer type',
  example: 'enum E : float { a } int f() { return int(E.a); }',
})

export const notConstant: Entry<never> = error('E39999', 'this is not an integer known at compile time', {
  help: 'use literals, static const integers and generic value parameters',
  example: 'float f(int n) { float x[n]; return 1; }',
})

export const unknownSize: Entry<never> = error('E30026', 'the size of this array is not known', {
  help: 'write the number of elements, or give an initialiser',
  example: 'float f() { float x[]; return x[0]; }',
})

export const listTooLong: Entry<'type' | 'expected' | 'got'> = error('E30500', 'too many values for {type}: it takes {expected}, got {got}', {
  example: 'float f() { float2 v = {1, 2, 3}; return v.x; }',
})

export const listTooShort: Entry<'type' | 'expected' | 'got'> = error('E30501', 'not enough values for {type}: it takes {expected}, got {got}', {
  example: 'float f(float2 a) { float4 v = {a, 2}; return v.x; }',
})

export const listNeedsType: Entry<never> = error('E30502', 'the type of this list is not known', {
  help: 'write the type before it',
  example: 'void f() { let x = {1, 2}; }',
})

export const voidValue: Entry<never> = error('E30009', 'a value is needed, and this returns nothing', {
  example: 'void f() { } float g() { float x = f(); return x; }',
})

export const returnNeedsValue: Entry<'type'> = error('E30006', 'return needs a value of type {type}', {
  example: 'float f() { return; }',
})

export const returnTakesNoValue: Entry<never> = error('E30019', 'a function that returns nothing cannot return a value', {
  example: 'void f() { return 1; }',
})

export const noReturn: Entry<'name' | 'type'> = error('E41009', '{name} does not return a value of type {type} on every path', {
  help: 'end each path in a return; a loop that never ends needs none',
  example: 'export float f(float x) { if (x > 0) return x; }',
})

export const missingReturn: Entry<'name' | 'type'> = warning('W41010', '{name} may end without a value of type {type}', {
  help: 'return a value at the end too, unless the conditions before it are constants',
  example: 'float f(float x) { int n = 3; if (n == 3) return x; }',
})

export const breakOutside: Entry<never> = error('E30003', 'break is neither in a loop nor in a switch', { example: 'void f() { break; }' })

export const continueOutside: Entry<never> = error('E30004', 'continue is not in a loop', { example: 'void f() { continue; }' })

export const duplicateCase: Entry<'value'> = error('E30601', 'case {value} stands twice', {
  example: 'float f(int i) { switch (i) { case 1: return 1; case 1: return 2; default: return 3; } }',
})

export const secondDefault: Entry<never> = error('E30600', 'the switch has a second default', {
  example: 'float f(int i) { switch (i) { default: return 1; default: return 2; } }',
})

export const divisionByZero: Entry<never> = error('E30002', 'division by zero', {
  example: 'int f(int x) { return x / 0; }',
})

export const switchType: Entry<'type'> = error('E30603', 'a switch needs an integer or an enum, not {type}', {
  example: 'float f(float x) { switch (x) { default: return 1; } }',
})

export const conditionType: Entry<'type'> = error('E30019', 'expected a condition, got {type}', {
  help: 'compare it, or reduce it by any(...) or all(...)',
  example: 'struct S { float a; } float f(S s) { if (s) return 1; return 2; }',
})

export const assignedCondition: Entry<never> = error('E30057', 'this condition is an assignment', {
  help: 'compare with ==, or add parentheses',
  example: 'float f(float x) { if (x = 1) return 2; return x; }',
})

export const noInitialiser: Entry<'name'> = error('E30620', '{name} needs an initial value', {
  example: 'void f() { let x; }',
})

export const voidVariable: Entry<'name'> = error('E30605', '{name} cannot be of type void', {
  example: 'void f() { void x; }',
})

export const assertionFailed: Entry<'message'> = error('E41400', 'static assertion failed: {message}', {
  example: 'static const int N = 2; static_assert(N == 3, "three are needed");',
})

export const deprecated: Entry<'name' | 'why'> = warning('W31200', '{name} is deprecated: {why}', {
  example: '[deprecated("use g")] float f(float x) { return x; } float h(float x) { return f(x); }',
})

export const isInterface: Entry<never> = error('E30301', 'is asks for a concrete type, not for an interface', {
  help: "let the interface of the value say what is wanted, by a method; of a type parameter, write 'where optional T : I' to ask",
  example: 'interface I { float f(); } interface J { float g(); } bool h(I i) { return i is J; }',
})

export const asInterface: Entry<never> = error('E30302', 'as asks for a concrete type, not for an interface', {
  help: 'let the interface of the value say what is wanted, by a method',
  example: 'interface I { float f(); } interface J { float g(); } bool h(I i) { return (i as J).hasValue; }',
})
