/** What a name means, in a form that outlives the program in which it was found out. */
import { attributesOf } from '../check/types/index.ts'
import type { Cx } from '../check/model/context.ts'
import type { Decl } from '../check/model/decl.ts'
import type { Anchor } from './segments.ts'

/** What declarations are to an editor: the types of semantic tokens. */
export const targetKinds = [
  'namespace',
  'type',
  'struct',
  'interface',
  'enum',
  'enumMember',
  'typeParameter',
  'parameter',
  'variable',
  'property',
  'function',
  'method',
  'macro',
] as const
export type TargetKind = (typeof targetKinds)[number]

/** What else an editor may show of a name. */
export const targetModifiers = ['declaration', 'readonly', 'static', 'defaultLibrary', 'differentiable'] as const
export type TargetModifier = (typeof targetModifiers)[number]

/** A declaration. */
export interface Target {
  readonly name: string
  /** The name where it is declared; undefined in the core library, and for what no text declares. */
  readonly anchor: Anchor | undefined
  /** The place in the core library: a file and the offset of the name. */
  readonly core: { readonly file: string; readonly start: number } | undefined
  readonly kind: TargetKind
  /** Without `declaration`, which depends on the use. */
  readonly modifiers: readonly TargetModifier[]
}

export function kindOf(decl: Decl): TargetKind {
  switch (decl.kind) {
    case 'module':
    case 'namespace':
      return 'namespace'
    case 'struct':
      return decl.isBlock ? 'variable' : 'struct'
    case 'enum':
    case 'interface':
      return decl.kind
    case 'case':
      return 'enumMember'
    case 'extension':
    case 'alias':
    case 'assoc':
      return 'type'
    case 'typeparam':
      return 'typeParameter'
    case 'valueparam':
    case 'parameter':
      return 'parameter'
    case 'func':
      return decl.role === 'function' ? 'function' : decl.role === 'accessor' ? 'property' : 'method'
    case 'subscript':
      return 'method'
    case 'property':
    case 'field':
      return 'property'
    case 'global':
      return decl.parent?.kind === 'struct' || decl.parent?.kind === 'extension' || decl.parent?.kind === 'interface'
        ? 'property'
        : 'variable'
    case 'local':
      return 'variable'
  }
}

export function modifiersOf(cx: Cx, decl: Decl): readonly TargetModifier[] {
  const found: TargetModifier[] = []
  switch (decl.kind) {
    case 'local':
    case 'parameter':
      if (decl.constant) found.push('readonly')
      return found
    case 'module':
      if (decl.isCore) found.push('defaultLibrary')
      return found
    case 'case':
    case 'valueparam':
      found.push('readonly')
      break
    case 'global':
      if (decl.storage !== 'static' && decl.storage !== 'groupshared') found.push('readonly')
      if (decl.storage === 'static' || decl.parent?.kind === 'struct') found.push('static')
      break
    case 'property':
      if (decl.isStatic) found.push('static')
      if (!decl.accessors.some(a => a.accessor !== 'get')) found.push('readonly')
      break
    case 'func':
      if (decl.role === 'static') found.push('static')
      if (attributesOf(cx, decl).level !== 'none') found.push('differentiable')
      break
    default:
  }
  if (decl.module.isCore) found.push('defaultLibrary')
  return found
}
