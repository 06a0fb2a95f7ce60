/** What an author may write at a place. */
import { visible } from '../check/expressions/index.ts'
import { Env, type Cx } from '../check/model/context.ts'
import type { Decl } from '../check/model/decl.ts'
import { typeOf, type Term } from '../check/model/term.ts'
import { known, type Type } from '../check/model/type.ts'
import { declaredNames, differentialOf, funcSig } from '../check/types/index.ts'
import type * as ast from '../syntax/ast.ts'
import type { Analysis } from './analysis.ts'
import { attributeTexts, type Carrier } from './attributes.ts'
import { contextAt, type Context } from './complete-context.ts'
import {
  expectedRank,
  isDifferentiable,
  itemKinds,
  keywordOffer,
  offerOf,
  plainOf,
  plainText,
  snippetOffer,
  snippetText,
  wordRank,
  type CompletionItem,
  type Offer,
} from './complete-items.ts'
import { coreNames, membersOfType, namesAt, type Named } from './complete-names.ts'
import { paths, type List } from './complete-paths.ts'
import { stubs } from './complete-stubs.ts'
import {
  builtinTypes,
  directives,
  enumTypes,
  memberSnippets,
  statementSnippets,
  topSnippets,
} from './complete-words.ts'
import { markdown } from './doc.ts'
import { keywordsAt, type Spot as KeywordSpot } from './keywords.ts'
import { macrosOf } from './macros.ts'
import { marked, markName, type Marked } from './marked.ts'
import { positionOf } from './range.ts'
import { semantics } from './semantics.ts'
import type { Place } from './workspace.ts'

/** Items, and what is found out later. */
export interface Completion {
  readonly list: { readonly isIncomplete: boolean; readonly items: readonly CompletionItem[] }
  /** The item with its detail and documentation. */
  readonly resolve: (item: CompletionItem) => CompletionItem
}

export interface CompleteOptions {
  /** The editor takes snippets. */
  readonly snippets?: boolean
  /** Lists files for imports and includes. */
  readonly list?: List | undefined
}

/** What an author may write at a place. */
export function complete(place: Place, { snippets = true, list }: CompleteOptions = {}): Completion {
  const { analysis, file, offset } = place
  const { context, start } = contextAt(analysis, file, offset)
  const typed = file.text.slice(start, offset)
  const offers = unique(new Completer(place, context, start, typed, list).offers())
  const range = { start: positionOf(file, start), end: positionOf(file, offset) }
  const items = offers.map(
    ({ label, kind, rank, snippet, text, labelDetails, isOld, preselect }, data): CompletionItem => {
      const isSnippet = snippet !== undefined && snippets
      const newText = isSnippet
        ? snippet
        : snippet !== undefined && kind === itemKinds.snippet
          ? plainOf(snippet)
          : (text ?? label)
      return {
        label,
        kind,
        sortText: `${rank}${label}`,
        textEdit: { range, newText },
        insertTextFormat: isSnippet ? snippetText : plainText,
        data,
        ...(text === undefined ? {} : { filterText: text }),
        ...(labelDetails === undefined ? {} : { labelDetails }),
        ...(isOld === true ? { tags: [1] as const } : {}),
        ...(preselect === true ? { preselect } : {}),
      }
    },
  )
  // Further letters may allow further components.
  const isIncomplete = context.kind === 'member' && /^(?:[xyzw]+|[rgba]+)$/.test(typed)
  return {
    list: { isIncomplete, items },
    resolve: item => {
      const more = offers[item.data]?.more?.()
      return more === undefined ? item : { ...item, ...more }
    },
  }
}

/** Of offers with one label and kind the first. */
function unique(offers: readonly Offer[]): readonly Offer[] {
  const seen = new Set<string>()
  return offers.filter(o => {
    const key = `${o.label} ${o.kind}`
    return seen.size < seen.add(key).size
  })
}

/** Makes the offers for one place. */
class Completer {
  readonly #analysis: Analysis
  readonly #place: Place
  readonly #context: Context
  readonly #start: number
  readonly #typed: string
  readonly #list: List | undefined
  /** An argument list stands behind the cursor already. */
  readonly #isCalled: boolean

  constructor(place: Place, context: Context, start: number, typed: string, list: List | undefined) {
    this.#place = place
    this.#analysis = place.analysis
    this.#context = context
    this.#start = start
    this.#typed = typed
    this.#list = list
    this.#isCalled = /^\w*\s*\(/.test(place.file.text.slice(place.offset, place.offset + 80))
  }

