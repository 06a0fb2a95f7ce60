/** The signatures of the function that is being called at a place. */
import { constructors } from '../check/expressions/index.ts'
import { Env, type Cx } from '../check/model/context.ts'
import type { FuncDecl } from '../check/model/decl.ts'
import { typeOf, type Candidate, type Term } from '../check/model/term.ts'
import { isGeneric, known, show, type Type } from '../check/model/type.ts'
import { derive, membersOf, template, typeCost } from '../check/types/index.ts'
import type * as ast from '../syntax/ast.ts'
import { nameKind, punctuatorText } from '../syntax/token.ts'
import type { Analysis } from './analysis.ts'
import { inComment } from './comments.ts'
import { docMarkdown, docOf, markdown, paramDoc, type Markup } from './doc.ts'
import { tokenBefore, tokensOf } from './lexed.ts'
import { macrosOf } from './macros.ts'
import { marked, type Marked } from './marked.ts'
import { functionOf } from './names.ts'
import { callText, declaredText, nameOf, qualifier, settledText, type CallText } from './show.ts'
import type { Place } from './workspace.ts'

/** One signature. */
export interface SignatureInformation {
  readonly label: string
  readonly documentation?: Markup
  readonly parameters: readonly {
    /** Where in the label the parameter stands. */
    readonly label: readonly [number, number]
    readonly documentation?: Markup
  }[]
}

/** The signatures of a function, with the one that fits what is written so far. */
export interface SignatureHelp {
  readonly signatures: readonly SignatureInformation[]
  readonly activeSignature: number
  readonly activeParameter: number
}

/** The signatures of the function whose arguments a place stands among; undefined outside of calls. */
export function signatureHelp(place: Place): SignatureHelp | undefined {
  const { analysis, file, offset } = place
  if (inComment(file, offset)) return undefined
  const macro = macroHelp(place)
  if (macro !== undefined) return macro
  const at = marked(analysis, file, offset, offset, endsOperand(place) ? '' : undefined)
  const call = at === undefined ? undefined : callAround(at)
  if (at === undefined || call === undefined) return undefined
  const found = choices(at, call)
  if (found.length === 0) return undefined
  const index = argumentAt(at, call)
  const active = best(found, call, index, at, chosen(analysis, place, call, index))
  return {
    signatures: found.map(({ text, func }) => informationOf(text, func)),
    activeSignature: active,
    activeParameter: Math.max(0, Math.min(index, found[active]!.text.params.length - 1)),
  }
}

/** Whether what stands before a place is an operand, so that no further one can stand there. */
function endsOperand({ file, offset }: Place): boolean {
  const raw = tokensOf(file)
  const i = tokenBefore(raw, offset)
  if (i < 0) return false
  const text = punctuatorText(raw.kinds[i]!)
  if (text !== undefined) return text === ')' || text === ']' || text === '}'
  const word = file.text.slice(raw.starts[i], raw.ends[i])
  return raw.kinds[i] !== nameKind || raw.ends[i]! >= offset || !/^(?:return|no_diff|is|as|each|expand|in)$/.test(word)
}

/** The innermost call among whose arguments the mark stands. */
function callAround({ path, file, offset }: Marked): ast.CallExpr | undefined {
  return path.findLast((node): node is ast.CallExpr => {
    if (node.kind !== 'call') return false
    const open = openOf(node)
    const isClosed = file.text[node.span.end - 1] === ')' && node.span.end <= offset
    return open < offset && !isClosed
  })
}

/** Where the parenthesis of a call stands. */
function openOf(call: ast.CallExpr): number {
  return call.span.file.text.indexOf('(', call.callee.span.end)
}

/** How many arguments end before the mark, and are followed by a comma. */
function argumentAt({ file, offset }: Marked, call: ast.CallExpr): number {
  const raw = tokensOf(file)
  let index = 0
  for (let i = tokenBefore(raw, openOf(call) + 1) + 1; i < raw.count && raw.starts[i]! < offset; i++) {
    const at = raw.starts[i]!
    if (punctuatorText(raw.kinds[i]!) === ',' && !call.args.some(a => a.span.start <= at && at < a.span.end)) index++
  }
  return index
}

