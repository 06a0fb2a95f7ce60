/** The smallest programs that get the diagnostics of `generics.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as genericsErrors from './generics.ts'

export const examples: Examples<typeof genericsErrors> = {
  notInterface: 'float f<T : float>(T x) { return 1; }',
  secondBase: 'struct A { float x; } struct B { float y; } struct C : A, B { }',
  extendsInterface: 'interface I { float f(); } extension I { float g() { return f(); } }',
  doesNotConform: 'struct S { int a; } float f(DifferentialPair<S> p) { return 1; }',
  countDiffers: 'int two<each T>(expand each T x) where countof(T) == 2 { return 2; } int f() { return two(1); }',
  countOfNoPack: 'int two<T>(T x) where countof(T) == 2 { return 2; }',
  needsArguments: 'struct S<T> { T a; } float f(S s) { return 1; }',
  notGeneric: 'struct S { float a; } float f(S<int> s) { return 1; }',
  argumentCount: 'struct S<T> { T a; } float f(S<int, int> s) { return 1; }',
  argumentKind: 'struct S<let N : int> { float a[N]; } float f(S<float> s) { return 1; }',
  missingRequirement: 'interface I { float f(); } struct S : I { float a; }',
  missingOverride: 'interface I { float f() { return 1; } } struct S : I { float f() { return 2; } }',
  requirementMismatch: 'interface I { float f(float x); } struct S : I { float f(S x) { return 1; } }',
  notDifferentiableRequirement:
    'interface I { [Differentiable] float f(float x); } struct S : I { float f(float x) { return x; } }',
  eachOutside: 'float f<each T>(expand each T v) { float s = 0; s += each v; return s; }',
  nothingToExpand: 'void g(float x) {} void f<each T>(expand each T v) { expand g(1.0); }',
  emptyPack: 'int f<let each N : int>() { return __first(N); } int g() { return f<>(); }',
  noTuple: 'float f(float x, float y) { return x * y; } float g(float x) { return f(expand each x); }',
  packHere: 'struct S<each T> { expand each T parts; }',
  packLengths:
    'void g<A, B>(A a, B b) {} void f<each T, each U>(Tuple<T> a, Tuple<U> b) { expand g(each a, each b); } float h() { f(makeTuple(1.0, 2.0), makeTuple(1.0)); return 0; }',
  packTooLong: 'float f<each T>(expand each T v) { return f(1.0, expand each v); }',
}
