/**
 * Declarations, with scopes and types, since each of the three refers to the others. There is one object for one declaration of the
 * source in the whole compilation, so `===` compares. What costs work (types, signatures, bodies, attributes) is asked of
 * `CheckedProgram`, and made on first use. `id` is unique, also among generic parameters, and part of the keys of types and
 * substitutions.
 */
import type { SourceFile, Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import type { Lack } from './lack.ts'

export type Visibility = 'public' | 'internal' | 'private'

interface DeclBase {
  readonly id: number
  readonly name: string
  /** What it stands in; null for a module. */
  readonly parent: Container | null
  readonly module: ModuleDecl
  /** Its name in the source. */
  readonly span: Span | null
  readonly visibility: Visibility
  /** Where it is declared: its own names for types are looked up from there. */
  readonly scope: Scope
}

/** One module: a root file with what it `__include`s. Its members are looked up by name. */
export interface ModuleDecl {
  readonly kind: 'module'
  readonly id: number
  readonly name: string
  readonly parent: null
  readonly file: SourceFile
  /** The version of the language of that file. */
  version?: number
  /** The core library, whose declarations come in when they are first looked up. */
  readonly isCore: boolean
  /** Files that the module consists of, the root file first. */
  readonly files: SourceFile[]
  readonly inner: Scope
  readonly imports: { readonly module: ModuleDecl; readonly exported: boolean }[]
}

export interface NamespaceDecl extends DeclBase {
  readonly kind: 'namespace'
  readonly inner: Scope
}

export interface StructDecl extends DeclBase {
  readonly kind: 'struct'
  readonly generics: GenericParams | null
  /** `Outer.Inner` where it stands in another type: for messages and for names in output. */
  readonly nested: string | null
  /** The name in `[__intrinsic("…")]` of a core type (`StructuredBuffer`, `DifferentialPair`, `Atomic` …), else null. */
  readonly intrinsic: string | null
  /** For the differential type that the checker makes for a struct: that struct. Its generic parameters are the same. */
  readonly differentialOf: StructDecl | null
  /** For the struct that holds the members of a `cbuffer`. */
  readonly isBlock: boolean
  /** Null for a declaration that the checker makes. */
  readonly syntax: ast.StructDecl | ast.BufferDecl | null
  readonly inner: Scope
  /** Instance fields in order. */
  readonly fields: FieldDecl[]
}

export interface EnumDecl extends DeclBase {
  readonly kind: 'enum'
  readonly syntax: ast.EnumDecl
  readonly inner: Scope
  readonly cases: EnumCaseDecl[]
}

export interface EnumCaseDecl extends DeclBase {
  readonly kind: 'case'
  readonly owner: EnumDecl
  readonly syntax: ast.EnumCase
  readonly index: number
}

export interface InterfaceDecl extends DeclBase {
  readonly kind: 'interface'
  readonly generics: GenericParams | null
  readonly syntax: ast.InterfaceDecl
  readonly inner: Scope
}

export interface ExtensionDecl extends DeclBase {
  readonly kind: 'extension'
  readonly generics: GenericParams | null
  readonly syntax: ast.ExtensionDecl
  readonly inner: Scope
}

export interface AliasDecl extends DeclBase {
  readonly kind: 'alias'
  readonly generics: GenericParams | null
  readonly target: ast.TypeExpr
  readonly inner: Scope
  /** For `extern struct A : I = B;` and `export struct A : I = B;`. */
  readonly link?: ast.StructDecl
}

/** `associatedtype A : I;` in an interface. */
export interface AssocDecl extends DeclBase {
  readonly kind: 'assoc'
  readonly owner: InterfaceDecl
  readonly syntax: ast.AssociatedTypeDecl
}

export interface TypeParamDecl extends DeclBase {
  readonly kind: 'typeparam'
  readonly index: number
  readonly syntax: ast.TypeParam
}

/** `let N : int` or `int N`. */
export interface ValueParamDecl extends DeclBase {
  readonly kind: 'valueparam'
  readonly index: number
  readonly syntax: ast.ValueParam
}

/** The parameter list of one generic declaration. */
export interface GenericParams {
  readonly syntax: ast.Generics
  /** The scope that holds the parameters, in which bounds are looked up. */
  readonly scope: Scope
  readonly params: readonly (TypeParamDecl | ValueParamDecl)[]
  /** One of them is a pack (`each T`): see `pack.ts`. */
  readonly packed: boolean
}

export type Accessor = 'get' | 'set' | 'ref'

export interface FuncDecl extends DeclBase {
  readonly kind: 'func'
  /**
   * A constructor takes no `this`: in its body `this` is a local that starts with the fields' default values (fields
   * without one are uninitialised), and what it holds at the end or at a `return` is the result. Accessors of properties
   * and subscripts are methods; the value given to `set` is its last parameter, `newValue` unless named otherwise.
   */
  readonly role: 'function' | 'method' | 'static' | 'constructor' | 'accessor'
  readonly accessor: Accessor | null
  readonly generics: GenericParams | null
  /** A requirement of an interface; `hasBody` then says that it has a default. */
  readonly owner: InterfaceDecl | null
  readonly hasBody: boolean
  readonly syntax: ast.FuncDecl | ast.InitDecl | ast.AccessorDecl
  /** The property or subscript of an accessor. */
  readonly of: PropertyDecl | SubscriptDecl | null
  /** The scope of its parameters' types: that of its generic parameters. */
  readonly inner: Scope
}

/** `property T p { get; set; }`. */
export interface PropertyDecl extends DeclBase {
  readonly kind: 'property'
  readonly isStatic: boolean
  readonly accessors: FuncDecl[]
  readonly syntax: ast.PropertyDecl
  /** Where it is a bit field. */
  readonly bits?: Bits
}

/** The bits of an integer that are a bit field: shifted up and down, as a number of type `word`, they are its value. */
export interface Bits {
  readonly field: FieldDecl
  readonly word: ScalarType
  readonly up: number
  readonly down: number
  /** The field's bits in the integer. */
  readonly mask: bigint
}

/** `__subscript(int i) -> T { get; set; ref; }`; its parameters are those of each accessor. */
export interface SubscriptDecl extends DeclBase {
  readonly kind: 'subscript'
  readonly accessors: FuncDecl[]
  readonly syntax: ast.SubscriptDecl
  readonly generics: GenericParams | null
}

/** An instance field. */
export interface FieldDecl extends DeclBase {
  readonly kind: 'field'
  /** Its place among the instance fields of its struct. */
  readonly index: number
  readonly owner: StructDecl
  /** Null for fields that the checker makes. */
  readonly syntax: ast.VarDecl | null
  /** It is the base struct; its name is only for output. */
  readonly isBase?: boolean
  /** It is the integer behind bit fields, which no list sets. */
  readonly holdsBits?: boolean
}

export type GlobalStorage =
  /** A shader parameter: a resource, or a plain uniform that lowering gathers in `globalParams`. */
  | 'parameter'
  /** A `cbuffer` block; its type is a struct with `isBlock`. */
  | 'block'
  /** `static`: one variable an invocation. */
  | 'static'
  /** `static const`, also inside types and functions: a constant, whose initialiser has no effects. */
  | 'constant'
  | 'groupshared'

/** A variable that is not a local: at module level, `static` in a type, or `static` in a function. */
export interface GlobalDecl extends DeclBase {
  readonly kind: 'global'
  readonly storage: GlobalStorage
  readonly syntax: ast.VarDecl | ast.BufferDecl
  /** The struct of a `block`. */
  readonly block: StructDecl | null
}

export interface LocalDecl {
  readonly kind: 'local'
  readonly id: number
  readonly name: string
  readonly type: Type
  readonly span: Span | null
  /** `let`, `const`: it is written by its initialiser only. */
  readonly constant: boolean
  /** `no_diff` on the declaration. */
  readonly noDiff: boolean
}

/** A parameter of a function, in terms of the function's own generic parameters. */
export interface ParamDecl {
  readonly kind: 'parameter'
  readonly id: number
  readonly name: string
  readonly index: number
  readonly type: Type
  readonly dir: 'in' | 'out' | 'inout'
  /** `no_diff` in the source. A type without a differential is not marked: ask `differentialOf`. */
  readonly noDiff: boolean
  /** `const`: the body may not write it. `in` parameters are otherwise local copies that it may write. */
  readonly constant: boolean
  readonly hasDefault: boolean
  /** It takes what the function throws: the text does not show it, and no argument stands for it. */
  readonly thrown?: true
  /** As written, e.g. `SV_DispatchThreadID`; '' where there is none. */
  readonly semantic: string
  /** `uniform`, `nointerpolation` …, as written. */
  readonly modifiers: readonly string[]
  readonly span: Span | null
}

export type Container = ModuleDecl | NamespaceDecl | StructDecl | EnumDecl | InterfaceDecl | ExtensionDecl | FuncDecl

export type Decl =
  | ModuleDecl
  | NamespaceDecl
  | StructDecl
  | EnumDecl
  | EnumCaseDecl
  | InterfaceDecl
  | ExtensionDecl
  | AliasDecl
  | AssocDecl
  | TypeParamDecl
  | ValueParamDecl
  | FuncDecl
  | PropertyDecl
  | SubscriptDecl
  | FieldDecl
  | GlobalDecl
  | LocalDecl
  | ParamDecl

/** The binding in `register(…)`, `[[vk::binding(b, g)]]` or `[vk_binding]`. */
export interface Binding {
  readonly group: number
  readonly binding: number
  /** The letter of a register: `t` of `register(t0)`. In HLSL each letter counts for itself. */
  readonly register: string | undefined
}

/** How far a declaration can be differentiated. */
export type Level = 'none' | 'forward' | 'backward'

/** The attributes of a function, with folded arguments. */
export interface FuncAttributes {
  /** From `[Differentiable]` and its kin, or from what user-written derivatives make possible. */
  readonly level: Level
  /** `[Differentiable]` or its kin stands on it itself, so derivatives are made by transforming the body. */
  readonly marked: boolean
  readonly noDiffThis: boolean
  readonly treatAsDifferentiable: boolean
  readonly forceInline: boolean
  readonly noInline: boolean
  readonly prefer: 'none' | 'recompute' | 'checkpoint'
  /** `[shader("compute")]`, or compute where `[numthreads]` stands alone. */
  readonly stage: string | null
  readonly numthreads: readonly [number, number, number] | null
  /** The same, which may depend on the function's generic parameters. */
  readonly groupSize: readonly [Int, Int, Int] | null
  /** `[CUDAKernel]`: an entry point of the tensor kind. */
  readonly kernel: boolean
  /** `public`, `export`, `[DllExport]`. */
  readonly exported: boolean
  // Core library only:
  readonly targetIntrinsics: Readonly<Record<string, string>> | null
  readonly op: string | null
  readonly intrinsic: string | null
  readonly lanewise: boolean
  readonly pure: boolean
  /** Its result depends on which invocations call it together. */
  readonly convergent: boolean
  /** Each `[__sample(…)]`: arguments for tests. */
  readonly samples: readonly (readonly number[])[]
}

/** An attribute with its arguments, if they are literals, names or integers that fold. */
export interface AttributeInfo {
  readonly name: string
  readonly args: readonly (string | number | boolean | Int)[]
}

// ── Scopes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A `using`: the namespace is found when a name is first looked up in it. */
export interface Using {
  readonly target: ast.Expr
  found: NamespaceDecl | null
}

export interface Scope {
  readonly parent: Scope | null
  /** A `type` scope belongs to a struct, interface, enum or extension. Names in it are members, and lookup includes inherited ones. */
  readonly kind: 'module' | 'namespace' | 'type' | 'generics' | 'block'
  readonly owner: Container | null
  readonly names: Map<string, Decl[]>
  /** What it uses. */
  readonly usings: Using[]
  /** Collects the declarations that are entered; null if nobody asks. */
  entered: Decl[] | null
}

// ── Types ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ScalarName = 'bool' | 'i8' | 'i16' | 'i32' | 'i64' | 'u8' | 'u16' | 'u32' | 'u64' | 'f16' | 'f32' | 'f64'

export type IntOp =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '<<'
  | '>>'
  | '&'
  | '|'
  | '^'
  | 'min'
  | 'max'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='

/** An integer (or boolean: 0 and 1) known when a generic is instantiated: array lengths, lanes, value arguments. */
export type Int =
  | { readonly kind: 'const'; readonly key: string; readonly value: number }
  | { readonly kind: 'param'; readonly key: string; readonly decl: ValueParamDecl }
  | { readonly kind: 'op'; readonly key: string; readonly op: IntOp; readonly left: Int; readonly right: Int }
  | { readonly kind: 'choice'; readonly key: string; readonly cond: Int; readonly then: Int; readonly otherwise: Int }
  /** `T.N`: a static constant that an interface requires, of a type that is not known yet. */
  | { readonly kind: 'member'; readonly key: string; readonly base: Type; readonly name: string }
  | { readonly kind: 'error'; readonly key: string }

export interface ErrorType {
  readonly kind: 'error'
  readonly key: string
  /** It is no mistake, but no target has it. */
  readonly lack?: Lack
}
export interface VoidType {
  readonly kind: 'void'
  readonly key: string
}
export interface StringType {
  readonly kind: 'string'
  readonly key: string
}
export interface ScalarType {
  readonly kind: 'scalar'
  readonly key: string
  readonly name: ScalarName
}
/** `elem` is a scalar, or a type parameter in generic code. */
export interface VectorType {
  readonly kind: 'vector'
  readonly key: string
  readonly elem: Type
  readonly count: Int
}
/**
 * A matrix. `turned`: in memory it has the other order of rows and columns than the options say. Only fields, globals and generic
 * arguments have such types, values never.
 */
export interface MatrixType {
  readonly kind: 'matrix'
  readonly key: string
  readonly elem: Type
  readonly rows: Int
  readonly cols: Int
  readonly turned: boolean
}
/** `count` is null for an unsized array `T[]`. */
export interface ArrayType {
  readonly kind: 'array'
  readonly key: string
  readonly elem: Type
  readonly count: Int | null
  readonly levels: number
}
/** `args` are those of the struct itself and, before them, of the generic types around it; `levels` says how deep types are in them. */
export interface StructType {
  readonly kind: 'struct'
  readonly key: string
  readonly decl: StructDecl
  readonly args: readonly GenericArg[]
  readonly levels: number
}
export interface EnumType {
  readonly kind: 'enum'
  readonly key: string
  readonly decl: EnumDecl
}
/** As the type of a value: any conforming type, known at run time (existential). As a constraint: the interface. */
export interface InterfaceType {
  readonly kind: 'interface'
  readonly key: string
  readonly decl: InterfaceDecl
  readonly args: readonly GenericArg[]
  readonly levels: number
}
export interface ParamType {
  readonly kind: 'param'
  readonly key: string
  readonly decl: TypeParamDecl
}
/** `This` in an interface: the conforming type. */
export interface ThisType {
  readonly kind: 'this'
  readonly key: string
  readonly decl: InterfaceDecl
}
/** `base.decl`, where `base` is a parameter, `This` or another associated type and conforms to `iface`. */
export interface AssocType {
  readonly kind: 'assoc'
  readonly key: string
  readonly base: Type
  readonly iface: InterfaceType
  readonly decl: AssocDecl
}
/** `__Shape<scalar, of>`: the scalar, vector or matrix with that scalar in the shape of `of`, a type parameter that stands for one of those. */
export interface ShapeType {
  readonly kind: 'shape'
  readonly key: string
  readonly scalar: Type
  readonly of: Type
}
export interface FuncType {
  readonly kind: 'func'
  readonly key: string
  readonly params: readonly FuncParam[]
  readonly result: Type
}

export interface FuncParam {
  readonly type: Type
  readonly dir: Direction
  readonly noDiff: boolean
}

export type Direction = 'in' | 'out' | 'inout'

export type Type =
  | ErrorType
  | VoidType
  | StringType
  | ScalarType
  | VectorType
  | MatrixType
  | ArrayType
  | StructType
  | EnumType
  | InterfaceType
  | ParamType
  | ThisType
  | AssocType
  | ShapeType
  | FuncType

export type GenericArg = Type | Int
