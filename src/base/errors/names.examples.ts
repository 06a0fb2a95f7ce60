/** The smallest programs that get the diagnostics of `names.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as namesErrors from './names.ts'

export const examples: Examples<typeof namesErrors> = {
  undefinedName: 'float f(float x) { return x + y; }',
  noMember: 'struct S { float a; } float f(S s) { return s.b; }',
  unasked:
    'interface I { float f(); } float g<T>(T x) where optional T : I { return x.f(); } struct S : I { float f() { return 1; } } float h() { S s; return g(s); }',
  noNamespaceMember: 'namespace n { static const float a = 1; } float f() { return n::b; }',
  redeclared: 'float f(float x) { float y = x; float y = 2; return y; }',
  redefined: 'float f(float x) { return x; } float f(float y) { return 2 * y; }',
  expectedType: 'float f(float x) { x y; return 1; }',
  expectedValue: 'struct S { float a; } float f() { return S; }',
  misplaced: '__init(float x) { }',
  unsupported: 'class C { float x; }',
  cyclic: 'static const int A = B; static const int B = A; float f(float x[A]) { return x[0]; }',
  noThis: 'float f() { return this.x; }',
  needsObject: 'struct S { float a; static float f() { return a; } }',
  notVisible: 'struct S { private float a; } float f(S s) { return s.a; }',
  noModule: 'import nowhere;',
  unreadable: {
    source: 'import shapes;',
    resolve: () => {
      throw new Error('the disk is gone')
    },
  },
  importCycle: { source: 'import a;', files: { 'a.slang': 'import b;', 'b.slang': 'import a;' } },
  unknownAttribute: '[Disc] float f(float x) { return x; }',
  attributeArguments: '[numthreads(1, 2, 3, 4)] void main() { }',
  groupSize: '[shader("compute")] [numthreads(0, 1, 1)] void main() { }',
  groupTooLarge: '[shader("compute")] [numthreads(64, 64, 1)] void main() { }',
  unknownStage: '[shader("computer")] [numthreads(1, 1, 1)] void main() { }',
  tooDeep: 'struct A<T> { typealias B = A<A<T>>.B; } float f(A<int>.B x) { return 1; }',
  recursiveType: 'struct S { S next; float a; } float f(S s) { return s.a; }',
  unresolvedExternal: 'extern static const int N; public float f(float x) { return x * N; }',
}
