/** The nodes for expressions and types, which `ast.ts` exports too. */
import type { Span } from '../base/source.ts'
import type { Block, Modifier, Name, Param } from './ast.ts'

/**
 * An expression that stands where a type is meant: `name`, `member`, `generic`, `index` (array; no argument: unsized),
 * `thisType`, `pointer`, `optional`, `funcType`, `modified`, `decltype`, `expand`, `each`, `binary` with `&` (both
 * interfaces), `unsupported`, `error`.
 */
export type TypeExpr = Expr

export type Expr =
  | IntExpr
  | FloatExpr
  | BoolExpr
  | StringExpr
  | NoneExpr
  | NullExpr
  | ThisExpr
  | ThisTypeExpr
  | NameExpr
  | MemberExpr
  | GenericExpr
  | IndexExpr
  | CallExpr
  | PrefixExpr
  | PostfixExpr
  | BinaryExpr
  | AssignExpr
  | ConditionalExpr
  | CastExpr
  | ListExpr
  | LambdaExpr
  | DifferentiateExpr
  | NoDiffExpr
  | TryExpr
  | IsExpr
  | AsExpr
  | EachExpr
  | ExpandExpr
  | SizeofExpr
  | DecltypeExpr
  | PointerExpr
  | OptionalExpr
  | FuncTypeExpr
  | ModifiedExpr
  | UnsupportedExpr
  | ErrorExpr

/** `12`, `0xFFu`, `0b101`, `3ull`; a character literal is its code point. */
export interface IntExpr {
  readonly kind: 'int'
  readonly span: Span
  readonly value: bigint
  /** Lower case: ``, `u`, `l`, `ul`, `ll`, `ull`, `z`, `uz`. */
  readonly suffix: string
  /** Written in hexadecimal, octal or binary: without a suffix, such a number is unsigned where it has no `int`. */
  readonly hex?: boolean
  /** Written in parentheses: then its type counts, as that of any other value. */
  readonly grouped?: true
}

/** `1.0`, `.5f`, `1e-3h`, `1.0lf`. */
export interface FloatExpr {
  readonly kind: 'float'
  readonly span: Span
  readonly value: number
  /** Lower case: ``, `f`, `h`, `l` (double; also written `lf`). */
  readonly suffix: '' | 'f' | 'h' | 'l'
}

export interface BoolExpr {
  readonly kind: 'bool'
  readonly span: Span
  readonly value: boolean
}

/** Adjacent literals are joined; escapes are resolved. */
export interface StringExpr {
  readonly kind: 'string'
  readonly span: Span
  readonly value: string
}

/** `none` of an Optional. */
export interface NoneExpr {
  readonly kind: 'none'
  readonly span: Span
}

/** `nullptr`. */
export interface NullExpr {
  readonly kind: 'null'
  readonly span: Span
}

export interface ThisExpr {
  readonly kind: 'this'
  readonly span: Span
}

/** `This`, the type that implements the interface or owns the member. */
export interface ThisTypeExpr {
  readonly kind: 'thisType'
  readonly span: Span
}

export interface NameExpr {
  readonly kind: 'name'
  readonly span: Span
  readonly name: string
  /** Written `::name`: looked up at the top only. */
  readonly global: boolean
}

/** `base.name` or `base::name` (the same for names and types), or `base->name`. */
export interface MemberExpr {
  readonly kind: 'member'
  readonly span: Span
  readonly base: Expr
  readonly name: Name
  readonly separator: '.' | '::' | '->'
}

/** `base<args>`; a value argument is an expression, a type argument a type expression. */
export interface GenericExpr {
  readonly kind: 'generic'
  readonly span: Span
  readonly base: Expr
  readonly args: readonly Expr[]
}

/** `base[args]`: an element, or an array type. */
export interface IndexExpr {
  readonly kind: 'index'
  readonly span: Span
  readonly base: Expr
  readonly args: readonly Expr[]
}

/** `callee(args)`: a call, a constructor `float3(…)` or `float[3](…)`. */
export interface CallExpr {
  readonly kind: 'call'
  readonly span: Span
  readonly callee: Expr
  readonly args: readonly Expr[]
}

export type PrefixOp = '+' | '-' | '!' | '~' | '++' | '--' | '&' | '*'

export interface PrefixExpr {
  readonly kind: 'prefix'
  readonly span: Span
  readonly op: PrefixOp
  readonly operand: Expr
}

