/**
 * One program as an editor sees it: what `cotangent compile` would read from a file and from what that imports, checked as far as anybody has
 * asked. Every request of an editor is a function of an analysis and a place.
 */
import type { Diagnostic } from '../base/diag.ts'
import type { SourceFile, Span } from '../base/source.ts'
import {
  checkAsserts,
  checkDecl,
  checked,
  checkNames,
  checkOutline,
  load,
  rootsOf,
  type Loaded,
} from '../check/check.ts'
import type { Cx } from '../check/model/context.ts'
import type { Decl, FuncDecl } from '../check/model/decl.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import { funcSig, selfType } from '../check/types/index.ts'
import { checkConstants, checkResult } from '../check/statements/strict.ts'
import { core } from '../compile.ts'
import { Checked } from '../front.ts'
import type { ProjectOptions } from '../project/options.ts'
import type * as ast from '../syntax/ast.ts'
import { Bodies, type LoweredRoot } from './bodies.ts'
import { wordAt } from './lexed.ts'
import { noteFault, Relay } from './relay.ts'
import { Names, type Heard, type Surroundings, type Use } from './names.ts'
import { pathAt, type Node } from './path.ts'
import { allBodies, Segments } from './segments.ts'
import { kindOf, modifiersOf, type Target } from './target.ts'
import { folderOf, joined } from './uri.ts'

/** Where the texts of a program come from. */
export type Read = (path: string) => string | undefined

/** A name in a file, with what it means. */
export interface NamedRange {
  readonly start: number
  readonly end: number
  readonly target: Target
}

/** A program of an editor. It does not change: an edit makes another. */
export class Analysis {
  /** The path of the file that the program begins with. */
  readonly root: string
  readonly options: ProjectOptions
  /** Every path that was asked for with the text that was there, or undefined. */
  readonly inputs: ReadonlyMap<string, string | undefined>
  readonly names: Names
  /** What compiling parts of it found, by what they are called: see `lowering.ts`. */
  readonly lowered: Map<string, LoweredRoot> = new Map()
  /** All that compiling this state of the program found, once it has been compiled. */
  compiled: readonly Diagnostic[] | undefined
  /** Errors of the compiler itself: they are bugs, and the rest of the program is not checked. */
  readonly faults: unknown[] = []
  readonly #relay = new Relay()
  readonly #loaded: Loaded
  readonly #segments: Segments
  readonly #bodies: Bodies
  /** What stands outside of bodies: its names, and how many diagnostics reading and checking it gave. */
  readonly #outline: { readonly heard: readonly Heard[]; readonly read: number }
  /** What reading the bodies found that are not checked by themselves. */
  readonly #rest: readonly ReturnType<Names['reading']>[]
  readonly #targets = new Map<Decl, Target>()
  /** The declarations that nodes of the syntax tree make. */
  readonly #made = new Map<unknown, Decl>()
  #diagnostics: readonly Diagnostic[] | undefined
  #program: CheckedProgram | undefined
  #lazy: Checked | undefined
  #checked: Checked | undefined

