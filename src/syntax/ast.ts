/**
 * The surface syntax as a tree. Every node is a plain object with a string `kind` and a `span` first.
 *
 * Types are expressions: `TypeExpr` is `Expr`, and a parsed type uses only the kinds listed at `TypeExpr`. So `float3[4]` is an
 * `index` whose base is a `name`, whether it is a type or the callee of a constructor call. The checker decides what a name means.
 *
 * Nothing is resolved here: a `generic` node is `f<int>` or `vector<float, 3>`, a `member` node is `a.b` or `a::b`, and a call of a
 * type is a `call`. A feature of the language that this compiler lacks is an `unsupported` node that names the feature, so that the
 * checker can say so.
 */
import type { SourceFile, Span } from '../base/source.ts'
import type { Expr, TypeExpr } from './ast-expr.ts'

export type * from './ast-expr.ts'

/** A name where it is declared or selected. Operators are `operator+`, `operator()`, `operator[]`. */
export interface Name {
  readonly text: string
  readonly span: Span
}

/** One parsed file with what `#include` brought into it. */
export interface Module {
  readonly kind: 'module'
  readonly span: Span
  readonly file: SourceFile
  readonly decls: readonly Decl[]
  /** The names that the parser took for types wherever they stand. */
  readonly types: ReadonlySet<string>
  /** What the parser could not understand. */
  readonly broken: readonly Broken[]
  /** The version of the language that it is written in. */
  readonly version: number
}

/** A part of a text that the parser could not understand, without the bodies in it that it could. */
export interface Broken {
  readonly span: Span
  /** `braces`: a brace that has no other, so that nobody knows what is inside. */
  readonly what: 'statement' | 'declaration' | 'braces'
}

// ---------------------------------------------------------------------------------------------------------------------
// What hangs on declarations

/** A keyword before a declaration or parameter: `static`, `inout`, `no_diff`, `public`; spelled as in the source. */
export interface Modifier {
  readonly kind: 'modifier'
  readonly span: Span
  readonly name: string
}

/** `[name(args)]` or `[[ns::name]]`; several in one pair of brackets are several attributes. */
export interface Attribute {
  readonly kind: 'attribute'
  readonly span: Span
  /** With its scope: `vk::binding`. */
  readonly name: string
  readonly nameSpan: Span
  readonly args: readonly Argument[]
}

/** An argument of an attribute, perhaps named: `wgsl: "sin"`. */
export interface Argument {
  readonly kind: 'argument'
  readonly span: Span
  readonly name: Name | undefined
  readonly value: Expr
}

/** `: SV_Position`, `: register(t0, space1)`, `: packoffset(c0.x)`; a bit-field width is the semantic `:` with one argument. */
export interface Semantic {
  readonly kind: 'semantic'
  readonly span: Span
  readonly name: string
  readonly args: readonly Expr[]
}

/** `<T : I & J, let N : int>` (or `__generic<…>`) and all `where` clauses of a declaration. */
export interface Generics {
  readonly kind: 'generics'
  readonly span: Span
  readonly params: readonly GenericParam[]
  readonly where: readonly Where[]
}

export type GenericParam = TypeParam | ValueParam

/** `T`, `T : I & J`, `T = int`, `each T : I`. */
export interface TypeParam {
  readonly kind: 'typeParam'
  readonly span: Span
  readonly name: Name
  /** `I & J` comes as two bounds. */
  readonly bounds: readonly TypeExpr[]
  readonly fallback: TypeExpr | undefined
  readonly pack: boolean
  /** It stands for the type of the parameter with this number, which is called; the text does not show it. */
  readonly hides?: number
}

/** `let N : int`, `let each N : int` or `int N`, perhaps with a default value. */
export interface ValueParam {
  readonly kind: 'valueParam'
  readonly span: Span
  readonly name: Name
  readonly type: TypeExpr
  readonly fallback: Expr | undefined
  readonly pack: boolean
}

/**
 * `where T : I, J` (conforms), `where T == U` (equals), `where T(U)` (converts: T can be made from U) `where countof(T) == N`
 * (counts), or `where nonempty(T)`.
 */
export type Where =
  | {
      readonly kind: 'conforms'
      readonly span: Span
      readonly subject: TypeExpr
      readonly bounds: readonly TypeExpr[]
      readonly optional: boolean
    }
  | { readonly kind: 'equals'; readonly span: Span; readonly left: TypeExpr; readonly right: TypeExpr }
  | { readonly kind: 'converts'; readonly span: Span; readonly to: TypeExpr; readonly from: TypeExpr }
  | { readonly kind: 'counts'; readonly span: Span; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'nonempty'; readonly span: Span; readonly pack: Expr }

