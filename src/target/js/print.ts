/** Writes statements and expressions as JavaScript. */
import { InternalError } from '../../base/diag.ts'
import type { ScalarName, Type } from '../../ir/type.ts'
import type { Func, Inst } from '../../ir/value.ts'
import { isRecursive } from '../../opt/recursion.ts'
import { Lines } from '../code/lines.ts'
import type { Code, Expr, ExprOp, If, Loop, Stmt, Switch, Target, Var } from '../code/tree.ts'
import { isLeafIntrinsic, type LeafIntrinsic } from '../leaves/intrinsic.ts'
import { endless, loopName, tooDeepCalls, tooManyTrips } from '../limits.ts'
import { arrayClass } from './array.ts'
import { intrinsicNamed } from './intrinsic.ts'
import type { Scalars } from './scalar.ts'
import {
  argument,
  array,
  at,
  binary,
  call,
  cond,
  delegate,
  index,
  method,
  name,
  number,
  statement,
  unary,
  type Text,
} from './text.ts'
import type { Unit } from './unit.ts'

/** The text of a function. */
export function printFunc(from: Func, into: Func, code: Code, unit: Unit): Lines {
  const printer = new Printer(from, unit)
  printer.func(into, code)
  return printer.lines
}

/** Arguments that a call may have everywhere; engines allow more, but not as many as a table has. */
const mostArguments = 1000

type ExprPrinters = { readonly [K in ExprOp]: (e: Expr<K>, p: Printer) => Text }

class Printer {
  readonly lines: Lines
  readonly #from: Func
  readonly #unit: Unit
  readonly #scalars: Scalars
  /** What a plain `break` leaves, innermost last. */
  readonly #around: Target[] = []

  constructor(from: Func, unit: Unit) {
    this.lines = new Lines(unit.sink.work, unit.origins)
    this.#from = from
    this.#unit = unit
    this.#scalars = unit.scalars
  }

  func(into: Func, { params, body }: Code): void {
    const { lines } = this
    const { depth } = this.#unit.limits
    const list = params.map(p => p.name).join(', ')
    lines.braces(`function${this.#unit.generators.has(into) ? '*' : ''} ${into.name}(${list})`, this.#from.span, () => {
      if (depth === undefined || !isRecursive(this.#from)) {
        this.#list(body)
        return
      }
      lines.add(`if (--depthLeft < 0) stopped(${JSON.stringify(tooDeepCalls(this.#from, depth))})`)
      lines.add('try {')
      lines.indented(() => this.#list(body))
      lines.add('} finally {')
      lines.indented(() => lines.add('depthLeft++'))
      lines.add('}')
    })
  }

  // ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────────

  #list(list: readonly Stmt[]): void {
    for (let i = 0; i < list.length; i++) this.#stmt(list[i]!)
  }