  /** Reads a program and checks everything but the bodies of its functions. Of a previous state it keeps what still holds. */
  constructor(root: string, text: string, options: ProjectOptions, read: Read, previous?: Analysis) {
    this.root = root
    this.options = options
    const inputs = new Map<string, string | undefined>([[root, text]])
    this.inputs = inputs
    this.names = new Names(
      func => this.#bodies.asked(func),
      () => this.#bodies.shared(),
    )
    const resolve: Read = path => {
      const found = read(path)
      inputs.set(path, found)
      return found
    }
    this.#relay.work.measure(text.length, options.maxContext !== undefined)
    let loaded: Loaded | undefined
    const heard = this.names.during(() => this.#bounded(() => (loaded = this.#load(text, resolve))))
    // Of a text that takes too much to read, only that is said.
    this.#loaded = loaded ?? this.#load('', () => undefined)
    const { cx, isHalf } = this.#loaded
    const parsed = this.#relay.list.length
    this.#segments = new Segments(this.names.trees.values(), this.names.includes, inputs)
    const isLike = previous !== undefined && this.#segments.agrees(previous.#segments)
    const funcs = cx.userDecls.filter(
      (d): d is FuncDecl => d.kind === 'func' && d.hasBody && d.generics?.packed !== true,
    )
    const tasks = new Set(funcs.map(f => f.syntax.body))
    this.#rest = [...allBodies(this.names.trees.values())].flatMap(b => (tasks.has(b) ? [] : [this.names.reading(b)]))
    this.#bodies = new Bodies(
      isHalf ? [] : funcs,
      {
        loaded: this.#loaded,
        names: this.names,
        relay: this.#relay,
        segments: this.#segments,
        targetOf: this.targetOf,
        faults: this.faults,
      },
      isLike ? previous.#bodies : undefined,
    )
    const more = this.names.during(() => isHalf || this.#bounded(() => this.#check()))
    this.#outline = { heard: [heard, more], read: parsed }
    if (isLike) this.#keepLowered(previous)
  }

  /** Keeps what was found in compiling parts of a previous state, as far as no body has changed that has a part in it. */
  #keepLowered(previous: Analysis): void {
    const move = previous.#bodies.mover(this.#bodies)
    for (const [name, { diagnostics, bodies }] of previous.lowered)
      if (bodies.every(i => previous.#bodies.isSame(i, this.#bodies)))
        this.lowered.set(name, { diagnostics: diagnostics.map(move), bodies })
  }

  /** The numbers of the bodies that `work` asks for. */
  bodiesDuring(work: () => void): readonly number[] {
    return this.#bodies.during(work)
  }

  #load(source: string, resolve: Read): Loaded {
    const { searchPaths = [], defines = {}, matrixLayout } = this.options
    const columnMajor = matrixLayout === 'column-major'
    const from = { source, fileName: this.root, files: {}, resolve, searchPaths, defines, columnMajor }
    return load(from, core, this.#relay, this.names)
  }

  /** Runs a part of the work. A program that takes too much gets a diagnostic, and an error of the checker is noted. */
  #bounded(work: () => void): void {
    try {
      this.#relay.work.apart(work)
    } catch (error) {
      noteFault(error, this.#relay, this.faults)
    }
  }

  /** Checks what stands outside of bodies. */
  #check(): void {
    const { cx } = this.#loaded
    checkNames(cx)
    // Instances of declarations with packs come in on the way.
    const own = cx.userDecls.length
    for (let i = 0; i < cx.userDecls.length; i++) (i < own ? checkOutline : checkDecl)(cx, cx.userDecls[i]!)
    checkAsserts(cx)
    const program = checked(this.#loaded)
    for (const func of program.functions) checkResult(program, func, this.#relay)
    checkConstants(program, this.#relay)
    for (const decl of cx.userDecls.slice(0, own)) this.#declare(decl)
    for (const list of cx.paramLists.values()) for (const p of list.params) this.names.declared(p)
  }

  #declare(decl: Decl): void {
    if ('syntax' in decl) this.#made.set(decl.syntax, decl)
    if (decl.kind === 'func') {
      if (decl.generics?.packed !== true) for (const p of funcSig(this.cx, decl).params) this.names.declared(p)
      if (decl.of !== null) return
    }
    if (decl.kind === 'struct' && decl.syntax?.kind === 'struct' && decl.syntax.members === undefined) {
      // Declared before it is written out: the name means that.
      const written = decl.scope.names.get(decl.name)?.find(d => d.kind === 'struct')
      if (written !== undefined && decl.span !== null) return this.names.named(decl.span, written)
    }
    if (decl.kind === 'enum') for (const c of decl.cases) this.names.declared(c)
    this.names.declared(decl)
  }

  // ── What is wrong ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Checks body after body, as far as they are not known, and can be stopped between two of them. */
  *check(): Generator<void, void> {
    for (let i = 0; i < this.#bodies.count; i++) {
      if (this.#bodies.isKnown(i)) continue
      this.#bodies.check(i)
      yield
    }
    if (this.#bodies.isBelieved) return
    // What other bodies' checks found outside of themselves may be missing from kept results.
    yield* this.#checkAnew()
  }

  *#checkAnew(): Generator<void, void> {
    for (let i = 0; i < this.#bodies.count; i++) {
      if (this.#bodies.isLive(i)) continue
      this.#bodies.check(i)
      yield
    }
  }

  /** Everything that checking finds, in order of places; what is not checked yet is checked first. */
  get diagnostics(): readonly Diagnostic[] {
    if (this.#diagnostics !== undefined) return this.#diagnostics
    finish(this.check())
    const { list } = this.#relay
    const found = list.slice(this.#outline.read)
    const { cx, root } = this.#loaded
    const results = Array.from({ length: this.#bodies.count }, (_, i) => this.#bodies.result(i))
    for (const r of results) found.push(...r.diagnostics, ...r.warnings)
    const syntax = [...this.#rest.flatMap(r => r.diagnostics), ...results.flatMap(r => r.syntax)]
    const broken = [...this.#rest.flatMap(r => r.broken), ...results.flatMap(r => r.broken)]
    found.push(...this.#bodies.openEnds(this.#loaded.isHalf ? [] : rootsOf(cx, root)))
    return (this.#diagnostics = inOrder([
      ...list.slice(0, this.#outline.read),
      ...syntax,
      ...this.#loaded.doubts.with(broken).without(found),
    ]))
  }

  // ── The program ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** The state of the checker, for what no method here answers. */
  get cx(): Cx {
    return this.#loaded.cx
  }

  /** The files of the program, its root first. Without the core library. */
  get files(): readonly SourceFile[] {
    return this.cx.modules.flatMap(m => m.files)
  }

  /** All files that it was read from, also those that others read in their midst. */
  get sources(): readonly SourceFile[] {
    return this.#segments.files
  }

  /** The files that belong to the root alone: itself, and what it includes. */
  get ownFiles(): readonly SourceFile[] {
    const others = new Set(this.cx.modules.slice(1).flatMap(m => m.files))
    return this.#segments.files.filter(file => !others.has(file))
  }

  /** The file of a path; undefined where it is no part of the program. */
  file(path: string): SourceFile | undefined {
    return this.#segments.of(path)?.file
  }

  /** The path of what a file includes: it is looked for where the loader does, in that order. */
  included(path: string, from: SourceFile): string | undefined {
    const folders = [folderOf(from.name), ...(this.options.searchPaths ?? []), '']
    return folders.map(folder => joined(folder, path)).find(p => this.inputs.get(p) !== undefined)
  }

  /** Checks every body in this state, so that everything in it is known; it can be stopped between two of them. */
  *checkAll(): Generator<void, void> {
    yield* this.check()
    yield* this.#checkAnew()
  }

  /** The program for questions that few bodies answer: they are checked as somebody asks for them. */
  get lazy(): Checked {
    return (this.#lazy ??= new Checked(checked(this.#loaded), {}))
  }

  /** The program with another text for one of its files, which is read and checked as far as it differs. */
  variant(path: string, text: string): Analysis {
    const read: Read = p => (p === path ? text : this.inputs.get(p))
    return new Analysis(this.root, read(this.root) ?? '', this.options, read, this)
  }

  /** What lowering may ask of the program. */
  get program(): CheckedProgram {
    finish(this.checkAll())
    return (this.#program ??= checked(this.#loaded))
  }

  /** The program with what the project says of its entry points. */
  get checked(): Checked {
    const { entries, conformances } = this.options
    return (this.#checked ??= new Checked(this.program, { entries, conformances }))
  }

  // ── Places ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The syntax tree of a file. */
  tree(file: SourceFile): ast.Module | undefined {
    return this.names.trees.get(file)
  }

  /**
   * The nodes of the syntax tree around an offset, the outermost first; see `pathAt`. The body that they lie in is checked, so that
   * `names.known` knows their expressions.
   */
  path(file: SourceFile, offset: number, before = false): readonly Node[] {
    this.#enliven(file, offset)
    const own = this.tree(file)
    if (own !== undefined) return pathAt(own, file, offset, before)
    // A file that others read in their midst has no tree of its own.
    const paths = [...this.names.trees.values()].map(tree => pathAt(tree, file, offset, before))
    return paths.find(path => path.length > 1) ?? []
  }

  /** Checks the body around an offset in this state of the program. */
  #enliven(file: SourceFile, offset: number): void {
    const i = this.#bodies.at(file, offset)
    if (i !== undefined) this.#bodies.check(i)
  }

  /** The name at an offset, with what it means: one that stands around it, or ends there. */
  use(file: SourceFile, offset: number): Use | undefined {
    this.#enliven(file, offset)
    const found = this.names.at(file, wordAt(file, offset)?.span.start ?? offset)
    return found !== undefined && offset <= found.span.end ? found : undefined
  }

  /** From where names are looked up at an offset: the innermost block, type or module. */
  scope(file: SourceFile, offset: number): Surroundings {
    const outer: Surroundings = { scope: this.#loaded.root.inner, func: null, self: null }
    return this.path(file, offset, true).reduce((around, node) => this.#inside(node, around) ?? around, outer)
  }

  #inside(node: Node, around: Surroundings): Surroundings | undefined {
    switch (node.kind) {
      case 'block':
        return this.names.inside(node.stmts)
      case 'group':
      case 'targetCase':
        return this.names.inside(node.body)
      case 'namespace': {
        const found = around.scope.names.get(node.name.text)?.find(d => d.kind === 'namespace')
        return found === undefined ? undefined : { ...around, scope: found.inner }
      }
      default: {
        const decl = this.#made.get(node)
        if (decl === undefined || !('inner' in decl)) return this.names.known(node as ast.Expr)
        return { scope: decl.inner, func: null, self: decl.kind === 'func' ? around.self : selfType(this.cx, decl) }
      }
    }
  }

  // ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** All names of a file with what they mean, in order. What is not checked yet is checked first. */
  named(path: string): readonly NamedRange[] {
    finish(this.check())
    const found = new Map<number, NamedRange>()
    const add = ({ file, start, end }: Span, target: Target): void => {
      if (file.name === path) found.set(start, { start, end, target })
    }
    for (const { uses } of this.#outline.heard) for (const { span, decl } of uses) add(span, this.targetOf(decl))
    for (let i = 0; i < this.#bodies.count; i++)
      for (const { anchor, target } of this.#bodies.result(i).uses) add(this.#segments.span(anchor), target)
    return [...found.values()].toSorted((a, b) => a.start - b.start)
  }

  /** The declarations with some keys; those in bodies too, which are checked for that. */
  declared(keys: ReadonlySet<string>): readonly Decl[] {
    const found: Decl[] = []
    for (const key of keys) {
      const [, path = '', start = ''] = /^(.*):(\d+)$/.exec(key) ?? []
      const file = this.file(path)
      const use = file === undefined || start === '' ? undefined : this.use(file, Number(start))
      if (use?.span.start === Number(start)) found.push(use.decl)
    }
    return found
  }

  /** What macros name. */
  get hidden(): readonly Target[] {
    finish(this.check())
    const outside = this.#outline.heard.flatMap(({ hidden }) => [...hidden].map(this.targetOf))
    return [...outside, ...Array.from({ length: this.#bodies.count }, (_, i) => this.#bodies.result(i).hidden).flat()]
  }

  /** A declaration's place, in words that mean the same in all programs. */
  keyOf(target: Target): string {
    const place = target.core ?? this.place(target)
    return place === undefined ? '' : `${typeof place.file === 'string' ? place.file : place.file.name}:${place.start}`
  }

  /** What a declaration is, in a form that holds for other states and other programs too. */
  readonly targetOf = (decl: Decl): Target => {
    const known = this.#targets.get(decl)
    if (known !== undefined) return known
    const span = 'span' in decl ? decl.span : null
    const isCore = span?.file.isCore === true
    const target: Target = {
      name: decl.name,
      anchor: span === null || isCore ? undefined : this.#segments.anchor(span),
      core: isCore ? { file: span.file.name, start: span.start } : undefined,
      kind: kindOf(decl),
      modifiers: modifiersOf(this.cx, decl),
    }
    this.#targets.set(decl, target)
    return target
  }

  /** Where a declaration's name stands in this state of the program; undefined in the core library. */
  place({ anchor }: Target): Span | undefined {
    return anchor === undefined ? undefined : this.#segments.span(anchor)
  }
}

function finish(steps: Generator<void, void>): void {
  while (steps.next().done !== true);
}

/** Each diagnostic once, in order of files and places. */
function inOrder(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const key = (d: Diagnostic): readonly [string, number, string] => [
    d.span?.file.name ?? '',
    d.span?.start ?? -1,
    d.code,
  ]
  const sorted = list.toSorted((a, b) => {
    const [x, y] = [key(a), key(b)]
    return compare(x[0], y[0]) || x[1] - y[1] || compare(x[2], y[2]) || compare(a.message, b.message)
  })
  const seen = new Set<string>()
  return sorted.filter(d => {
    const own = d.span === undefined ? `${d.code}:${d.message}` : key(d).join(':')
    return seen.size < seen.add(own).size
  })
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
