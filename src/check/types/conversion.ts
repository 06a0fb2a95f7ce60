/** Costs of conversions between types: overload resolution compares their sums. */
import type { Cx } from '../model/context.ts'
import type { Type } from '../model/decl.ts'
import { boundsOf, conforms } from './conform.ts'
import { enumTag } from './enum.ts'
import { intsAgree } from './generic.ts'
import { conditionalElem, isNone, optionalElem } from './optional.ts'
import { isNumeric } from '../model/builtin.ts'
import { errorInt, errorType, isOpen, isWrapper, known, same, withOrder } from '../model/type.ts'
import { costs, scalarCost } from './cost.ts'
import { stepsTo } from './inherit.ts'

/** Whether a type of generic code behaves like a number: a bounded parameter, or a shape of one. */
export function isNumericParam(cx: Cx, type: Type): boolean {
  if (type.kind === 'shape') return true
  return isOpen(type) && boundsOf(cx, type).some(b => b.decl.module.isCore && isNumeric(b.decl.name))
}

/** Whether a type parameter may stand for a user's struct that conforms to `IArithmetic` or the like: operators on it are calls of methods. */
export function isNumberLike(cx: Cx, type: Type): boolean {
  return (
    type.kind !== 'shape' &&
    isNumericParam(cx, type) &&
    boundsOf(cx, type).every(b => !b.decl.module.isCore || !b.decl.name.startsWith('__'))
  )
}

/** The cost of converting one type to another; null if that is impossible. `literal` is the value of an integer literal. */
export function typeCost(cx: Cx, from: Type, to: Type, literal: bigint | null = null): number | null {
  if (same(from, to)) return 0
  if (from.kind === 'error' || to.kind === 'error') {
    // What no target has fits where nothing else does.
    const isMissing = (type: Type): boolean => type.kind === 'error' && type.lack !== undefined
    return !same(from, to) && (isMissing(to) ? from !== errorType : isMissing(from)) ? costs.missing : 0
  }
  const held = optionalElem(to)
  if (held !== null) {
    if (isNone(from)) return costs.none
    const inner = typeCost(cx, from, held, literal)
    if (inner !== null && inner < costs.explicit) return inner + costs.optional
    const lifted = optionalElem(from) ?? conditionalElem(from)
    const part = lifted === null ? null : typeCost(cx, lifted, held)
    return part === null || part >= costs.explicit ? null : part + costs.optional
  }
  const there = conditionalElem(to)
  if (there !== null) {
    const inner = typeCost(cx, from, there, literal)
    return inner === null || inner >= costs.explicit ? null : inner + costs.optional
  }
  const direct = numericCost(cx, from, to, literal)
  if (direct !== null) return direct
  if (to.kind === 'interface') {
    if (from.kind !== 'void' && conforms(cx, from, to)) return costs.interface
    // What a block holds conforms, where the block itself does not.
    const inner = from.kind === 'struct' && isWrapper(from) ? typeCost(cx, from.args[0] as Type, to) : null
    return inner === null ? null : inner + costs.contents
  }
  switch (from.kind) {
    case 'struct': {
      const steps = stepsTo(cx, from, to)
      if (steps !== null) return steps * costs.base
      if (from.decl.intrinsic === 'nullptr')
        return to.kind === 'struct' && to.decl.intrinsic === 'Ptr' ? costs.none : null
      if (
        (from.decl.intrinsic === 'ConstantBuffer' || from.decl.intrinsic === 'ParameterBlock') &&
        from.args[0] !== undefined
      ) {
        const inner = typeCost(cx, from.args[0] as Type, to)
        return inner === null ? null : inner + costs.contents
      }
      return from.decl.intrinsic === 'DifferentialPair' && to.kind === 'struct' && to.decl === from.decl
        ? pairCost(cx, from.args[0] as Type, to.args[0] as Type)
        : null
    }
    case 'array':
      if (to.kind !== 'array' || !same(withOrder(from.elem, false), withOrder(to.elem, false))) return null
      if (to.count === null) return costs.unsized
      return (from.count === null ? to.count === errorInt : intsAgree(from.count, to.count)) ? 0 : null
    case 'enum': {
      const tag = typeCost(cx, enumTag(cx, from.decl), to)
      return tag === null ? null : tag + costs.tag
    }
    default:
      if (to.kind === 'enum' && from.kind === 'scalar') return costs.explicit
      return null
  }
}

