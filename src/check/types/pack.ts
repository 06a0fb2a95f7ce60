/**
 * Packs of generic parameters (`each T`, `let each N : int`). A declaration with packs is instantiated on the level of syntax, once for each number of
 * types that is asked for, with a parameter of its own for each type. `expand f(each v)` then becomes as many expressions. Nothing
 * after the syntax knows of packs.
 */
import * as errors from '../../base/errors/generics.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { collectWritten } from '../modules/collect.ts'
import type { GenericArg } from '../model/type.ts'
import type { Cx } from '../model/context.ts'
import type { AliasDecl, ExtensionDecl, FuncDecl, GenericParams, StructDecl } from '../model/decl.ts'
import { packBits } from './bit-fields.ts'
import { adoptBase } from './inherit.ts'
import { eachesOf, tupleArguments } from './spread.ts'

/** Deeper syntax is not visited: it is reported as too deep anyway. */
const maxDepth = 2000

/** The most types of a pack: a function that calls itself with one argument more would otherwise have instances without end. */
const maxParts = 32

type Packed = FuncDecl | StructDecl | AliasDecl | ExtensionDecl

/** The names of the packs in a parameter list. */
export function packsOf(list: GenericParams | null): readonly string[] {
  return list === null || !list.packed ? [] : list.syntax.params.filter(p => p.pack).map(p => p.name.text)
}

/** How many types to check a declaration with: for each pack as many as its constraint says, else one. */
export function usualCounts(list: GenericParams): readonly number[] {
  return packsOf(list).map(pack => {
    for (const w of list.syntax.where) {
      if (w.kind !== 'counts' || w.right.kind !== 'int' || w.left.kind !== 'sizeof') continue
      if (w.left.operand.kind === 'name' && w.left.operand.name === pack)
        return Math.min(Number(w.right.value), maxParts)
    }
    return 1
  })
}

/** A declaration with each of its packs replaced by that many parameters. Null, with a diagnostic, if there are too many. */
export function writtenOut<D extends Packed>(from: Cx, decl: D, counts: readonly number[]): D | null {
  const cx = from.of(decl)
  cx.observer?.shared()
  let known = cx.writtenOut.get(decl)
  if (known === undefined) cx.writtenOut.set(decl, (known = new Map()))
  const key = counts.join()
  let made = known.get(key)
  if (made === undefined) {
    const most = Math.max(...counts)
    if (most > maxParts) {
      from.sink.add(errors.packTooLong, decl.span ?? undefined, { name: decl.name, count: most, limit: maxParts })
      return null
    }
    const packs = packsOf(decl.generics)
    const writer = new Writer(cx, new Map(packs.map((name, i) => [name, counts[i]!])))
    const syntax =
      decl.kind === 'alias'
        ? {
            kind: 'alias',
            span: decl.span,
            attributes: [],
            modifiers: [],
            name: { text: decl.name, span: decl.span },
            generics: decl.generics!.syntax,
            target: decl.target,
          }
        : decl.syntax!
    known.set(key, (made = collectWritten(cx, decl, writer.write(syntax) as ast.Decl) as Packed))
    if (made.kind === 'struct') {
      adoptBase(cx, made)
      packBits(cx, made)
    }
    cx.variadic.set(made, counts)
  }
  return made as D
}

/** How many arguments each pack gets if they are written one after the other; null if they cannot be divided. */
export function shared(list: GenericParams, given: number): readonly number[] | null {
  const packs = packsOf(list).length
  const each = (given - (list.params.length - packs)) / packs
  return each >= 0 && Number.isInteger(each) ? Array.from({ length: packs }, () => each) : null
}

/**
 * Writes extensions with packs out for a struct, so that those that apply to it are among the extensions without packs. The arguments of the
 * target tell how long the packs are; several are of one length.
 */
export function writeExtensionsFor(cx: Cx, decl: StructDecl, args: readonly GenericArg[]): void {
  for (const extension of cx.packedExtensions) {
    const { target } = extension.syntax
    if (target.kind !== 'generic' || !isMadeOf(decl, target.base)) continue
    const packs = packsOf(extension.generics)
    const spread = target.args.filter(a => isSpread(a, packs)).length
    // What a struct inside of a generic one is made of comes after what that is made of.
    const given = decl.intrinsic === 'Tuple' ? args.length : (decl.generics?.params.length ?? 0)
    const each = (given - (target.args.length - spread)) / spread
    if (Number.isInteger(each) && each >= 0 && each <= maxParts)
      writtenOut(
        cx,
        extension,
        packs.map(() => each),
      )
  }
}

