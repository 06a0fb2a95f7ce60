/** `__func_extension fwd_diff(f)(…) -> T { … }`: a derivative of a function that stands elsewhere. */
import type { FuncDecl, FuncExtension, Expr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { common, parseBody, parseThrows, type Head } from './parse-decl.ts'
import { parseParams } from './parse-param.ts'
import { parseGenericParams, parseType, parseTypeOrExpr, withWhere } from './parse-type.ts'

const kinds: ReadonlyMap<string, FuncExtension['derives']> = new Map([
  ['fwd_diff', 'forward'],
  ['__fwd_diff', 'forward'],
  ['bwd_diff', 'backward'],
  ['__bwd_diff', 'backward'],
  ['__apply', 'apply'],
])

export function parseFuncExtension(p: Cursor, head: Head): FuncDecl[] {
  p.advance()
  const own = parseGenericParams(p)
  const at = p.pos
  const word = p.word()
  const derives = kinds.get(word)
  if (derives === undefined || !p.isAt(at + 1, '(')) {
    p.missing("'fwd_diff(…)', 'bwd_diff(…)' or '__apply(…)'")
    return []
  }
  const open = at + 1
  p.jump(open + 1)
  const target: Expr = parseTypeOrExpr(p, p.tokens.matches[open]!)
  p.close(')', open)
  const span = p.spanFrom(at)
  let text = ''
  for (let i = at; i < p.pos; i++) text += p.tokens.text(i)
  const params = parseParams(p)
  const throws = parseThrows(p)
  const result = p.accept('->') ? parseType(p) : undefined
  const generics = withWhere(p, own)
  const body = p.is('{') ? parseBody(p) : undefined
  if (body === undefined) p.expect('{')
  return [
    {
      kind: 'func',
      ...common(p, head),
      name: { text, span },
      generics,
      params,
      result,
      semantics: [],
      throws,
      body,
      extends: { derives, target },
    },
  ]
}
