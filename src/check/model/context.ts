/**
 * The state of one run of the checker. Everything that is resolved on demand is kept here, so that it is resolved once. It also has
 * what lower rooms ask of higher ones: declarations of the core library, and expressions that types need.
 */
import type { Diagnostic, Sink } from '../../base/diag.ts'
import type { SourceFile, Span } from '../../base/source.ts'
import type {
  AliasDecl,
  Decl,
  EnumDecl,
  ExtensionDecl,
  FieldDecl,
  FuncAttributes,
  FuncDecl,
  GenericParams,
  GlobalDecl,
  InterfaceDecl,
  LocalDecl,
  ModuleDecl,
  ParamDecl,
  StructDecl,
  Level,
  ValueParamDecl,
} from './decl.ts'
import type * as ast from '../../syntax/ast.ts'
import type { Later } from '../../syntax/cursor.ts'
import type { Macro } from '../../syntax/macro.ts'
import type { Scope } from './scope.ts'
import type { Template } from './func-ref.ts'
import type { Body, Expr, GlobalInfo, StructDiffInfo, Place, Stmt } from './tree.ts'
import { type AssocType, type Int, type InterfaceType, type Subst, type Type, voidType } from './type.ts'
import type { Lack } from './lack.ts'
import { Queries } from './query.ts'
import type { Term } from './term.ts'

/** The bounds from `T : I` and `where` clauses of one generic declaration. */
export interface Constraint {
  readonly subject: Type
  readonly iface: InterfaceType
}

/** A field with its type in terms of the struct's own parameters. */
export interface FieldSig {
  readonly decl: FieldDecl
  readonly type: Type
  readonly noDiff: boolean
  readonly semantic: string
}

/** The signature of a declaration in terms of its own and outer generic parameters. */
export interface FuncSig {
  readonly params: readonly ParamDecl[]
  readonly result: Type
  readonly resultNoDiff: boolean
}

/** An extension with its target resolved. */
export interface ExtensionInfo {
  readonly decl: ExtensionDecl
  readonly target: Type
  readonly bases: readonly InterfaceType[]
}

/** A `__func_extension` and the function that it extends. */
export interface FuncExtension {
  readonly decl: FuncDecl
  readonly derives: ast.FuncExtension['derives']
  readonly primal: FuncDecl
  /** What the generic parameters of the primal are, in terms of those of the extension. */
  readonly pattern: Subst
  /** Of an `__apply`: what is called on the context. */
  readonly context: { readonly decl: FuncDecl; readonly subst: Subst } | null
}

/** The core library, whose declarations come in when they are first looked up. */
export interface CoreLibrary {
  readonly module: ModuleDecl
  /** The declarations of a name. */
  lookup(name: string): readonly Decl[]
  /** The declaration of a kind that there must be. */
  the<K extends Decl['kind']>(kind: K, name: string): Extract<Decl, { readonly kind: K }>
  /** The extensions of types with that head name. */
  extensions(head: string): readonly ExtensionDecl[]
  /** Whether the library extends types of that kind at all. */
  mayExtend(type: Type): boolean
  /** All names that it declares. */
  names(): readonly string[]
  /** Whether the library has a derivative for functions of that name. */
  hasDerivative(name: string): boolean
  /** Functions that declare themselves a derivative or substitute of a core function of that name. */
  derivativesOf(name: string): readonly FuncDecl[]
}

/**
 * What a room asks of the rooms above it. A size or a generic argument is an expression, a constant has the type of its initial
 * value, and a lambda is an expression made of statements.
 */
export interface Above {
  /** Checks an expression as a term: a value, a place, a type, functions. */
  term(env: Env, e: ast.Expr): Term
  /** Checks an expression as a value of a given type, or of its own type if that is null. */
  value(env: Env, e: ast.Expr, to: Type | null): Expr
  lambda(env: Env, e: ast.LambdaExpr): Term
  attempt(env: Env, e: ast.TryExpr): Term
  /** Whether a function would lose a derivative if it were differentiable. */
  loses(cx: Cx, func: FuncDecl, body: Body): boolean
  /** Makes the function with the signature of a requirement that calls one of the type's own; null where none fits. */
  bridge(
    cx: Cx,
    owner: StructDecl | ExtensionDecl,
    self: Type,
    requirement: FuncDecl,
    iface: InterfaceType,
  ): Bridge | null
}

