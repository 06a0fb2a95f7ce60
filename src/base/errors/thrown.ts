/** Mistakes about errors that functions throw. */
import { error, remark, type Entry } from '../diag.ts'

export const tryNeedsCall: Entry<never> = error(
  'E30090',
  'try needs a call of a function that throws',
  'put it right before the call: try f(...)',
)

export const throwsNothing: Entry<never> = error(
  'E30091',
  'the function that is called throws nothing',
  'remove the try, or declare the function with throws',
)

export const uncaughtTry: Entry<never> = error(
  'E30093',
  'nothing catches what this call throws, and the function around it is not declared to throw',
  'put it into do { ... } catch (e : E) { ... }, or declare the function with throws',
)

export const mustTry: Entry<'name'> = error(
  'E30094',
  '{name} may throw, so its call needs a try',
  'write try {name}(...)',
)

export const calleeThrowsAnother: Entry<'type' | 'expected'> = error(
  'E30095',
  'the function that is called throws {type}, and the one around it {expected}',
  'catch the error here and throw another',
)

export const throwInDefer: Entry<never> = error(
  'E30113',
  'an error cannot leave a deferred statement',
  'catch it inside of the defer',
)

export const tryInDefer: Entry<never> = error(
  'E30114',
  'what this call throws cannot leave a deferred statement',
  'catch it inside of the defer',
)

export const uncaughtThrow: Entry<never> = error(
  'E30115',
  'nothing catches this error, and the function around it is not declared to throw',
  'put it into do { ... } catch (e : E) { ... }, or declare the function with throws',
)

export const throwsAnother: Entry<'type' | 'expected'> = error(
  'E30116',
  'this throws {type}, and the function around it {expected}',
  'throw a value of type {expected}, or catch this one here',
)

export const throwingDerivative: Entry<'name'> = error(
  'E31310',
  '{name} may throw, so it has no derivative of its own',
  'differentiate a function that catches what it throws',
)

export const throwingEntry: Entry<'name'> = error(
  'E31311',
  'a host calls {name}, and cannot catch what it throws',
  'catch the error inside of it',
)

export const throwingLeftOut: Entry<'func'> = remark(
  'N31312',
  '{func} is left out of what a host may call: a host cannot catch what it throws',
  'export a function that catches the error and gives a code',
)