/** A parameter of a function, constructor, subscript or lambda. The direction stands in `modifiers`. */
export interface Param {
  readonly kind: 'param'
  readonly span: Span
  readonly attributes: readonly Attribute[]
  readonly modifiers: readonly Modifier[]
  /** Undefined in `float f(float);`. */
  readonly name: Name | undefined
  /** Undefined only for the parameters of a lambda that leaves types to inference. */
  readonly type: TypeExpr | undefined
  readonly fallback: Expr | undefined
  readonly semantics: readonly Semantic[]
}

// ---------------------------------------------------------------------------------------------------------------------
// Declarations

export type Decl =
  | ModuleDecl
  | ImportDecl
  | IncludeDecl
  | NamespaceDecl
  | UsingDecl
  | StructDecl
  | InterfaceDecl
  | EnumDecl
  | EnumCase
  | ExtensionDecl
  | FuncDecl
  | InitDecl
  | SubscriptDecl
  | PropertyDecl
  | AccessorDecl
  | AliasDecl
  | AssociatedTypeDecl
  | VarDecl
  | BufferDecl
  | AssertDecl
  | UnsupportedDecl

interface DeclBase {
  readonly span: Span
  readonly attributes: readonly Attribute[]
  readonly modifiers: readonly Modifier[]
}

/** `module name;` or, in a further file of it, `implementing name;`. */
export interface ModuleDecl extends DeclBase {
  readonly kind: 'moduleDecl'
  /** Dotted, or the text of the string. */
  readonly name: Name
  readonly implementing: boolean
}

/** `import a.b;`, `import "a/b.slang";`, `__exported import a;`. */
export interface ImportDecl extends DeclBase {
  readonly kind: 'import'
  /** `a.b` or `a/b.slang`. */
  readonly name: Name
  /** Written as a string. */
  readonly isPath: boolean
  readonly exported: boolean
}

/** `__include a;` or `__include "a.slang";`: another file of the same module. */
export interface IncludeDecl extends DeclBase {
  readonly kind: 'include'
  readonly name: Name
  readonly isPath: boolean
}

/** `namespace a::b { … }` is two nested nodes. */
export interface NamespaceDecl extends DeclBase {
  readonly kind: 'namespace'
  readonly name: Name
  readonly decls: readonly Decl[]
}

/** `using a::b;` or `using namespace a;`. */
export interface UsingDecl extends DeclBase {
  readonly kind: 'using'
  readonly target: Expr
}

/** `struct`; `members` is undefined for a forward declaration, `alias` is set by `struct A : I = B;`. */
export interface StructDecl extends DeclBase {
  readonly kind: 'struct'
  readonly name: Name
  readonly generics: Generics | undefined
  readonly bases: readonly TypeExpr[]
  readonly members: readonly Decl[] | undefined
  readonly alias: TypeExpr | undefined
}

export interface InterfaceDecl extends DeclBase {
  readonly kind: 'interface'
  readonly name: Name
  readonly generics: Generics | undefined
  readonly bases: readonly TypeExpr[]
  readonly members: readonly Decl[] | undefined
}

/** `enum E : uint { A, B = 2 }`; other members than cases are not allowed. */
export interface EnumDecl extends DeclBase {
  readonly kind: 'enum'
  readonly name: Name
  /** Written `enum class`. */
  readonly isClass: boolean
  /** Its tag type and interfaces. */
  readonly bases: readonly TypeExpr[]
  readonly cases: readonly EnumCase[]
}

export interface EnumCase extends DeclBase {
  readonly kind: 'enumCase'
  readonly name: Name
  readonly value: Expr | undefined
}

/** `extension<T : I> Target : Bases where … { … }`. */
export interface ExtensionDecl extends DeclBase {
  readonly kind: 'extension'
  readonly generics: Generics | undefined
  readonly target: TypeExpr
  readonly bases: readonly TypeExpr[]
  readonly members: readonly Decl[]
}

/** A function or method in either style; operators have the name `operator+`. A prefix or postfix form has that modifier. */
export interface FuncDecl extends DeclBase {
  readonly kind: 'func'
  readonly name: Name
  readonly generics: Generics | undefined
  readonly params: readonly Param[]
  /** Undefined for `func f()` without `->`, which returns nothing. */
  readonly result: TypeExpr | undefined
  /** Of the result. */
  readonly semantics: readonly Semantic[]
  /** `throws E`: the type of the errors. */
  readonly throws?: TypeExpr | undefined
  readonly body: Block | undefined
  /** Of a `__func_extension`, whose name is `fwd_diff(f)` and no name for others. */
  readonly extends?: FuncExtension
}

