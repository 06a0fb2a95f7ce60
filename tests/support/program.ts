/** The trees of generated programs: made by `generate-slang.ts` of expressions by `generate-expr.ts`, printed by `program-text.ts`, lowered by `lower-mini.ts`, shrunk by `reduce.ts`. */
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import type { Direction } from '../../src/ir/value.ts'

export type Expr =
  | { kind: 'lit'; type: Type; value: number }
  | { kind: 'var'; type: Type; name: string }
  | { kind: 'bin'; type: Type; op: string; x: Expr; y: Expr }
  | { kind: 'neg'; type: Type; x: Expr }
  | { kind: 'cond'; type: Type; c: Expr; x: Expr; y: Expr }
  /** A library function. */
  | { kind: 'lib'; type: Type; name: string; args: Expr[] }
  /** A function of the program. Only right sides of assignments have outputs, of which nothing beside them reads. */
  | { kind: 'call'; type: Type; func: FuncDecl; args: Expr[] }
  /** A value without its derivative: `no_diff` of a call, or `detach`. */
  | { kind: 'held'; type: Type; how: 'no_diff' | 'detach'; x: Expr }
  /** Counts a local integer up and gives it. */
  | { kind: 'step'; type: Type; name: string }
  /** Whether a float is zero as an unsigned integer: below a quarter here, and wherever it is negative, which no such integer is. */
  | { kind: 'saturates'; type: Type; x: Expr }
  /** The derivative of a function of the program along tangents, by `fwd_diff`; parameters without derivative have no tangent. */
  | { kind: 'pushed'; type: Type; func: FuncDecl; args: Expr[]; tangents: (Expr | undefined)[] }
  /** A struct by an initialiser list, which may leave out the last of its fields. */
  | { kind: 'list'; type: Type; args: Expr[] }
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
  /** The gradient of a function of the program with respect to some of its parameters, by `bwd_diff`, added to places. */
  | { kind: 'pull'; id: number; func: FuncDecl; args: Expr[]; ct: Expr; to: { param: number; place: Place }[] }

export interface Param {
  name: string
  type: Type
  dir: Direction
  /** Carries no derivative though its type could. Only what goes in does so. */
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
  /** The result carries no derivative. */
  noDiffResult: boolean
  /** How often what it calls is differentiated in it. */
  order: number
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
  /** What fields begin with, where they say so. */
  defaults: Map<Type, readonly (number | undefined)[]>
  interfaces: Interface[]
  funcs: FuncDecl[]
  main: FuncDecl
}

/** Gives a struct the differential that Slang synthesises; `fixed` are the fields marked `no_diff`. */
export function makeDifferential(s: Type, fixed: ReadonlySet<number> = new Set()): void {
  const fields = s.fields.flatMap((f, i) => {
    const type = fixed.has(i) ? null : t.differential(f.type)
    return type === null ? [] : [{ name: f.name, type }]
  })
  const same = fields.length === s.fields.length && fields.every((f, i) => f.type === s.fields[i]!.type)
  const type = same ? s : t.struct(`${s.name}.Differential`, fields)
  let k = 0
  s.diff = {
    type,
    fields: s.fields.map((f, i) => (fixed.has(i) || t.differential(f.type) === null ? -1 : k++)),
    dzero: undefined,
    dadd: undefined,
  }
  if (!same) type.diff = { type, fields: fields.map((_, i) => i), dzero: undefined, dadd: undefined }
}

/** Whether a field carries no derivative though its type could. */
export function isFixed(s: Type, field: number): boolean {
  return (
    s.kind === 'struct' &&
    s.diff !== null &&
    s.diff.fields[field] === -1 &&
    t.differential(s.fields[field]!.type) !== null
  )
}

/** Whether an expression is a part of what lies in a field that carries no derivative. */
export function isInFixed(e: Expr): boolean {
  return (
    (e.kind === 'part' && isFixed(e.of.type, e.at)) ||
    ((e.kind === 'part' || e.kind === 'elem' || e.kind === 'lanes') && isInFixed(e.of))
  )
}

/** Whether a program holds anything constant in derivatives, other than parameters of its main function. */
export function isHolding(program: Program): boolean {
  let found = program.structs.some(s => s.fields.some((_, i) => isFixed(s, i)))
  for (const f of [...program.funcs, program.main]) {
    found ||= f.noDiffResult || (f !== program.main && f.params.some(p => p.noDiff))
    eachStmt(f.body, s =>
      stmtExprs(s).forEach(e =>
        eachPart(e, part => {
          found ||= part.kind === 'held'
        }),
      ),
    )
  }
  return found
}

// ── Walks ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The operands of an expression. */
export function exprParts(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'lit':
    case 'var':
    case 'step':
      return []
    case 'bin':
      return [e.x, e.y]
    case 'neg':
    case 'float':
    case 'int':
    case 'up':
    case 'held':
    case 'saturates':
      return [e.x]
    case 'dynamic':
      return [e.id]
    case 'lambda':
      return [e.body, e.x]
    case 'cond':
      return [e.c, e.x, e.y]
    case 'lib':
    case 'call':
    case 'make':
    case 'list':
      return e.args
    case 'pushed':
      return [...e.args, ...e.tangents.filter(x => x !== undefined)]
    case 'part':
    case 'lanes':
      return [e.of]
    case 'elem':
      return [e.of, e.at]
  }
}

/** An expression and all that it is made of. */
export function eachPart(e: Expr, visit: (e: Expr) => void): void {
  visit(e)
  for (const part of exprParts(e)) eachPart(part, visit)
}

/** The expressions of a statement, not of statements inside it. */
export function stmtExprs(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case 'decl':
      return s.init === undefined ? [] : [s.init]
    case 'set':
      return [s.to, s.value]
    case 'if':
      return [s.c]
    case 'for':
      return [s.to]
    case 'while':
      return s.c === undefined ? [] : [s.c]
    case 'switch':
      return [s.x]
    case 'return':
      return s.value === undefined ? [] : [s.value]
    case 'call':
      return s.to === undefined ? s.args : [s.to, ...s.args]
    case 'pull':
      return [...s.args, s.ct, ...s.to.map(x => x.place)]
    default:
      return []
  }
}

/** The lists of statements inside a statement. */
export function stmtLists(s: Stmt): readonly Stmt[][] {
  switch (s.kind) {
    case 'if':
      return [s.yes, s.no]
    case 'for':
    case 'while':
      return [s.body]
    case 'switch':
      return s.cases
    default:
      return []
  }
}

export function eachStmt(list: readonly Stmt[], f: (s: Stmt) => void): void {
  for (const s of list) {
    f(s)
    for (const part of stmtLists(s)) eachStmt(part, f)
  }
}
