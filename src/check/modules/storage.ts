/** Where a variable outside of functions, or a static one inside, lives. */
import { hasModifier, type VarDecl } from '../../syntax/ast.ts'
import type { GlobalStorage } from '../model/decl.ts'

/** The storage of a variable, which may be a requirement of an interface. */
export function storage(decl: VarDecl, isRequired: boolean): GlobalStorage {
  const has = (name: string): boolean => hasModifier(decl, name)
  if (has('groupshared')) return 'groupshared'
  const constant = has('const') || decl.form === 'let'
  if (has('static') || has('__global')) return constant ? 'constant' : 'static'
  return (constant && decl.init !== undefined) || isRequired ? 'constant' : 'parameter'
}
