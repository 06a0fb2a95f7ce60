/** Generated programs as Slang. */
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import { prelude } from './generate-prelude.ts'
import {
  eachPart,
  eachStmt,
  isFixed,
  isInFixed,
  paramDifferential,
  stmtExprs,
  type Expr,
  type FuncDecl,
  type Interface,
  type Program,
  type Stmt,
} from './program.ts'

/** A type and a name, as a declarator: `float a[3]`. */
export function declarator(type: Type, name: string): string {
  let dims = ''
  let base = type
  for (; base.kind === 'array'; base = base.elem!) dims += `[${base.count}]`
  return `${slangType(base)} ${name}${dims}`
}

/** What stands for its interface while a generic function is printed. */
let generic: Type | undefined

/**
 * Values are held for differences: what `no_diff` and `detach` keep constant is written down in one run, and read again in runs at other
 * points. These are the types that are held so; undefined where a program is printed as it is.
 */
let held: Map<string, Type> | undefined

/** The function that is printed. */
let current: FuncDecl | undefined

/** A type as Slang names it. */
export function slangType(type: Type): string {
  if (type === generic) return 'T'
  switch (type.kind) {
    case 'scalar':
      return type === t.f32 ? 'float' : type === t.i32 ? 'int' : 'bool'
    case 'vec':
      return `float${type.count}`
    case 'mat':
      return `float${type.count}x${type.elem!.count}`
    case 'array':
      return `${slangType(type.elem!)}[${type.count}]`
    default:
      return type.name
  }
}

function literal(e: { type: Type; value: number }): string {
  if (e.type === t.i32) return String(e.value)
  const text = Number.isInteger(e.value) ? `${e.value}.0` : String(e.value)
  return e.value < 0 ? `(${text})` : text
}

/** A value where no conversion to an interface is implied. */
function converted(e: Expr): string {
  return e.kind === 'up' ? `${upName(e)}(${exprText(e.x)})` : exprText(e)
}

function upName(e: Expr & { kind: 'up' }): string {
  return `as_${e.type.name}_${e.x.type.name}`
}

/** A value as it was in the first run. */
function heldText(type: Type, text: string): string {
  const name = `hold_${typeName(type)}`
  held!.set(name, type)
  return `(no_diff ${name}(${text}))`
}

/** The name of a variable: parameters without derivative are held where the function begins. */
function variableText(name: string): string {
  return held !== undefined && current?.params.some(p => p.name === name && p.noDiff) === true ? `held_${name}` : name
}

function callText(func: FuncDecl, args: readonly Expr[]): string {
  const texts = args.map((e, i) => (func.params[i]!.dir === 'in' ? exprText(e) : placeText(e)))
  return func.isMethod ? `${texts[0]}.${func.name}(${texts.slice(1).join(', ')})` : `${func.name}(${texts.join(', ')})`
}

/** The text of a value. */
export function exprText(e: Expr): string {
  return held !== undefined && isInFixed(e) ? heldText(e.type, placeText(e)) : placeText(e)
}

