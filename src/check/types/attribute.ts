/** Attributes of functions. */
import * as errors from '../../base/errors/names.ts'
import type * as ast from '../../syntax/ast.ts'
import {
  coreAttributes,
  functionAttributes,
  type CoreAttribute,
  type FunctionAttribute,
  type StatementAttribute,
} from '../model/attribute-names.ts'
import type { Cx } from '../model/context.ts'
import type { FuncAttributes, FuncDecl, Level } from '../model/decl.ts'
import type { Subst } from '../model/type.ts'
import { lookup } from './lookup.ts'
import { resolveInt, resolveType } from './resolve.ts'
import { suggestName } from './suggest.ts'
import { intConst, known, same, scalarName } from '../model/type.ts'
import { extensionsFor, isExtension, ownSubst } from './extend.ts'
import { attached, forwardNames, linksOf, mayHaveElsewhere } from './links.ts'

const levels: ReadonlyMap<string, Level> = new Map(
  Object.entries({
    Differentiable: 'backward',
    BackwardDifferentiable: 'backward',
    ForwardDifferentiable: 'forward',
    __differentiable: 'backward',
  } satisfies Partial<Record<FunctionAttribute | '__differentiable', Level>>),
)

const loopsTake: readonly StatementAttribute[] = [
  'ForceUnroll',
  'unroll',
  'loop',
  'MaxIters',
  'Checkpoints',
  'branch',
  'flatten',
]
const knownNames: ReadonlySet<string> = new Set([...functionAttributes, ...loopsTake])
const coreOnly: ReadonlySet<string> = new Set(coreAttributes)
const stages: ReadonlySet<string> = new Set(['compute', 'vertex', 'fragment', 'pixel'])
/** Stages that Slang has and WebGPU has not. */
const otherStages: ReadonlySet<string> = new Set(
  'hull domain geometry raygeneration intersection anyhit closesthit miss callable mesh amplification dispatch'.split(
    ' ',
  ),
)

/** The attributes of a function, and of the property or subscript around an accessor. */
export function attributesOf(from: Cx, func: FuncDecl): FuncAttributes {
  const cx = from.of(func)
  const old = cx.attributes.get(func)
  if (old !== undefined) return old
  // What asks for them while they are made, by a circle of substitutes, sees what stands on the function itself.
  const own = make(cx, func, false)
  cx.attributes.set(func, own)
  if (func.module.isCore || own.level === 'backward') return own
  const made = make(cx, func, true)
  cx.attributes.set(func, made)
  return made
}

const one = intConst(1)

/** The instructions of SPIR-V from 126 on: each for integers, then for floats. */
const spirv = ['neg', 'add', 'sub', 'mul']

/** The operation that an instruction of SPIR-V is, where operands and result have the one type that it asks for; else null. */
function arithmetic(cx: Cx, { syntax, inner }: FuncDecl, [given, other]: readonly ast.Argument[]): string | null {
  if (syntax.kind !== 'func' || other !== undefined) return null
  const at = (given === undefined ? 0 : (known(resolveInt(cx, given.value, inner)) ?? 0)) - 126
  const op = spirv[Math.floor(at / 2)]
  const [result, ...params] = [syntax.result, ...syntax.params.map(p => p.type)].map(
    t => t && resolveType(cx, t, inner),
  )
  const of = (result && scalarName(result)) ?? ''
  const fits = params.length === (op === 'neg' ? 1 : 2) && params.every(t => t && same(t, result!))
  return op !== undefined && fits && (at % 2 === 1 ? /^f/ : /^[iu]/).test(of) ? op : null
}

const text = (e: ast.Expr | undefined): string | null => (e?.kind === 'string' ? e.value : null)