/** What a `__func_extension` gives the function that `target` names: a derivative, or the first half of its reverse (`__apply`). */
export interface FuncExtension {
  readonly derives: 'forward' | 'backward' | 'apply'
  readonly target: Expr
}

/** `__init(…) { … }`. */
export interface InitDecl extends DeclBase {
  readonly kind: 'init'
  readonly name: Name
  readonly generics: Generics | undefined
  readonly params: readonly Param[]
  readonly body: Block | undefined
}

/** `__subscript(int i) -> float { get {…} set {…} }`. A body `{ return e; }` comes as one `get`. */
export interface SubscriptDecl extends DeclBase {
  readonly kind: 'subscript'
  readonly name: Name
  readonly generics: Generics | undefined
  readonly params: readonly Param[]
  readonly result: TypeExpr
  /** Empty where only `;` follows: one `get`. */
  readonly accessors: readonly AccessorDecl[]
}

/** `property float x { get {…} set {…} }` or `property x : float { … }`. */
export interface PropertyDecl extends DeclBase {
  readonly kind: 'property'
  readonly name: Name
  readonly type: TypeExpr
  /** Empty where only `;` follows: one `get`. */
  readonly accessors: readonly AccessorDecl[]
}

/** `get`, `set`, `set(value)` or `ref` of a property or subscript. */
export interface AccessorDecl extends DeclBase {
  readonly kind: 'accessor'
  readonly name: Name
  readonly which: 'get' | 'set' | 'ref'
  /** The parameter that `set(v)` names; `newValue` without one. */
  readonly param: Param | undefined
  readonly body: Block | undefined
}

/** `typedef T name;` or `typealias name<…> = T;`. */
export interface AliasDecl extends DeclBase {
  readonly kind: 'alias'
  readonly name: Name
  readonly generics: Generics | undefined
  readonly target: TypeExpr
}

/** `associatedtype A : I where …;`. */
export interface AssociatedTypeDecl extends DeclBase {
  readonly kind: 'associatedtype'
  readonly name: Name
  readonly bounds: readonly TypeExpr[]
  readonly where: readonly Where[]
  readonly fallback: TypeExpr | undefined
}

/**
 * One variable, constant or field. `int a, b[2];` is two nodes that share their type and modifiers; array suffixes are
 * folded into the type: `int b[2][3]` has the type `int[3][2]` in the sense that the outer `index` node has the 2.
 */
export interface VarDecl extends DeclBase {
  readonly kind: 'var'
  readonly name: Name
  /** `let` and `var` are those keywords; `typed` is `float x`. */
  readonly form: 'let' | 'var' | 'typed'
  readonly type: TypeExpr | undefined
  readonly init: Expr | undefined
  readonly semantics: readonly Semantic[]
}

/** `cbuffer Name : register(b0) { … }`: members are seen as if they stood outside. */
export interface BufferDecl extends DeclBase {
  readonly kind: 'buffer'
  readonly name: Name
  readonly which: 'cbuffer' | 'tbuffer'
  readonly semantics: readonly Semantic[]
  readonly members: readonly Decl[]
}

/** `static_assert(cond, "text");` among declarations; inside a function it is an ordinary call. */
export interface AssertDecl extends DeclBase {
  readonly kind: 'assert'
  readonly condition: Expr
  readonly message: Expr | undefined
}

/** A feature of the language that is parsed over and not supported. */
export interface UnsupportedDecl extends DeclBase {
  readonly kind: 'unsupported'
  readonly feature: string
}

// ---------------------------------------------------------------------------------------------------------------------
// Statements

export type Stmt =
  | Block
  | ExprStmt
  | DeclStmt
  | EmptyStmt
  | IfStmt
  | IfLetStmt
  | SwitchStmt
  | ForStmt
  | WhileStmt
  | DoStmt
  | BreakStmt
  | ContinueStmt
  | ReturnStmt
  | DiscardStmt
  | DeferStmt
  | ThrowStmt
  | DoCatchStmt
  | LabelStmt
  | TargetSwitchStmt
  | UnsupportedStmt

export interface Block {
  readonly kind: 'block'
  readonly span: Span
  readonly stmts: readonly Stmt[]
}

export interface ExprStmt {
  readonly kind: 'expr'
  readonly span: Span
  readonly expr: Expr
}

