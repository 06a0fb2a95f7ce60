/** How declarations read: the lines that hovers, completions and signature help show of them. */
import type { Cx } from '../check/model/context.ts'
import type { Container, Decl, FuncDecl } from '../check/model/decl.ts'
import type { Template } from '../check/model/func-ref.ts'
import type { Expr } from '../check/model/tree.ts'
import { known, noSubst, show, type Type } from '../check/model/type.ts'
import { enumValue, fieldType, foldExpr, funcSig, globalInfo, globalInit, selfType } from '../check/types/index.ts'
import type * as ast from '../syntax/ast.ts'
import { printExpr, printParam, printType } from '../syntax/print-expr.ts'

/** A line with a call of a function in it, and where in the line its parameters stand. */
export interface CallText {
  readonly label: string
  readonly params: readonly (readonly [number, number])[]
}

/** What stands before the parameters, these, and what stands behind, as a line. */
export function callText(before: string, params: readonly string[], after = ''): CallText {
  let label = `${before}(`
  const places: [number, number][] = []
  params.forEach((text, i) => {
    if (i > 0) label += ', '
    places.push([label.length, label.length + text.length])
    label += text
  })
  return { label: `${label})${after}`, params: places }
}

/** What stands in front of the name of a member: `Ray.`, `ns::`; '' at module level. */
export function qualifier(decl: Decl): string {
  const parent = 'parent' in decl ? decl.parent : null
  switch (parent?.kind) {
    case 'struct':
      return parent.isBlock ? '' : `${qualifier(parent)}${parent.name}.`
    case 'enum':
    case 'interface':
      return `${qualifier(parent)}${parent.name}.`
    case 'extension':
      return `${printType(parent.syntax.target)}.`
    case 'namespace':
      return `${qualifier(parent)}${parent.name}::`
    default:
      return ''
  }
}

/** `<T : I, let N : int>`; '' where there are no parameters. */
export function genericsText(generics: ast.Generics | undefined): string {
  if (generics === undefined || generics.params.length === 0) return ''
  const params = generics.params.map(p => {
    if (p.kind === 'valueParam') return `let ${p.pack ? 'each ' : ''}${p.name.text} : ${printType(p.type)}`
    const bounds = p.bounds.length === 0 ? '' : ` : ${p.bounds.map(printType).join(' & ')}`
    return `${p.pack ? 'each ' : ''}${p.name.text}${bounds}${p.fallback === undefined ? '' : ` = ${printType(p.fallback)}`}`
  })
  return `<${params.join(', ')}>`
}

/** ` where T : I`; '' where there is none. */
export function whereText(generics: ast.Generics | undefined): string {
  return (generics?.where ?? [])
    .map(w => {
      switch (w.kind) {
        case 'conforms':
          return ` where ${w.optional ? 'optional ' : ''}${printType(w.subject)} : ${w.bounds.map(printType).join(', ')}`
        case 'equals':
          return ` where ${printType(w.left)} == ${printType(w.right)}`
        case 'counts':
          return ` where ${printExpr(w.left, 12)} == ${printExpr(w.right, 12)}`
        case 'nonempty':
          return ` where nonempty(${printType(w.pack)})`
        case 'converts':
          return ` where ${printType(w.to)}(${printType(w.from)})`
      }
    })
    .join('')
}

/** A type as the source would have it. */
export function typeText(type: Type): string {
  return type.kind === 'error' ? 'unknown' : show(type)
}

/** The type of a value; that of a lambda, which has no name that a program could write, as what it takes and gives. */
export function shownType(cx: Cx, type: Type): string {
  const call = type.kind === 'struct' && isLambda(type.decl) ? type.decl.inner.names.get('operator()')?.[0] : undefined
  if (call?.kind !== 'func') return typeText(type)
  const { params, result } = funcSig(cx, call)
  return `(${params.map(p => typeText(p.type)).join(', ')}) -> ${typeText(result)}`
}

/** Whether a declaration is the type of a lambda, which has what the lambda captures. */
export function isLambda(owner: Container): boolean {
  return owner.kind === 'struct' && owner.syntax === null && owner.parent?.kind === 'func'
}