function make(cx: Cx, func: FuncDecl, elsewhere: boolean): FuncAttributes {
  const node = func.syntax
  const list: readonly ast.Attribute[] =
    func.of === null ? node.attributes : [...func.of.syntax.attributes, ...node.attributes]
  let level: Level = 'none'
  let marked = false
  let [noDiffThis, treat, forceInline, noInline, kernel, lanewise, pure, convergent] = [
    false,
    false,
    false,
    false,
    false,
    false,
    false,
    false,
  ]
  let prefer: FuncAttributes['prefer'] = 'none'
  let stage: string | null = null
  let numthreads: [number, number, number] | null = null
  let groupSize: FuncAttributes['groupSize'] = null
  let targetIntrinsics: Record<string, string> | null = null
  let [op, intrinsic]: (string | null)[] = [null, null]
  const samples: number[][] = []
  const raise = (to: Level): void => {
    if (to === 'backward' || level === 'none') level = to
  }
  for (const a of list) {
    const own = levels.get(a.name)
    if (own !== undefined) {
      marked = true
      raise(own)
      continue
    }
    if (coreOnly.has(a.name) && !func.module.isCore) {
      cx.sink.add(errors.unknownAttribute, a.nameSpan, { name: a.name })
      continue
    }
    switch (a.name as FunctionAttribute | CoreAttribute) {
      case 'ForwardDerivative':
        raise('forward')
        break
      case 'BackwardDerivative':
        raise('backward')
        break
      case 'PrimalSubstitute':
        break
      case 'TreatAsDifferentiable':
        treat = true
        raise('backward')
        break
      case 'NoDiffThis':
        noDiffThis = true
        break
      case 'ForceInline':
      case '__unsafeForceInlineEarly':
        forceInline = true
        break
      case 'noinline':
      case 'NoInline':
        noInline = true
        break
      case 'PreferRecompute':
        prefer = 'recompute'
        break
      case 'PreferCheckpoint':
        prefer = 'checkpoint'
        break
      case 'shader':
      case 'Shader':
        stage = text(a.args[0]?.value)
        if (stage === null)
          cx.sink.add(errors.attributeArguments, a.span, { name: a.name, expected: 'a stage in quotes' })
        else if (!stages.has(stage) && !otherStages.has(stage))
          cx.sink.add(errors.unknownStage, a.span, { name: stage })
        break
      case 'numthreads':
      case 'NumThreads': {
        const given = a.args.map(x => resolveInt(cx, x.value, func.inner))
        groupSize = [given[0] ?? one, given[1] ?? one, given[2] ?? one]
        const sizes = given.map(n => known(n) ?? 1)
        if (sizes.length < 1 || sizes.length > 3)
          cx.sink.add(errors.attributeArguments, a.span, { name: a.name, expected: 'one to three integers' })
        for (const n of sizes) if (n < 1) cx.sink.add(errors.groupSize, a.span, { got: n })
        const threads = sizes.reduce((x, y) => x * y, 1)
        if (threads > errors.maxGroup)
          cx.sink.add(errors.groupTooLarge, a.span, { limit: errors.maxGroup, got: threads })
        numthreads = [sizes[0] ?? 1, sizes[1] ?? 1, sizes[2] ?? 1]
        break
      }
      case 'CUDAKernel':
      case 'CudaKernel':
        kernel = true
        break
      case '__target_intrinsic':
        targetIntrinsics = {}
        for (const x of a.args) if (x.name !== undefined) targetIntrinsics[x.name.text] = text(x.value) ?? ''
        break
      case '__intrinsic_op':
        // The real compiler's operation 0 gives its one operand as it is.
        if (isZero(a.args[0]?.value) && operands(func) === 1) intrinsic = 'reinterpret'
        break
      case 'vk::spirv_instruction':
        op = arithmetic(cx, func, a.args)
        break
      case '__op':
        op = text(a.args[0]?.value)
        break
      case '__intrinsic':
        intrinsic = text(a.args[0]?.value)
        break
      case '__lanewise':
        lanewise = true
        break
      case '__pure':
        pure = true
        break
      case '__convergent':
        convergent = true
        break
      case '__sample':
        samples.push(a.args.map(x => number(x.value)))
        break
      default:
        if (
          !func.module.isCore &&
          a.name !== '' &&
          !knownNames.has(a.name) &&
          !a.name.includes('::') &&
          !a.name.startsWith('__') &&
          !isUsers(cx, func, a.name)
        )
          cx.sink.add(
            errors.unknownAttribute,
            a.nameSpan,
            { name: a.name },
            ...suggestName(cx, null, a.name, () => knownNames),
          )
    }
  }
  if (func.owner !== null && func.owner.syntax.attributes.some(a => a.name === 'TreatAsDifferentiable')) {
    treat = true
    level = 'backward'
  }
  if (func.module.isCore) {
    if (
      op !== null ||
      intrinsic?.startsWith('pair') === true ||
      func.owner?.name === 'IFloat' ||
      func.owner?.name === 'IArithmetic' ||
      cx.library.hasDerivative(func.name)
    )
      level = 'backward'
  } else if (level !== 'backward' && elsewhere) raise(hasDerivativeOf(cx, func) ?? level)
  if (stage === null && (numthreads !== null || kernel) && func.role === 'function') stage = 'compute'
  const exported =
    !isExtension(func) &&
    (node.modifiers.some(m => m.name === 'public' || m.name === 'export' || m.name === '__extern_cpp') ||
      list.some(a => a.name === 'DllExport'))
  return {
    level,
    marked,
    noDiffThis,
    treatAsDifferentiable: treat,
    forceInline,
    noInline,
    prefer,
    stage,
    numthreads,
    groupSize,
    kernel,
    exported,
    targetIntrinsics,
    op: op ?? null,
    intrinsic: intrinsic ?? null,
    lanewise,
    pure,
    convergent,
    samples,
  }
}

