/**
 * The door of this room. Names, conformances, members, signatures and constants need each other, so the files here import each
 * other; all other rooms import this file.
 */
export { anyValueSize } from './any-value.ts'
export { attributesOf, isReverseOnly, levelOf } from './attribute.ts'
export { calledAs } from './callable.ts'
export {
  asArgument,
  assocBounds,
  associated,
  boundsOf,
  closure,
  conforms,
  constraintsAround,
  coreInterface,
  declaredBases,
  extensionInfo,
  extensionsOf,
  isDescriptor,
  ownArgs,
  paramLists,
  putArg,
  put,
  selfType,
  substFor,
} from './conform.ts'
export { packBits } from './bit-fields.ts'
export { factsOf } from './facts.ts'
export { foldExpr, knownConstant, requiredConstant } from './const.ts'
export { isNumberLike, isNumericParam, typeCost } from './conversion.ts'
export { commonScalar, costs, isLossy } from './cost.ts'
export {
  derivativeAttribute,
  derivativeMember,
  differentialOf,
  externFields,
  shadowOf,
  userDifferential,
} from './differential.ts'
export { adoptApplied, extended, extensionArgs, funcExtensionsOf, isExtension, ownSubst } from './extend.ts'
export { enumTag, enumValue, enumValues } from './enum.ts'
export { constraintsOf, inferArg, intsAgree, solve, miscounted, violation, withScalar } from './generic.ts'
export { adoptBase, baseOfExpr, baseOfPlace, membersOf, objectFor, stepsTo } from './inherit.ts'
export { isUnresolved, linkedGlobal, linkedType } from './link.ts'
export { attached, derivativesOf, forwardNames, forwardTarget, linksOf, ofNames, ofTarget } from './links.ts'
export { declared, declaredNames, findUsed, lookup, type Found } from './lookup.ts'
export { interfacesOf, lookupMember, type Member } from './member.ts'
export { conditionalElem, isNone, optionalElem, optionalType, pointerType } from './optional.ts'
export { eachesOf, patternAt } from './spread.ts'
export { isMadeOf, isSpread, mentions, packsOf, usualCounts, shared, writtenOut } from './pack.ts'
export { writerOf } from './reference.ts'
export { adapts, functionsOf, implementation, isOwn, meets, putRef, resolveRef } from './requirement.ts'
export { applyGeneric, arrayOf, builtinTerm, describe, resolveInt, resolveType, termType, typeTerm } from './resolve.ts'
export {
  fieldDefault,
  fieldSigs,
  fieldType,
  funcSig,
  globalInfo,
  globalInit,
  isMutating,
  paramDefault,
  paramOf,
} from './signature.ts'
export { containsItself } from './contain.ts'
export { byteSize, holdsBoolean } from './size.ts'
export { structDiff } from './struct-diff.ts'
export { foreignFeature } from './foreign.ts'
export { suggestMember, suggestName } from './suggest.ts'
export { derive, openTemplate, showSignature, signatureOf, template } from './template.ts'
