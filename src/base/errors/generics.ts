/** Mistakes about generic parameters and interfaces. */
import { error, type Entry } from '../diag.ts'

export const notInterface: Entry<'name'> = error('E30402', '{name} can only conform to an interface', {
  example: 'float f<T : float>(T x) { return 1; }',
})

export const extendsInterface: Entry<'name'> = error('E30852', 'interface {name} cannot be extended by itself', {
  help: 'extend all that conform to it: extension<T : {name}> T',
  example: 'interface I { float f(); } extension I { float g() { return f(); } }',
})

export const doesNotConform: Entry<'type' | 'interface'> = error('E38029', '{type} does not conform to {interface}', {
  help: 'declare the conformance, or extend the type with it',
  example: 'struct S { int a; } float f(DifferentialPair<S> p) { return 1; }',
})

export const needsArguments: Entry<'name'> = error('E30400', 'generic type {name} needs arguments', {
  help: 'write them: {name}<...>',
  example: 'struct S<T> { T a; } float f(S s) { return 1; }',
})

export const notGeneric: Entry<'name'> = error('E30403', '{name} takes no generic arguments', {
  example: 'struct S { float a; } float f(S<int> s) { return 1; }',
})

export const argumentCount: Entry<'name' | 'expected' | 'got'> = error('E39999', '{name} takes {expected} generic arguments, got {got}', {
  example: 'struct S<T> { T a; } float f(S<int, int> s) { return 1; }',
})

export const argumentKind: Entry<'expected'> = error('E30404', 'expected {expected} as generic argument', {
  example: 'struct S<let N : int> { float a[N]; } float f(S<float> s) { return 1; }',
})

export const missingRequirement: Entry<'type' | 'name' | 'interface'> = error('E38100', '{type} does not provide {name}, which {interface} requires', {
  example: 'interface I { float f(); } struct S : I { float a; }',
})

export const missingOverride: Entry<'name' | 'interface'> = error('E30853', '{name} replaces the body that {interface} gives it', {
  help: 'write override before it',
  example: 'interface I { float f() { return 1; } } struct S : I { float f() { return 2; } }',
})

export const requirementMismatch: Entry<'type' | 'name' | 'interface'> = error('E38106', '{name} of {type} does not have the signature that {interface} requires', {
  example: 'interface I { float f(float x); } struct S : I { float f(S x) { return 1; } }',
})

export const notDifferentiableRequirement: Entry<'type' | 'name' | 'interface'> = error('E38105', '{name} of {type} is not differentiable, which {interface} requires', {
  help: 'mark it [Differentiable] or [TreatAsDifferentiable], or give it a derivative',
  example: 'interface I { [Differentiable] float f(float x); } struct S : I { float f(float x) { return x; } }',
})

export const eachOutside: Entry<never> = error('E30104', `'each' stands outside of an 'expand'`, {
  help: `write 'expand' before the expression that is meant for each part`,
  example: 'float f<each T>(expand each T v) { float s = 0; s += each v; return s; }',
})

export const nothingToExpand: Entry<never> = error('E30105', `nothing in this 'expand' is a pack`, {
  help: `write 'each' before the name of a pack`,
  example: 'void g(float x) {} void f<each T>(expand each T v) { expand g(1.0); }',
})

export const packHere: Entry<never> = error('E30106', 'a pack cannot be used here', {
  help: 'hold the parts in a tuple: Tuple<expand each T>',
  example: 'struct S<each T> { expand each T parts; }',
})

export const packLengths: Entry<'one' | 'other'> = error('E30107', 'packs of {one} and {other} parts go through one expansion', {
  help: 'give both as many parts',
  example: 'void g<A, B>(A a, B b) {} void f<each T, each U>(Tuple<T> a, Tuple<U> b) { expand g(each a, each b); } float h() { f(makeTuple(1.0, 2.0), makeTuple(1.0)); return 0; }',
})

export const packTooLong: Entry<'name' | 'count' | 'limit'> = error('E30108', 'a pack of {name} has {count} parts, the limit is {limit}', {
  help: 'where a function calls itself, give it fewer arguments each time, not more',
  example: 'float f<each T>(expand each T v) { return f(1.0, expand each v); }',
})