/** The text of an expression, which may be a place. */
function placeText(e: Expr): string {
  switch (e.kind) {
    case 'lit':
      return literal(e)
    case 'var':
      return variableText(e.name)
    case 'held':
      return held !== undefined
        ? heldText(e.type, exprText(e.x))
        : e.how === 'detach'
          ? `detach(${exprText(e.x)})`
          : `(no_diff ${exprText(e.x)})`
    case 'step':
      return `stepped(${e.name})`
    case 'saturates':
      return `(uint(${exprText(e.x)} * 4.0) == 0u)`
    case 'pushed':
      return `fwd_diff(${e.func.name})(${e.args.map((a, i) => (e.tangents[i] === undefined ? exprText(a) : `diffPair(${exprText(a)}, ${exprText(e.tangents[i])})`)).join(', ')}).d`
    case 'list':
      return `{ ${e.args.map(exprText).join(', ')} }`
    case 'bin':
      return `(${exprText(e.x)} ${e.op} ${exprText(e.y)})`
    case 'neg':
      return `(-${exprText(e.x)})`
    case 'cond':
      return `(${exprText(e.c)} ? ${converted(e.x)} : ${converted(e.y)})`
    case 'lib':
      return `${e.name}(${e.args.map(exprText).join(', ')})`
    case 'call':
      return callText(e.func, e.args)
    case 'make': {
      // A tuple is of the types of what it is made of.
      const args = e.args.map(e.type.name.startsWith('Tuple') ? converted : exprText).join(', ')
      return `${e.type.kind === 'array' ? `make_${arrayName(e.type)}` : e.type.name.startsWith('Tuple') ? 'makeTuple' : e.type.name.startsWith('DifferentialPair') ? 'diffPair' : slangType(e.type)}(${args})`
    }
    case 'part': {
      const of = placeText(e.of)
      if (e.of.type.kind === 'struct') return `${of}.${e.of.type.fields[e.at]!.name}`
      return e.of.type.kind === 'vec' ? `${of}.${'xyzw'[e.at]}` : `${of}[${e.at}]`
    }
    case 'elem':
      return `${placeText(e.of)}[${exprText(e.at)}]`
    case 'float':
      return `float(${exprText(e.x)})`
    case 'int':
      return `int(${exprText(e.x)})`
    case 'lanes':
      return `${placeText(e.of)}.${e.lanes.map(l => 'xyzw'[l]).join('')}`
    case 'up':
      return exprText(e.x)
    case 'dynamic':
      return `any_${e.type.name}(${exprText(e.id)}, float4(${e.data.map(value => literal({ type: t.f32, value })).join(', ')}))`
    case 'lambda':
      return `applied((float ${e.name}) => ${exprText(e.body)}, ${exprText(e.x)})`
  }
}

/** What makes an array is no generic function: it takes values of the interface. */
function arrayName(type: Type): string {
  const saved = generic
  generic = undefined
  const name = `${slangType(type.elem!).replace(/\W+/g, '_')}_${type.count}`
  generic = saved
  return name
}

function typeName(type: Type): string {
  return type.kind === 'array' ? arrayName(type) : slangType(type)
}

function stmtText(s: Stmt, indent: string): string {
  const inner = `${indent}    `
  const block = (list: readonly Stmt[]): string => `{\n${list.map(x => stmtText(x, inner)).join('')}${indent}}`
  switch (s.kind) {
    case 'decl':
      return `${indent}${declarator(s.type, s.name)}${s.init === undefined ? '' : ` = ${exprText(s.init)}`};\n`
    case 'set':
      return `${indent}${placeText(s.to)} ${s.op} ${exprText(s.value)};\n`
    case 'if':
      return `${indent}if (${exprText(s.c)}) ${block(s.yes)}${s.no.length === 0 ? '' : ` else ${block(s.no)}`}\n`
    case 'for': {
      const bound = s.unroll ? `${indent}[ForceUnroll]\n` : s.to.kind === 'lit' ? '' : `${indent}[MaxIters(${s.max})]\n`
      const step = s.step < 0 ? `${s.name}--` : s.step === 1 ? `${s.name}++` : `${s.name} += ${s.step}`
      return `${bound}${indent}for (int ${s.name} = ${s.from}; ${s.name} ${s.step < 0 ? '>' : '<'} ${exprText(s.to)}; ${step}) ${block(s.body)}\n`
    }
    case 'while': {
      const c = `${s.name} < ${s.max}${s.c === undefined ? '' : ` && ${exprText(s.c)}`}`
      const head = `${indent}int ${s.name} = 0;\n${indent}[MaxIters(${s.max})]\n${indent}`
      const leave = s.form === 'break' ? `${inner}if (!(${c})) break;\n` : ''
      const body = `{\n${leave}${inner}${s.name}++;\n${s.body.map(x => stmtText(x, inner)).join('')}${indent}}`
      return s.form === 'do'
        ? `${head}do ${body} while (${c});\n`
        : `${head}while (${s.form === 'break' ? 'true' : c}) ${body}\n`
    }
    case 'switch': {
      const label = (k: number): string => (k === s.cases.length - 1 ? 'default' : `case ${k}`)
      const ends = (k: number): boolean =>
        s.falls[k] === true || ['return', 'continue', 'break'].includes(s.cases[k]![s.cases[k]!.length - 1]?.kind ?? '')
      return `${indent}switch (${exprText(s.x)}) {\n${s.cases.map((list, k) => `${indent}${label(k)}: {\n${list.map(x => stmtText(x, inner)).join('')}${ends(k) ? '' : `${inner}break;\n`}${indent}}\n`).join('')}${indent}}\n`
    }
    case 'break':
      return `${indent}break;\n`
    case 'continue':
      return `${indent}continue;\n`
    case 'return':
      return `${indent}return ${s.value === undefined ? '' : held !== undefined && current!.noDiffResult ? heldText(s.value.type, exprText(s.value)) : exprText(s.value)};\n`
    case 'call': {
      return `${indent}${s.to === undefined ? '' : `${placeText(s.to)} = `}${callText(s.func, s.args)};\n`
    }
    case 'pull': {
      const pair = (i: number): string => `q${s.id}_${i}`
      const diffs = s.func.params.map(paramDifferential)
      const pairs = s.args
        .map((a, i) => (diffs[i] === null ? '' : `${inner}var ${pair(i)} = diffPair(${exprText(a)});\n`))
        .join('')
      const args = [...s.args.map((a, i) => (diffs[i] === null ? exprText(a) : pair(i))), exprText(s.ct)]
      const added = s.to.map(({ param, place }) => `${inner}${placeText(place)} += ${pair(param)}.d;\n`).join('')
      return `${indent}{\n${pairs}${inner}bwd_diff(${s.func.name})(${args.join(', ')});\n${added}${indent}}\n`
    }
  }
}