/** A function that the compiler made to meet a requirement, and the one that it calls. */
export interface Bridge {
  readonly decl: FuncDecl
  readonly target: FuncDecl
}

/**
 * Hears what the checker finds out about the text, for an editor. A compilation has none. It hears some things twice: the statements
 * of a `defer` are checked at each way out.
 */
export interface Observer {
  /** Makes a body that is read when somebody asks for its statements. */
  readonly later: Later
  /** A file was parsed. */
  parsed(tree: ast.Module): void
  /** An import or `__include` means a file. */
  file(span: Span, file: SourceFile): void
  /** A file is read in the midst of another, by `#include`. */
  included(file: SourceFile): void
  /** A name means a macro. */
  macro(span: Span, macro: Macro): void
  /** A name means a declaration. Of overloads it is the nearest one; what a call chooses shows in its term. */
  named(span: Span, decl: Decl): void
  /** What an expression is, where it stands. */
  term(env: Env, e: ast.Expr, term: Term): void
  /** The statements of a block are about to be checked in a scope, which will hold what they declare. */
  block(env: Env, stmts: readonly ast.Stmt[]): void
  /** The body of a function is asked for. */
  body(func: FuncDecl): void
  /** Something is used that is made once for all who need it: an instance of a declaration with packs. */
  shared(): void
  /** The body of a lambda names a field that holds a copy of what stands outside. */
  captured(field: FieldDecl, of: Place): void
}

/** Declarations of the core library are fewer. */
const firstUserId = 1 << 20

const none: readonly InterfaceType[] = []

/** What an interface says of its associated types, in terms of its `This`: what they conform to, and what they are. */
export interface Facts {
  readonly bounds: (readonly [Type, InterfaceType])[]
  readonly equal: (readonly [AssocType, Type])[]
}

export class Cx {
  readonly sink: Sink
  readonly library: CoreLibrary
  readonly above: Above
  readonly modules: ModuleDecl[] = []
  /** The generic parameter list whose parameters a scope holds. */
  readonly paramLists: Map<Scope, GenericParams> = new Map()
  /** Whether matrices lie in memory column by column where nothing says otherwise. */
  columnMajor = false
  observer: Observer | null = null
  /** The state of the core library; this state itself if it is that. */
  readonly core: Cx
  /** The next identity of a declaration or parameter. */
  #nextId: number
  /** Loops of differentiable functions whose trips nothing in the text bounds. */
  readonly unbounded: Span[] = []
  /** Uses of what no target has. Only what an entry point or export reaches is reported, by lowering. */
  readonly lacks: Lack[] = []
  /** Whether the program has pointers. */
  hasPointers = false
  /** The generic parameters that stand for the order of a matrix in memory: `matrix<T, R, C, L>`. */
  readonly orders: Set<ValueParamDecl> = new Set()
  /** The extensions, with types, whose parameters are being inferred from what other extensions add. */
  readonly settling: Set<string> = new Set()
  /** Above zero within arguments of generic types, which may name vectors that no value has. */
  namesOnly = 0
  /** Whether a function of the program has a primal substitute. */
  substitutes = false
  /** Unmarked functions that have been checked as parts of differentiable ones, and the derivatives that get lost in them. */
  readonly inlined: Map<FuncDecl, readonly Diagnostic[]> = new Map()