/** The name by which a function is called. */
export function nameOf(func: FuncDecl): string {
  return func.role === 'constructor' ? '__init' : func.name.replace(/\.\d+$/, '')
}

/** A function as it is declared. `own` is its name with what stands in front of it. */
export function declaredText(func: FuncDecl, own = `${qualifier(func)}${nameOf(func)}`): CallText {
  const { syntax } = func
  if (syntax.kind === 'accessor') return callText(own, [])
  const result = syntax.kind === 'init' ? '' : `${syntax.result === undefined ? 'void' : printType(syntax.result)} `
  const head = `${func.role === 'static' ? 'static ' : ''}${result}${own}${genericsText(syntax.generics)}`
  return callText(head, syntax.params.map(printParam), whereText(syntax.generics))
}

/** A function with the types that a use settles, or the derivative of one, under a name. */
export function settledText(own: string, sig: Template, syntax: readonly ast.Param[] = []): CallText {
  return callText(`${typeText(sig.result)} ${own}`, settledParams(sig, syntax))
}

/** The parameters of a function with the types that a use settles, as a list in parentheses. */
export function listText(sig: Template, syntax: readonly ast.Param[]): string {
  return `(${settledParams(sig, syntax).join(', ')})`
}

function settledParams(sig: Template, syntax: readonly ast.Param[]): readonly string[] {
  return sig.params.map((p, i) => {
    const fallback = sig.defaults[i] === true ? syntax[i]?.fallback : undefined
    const words = [...(p.dir === 'in' ? [] : [p.dir]), typeText(p.type), p.name].filter(word => word !== '')
    return words.join(' ') + (fallback === undefined ? '' : ` = ${printExpr(fallback)}`)
  })
}

/** What a declaration is, in a word or two. */
export function kindText(decl: Decl): string {
  switch (decl.kind) {
    case 'local':
      return decl.constant ? 'constant' : 'local variable'
    case 'parameter':
    case 'field':
    case 'enum':
    case 'interface':
    case 'extension':
    case 'property':
    case 'subscript':
    case 'namespace':
    case 'module':
      return decl.kind
    case 'global':
      return storageText[decl.storage]
    case 'struct':
      return decl.isBlock ? 'constant buffer' : 'struct'
    case 'case':
      return 'enum case'
    case 'alias':
      return 'type alias'
    case 'assoc':
      return 'associated type'
    case 'typeparam':
      return 'type parameter'
    case 'valueparam':
      return 'generic value parameter'
    case 'func':
      return decl.owner !== null && !decl.hasBody ? 'requirement' : roleText[decl.role]
  }
}

const storageText: Readonly<Record<(Decl & { readonly kind: 'global' })['storage'], string>> = {
  parameter: 'shader parameter',
  block: 'constant buffer',
  static: 'static variable',
  constant: 'constant',
  groupshared: 'variable of a thread group',
}

const roleText: Readonly<Record<FuncDecl['role'], string>> = {
  function: 'function',
  method: 'method',
  static: 'static method',
  constructor: 'constructor',
  accessor: 'accessor',
}

/** The type of what a declaration holds; null for one that holds nothing. */
export function heldType(cx: Cx, decl: Decl): Type | null {
  switch (decl.kind) {
    case 'local':
    case 'parameter':
      return decl.type
    case 'field':
      return fieldType(cx, decl)
    case 'global':
      return globalInfo(cx, decl).type
    case 'case':
      return selfType(cx, decl.owner)
    case 'property': {
      const [first] = decl.accessors
      if (first === undefined) return null
      const sig = funcSig(cx, first)
      return first.accessor === 'set' ? (sig.params.at(-1)?.type ?? null) : sig.result
    }
    default:
      return null
  }
}

/** The value of a constant as text; null where it is none, or not known before the program runs. */
export function constantText(cx: Cx, decl: Decl): string | null {
  switch (decl.kind) {
    case 'case':
      return String(enumValue(cx, decl))
    case 'global':
      return decl.storage === 'constant' ? valueText(cx, globalInit(cx, decl)) : null
    case 'local':
      return decl.constant ? valueText(cx, cx.localInits.get(decl) ?? null) : null
    default:
      return null
  }
}

