/** The Slang text of a program. `real` is `double` or `float`: that is for the first lines to say. Nothing here knows the compiler. */
import { numbersIn, ref } from './make.ts'
import { whole } from './prims.ts'
import {
  differentialOf,
  isDerived,
  partsOf,
  type Callable,
  type Expr,
  type Field,
  type Func,
  type Interface,
  type Param,
  type Program,
  type Stmt,
  type StructType,
  type Type,
} from './tree.ts'

export type Precision = 'double' | 'float'

export function typeText(type: Type): string {
  switch (type.kind) {
    case 'vec':
      return `real${type.n}`
    case 'mat':
      return `real${type.rows}x${type.cols}`
    case 'array':
      return `${typeText(type.of)}[${type.n}]`
    case 'struct':
    case 'interface':
      return type.name
    case 'pair':
      return `DifferentialPair<${typeText(type.of)}>`
    default:
      return type.kind
  }
}

const primNames: Readonly<Record<string, string>> = { mulMV: 'mul', mulVM: 'mul', mulMM: 'mul' }

function literal(type: Type, value: number, precision: Precision): string {
  switch (type.kind) {
    case 'bool':
      return value === 0 ? 'false' : 'true'
    case 'uint':
      return `${value}u`
    case 'int':
      return value < 0 ? `(${value})` : `${value}`
    default: {
      const text = `${Number.isInteger(value) ? value.toFixed(1) : value}${precision === 'double' ? 'lf' : ''}`
      return value < 0 || Object.is(value, -0) ? `(${text})` : text
    }
  }
}

/** Makes the text of a program, and collects the functions that make aggregates inside expressions. */
class Writer {
  readonly makers = new Map<string, Type>()
  readonly precision: Precision
  /** The functions whose derivatives say themselves what they are derivatives of, by derivative. */
  readonly rules = new Map<Func, Func[]>()
  shown = 0
  hasLambdas = false

  constructor(program: Program, precision: Precision) {
    this.precision = precision
    for (const f of [...program.funcs, ...program.structs.flatMap(s => s.methods)]) {
      if (f.ruleOf)
        for (const rule of [f.forward, f.backward, f.substitute])
          if (rule !== undefined) this.rules.set(rule, [...(this.rules.get(rule) ?? []), f])
    }
  }

  expr(e: Expr): string {
    switch (e.kind) {
      case 'lit':
        return literal(e.type, e.value, this.precision)
      case 'var':
      case 'static':
        return e.name
      case 'neg':
        return `(-${this.expr(e.x)})`
      case 'not':
        return `!${this.expr(e.x)}`
      case 'bin':
        return `(${this.expr(e.x)} ${e.op} ${this.expr(e.y)})`
      case 'cond':
        return `(${this.expr(e.c)} ? ${this.expr(e.x)} : ${this.expr(e.y)})`
      // The sign of a real number is an integer.
      case 'prim':
        return e.name === 'sign'
          ? `${typeText(e.type)}(sign(${this.list(e.args)}))`
          : `${whole[e.name] === undefined ? e.name : (primNames[e.name] ?? e.name)}(${this.list(e.args)})`
      case 'make':
        return this.make(e.type, e.args)
      case 'part':
        return this.part(e)
      case 'elem':
        return `${this.expr(e.of)}[${this.expr(e.at)}]`
      case 'lanes':
        return `${this.expr(e.of)}.${e.lanes.map(i => 'xyzw'[i]).join('')}`
      case 'cast':
        return `${typeText(e.type)}(${this.expr(e.x)})`
      case 'detach':
        return `detach(${this.expr(e.x)})`
      case 'up':
        return this.expr(e.x)
      case 'lambda': {
        this.hasLambdas = true
        return `applied((real ${e.name}) => ${this.expr(e.body)}, ${this.expr(e.x)})`
      }
      case 'dispatch':
        return `${this.expr(e.args[0]!)}.${e.of.name}(${this.list(e.args.slice(1))})`
      case 'call':
        return `${e.noDiff ? 'no_diff ' : ''}${this.call(e.of, e.args)}`
    }
  }