  readonly constraints: Map<GenericParams, readonly Constraint[] | 'busy'> = new Map()
  /** What `where A == B` says, by parameter list. */
  readonly equalities: Map<GenericParams, readonly (readonly [Type, Type])[]> = new Map()
  /** What `where countof(T) == N` says of parameter lists whose packs are written out, and which of these numbers are equal by that. */
  readonly counts: Map<GenericParams, readonly (readonly [Int, Int])[]> = new Map()
  readonly sameCounts: Set<string> = new Set()
  /** What type parameters and their associated types conform to, by key. */
  readonly bounds: Map<string, InterfaceType[]> = new Map()
  /** Interfaces that they may also conform to (`where optional T : I`), which `if (T is I)` tests. */
  readonly optionals: Map<string, InterfaceType[]> = new Map()
  /** What the `where` clauses of an interface say of its associated types. */
  readonly facts: Map<InterfaceDecl, Facts> = new Map()
  readonly interfacesWithFacts: Set<InterfaceDecl> = new Set()
  /** `where A == B`: normal forms by key. */
  readonly equal: Map<string, Type> = new Map()
  readonly fieldSigs: Map<StructDecl, readonly FieldSig[]> = new Map()
  readonly writtenFields: Map<StructDecl, readonly FieldSig[] | 'busy'> = new Map()
  readonly bases: Map<Decl, readonly InterfaceType[]> = new Map()
  readonly sigs: Map<FuncDecl, FuncSig | 'busy'> = new Map()
  /** Signatures for overload resolution, of functions as declared. */
  readonly templates: Map<FuncDecl, Template> = new Map()
  readonly attributes: Map<FuncDecl, FuncAttributes> = new Map()
  readonly bodies: Map<FuncDecl, Body | null> = new Map()
  readonly globalInfos: Map<GlobalDecl, GlobalInfo | 'busy'> = new Map()
  readonly globalInits: Map<GlobalDecl, Expr | null | 'busy'> = new Map()
  /** Initial values of `const` and `let` locals, which may fold. */
  readonly localInits: Map<LocalDecl, Expr> = new Map()
  /** Folded initial values of constants, by the arguments of the generic types around. */
  readonly folded: Map<Expr, Map<string, Int | null>> = new Map()
  readonly fieldDefaults: Map<FieldDecl, Expr | null> = new Map()
  /** Bridges by the type or extension, the interface and the requirement; and what those that were made call. */
  readonly bridges: Map<string, Bridge | null> = new Map()
  readonly bridgeTargets: Map<FuncDecl, FuncDecl> = new Map()
  readonly paramDefaults: Map<FuncDecl, Map<number, Expr>> = new Map()
  readonly aliases: Map<AliasDecl, Type | 'busy'> = new Map()
  readonly enumValues: Map<EnumDecl, readonly number[]> = new Map()
  readonly enumTags: Map<EnumDecl, Type> = new Map()
  readonly differentials: Map<string, Type | null | 'busy'> = new Map()
  readonly synthesized: Map<StructDecl, StructDecl | 'self' | 'busy'> = new Map()
  readonly structDiffs: Map<string, StructDiffInfo | null> = new Map()
  /** Which types conform to which interfaces, by the keys of both. */
  readonly conformances: Queries
  readonly links: Map<FuncDecl, { forward: FuncDecl | null; backward: FuncDecl | null; substitute: FuncDecl | null }> =
    new Map()
  /** Functions without a body, by name, which redeclare a function. */
  readonly redeclared: Map<string, FuncDecl[]> = new Map()

  /** Extensions of the user's modules, and of core types that were asked for. */
  readonly extensions: ExtensionDecl[] = []
  /** Extensions of the user's modules with packs, of which `extensions` holds instances. */
  readonly packedExtensions: ExtensionDecl[] = []
  /** The first extensions, as many as were indexed, by the struct that they extend, or null. */
  readonly extensionsByTarget: Map<Decl | null, ExtensionDecl[]> = new Map()
  sorted = 0
  /** Instances of declarations with packs, by declaration and lengths of packs; and the instances themselves. */
  readonly writtenOut: Map<Decl, Map<string, Decl>> = new Map()
  /** Of functions with the result `Ref<T>`: what writes there. */
  readonly refWriters: Map<FuncDecl, FuncDecl> = new Map()
  readonly variadic: Map<Decl, readonly number[]> = new Map()
  /** Constants and types that modules export, by name. */
  readonly exports: Map<string, (GlobalDecl | StructDecl | AliasDecl)[]> = new Map()
  readonly extensionInfos: Map<ExtensionDecl, ExtensionInfo | 'busy'> = new Map()
  /** Functions with `[…DerivativeOf(f)]` or `[PrimalSubstituteOf(f)]`. */
  readonly derivativeOfs: FuncDecl[] = []
  /** Each `__func_extension`, what it extends, and by function those that extend it. */
  readonly funcExtensions: FuncDecl[] = []
  readonly extendedFuncs: Map<FuncDecl, FuncExtension | 'busy' | null> = new Map()
  readonly extensionsOfFuncs: Map<FuncDecl, readonly FuncExtension[]> = new Map()
  readonly asserts: { readonly decl: ast.AssertDecl; readonly scope: Scope }[] = []
  readonly blockMembers: Map<FieldDecl, GlobalDecl> = new Map()
  /** Every declaration of the user's modules, in order, to be checked even if it is unused. */
  readonly userDecls: Decl[] = []

