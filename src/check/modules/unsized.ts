/** Parameters that are arrays without a length, rewritten as generic ones: `f(int a[])` is `f<let N : int>(int a[N])`. */
import type * as ast from '../../syntax/ast.ts'

/** The function, with a generic parameter for the length of each parameter that is an array without one. */
export function withLengths(decl: ast.FuncDecl, isRequired: boolean): ast.FuncDecl {
  if (
    (decl.body === undefined && !isRequired) ||
    decl.attributes.some(a => a.name === 'shader' || a.name === 'numthreads')
  )
    return decl
  const lengths: ast.ValueParam[] = []
  const params = decl.params.map((p): ast.Param => {
    const { type, name } = p
    if (type?.kind !== 'index' || type.args.length > 0 || name === undefined) return p
    const { span } = name
    const named = (text: string): ast.Expr => ({ kind: 'name', span, name: text, global: false })
    // No name of the program is that.
    const length = `${name.text}[]`
    lengths.push({
      kind: 'valueParam',
      span,
      name: { ...name, text: length },
      type: named('int'),
      fallback: undefined,
      pack: false,
    })
    return { ...p, type: { ...type, args: [named(length)] } }
  })
  if (lengths.length === 0) return decl
  const old = decl.generics
  return {
    ...decl,
    params,
    generics: {
      kind: 'generics',
      span: old?.span ?? decl.name.span,
      params: [...(old?.params ?? []), ...lengths],
      where: old?.where ?? [],
    },
  }
}
