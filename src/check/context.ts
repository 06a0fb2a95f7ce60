/** The state of one run of the checker: everything that is resolved on demand is kept here, so that it is resolved once. */
import type { Sink } from '../base/diag.ts'

import type {
  AliasDecl, Container, Decl, EnumDecl, ExtensionDecl, FieldDecl, FuncAttributes, FuncDecl, GenericParams, GlobalDecl, InterfaceDecl,
  ModuleDecl, ParamDecl, StructDecl,
} from './decl.ts'
import type { Scope } from './scope.ts'
import type { Library } from './library.ts'
import type { Body, DerivativeInfo, Expr, GlobalInfo, StructDiffInfo } from './tree.ts'
import type { AssocType, GenericArg, Int, InterfaceType, Type } from './type.ts'

/** What `T : I` and `where` clauses say of the parameters of one generic declaration. */
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

export class Cx {
  readonly sink: Sink
  readonly library: Library
  readonly modules: ModuleDecl[] = []
  /** The generic parameter list whose parameters a scope holds. */
  readonly paramLists = new Map<Scope, GenericParams>()
  /** The next identity of a declaration or parameter. */
  nextId = 1
  /** How deep resolving has gone; bounds recursion. */
  depth = 0

  readonly constraints = new Map<GenericParams, readonly Constraint[] | 'busy'>()
  /** What type parameters and their associated types conform to, by key. */
  readonly bounds = new Map<string, InterfaceType[]>()
  /** `where A == B`: normal forms by key. */
  readonly equal = new Map<string, Type>()
  readonly fieldSigs = new Map<StructDecl, readonly FieldSig[] | 'busy'>()
  readonly bases = new Map<Decl, readonly InterfaceType[]>()
  readonly sigs = new Map<FuncDecl, FuncSig | 'busy'>()
  readonly attributes = new Map<FuncDecl, FuncAttributes>()
  readonly bodies = new Map<FuncDecl, Body | null>()
  readonly globalInfos = new Map<GlobalDecl, GlobalInfo | 'busy'>()
  readonly globalInits = new Map<GlobalDecl, Expr | null | 'busy'>()
  readonly fieldDefaults = new Map<FieldDecl, Expr | null>()
  readonly paramDefaults = new Map<FuncDecl, Map<number, Expr>>()
  readonly aliases = new Map<AliasDecl, Type | 'busy'>()
  readonly enumValues = new Map<EnumDecl, readonly number[] | 'busy'>()
  readonly enumTags = new Map<EnumDecl, Type>()
  readonly differentials = new Map<string, Type | null | 'busy'>()
  readonly synthesized = new Map<StructDecl, StructDecl | 'self' | 'busy'>()
  readonly structDiffs = new Map<string, StructDiffInfo | null>()
  readonly conformances = new Map<string, boolean | 'busy'>()
  readonly derivatives = new Map<FuncDecl, DerivativeInfo | 'busy'>()
  readonly foldedGlobals = new Map<GlobalDecl, Int | null | 'busy'>()
  readonly normalized = new Map<string, Type>()

  /** Extensions of the user's modules, and of core types that were asked for. */
  readonly extensions: ExtensionDecl[] = []
  readonly extensionInfos = new Map<ExtensionDecl, ExtensionInfo | 'busy'>()
  readonly coreExtensions = new Map<string, readonly ExtensionDecl[]>()
  /** Functions with `[…DerivativeOf(f)]` or `[PrimalSubstituteOf(f)]`. */
  readonly derivativeOfs: FuncDecl[] = []
  readonly blockMembers = new Map<FieldDecl, GlobalDecl>()
  /** Every declaration of the user's modules, in order, for what must be checked whether it is used or not. */
  readonly userDecls: Decl[] = []

  constructor(sink: Sink, library: Library) {
    this.sink = sink
    this.library = library
  }

  id(): number {
    return this.nextId++
  }
}

