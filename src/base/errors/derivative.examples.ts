/** The smallest programs that get the diagnostics of `derivative.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as derivativeErrors from './derivative.ts'

export const examples: Examples<typeof derivativeErrors> = {
  notDifferentiable: 'float f(float x) { return x; } void g() { let p = fwd_diff(f)(diffPair(1.0, 1.0)); }',
  notFunction: 'float f(float x) { return fwd_diff(x)(1.0); }',
  lostInCall: 'float g(float x) { return x * x; } [Differentiable] float f(float x) { return g(x); }',
  lostInOutput:
    'void g(float x, out float y) { y = x * x; } [Differentiable] float f(float x) { float y; g(x, y); return y; }',
  lostInAssignment:
    'struct S : IDifferentiable { no_diff float a; float b; } [Differentiable] float f(float x) { S s; s.a = x * x; s.b = x; return s.a; }',
  lostInArgument:
    'struct S { float a; } [Differentiable] void g(float x, out float y) { y = x; } [Differentiable] float f(float x) { S s; g(x, s.a); return x; }',
  noDiffNeedsCall: '[Differentiable] float f(float x) { return no_diff x; }',
  noDiffOfDifferentiable:
    '[Differentiable] float g(float x) { return x; } [Differentiable] float f(float x) { return no_diff g(x) + x; }',
  noDiffOutside: 'float g(float x) { return x; } float f(float x) { return no_diff g(x); }',
  vectorConditional: '[Differentiable] float3 f(float3 x) { return x > float3(0.0) ? x : -x; }',
  ownDifferential:
    'struct D { float a; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.a)] float a; }',
  noCounterpart:
    'struct D : IDifferentiable { float a; } struct S : IDifferentiable { typealias Differential = D; float x; }',
  memberNotDifferentiable:
    'struct D : IDifferentiable { float a; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.a)] int x; }',
  noDerivativeMember:
    'struct D : IDifferentiable { float a; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.b)] float x; }',
  memberOfPlainType: 'struct D : IDifferentiable { float a; } struct S { [DerivativeMember(D.a)] float x; }',
  primalUnresolved:
    'float f(float x) { return x; } float f(float2 x) { return x.x; } [BackwardDerivativeOf(f)] void df(inout DifferentialPair<float3> x, float d) { }',
  derivativeNotFunction: 'static const float g = 1; [ForwardDerivative(g)] float f(float x) { return x; }',
  derivativeSignature:
    'void g(DifferentialPair<float> x, float d) { } [BackwardDerivative(g)] float f(float x) { return x; }',
  derivativeOverload: 'void g(int x) { } void g(float x) { } [BackwardDerivative(g)] float f(float x) { return x; }',
  derivativeGenerics:
    'void g(inout DifferentialPair<float> x, float d) { } [BackwardDerivative(g)] T f<T : __BuiltinFloatingPointType>(T x) { return x; }',
  derivativeOfRequirement:
    'void g(inout DifferentialPair<float> x, float d) { } interface I { [BackwardDerivative(g)] static float f(float x); }',
  requirementAsDerivative:
    'interface I { static void g(inout DifferentialPair<float> x, float d); } [BackwardDerivative(I.g)] float f(float x) { return x; }',
  extensionUnresolved: 'float f(float x) { return x; } __func_extension fwd_diff(f)(float x) -> float { return x; }',
  extensionOpen:
    'float f(float x) { return x; } __func_extension<T> fwd_diff(f)(DifferentialPair<float> x) -> DifferentialPair<float> { return x; }',
  applyResult: 'float f(float x) { return x; } __func_extension __apply(f)(float x) -> float { return x; }',
  applyContext:
    'struct C { float k; } float f(float x) { return x; } __func_extension __apply(f)(float x) -> Tuple<float, C> { return makeTuple(x, C(x)); }',
  derivativeThis:
    'struct A { float k; void g(inout DifferentialPair<float> x, float d) { } } struct B { float k; [BackwardDerivative(A.g)] float f(float x) { return x; } }',
  derivativeMustBeStatic:
    'struct A : IDifferentiable { float k; void g(inout DifferentialPair<float> x, float d) { } [BackwardDerivative(g)] float f(float x) { return x; } }',
  twoDerivatives:
    'void g(inout DifferentialPair<float> x, float d) { } [BackwardDerivativeOf(f)] void h(inout DifferentialPair<float> x, float d) { } [BackwardDerivative(g)] float f(float x) { return x; }',
  weakSubstitute:
    'float g(float x) { return x; } [Differentiable] [PrimalSubstitute(g)] float f(float x) { return x; }',
  plainThis: 'struct S { float k; [Differentiable] float f(float x) { return k * x; } }',
  plainStruct:
    'struct S { float a; } [Differentiable] S g(float x) { return { x }; } [Differentiable] float f(float x) { return g(x).a; }',
  plainBound:
    '[Differentiable] T square<T : IArithmetic>(T x) { return x * x; } [Differentiable] float f(float x) { return square(x); }',
  unboundedLoop: {
    source: '[Differentiable] float f(float x) { float y = x; while (y < 10.0) y = y * 2.0; return y; }',
    target: 'wgsl',
  },
  noStates: '[Differentiable] float f(float x) { [Checkpoints(0)] for (int i = 0; i < 40; i++) x *= x; return x; }',
  statesOfUnrolled:
    '[Differentiable] float f(float x) { [ForceUnroll] [Checkpoints(2)] for (int i = 0; i < 4; i++) x *= x; return x; }',
  stepsAnother: 'float f(float x) { int j = 0; [MaxIters(4)] for (int i = 0; i < 4; j++) { x += 1; i++; } return x; }',
  testsAnother: 'void f() { int j = 0; for (int i = 0; j < 4; i++) j = i; }',
  runsAway: 'float f(float x) { for (int i = 0; i < 4; i--) x += 1; return x; }',
  stepZero: 'float f(float x) { for (int i = 0; i < 4; i += 0) x += 1; return x; }',
  maxItersTooLarge:
    '[Differentiable] float f(float x) { [MaxIters(10)] for (int i = 0; i < 4; i++) x *= 2.0; return x; }',
  neverRuns: 'float f(float x) { for (int i = 5; i < 4; i++) x += 1; return x; }',
  sideEffectsRecomputed:
    'RWStructuredBuffer<float> b; [PreferRecompute] [Differentiable] float g(float x) { b[0] = 1.0; return x * x; } [Differentiable] float f(float x) { return g(x); }',
  kernelParameters: '[CUDAKernel] [Differentiable] void k(float x) { }',
  constantReference: '[Differentiable] float f(constref float x) { return x * x; }',
  valueAndPointer: 'struct S : IDifferentiable, IDifferentiablePtrType { typealias Differential = S; float a; }',
  counterpartType:
    'struct D : IDifferentiable { float2 a; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.a)] float x; }',
  substituteCycle:
    '[PrimalSubstitute(b)] float a(float x) { return x; } [PrimalSubstitute(a)] float b(float x) { return x; }',
  pointerComesOut:
    'struct P : IDifferentiablePtrType { typealias Differential = P; int at; } [Differentiable] P f(P p) { return p; }',
}
