/** Mistakes about derivatives that checking finds. */
import { error, warning, type Entry } from '../diag.ts'

export const notDifferentiable: Entry<'name' | 'level'> = error('E30097', '{name} is not {level} differentiable', {
  help: 'mark it [Differentiable]',
  example: 'float f(float x) { return x; } void g() { let p = fwd_diff(f)(diffPair(1.0, 1.0)); }',
})

export const notFunction: Entry<never> = error('E33070', 'the operand of a derivative operator must be a function', {
  example: 'float f(float x) { return fwd_diff(x)(1.0); }',
})

export const lostInCall: Entry<'name'> = error('E41020', 'derivative is lost: {name} is not differentiable', {
  help: 'write no_diff before the call if that is meant, else mark {name} [Differentiable]',
  example: 'float g(float x) { return x * x; } [Differentiable] float f(float x) { return g(x); }',
})

export const lostInOutput: Entry<'name' | 'parameter'> = warning('W41020', 'derivative is lost: {name} is not differentiable, and what it writes to {parameter} has none', {
  help: 'write no_diff before the call if that is meant, else mark {name} [Differentiable]',
  example: 'void g(float x, out float y) { y = x * x; } [Differentiable] float f(float x) { float y; g(x, y); return y; }',
})

export const lostInAssignment: Entry<never> = error('E41024', 'derivative is lost: it is stored where no derivative can be kept', {
  help: 'write detach(...) around the value if that is meant',
  example: 'struct S : IDifferentiable { no_diff float a; float b; } [Differentiable] float f(float x) { S s; s.a = x * x; s.b = x; return s.a; }',
})

export const lostInArgument: Entry<'name'> = error('E41025', 'derivative is lost: {name} is written where no derivative can be kept', {
  help: 'pass a variable of differentiable type',
  example: 'struct S { float a; } [Differentiable] void g(float x, out float y) { y = x; } [Differentiable] float f(float x) { S s; g(x, s.a); return x; }',
})

export const noDiffNeedsCall: Entry<never> = error('E38031', 'no_diff belongs before a call or a subscript', {
  help: 'write detach(...) to drop the derivative of a value',
  example: '[Differentiable] float f(float x) { return no_diff x; }',
})

export const noDiffOfDifferentiable: Entry<'name'> = warning('W38032', 'no_diff stands before a call of {name}, which is differentiable: its derivative is dropped', {
  help: 'leave no_diff away unless the derivative is to be dropped',
  example: '[Differentiable] float g(float x) { return x; } [Differentiable] float f(float x) { return no_diff g(x) + x; }',
})

export const noDiffOutside: Entry<never> = error('E38033', 'no_diff has no meaning in a function that is not differentiable', {
  help: 'leave it away, or mark the function [Differentiable]',
  example: 'float g(float x) { return x; } float f(float x) { return no_diff g(x); }',
})

export const vectorConditional: Entry<never> = error('E30055', 'a vector condition of ?: is not allowed in a differentiable function', {
  help: 'use select(condition, a, b)',
  example: '[Differentiable] float3 f(float3 x) { return x > float3(0.0) ? x : -x; }',
})

export const ownDifferential: Entry<'type' | 'differential'> = error('E30096', '{type} is used as a differential, and its own differential is {differential}', {
  help: 'a differential type must be its own differential: let it conform to IDifferentiable, and all its fields',
  example: 'struct D { float a; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.a)] float a; }',
})

export const noCounterpart: Entry<'name' | 'type' | 'differential'> = error('E30102', 'differentiable field {name} of {type} has no counterpart in {differential}', {
  help: 'name it with [DerivativeMember({differential}.field)], or mark the field no_diff',
  example: 'struct D : IDifferentiable { float a; } struct S : IDifferentiable { typealias Differential = D; float x; }',
})

export const memberNotDifferentiable: Entry<'name'> = error('E30310', '[DerivativeMember] stands on {name}, whose type is not differentiable', {
  example: 'struct D : IDifferentiable { float a; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.a)] int x; }',
})

export const noDerivativeMember: Entry<'name' | 'differential'> = error('E31130', '{name} is no member of {differential}', {
  example: 'struct D : IDifferentiable { float a; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.b)] float x; }',
})

export const memberOfPlainType: Entry<'type'> = error('E31131', '[DerivativeMember] has no meaning in {type}, which is not differentiable', {
  help: 'let the type conform to IDifferentiable',
  example: 'struct D : IDifferentiable { float a; } struct S { [DerivativeMember(D.a)] float x; }',
})