/** A function, with those that give its derivative. */
function funcText(f: FuncDecl, indent = ''): string {
  generic = f.generic
  current = f
  const { custom, name } = f
  const attributes = [
    ...(custom === 'backward' || custom === 'both' ? [`[BackwardDerivative(${name}_back)]`] : []),
    ...(custom === 'forward' || custom === 'both' ? [`[ForwardDerivative(${name}_forward)]`] : []),
    ...(custom === 'substitute' ? [`[PrimalSubstitute(${name}_plain)]`] : []),
    ...(f.prefer === 'none' ? [] : [f.prefer === 'recompute' ? '[PreferRecompute]' : '[PreferCheckpoint]']),
  ]
  const fixed = held === undefined ? [] : f.params.filter(p => p.noDiff)
  const holds = fixed
    .map(p => `${indent}    ${declarator(p.type, `held_${p.name}`)} = ${heldText(p.type, p.name)};\n`)
    .join('')
  const body = `${indent}{\n${holds}${f.body.map(s => stmtText(s, `${indent}    `)).join('')}${indent}}\n`
  let text = `${head(f, name, indent, attributes)}\n${body}`
  if (custom !== 'none') text = `${head(f, `${name}_plain`, indent, [])}\n${body}${derivativeTexts(f, indent)}${text}`
  generic = undefined
  return text
}

function head(f: FuncDecl, name: string, indent: string, attributes: readonly string[]): string {
  const params = (f.isMethod ? f.params.slice(1) : f.params)
    .map(p => `${p.noDiff ? 'no_diff ' : ''}${p.dir === 'in' ? '' : `${p.dir} `}${declarator(p.type, p.name)}`)
    .join(', ')
  const ofThis = f.isMethod ? f.params[0]! : undefined
  const all = [
    '[Differentiable]',
    ...(ofThis?.dir === 'inout' ? ['[mutating]'] : []),
    ...(ofThis?.noDiff === true ? ['[NoDiffThis]'] : []),
    ...attributes,
  ]
  return `${indent}${all.join(' ')}\n${indent}${f.noDiffResult ? 'no_diff ' : ''}${slangType(f.result)} ${name}${typeParams(f)}(${params})`
}