/** Whether a struct is an instance of the generic type that the syntax names. */
export function isMadeOf(decl: StructDecl, of: ast.Expr): boolean {
  const name = of.kind === 'name' ? of.name : of.kind === 'member' ? of.name.text : ''
  return name === 'Tuple' ? decl.intrinsic === 'Tuple' : decl.name === name
}

/** `expand each T`, or the bare name of a pack. */
export function isSpread(type: ast.Expr, packs: readonly string[]): boolean {
  return (
    type.kind === 'expand' ||
    (type.kind === 'name' && packs.includes(type.name)) ||
    (type.kind === 'modified' && isSpread(type.type, packs))
  )
}

/** Whether a name stands anywhere in a piece of syntax, or under an `each` in it. */
export function mentions(node: unknown, name: string, anywhere = true, depth = 0): boolean {
  if (depth > maxDepth) return false
  if (Array.isArray(node)) return node.some(n => mentions(n, name, anywhere, depth + 1))
  if (!isNode(node)) return false
  if (anywhere && node['kind'] === 'name' && node['name'] === name) return true
  return Object.entries(node).some(
    ([key, child]) => key !== 'span' && mentions(child, name, anywhere || node['kind'] === 'each', depth + 1),
  )
}

/** A piece of syntax. */
export type Node = Readonly<Record<string, unknown>>

export function isNode(x: unknown): x is Node {
  return typeof x === 'object' && x !== null && 'kind' in x
}

/** `__first(T)`, `__last(T)`, `__trimFirst(T)` or `__trimLast(T)`. */
function endOf(node: Node): { readonly which: string; readonly of: unknown; readonly trims: boolean } | null {
  const callee = node['callee']
  if (node['kind'] !== 'call' || !isNode(callee) || callee['kind'] !== 'name') return null
  const which = /^__(first|last|trimFirst|trimLast)$/.exec(callee['name'] as string)?.[1]
  const args = node['args'] as readonly unknown[]
  return which === undefined || args.length !== 1 ? null : { which, of: args[0], trims: which.startsWith('trim') }
}

/** A copy of syntax without the packs that are cut, which `take` looks at. */
function withoutCuts(node: unknown, take: (node: Node) => boolean): unknown {
  if (Array.isArray(node)) return node.map(n => withoutCuts(n, take))
  if (!isNode(node)) return node
  if (endOf(node)?.trims === true && take(node)) return null
  return Object.fromEntries(
    Object.entries(node).map(([key, child]) => [key, key === 'span' ? child : withoutCuts(child, take)]),
  )
}

/** Which part of each pack an expansion is at; null outside of one. */
type Part = number | null

/** Copies syntax with its packs expanded. Syntax without packs is shared. */
class Writer {
  readonly #cx: Cx
  /** Lengths: of packs of types by their names, of packs of values and of values whose types hold a pack by theirs. */
  readonly #counts: Map<string, number>
  /** Names that stand for one thing a part. */
  readonly #spread: Set<string>
  #depth = 0
  /** A constraint says that it cannot be written out so. */
  #isRefused = false

  constructor(cx: Cx, counts: Map<string, number>) {
    this.#cx = cx
    this.#counts = counts
    this.#spread = new Set(counts.keys())
  }

