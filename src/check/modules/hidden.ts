/**
 * Parameters that are called. `functype (A) -> R` is the interface `IFunc<R, A>`, and a parameter of such a type makes its function
 * generic: each function or lambda that is passed has an instance of its own. So nothing is chosen at run time, and a lambda may
 * capture another.
 */
import type * as ast from '../../syntax/ast.ts'

const interfaces: ReadonlySet<string> = new Set(['IFunc', 'IMutatingFunc', 'IDifferentiableFunc'])
const written: ReadonlySet<string> = new Set(['out', 'inout', 'ref', '__ref'])
const differentiable: ReadonlySet<string> = new Set([
  'Differentiable',
  'BackwardDifferentiable',
  'ForwardDifferentiable',
])

function isCalled({ type, modifiers, fallback }: ast.Param): boolean {
  // A default value has to say which function is meant, so it is one of those that the program has.
  if (fallback !== undefined || modifiers.some(m => written.has(m.name))) return false
  if (type?.kind === 'generic') return type.base.kind === 'name' && interfaces.has(type.base.name)
  return type?.kind === 'funcType' && isThere(type)
}

/** Whether there are such functions. What is said where one is not is about the parameter, not about the function's. */
function isThere({ params }: ast.TypeExpr & { readonly kind: 'funcType' }): boolean {
  return params.length <= 4 && !params.some(p => p.modifiers.some(m => written.has(m.name)))
}

/** The type parameters that stand for such parameters of a function. In one that is differentiable they have to be so, too. */
function hiddenParams(decl: ast.FuncDecl | ast.InitDecl): readonly ast.TypeParam[] {
  const smooth = decl.attributes.some(a => differentiable.has(a.name))
  return decl.params.flatMap((p, hides): ast.TypeParam[] => {
    if (p.type === undefined || !isCalled(p)) return []
    const { span } = p.type
    const bound = p.type.kind === 'funcType' ? { ...p.type, smooth } : p.type
    const name = { text: span.file.text.slice(span.start, span.end), span }
    return [{ kind: 'typeParam', span, name, bounds: [bound], fallback: undefined, pack: false, hides }]
  })
}

/** The generic parameters of a function with those that stand for what it calls. One with packs gets them where it is written out. */
export function withHidden(decl: ast.FuncDecl | ast.InitDecl): ast.Generics | undefined {
  const { generics } = decl
  const hidden = generics?.params.some(p => p.pack) === true ? [] : hiddenParams(decl)
  if (hidden.length === 0) return generics
  return {
    kind: 'generics',
    span: generics?.span ?? decl.name.span,
    params: [...(generics?.params ?? []), ...hidden],
    where: generics?.where ?? [],
  }
}
