/**
 * One program as an editor sees it: what `cotangent compile` would read from a file and from what that imports, checked as far as anybody has
 * asked. Every request of an editor is a function of an analysis and a place.
 */
import { Sink, type Diagnostic } from '../base/diag.ts'
import type { SourceFile } from '../base/source.ts'
import { checked, declarations, load, type Loaded } from '../check/check.ts'
import type { Cx } from '../check/model/context.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import { checkAssigned } from '../check/statements/assigned.ts'
import { checkStrictly } from '../check/statements/strict.ts'
import { core } from '../compile.ts'
import { Checked } from '../front.ts'
import type { ProjectOptions } from '../project/options.ts'
import type * as ast from '../syntax/ast.ts'
import { Names, type Surroundings, type Use } from './names.ts'
import { pathAt, type Node } from './path.ts'

/** Where the texts of a program come from. */
export type Read = (path: string) => string | undefined

/** A program of an editor. It does not change: an edit makes another. */
export class Analysis {
  /** The path of the file that the program begins with. */
  readonly root: string
  readonly options: ProjectOptions
  /** Every path that was asked for with the text that was there, or undefined. */
  readonly inputs: ReadonlyMap<string, string | undefined>
  readonly names: Names = new Names()
  readonly #loaded: Loaded
  readonly #sink = new Sink()
  readonly #steps: Generator<unknown, void>
  #done = false
  #program: CheckedProgram | undefined

  constructor(root: string, text: string, options: ProjectOptions, read: Read) {
    this.root = root
    this.options = options
    const inputs = new Map<string, string | undefined>([[root, text]])
    this.inputs = inputs
    this.#loaded = load(
      {
        source: text,
        fileName: root,
        files: {},
        resolve: path => {
          const found = read(path)
          inputs.set(path, found)
          return found
        },
        searchPaths: options.searchPaths ?? [],
        defines: options.defines ?? {},
        columnMajor: options.matrixLayout === 'column-major',
      },
      core,
      this.#sink,
      this.names,
    )
    this.#steps = this.#check()
  }

  /** The state of the checker, for what no method here answers. */
  get cx(): Cx {
    return this.#loaded.cx
  }

  /** The files of the program, its root first. Without the core library. */
  get files(): readonly SourceFile[] {
    return this.cx.modules.flatMap(m => m.files)
  }

  /** The file of a path; undefined where it is no part of the program. */
  file(path: string): SourceFile | undefined {
    return this.files.find(f => f.name === path) ?? [...this.names.trees.keys()].find(f => f.name === path)
  }

  /** Checks declaration after declaration, and can be stopped between two of them. */
  *check(): Generator<void, void> {
    while (!this.#done) {
      this.#done = this.#steps.next().done === true
      if (!this.#done) yield
    }
  }

  *#check(): Generator<unknown, void> {
    yield* declarations(this.#loaded)
    const program = (this.#program = checked(this.#loaded))
    if (this.#sink.errors > 0) return
    checkAssigned(program, this.#sink)
    checkStrictly(program, this.#sink)
  }

  #finish(): void {
    const steps = this.check()
    while (steps.next().done !== true);
  }

  /** Everything that checking finds; what is not checked yet is checked first. */
  get diagnostics(): readonly Diagnostic[] {
    this.#finish()
    return this.#sink.list
  }

  /** What lowering may ask of the program. */
  get program(): CheckedProgram {
    this.#finish()
    return (this.#program ??= checked(this.#loaded))
  }

  /** The program with what the project says of its entry points. */
  get checked(): Checked {
    const { entries, conformances } = this.options
    return new Checked(this.program, { entries, conformances })
  }

  /** The syntax tree of a file. */
  tree(file: SourceFile): ast.Module | undefined {
    return this.names.trees.get(file)
  }

  /** The nodes of the syntax tree around an offset, the outermost first; see `pathAt`. */
  path(file: SourceFile, offset: number, before = false): readonly Node[] {
    const tree = this.tree(file)
    return tree === undefined ? [] : pathAt(tree, file, offset, before)
  }

  /** The name at an offset, with what it means: one that stands around it, or ends there. */
  use(file: SourceFile, offset: number): Use | undefined {
    this.#finish()
    let found: Use | undefined
    for (const use of this.names.in(file))
      if (use.span.start <= offset && offset <= use.span.end && (found === undefined || use.span.start === offset))
        found = use
    return found
  }

  /** From where names are looked up at an offset: the innermost block, type or module. */
  scope(file: SourceFile, offset: number): Surroundings {
    this.#finish()
    const outer: Surroundings = { scope: this.#loaded.root.inner, func: null, self: null }
    return this.path(file, offset, true).reduce((around, node) => this.#inside(node) ?? around, outer)
  }

  #inside(node: Node): Surroundings | undefined {
    if (node.kind === 'block') return this.names.inside(node.stmts)
    if (node.kind === 'group' || node.kind === 'targetCase') return this.names.inside(node.body)
    return this.names.known(node as ast.Expr)
  }
}
