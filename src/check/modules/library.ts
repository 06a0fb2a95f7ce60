/**
 * The core library, which is brought in piece by piece: the text of a declaration is parsed when its name is first looked
 * up. What the library is made of comes as data from a build step; this file says what that data must hold.
 *
 * What the checker expects of `core/*.slang`:
 * - Scalars, vectors, matrices and arrays are known without declaration (`float3`, `vector<T, N>`, `matrix<T, R, C>`,
 *   `T[N]`, `Array<T, N>`, `half`, `int64_t`, `float4x4` …); all other types are structs, `[__intrinsic("Name")]` where
 *   lowering knows them.
 * - Interfaces that the built-in types have (`IDifferentiable`, `IArithmetic`, `IFloat`, `__BuiltinFloatingPointType`,
 *   `__Lanewise` …) are declared as interfaces; which built-in types conform to them is a table in `builtin.ts`. A method
 *   that all those types should have (`T.getPi()`, `x.add(y)`) is a requirement with a default body, in which `This` is the
 *   built-in type and operators and `This(0.5)` work.
 * - `DifferentialPair<T : IDifferentiable>` has the fields `T p; T.Differential d;` and no others.
 * - Buffer elements are `__subscript(uint i) -> T { [__intrinsic("…")] ref; }`; read-only ones carry `[__readonly]` too.
 * - `[ForwardDerivativeOf(f)]` and its kin stand in the `derivatives` table under the name `f`.
 */
import { InternalError, Sink } from '../../base/diag.ts'
import { SourceFile } from '../../base/source.ts'
import { parseRange } from '../../syntax/parse.ts'
import { collect } from './collect.ts'
import { Cx, type Above, type CoreLibrary } from '../model/context.ts'
import type { Decl, ExtensionDecl, FuncDecl, ModuleDecl } from '../model/decl.ts'
import { newScope } from '../model/scope.ts'
import type { Type } from '../model/type.ts'

export interface LibraryData {
  readonly files: readonly { readonly name: string; readonly text: string }[]
  /** For each top-level name, triples (number of the file, start, end) of its declarations with their attributes. */
  readonly names: Readonly<Record<string, readonly number[]>>
  /** The same for extensions, by the first name in their target type (`Texture2D`, `vector`, `float`; `*` for a bare type parameter). */
  readonly extensions: Readonly<Record<string, readonly number[]>>
  /** The same for functions with `[ForwardDerivativeOf(f)]`, `[BackwardDerivativeOf(f)]`, `[PrimalSubstituteOf(f)]`, by `f`. */
  readonly derivatives: Readonly<Record<string, readonly number[]>>
}

// Bounded by the library itself: each declaration is parsed, and what it says resolved, at most once in the life of the process.
const known = new WeakMap<LibraryData['files'], Cx>()

/** The state of a library. It is the same for all programs. */
export function coreOf(data: LibraryData, above: Above): Cx {
  let core = known.get(data.files)
  if (core === undefined) {
    const library = new Library(data)
    // Tests see to it that nothing is wrong with the library.
    core = new Cx(new Sink(), library, above)
    library.attach(core)
    known.set(data.files, core)
  }
  return core
}

/** Drops the state of a library: an exception may have left something half done. */
export function forgetCore(data: LibraryData): void {
  known.delete(data.files)
}

/** The core library. */
export class Library implements CoreLibrary {
  readonly module: ModuleDecl
  readonly #data: LibraryData
  readonly #files: readonly SourceFile[]
  /** By name: what has been brought in. */
  readonly #names = new Map<string, readonly Decl[]>()
  readonly #extensions = new Map<string, readonly ExtensionDecl[]>()
  readonly #ranges = new Map<string, readonly Decl[]>()
  #cx: Cx | undefined

  constructor(data: LibraryData) {
    this.#data = data
    const files = (this.#files = data.files.map(f => new SourceFile(f.name, f.text, true)))
    const inner = newScope(null, 'module', null)
    this.module = {
      kind: 'module',
      id: 0,
      name: 'core',
      parent: null,
      file: files[0] ?? new SourceFile('core', ''),
      isCore: true,
      files: [...files],
      inner,
      imports: [],
    }
    Object.assign(inner, { owner: this.module })
  }

  /** Declarations are entered into this state. */
  attach(cx: Cx): void {
    this.#cx = cx
  }

  #load(triples: readonly number[] | undefined): Decl[] {
    const found: Decl[] = []
    if (triples === undefined || this.#cx === undefined) return found
    for (let i = 0; i < triples.length; i += 3) {
      const key = `${triples[i]}:${triples[i + 1]}`
      let decls = this.#ranges.get(key)
      if (decls === undefined) {
        decls = this.#bring(this.#files[triples[i]!]!, triples[i + 1]!, triples[i + 2]!)
        this.#ranges.set(key, decls)
      }
      found.push(...decls)
    }
    return found
  }

  /** Parses part of a file and enters what it declares. */
  #bring(file: SourceFile, start: number, end: number): readonly Decl[] {
    const inner = this.module.inner
    const cx = this.#cx!
    const found: Decl[] = []
    inner.entered = found
    collect(cx, parseRange(file, start, end, cx.sink), this.module, this.module, inner, 'public')
    inner.entered = null
    return found
  }

  /** The declarations of a name. */
  lookup(name: string): readonly Decl[] {
    let decls = this.#names.get(name)
    if (decls === undefined) {
      decls = Object.hasOwn(this.#data.names, name)
        ? this.#load(this.#data.names[name]).filter(d => d.name === name)
        : []
      this.#names.set(name, decls)
    }
    return decls
  }

  /** The declaration of a kind that there must be. */
  the<K extends Decl['kind']>(kind: K, name: string): Extract<Decl, { readonly kind: K }> {
    const decl = this.lookup(name)[0]
    if (decl?.kind === kind) return decl as Extract<Decl, { readonly kind: K }>
    throw new InternalError('check', `the core library has no ${kind} ${name}`)
  }

  /** The extensions of types with that head name. */
  extensions(head: string): readonly ExtensionDecl[] {
    let list = this.#extensions.get(head)
    if (list === undefined) {
      list = Object.hasOwn(this.#data.extensions, head)
        ? this.#load(this.#data.extensions[head]).filter(d => d.kind === 'extension')
        : []
      this.#extensions.set(head, list)
    }
    return list
  }

  /** Whether the library extends types of that kind at all. */
  mayExtend(type: Type): boolean {
    if (Object.hasOwn(this.#data.extensions, '*')) return true
    switch (type.kind) {
      case 'struct':
        return type.decl.module.isCore && Object.hasOwn(this.#data.extensions, type.decl.name)
      case 'scalar':
        return (
          Object.hasOwn(this.#data.extensions, 'scalar') ||
          Object.keys(this.#data.extensions).some(k => /^(bool|u?int|half|float|double)$/.test(k))
        )
      case 'vector':
      case 'matrix':
        return Object.hasOwn(this.#data.extensions, type.kind)
      case 'array':
        return Object.hasOwn(this.#data.extensions, 'Array')
      default:
        return false
    }
  }

  /** All names that it declares. */
  names(): readonly string[] {
    return Object.keys(this.#data.names)
  }

  /** Whether the library has a derivative for functions of that name. */
  hasDerivative(name: string): boolean {
    return Object.hasOwn(this.#data.derivatives, name)
  }

  /** Functions that declare themselves a derivative or substitute of a core function of that name. */
  derivativesOf(name: string): readonly FuncDecl[] {
    if (!Object.hasOwn(this.#data.derivatives, name)) return []
    return this.#load(this.#data.derivatives[name]).filter(d => d.kind === 'func')
  }
}