  #stmt(s: Stmt): void {
    const { lines } = this
    switch (s.kind) {
      case 'let': {
        const names = s.locals.map(l => l?.name ?? '')
        lines.add(
          `const ${names.length === 1 ? names[0] : `[${names.join(', ')}]`} = ${this.#argument(s.value)}`,
          s.span,
        )
        return
      }
      case 'var':
        lines.add(this.#var(s), s.span)
        return
      case 'assign':
        lines.add(`${this.#text(s.place).text} = ${this.#argument(s.value)}`, s.span)
        return
      case 'do':
        lines.add(this.#text(s.value).text, s.span)
        return
      case 'if':
        this.#if(s)
        return
      case 'switch':
        this.#switch(s)
        return
      case 'loop':
        this.#loop(s)
        return
      case 'once':
        lines.braces(`${s.label}:`, s.span, () => this.#list(s.body))
        return
      case 'break':
        lines.add(this.#around[this.#around.length - 1] === s.of ? 'break' : `break ${s.of.label}`, s.span)
        return
      case 'continue':
        lines.add('continue', s.span)
        return
      case 'return': {
        const values = s.values.map(v => this.#text(v))
        lines.add(
          values.length === 0 ? 'return' : `return ${(values.length === 1 ? values[0]! : array(values)).text}`,
          s.span,
        )
        return
      }
      case 'unreachable':
        this.#unit.helpers.add('stopped')
        lines.add(`stopped(${JSON.stringify(endless(loopName(s, this.#from)))})`, s.span)
    }
  }

  #label({ label }: Target): string {
    return label === '' ? '' : `${label}: `
  }

  #var({ local, init }: Var): string {
    return `let ${local.name}${init === undefined ? '' : ` = ${this.#argument(init)}`}`
  }

  #if(s: If): void {
    const { lines } = this
    let head = this.#label(s)
    for (let now: If | undefined = s; now !== undefined;) {
      const { yes, no }: If = now
      lines.add(`${head}if (${this.#text(now.cond).text}) {`, now.span)
      lines.indented(() => this.#list(yes))
      const next: Stmt | undefined = no.length === 1 ? no[0] : undefined
      if (next?.kind === 'if' && next.label === '') {
        now = next
        head = '} else '
        continue
      }
      if (no.length > 0) {
        lines.add('} else {')
        lines.indented(() => this.#list(no))
      }
      lines.add('}')
      return
    }
  }

  #switch(s: Switch): void {
    const { lines } = this
    const { scalar } = s.value.type
    lines.braces(`${this.#label(s)}switch (${this.#text(s.value).text})`, s.span, () => {
      this.#around.push(s)
      for (const c of s.cases) {
        const heads = c.isDefault
          ? 'default:'
          : c.labels.map(l => `case ${this.#scalars.literal(scalar!, l).text}:`).join(' ')
        lines.braces(heads, c.span, () => {
          this.#list(c.body)
          const last = c.body[c.body.length - 1]?.kind
          if (last !== 'return' && last !== 'break' && last !== 'unreachable') lines.add('break')
        })
      }
      this.#around.pop()
    })
  }

  #loop(s: Loop): void {
    const { lines } = this
    const test = s.cond === undefined ? undefined : this.#text(s.cond).text
    const head =
      s.start === undefined && s.step === undefined
        ? `while (${test ?? 'true'})`
        : `for (${s.start === undefined ? '' : this.#var(s.start)}; ${test ?? ''}; ${s.step === undefined ? '' : `${this.#text(s.step.place).text} = ${this.#argument(s.step.value)}`})`
    lines.braces(this.#label(s) + head, s.span, () => {
      this.#counted(s.of)
      this.#around.push(s)
      this.#list(s.body)
      this.#around.pop()
    })
  }

  /** Emits the counting of a trip, if trips or memory are limited. */
  #counted(of: Inst<'loop'>): void {
    const { trips, bytes } = this.#unit.limits
    if (trips === undefined && bytes === undefined) return
    const loop = loopName(of, this.#from)
    if (bytes !== undefined) this.lines.add(`loopNow = ${JSON.stringify(loop)}`)
    if (trips !== undefined)
      this.lines.add(`if (--tripsLeft < 0) stopped(${JSON.stringify(tooManyTrips(loop, trips))})`)
  }

  // ── Expressions ──────────────────────────────────────────────────────────────────────────────────────────────────

  #text(e: Expr): Text {
    this.lines.part(e.span)
    return (Printer.#exprs[e.op] as (e: Expr, p: Printer) => Text)(e, this)
  }

  /** An expression that stands between commas or after `=`. */
  #argument(e: Expr): string {
    return at(this.#text(e), argument)
  }

  #texts(args: readonly Expr[]): Text[] {
    return args.map(a => this.#text(a))
  }

  #zero(type: Type): Text {
    if (type.kind === 'list') return array([])
    return type.kind === 'array' ? this.#newArray(type) : this.#scalars.literal(type.scalar!, 0)
  }

  #newArray(type: Type): Text {
    return call(`new ${this.#class(type)}`, number(String(type.count)))
  }

  #class(type: Type): string {
    return arrayClass(type.elem!.scalar!, this.#scalars.mode)
  }

