/**
 * The text form of a program. Every instruction is printed in one shape,
 *
 *     %a: f32, %b: i32 = op ^label attr %x, %y (%p: f32) { … } { … }
 *
 * so that neither printer nor parser has a case per op. Names are hints made unique, in order of appearance, which keeps
 * differences between two dumps small. `parse.ts` reads all of it back: `print(parse(text)) === text` for printed text.
 */
import type { Span } from '../base/source.ts'
import type { Type } from './type.ts'
import { Func, Global, Inst, type FuncInfo, type Module, type ParamSig, type Region, type Value } from './value.ts'
import { inputs } from './value.ts'
import { walk } from './walk.ts'

const bare = /^[A-Za-z_$][\w.$]*$/
const builtinType = /^(void|bool|[iuf]\d+(x\d+)*|array|list|ptr|opaque)$/

/** The text of a type, as it stands in IR text. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'array':
      return `array<${typeText(type.elem!)}, ${type.count}>`
    case 'list':
      return `list<${typeText(type.elem!)}>`
    case 'ptr':
      return `ptr<${type.space}, ${typeText(type.elem!)}>`
    case 'opaque':
      return `opaque<${JSON.stringify(type.name)}>`
    case 'struct':
      return bare.test(type.name) && !builtinType.test(type.name) ? type.name : JSON.stringify(type.name)
    default:
      return type.name
  }
}

/** The text of a number so that it reads back as the same number; `0.1f` is the f32 nearest to 0.1. */
export function numberText(value: number, single: boolean): string {
  if (Number.isNaN(value)) return 'nan'
  if (value === Infinity) return 'inf'
  if (value === -Infinity) return '-inf'
  if (Object.is(value, -0)) return '-0'
  const exact = String(value)
  if (!single || exact.length <= 9 || Math.fround(value) !== value) return exact
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return `${short}f`
  }
  return `${Number(value.toPrecision(9))}f`
}

/** Names of functions and globals in one text: unique, also where the program's are not. */
class Symbols {
  readonly #names = new Map<Func | Global, string>()
  readonly #taken = new Set<string>()

