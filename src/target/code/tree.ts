/**
 * Code as a tree of the statements and expressions that languages with structured control have in common. `structure.ts` makes it
 * from IR, `tidy.ts` shortens it, and each target prints it. An expression is an op of the IR applied to expressions.
 */
import type { Span } from '../../base/source.ts'
import type { Attrs, OpName, OwnerOp, Terminator } from '../../ir/op.ts'
import { bool, voidType, type Type } from '../../ir/type.ts'
import type { Global, Inst, Value } from '../../ir/value.ts'

/** A name in a function: of a parameter, of a value, or of a variable. */
export class Local {
  readonly name: string
  readonly type: Type

  constructor(name: string, type: Type) {
    this.name = name
    this.type = type
  }
}

/** Ops that are statements, or only say something of an operand. */
type NoExpr = OwnerOp | Terminator | 'var' | 'store' | 'detach' | 'intrinsic.hide'

/** Ops of the IR that are written as expressions. */
export type ValueOp = Exclude<OpName, NoExpr>

/** The immediate of each op of an expression. `both` and `either` evaluate their second operand only where they must. */
export type ExprAttrs = { readonly [K in ValueOp]: Attrs[K] } & {
  readonly name: Local
  readonly both: null
  readonly either: null
}

export type ExprOp = keyof ExprAttrs

/** Memory that an expression reads: a module-level variable, or the pointer to a local one. */
export type Root = Global | Value

const none: readonly never[] = []

/** The single shape that all expressions have at run time. */
class AnyExpr {
  readonly op: ExprOp
  readonly attr: ExprAttrs[ExprOp]
  readonly type: Type
  readonly args: readonly Expr[]
  /** The memory it reads that something may write. */
  readonly reads: readonly Root[]
  /** The variables in it that loops assign. */
  readonly vars: readonly Local[]
  /** About as many characters as it takes. */
  width: number
  /** Where the op itself stands in the source. */
  span: Span | null = null

  constructor(
    op: ExprOp,
    attr: ExprAttrs[ExprOp],
    type: Type,
    args: readonly Expr[],
    reads: readonly Root[],
    vars: readonly Local[],
  ) {
    this.op = op
    this.attr = attr
    this.type = type
    this.args = args
    this.reads = reads
    this.vars = vars
    this.width = ownWidth(this as AnyExpr as Expr)
    for (let i = 0; i < args.length; i++) this.width += args[i]!.width
  }
}

interface ExprOf<K extends ExprOp> extends AnyExpr {
  readonly op: K
  readonly attr: ExprAttrs[K]
}

/** An expression. A test of `op` narrows the type of its immediate. */
export type Expr<K extends ExprOp = ExprOp> = { [P in K]: ExprOf<P> }[K]

/** An expression from its operands. `own` is memory that it reads itself. */
export function expr<K extends ExprOp>(
  op: K,
  attr: ExprAttrs[K],
  type: Type,
  args: readonly Expr[],
  own: readonly Root[] = none,
): Expr {
  let [reads, vars] = [own, none as readonly Local[]]
  for (let i = 0; i < args.length; i++) {
    reads = union(reads, args[i]!.reads)
    vars = union(vars, args[i]!.vars)
  }
  return new AnyExpr(op, attr, type, args, reads, vars) as Expr
}

/** The op of an instruction, applied to expressions. */
export function applied(
  { op, attr, span }: Inst<ValueOp>,
  type: Type,
  args: readonly Expr[],
  own: readonly Root[],
): Expr {
  const made = expr<ExprOp>(op, attr, type, args, own)
  // A constant is shared by all that need it.
  if (op !== 'const' && op !== 'zero') made.span = span
  return made
}

function union<T>(x: readonly T[], y: readonly T[]): readonly T[] {
  return y.length === 0 || x === y ? x : x.length === 0 ? y : [...new Set([...x, ...y])]
}

/** About how many characters an expression adds to what its operands take. */
function ownWidth(e: Expr): number {
  const { type, args } = e
  switch (e.op) {
    case 'name':
    case 'global':
      return e.attr.name.length
    case 'const':
      return Number.isInteger(e.attr) ? String(e.attr).length + 1 : 5
    case 'field':
    case 'extract': {
      const whole = args[0]!.type.kind === 'ptr' ? args[0]!.type.elem! : args[0]!.type
      return whole.kind === 'struct' ? 1 + whole.fields[e.attr]!.name.length : 2
    }
    case 'load':
      return 0
    case 'call':
      return 2 * args.length + e.attr.name.length
    case 'intrinsic.pure':
    case 'intrinsic.read':
    case 'intrinsic.write':
      return 2 * args.length + e.attr.length
    case 'neg':
    case 'not':
      return 1
    case 'elem':
    case 'index':
      return 2
    case 'zero':
    case 'construct':
      return (type.kind === 'struct' ? type.name.length : type.kind === 'array' ? 14 : 5) + 2 * args.length
    case 'splat':
    case 'convert':
    case 'bitcast':
    case 'select':
    case 'dot':
      return 5 + 2 * args.length
    default:
      return 3
  }
}

