/** The trees of generated programs: made by `generate-slang.ts`, printed by `program-text.ts`, lowered by `lower-mini.ts`, shrunk by `reduce.ts`. */
import * as t from '../src/ir/type.ts'
import type { Type } from '../src/ir/type.ts'
import type { Direction } from '../src/ir/value.ts'

export type Expr =
  | { kind: 'lit'; type: Type; value: number }
  | { kind: 'var'; type: Type; name: string }
  | { kind: 'bin'; type: Type; op: string; x: Expr; y: Expr }
  | { kind: 'neg'; type: Type; x: Expr }
  | { kind: 'cond'; type: Type; c: Expr; x: Expr; y: Expr }
  /** A library function. */
  | { kind: 'lib'; type: Type; name: string; args: Expr[] }
  /** A function of the program; only `in` parameters. */
  | { kind: 'call'; type: Type; func: FuncDecl; args: Expr[] }
  | { kind: 'make'; type: Type; args: Expr[] }
  | { kind: 'part'; type: Type; of: Expr; at: number }
  | { kind: 'elem'; type: Type; of: Expr; at: Expr }
  | { kind: 'float'; type: Type; x: Expr }
  /** A float that is not negative as an integer. */
  | { kind: 'int'; type: Type; x: Expr }
  /** Several lanes of a vector; as a place, none twice. */
  | { kind: 'lanes'; type: Type; of: Expr; lanes: readonly number[] }
  /** A struct as a value of an interface. */
  | { kind: 'up'; type: Type; x: Expr }
  /** A value of an interface of the implementation with a number, made from constants. */
  | { kind: 'dynamic'; type: Type; id: Expr; data: readonly number[] }
  /** A lambda of one float, and what it is called with. */
  | { kind: 'lambda'; type: Type; name: string; body: Expr; x: Expr }

/** A `part` or `elem` chain down to a `var`. */
export type Place = Expr

export type Stmt =
  | { kind: 'decl'; name: string; type: Type; init: Expr | undefined }
  | { kind: 'set'; to: Place; op: '=' | '+=' | '-=' | '*='; value: Expr }
  | { kind: 'if'; c: Expr; yes: Stmt[]; no: Stmt[] }
  /** Counts down, to zero, where the step is negative. */
  | { kind: 'for'; name: string; from: number; to: Expr; max: number; step: number; unroll: boolean; body: Stmt[] }
  /** `form` says where it asks whether to go on: before a trip, after it, or by `break`. */
  | { kind: 'while'; form: 'while' | 'do' | 'break'; name: string; max: number; c: Expr | undefined; body: Stmt[] }
  /** `falls` tells of each case whether it goes on with the next. */
  | { kind: 'switch'; x: Expr; cases: Stmt[][]; falls: boolean[] }
  | { kind: 'break' }
  | { kind: 'continue' }
  | { kind: 'return'; value: Expr | undefined }
  /** A call of a function with outputs; arguments of `out` and `inout` parameters are places. */
  | { kind: 'call'; to: Place | undefined; func: FuncDecl; args: Expr[] }

export interface Param {
  name: string
  type: Type
  dir: Direction
  /** Carries no derivative though its type could; only parameters of the main function do so. */
  noDiff: boolean
}

/** The differential of a parameter, or null where it carries none. */
export function paramDifferential(p: Param): Type | null {
  return p.noDiff ? null : t.differential(p.type)
}

export interface FuncDecl {
  name: string
  params: Param[]
  result: Type
  body: Stmt[]
  /** True for a method, whose first parameter is `this`. */
  isMethod: boolean
  prefer: 'none' | 'recompute' | 'checkpoint'
  custom: Custom
  /** The requirement that a method stands for. */
  implements: FuncDecl | undefined
  /** A generic function has an interface whose name stands for its type parameter. */
  generic: Type | undefined
}

/** Who gives a function its derivative: nobody, a function of the user that names it or that it names, or a substitute. */
export type Custom = 'none' | 'backward' | 'forward' | 'both' | 'backwardOf' | 'forwardOf' | 'substitute'

/** An interface, whose values are differentiable, and the structs that conform to it. Its type is a struct without fields. */
export interface Interface {
  type: Type
  requirements: FuncDecl[]
  structs: Type[]
}

export interface Program {
  structs: Type[]
  interfaces: Interface[]
  funcs: FuncDecl[]
  main: FuncDecl
}

/** Gives a struct the differential that Slang synthesises. */
export function makeDifferential(s: Type): void {
  const fields = s.fields.flatMap(f => {
    const type = t.differential(f.type)
    return type === null ? [] : [{ name: f.name, type }]
  })
  const same = fields.length === s.fields.length && fields.every((f, i) => f.type === s.fields[i]!.type)
  const type = same ? s : t.struct(`${s.name}.Differential`, fields)
  let k = 0
  s.diff = { type, fields: s.fields.map(f => t.differential(f.type) === null ? -1 : k++), dzero: undefined, dadd: undefined }
  if (!same) type.diff = { type, fields: fields.map((_, i) => i), dzero: undefined, dadd: undefined }
}

// ── Walks ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The operands of an expression. */
export function exprParts(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'lit': case 'var': return []
    case 'bin': return [e.x, e.y]
    case 'neg': case 'float': case 'int': case 'up': return [e.x]
    case 'dynamic': return [e.id]
    case 'lambda': return [e.body, e.x]
    case 'cond': return [e.c, e.x, e.y]
    case 'lib': case 'call': case 'make': return e.args
    case 'part': case 'lanes': return [e.of]
    case 'elem': return [e.of, e.at]
  }
}

/** The expressions of a statement, not of statements inside it. */
export function stmtExprs(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case 'decl': return s.init === undefined ? [] : [s.init]
    case 'set': return [s.to, s.value]
    case 'if': return [s.c]
    case 'for': return [s.to]
    case 'while': return s.c === undefined ? [] : [s.c]
    case 'switch': return [s.x]
    case 'return': return s.value === undefined ? [] : [s.value]
    case 'call': return s.to === undefined ? s.args : [s.to, ...s.args]
    default: return []
  }
}

/** The lists of statements inside a statement. */
export function stmtLists(s: Stmt): readonly Stmt[][] {
  switch (s.kind) {
    case 'if': return [s.yes, s.no]
    case 'for': case 'while': return [s.body]
    case 'switch': return s.cases
    default: return []
  }
}

export function eachStmt(list: readonly Stmt[], f: (s: Stmt) => void): void {
  for (const s of list) {
    f(s)
    for (const part of stmtLists(s)) eachStmt(part, f)
  }
}