  #construct(type: Type, items: readonly Expr[]): Text {
    const texts = this.#texts(items)
    if (type.kind === 'list') return array(texts)
    if (items.length > 0 && items[0]!.type.kind === 'array') return this.#scalars.help('joined', array(texts))
    return items.length <= mostArguments
      ? call(`${this.#class(type)}.of`, ...texts)
      : call(`new ${this.#class(type)}`, array(texts))
  }

  /** The plain array in a list that a path of indices leads to. */
  #inside(list: Expr, path: readonly Expr[]): Text {
    return path.reduce((of, i) => this.#scalars.help('inner', of, this.#text(i)), this.#text(list))
  }

  static readonly #exprs: ExprPrinters = (() => {
    const apply = (e: Expr, p: Printer): Text => {
      const [x, y] = [p.#text(e.args[0]!), p.#text(e.args[1] ?? e.args[0]!)]
      const type = e.args[0]!.type
      if (type.kind === 'list') return p.#scalars.help('addedLists', x, y)
      if (type.kind === 'array') return p.#scalars.help('added', x, y)
      const by = e.args[1]
      return p.#scalars.apply(e.op as 'add', type.scalar!, x, y, by?.op === 'const' && Number(by.attr) !== 0)
    }
    const intrinsic = (e: Expr<'intrinsic.pure' | 'intrinsic.read' | 'intrinsic.write'>, p: Printer): Text => {
      if (isLeafIntrinsic(e.attr)) return Printer.#leaf[e.attr](e, p)
      const { isExact, isHelper } = intrinsicNamed(e.attr)
      const args = p.#texts(e.args)
      const made = isHelper === true ? p.#scalars.help(e.attr, ...args) : call(e.attr, ...args)
      const scalar = e.type.scalar!
      return isExact === true && scalar.startsWith('f') ? made : p.#scalars.fit(scalar, made)
    }
    const illegal = (e: Expr): Text => {
      throw new InternalError('target/js', `${e.op} in legal code`)
    }
    return {
      name: e => name(e.attr.name),
      const: (e, p) => p.#scalars.literal(e.type.scalar!, e.attr),
      zero: (e, p) => p.#zero(e.type),
      undef: (e, p) => p.#zero(e.type),
      global: e => name(e.attr.name),
      load: (e, p) => p.#text(e.args[0]!),
      elem: (e, p) => index(p.#text(e.args[0]!), p.#text(e.args[1]!)),
      call: (e, p) => (p.#unit.generators.has(e.attr) ? delegate : call)(e.attr.name, ...p.#texts(e.args)),
      add: apply,
      sub: apply,
      mul: apply,
      div: apply,
      rem: apply,
      neg: apply,
      and: apply,
      or: apply,
      xor: apply,
      not: apply,
      shl: apply,
      shr: apply,
      lt: apply,
      le: apply,
      gt: apply,
      ge: apply,
      eq: apply,
      ne: apply,
      both: (e, p) => binary('&&', p.#text(e.args[0]!), p.#text(e.args[1]!)),
      either: (e, p) => binary('||', p.#text(e.args[0]!), p.#text(e.args[1]!)),
      select: (e, p) => cond(p.#text(e.args[0]!), p.#text(e.args[1]!), p.#text(e.args[2]!)),
      convert: (e, p) => p.#scalars.convert(e.args[0]!.type.scalar!, e.type.scalar!, p.#text(e.args[0]!)),
      bitcast: (e, p) => p.#scalars.bitcast(e.args[0]!.type.scalar!, e.type.scalar!, p.#text(e.args[0]!)),
      construct: (e, p) => p.#construct(e.type, e.args),
      extract: (e, p) =>
        e.args[0]!.type.kind === 'list'
          ? p.#scalars.help('inner', p.#text(e.args[0]!), number(String(e.attr)))
          : index(p.#text(e.args[0]!), number(String(e.attr))),
      insert: (e, p) => {
        const [whole, part] = [p.#text(e.args[0]!), p.#text(e.args[1]!)]
        const i = number(String(e.attr))
        return e.type.kind === 'list'
          ? p.#scalars.help('replacedList', whole, i, part)
          : p.#scalars.help('replaced', whole, i, e.args[1]!.type.kind === 'array' ? part : array([part]))
      },
      barrier: () => statement('yield'),
      printf: (e, p) => {
        p.#scalars.used.add('host')
        return p.#scalars.help('printf', name(JSON.stringify(e.attr)), ...p.#texts(e.args))
      },
      trap: (e, p) =>
        statement(`if (${unary('!', p.#text(e.args[0]!)).text}) throw new Error(${JSON.stringify(e.attr)})`),
      'intrinsic.pure': intrinsic,
      'intrinsic.read': intrinsic,
      'intrinsic.write': intrinsic,
      // Legal code has none of these.
      field: illegal,
      length: illegal,
      atomic: illegal,
      splat: illegal,
      swizzle: illegal,
      index: illegal,
      dot: illegal,
      matmul: illegal,
      transpose: illegal,
    }
  })()

  /** The intrinsics of legal code. */
  static readonly #leaf: Readonly<Record<LeafIntrinsic, (e: Expr, p: Printer) => Text>> = (() => {
    const arg = (e: Expr, p: Printer, k: number): Text => p.#text(e.args[k]!)
    /** Where the arguments are a list, indices, and `after` more: the plain array of the innermost element. */
    const plain = (e: Expr, p: Printer, after: number): Text =>
      p.#inside(e.args[0]!, e.args.slice(1, e.args.length - after))
    const last = (e: Expr, p: Printer, k = 1): Text => arg(e, p, e.args.length - k)
    const isBig = (scalar: ScalarName | undefined): boolean => scalar === 'i64' || scalar === 'u64'
    return {
      at: (e, p) => p.#scalars.help('at', arg(e, p, 0), arg(e, p, 1)),
      halved: (e, p) => binary('>>', arg(e, p, 0), number('1')),
      sameBits: (e, p) => call('Object.is', arg(e, p, 0), arg(e, p, 1)),
      subarray: (e, p) => method(arg(e, p, 0), 'subarray', arg(e, p, 1), arg(e, p, 2)),
      slice: (e, p) => method(arg(e, p, 0), 'slice', ...p.#texts(e.args.slice(1))),
      // A view holds floats where values may be doubles.
      sliceOfView: (e, p) =>
        p.#scalars.mode === 'f64' && e.type.scalar === 'f32'
          ? call('new Float64Array', method(arg(e, p, 0), 'subarray', arg(e, p, 1), arg(e, p, 2)))
          : method(arg(e, p, 0), 'slice', arg(e, p, 1), arg(e, p, 2)),
      set: (e, p) => method(arg(e, p, 0), 'set', ...p.#texts(e.args.slice(1))),
      copyOfList: (e, p) => p.#scalars.help('copied', plain(e, p, 0)),
      partOfList: (e, p) => p.#scalars.help('taken', plain(e, p, 1), last(e, p), p.#newArray(e.type)),
      itemOfList: (e, p) =>
        p.#scalars.help(isBig(e.type.scalar) ? 'orZeroBig' : 'orZero', index(plain(e, p, 1), last(e, p))),
      setList: (e, p) => {
        const given = e.args[e.args.length - 1]!
        // A copy of a copy is one.
        const value =
          given.op === 'intrinsic.read' && given.attr === 'copyOfList'
            ? p.#text(given)
            : p.#scalars.help('copied', p.#text(given))
        const target =
          e.args.length === 2 ? arg(e, p, 0) : index(p.#inside(e.args[0]!, e.args.slice(1, -2)), last(e, p, 2))
        return statement(`${target.text} = ${value.text}`)
      },
      setPartOfList: (e, p) => p.#scalars.help('given', plain(e, p, 2), last(e, p, 2), last(e, p)),
      setItemOfList: (e, p) =>
        statement(
          `${index(plain(e, p, 2), p.#scalars.help('room', last(e, p, 2))).text} = ${at(last(e, p), argument)}`,
        ),
    }
  })()
}