export interface PostfixExpr {
  readonly kind: 'postfix'
  readonly span: Span
  readonly op: '++' | '--'
  readonly operand: Expr
}

export type BinaryOp =
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
  | '&&'
  | '||'
  | '=='
  | '!='
  | '<'
  | '>'
  | '<='
  | '>='
  | ','

/** Left operands nest thousands deep in `a + b + c + …`: walk that side in a loop, not by recursion. */
export interface BinaryExpr {
  readonly kind: 'binary'
  readonly span: Span
  readonly op: BinaryOp
  readonly left: Expr
  readonly right: Expr
}

export type AssignOp = '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '<<=' | '>>=' | '&=' | '|=' | '^='

export interface AssignExpr {
  readonly kind: 'assign'
  readonly span: Span
  readonly op: AssignOp
  readonly target: Expr
  readonly value: Expr
}

export interface ConditionalExpr {
  readonly kind: 'conditional'
  readonly span: Span
  readonly condition: Expr
  readonly then: Expr
  readonly else: Expr
}

/** `(T)value`. */
export interface CastExpr {
  readonly kind: 'cast'
  readonly span: Span
  readonly type: TypeExpr
  readonly value: Expr
}

/** `{a, b, c}` as a value. */
export interface ListExpr {
  readonly kind: 'list'
  readonly span: Span
  readonly items: readonly Expr[]
}

/** `(int x) => e` or `(x) => { … }`. */
export interface LambdaExpr {
  readonly kind: 'lambda'
  readonly span: Span
  readonly params: readonly Param[]
  readonly body: Expr | Block
}

/** `fwd_diff(f)`, `bwd_diff(f)` and their spellings with `__`. */
export interface DifferentiateExpr {
  readonly kind: 'differentiate'
  readonly span: Span
  readonly mode: 'forward' | 'backward'
  readonly func: Expr
}

/** `no_diff e`. */
export interface NoDiffExpr {
  readonly kind: 'noDiff'
  readonly span: Span
  readonly operand: Expr
}

/** `try f(x)`. */
export interface TryExpr {
  readonly kind: 'try'
  readonly span: Span
  readonly operand: Expr
}

export interface IsExpr {
  readonly kind: 'is'
  readonly span: Span
  readonly value: Expr
  readonly type: TypeExpr
}

export interface AsExpr {
  readonly kind: 'as'
  readonly span: Span
  readonly value: Expr
  readonly type: TypeExpr
}

/** `each pack` inside an expansion. */
export interface EachExpr {
  readonly kind: 'each'
  readonly span: Span
  readonly operand: Expr
}

/** `expand pattern`. */
export interface ExpandExpr {
  readonly kind: 'expand'
  readonly span: Span
  readonly operand: Expr
}

/** `sizeof(T)`, `alignof(T)`, `countof(x)`: the operand may be a type or a value. */
export interface SizeofExpr {
  readonly kind: 'sizeof'
  readonly span: Span
  readonly which: 'sizeof' | 'alignof' | 'countof'
  readonly operand: Expr
}

/** `decltype(e)`. */
export interface DecltypeExpr {
  readonly kind: 'decltype'
  readonly span: Span
  readonly operand: Expr
}

/** `T*`. */
export interface PointerExpr {
  readonly kind: 'pointer'
  readonly span: Span
  readonly target: TypeExpr
}

/** `T?`. */
export interface OptionalExpr {
  readonly kind: 'optional'
  readonly span: Span
  readonly target: TypeExpr
}

/** `functype (int, float) -> float`. */
export interface FuncTypeExpr {
  readonly kind: 'funcType'
  readonly span: Span
  readonly params: readonly Param[]
  readonly result: TypeExpr
  /** What has this type can be differentiated. */
  readonly smooth?: boolean
}

/** Modifiers inside a type: `no_diff float` as a generic argument, `const T`. */
export interface ModifiedExpr {
  readonly kind: 'modified'
  readonly span: Span
  readonly modifiers: readonly Modifier[]
  readonly type: TypeExpr
}

/** A feature of the language that is parsed over and not supported. */
export interface UnsupportedExpr {
  readonly kind: 'unsupported'
  readonly span: Span
  readonly feature: string
}

/** Replaces a missing expression, after a diagnostic. */
export interface ErrorExpr {
  readonly kind: 'error'
  readonly span: Span
}
