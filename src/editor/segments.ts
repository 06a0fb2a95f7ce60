/**
 * The text of a file in segments: bodies of functions, and what stands between them. An edit in a body leaves all other segments as they
 * are, though it may move them. So a place is kept as an offset in a segment. Segments with even numbers lie between bodies.
 */
import { Span, type SourceFile } from '../base/source.ts'
import type * as ast from '../syntax/ast.ts'

/** A range of a file, kept by segments: it survives edits of other bodies. */
export interface Anchor {
  readonly path: string
  readonly first: number
  readonly start: number
  readonly last: number
  readonly end: number
}

/** The bodies of functions in declarations. Those with packs are left out on demand: they are written out anew for each use. */
function* bodiesOf(decls: readonly ast.Decl[], withPacks: boolean): Generator<ast.Block, void> {
  for (const decl of decls) {
    const isPacked = 'generics' in decl && decl.generics?.params.some(p => p.pack) === true
    if (isPacked && !withPacks) continue
    switch (decl.kind) {
      case 'func':
      case 'init':
      case 'accessor':
        if (decl.body !== undefined) yield decl.body
        break
      case 'namespace':
        yield* bodiesOf(decl.decls, withPacks)
        break
      case 'struct':
      case 'interface':
      case 'extension':
      case 'buffer':
        yield* bodiesOf(decl.members ?? [], withPacks)
        break
      case 'property':
      case 'subscript':
        yield* bodiesOf(decl.accessors, withPacks)
        break
      default:
    }
  }
}

/** All bodies of functions in files, but those inside of others. */
export function* allBodies(trees: Iterable<ast.Module>): Generator<ast.Block, void> {
  for (const tree of trees) yield* bodiesOf(tree.decls, true)
}

/** A body that is whole and no more than text: it does not come from a macro, and no directive stands in it. */
function isPlain({ file, start, end }: Span): boolean {
  const text = file.text.slice(start, end)
  return text.length > 1 && text.startsWith('{') && text.endsWith('}') && !/^[ \t]*#/m.test(text)
}

/** The segments of one file. */
export class FileSegments {
  readonly file: SourceFile
  /** Where the segments begin. */
  readonly #starts: readonly number[]

  constructor(file: SourceFile, bodies: readonly Span[]) {
    this.file = file
    const starts = [0]
    for (const { start, end } of bodies.toSorted((a, b) => a.start - b.start || b.end - a.end))
      if (start >= starts.at(-1)!) starts.push(start, end)
    this.#starts = starts
  }

  /** The number of the segment that holds the character after an offset; with `before`, the one before it. */
  at(offset: number, before = false): number {
    let lo = 0
    let hi = this.#starts.length - 1
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1
      if (before ? this.#starts[mid]! < offset : this.#starts[mid]! <= offset) lo = mid
      else hi = mid - 1
    }
    return lo
  }

  start(segment: number): number {
    return this.#starts[segment]!
  }

  text(segment: number): string {
    return this.file.text.slice(this.#starts[segment], this.#starts[segment + 1])
  }

  /** The texts between bodies. */
  get between(): readonly string[] {
    return this.#starts.flatMap((_, i) => (i % 2 === 0 ? [this.text(i)] : []))
  }
}

/** The segments of the files of a program. */
export class Segments {
  readonly #files = new Map<string, FileSegments>()
  /** What all bodies may depend on, apart from each other. */
  readonly #outline: readonly string[]
  /** Whether a body means the same wherever it stands. */
  readonly #isMovable: boolean

  constructor(
    trees: Iterable<ast.Module>,
    includes: Iterable<SourceFile>,
    inputs: ReadonlyMap<string, string | undefined>,
  ) {
    const bodies = new Map<SourceFile, Span[]>([...includes].map(file => [file, []]))
    const types: string[] = []
    for (const tree of trees) {
      if (!bodies.has(tree.file)) bodies.set(tree.file, [])
      for (const { span } of bodiesOf(tree.decls, false)) {
        if (!isPlain(span)) continue
        const list = bodies.get(span.file)
        if (list === undefined) bodies.set(span.file, [span])
        else list.push(span)
      }
      types.push(tree.file.name, ...tree.types)
    }
    for (const [file, list] of bodies) this.#files.set(file.name, new FileSegments(file, list))
    const texts = [...inputs].filter(([path]) => !this.#files.has(path))
    this.#outline = [
      ...[...this.#files].flatMap(([path, file]) => [path, ...file.between]),
      ...types,
      ...texts.flatMap(([path, text]) => [path, text ?? '', String(text === undefined)]),
    ]
    const all = [...this.#files.values()].map(({ file }) => file.text).concat(texts.map(([, text]) => text ?? ''))
    this.#isMovable = !all.some(
      text =>
        text.includes('__LINE__') || /\b(?:each|expand)\s*\(/.test(text) || (text.includes('##') && /LINE/.test(text)),
    )
  }

  /** The files of the program, with those that others read in their midst. */
  get files(): readonly SourceFile[] {
    return [...this.#files.values()].map(s => s.file)
  }

  of(path: string): FileSegments | undefined {
    return this.#files.get(path)
  }

  /** Whether all but the bodies is as it was in another state of the program, so that its bodies mean what they meant there. */
  agrees(other: Segments): boolean {
    const [a, b] = [this.#outline, other.#outline]
    return this.#isMovable && a.length === b.length && a.every((text, i) => text === b[i])
  }

  /** A span as an anchor; undefined for one in the core library. */
  anchor({ file, start, end }: Span): Anchor | undefined {
    const segments = this.#files.get(file.name)
    if (segments === undefined || segments.file !== file) return undefined
    const first = segments.at(start)
    const last = end > start ? segments.at(end, true) : first
    return { path: file.name, first, start: start - segments.start(first), last, end: end - segments.start(last) }
  }

  /** Where an anchor is now. */
  span({ path, first, start, last, end }: Anchor): Span {
    const segments = this.#files.get(path)!
    return new Span(segments.file, segments.start(first) + start, segments.start(last) + end)
  }
}