  get #cx(): Cx {
    return this.#analysis.cx
  }

  offers(): readonly Offer[] {
    const context = this.#context
    switch (context.kind) {
      case 'none':
        return []
      case 'member':
        return this.#members()
      case 'statement':
        return [
          ...this.#values(),
          ...words('statement', 'expression'),
          ...statementSnippets.map(snippetOffer),
          ...builtins(),
        ]
      case 'expression':
      case 'case':
        return [...this.#values(), ...words('expression'), ...builtins()]
      case 'derivative':
        return this.#functions(context.mode)
      case 'type':
        return [
          ...this.#types(context.isArgument === true ? decl => isType(decl) || isConstant(decl) : isType),
          ...words('type'),
          ...builtins(),
        ]
      case 'base':
        return context.of === 'enum' ? builtins(enumTypes) : this.#types(context.of === 'type' ? isBase : isInterface)
      case 'top':
        return [...this.#types(), ...words('top'), ...topSnippets.map(snippetOffer), ...builtins()]
      case 'memberDecl':
        return [
          ...this.#stubs(context.isOverride),
          ...(context.isOverride
            ? []
            : [...this.#types(), ...words('member'), ...memberSnippets.map(snippetOffer), ...builtins()]),
        ]
      case 'parameter':
        return [...this.#types(), ...words('parameter'), ...builtins()]
      case 'attribute':
        return attributes(context.at)
      case 'attributeArgument':
        return this.#attributeArgument(context.name, context.index, context.isString)
      case 'semantic':
        return semanticOffers(context.at)
      case 'import':
        return paths(this.#analysis, this.#list, context, this.#typed)
      case 'directive':
        return directives.map(label => ({ label, kind: itemKinds.keyword, rank: wordRank }))
      case 'macro':
        return [...macrosOf(this.#analysis, this.#place.file).keys()].map(label => ({
          label,
          kind: itemKinds.constant,
          rank: '1',
        }))
    }
  }

  /** The program with a mark at the cursor. */
  #marked(): Marked | undefined {
    return marked(this.#analysis, this.#place.file, this.#start, this.#place.offset)
  }

  // ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Names that mean something here, with those of the library. */
  #names(at: Marked | undefined): Iterable<Named> {
    const { file, offset } = at ?? { file: this.#place.file, offset: this.#start }
    const analysis = at?.analysis ?? this.#analysis
    const around = at?.around ?? analysis.scope(file, offset)
    // A variable is not known in its own initial value.
    const making = new Set((at?.path ?? []).flatMap(node => (node.kind === 'var' ? [node.name.span.start] : [])))
    const before = (decl: Decl): boolean => {
      if (decl.kind !== 'local') return decl.name !== markName
      const { span } = decl
      return span === null || span.file !== file || (span.start < offset && !making.has(span.start))
    }
    const own = [...namesAt(analysis.cx, around, before)]
    const taken = new Set(own.map(n => n.name))
    const core = [...coreNames(analysis.cx, this.#typed.startsWith('_'))].filter(n => !taken.has(n.name))
    return [...own, ...core].filter(n => n.name !== markName)
  }

  /** Everything that an expression may name. What its type fits comes first. */
  #values(): readonly Offer[] {
    const at = this.#marked()
    const cx = at?.analysis.cx ?? this.#cx
    const wanted = at === undefined ? null : expectedType(at)
    const offers: Offer[] = []
    if (wanted?.kind === 'enum')
      for (const c of wanted.decl.cases)
        offers.push({
          label: `${wanted.decl.name}.${c.name}`,
          kind: itemKinds.enumMember,
          rank: expectedRank,
          preselect: offers.length === 0,
        })
    for (const named of this.#names(at)) {
      const kind = named.decls[0]!.kind
      if (kind === 'extension' || kind === 'module' || (kind === 'case' && wanted?.kind === 'enum')) continue
      offers.push(offerOf(named, { cx, calls: !this.#isCalled }))
    }
    const labels = new Set(offers.map(o => o.label))
    return [...(at === undefined ? [] : written(at).filter(o => !labels.has(o.label))), ...offers]
  }

  /** The functions of which there is a derivative. */
  #functions(mode: 'forward' | 'backward'): readonly Offer[] {
    const at = this.#marked()
    const cx = at?.analysis.cx ?? this.#cx
    return [...this.#names(at)].flatMap(named => {
      const first = named.decls[0]!
      // The way to methods and to functions in namespaces.
      if (first.kind === 'namespace' || (first.kind === 'struct' && named.distance !== 'core'))
        return [offerOf(named, { cx, calls: false })]
      const decls = named.decls.filter(decl => isDifferentiable(cx, decl, mode))
      return decls.length === 0 ? [] : [offerOf({ ...named, decls }, { cx, calls: false })]
    })
  }

  /** The types that a name may mean here. */
  #types(wanted: (decl: Decl) => boolean = isType): readonly Offer[] {
    const offers: Offer[] = []
    for (const named of this.#names(undefined)) {
      const decls = named.decls.filter(decl => wanted(decl) || decl.kind === 'namespace')
      if (decls.length > 0) offers.push(offerOf({ ...named, decls }, { cx: this.#cx, calls: false }))
    }
    return offers
  }

  // ── Members ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #members(): readonly Offer[] {
    const at = this.#marked()
    const node = at?.path.findLast(n => n.kind === 'member' && n.name.text === markName) as ast.MemberExpr | undefined
    if (at === undefined || node === undefined) return []
    const { analysis, around } = at
    const { cx } = analysis
    const base = analysis.names.known(node.base)
    const term = base?.term ?? cx.above.term(new Env(cx, around.scope, around.func, around.self), node.base)
    const env = new Env(cx, around.scope, around.func, around.self)
    const isDerived = at.path.some(n => n.kind === 'differentiate')
    return this.#membersOf(term, env, isDerived)
  }

  #membersOf(term: Term, env: Env, isDerived: boolean): readonly Offer[] {
    const { cx } = env
    const offer = (named: Named): Offer => offerOf(named, { cx, calls: !this.#isCalled && !isDerived })
    const shown = (named: Named): boolean => !named.name.startsWith('__') || this.#typed.startsWith('_')
    switch (term.kind) {
      case 'value':
      case 'place': {
        const type = typeOf(term)
        return [...components(type, this.#typed), ...membersOfType(cx, type, 'object', env).filter(shown).map(offer)]
      }
      case 'type': {
        const { type } = term
        const members = membersOfType(cx, type, isDerived ? 'all' : 'static', env).filter(shown)
        const hasOwn = members.some(m => m.name === 'Differential')
        const differential: readonly Offer[] =
          hasOwn || differentialOf(cx, type) === null
            ? []
            : [{ label: 'Differential', kind: itemKinds.struct, rank: '3' }]
        return [...members.map(offer), ...differential]
      }
      case 'namespace': {
        const found = new Map<string, Named>()
        declaredNames(cx, term.decl.inner, env.scope, decl => {
          const named = found.get(decl.name)
          if (named !== undefined) named.decls.push(decl)
          else if (decl.name !== '' && visible(env, decl))
            found.set(decl.name, { name: decl.name, decls: [decl], distance: 'global', members: [] })
        })
        return [...found.values()].map(offer)
      }
      default:
        return []
    }
  }

  #stubs(isOverride: boolean): readonly Offer[] {
    const path = this.#analysis.path(this.#place.file, this.#start, true)
    const owner = path.findLast(node => node.kind === 'struct' || node.kind === 'extension')
    const decl = this.#cx.userDecls.find(
      d => (d.kind === 'struct' || d.kind === 'extension') && d.syntax === owner && owner !== undefined,
    )
    return decl?.kind === 'struct' || decl?.kind === 'extension' ? stubs(this.#cx, decl, isOverride) : []
  }

  // ── Attributes ───────────────────────────────────────────────────────────────────────────────────────────────────

  #attributeArgument(name: string, index: number, isString: boolean): readonly Offer[] {
    if (/^shader$/i.test(name) && index === 0)
      return ['compute', 'vertex', 'fragment'].map(stage => ({
        label: stage,
        kind: itemKinds.value,
        rank: '0',
        text: isString ? stage : `"${stage}"`,
      }))
    if (isString) return []
    if (/^(?:Forward|Backward)Derivative(?:Of)?$|^PrimalSubstitute(?:Of)?$/.test(name))
      return [...this.#names(undefined)].flatMap(named => {
        const decls = named.decls.filter(d => d.kind === 'func' || d.kind === 'namespace' || d.kind === 'struct')
        return decls.length === 0 ? [] : [offerOf({ ...named, decls }, { cx: this.#cx, calls: false })]
      })
    return [...this.#names(undefined)].flatMap(named => {
      const decl = named.decls[0]!
      return isConstant(decl) || decl.kind === 'enum' ? [offerOf(named, { cx: this.#cx, calls: false })] : []
    })
  }
}

function isType(decl: Decl): boolean {
  return decl.kind === 'struct'
    ? !decl.isBlock
    : ['enum', 'interface', 'alias', 'assoc', 'typeparam'].includes(decl.kind)
}

/** Whether a declaration has a value that is known when the program is compiled. */
function isConstant(decl: Decl): boolean {
  return decl.kind === 'valueparam' || (decl.kind === 'global' && decl.storage === 'constant')
}

function isInterface(decl: Decl): boolean {
  return decl.kind === 'interface'
}

/** What a struct may list as its bases. */
function isBase(decl: Decl): boolean {
  return decl.kind === 'interface' || (decl.kind === 'struct' && !decl.isBlock && !decl.module.isCore)
}

/** Parameters and variables as they are written: a pack is checked only for each of its lengths. */
function written({ path, offset }: Marked): readonly Offer[] {
  const names: ast.Name[] = []
  for (const node of path) {
    if (node.kind === 'func' || node.kind === 'init')
      for (const p of node.params) if (p.name !== undefined) names.push(p.name)
    const init = node.kind === 'for' && node.init?.kind === 'decl' ? [node.init] : []
    for (const s of node.kind === 'block' ? node.stmts : init)
      if (s.kind === 'decl' && s.span.end < offset) for (const d of s.decls) if (d.kind === 'var') names.push(d.name)
  }
  return names.map(({ text }) => ({ label: text, kind: itemKinds.variable, rank: '1' }))
}

/** The type of value that fits at the mark; null if nothing says. */
function expectedType({ analysis, path }: Marked): Type | null {
  const { names, cx } = analysis
  const inner = path.at(-1)
  const outer = path.at(-2)
  const typeIn = (e: ast.Expr): Type | null => typeOf(names.known(e)?.term)
  if (inner?.kind !== 'name' || outer === undefined) return null
  switch (outer.kind) {
    case 'binary':
      return typeIn(outer.left === inner ? outer.right : outer.left)
    case 'assign':
      return outer.value === inner ? typeIn(outer.target) : null
    case 'group': {
      const stmt = path.at(-3)
      return stmt?.kind === 'switch' ? typeIn(stmt.value) : null
    }
    case 'var': {
      if (outer.type === undefined || outer.init !== inner) return null
      const term = names.known(outer.type)?.term
      return term?.kind === 'type' ? term.type : null
    }
    case 'return': {
      const func = names.known(inner)?.func
      return func === null || func === undefined ? null : funcSig(cx, func).result
    }
    default:
      return null
  }
}

/** The components of a vector: each alone, and as many as go on from what is typed. */
function components(type: Type, typed: string): readonly Offer[] {
  if (type.kind !== 'vector') return []
  const count = known(type.count) ?? 4
  const letters = /^[rgba]+$/.test(typed) ? 'rgba' : 'xyzw'
  const own = [...letters].slice(0, count)
  const labels = [...own, ...own.map((_, i) => own.slice(0, i + 1).join('')).slice(1)]
  if (letters === 'xyzw') labels.push(...[...'rgba'].slice(0, count), [...'rgba'].slice(0, count).join(''))
  if ([...typed].every(c => own.includes(c)) && typed !== '' && typed.length < 4)
    labels.push(typed, ...own.map(c => typed + c))
  return [...new Set(labels)].map(label => ({
    label,
    kind: itemKinds.field,
    rank: /^[xyzw]/.test(label) ? (label.length === 1 ? '1' : '11') : '12',
  }))
}

function words(...spots: readonly KeywordSpot[]): readonly Offer[] {
  return spots.flatMap(spot => keywordsAt(spot).map(keywordOffer))
}

function builtins(names: readonly string[] = builtinTypes): readonly Offer[] {
  return names.map(label => ({ label, kind: itemKinds.struct, rank: '5' }))
}

const carriersAt: Readonly<Record<'top' | 'member' | 'statement' | 'parameter', readonly Carrier[]>> = {
  top: ['function', 'variable', 'type', 'enum', 'interface'],
  member: ['method', 'field'],
  statement: ['loop', 'branch'],
  parameter: ['field'],
}

function attributes(at: keyof typeof carriersAt): readonly Offer[] {
  const carriers = carriersAt[at]
  return Object.entries(attributeTexts).flatMap(([label, { text, on, args }]) =>
    on.some(c => carriers.includes(c))
      ? [
          {
            label,
            kind: itemKinds.keyword,
            rank: /^Differentiable|^shader|^numthreads|^MaxIters/.test(label) ? '1' : '2',
            ...(args === undefined ? {} : { snippet: `${label}(${args})` }),
            more: () => ({ detail: 'attribute', documentation: markdown(text) }),
          },
        ]
      : [],
  )
}

function semanticOffers(at: 'parameter' | 'result' | 'field' | 'global'): readonly Offer[] {
  if (at === 'global') return [{ label: 'register', kind: itemKinds.keyword, rank: '1', snippet: 'register(${1:t0})' }]
  return Object.entries(semantics).map(([label, { text, type, stages }]) => ({
    label,
    kind: itemKinds.value,
    rank: '1',
    labelDetails: { description: type },
    more: () => ({ detail: `${type} : ${label}`, documentation: markdown(`*${stages}*\n\n${text}`) }),
  }))
}
