/** Writes statements and expressions as WGSL, with the parentheses that its grammar wants. */
import { InternalError } from '../../base/diag.ts'
import type { Type } from '../../ir/type.ts'
import type { Func, Global } from '../../ir/value.ts'
import type { Lines } from '../code/lines.ts'
import {
  same,
  type Assign,
  type Code,
  type Expr,
  type ExprOp,
  type If,
  type Loop,
  type Stmt,
  type Switch,
  type Var,
} from '../code/tree.ts'
import { intrinsicNamed } from './intrinsic.ts'
import { isNegative, literal } from './literal.ts'

/** What a function needs to know of its module. */
export interface ModuleScope {
  typeText(type: Type): string
  /** The name of a struct's field. */
  fieldText(type: Type, i: number): string
  funcText(func: Func): string
  globalText(global: Global): string
}

/** How tightly an expression binds; greater binds tighter. */
const binds = { logic: 1, bits: 2, compare: 3, shift: 4, add: 5, mul: 6, unary: 7, primary: 8 } as const

const infix: ReadonlyMap<ExprOp, readonly [string, number]> = new Map([
  ['add', ['+', binds.add]],
  ['sub', ['-', binds.add]],
  ['mul', ['*', binds.mul]],
  ['div', ['/', binds.mul]],
  ['matmul', ['*', binds.mul]],
  ['rem', ['%', binds.mul]],
  ['and', ['&', binds.bits]],
  ['or', ['|', binds.bits]],
  ['xor', ['^', binds.bits]],
  ['shl', ['<<', binds.shift]],
  ['shr', ['>>', binds.shift]],
  ['lt', ['<', binds.compare]],
  ['le', ['<=', binds.compare]],
  ['gt', ['>', binds.compare]],
  ['ge', ['>=', binds.compare]],
  ['eq', ['==', binds.compare]],
  ['ne', ['!=', binds.compare]],
  ['both', ['&&', binds.logic]],
  ['either', ['||', binds.logic]],
])

/** Operators that stand before `=`. */
const compound: ReadonlySet<ExprOp> = new Set([
  'add',
  'sub',
  'mul',
  'matmul',
  'div',
  'rem',
  'and',
  'or',
  'xor',
  'shl',
  'shr',
])

const lanes = 'xyzw'

function levelOf(e: Expr): number {
  switch (e.op) {
    case 'neg':
    case 'not':
      return binds.unary
    case 'const':
      return isNegative(e.type.scalar!, e.attr) ? binds.unary : binds.primary
    case 'load':
      return levelOf(e.args[0]!)
    default:
      return infix.get(e.op)?.[1] ?? binds.primary
  }
}

/** True where `<` or `>` stands in the text outside of parentheses. */
function hasAngle(e: Expr): boolean {
  switch (e.op) {
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
    case 'shl':
    case 'shr':
      return true
    case 'eq':
    case 'ne':
    case 'both':
    case 'either':
      return e.args.some(hasAngle)
    default:
      return false
  }
}

/** Both operands as they are written. */
function operands(e: Expr): readonly [Expr, Expr] {
  const x = e.args[0]!,
    y = e.args[1]!
  // Rows here are columns there, so a product turns round.
  if (e.op === 'matmul') return [y, x]
  const level = infix.get(e.op)![1]
  return level === binds.add || level === binds.mul ? [lane(x, y), lane(y, x)] : [x, y]
}

/** A scalar stands for a vector that repeats it where the other operand is a vector. */
function lane(e: Expr, other: Expr): Expr {
  return e.op === 'splat' && e.type.kind === 'vec' && other.op !== 'splat' ? e.args[0]! : e
}

type ExprPrinters = { readonly [K in ExprOp]: (e: Expr<K>, p: Printer) => string }

export class Printer {
  readonly #scope: ModuleScope
  readonly #lines: Lines

  constructor(scope: ModuleScope, lines: Lines) {
    this.#scope = scope
    this.#lines = lines
  }

  // ── Expressions ──────────────────────────────────────────────────────────────────────────────────────────────

  expr(e: Expr): string {
    this.#lines.part(e.span)
    return (Printer.#exprs[e.op] as (e: Expr, p: Printer) => string)(e, this)
  }

  #at(e: Expr, least: number): string {
    return levelOf(e) < least ? `(${this.expr(e)})` : this.expr(e)
  }

