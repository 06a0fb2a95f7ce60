/** Mistakes about derivatives that the checker finds. */
import { error, warning, type Entry } from '../diag.ts'

export const notDifferentiable: Entry<'name' | 'level'> = error(
  'E30097',
  '{name} is not {level} differentiable',
  'mark it [Differentiable]',
)

export const notFunction: Entry<never> = error('E33070', 'the operand of a derivative operator must be a function')

export const lostInCall: Entry<'name'> = error(
  'E41020',
  'derivative is lost: {name} is not differentiable',
  'write no_diff before the call if that is meant, else mark {name} [Differentiable]',
)

export const lostInOutput: Entry<'name' | 'parameter'> = warning(
  'W41020',
  'derivative is lost: {name} is not differentiable, and what it writes to {parameter} has none',
  'write no_diff before the call if that is meant, else mark {name} [Differentiable]',
)

export const lostInAssignment: Entry<never> = error(
  'E41024',
  'derivative is lost: it is stored where no derivative can be kept',
  'write detach(...) around the value if that is meant',
)

export const lostInArgument: Entry<'name'> = error(
  'E41025',
  'derivative is lost: {name} is written where no derivative can be kept',
  'pass a variable of differentiable type',
)

export const noDiffNeedsCall: Entry<never> = error(
  'E38031',
  'no_diff belongs before a call or a subscript',
  'write detach(...) to drop the derivative of a value',
)

export const noDiffOfDifferentiable: Entry<'name'> = warning(
  'W38032',
  'no_diff drops the derivative of {name}, which is differentiable',
  'leave no_diff away unless that is meant',
)

export const noDiffOutside: Entry<never> = error(
  'E38033',
  'no_diff has no meaning in a function that is not differentiable',
  'leave it away, or mark the function [Differentiable]',
)

export const vectorConditional: Entry<never> = error(
  'E30055',
  'a vector condition of ?: is not allowed in a differentiable function',
  'use select(condition, a, b)',
)

export const ownDifferential: Entry<'type' | 'differential'> = error(
  'E30096',
  '{type} is used as a differential, and its own differential is {differential}',
  'let it conform to IDifferentiable, and all its fields',
)

export const noCounterpart: Entry<'name' | 'type' | 'differential'> = error(
  'E30102',
  'differentiable field {name} of {type} has no counterpart in {differential}',
  'name it with [DerivativeMember({differential}.field)], or mark the field no_diff',
)

export const memberNotDifferentiable: Entry<'name'> = error(
  'E30310',
  '[DerivativeMember] stands on {name}, whose type is not differentiable',
)

export const noDerivativeMember: Entry<'name' | 'differential'> = error(
  'E31130',
  '{name} is no member of {differential}',
)

export const memberOfPlainType: Entry<'type'> = error(
  'E31131',
  '[DerivativeMember] has no meaning in {type}, which is not differentiable',
  'let {type} conform to IDifferentiable',
)

export const primalUnresolved: Entry<'name'> = error(
  'E31147',
  'no {name} has the parameters that this derivative belongs to',
)

export const derivativeNotFunction: Entry<'name'> = error('E31148', '{name} is not a function')

export const derivativeSignature: Entry<'name' | 'parameter' | 'expected' | 'got'> = error(
  'E31149',
  'parameter {parameter} of {name} must be {expected}, not {got}',
)

export const derivativeOverload: Entry<'name' | 'expected'> = error(
  'E31150',
  '{name} does not have the signature {expected}',
)

export const derivativeGenerics: Entry<'name'> = error(
  'E31151',
  'the generic parameters of {name} do not match those of the function',
  'give both the same generic parameters',
)

export const derivativeOfRequirement: Entry<never> = error(
  'E31152',
  'a requirement of an interface cannot have a derivative of its own',
  'give the derivative to the methods that meet the requirement',
)

export const requirementAsDerivative: Entry<'name'> = error(
  'E31153',
  '{name} is a requirement of an interface and cannot serve as a derivative',
)

export const extensionUnresolved: Entry<'name'> = error(
  'E30128',
  'no {name} has the parameters that this derivative belongs to',
  'see the notes for its signature',
)

export const extensionOpen: Entry<'name'> = error(
  'E30855',
  'no instance of {name} settles the generic parameters of this derivative',
  'name the instance by them, as in fwd_diff(f<T>), or leave them out',
)