/** A signature that a call may mean. */
interface Choice {
  readonly text: CallText
  readonly params: readonly Type[]
  /** How many parameters need no argument. */
  readonly optional: number
  readonly func: FuncDecl | undefined
}

function choices({ analysis, around }: Marked, call: ast.CallExpr): readonly Choice[] {
  const { cx, names } = analysis
  const env = new Env(cx, around.scope, around.func, around.self)
  const callee = names.known(call.callee)?.term ?? cx.above.term(env, call.callee)
  switch (callee.kind) {
    case 'funcs':
      return callee.candidates.map(c => choiceOf(cx, c, callee.modes))
    case 'type':
      return constructions(analysis, env, callee.type)
    case 'value':
    case 'place':
      return membersOf(cx, typeOf(callee), 'operator()').flatMap(m =>
        m.decl.kind === 'func' ? [choiceOf(cx, { decl: m.decl, subst: m.subst }, [])] : [],
      )
    default:
      return []
  }
}

function choiceOf(
  cx: Cx,
  { decl, subst }: Pick<Candidate, 'decl' | 'subst'>,
  modes: (Term & { readonly kind: 'funcs' })['modes'],
): Choice {
  // A pack has no signature before it is known how long it is.
  if (decl.generics?.packed === true) return { text: declaredText(decl), params: [], optional: Infinity, func: decl }
  let sig = template(cx, decl, subst)
  let name = `${qualifier(decl)}${nameOf(decl)}`
  for (const mode of modes) {
    sig = derive(cx, sig, mode, decl.module.isCore)
    name = `${mode === 'forward' ? 'fwd_diff' : 'bwd_diff'}(${name})`
  }
  const isPlain = modes.length === 0 && subst.args.size === 0 && subst.self === null
  const syntax = decl.syntax.kind === 'accessor' || modes.length > 0 ? [] : decl.syntax.params
  return {
    text: isPlain ? declaredText(decl, name) : settledText(name, sig, syntax),
    params: sig.params.map(p => p.type),
    optional: sig.defaults.filter(Boolean).length,
    func: decl,
  }
}

const lanes = ['x', 'y', 'z', 'w']

/** The ways to make a value of a type. */
function constructions({ cx, lazy }: Analysis, env: Env, type: Type): readonly Choice[] {
  const made = (name: string, params: readonly (readonly [Type, string])[]): Choice => ({
    text: callText(
      name,
      params.map(([t, n]) => `${show(t)} ${n}`),
    ),
    params: params.map(([t]) => t),
    optional: 0,
    func: undefined,
  })
  const name = show(type)
  switch (type.kind) {
    case 'scalar':
      return [made(name, [[type, 'value']])]
    case 'vector': {
      const count = known(type.count)
      const each = lanes.slice(0, count ?? 0).map(lane => [type.elem, lane] as const)
      return [made(name, [[type.elem, 'value']]), ...(each.length > 1 ? [made(name, each)] : [])]
    }
    case 'matrix': {
      const [rows, cols] = [known(type.rows), known(type.cols)]
      if (rows === null || cols === null) return []
      const row: Type = {
        kind: 'vector',
        key: `vector<${type.elem.key},${type.cols.key}>`,
        elem: type.elem,
        count: type.cols,
      }
      return [
        made(
          name,
          Array.from({ length: rows }, (_, i) => [row, `row${i}`] as const),
        ),
      ]
    }
    case 'struct': {
      const own = constructors(env, type).map(c => choiceOf(cx, c, []))
      const named = own.map(c => ({ ...c, text: renamed(c.text, name) }))
      if (named.length > 0) return named
      return [
        made(
          name,
          lazy.program.fields(type).map(f => [f.type, f.name] as const),
        ),
      ]
    }
    default:
      return []
  }
}

