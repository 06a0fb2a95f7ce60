/** Mistakes that only making a derivative shows. */
import { error, warning, type Entry } from '../diag.ts'

export const unknownBound: Entry = error(
  'E30510',
  'on a GPU the reverse derivative needs a bound for the trips of this loop',
  'put [MaxIters(n)] or [Checkpoints(k)] before the loop, or [ForceUnroll] where the trips are known when compiling',
)

export const unrepeatableLoop: Entry<'what'> = warning(
  'W42051',
  '[Checkpoints] is ignored: trips of this loop cannot be run again, since it {what}',
  'do that before or after the loop, or leave [Checkpoints] out',
)

export const overBudget: Entry<'name' | 'bytes' | 'max'> = error(
  'E36005',
  'the reverse derivative of {name} keeps {bytes} bytes, and {max} are allowed',
  'allow more by --max-context, or keep less: the notes name what takes most',
)

export const recursiveDerivative: Entry = error(
  'E36001',
  'cannot differentiate {name}: it calls itself',
  'write a loop, or give it a derivative of its own',
)

export const deepDerivative: Entry<'name' | 'limit'> = error(
  'E36003',
  'cannot differentiate {name}: it stands below a chain of more than {limit} calls',
  'call it from a loop, or give one of the chain a derivative of its own',
)

export const noReverse: Entry = error(
  'E30097',
  '{name} has no reverse derivative',
  'mark it [Differentiable], or give it a [BackwardDerivative]',
)

export const lacksShadow: Entry = error(
  'E36008',
  'the pointer that {name} takes here has no derivative',
  'pass it in as a parameter, or write no_diff before the call',
)

export const notLinear: Entry = error(
  'E36002',
  'the forward derivative of {name} is not linear in its tangents, so it has no reverse',
  'make it of sums and multiples of .d halves, or give its function a [BackwardDerivative] too',
)

export const lostInInstance: Entry<'name'> = warning(
  'W41020',
  'derivative is lost: {name}, which serves generic code here, is not differentiable',
  'write no_diff before the call if that is meant, else mark {name} [Differentiable]',
)

export const lostInBody: Entry<'name' | 'callee'> = error(
  'E41020',
  'derivative is lost: {name} has only a reverse derivative, and calls {callee}, which is not differentiable',
  'give it a forward derivative too, or mark {callee} [Differentiable]',
)

export const lostInDerivative: Entry<'name'> = error(
  'E41020',
  'derivative is lost: {name}, a derivative, is differentiated again and is not differentiable',
  'mark it [Differentiable], or write no_diff before the call',
)

export const wideForward: Entry<'name' | 'limit'> = error(
  'E36006',
  'the forward derivative {name} has derivatives of its own and more than {limit} floats: no reverse can be made of it',
  'give its function a [BackwardDerivative] too, or let it take fewer floats',
)

export const forwardWithEffects: Entry<'name'> = error(
  'E36007',
  'the forward derivative {name} has derivatives of its own and writes global memory or prints: no reverse can be made of it',
  'give its function a [BackwardDerivative] too, or leave the effects out',
)