function typeParams(f: FuncDecl): string {
  return f.generic === undefined ? '' : `<T : ${f.generic.name}>`
}

/** Derivatives in the user's place, which ask the compiler for those of the same function without attributes. */
function derivativeTexts(f: FuncDecl, indent: string): string {
  const { custom, name } = f
  const self = (param: string): string => (param === 'this' ? 'self' : param)
  const params = f.params.map(p => ({ ...p, name: self(p.name), diff: paramDifferential(p) }))
  const plain = `${f.isMethod ? `${f.params[0]!.type.name}.` : ''}${name}_plain${f.generic === undefined ? '' : '<T>'}`
  const args = params.map(p => p.name)
  const difference = (type: Type): string => (type === generic ? 'T.Differential' : slangType(t.differential(type)!))
  const start = `${indent}[Differentiable]`
  const kind = f.isMethod ? 'static ' : ''
  let text = ''
  if (custom === 'backward' || custom === 'both' || custom === 'backwardOf') {
    const list = params.map(p =>
      p.diff === null
        ? declarator(p.type, p.name)
        : p.dir === 'out'
          ? `${difference(p.type)} ${p.name}`
          : `inout DifferentialPair<${slangType(p.type)}> ${p.name}`,
    )
    const of = custom === 'backwardOf' ? ` [BackwardDerivativeOf(${name})]` : ''
    text += `${start}${of}\n${indent}${kind}void ${name}_back${typeParams(f)}(${[...list, `${difference(f.result)} ct`].join(', ')})\n${indent}{\n${indent}    bwd_diff(${plain})(${[...args, 'ct'].join(', ')});\n${indent}}\n`
  }
  if (custom === 'forward' || custom === 'both' || custom === 'forwardOf') {
    const list = params.map(p =>
      p.diff === null
        ? declarator(p.type, p.name)
        : `${p.dir === 'in' ? '' : `${p.dir} `}DifferentialPair<${slangType(p.type)}> ${p.name}`,
    )
    const of = custom === 'forwardOf' ? ` [ForwardDerivativeOf(${name})]` : ''
    text += `${start}${of}\n${indent}${kind}DifferentialPair<${slangType(f.result)}> ${name}_forward${typeParams(f)}(${list.join(', ')})\n${indent}{\n${indent}    return fwd_diff(${plain})(${args.join(', ')});\n${indent}}\n`
  }
  return text
}

/** All that expressions of a kind ask for. */
function eachExpr(program: Program, visit: (e: Expr) => void): void {
  for (const f of [...program.funcs, program.main]) eachStmt(f.body, s => stmtExprs(s).forEach(e => eachPart(e, visit)))
}

/** Functions that stand for what Slang writes otherwise in expressions: arrays of their elements, values of interfaces. */
function helperTexts(program: Program): string[] {
  const texts = new Map<string, string>()
  eachExpr(program, e => {
    if (e.kind === 'make' && e.type.kind === 'array') {
      const a = e.type
      const params = Array.from({ length: a.count }, (_, i) => declarator(a.elem!, `e${i}`)).join(', ')
      const sets = Array.from({ length: a.count }, (_, i) => `    a[${i}] = e${i};\n`).join('')
      texts.set(
        arrayName(a),
        `[Differentiable]\n${slangType(a)} make_${arrayName(a)}(${params})\n{\n    ${declarator(a, 'a')};\n${sets}    return a;\n}\n`,
      )
    } else if (e.kind === 'up') {
      texts.set(upName(e), `[Differentiable]\n${e.type.name} ${upName(e)}(${slangType(e.x.type)} x) { return x; }\n`)
    } else if (e.kind === 'dynamic') {
      // Ids mean the types that the program makes.
      const known = program.interfaces
        .find(i => i.type === e.type)!
        .structs.map((s, i) => `    ${s.name} s${i} = {};\n    known[${i}] = s${i};\n`)
        .join('')
      const count = program.interfaces.find(i => i.type === e.type)!.structs.length
      texts.set(
        `any_${e.type.name}`,
        `[Differentiable]\n${e.type.name} any_${e.type.name}(int id, no_diff float4 bits)\n{\n    ${e.type.name} known[${count}];\n${known}    if (id < 0) return known[-id % ${count}];\n    return createDynamicObject<${e.type.name}>(id, bits);\n}\n`,
      )
    }
  })
  return [...texts.values()]
}

