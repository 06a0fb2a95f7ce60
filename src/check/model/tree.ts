/**
 * The typed tree: what the checker makes of a body, and the contract with lowering. Every name is resolved, every implicit
 * conversion explicit, every call resolved to a `FuncRef`. Types may mention generic parameters of the enclosing
 * declarations; lowering puts in concrete ones with `CheckedProgram.substitute`.
 *
 * Evaluation order: operands, arguments and initialisers from left to right, each once; the place of an assignment before
 * its value, and `place op= value` reads the place after that. `a && b`, `a || b` on scalars and `c ? a : b` with a scalar
 * condition evaluate only what they need.
 *
 * Places are l-values. Evaluating a place evaluates its bases and indices once, then it can be read and written any number
 * of times. `out` and `inout` arguments are copied: the places are evaluated in argument order, `inout` places are read,
 * the call runs, then the results are written back from left to right. What is no memory of its own, as lanes of a vector
 * or a property, has to be copied to be changed: it is read as soon as the place is evaluated.
 */
import type { Sink } from '../../base/diag.ts'
import type { Span } from '../../base/source.ts'
import type {
  Binding,
  Decl,
  FieldDecl,
  FuncAttributes,
  FuncDecl,
  GlobalDecl,
  InterfaceDecl,
  Level,
  LocalDecl,
  ModuleDecl,
  ParamDecl,
} from './decl.ts'
import type { LoopAttributes } from './loop-attributes.ts'
import type { FuncRef, Signature } from './func-ref.ts'
import type { Missing } from './missing.ts'
import type { Int, InterfaceType, StructType, Subst, Type } from './type.ts'

// ── Functions ────────────────────────────────────────────────────────────────────────────────────────────────────

/** An argument: `value` for an `in` parameter, `place` for `out` and `inout`. */
export type Arg =
  | { readonly dir: 'in'; readonly value: Expr }
  | { readonly dir: 'out' | 'inout'; readonly place: Place }

// ── Expressions ──────────────────────────────────────────────────────────────────────────────────────────────────

/** On scalars, vectors and matrices lane by lane; both operands have one type, except that shifts may differ in signedness. */
export type BinaryOp =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '&'
  | '|'
  | '^'
  | '<<'
  | '>>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='

interface ExprBase {
  readonly type: Type
  readonly span: Span | null
}

/** A number, boolean or enum value; `bigint` only for 64-bit integers that a number cannot hold. */
export interface ConstExpr extends ExprBase {
  readonly kind: 'const'
  readonly value: number | bigint | boolean
  /** An integer written as such, which converts more readily than a value of its type. */
  readonly literal?: boolean
}
/** A string: only as a format of `printf` and the like. */
export interface StringExpr extends ExprBase {
  readonly kind: 'string'
  readonly value: string
}
/** The value of a generic value parameter, or of arithmetic on such. */
export interface IntExpr extends ExprBase {
  readonly kind: 'int'
  readonly value: Int
}
/** The value of `{}`: of a struct with a constructor `__init()` what that makes, else the default value of each field that has one, and zero. */
export interface DefaultExpr extends ExprBase {
  readonly kind: 'default'
}
/** The default value of a field of `struct`, which `CheckedProgram.fieldDefault` gives in terms of the struct's parameters. */
export interface FieldDefaultExpr extends ExprBase {
  readonly kind: 'fieldDefault'
  readonly struct: StructType
  readonly field: FieldDecl
}
/** The default value of a parameter of `func`, which `CheckedProgram.paramDefault` gives in terms of the function's parameters. */
export interface ParamDefaultExpr extends ExprBase {
  readonly kind: 'paramDefault'
  readonly func: FuncRef
  readonly index: number
}
/** Reads a place. */
export interface ReadExpr extends ExprBase {
  readonly kind: 'read'
  readonly place: Place
}
/** A field of a value that is no place. */
export interface FieldExpr extends ExprBase {
  readonly kind: 'field'
  readonly base: Expr
  readonly field: FieldDecl
}
/** An element of an array, a lane of a vector or a row of a matrix that is no place; `index` is int or uint. */
export interface IndexExpr extends ExprBase {
  readonly kind: 'index'
  readonly base: Expr
  readonly index: Expr
}
/** Lanes of a vector (or of a scalar, which has lane 0): one lane gives a scalar. */
export interface SwizzleExpr extends ExprBase {
  readonly kind: 'swizzle'
  readonly base: Expr
  readonly lanes: readonly number[]
}
/** Elements of a matrix by row and column (`m._m01`): one gives a scalar. */
export interface ElementsExpr extends ExprBase {
  readonly kind: 'elements'
  readonly base: Expr
  readonly at: readonly (readonly [number, number])[]
}
/** `-x`, `!x` (booleans), `~x` (integers). */
export interface UnaryExpr extends ExprBase {
  readonly kind: 'unary'
  readonly op: '-' | '!' | '~'
  readonly operand: Expr
}
export interface BinaryExpr extends ExprBase {
  readonly kind: 'binary'
  readonly op: BinaryOp
  readonly left: Expr
  readonly right: Expr
}
/** On scalar booleans, with short circuit. On vectors the checker makes `&` and `|`. */
export interface LogicalExpr extends ExprBase {
  readonly kind: 'logical'
  readonly op: '&&' | '||'
  readonly left: Expr
  readonly right: Expr
}
/** `c ? a : b`: with a scalar condition only one side runs; with a boolean vector both do, and each lane is chosen. */
export interface ConditionalExpr extends ExprBase {
  readonly kind: 'conditional'
  readonly cond: Expr
  readonly then: Expr
  readonly otherwise: Expr
}
/**
 * A conversion by value, from the type of `value` to `type`, decided on the concrete types:
 * same shape: each lane from scalar to scalar (float to int truncates, to bool tests against zero) · scalar or vector of one
 * lane to vector or matrix: that in every lane · vector of one lane to scalar · longer vector to shorter: the first lanes ·
 * larger matrix to smaller: the upper left corner · vector to matrix and back with as many elements: row by row ·
 * enum to and from its tag's integers · the same type: nothing · with `lift`, what an `Optional` holds, where it holds something:
 * that is `held` in `part`, the value of the other element type.
 */