export const primalUnresolved: Entry<'name'> = error('E31147', 'no {name} has the parameters that this derivative belongs to', {
  example: 'float f(float x) { return x; } float f(float2 x) { return x.x; } [BackwardDerivativeOf(f)] void df(inout DifferentialPair<float3> x, float d) { }',
})

export const derivativeNotFunction: Entry<'name'> = error('E31148', '{name} is not a function', {
  example: 'static const float g = 1; [ForwardDerivative(g)] float f(float x) { return x; }',
})

export const derivativeSignature: Entry<'name' | 'parameter' | 'expected' | 'got'> = error('E31149', 'parameter {parameter} of {name} must be {expected}, not {got}', {
  example: 'void g(DifferentialPair<float> x, float d) { } [BackwardDerivative(g)] float f(float x) { return x; }',
})

export const derivativeOverload: Entry<'name' | 'expected'> = error('E31150', '{name} does not have the signature {expected}', {
  example: 'void g(int x) { } void g(float x) { } [BackwardDerivative(g)] float f(float x) { return x; }',
})

export const derivativeGenerics: Entry<'name'> = error('E31151', 'the generic parameters of {name} do not match those of the function', {
  help: 'give both the same generic parameters',
  example: 'void g(inout DifferentialPair<float> x, float d) { } [BackwardDerivative(g)] T f<T : __BuiltinFloatingPointType>(T x) { return x; }',
})

export const derivativeOfRequirement: Entry<never> = error('E31152', 'a requirement of an interface cannot have a derivative of its own', {
  help: 'give the derivative to the methods that meet the requirement',
  example: 'void g(inout DifferentialPair<float> x, float d) { } interface I { [BackwardDerivative(g)] static float f(float x); }',
})

export const requirementAsDerivative: Entry<'name'> = error('E31153', '{name} is a requirement of an interface and cannot serve as a derivative', {
  example: 'interface I { static void g(inout DifferentialPair<float> x, float d); } [BackwardDerivative(I.g)] float f(float x) { return x; }',
})

export const derivativeThis: Entry<'name'> = error('E31154', 'the this types of the function and of {name} differ', {
  example: 'struct A { float k; void g(inout DifferentialPair<float> x, float d) { } } struct B { float k; [BackwardDerivative(A.g)] float f(float x) { return x; } }',
})

export const derivativeMustBeStatic: Entry<'name'> = error('E31156', '{name} must be static: the type of its function is differentiable', {
  help: 'make it static and take DifferentialPair of the type as first parameter',
  example: 'struct A : IDifferentiable { float k; void g(inout DifferentialPair<float> x, float d) { } [BackwardDerivative(g)] float f(float x) { return x; } }',
})

export const twoDerivatives: Entry<'name'> = error('E31146', '{name} has such a derivative already', {
  example: 'void g(inout DifferentialPair<float> x, float d) { } [BackwardDerivativeOf(f)] void h(inout DifferentialPair<float> x, float d) { } [BackwardDerivative(g)] float f(float x) { return x; }',
})

export const weakSubstitute: Entry<'name'> = error('E31158', 'primal substitute {name} is less differentiable than its function', {
  help: 'mark it [Differentiable]',
  example: 'float g(float x) { return x; } [Differentiable] [PrimalSubstitute(g)] float f(float x) { return x; }',
})

export const plainThis: Entry<'name' | 'type'> = warning('W31159', 'field {name} is read from a this of type {type}, which is not differentiable', {
  help: 'mark the method [NoDiffThis], or let {type} conform to IDifferentiable',
  example: 'struct S { float k; [Differentiable] float f(float x) { return k * x; } }',
})

export const plainStruct: Entry<'type'> = warning('W41026', 'derivative is lost: {type} does not conform to IDifferentiable', {
  help: 'declare it as struct {type} : IDifferentiable, or write detach(...) around the value',
  example: 'struct S { float a; } [Differentiable] S g(float x) { return { x }; } [Differentiable] float f(float x) { return g(x).a; }',
})

export const unboundedLoop: Entry<never> = error('E30510', 'this loop has no known bound, so its reverse derivative needs a CPU', {
  help: 'put [MaxIters(n)] or [Checkpoints(k)] before the loop, or [ForceUnroll] where the trips are known when compiling',
  example: { source: '[Differentiable] float f(float x) { float y = x; while (y < 10.0) y = y * 2.0; return y; }', target: 'wgsl' },
})