export const applyResult: Entry<'expected' | 'got'> = error(
  'E30127',
  '__apply must return {expected}, not {got}',
  'the context is a struct with an operator() that gives the derivatives: return makeTuple(value, context)',
)

export const applyContext: Entry<'type' | 'expected'> = error(
  'E31159',
  'the context {type} must have an operator() of the signature {expected}',
)

export const derivativeThis: Entry<'name'> = error('E31154', 'the this types of the function and of {name} differ')

export const derivativeMustBeStatic: Entry<'name'> = error(
  'E31156',
  '{name} must be static: the type of its function is differentiable',
  'make it static, with DifferentialPair of the type as first parameter',
)

export const twoDerivatives: Entry<'name'> = error('E31146', '{name} has such a derivative already')

export const weakSubstitute: Entry<'name'> = error(
  'E31158',
  'primal substitute {name} is less differentiable than its function',
  'mark it [Differentiable]',
)

export const plainThis: Entry<'name' | 'type'> = warning(
  'W31159',
  'field {name} is read from a this of type {type}, which is not differentiable',
  'mark the method [NoDiffThis], or let {type} conform to IDifferentiable',
)

export const plainStruct: Entry<'type'> = warning(
  'W41026',
  'derivative is lost: {type} does not conform to IDifferentiable',
  'declare it as struct {type} : IDifferentiable, or write detach(...) around the value',
)

export const plainBound: Entry<'type'> = warning(
  'W41027',
  'derivative is lost: {type} does not conform to IDifferentiable',
  'let {type} conform to IDifferentiable, or write detach(...) around the value',
)

export const unboundedLoop: Entry<never> = error(
  'E30510',
  'this loop has no known bound, so its reverse derivative needs a CPU',
  'put [MaxIters(n)] or [Checkpoints(k)] before the loop, or [ForceUnroll] where the trips are known when compiling',
)

export const noStates: Entry<'given'> = error(
  'E36004',
  '[Checkpoints] lets the reverse pass keep {given} states, and it needs one',
  'give it a whole number of 1 or more, as twice the square root of the trips',
)

export const statesOfUnrolled: Entry<never> = warning(
  'W36005',
  '[Checkpoints] has no effect on a loop under [ForceUnroll]',
  'leave one of them out',
)

export const stepsAnother: Entry<'name' | 'other'> = warning('W30500', 'this loop tests {name} and steps {other}')

export const testsAnother: Entry<'name' | 'other'> = warning('W30501', 'this loop steps {name} and tests {other}')

export const runsAway: Entry<'name'> = warning('W30502', 'this loop steps {name} away from its end')

export const stepZero: Entry<'name'> = warning('W30503', 'this loop does not step {name}')

export const maxItersTooLarge: Entry<'given' | 'known'> = warning(
  'W30504',
  'MaxIters is {given}, and the loop runs {known} times',
)

export const neverRuns: Entry<never> = warning('W30505', 'this loop never runs')

export const sideEffectsRecomputed: Entry<'name'> = warning(
  'W42050',
  '{name} is recomputed in reverse and has side effects',
  'use [PreferCheckpoint], or say [PreferRecompute(SideEffectBehavior.Allow)]',
)

export const kernelParameters: Entry<'name'> = error(
  'E31214',
  'parameter {name} of a differentiable kernel is differentiable',
  'use DiffTensorView, or mark it no_diff',
)

export const constantReference: Entry<'name'> = error(
  'E38034',
  'parameter {name} is passed by constant reference and is differentiable',
  'pass it by value, or mark it no_diff',
)

export const valueAndPointer: Entry<'type'> = error(
  'E30311',
  '{type} conforms to IDifferentiable and to IDifferentiablePtrType',
  'leave one of them out',
)

export const counterpartType: Entry<'name' | 'counterpart' | 'expected' | 'got'> = error(
  'E30019',
  'the derivative of {name} is of type {expected}, and {counterpart} is of type {got}',
  'give {counterpart} the type {expected}, or mark {name} no_diff',
)

export const substituteCycle: Entry<'name'> = error(
  'E31155',
  '{name} is its own primal substitute',
  'let the last function of the chain have none',
)

export const pointerComesOut: Entry<'what' | 'type'> = error(
  'E30118',
  '{what} of a differentiable function is of pointer type {type}',
  'pass it in as a parameter, or mark it no_diff',
)