  of(symbol: Func | Global): string {
    let name = this.#names.get(symbol)
    if (name === undefined) {
      name = symbol.name
      for (let k = 1; this.#taken.has(name); k++) name = `${symbol.name}.${k}`
      this.#taken.add(name)
      this.#names.set(symbol, name)
    }
    return bare.test(name) ? `@${name}` : `@${JSON.stringify(name)}`
  }
}

/** Takes the source of a printed line; lines count from 1. */
export type TakeLine = (line: number, span: Span) => void

/** What printing a program may leave out, and tell. */
export interface PrintOptions {
  /** Hears which source each line has. */
  readonly take?: TakeLine
  /** Which functions to print; then only the globals that they use. Default: all. */
  readonly keep?: (func: Func) => boolean
}

/** Prints a program: the globals and functions it lists, those they refer to, and the structs that these mention. */
export function printModule(module: Module, { take, keep }: PrintOptions = {}): string {
  const symbols = new Symbols()
  const { funcs, globals, types } = reachable(module, keep)
  for (const g of globals) symbols.of(g)
  for (const f of funcs) symbols.of(f)
  const parts: string[] = []
  // In the order of the program, then the others, parts before wholes.
  const listed = keep === undefined ? module.structs.filter(s => types.has(s)) : []
  const structs = [...new Set([...listed, ...types])]
    .filter(type => type.kind === 'struct')
    .map(s => structText(s, symbols))
  if (structs.length > 0) parts.push(structs.join('\n'))
  if (globals.length > 0) parts.push(globals.map(g => globalText(g, symbols)).join('\n'))
  let line = 1
  for (const part of parts) line += part.split('\n').length + 1
  for (const f of funcs) {
    const printer = new FuncPrinter(f, symbols, line, take)
    parts.push(printer.func())
    line = printer.line + 2
  }
  return `${parts.join('\n\n')}\n`
}

/** Prints one function. */
export function printFunc(func: Func, take?: TakeLine): string {
  return `${new FuncPrinter(func, new Symbols(), 1, take).func()}\n`
}

/** Prints one instruction of a function, with its regions. */
export function printInst(func: Func, inst: Inst): string {
  const printer = new FuncPrinter(func, new Symbols(), 1)
  printer.func()
  return printer.inst(inst, '')
}

/** What the printed text mentions; of types, parts before wholes. */
function reachable(
  module: Module,
  keep: ((func: Func) => boolean) | undefined,
): { readonly funcs: readonly Func[]; readonly globals: readonly Global[]; readonly types: ReadonlySet<Type> } {
  const funcs = new Set<Func>()
  const globals = new Set<Global>()
  const types = new Set<Type>()
  const seen = new Set<Type>()
  const addFunc = (f: Func | undefined): void => {
    if (f !== undefined && keep?.(f) !== false) funcs.add(f)
  }
  const addType = (type: Type): void => {
    if (seen.has(type)) return
    seen.add(type)
    if (type.elem !== undefined) addType(type.elem)
    for (const f of type.fields) addType(f.type)
    types.add(type)
  }
  const addGlobal = (g: Global): void => {
    globals.add(g)
    addFunc(g.init)
    addType(g.type)
  }
  module.funcs.forEach(addFunc)
  if (keep === undefined) module.globals.forEach(addGlobal)
  const looked = new Set<Func>()
  const addFuncs = (): void => {
    // Sets are walked to their end also where they grow on the way.
    for (const f of funcs) {
      if (looked.has(f)) continue
      looked.add(f)
      for (const ref of [f.info.forward, f.info.backward, f.info.substitute, f.info.lanewise, f.request?.of])
        addFunc(ref)
      for (const p of f.sig.params) addType(p.type)
      addType(f.sig.result)
      if (f.body === undefined) continue
      walk(f.body, inst => {
        for (const v of inst.results) addType(v.type)
        for (const r of inst.regions) for (const v of r.params) addType(v.type)
        if (inst.attr instanceof Func) addFunc(inst.attr)
        if (inst.attr instanceof Global) addGlobal(inst.attr)
      })
    }
  }
  addFuncs()
  for (const { diff } of types) {
    if (diff === null) continue
    addType(diff.type)
    addFunc(diff.dzero)
    addFunc(diff.dadd)
    addFuncs()
  }
  return { funcs: [...funcs], globals: [...globals], types }
}

function structText(type: Type, symbols: Symbols): string {
  const fields = type.fields.map(f => `${f.name}: ${typeText(f.type)}`).join(', ')
  const rule = type.rule === 'storage' ? '' : ` ${type.rule}`
  const head = `struct ${typeText(type)} {${fields === '' ? '' : ` ${fields} `}}${rule}`
  const diff = type.diff
  if (diff === null) return head
  const dzero = diff.dzero === undefined ? '' : ` dzero ${symbols.of(diff.dzero)}`
  const dadd = diff.dadd === undefined ? '' : ` dadd ${symbols.of(diff.dadd)}`
  const alike = diff.alike === undefined ? '' : ` alike [${diff.alike.flat().join(', ')}]`
  return `${head} diff ${typeText(diff.type)} [${diff.fields.join(', ')}]${dzero}${dadd}${alike}`
}

function globalText(g: Global, symbols: Symbols): string {
  const binding = g.binding === undefined ? '' : ` at ${g.binding.group} ${g.binding.binding}`
  const init = g.init === undefined ? '' : ` init ${symbols.of(g.init)}`
  return `global ${symbols.of(g)}: ${g.space} ${typeText(g.type)} ${g.resource}${binding}${init}`
}

function infoText(func: Func, symbols: Symbols): string {
  const info: FuncInfo = func.info
  const words: string[] = []
  if (info.level !== 'none') words.push(`level ${info.level}`)
  if (func.request !== undefined) words.push(`request ${func.request.kind} ${symbols.of(func.request.of)}`)
  for (const key of ['forward', 'backward', 'substitute', 'lanewise'] as const) {
    const ref = info[key]
    if (ref !== undefined) words.push(`${key} ${symbols.of(ref)}`)
  }
  for (const key of ['treatAsDifferentiable', 'forceInline', 'noInline', 'pure', 'library'] as const) {
    if (info[key]) words.push(key)
  }
  if (info.prefer !== 'none') words.push(`prefer ${info.prefer}`)
  if (info.computes !== undefined) words.push(`computes ${info.computes}`)
  if (info.intrinsics !== undefined) {
    words.push(
      `intrinsic${Object.entries(info.intrinsics)
        .map(([target, text]) => ` ${target} ${JSON.stringify(text)}`)
        .join('')}`,
    )
  }
  if (info.entry !== undefined) {
    const { stage, numthreads, semantics } = info.entry
    words.push(`entry ${stage} ${numthreads.join(' ')}${semantics.map(s => ` ${JSON.stringify(s)}`).join('')}`)
  }
  if (info.exported !== undefined) words.push(`exported ${JSON.stringify(info.exported)}`)
  return words.length === 0 ? '' : ` [${words.join(', ')}]`
}

class FuncPrinter {
  readonly #func: Func
  readonly #symbols: Symbols
  readonly #names = new Map<Value, string>()
  readonly #taken = new Set<string>()
  readonly #labels = new Map<Inst, number>()
  readonly #left = new Set<Inst>()
  readonly #take: TakeLine | undefined
  #unnamed = 0
  #line: number