  constructor(sink: Sink, library: CoreLibrary, above: Above, core?: Cx) {
    this.sink = sink
    this.library = library
    this.above = above
    this.core = core ?? this
    this.conformances = new Queries(sink.work)
    this.#nextId = core === undefined ? 1 : firstUserId
  }

  /** Whether this is the state of the core library, which is trusted. */
  get isCore(): boolean {
    return this.core === this
  }

  /** The state of the core library; this state itself if it is that. */
  of(decl: { readonly module: ModuleDecl }): Cx {
    return decl.module.isCore ? this.core : this
  }

  /** What a type parameter or associated type with that key conforms to. */
  boundsAt(key: string): readonly InterfaceType[] {
    const own = this.bounds.get(key) ?? none
    return this.isCore ? own : [...(this.core.bounds.get(key) ?? none), ...own]
  }

  /** What `where A == B` makes of a type. */
  equalTo(key: string): Type | undefined {
    return this.equal.get(key) ?? this.core.equal.get(key)
  }

  id(): number {
    return this.#nextId++
  }
}

/** A `catch`. */
export interface Handler {
  /** Null: it takes errors of every type. */
  readonly type: Type | null
  /** The variable that holds the error. */
  readonly caught: LocalDecl | null
  /** What it stands behind, among the exits; and the number of `defer`s outside. */
  readonly exit: number
  readonly outside: number
  used: boolean
}

/** The environment of an expression or statement: its scope, its function, the type of `this`, and what is allowed. */
export class Env {
  readonly cx: Cx
  scope: Scope
  readonly func: FuncDecl | null
  /** The type of `this`, null where there is none. */
  readonly self: Type | null
  /** Why `this` may not be written, or null. */
  readonly selfFixed: string | null
  /** In a lambda: where it keeps the `this` of outside; null if there is none there. */
  outer: Place | null | undefined
  result: Type
  /** The result type is that of the first `return`: in lambdas. */
  infers = false
  readonly level: Level
  loops = 0
  depth = 0
  /** The deferred statements, by the scope of their `defer`; and how many of them there were outside of the innermost loop. */
  readonly defers: { readonly body: ast.Stmt; readonly scope: Scope }[] = []
  outsideLoop = 0
  /**
   * The loops and switches that `break` may leave, the innermost last, with the number of `defer`s outside. What an error leaves is
   * among them, and does not count for the `break`s of the source.
   */
  readonly exits: { readonly label: string | null; readonly outside: number; readonly breaks: boolean }[] = []
  /** What may catch an error here, the innermost last. */
  readonly handlers: Handler[] = []
  /** In a deferred statement, which errors do not leave: the first handler inside of it. */
  caughtFrom = 0
  deferring = false
  /** The calls behind `try`. */
  readonly tried: Set<Span> = new Set()
  /** The ways out of the current statement by errors. */
  leaving: Stmt[] = []
  /** The label before the loop or switch that comes next. */
  label: string | null = null

  constructor(
    cx: Cx,
    scope: Scope,
    func: FuncDecl | null = null,
    self: Type | null = null,
    selfFixed: string | null = null,
    result: Type = voidType,
    level: Level = 'none',
  ) {
    this.cx = cx
    this.scope = scope
    this.func = func
    this.self = self
    this.selfFixed = selfFixed
    this.result = result
    this.level = level
  }

  /** The object whose members stand here without a name, and have a type; null where there is none. */
  objectOf(type: Type | null, span: Span): Place | null {
    if (type === null) return null
    if (type.key === this.self?.key) return { kind: 'this', type: this.self, span }
    return type.key === this.outer?.type.key ? this.outer : null
  }

  /** What `this` means. */
  object(span: Span): Place | null {
    return this.outer === undefined ? this.objectOf(this.self, span) : this.outer
  }
}