/** A constructor under the name of its type. */
function renamed({ label, params }: CallText, name: string): CallText {
  const open = label.indexOf('__init') + '__init'.length
  const by = name.length - open
  return { label: name + label.slice(open), params: params.map(([a, b]) => [a + by, b + by] as const) }
}

function informationOf({ label, params }: CallText, func: FuncDecl | undefined): SignatureInformation {
  const doc = func === undefined ? '' : docOf(func)
  const names =
    func === undefined || func.syntax.kind === 'accessor' ? [] : func.syntax.params.map(p => p.name?.text ?? '')
  return {
    label,
    ...(doc === '' ? {} : { documentation: markdown(docMarkdown(doc)) }),
    parameters: params.map(place => {
      // A derivative may have other parameters than its function.
      const name = names.find(n => n !== '' && new RegExp(`\\b${n}\\b(?: =.*| :.*)?$`).test(label.slice(...place)))
      const text = name === undefined ? '' : paramDoc(doc, name)
      return { label: place, ...(text === '' ? {} : { documentation: markdown(text) }) }
    }),
  }
}

/** The function that the call means as it stands, where it is written to its end. */
function chosen(analysis: Analysis, { file }: Place, call: ast.CallExpr, index: number): FuncDecl | undefined {
  const open = openOf(call)
  const own = analysis
    .path(file, open, true)
    .findLast((node): node is ast.CallExpr => node.kind === 'call' && openOf(node) === open)
  if (own === undefined || own.args.length <= index || file.text[own.span.end - 1] !== ')') return undefined
  const term = analysis.names.known(own)?.term
  return term?.kind === 'value' && term.expr.kind === 'call' ? functionOf(term.expr.func) : undefined
}

/** The number of the signature that fits best: what the call means already, else what takes the arguments so far. */
function best(
  found: readonly Choice[],
  call: ast.CallExpr,
  index: number,
  { analysis }: Marked,
  meant: FuncDecl | undefined,
): number {
  const place = meant?.syntax.span
  const own = found.findIndex(
    c =>
      place !== undefined &&
      c.func?.syntax.span.start === place.start &&
      c.func.syntax.span.file.name === place.file.name,
  )
  if (own >= 0) return own
  const args = call.args.slice(0, index).map(a => typeOf(analysis.names.known(a)?.term))
  const isEmpty = call.args.length === 0
  const costs = found.map(({ params, optional }) => {
    // One more argument is being written.
    if (optional !== Infinity && index >= params.length && !(isEmpty && params.length === 0)) return Infinity
    let cost = 0
    args.forEach((arg, i) => {
      const param = params[i]
      if (arg === null || param === undefined || isGeneric(param) || arg.kind === 'error') return
      cost += typeCost(analysis.cx, arg, param) ?? 1e6
    })
    return cost
  })
  return Math.max(0, costs.indexOf(Math.min(...costs)))
}

/** The parameters of the macro that is being called. */
function macroHelp({ analysis, file, offset }: Place): SignatureHelp | undefined {
  const raw = tokensOf(file)
  let depth = 0
  let index = 0
  for (let i = tokenBefore(raw, offset); i > 0; i--) {
    const text = punctuatorText(raw.kinds[i]!)
    if (text === ';' || text === '{' || text === '}') return undefined
    if (text === ')') depth++
    else if (text === ',' && depth === 0) index++
    else if (text === '(' && depth-- === 0) {
      const name = file.text.slice(raw.starts[i - 1], raw.ends[i - 1])
      const macro = raw.kinds[i - 1] === nameKind ? macrosOf(analysis, file).get(name) : undefined
      if (macro?.params === undefined) return undefined
      return {
        signatures: [informationOf(callText(name, macro.params), undefined)],
        activeSignature: 0,
        activeParameter: Math.max(0, Math.min(index, macro.params.length - 1)),
      }
    }
  }
  return undefined
}