  /** `line` is where its text begins. */
  constructor(func: Func, symbols: Symbols, line: number, take?: TakeLine) {
    this.#func = func
    this.#symbols = symbols
    this.#line = line
    this.#take = take
    if (func.outer !== undefined) this.#continue(func.outer)
    if (func.body !== undefined) {
      walk(func.body, inst => {
        if (inst.attr instanceof Inst) this.#left.add(inst.attr)
      })
    }
  }

  /** Takes over all names of another function: each value has one name in both texts. */
  #continue(outer: Func): void {
    const printer = new FuncPrinter(outer, new Symbols(), 1)
    printer.func()
    for (const [value, name] of printer.#names) this.#names.set(value, name)
    for (const name of printer.#taken) this.#taken.add(name)
    this.#unnamed = printer.#unnamed
  }

  /** The line that what is printed so far ends in. */
  get line(): number {
    return this.#line
  }

  func(): string {
    const { sig, body, span } = this.#func
    if (span !== null) this.#take?.(this.#line, span)
    const ins = inputs(sig)
    const params = sig.params.map(p => this.#param(p, body?.params[ins.indexOf(p)]))
    const result = sig.result.kind === 'void' ? '' : ` -> ${typeText(sig.result)}${sig.resultNoDiff ? ' nodiff' : ''}`
    const head = `func ${this.#symbols.of(this.#func)}(${params.join(', ')})${result}${infoText(this.#func, this.#symbols)}`
    return body === undefined ? head : `${head} ${this.#block(body, '')}`
  }

  #param(p: ParamSig, value: Value | undefined): string {
    const dir = p.dir === 'in' ? '' : `${p.dir} `
    const type = `${typeText(p.type)}${p.noDiff ? ' nodiff' : ''}`
    const name = bare.test(p.name) ? p.name : JSON.stringify(p.name)
    if (value === undefined) return `${dir}${name}: ${type}`
    const own = this.#name(value)
    return own === `%${p.name}` ? `${dir}${own}: ${type}` : `${dir}${name} ${own}: ${type}`
  }

  #name(value: Value): string {
    let name = this.#names.get(value)
    if (name !== undefined) return name
    const hint = value.name.replace(/[^\w.$]/g, '_').replace(/(\.\d*)+$/, '')
    if (hint === '' || /^\d/.test(hint)) {
      name = String(this.#unnamed++)
    } else {
      name = hint
      for (let k = 1; this.#taken.has(name); k++) name = `${hint}.${k}`
      this.#taken.add(name)
    }
    name = `%${name}`
    this.#names.set(value, name)
    return name
  }

  #typed(values: readonly Value[]): string {
    return values.map(v => `${this.#name(v)}: ${typeText(v.type)}`).join(', ')
  }

  #label(inst: Inst): string {
    let label = this.#labels.get(inst)
    if (label === undefined) {
      label = this.#labels.size + 1
      this.#labels.set(inst, label)
    }
    return `^${label}`
  }

  #attr(inst: Inst): string {
    const attr = inst.attr
    if (attr === null) return ''
    if (attr instanceof Inst) return ` ${this.#label(attr)}`
    if (attr instanceof Func || attr instanceof Global) return ` ${this.#symbols.of(attr)}`
    switch (typeof attr) {
      case 'number':
        return ` ${numberText(attr, inst.results[0]?.type.scalar === 'f32')}`
      case 'bigint':
        return ` ${attr}n`
      case 'boolean':
        return ` ${attr}`
      case 'string':
        return ` ${JSON.stringify(attr)}`
      default:
        return ` [${attr.join(', ')}]`
    }
  }

  inst(inst: Inst, indent: string): string {
    if (inst.span !== null) this.#take?.(this.#line, inst.span)
    const results = inst.results.length === 0 ? '' : `${this.#typed(inst.results)} = `
    const label = this.#left.has(inst) ? ` ${this.#label(inst)}` : ''
    const args = inst.args.length === 0 ? '' : ` ${inst.args.map(a => this.#name(a)).join(', ')}`
    let text = `${results}${inst.op}${label}${this.#attr(inst)}${args}`
    for (const region of inst.regions) {
      const params = region.params.length === 0 ? '' : ` (${this.#typed(region.params)})`
      text += `${params} ${this.#block(region, indent)}`
    }
    return text
  }

  #block(region: Region, indent: string): string {
    const inner = `${indent}  `
    this.#line++
    const insts = region.insts.map(inst => {
      const text = `${inner}${this.inst(inst, inner)}\n`
      this.#line++
      return text
    })
    return `{\n${insts.join('')}${indent}}`
  }
}