  write(node: unknown, part: Part = null): unknown {
    if (this.#depth > maxDepth) return node
    this.#depth++
    const made = this.#write(node, part)
    this.#depth--
    return made
  }

  #write(node: unknown, part: Part): unknown {
    if (Array.isArray(node)) {
      const list = node.flatMap(n => this.#item(n, part))
      return list.length === node.length && list.every((n, i) => n === node[i]) ? node : list
    }
    if (!isNode(node)) return node
    const span = node['span'] as Span
    switch (node['kind']) {
      case 'each':
        return this.#each(node['operand'] as ast.Expr, part, span)
      case 'call': {
        const ends = endOf(node)
        const list = ends === null ? null : this.#list(ends.of, part)
        if (ends === null || list === null) break
        const made = ends.which === 'first' ? list[0] : ends.which === 'last' ? list.at(-1) : undefined
        if (made !== undefined) return made
        if (ends.trims) this.#misused(span)
        else if (!this.#isRefused) this.#cx.sink.add(errors.emptyPack, span, {})
        return { kind: 'error', span }
      }
      case 'sizeof': {
        const operand = node['operand'] as ast.Expr
        const count = node['which'] === 'countof' ? this.#list(operand, part)?.length : undefined
        if (count !== undefined) return { kind: 'int', span, value: BigInt(count), suffix: '' }
        break
      }
      case 'expr':
        // The body of an `if` or loop.
        if (isNode(node['expr']) && node['expr']['kind'] === 'expand')
          return { kind: 'block', span, stmts: this.write([node], part) }
        break
      case 'expand':
        this.#misused(span)
        return { kind: 'error', span }
      case 'name':
        if (!this.#spread.has(node['name'] as string)) return node
        this.#misused(span)
        return { kind: 'error', span }
      default:
    }
    return this.#children(node, part)
  }

  #children(node: Node, part: Part): Node {
    let changed = false
    const entries = Object.entries(node).map(([key, child]): [string, unknown] => {
      const made = key === 'span' ? child : this.write(child, part)
      if (made !== child) changed = true
      return [key, made]
    })
    return changed ? Object.fromEntries(entries) : node
  }

  /** The copies of an item of a list, which a pack may expand to several. */
  #item(node: unknown, part: Part): readonly unknown[] {
    if (!isNode(node)) return [this.write(node, part)]
    const span = node['span'] as Span
    switch (node['kind']) {
      case 'expand':
        // Where none of it is a pack, `each` stands before a tuple.
        if (this.#lengths(node).length === 0 && eachesOf(node['operand']).length > 0) return [node]
        return this.#parts(node, span).map(i => this.write(node['operand'], i))
      case 'name':
        return this.#spread.has(node['name'] as string)
          ? this.#parts(node, span).map(i => ({ ...node, name: `${String(node['name'])}.${i}` }))
          : [node]
      case 'expr': {
        const expr = node['expr']
        if (isNode(expr) && expr['kind'] === 'expand') return this.#item(expr, part).map(e => ({ ...node, expr: e }))
        break
      }
      case 'typeParam':
      case 'valueParam':
      case 'param':
        return this.#declared(node as unknown as ast.GenericParam | ast.Param, span)
      case 'call': {
        const ends = endOf(node)
        if (ends === null || !ends.trims) break
        const list = this.#list(node, part)
        if (list === null) break
        return list
      }
      case 'nonempty': {
        // Where it is not empty there is nothing to say.
        const { pack } = node as unknown as { readonly pack: ast.Expr }
        const count = this.#list(pack, part)?.length
        if (count === undefined) break
        const number = (value: number): ast.Expr => ({ kind: 'int', span, value: BigInt(value), suffix: '' })
        this.#isRefused ||= count === 0
        return count > 0 ? [] : [{ kind: 'counts', span, left: number(0), right: number(1) }]
      }
      case 'conforms':
      case 'equals': {
        const subject = (node['subject'] ?? node['left']) as ast.Expr
        const inner = subject.kind === 'expand' ? subject.operand : subject
        if (inner.kind !== 'each' && !(inner.kind === 'name' && this.#spread.has(inner.name))) break
        const each: ast.Expr = inner.kind === 'each' ? inner : { kind: 'each', span: inner.span, operand: inner }
        return this.#parts(each, span).map(i =>
          this.#children({ ...node, [node['kind'] === 'equals' ? 'left' : 'subject']: each }, i),
        )
      }
      case 'var': {
        // A variable that holds a pack is one variable a part.
        const { init, name, type } = node as unknown as ast.VarDecl
        if (init?.kind !== 'expand') {
          this.#noteTuple(name, [type, init])
          break
        }
        const parts = this.#parts(init, span)
        this.#note(name.text, parts.length, true)
        return parts.map(i => ({
          ...node,
          name: { ...name, text: `${name.text}.${i}` },
          init: this.write(init.operand, i),
        }))
      }
      default:
    }
    return [this.write(node, part)]
  }

  /** Notes that a variable made from a pack may be a tuple of as many parts. */
  #noteTuple(name: ast.Name | undefined, made: unknown): void {
    const pack = [...this.#spread].find(p => mentions(made, p))
    if (pack !== undefined && name !== undefined) this.#note(name.text, this.#counts.get(pack)!, false)
  }

  #note(name: string, count: number, spread: boolean): void {
    this.#counts.set(name, count)
    if (spread) this.#spread.add(name)
  }

  /** A parameter of a function or a generic one. */
  #declared(node: ast.GenericParam | ast.Param, span: Span): readonly unknown[] {
    const name = node.name
    const { type } = node.kind === 'param' ? node : { type: undefined }
    const spread = node.kind !== 'param' ? node.pack : type !== undefined && isSpread(type, [...this.#spread])
    if (!spread) {
      this.#noteTuple(name, type)
      return [this.write(node)]
    }
    const parts =
      node.kind !== 'param'
        ? Array.from({ length: this.#counts.get(name!.text)! }, (_, i) => i)
        : this.#parts(type!, span)
    if (name !== undefined) this.#note(name.text, parts.length, true)
    return parts.map(i => {
      const own = name === undefined ? undefined : { ...name, text: `${name.text}.${i}` }
      if (node.kind !== 'param') return { ...this.#children(node as unknown as Node, i), name: own, pack: false }
      return { ...node, name: own, type: this.#spreadType(type!, i) }
    })
  }

  #spreadType(type: ast.Expr, part: number): unknown {
    if (type.kind === 'modified') return { ...type, type: this.#spreadType(type.type, part) }
    if (type.kind === 'name') return this.#each(type, part, type.span)
    return this.write(type.kind === 'expand' ? type.operand : type, part)
  }

  #each(operand: ast.Expr, part: Part, span: Span): unknown {
    if (part === null) {
      this.#cx.sink.add(errors.eachOutside, span, {})
      return { kind: 'error', span }
    }
    const own = this.#list(operand, part)?.[part]
    if (own !== undefined) return own
    return {
      kind: 'member',
      span,
      base: this.write(operand, part),
      name: { text: `_${part}`, span: operand.span },
      separator: '.',
    }
  }

  /** The parts that a pattern expands over. */
  #parts(pattern: unknown, span: Span): readonly number[] {
    const lengths = this.#lengths(pattern)
    const count = lengths[0]
    if (count === undefined) this.#cx.sink.add(errors.nothingToExpand, span, {})
    const other = lengths.find(l => l !== count)
    if (other !== undefined) this.#cx.sink.add(errors.packLengths, span, { one: count!, other })
    return Array.from({ length: Math.min(...lengths, lengths.length === 0 ? 0 : Infinity) }, (_, i) => i)
  }

  /** How many parts each pack in a pattern has. */
  #lengths(pattern: unknown): readonly number[] {
    // A pack of which an end is cut off counts for itself.
    const cut: number[] = []
    const rest = withoutCuts(pattern, node => {
      const list = this.#list(node, null)
      if (list !== null) cut.push(list.length)
      return list !== null
    })
    return [
      ...cut,
      ...[...this.#counts].filter(([name]) => mentions(rest, name, this.#spread.has(name))).map(([, count]) => count),
    ]
  }

  /** The parts of a pack, an expansion, or one of these without its first or last; null for anything else. */
  #list(node: unknown, part: Part): readonly unknown[] | null {
    if (!isNode(node)) return null
    if (node['kind'] === 'name') {
      const name = node['name'] as string
      if (!this.#spread.has(name)) return null
      return Array.from({ length: this.#counts.get(name)! }, (_, i) => ({ ...node, name: `${name}.${i}` }))
    }
    if (node['kind'] === 'each') return this.#list(node['operand'], part)
    if (node['kind'] === 'expand')
      return this.#parts(node, node['span'] as Span).map(i => this.write(node['operand'], i))
    const tuple = tupleArguments(node as unknown as ast.Expr)
    if (tuple !== undefined) return tuple.flatMap(arg => this.#item(arg, part))
    const ends = endOf(node)
    const list = ends?.trims === true ? this.#list(ends.of, part) : null
    return list === null ? null : ends!.which === 'trimFirst' ? list.slice(1) : list.slice(0, -1)
  }

  #misused(span: Span): void {
    this.#cx.sink.add(errors.packHere, span, {})
  }
}