function isNested(type: Type): boolean {
  return type.kind === 'vector' && type.elem.kind === 'vector'
}

/** The cost of converting a pair of numbers, as its halves convert: `fwd_diff(f)` takes what f takes. */
function pairCost(cx: Cx, from: Type, to: Type): number | null {
  if (from.kind === 'struct' && !(to.kind === 'struct' && from.decl.intrinsic === 'DifferentialPair')) return null
  const cost = from.kind === 'struct' ? typeCost(cx, from, to) : numericCost(cx, from, to, null)
  return cost === null || cost >= costs.explicit ? null : cost
}

function numericCost(cx: Cx, from: Type, to: Type, literal: bigint | null): number | null {
  // Of vectors whose components are vectors only each component is converted.
  if (isNested(from) !== isNested(to)) return null
  if (from.kind === 'scalar') {
    switch (to.kind) {
      case 'scalar':
        return scalarCost(from.name, to.name, literal)
      case 'vector':
      case 'matrix': {
        const elem = typeCost(cx, from, to.elem, literal)
        return elem === null ? null : elem + (to.kind === 'vector' ? costs.everyLane : costs.everyElement)
      }
      default:
        return isNumericParam(cx, to) ? costs.generic : null
    }
  }
  if (from.kind === 'vector') {
    if (to.kind === 'vector') {
      const elem = typeCost(cx, from.elem, to.elem)
      if (elem === null) return null
      if (intsAgree(from.count, to.count)) return elem
      const [n, m] = [known(from.count), known(to.count)]
      return n === 1 ? elem + costs.lanesOfOne : n !== null && m !== null && n > m ? costs.explicit + elem : null
    }
    if (to.kind === 'scalar') {
      const elem = typeCost(cx, from.elem, to)
      return elem === null ? null : known(from.count) === 1 ? elem + costs.scalarOfOne : costs.explicit + elem
    }
    if (to.kind === 'matrix') {
      const n = known(from.count)
      return n !== null &&
        n === (known(to.rows) ?? 0) * (known(to.cols) ?? 0) &&
        typeCost(cx, from.elem, to.elem) !== null
        ? costs.explicit
        : null
    }
    return isNumericParam(cx, to) ? costs.explicit : null
  }
  if (from.kind === 'matrix') {
    if (to.kind === 'matrix') {
      const elem = typeCost(cx, from.elem, to.elem)
      if (elem === null) return null
      if (intsAgree(from.rows, to.rows) && intsAgree(from.cols, to.cols)) return elem
      const cuts = (known(from.rows) ?? 0) >= (known(to.rows) ?? 9) && (known(from.cols) ?? 0) >= (known(to.cols) ?? 9)
      return cuts ? costs.explicit + elem : null
    }
    if (to.kind === 'vector') {
      const n = known(to.count)
      return n !== null &&
        n === (known(from.rows) ?? 0) * (known(from.cols) ?? 0) &&
        typeCost(cx, from.elem, to.elem) !== null
        ? costs.explicit
        : null
    }
    return isNumericParam(cx, to) ? costs.explicit : null
  }
  if (!isNumericParam(cx, from))
    return to.kind === 'vector' && isOpen(from) && same(from, to.elem) ? costs.everyLane : null
  if (to.kind === 'vector' || to.kind === 'matrix') {
    const elem = typeCost(cx, from, to.elem)
    return elem === null
      ? null
      : elem >= costs.explicit
        ? elem
        : elem + (to.kind === 'vector' ? costs.everyLane : costs.everyElement)
  }
  return to.kind === 'scalar' || isNumericParam(cx, to) ? costs.explicit : null
}
