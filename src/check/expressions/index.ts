/** The door of this room. Expressions consist of expressions, so the files here import each other; all other rooms import this file. */
export { visible } from './access.ts'
export { bridge } from './bridge.ts'
export { closureOf, parameter } from './closure.ts'
export { coerce } from './convert.ts'
export { spread } from './spread.ts'
export { checkAs, checkCondition, checkExpr, checkValue, toExpr } from './expr.ts'
export { constructors, defaultFor, emptyConstructors } from './init.ts'
export { granting, hasValue, heldValue, optionalValue } from './optional.ts'