  list(args: readonly Expr[]): string {
    return args.map(a => this.expr(a)).join(', ')
  }

  part(e: Expr & { kind: 'part' }): string {
    const of = this.expr(e.of)
    switch (e.of.type.kind) {
      case 'vec':
        return `${of}.${'xyzw'[e.at]}`
      case 'pair':
        return `${of}.${'pd'[e.at]}`
      case 'struct':
        return `${of}.${e.of.type.fields[e.at]!.name}`
      default:
        return `${of}[${e.at}]`
    }
  }

  call(of: Callable, args: readonly Expr[]): string {
    if (!isDerived(of) && of.method) return `${this.expr(args[0]!)}.${of.name}(${this.list(args.slice(1))})`
    return `${this.operand(of)}(${this.list(args)})`
  }

  operand(of: Callable): string {
    if (isDerived(of)) return `${of.op}_diff(${this.operand(of.of)})`
    return of.method ? `${(of.params[0]!.type as StructType).name}.${of.name}` : of.name
  }

  make(type: Type, args: readonly Expr[]): string {
    if (type.kind === 'vec' || type.kind === 'mat') return `${typeText(type)}(${this.list(args)})`
    if (type.kind === 'pair') return `diffPair(${this.list(args)})`
    const name = `make_${typeText(type).replace(/\W+/g, '_')}`
    this.makers.set(name, type)
    return `${name}(${this.list(args)})`
  }

  /** What stands behind the `=` of a declaration. */
  init(e: Expr): string {
    if (e.kind === 'make' && (e.type.kind === 'struct' || e.type.kind === 'array'))
      return `{ ${e.args.map(a => this.init(a)).join(', ')} }`
    return this.expr(e)
  }

  block(body: readonly Stmt[], indent: string): string {
    return `{\n${body.map(s => this.stmt(s, `${indent}    `)).join('')}${indent}}`
  }

  stmt(s: Stmt, indent: string): string {
    const line = (text: string): string => `${indent}${text}\n`
    const label = (name: string | undefined): string => (name === undefined ? '' : `${name}: `)
    switch (s.kind) {
      case 'decl':
        return line(`${typeText(s.type)} ${s.name}${s.init === undefined ? '' : ` = ${this.init(s.init)}`};`)
      case 'set':
        return line(`${this.expr(s.to)} ${s.op} ${this.expr(s.value)};`)
      case 'if':
        return line(
          `if (${this.expr(s.c)}) ${this.block(s.yes, indent)}${s.no.length === 0 ? '' : ` else ${this.block(s.no, indent)}`}`,
        )
      case 'for': {
        const bound = s.unroll ? '[ForceUnroll] ' : s.max === undefined ? '' : `[MaxIters(${s.max})] `
        const step = s.step === 1 ? `${s.name}++` : s.step === -1 ? `${s.name}--` : `${s.name} += ${s.step}`
        return line(
          `${label(s.label)}${bound}for (int ${s.name} = ${s.from}; ${s.name} ${s.step > 0 ? '<' : '>'} ${this.expr(s.to)}; ${step}) ${this.block(s.body, indent)}`,
        )
      }
      case 'while': {
        const goes = `${s.counter} < ${s.max}${s.c === undefined ? '' : ` && ${this.expr(s.c)}`}`
        const inner = `${indent}    `
        const body = `{\n${inner}${s.counter}++;\n${s.body.map(x => this.stmt(x, inner)).join('')}${indent}}`
        const loop = s.form === 'while' ? `while (${goes}) ${body}` : `do ${body} while (${goes});`
        return line(`int ${s.counter} = 0;`) + line(`${label(s.label)}[MaxIters(${s.max})] ${loop}`)
      }
      case 'switch': {
        const inner = `${indent}    `
        const cases = s.cases.map((c, i) => {
          const names = i === s.cases.length - 1 ? ['default:'] : c.values.map(v => `case ${v}:`)
          const end = c.falls || i === s.cases.length - 1 ? '' : `${inner}    break;\n`
          return `${inner}${names.join(' ')}\n${c.body.length === 0 ? '' : `${inner}    ${this.block(c.body, `${inner}    `)}\n`}${end}`
        })
        return line(`${label(s.label)}switch (${this.expr(s.x)})`) + `${indent}{\n${cases.join('')}${indent}}\n`
      }
      case 'block':
        return line(this.block(s.body, indent))
      case 'defer':
        return line(`defer ${this.block(s.body, indent)}`)
      case 'break':
        return line(s.label === undefined ? 'break;' : `break ${s.label};`)
      case 'continue':
        return line('continue;')
      case 'return':
        return line(s.value === undefined ? 'return;' : `return ${this.expr(s.value)};`)
      case 'expr':
        return line(`${this.expr(s.x)};`)
      case 'show':
        return line(`shown[${this.shown++}] = ${this.expr(s.x)};`)
    }
  }