  #infix(e: Expr): string {
    const [symbol, level] = infix.get(e.op)!
    const [x, y] = operands(e)
    if (level === binds.logic) {
      // One inside the other is put in parentheses.
      return `${x.op === e.op ? this.expr(x) : this.#at(x, binds.compare)} ${symbol} ${this.#at(y, binds.compare)}`
    }
    // Operands of bit operations and shifts are unary in the grammar; only sums and products chain.
    const chains = level === binds.add || level === binds.mul
    const left = level === binds.compare ? binds.shift + 1 : chains ? level : binds.unary
    return `${this.#at(x, left)} ${symbol} ${this.#at(y, chains ? level + 1 : left)}`
  }

  #component(base: Expr, type: Type, i: number): string {
    const step =
      type.kind === 'vec' ? `.${lanes[i]!}` : type.kind === 'struct' ? `.${this.#scope.fieldText(type, i)}` : `[${i}]`
    return this.#at(base, binds.primary) + step
  }

  #index(base: Expr, i: Expr): string {
    return `${this.#at(base, binds.primary)}[${i.op === 'const' ? String(Number(i.attr)) : this.expr(i)}]`
  }

  #call(name: string, args: readonly Expr[]): string {
    // `f(a < b, c > d)` would be a list of template arguments.
    return `${name}(${args.map(a => (args.length > 1 && hasAngle(a) ? `(${this.expr(a)})` : this.expr(a))).join(', ')})`
  }

  #intrinsic(name: string, args: readonly Expr[]): string {
    const isPointer = (a: Expr): boolean => a.type.kind === 'ptr' && a.type.space !== 'handle'
    return `${name}(${args.map(a => (isPointer(a) ? `&${this.expr(a)}` : args.length > 1 && hasAngle(a) ? `(${this.expr(a)})` : this.expr(a))).join(', ')})`
  }

  static readonly #exprs: ExprPrinters = (() => {
    const infix = (e: Expr, p: Printer): string => p.#infix(e)
    const make = (e: Expr, p: Printer): string => p.#call(p.#scope.typeText(e.type), e.args)
    const intrinsic = (e: Expr<'intrinsic.pure' | 'intrinsic.read' | 'intrinsic.write'>, p: Printer): string =>
      p.#intrinsic(intrinsicNamed(e.attr).name, e.args)
    const illegal = (e: Expr): string => {
      throw new InternalError('wgsl', `WGSL has no ${e.op}`)
    }
    return {
      name: e => e.attr.name,
      const: e => literal(e.type.scalar!, e.attr),
      zero: (e, p) => `${p.#scope.typeText(e.type)}()`,
      global: (e, p) => p.#scope.globalText(e.attr),
      load: (e, p) => p.expr(e.args[0]!),
      call: (e, p) => p.#call(p.#scope.funcText(e.attr), e.args),
      add: infix,
      sub: infix,
      mul: infix,
      div: infix,
      rem: infix,
      matmul: infix,
      and: infix,
      or: infix,
      xor: infix,
      shl: infix,
      shr: infix,
      lt: infix,
      le: infix,
      gt: infix,
      ge: infix,
      eq: infix,
      ne: infix,
      both: infix,
      either: infix,
      neg: (e, p) => {
        const x = e.args[0]!
        return x.op === 'neg' || (x.op === 'const' && levelOf(x) === binds.unary)
          ? `-(${p.expr(x)})`
          : `-${p.#at(x, binds.unary)}`
      },
      not: (e, p) => `${e.type.scalar === 'bool' ? '!' : '~'}${p.#at(e.args[0]!, binds.unary)}`,
      select: (e, p) => p.#call('select', [e.args[2]!, e.args[1]!, e.args[0]!]),
      bitcast: (e, p) => p.#call(`bitcast<${p.#scope.typeText(e.type)}>`, e.args),
      convert: make,
      construct: make,
      splat: make,
      extract: (e, p) => p.#component(e.args[0]!, e.args[0]!.type, e.attr),
      field: (e, p) => p.#component(e.args[0]!, e.args[0]!.type.elem!, e.attr),
      index: (e, p) => p.#index(e.args[0]!, e.args[1]!),
      elem: (e, p) => {
        const [base, i] = [e.args[0]!, e.args[1]!]
        return base.type.elem!.kind === 'vec' && i.op === 'const'
          ? p.#component(base, base.type.elem!, Number(i.attr))
          : p.#index(base, i)
      },
      swizzle: (e, p) => `${p.#at(e.args[0]!, binds.primary)}.${e.attr.map(l => lanes[l]!).join('')}`,
      dot: (e, p) => p.#call('dot', e.args),
      transpose: (e, p) => p.#call('transpose', e.args),
      'intrinsic.pure': intrinsic,
      'intrinsic.read': intrinsic,
      'intrinsic.write': intrinsic,
      // Legal code has none of these.
      undef: illegal,
      insert: illegal,
      length: illegal,
      barrier: illegal,
      printf: illegal,
      trap: illegal,
      atomic: illegal,
    }
  })()

  // ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────

  /** The statements of a function whose result has a type. */
  body(code: Code, result: Type): void {
    this.#list(code.body, result)
  }

  #list(list: readonly Stmt[], result: Type): void {
    for (let i = 0; i < list.length; i++) this.#stmt(list[i]!, result)
  }

  #block(list: readonly Stmt[], result: Type): void {
    this.#lines.indented(() => this.#list(list, result))
  }

  #stmt(s: Stmt, result: Type): void {
    const lines = this.#lines
    switch (s.kind) {
      case 'let':
        lines.add(`let ${s.locals[0]!.name} = ${this.expr(s.value)};`, s.span)
        return
      case 'var':
        lines.add(`${this.#var(s)};`, s.span)
        return
      case 'assign':
        lines.add(`${this.#assign(s)};`, s.span)
        return
      case 'do':
        lines.add(`${this.#do(s.value)};`, s.span)
        return
      case 'if':
        this.#if(s, result)
        return
      case 'switch':
        this.#switch(s, result)
        return
      case 'loop':
        this.#loop(s, result)
        return
      case 'once':
        lines.braces('switch (0)', s.span, () => lines.braces('default:', null, () => this.#list(s.body, result)))
        return
      case 'break':
        lines.add('break;', s.span)
        return
      case 'continue':
        lines.add('continue;', s.span)
        return
      case 'return':
        lines.add(s.values.length === 0 ? 'return;' : `return ${this.expr(s.values[0]!)};`, s.span)
        return
      case 'unreachable':
        if (result.kind !== 'void') lines.add(`return ${this.#scope.typeText(result)}();`, s.span)
    }
  }

  #var({ local, init }: Var): string {
    return init === undefined
      ? `var ${local.name}: ${this.#scope.typeText(local.type)}`
      : `var ${local.name} = ${this.expr(init)}`
  }

  #assign({ place, value }: Assign): string {
    const target = this.expr(place)
    if (!compound.has(value.op)) return `${target} = ${this.expr(value)}`
    const [x, y] = operands(value)
    const old = x.op === 'load' ? x.args[0]! : x
    if (!same(place, old)) return `${target} = ${this.expr(value)}`
    return `${target} ${infix.get(value.op)![0]}= ${this.expr(y)}`
  }

  /** What a `for` does after each trip. */
  #step(step: Assign): string {
    const { place, value } = step
    if ((value.op === 'add' || value.op === 'sub') && same(place, value.args[0]!)) {
      const by = value.args[1]!
      const isInt = by.type.scalar === 'i32' || by.type.scalar === 'u32'
      if (isInt && by.op === 'const' && Number(by.attr) === 1)
        return `${this.expr(place)}${value.op === 'add' ? '++' : '--'}`
    }
    return this.#assign(step)
  }

  #do(e: Expr): string {
    if (e.op !== 'intrinsic.write') return this.expr(e)
    const { name, isStatement, mustUse } = intrinsicNamed(e.attr)
    if (isStatement === true) return name
    return `${mustUse === true ? '_ = ' : ''}${this.expr(e)}`
  }

  #if(s: If, result: Type): void {
    const lines = this.#lines
    let head = ''
    for (let at: If | undefined = s; at !== undefined;) {
      lines.add(`${head}if (${this.expr(at.cond)}) {`, at.span)
      this.#block(at.yes, result)
      const next: Stmt | undefined = at.no.length === 1 ? at.no[0] : undefined
      if (next?.kind === 'if') {
        at = next
        head = '} else '
        continue
      }
      if (at.no.length > 0) {
        lines.add('} else {')
        this.#block(at.no, result)
      }
      lines.add('}')
      return
    }
  }

  #switch(s: Switch, result: Type): void {
    const lines = this.#lines
    const suffix = s.value.type.scalar === 'u32' ? 'u' : ''
    lines.braces(`switch (${this.expr(s.value)})`, s.span, () => {
      for (const c of s.cases) {
        const labels = c.labels.map(l => `${l}${suffix}`)
        if (c.isDefault) labels.push('default')
        lines.braces(c.isDefault && labels.length === 1 ? 'default:' : `case ${labels.join(', ')}:`, c.span, () =>
          this.#list(c.body, result),
        )
      }
    })
  }

  #loop(s: Loop, result: Type): void {
    const lines = this.#lines
    const cond = s.cond === undefined ? undefined : this.expr(s.cond)
    // A `loop` has to have a way out, and nothing else may have a `continuing`.
    const isClosed = cond === undefined && !s.isLeft && s.start === undefined && s.step === undefined
    const head =
      s.start !== undefined || s.step !== undefined
        ? `for (${s.start === undefined ? '' : this.#var(s.start)}; ${cond ?? ''}; ${s.step === undefined ? '' : this.#step(s.step)})`
        : cond !== undefined
          ? `while (${cond})`
          : isClosed && s.continuing.length === 0
            ? 'while (true)'
            : 'loop'
    lines.add(`${head} {`, s.span)
    lines.indented(() => {
      this.#list(s.body, result)
      if (s.continuing.length > 0)
        lines.braces('continuing', null, () => {
          this.#list(s.continuing, result)
          if (isClosed) lines.add('break if false;')
        })
    })
    lines.add('}')
    // WGSL takes it for one that ends.
    if (isClosed && result.kind !== 'void') lines.add(`return ${this.#scope.typeText(result)}();`)
  }
}