export interface ConvertExpr extends ExprBase {
  readonly kind: 'convert'
  readonly value: Expr
  readonly lift?: { readonly held: OldExpr; readonly part: Expr }
}
/** A value of a type made into a value of an interface that it conforms to. */
export interface WrapExpr extends ExprBase {
  readonly kind: 'wrap'
  readonly value: Expr
}
/**
 * A value from parts. Vector and matrix: scalars, vectors and matrices of the element type whose lanes, one after the other
 * and row by row, fill it exactly. Array: one an element. Struct: one an instance field, in order of declaration.
 */
export interface ConstructExpr extends ExprBase {
  readonly kind: 'construct'
  readonly parts: readonly Expr[]
}
/** `object` is `this` of a method: by value, or a place where the method is mutating; or the value of which a static requirement was asked. */
export interface CallExpr extends ExprBase {
  readonly kind: 'call'
  readonly func: FuncRef
  readonly object: Arg | null
  readonly args: readonly Arg[]
}
/** `no_diff e`: the value without its derivative, and nothing inside it is differentiated. */
export interface NoDiffExpr extends ExprBase {
  readonly kind: 'noDiff'
  readonly value: Expr
}
/** `try f(x)`: the call, which puts what is thrown into `thrown`; `exit` runs if something is. */
export interface AttemptExpr extends ExprBase {
  readonly kind: 'attempt'
  readonly call: CallExpr
  readonly thrown: LocalDecl
  readonly exit: Stmt
}
/** `place = value`; the value of the expression is what the place then holds. */
export interface AssignExpr extends ExprBase {
  readonly kind: 'assign'
  readonly place: Place
  readonly value: Expr
}
/**
 * `place op= …`, `++place`, `place++`: evaluates the place, then `ahead`, reads the place into `old`, evaluates `value` (in
 * which the very nodes `ahead` and `old` stand for what they gave), writes that. Gives the new value, or the old one where `post`.
 */
export interface UpdateExpr extends ExprBase {
  readonly kind: 'update'
  readonly place: Place
  /** The right side of `op=`, a part of `value`; null where it makes no difference when it runs. */
  readonly ahead: AheadExpr | null
  readonly old: OldExpr
  readonly value: Expr
  readonly post: boolean
}
/** The value that the enclosing `update` with this very node as `old` has read, or what is `held` in a conversion. */
export interface OldExpr extends ExprBase {
  readonly kind: 'old'
}
/** A value that the enclosing `update` with this very node as `ahead` evaluates before it reads its place. */
export interface AheadExpr extends ExprBase {
  readonly kind: 'ahead'
  readonly value: Expr
}
/** `a, b`: both, in order; the value of the last. */
export interface SequenceExpr extends ExprBase {
  readonly kind: 'sequence'
  readonly parts: readonly Expr[]
}
/** `value is of`: whether a value of interface type, or of a type parameter, has that type. */
export interface IsExpr extends ExprBase {
  readonly kind: 'is'
  readonly value: Expr
  readonly of: Type
}
/** `value as of`: an `Optional` of that type, empty where the value has another. */
export interface AsExpr extends ExprBase {
  readonly kind: 'as'
  readonly value: Expr
  readonly of: Type
}
/**
 * Replaces an expression with a reported error, or one that uses what no target has (`CheckedProgram.lacking`). Lowering is not
 * called for a program with errors, and reports the other if it meets it.
 */