  param(p: Param): string {
    return `${p.noDiff ? 'no_diff ' : ''}${p.dir === 'in' ? '' : `${p.dir} `}${typeText(p.type)} ${p.name}`
  }

  head(f: Func, prefix: string): string {
    const attributes = [
      f.differentiable ? '[Differentiable] ' : '',
      f.treated ? '[TreatAsDifferentiable] ' : '',
      f.method && f.params[0]!.noDiff ? '[NoDiffThis] ' : '',
      f.method && f.params[0]!.dir === 'inout' ? '[mutating] ' : '',
      f.forward === undefined || f.ruleOf ? '' : `[ForwardDerivative(${prefix}${f.forward.name})] `,
      f.backward === undefined || f.ruleOf ? '' : `[BackwardDerivative(${prefix}${f.backward.name})] `,
      ...(this.rules.get(f) ?? []).map(
        base =>
          `[${base.forward === f ? 'ForwardDerivative' : base.backward === f ? 'BackwardDerivative' : 'PrimalSubstitute'}Of(${this.operand(base)})] `,
      ),
      f.substitute === undefined || f.ruleOf ? '' : `[PrimalSubstitute(${prefix}${f.substitute.name})] `,
      f.prefer === 'none' ? '' : `[Prefer${f.prefer === 'recompute' ? 'Recompute' : 'Checkpoint'}] `,
    ].join('')
    const params = f.method ? f.params.slice(1) : f.params
    const generic = f.generic === undefined ? '' : `<T : ${f.generic.name}>`
    return `${attributes}${f.noDiffResult ? 'no_diff ' : ''}${typeText(f.result)} ${f.name}${generic}(${params.map(p => this.param(f.generic !== undefined && p.type === f.generic ? { ...p, type: typeNamed('T') } : p)).join(', ')})`
  }

  func(f: Func, indent = ''): string {
    return `${indent}${this.head(f, '')} ${this.block(f.body, indent)}\n`
  }

  struct(s: StructType): string {
    const bases = [
      ...s.conforms.map(i => i.name),
      ...(s.differentiable && !s.conforms.some(i => i.differentiable) ? ['IDifferentiable'] : []),
    ]
    const { given } = s
    const own = given === undefined ? undefined : (s.differential as StructType)
    const mark = (f: Field): string =>
      f.noDiff
        ? 'no_diff '
        : given?.fields.includes(f) === true
          ? `[DerivativeMember(${own!.name}.${own!.fields[given.fields.indexOf(f)]!.name})] `
          : ''
    const fields = s.fields.map(f => `    ${mark(f)}${typeText(f.type)} ${f.name};\n`).join('')
    const named =
      own === undefined ? '' : `    typealias Differential = ${own.name};\n${given!.adds ? this.sums(own) : ''}`
    return `struct ${s.name}${bases.length === 0 ? '' : ` : ${bases.join(', ')}`} {\n${named}${fields}${s.methods.map(m => this.func(m, '    ')).join('')}}\n`
  }