function valueText(cx: Cx, init: Expr | null): string | null {
  if (init === null) return null
  if (init.kind === 'const') return String(init.value)
  if (init.kind === 'unary' && init.op === '-' && init.operand.kind === 'const') return `-${String(init.operand.value)}`
  const value = known(foldExpr(cx, init, noSubst))
  return value === null || init.type.kind !== 'scalar'
    ? null
    : init.type.name === 'bool'
      ? String(value !== 0)
      : String(value)
}

/** A declaration as a line or a few of the source. */
export function declText(cx: Cx, decl: Decl): string {
  const own = `${qualifier(decl)}${decl.name}`
  const held = heldType(cx, decl)
  const value = constantText(cx, decl)
  const is = value === null ? '' : ` = ${value}`
  switch (decl.kind) {
    case 'module':
      return `module ${decl.name}`
    case 'namespace':
      return `namespace ${own}`
    case 'struct':
      return decl.syntax?.kind === 'struct'
        ? `struct ${own}${genericsText(decl.syntax.generics)}${basesText(decl.syntax.bases)}${whereText(decl.syntax.generics)}`
        : `${decl.syntax?.which ?? 'struct'} ${own}`
    case 'interface':
      return `interface ${own}${genericsText(decl.syntax.generics)}${basesText(decl.syntax.bases)}${whereText(decl.syntax.generics)}`
    case 'enum':
      return `enum ${own}${basesText(decl.syntax.bases)}`
    case 'extension':
      return `extension${genericsText(decl.syntax.generics)} ${printType(decl.syntax.target)}${basesText(decl.syntax.bases)}`
    case 'alias':
      return `typealias ${own} = ${printType(decl.target)}`
    case 'assoc':
      return `associatedtype ${own}${basesText(decl.syntax.bounds)}`
    case 'typeparam':
    case 'valueparam':
      return genericsText({ kind: 'generics', span: decl.syntax.span, params: [decl.syntax], where: [] }).slice(1, -1)
    case 'func':
      return declaredText(decl).label
    case 'subscript': {
      const params = decl.syntax.params.map(printParam)
      return callText(
        `${qualifier(decl)}__subscript`,
        params,
        ` -> ${printType(decl.syntax.result)}${accessorsText(decl)}`,
      ).label
    }
    case 'property':
      return `property ${held === null ? '' : `${typeText(held)} `}${own}${accessorsText(decl)}`
    case 'case':
      return `${own}${is}`
    case 'global': {
      const { syntax } = decl
      const words = syntax.kind === 'buffer' ? [syntax.which] : syntax.modifiers.map(m => m.name)
      return [...words, ...(held === null || syntax.kind === 'buffer' ? [] : [typeText(held)]), own].join(' ') + is
    }
    case 'field':
      return `${fieldModifiers(decl.syntax)}${held === null ? '' : `${typeText(held)} `}${own}${semanticText(decl.syntax?.semantics)}`
    case 'local':
      return `${decl.constant ? 'const ' : ''}${decl.noDiff ? 'no_diff ' : ''}${shownType(cx, decl.type)} ${own}${is}`
    case 'parameter': {
      const words = [...decl.modifiers.filter(m => m !== 'in'), typeText(decl.type), decl.name]
      return words.join(' ') + (decl.semantic === '' ? '' : ` : ${decl.semantic}`)
    }
  }
}

function basesText(bases: readonly ast.TypeExpr[]): string {
  return bases.length === 0 ? '' : ` : ${bases.map(printType).join(', ')}`
}

function accessorsText({ accessors }: { readonly accessors: readonly FuncDecl[] }): string {
  return ` { ${accessors.map(a => `${a.accessor}; `).join('')}}`
}

function fieldModifiers(syntax: ast.VarDecl | null): string {
  return (syntax?.modifiers ?? []).map(m => `${m.name} `).join('')
}

function semanticText(semantics: readonly ast.Semantic[] | undefined): string {
  return (semantics ?? []).map(s => (s.args.length === 0 ? ` : ${s.name}` : ` : ${s.name}(…)`)).join('')
}