export interface ErrorExpr extends ExprBase {
  readonly kind: 'error'
}

export type Expr =
  | ConstExpr
  | StringExpr
  | IntExpr
  | DefaultExpr
  | FieldDefaultExpr
  | ParamDefaultExpr
  | ReadExpr
  | FieldExpr
  | IndexExpr
  | SwizzleExpr
  | ElementsExpr
  | UnaryExpr
  | BinaryExpr
  | LogicalExpr
  | ConditionalExpr
  | ConvertExpr
  | WrapExpr
  | ConstructExpr
  | CallExpr
  | NoDiffExpr
  | AttemptExpr
  | AssignExpr
  | UpdateExpr
  | OldExpr
  | AheadExpr
  | SequenceExpr
  | IsExpr
  | AsExpr
  | ErrorExpr

// ── Places ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface PlaceBase {
  readonly type: Type
  readonly span: Span | null
}

export interface LocalPlace extends PlaceBase {
  readonly kind: 'local'
  readonly decl: LocalDecl
}
/** A parameter; `in` ones are the function's own copy and may be written. */
export interface ParamPlace extends PlaceBase {
  readonly kind: 'param'
  readonly decl: ParamDecl
}
/** `this` of a method, or of a constructor (see `FuncDecl.role`). Also what a bare field name in a method stands on. */
export interface ThisPlace extends PlaceBase {
  readonly kind: 'this'
}
/** `subst` gives the generic parameters of the types around a static member; empty for module-level variables. */
export interface GlobalPlace extends PlaceBase {
  readonly kind: 'global'
  readonly decl: GlobalDecl
  readonly subst: Subst
}
/** A field; also a member of a `cbuffer`, and of what a `ConstantBuffer<T>` or `ParameterBlock<T>` global holds (the base is the global, of that type). */
export interface FieldPlace extends PlaceBase {
  readonly kind: 'field'
  readonly base: Place
  readonly field: FieldDecl
}
export interface IndexPlace extends PlaceBase {
  readonly kind: 'index'
  readonly base: Place
  readonly index: Expr
}
export interface SwizzlePlace extends PlaceBase {
  readonly kind: 'swizzle'
  readonly base: Place
  readonly lanes: readonly number[]
}
export interface ElementsPlace extends PlaceBase {
  readonly kind: 'elements'
  readonly base: Place
  readonly at: readonly (readonly [number, number])[]
}
/** Fields of a tuple as a tuple: `t._2_0`. */
export interface PartsPlace extends PlaceBase {
  readonly kind: 'parts'
  readonly base: Place
  readonly at: readonly number[]
}
/**
 * What a `ref` accessor of the core library points to: an element of a buffer and the like; always an `[__intrinsic]`.
 * `object` is the buffer. Reads and writes go straight there.
 */
export interface RefPlace extends PlaceBase {
  readonly kind: 'ref'
  readonly func: FuncRef
  readonly object: Arg
  readonly args: readonly Arg[]
}
/**
 * A property or subscript with accessors: reading calls `get`, writing calls `set` with the value as last argument.
 * `object` (null for static ones) and `args` are evaluated once, an object that is a value after them. Either may be null
 * where the declaration has none; the checker sees to it that none is used that is missing. A write into part of it reads,
 * changes and writes the whole.
 */
export interface AccessorPlace extends PlaceBase {
  readonly kind: 'accessor'
  readonly get: FuncRef | null
  readonly set: FuncRef | null
  readonly object: Arg | null
  readonly args: readonly Arg[]
  /** Both come from a `ref` of the user, which gives memory: it is read when what it holds is needed. */
  readonly byRef: boolean
}
/** A place seen as another type: reading converts (as `ConvertExpr`), writing converts back. */
export interface ConvertPlace extends PlaceBase {
  readonly kind: 'convert'
  readonly base: Place
}
/** A value that needs a place: a fresh temporary that holds it. Writes to it are lost. */
export interface TempPlace extends PlaceBase {
  readonly kind: 'temp'
  readonly value: Expr
}