  /** What zero and a sum of differentials are, number by number. */
  sums(type: StructType): string {
    const each = (write: (of: (name: string) => string) => string): string =>
      numbersIn(ref('r', type))
        .map((_, i) => `        ${write(name => this.expr(numbersIn(ref(name, type))[i]!))}\n`)
        .join('')
    const { name } = type
    return (
      `    static ${name} dzero() {\n        ${name} r;\n${each(of => `${of('r')} = real(0);`)}        return r;\n    }\n` +
      `    static ${name} dadd(${name} x, ${name} y) {\n        ${name} r;\n${each(of => `${of('r')} = ${of('x')} + ${of('y')};`)}        return r;\n    }\n`
    )
  }

  interface(i: Interface): string {
    return `interface ${i.name}${i.differentiable ? ' : IDifferentiable' : ''} {\n${i.requirements.map(r => `    ${this.head(r, '')};\n`).join('')}}\n`
  }

  maker(name: string, type: Type): string {
    const parts = partsOf(type)
    const params = parts.map((p, i) => `${p.noDiff ? 'no_diff ' : ''}${typeText(p.type)} p${i}`).join(', ')
    const mark = differentialOf(type) === undefined ? '' : '[Differentiable] '
    return `${mark}${typeText(type)} ${name}(${params}) { ${typeText(type)} made = { ${parts.map((_, i) => `p${i}`).join(', ')} }; return made; }\n`
  }
}

const typeNamed = (name: string): Type => ({
  kind: 'struct',
  name,
  fields: [],
  differentiable: true,
  methods: [],
  conforms: [],
})

/** What a program's text says before it: which numbers are real. */
export function prelude(precision: Precision): string {
  const shapes = [2, 3, 4]
  return (
    [
      `typedef ${precision} real;`,
      ...shapes.map(n => `typedef vector<${precision}, ${n}> real${n};`),
      ...shapes.flatMap(r => shapes.map(c => `typedef matrix<${precision}, ${r}, ${c}> real${r}x${c};`)),
    ].join('\n') + '\n'
  )
}

/** How a host hands over inputs and takes what is shown: through a function, or through buffers. */
export type Entry = 'function' | 'kernel'

export interface Text {
  readonly source: string
  /** How many numbers are shown. */
  readonly count: number
}

export function programText(program: Program, precision: Precision, entry: Entry): Text {
  const w = new Writer(program, precision)
  const own = [
    ...program.statics.map(s => `static ${typeText(s.type)} ${s.name} = ${literal(s.type, s.init, precision)};\n`),
    ...program.interfaces.map(i => w.interface(i)),
    ...program.structs.map(s => w.struct(s)),
    ...program.funcs.map(f => w.func(f)),
  ]
  const stmts = program.test.body.map(s => w.stmt(s, '    ')).join('')
  // What has no fields shows nothing, and a buffer is never empty.
  const body = w.shown === 0 ? `${stmts}    shown[0] = 0.0;\n` : stmts
  const count = Math.max(1, w.shown)
  const makers = [...w.makers].map(([name, type]) => w.maker(name, type))
  const exported = entry === 'function' ? 'public ' : ''
  const test = `${exported}real[${count}] test(real[${program.inputs}] x) {\n    real[${count}] shown;\n${program.statics.map(s => `    ${s.name} = ${literal(s.type, s.init, precision)};\n`).join('')}${body}    return shown;\n}\n`
  const kernel = `RWStructuredBuffer<real> ins;
RWStructuredBuffer<real> outs;
[shader("compute")] [numthreads(1, 1, 1)] void computeMain(uint3 id : SV_DispatchThreadID) {
    real[${program.inputs}] x;
    for (int i = 0; i < ${program.inputs}; i++) x[i] = ins[int(id.x) * ${program.inputs} + i];
    real[${count}] shown = test(x);
    for (int i = 0; i < ${count}; i++) outs[int(id.x) * ${count} + i] = shown[i];
}
`
  const applied = w.hasLambdas
    ? '[Differentiable] real applied<F : IDifferentiableFunc<real, real> & IDifferentiable>(F f, real x) { return f(x); }\n'
    : ''
  return {
    source: prelude(precision) + own.join('') + makers.join('') + applied + test + (entry === 'kernel' ? kernel : ''),
    count,
  }
}