function interfaceText(i: Interface): string {
  return `interface ${i.type.name} : IDifferentiable\n{\n${i.requirements.map(r => `${head(r, r.name, '    ', [])};\n`).join('')}}\n`
}

/** Functions that write a value down in the first run and give it again in those that follow, scalar by scalar. */
function holdTexts(types: ReadonlyMap<string, Type>): string[] {
  const texts = new Map<string, string>()
  const add = (type: Type): string => {
    const name = `hold_${typeName(type)}`
    if (texts.has(name) || type === t.i32) return name
    texts.set(name, '')
    const parts = Array.from({ length: type === t.f32 ? 0 : type.count }, (_, i) => {
      const part = t.component(type, i)
      const at = type.kind === 'struct' ? `.${type.fields[i]!.name}` : `[${i}]`
      return `    r${at} = ${part === t.i32 ? '' : add(part)}(x${at});\n`
    }).join('')
    texts.delete(name)
    texts.set(
      name,
      type === t.f32
        ? `float ${name}(float x)\n{\n    int n = heldState[0];\n    heldState[0] = n + 1;\n    if (heldState[1] == 0) heldValues[n] = x;\n    return float(heldValues[n]);\n}\n`
        : `${slangType(type)} ${name}(${declarator(type, 'x')})\n{\n    ${declarator(type, 'r')};\n${parts}    return r;\n}\n`,
    )
    return name
  }
  for (const type of types.values()) add(type)
  return texts.size === 0
    ? []
    : ['RWStructuredBuffer<double> heldValues;\nRWStructuredBuffer<int> heldState;\n', ...texts.values()]
}

/** The program as Slang; its main function is public. Where `isHeld`, as differences have to see it: what is held constant in derivatives stays what it was in the first run. */
export function programText(program: Program, isHeld = false): string {
  held = isHeld ? new Map() : undefined
  const text = printed(program)
  held = undefined
  return text
}

function printed(program: Program): string {
  const methods = (s: Type): string =>
    program.funcs
      .filter(f => f.isMethod && f.params[0]?.type === s)
      .map(f => funcText(f, '    '))
      .join('')
  const structs = program.structs.map(s => {
    const bases = ['IDifferentiable', ...program.interfaces.filter(i => i.structs.includes(s)).map(i => i.type.name)]
    return `struct ${s.name} : ${bases.join(', ')}\n{\n${s.fields.map((f, i) => `    ${isFixed(s, i) ? 'no_diff ' : ''}${declarator(f.type, f.name)}${initialText(program.defaults.get(s)?.[i])};\n`).join('')}${methods(s)}}\n`
  })
  const free = program.funcs.filter(f => !f.isMethod).map(f => funcText(f))
  const main = funcText(program.main).replace('[Differentiable]\n', '[Differentiable]\npublic ')
  const own = [
    ...program.interfaces.map(interfaceText),
    ...structs,
    ...helperTexts(program),
    ...(held === undefined ? [] : holdTexts(held)),
    ...free,
    main,
  ].join('\n')
  const called = [...prelude.values()].filter(f => own.includes(`${f.name}(`)).map(f => f.text)
  if (own.includes('applied('))
    called.push(
      '[Differentiable]\nfloat applied<F : IDifferentiableFunc<float, float> & IDifferentiable>(F f, float x) { return f(x); }\n',
    )
  if (own.includes('stepped(')) called.push('int stepped(inout int k)\n{\n    k = k + 1;\n    return k;\n}\n')
  return [...called, own].join('\n')
}

function initialText(value: number | undefined): string {
  return value === undefined ? '' : ` = ${literal({ type: t.f32, value })}`
}