/** `int a, b;` holds two declarations; local structs and functions come here too. */
export interface DeclStmt {
  readonly kind: 'decl'
  readonly span: Span
  readonly decls: readonly Decl[]
}

export interface EmptyStmt {
  readonly kind: 'empty'
  readonly span: Span
}

export interface IfStmt {
  readonly kind: 'if'
  readonly span: Span
  readonly attributes: readonly Attribute[]
  readonly condition: Expr
  readonly then: Stmt
  readonly else: Stmt | undefined
}

/** `if (let x = optional) …`. */
export interface IfLetStmt {
  readonly kind: 'ifLet'
  readonly span: Span
  readonly attributes: readonly Attribute[]
  readonly name: Name
  readonly value: Expr
  readonly then: Stmt
  readonly else: Stmt | undefined
}

export interface SwitchStmt {
  readonly kind: 'switch'
  readonly span: Span
  readonly attributes: readonly Attribute[]
  readonly value: Expr
  readonly groups: readonly CaseGroup[]
}

/** Consecutive labels and the statements up to the next label. A `default` label is undefined. */
export interface CaseGroup {
  readonly kind: 'group'
  readonly span: Span
  readonly labels: readonly (Expr | undefined)[]
  readonly body: readonly Stmt[]
}

export interface ForStmt {
  readonly kind: 'for'
  readonly span: Span
  readonly attributes: readonly Attribute[]
  /** A `decl`, an `expr` or nothing. */
  readonly init: DeclStmt | ExprStmt | undefined
  readonly condition: Expr | undefined
  readonly step: Expr | undefined
  readonly body: Stmt
}

export interface WhileStmt {
  readonly kind: 'while'
  readonly span: Span
  readonly attributes: readonly Attribute[]
  readonly condition: Expr
  readonly body: Stmt
}

export interface DoStmt {
  readonly kind: 'do'
  readonly span: Span
  readonly attributes: readonly Attribute[]
  readonly body: Stmt
  readonly condition: Expr
}

export interface BreakStmt {
  readonly kind: 'break'
  readonly span: Span
  readonly label: Name | undefined
}

export interface ContinueStmt {
  readonly kind: 'continue'
  readonly span: Span
}

export interface ReturnStmt {
  readonly kind: 'return'
  readonly span: Span
  readonly value: Expr | undefined
}

export interface DiscardStmt {
  readonly kind: 'discard'
  readonly span: Span
}

export interface DeferStmt {
  readonly kind: 'defer'
  readonly span: Span
  readonly body: Stmt
}

export interface ThrowStmt {
  readonly kind: 'throw'
  readonly span: Span
  readonly value: Expr
}

/** `do { … } catch (e : E) { … } catch { … }`. */
export interface DoCatchStmt {
  readonly kind: 'doCatch'
  readonly span: Span
  readonly body: Stmt
  readonly clauses: readonly CatchClause[]
}

/** Without a parameter it catches errors of every type. */
export interface CatchClause {
  readonly kind: 'catch'
  readonly span: Span
  readonly param: Param | undefined
  readonly body: Stmt
}

/** `name: for (…) …`, the target of `break name`. */
export interface LabelStmt {
  readonly kind: 'label'
  readonly span: Span
  readonly name: Name
  readonly body: Stmt
}

/** `__target_switch { case wgsl: … default: … }` (or `__stage_switch`). */
export interface TargetSwitchStmt {
  readonly kind: 'targetSwitch'
  readonly span: Span
  readonly which: 'target' | 'stage'
  readonly cases: readonly TargetCase[]
}

/** Labels are target names; `default` is undefined. */
export interface TargetCase {
  readonly kind: 'targetCase'
  readonly span: Span
  readonly targets: readonly (Name | undefined)[]
  readonly body: readonly Stmt[]
}

export interface UnsupportedStmt {
  readonly kind: 'unsupported'
  readonly span: Span
  readonly feature: string
}

/** Whether a declaration or parameter carries the modifier. */
export function hasModifier(node: { readonly modifiers: readonly Modifier[] }, name: string): boolean {
  return node.modifiers.some(m => m.name === name)
}

/** The first attribute of that name, if any. */
export function findAttribute(
  node: { readonly attributes: readonly Attribute[] },
  name: string,
): Attribute | undefined {
  return node.attributes.find(a => a.name === name)
}

/** The width of a bit field; null of anything else. */
export function bitWidth(decl: VarDecl): number | null {
  const width = decl.semantics.find(s => s.name === ':')?.args[0]
  return width?.kind === 'int' ? Number(width.value) : null
}