export type Place =
  | LocalPlace
  | ParamPlace
  | ThisPlace
  | GlobalPlace
  | FieldPlace
  | IndexPlace
  | SwizzlePlace
  | ElementsPlace
  | PartsPlace
  | RefPlace
  | AccessorPlace
  | ConvertPlace
  | TempPlace

// ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────────

export type Stmt =
  | { readonly kind: 'expr'; readonly expr: Expr; readonly span: Span | null }
  /**
   * A local variable. `init` null: uninitialised. (`T x;` of a type with `__init()` has the constructor call here.) A name
   * declared in a loop is a new variable on each trip.
   */
  | { readonly kind: 'local'; readonly decl: LocalDecl; readonly init: Expr | null; readonly span: Span | null }
  /** `exits`: what the `attempt`s directly in its statements run, for those who walk over statements. */
  | {
      readonly kind: 'block'
      readonly body: readonly Stmt[]
      readonly exits?: readonly Stmt[]
      readonly span: Span | null
    }
  | {
      readonly kind: 'if'
      readonly cond: Expr
      readonly then: Stmt
      readonly otherwise: Stmt | null
      readonly span: Span | null
    }
  /** `init` runs once; a missing `cond` is true; `step` runs after the body and on `continue`. */
  | {
      readonly kind: 'for'
      readonly init: readonly Stmt[]
      readonly cond: Expr | null
      readonly step: Expr | null
      readonly body: Stmt
      readonly loop: LoopAttributes
      readonly span: Span | null
    }
  | {
      readonly kind: 'while'
      readonly cond: Expr
      readonly body: Stmt
      readonly loop: LoopAttributes
      readonly span: Span | null
    }
  | {
      readonly kind: 'do'
      readonly body: Stmt
      readonly cond: Expr
      readonly loop: LoopAttributes
      readonly span: Span | null
    }
  /** Cases have distinct labels and do not fall through; `break` in `body` leaves the switch. The default has `isDefault`, and may have labels too. */
  | { readonly kind: 'switch'; readonly value: Expr; readonly cases: readonly SwitchCase[]; readonly span: Span | null }
  | { readonly kind: 'return'; readonly value: Expr | null; readonly span: Span | null }
  /** Leaves the innermost loop or switch, or one `levels` further out. */
  | { readonly kind: 'break'; readonly levels: number; readonly span: Span | null }
  | { readonly kind: 'continue' | 'discard'; readonly span: Span | null }
  /** `static_assert` on what only an instance knows. */
  | { readonly kind: 'assert'; readonly cond: Expr; readonly message: string; readonly span: Span }

export interface SwitchCase {
  readonly labels: readonly number[]
  readonly isDefault: boolean
  readonly body: readonly Stmt[]
  /** Its end leads into the case after it. */
  readonly falls: boolean
  /** In a `__target_switch`: who takes it. There are two cases then, or one that all take, and the value does not matter. */
  readonly target?: 'gpu' | 'cpu' | 'any'
}

/** A checked body. */
export interface Body {
  readonly params: readonly ParamDecl[]
  readonly stmts: readonly Stmt[]
  /** Its end can be reached, though it has to return a value. */
  readonly open?: 'surely' | 'perhaps'
}

// ── The program ──────────────────────────────────────────────────────────────────────────────────────────────────

export interface FieldInfo {
  readonly decl: FieldDecl
  readonly name: string
  readonly type: Type
  readonly noDiff: boolean
  readonly semantic: string
}

/** How a struct is differentiated. */
export interface StructDiffInfo {
  /** The differential type; the struct itself where they are the same. */
  readonly type: Type
  /** For each instance field, the index of its counterpart in the differential, or -1. */
  readonly fields: readonly number[]
  /** User-written `dzero()` and `dadd(a, b)`; null where they are field by field. */
  readonly dzero: FuncRef | null
  readonly dadd: FuncRef | null
}

export interface DerivativeInfo {
  readonly forward: FuncRef | null
  readonly backward: FuncRef | null
  /** The primal substitute. */
  readonly substitute: FuncRef | null
  /** The first half of the reverse, and what is then called on the context that it returns. */
  readonly apply: { readonly apply: FuncRef; readonly context: FuncRef } | null
}