/** The level that a user's function gets by derivatives declared elsewhere, or null. */
function hasDerivativeOf(cx: Cx, func: FuncDecl): Level | null {
  const apart = apartLevel(cx, func, ownSubst(func))
  if (apart !== null) return apart
  if (!mayHaveElsewhere(cx, func) && attached(func, forwardNames).every(a => a.kind === 'backward')) return null
  const links = linksOf(cx, func)
  if (links.backward !== null) return 'backward'
  if (links.substitute !== null) {
    const { level } = attributesOf(cx, links.substitute)
    if (level !== 'none') return level
  }
  return links.forward === null ? null : levelByForward(cx, links.forward)
}

function levelByForward(cx: Cx, forward: FuncDecl): Level {
  // A forward derivative that is differentiable itself is transposed for the reverse.
  const { marked, level } = attributesOf(cx, forward)
  return marked && level === 'backward' ? 'backward' : 'forward'
}

/** The level that extensions give an instance of a function, or null. */
function apartLevel(cx: Cx, func: FuncDecl, subst: Subst): Level | null {
  const { forward, backward, apply } = extensionsFor(cx, func, subst)
  if (backward !== undefined || apply !== undefined) return 'backward'
  return forward === undefined ? null : levelByForward(cx, forward.of.decl)
}

/** How far an instance of a function can be differentiated. Extensions may say more of one than of all. */
export function levelOf(cx: Cx, func: FuncDecl, subst: Subst): Level {
  const { level } = attributesOf(cx, func)
  const apart = level === 'backward' ? null : apartLevel(cx, func, subst)
  return apart === null || level === apart ? level : apart
}

/** Whether an instance of a function has a reverse derivative by an extension, and nothing gives it a forward one. */
export function isReverseOnly(cx: Cx, func: FuncDecl, subst: Subst): boolean {
  const { forward, backward, apply } = extensionsFor(cx, func, subst)
  if (forward !== undefined || (backward ?? apply) === undefined || attributesOf(cx, func).marked) return false
  return attached(func, forwardNames).length === 0 && linksOf(cx, func).forward === null
}

/** Whether a struct makes the name an attribute: `[__AttributeUsage(…)] struct NameAttribute`. */
function isUsers(cx: Cx, func: FuncDecl, name: string): boolean {
  return lookup(cx, func.scope, `${name}Attribute`).some(
    f => f.decl.kind === 'struct' && f.decl.syntax?.attributes.some(a => a.name === '__AttributeUsage') === true,
  )
}

const isZero = (e: ast.Expr | undefined): boolean => e?.kind === 'int' && Number(e.value) === 0

/** How many values a function takes, `this` included. */
function operands({ syntax, role }: FuncDecl): number {
  return (syntax.kind === 'func' ? syntax.params.length : 0) + (role === 'method' ? 1 : 0)
}

function number(e: ast.Expr): number {
  if (e.kind === 'int') return Number(e.value)
  if (e.kind === 'float') return e.value
  return e.kind === 'prefix' && e.op === '-' ? -number(e.operand) : 0
}