/** The name of a local as an expression; `carried` where a loop assigns it. */
export function nameOf(local: Local, type: Type = local.type, carried = false): Expr<'name'> {
  return new AnyExpr('name', local, type, none, none, carried ? [local] : none) as Expr<'name'>
}

/** A truth value. */
export function truth(value: boolean): Expr<'const'> {
  return new AnyExpr('const', value, bool, none, none, none) as Expr<'const'>
}

/** Stands where no expression is needed. */
export const nothing: Expr = new AnyExpr('zero', null, voidType, none, none, none) as Expr

/** True where both are the same text: the same names, the same paths, the same constants. */
export function same(x: Expr, y: Expr): boolean {
  if (x === y) return true
  if (x.op !== y.op || x.attr !== y.attr || x.args.length !== y.args.length || x.type !== y.type) return false
  for (let i = 0; i < x.args.length; i++) if (!same(x.args[i]!, y.args[i]!)) return false
  return true
}

// ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Names for the results of an expression, which never change; undefined for a result that nothing reads. */
export interface Let {
  readonly kind: 'let'
  readonly locals: readonly (Local | undefined)[]
  readonly value: Expr
  readonly span: Span | null
}
export interface Var {
  readonly kind: 'var'
  readonly local: Local
  readonly init: Expr | undefined
  readonly span: Span | null
}
export interface Assign {
  readonly kind: 'assign'
  readonly place: Expr
  readonly value: Expr
  readonly span: Span | null
}
/** An expression for its effect. */
export interface Do {
  readonly kind: 'do'
  readonly value: Expr
  readonly span: Span | null
}
export interface If {
  readonly kind: 'if'
  cond: Expr
  yes: Stmt[]
  no: Stmt[]
  readonly span: Span | null
  label: string
}
export interface Case {
  readonly labels: readonly number[]
  readonly isDefault: boolean
  readonly body: Stmt[]
  readonly span: Span | null
}
export interface Switch {
  readonly kind: 'switch'
  readonly value: Expr
  readonly cases: readonly Case[]
  readonly span: Span | null
  label: string
}
export interface Loop {
  readonly kind: 'loop'
  /** Endless where it is undefined. */
  cond: Expr | undefined
  /** Of a `for`: the variable that it declares, and what follows each trip. */
  start: Var | undefined
  step: Assign | undefined
  readonly body: Stmt[]
  /** What each trip ends with, after `continue` too. */
  readonly continuing: Stmt[]
  /** Control leaves it from its head or from inside, or returns. */
  readonly isLeft: boolean
  /** The instruction, for messages about the loop. */
  readonly of: Inst<'loop'>
  readonly span: Span | null
  label: string
}
/** Statements that run once and can be left. In languages with labels it always has one. */
export interface Once {
  readonly kind: 'once'
  readonly body: Stmt[]
  readonly span: Span | null
  label: string
}
/** What `break` may leave. */
export type Target = If | Switch | Loop | Once
export interface Break {
  readonly kind: 'break'
  readonly of: Target
  readonly span: Span | null
}
export interface Continue {
  readonly kind: 'continue'
  readonly of: Loop
  readonly span: Span | null
}
export interface Return {
  readonly kind: 'return'
  readonly values: readonly Expr[]
  readonly span: Span | null
}
/** Is never reached. */
export interface Unreachable {
  readonly kind: 'unreachable'
  readonly span: Span | null
}

export type Stmt = Let | Var | Assign | Do | If | Switch | Loop | Once | Break | Continue | Return | Unreachable

/** A function as code. */
export interface Code {
  readonly params: readonly Local[]
  readonly body: readonly Stmt[]
}

/** The features of a language that matter to how code is structured. */
export interface Capabilities {
  /**
   * `break` may leave any construct from anywhere inside, by a label, which this gives to those that need one (`labels.ts`). Otherwise it
   * leaves the innermost loop, `switch` or `once` only.
   */
  readonly labels: ((list: Stmt[], fresh: (hint: string) => string) => void) | undefined
  /** Statements at the end of a loop's body that `continue` goes to. */
  readonly continuing: boolean
  /** A choice evaluates only the operand that it gives. Otherwise it evaluates both, which must be scalars or vectors at hand. */
  readonly lazyChoice: boolean
  /** No two buffers lie in the same memory. */
  readonly distinctBuffers: boolean
  /** Whether a constant, or a part of a value, costs nothing: in some languages one of an array does. */
  isFree(inst: Inst): boolean
  /** What a variable begins as, where one that is declared without a value does not begin as zero. */
  readonly initial: ((type: Type) => Expr) | undefined
  /** A value with a name in the source keeps its name, even if it is used once. */
  readonly keepsNames: boolean
  /** Whether the result of an intrinsic depends on where it is called, so that the call must not move. */
  isConvergent(intrinsic: string): boolean
}
