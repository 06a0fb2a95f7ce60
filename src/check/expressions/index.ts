/** The door of expressions. What is in an expression are expressions, so their files import each other; all others ask here. */
export { coerce } from './convert.ts'
export { checkAs, checkCondition, checkExpr, checkValue, toExpr } from './expr.ts'
export { constructors, defaultFor, emptyConstructors } from './init.ts'
export { granting, hasValue, heldValue, optionalValue } from './optional.ts'