export const noStates: Entry<'given'> = error('E36004', '[Checkpoints] lets the reverse pass keep {given} states, and it needs one', {
  help: 'give it a whole number of 1 or more, such as twice the square root of the trips',
  example: '[Differentiable] float f(float x) { [Checkpoints(0)] for (int i = 0; i < 40; i++) x *= x; return x; }',
})

export const statesOfUnrolled: Entry<never> = warning('W36005', '[Checkpoints] has no effect on a loop under [ForceUnroll]', {
  help: 'leave one of them out',
  example: '[Differentiable] float f(float x) { [ForceUnroll] [Checkpoints(2)] for (int i = 0; i < 4; i++) x *= x; return x; }',
})

export const stepsAnother: Entry<'name' | 'other'> = warning('W30500', 'this loop tests {name} and steps {other}', {
  example: 'float f(float x) { int j = 0; [MaxIters(4)] for (int i = 0; i < 4; j++) { x += 1; i++; } return x; }',
})

export const testsAnother: Entry<'name' | 'other'> = warning('W30501', 'this loop steps {name} and tests {other}', {
  example: 'void f() { int j = 0; for (int i = 0; j < 4; i++) j = i; }',
})

export const runsAway: Entry<'name'> = warning('W30502', 'this loop steps {name} away from its end', {
  example: 'float f(float x) { for (int i = 0; i < 4; i--) x += 1; return x; }',
})

export const stepZero: Entry<'name'> = warning('W30503', 'this loop does not step {name}', {
  example: 'float f(float x) { for (int i = 0; i < 4; i += 0) x += 1; return x; }',
})

export const maxItersTooLarge: Entry<'given' | 'known'> = warning('W30504', 'MaxIters is {given}, and the loop runs {known} times', {
  example: '[Differentiable] float f(float x) { [MaxIters(10)] for (int i = 0; i < 4; i++) x *= 2.0; return x; }',
})

export const neverRuns: Entry<never> = warning('W30505', 'this loop never runs', {
  example: 'float f(float x) { for (int i = 5; i < 4; i++) x += 1; return x; }',
})

export const sideEffectsRecomputed: Entry<'name'> = warning('W42050', '{name} is recomputed in reverse, and it has side effects', {
  help: 'use [PreferCheckpoint], or say [PreferRecompute(SideEffectBehavior.Allow)]',
  example: 'RWStructuredBuffer<float> b; [PreferRecompute] [Differentiable] float g(float x) { b[0] = 1.0; return x * x; } [Differentiable] float f(float x) { return g(x); }',
})

export const kernelParameters: Entry<'name'> = error('E31214', 'parameter {name} of a differentiable kernel is differentiable', {
  help: 'use DiffTensorView, or mark it no_diff',
  example: '[CUDAKernel] [Differentiable] void k(float x) { }',
})

export const constantReference: Entry<'name'> = error('E38034', 'parameter {name} is passed by constant reference and is differentiable', {
  help: 'pass it by value, or mark it no_diff',
  example: '[Differentiable] float f(constref float x) { return x * x; }',
})

export const valueAndPointer: Entry<'type'> = error('E30311', '{type} conforms to IDifferentiable and to IDifferentiablePtrType', {
  help: 'a type is differentiated as a value or as a place: leave one of the two away',
  example: 'struct S : IDifferentiable, IDifferentiablePtrType { typealias Differential = S; float a; }',
})

export const counterpartType: Entry<'name' | 'counterpart' | 'expected' | 'got'> = error('E30019', 'the derivative of {name} is of type {expected}, and {counterpart} is of type {got}', {
  help: 'give {counterpart} the type {expected}, or mark {name} no_diff',
  example: 'struct D : IDifferentiable { float2 a; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.a)] float x; }',
})

export const substituteCycle: Entry<'name'> = error('E31155', '{name} is its own primal substitute', {
  help: 'let the last function of the chain have none',
  example: '[PrimalSubstitute(b)] float a(float x) { return x; } [PrimalSubstitute(a)] float b(float x) { return x; }',
})

export const placeComesOut: Entry<'what' | 'type'> = error('E30118', '{what} of a differentiable function is of pointer type {type}', {
  help: 'pass it in as a parameter, or mark it no_diff',
  example: 'struct P : IDifferentiablePtrType { typealias Differential = P; int at; } [Differentiable] P f(P p) { return p; }',
})