export interface GlobalInfo {
  readonly decl: GlobalDecl
  readonly type: Type
  /** Found when asked for. */
  readonly init: () => Expr | null
  readonly binding: Binding | null
  /** `uniform`, `const` and such do not matter after checking; the semantic does, for varying ones. */
  readonly semantic: string
}

/** A checked program, and queries about it. Answers are memoised; types in them are normalised. */
export interface CheckedProgram extends Missing {
  /** The root modules, then those they import. */
  readonly modules: readonly ModuleDecl[]
  /** Every declaration of the user's modules, in order: of generics, members and bodies too. */
  readonly declarations: readonly Decl[]
  /** Functions of the user's modules that are not generic and not members of generic types, in order; those of root modules first. */
  readonly functions: readonly FuncDecl[]
  /** Entry points of the root modules: those with a stage. */
  readonly entries: readonly FuncDecl[]
  /** Shader parameters, blocks, groupshared and static variables of the user's modules, in order of declaration. */
  readonly globals: readonly GlobalDecl[]
  /** Loops of differentiable functions whose trips nothing in the text bounds: their reverse derivatives need a CPU. */
  readonly unbounded: readonly Span[]
  /** Whether a function of the user's modules has a primal substitute. */
  readonly substitutes: boolean
  /** Whether matrices are column-major unless declared otherwise. */
  readonly columnMajor: boolean

  attributes(func: FuncDecl): FuncAttributes
  /** How far an instance of a function can be differentiated. */
  level(func: FuncDecl, subst: Subst): Level
  /** The parameters in terms of the function's own generic parameters. */
  params(func: FuncDecl): readonly ParamDecl[]
  signature(ref: FuncRef): Signature
  /** The body in terms of the function's own generic parameters; null for a function without one (a target intrinsic, an op, a case of lowering). */
  body(func: FuncDecl): Body | null
  paramDefault(func: FuncDecl, index: number): Expr
  global(decl: GlobalDecl): GlobalInfo
  /** The constant of a concrete type that meets an interface's requirement; null if it has none. */
  requiredGlobal(decl: GlobalDecl, type: Type): { readonly decl: GlobalDecl; readonly subst: Subst } | null

  /** Substitutes types, and looks up associated types of types that became concrete. */
  substitute(type: Type, subst: Subst): Type
  substituteInt(value: Int, subst: Subst): Int
  substituteRef(ref: FuncRef, subst: Subst): FuncRef
  /** Reports a static assertion that fails in an instance, or is not constant: where it stands, or where the library was called. */
  assert(stmt: Stmt & { readonly kind: 'assert' }, subst: Subst, outside: Span | undefined): void
  /** The value of an expression in an instance; null where it is no integer known at compile time. */
  fold(expr: Expr, subst: Subst): number | null
  /** Resolves a requirement on a concrete type to the function that meets it. Any other reference stays. */
  resolve(ref: FuncRef): FuncRef
  /** The substitution that the arguments of a struct make for its members. */
  structSubst(type: StructType): Subst

  /** Instance fields in order, with the type's arguments put in. */
  fields(type: StructType): readonly FieldInfo[]
  /** The default value of a field, in terms of the struct's parameters, or null. */
  fieldDefault(field: FieldDecl): Expr | null
  /** The bytes that an interface asks for as room for its values, or null. */
  anyValueSize(iface: InterfaceDecl): number | null
  /** The user's `__init()` without parameters, or null. */
  defaultConstructor(type: StructType): FuncRef | null
  /** The differential type, or null where a type carries no derivative. */
  differentialOf(type: Type): Type | null
  structDiff(type: StructType): StructDiffInfo | null
  /** The type of the shadows of a pointer type (`IDifferentiablePtrType`): its `Differential`. Null for other types. */
  shadowOf(type: Type): Type | null
  /** Whether a type conforms to an interface. */
  conforms(type: Type, iface: InterfaceType): boolean
  /** User-written derivatives and substitute, with the types of `ref` put in. */
  derivatives(ref: FuncRef): DerivativeInfo
  /** Reports to `sink` where derivatives would get lost in a function if it were marked [Differentiable]. */
  losses(func: FuncDecl, sink: Sink): void

  /** A concrete type by its name in the root modules (`Disc`, `shapes.Disc`, `Box<float>`), or null: for conformances asked for by name. */
  typeNamed(name: string): Type | null
  /** A declaration of the core library by name. */
  core<K extends Decl['kind']>(kind: K, name: string): Extract<Decl, { readonly kind: K }>
  /** The underlying integer type of an enum. */
  enumTag(type: Type): Type
}
