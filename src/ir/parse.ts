/** Reads IR text (see `print.ts`) back into a program. For developers: a mistake is an Error with line and column. */
import { isOp } from './ops.ts'
import * as t from './type.ts'
import type { Field, ScalarName, Space, Type } from './type.ts'
import {
  Func,
  Global,
  Inst,
  Module,
  Region,
  Value,
  inputs,
  type Attr,
  type Direction,
  type EntryInfo,
  type FuncInfo,
  type ParamSig,
} from './value.ts'

interface Token {
  /** `word`, `string`, `number`, `%` value, `@` symbol, `^` label, `p` punctuation, `end`. */
  readonly kind: 'word' | 'string' | 'number' | '%' | '@' | '^' | 'p' | 'end'
  readonly text: string
  readonly at: number
}

const tokenPattern =
  /\s+|\/\/[^\n]*|([%@^])("(?:[^"\\]|\\.)*"|[\w.$]+)|("(?:[^"\\]|\\.)*")|(-?inf\b|nan\b|-?\d[\w.]*(?:[+-]\d+f?)?)|([A-Za-z_$][\w.$]*)|(->|[(){}[\]<>,:=])/gy

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  tokenPattern.lastIndex = 0
  let at = 0
  while (at < text.length) {
    const m = tokenPattern.exec(text)
    if (m === null) throw failure(text, at, 'unexpected character')
    if (m[1] !== undefined) {
      const name = m[2]!
      tokens.push({
        kind: m[1] as '%' | '@' | '^',
        text: name.startsWith('"') ? (JSON.parse(name) as string) : name,
        at,
      })
    } else if (m[3] !== undefined) {
      tokens.push({ kind: 'string', text: JSON.parse(m[3]) as string, at })
    } else if (m[4] !== undefined) {
      tokens.push({ kind: 'number', text: m[4], at })
    } else if (m[5] !== undefined) {
      tokens.push({ kind: 'word', text: m[5], at })
    } else if (m[6] !== undefined) {
      tokens.push({ kind: 'p', text: m[6], at })
    }
    at = tokenPattern.lastIndex
  }
  tokens.push({ kind: 'end', text: 'end of text', at })
  return tokens
}

function failure(text: string, at: number, message: string): Error {
  const before = text.slice(0, at).split('\n')
  return new Error(`IR text, line ${before.length}, column ${before[before.length - 1]!.length + 1}: ${message}`)
}

/** Parses a program. */
export function parseModule(text: string): Module {
  return new Parser(text).module()
}

class Parser {
  readonly #text: string
  readonly #tokens: Token[]
  #next = 0
  readonly #module = new Module()
  readonly #structs = new Map<string, Type>()
  readonly #funcs = new Map<string, Func>()
  readonly #globals = new Map<string, Global>()
  /** Actions that refer to functions. They run when all functions are declared. */
  readonly #later: (() => void)[] = []
  #func: Func | undefined
  readonly #values = new Map<string, Value>()
  readonly #labels = new Map<string, Inst>()

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokenize(text)
  }

  module(): Module {
    while (!this.#at('end')) {
      const word = this.#expect('word').text
      if (word === 'struct') this.#struct()
      else if (word === 'global') this.#global()
      else if (word === 'func') this.#function()
      else throw this.#fail('struct, global or func is due here', -1)
    }
    for (const action of this.#later) action()
    return this.#module
  }

  // ── Tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #peek(): Token {
    return this.#tokens[this.#next]!
  }

  #fail(message: string, offset = 0): Error {
    return failure(this.#text, this.#tokens[this.#next + offset]!.at, message)
  }

  #at(kind: Token['kind'], text?: string): boolean {
    const token = this.#peek()
    return token.kind === kind && (text === undefined || token.text === text)
  }

  #accept(kind: Token['kind'], text?: string): boolean {
    if (!this.#at(kind, text)) return false
    this.#next++
    return true
  }

  #expect(kind: Token['kind'], text?: string): Token {
    if (!this.#at(kind, text)) throw this.#fail(`${text ?? kind} is due here, not ${this.#peek().text}`)
    return this.#tokens[this.#next++]!
  }

  /** A bare or quoted name. */
  #nameText(): string {
    return this.#at('string') ? this.#expect('string').text : this.#expect('word').text
  }

  /** The items up to the closing punctuation, with commas between. */
  #list<T>(close: string, item: () => T): T[] {
    const out: T[] = []
    while (!this.#accept('p', close)) {
      if (out.length > 0) this.#expect('p', ',')
      out.push(item())
    }
    return out
  }

  #integer(): number {
    return Number(this.#expect('number').text)
  }

  // ── Types and declarations ───────────────────────────────────────────────────────────────────────────────────────

  #type(): Type {
    if (this.#at('string')) return this.#structType(this.#expect('string').text)
    const word = this.#expect('word').text
    if (word === 'void') return t.voidType
    if (word === 'array') {
      this.#expect('p', '<')
      const elem = this.#type()
      this.#expect('p', ',')
      const count = this.#integer()
      const rule = this.#accept('p', ',') ? (this.#expect('word').text as t.LayoutRule) : undefined
      this.#expect('p', '>')
      return t.array(elem, count, rule)
    }
    if (word === 'list') {
      this.#expect('p', '<')
      const elem = this.#type()
      this.#expect('p', '>')
      return t.list(elem)
    }
    if (word === 'ptr') {
      this.#expect('p', '<')
      const space = this.#expect('word').text as Space
      this.#expect('p', ',')
      const elem = this.#type()
      this.#expect('p', '>')
      return t.ptr(space, elem)
    }
    if (word === 'opaque') {
      this.#expect('p', '<')
      const name = this.#expect('string').text
      this.#expect('p', '>')
      return this.#opaque(name)
    }
    const shape = /^(bool|[iuf]\d+)(?:x(\d+))?(?:x(\d+))?$/.exec(word)
    const scalar = shape === null ? undefined : (t.scalars[shape[1] as ScalarName] as Type | undefined)
    if (shape === null || scalar === undefined) return this.#structType(word)
    if (shape[2] === undefined) return scalar
    if (shape[3] === undefined) return t.vec(scalar, Number(shape[2]))
    return t.mat(scalar, Number(shape[2]), Number(shape[3]))
  }

  #structType(name: string): Type {
    const type = this.#structs.get(name)
    if (type === undefined) throw this.#fail(`no struct ${name} stands above`, -1)
    return type
  }

  readonly #opaques = new Map<string, Type>()
  #opaque(name: string): Type {
    let type = this.#opaques.get(name)
    if (type === undefined) {
      type = t.handleNamed(name) ?? t.opaque(name)
      this.#opaques.set(name, type)
    }
    return type
  }

  #field(): Field {
    const name = this.#nameText()
    this.#expect('p', ':')
    return { name, type: this.#type() }
  }

  #struct(): void {
    const name = this.#nameText()
    this.#expect('p', '{')
    const type = t.struct(
      name,
      this.#list('}', () => this.#field()),
    )
    if (this.#accept('word', 'natural')) type.rule = 'natural'
    this.#structs.set(name, type)
    this.#module.structs.push(type)
    if (!this.#accept('word', 'diff')) return
    const typeAt = this.#next
    this.#skipType()
    this.#expect('p', '[')
    const fields = this.#list(']', () => this.#integer())
    const dzero = this.#accept('word', 'dzero') ? this.#expect('@').text : undefined
    const dadd = this.#accept('word', 'dadd') ? this.#expect('@').text : undefined
    const alike = this.#accept('word', 'alike')
      ? (this.#expect('p', '['), this.#list(']', () => this.#integer()))
      : undefined
    this.#later.push(() => {
      this.#next = typeAt
      const diff = this.#type()
      type.diff = {
        type: diff,
        fields,
        dzero: dzero === undefined ? undefined : this.#funcNamed(dzero),
        dadd: dadd === undefined ? undefined : this.#funcNamed(dadd),
        ...(alike === undefined
          ? {}
          : { alike: alike.flatMap((at, i) => (i % 2 === 0 ? [[at, alike[i + 1]!] as const] : [])) }),
      }
    })
  }

  /** A differential may be declared further down, so it is read later. */
  #skipType(): void {
    let depth = 0
    while (depth > 0 || !this.#at('p', '[')) {
      if (this.#at('end')) throw this.#fail('a type is due here')
      if (this.#at('p', '<')) depth++
      if (this.#at('p', '>')) depth--
      this.#next++
    }
  }

  #global(): void {
    const name = this.#expect('@').text
    this.#expect('p', ':')
    const space = this.#expect('word').text as Space
    const type = this.#type()
    const resource = this.#expect('word').text as Global['resource']
    const binding = this.#accept('word', 'at') ? { group: this.#integer(), binding: this.#integer() } : undefined
    const init = this.#accept('word', 'init') ? this.#expect('@').text : undefined
    const make = (f: Func | undefined): Global => new Global(name, type, space, resource, binding, f, null)
    const g = make(undefined)
    this.#globals.set(name, g)
    this.#module.globals.push(g)
    if (init !== undefined)
      this.#later.unshift(() => {
        Object.assign(g, { init: this.#funcNamed(init) })
      })
  }

  #funcNamed(name: string): Func {
    const func = this.#funcs.get(name)
    if (func === undefined) throw this.#fail(`there is no function @${name}`, -1)
    return func
  }

  #function(): void {
    const name = this.#expect('@').text
    this.#expect('p', '(')
    const valueNames: (string | undefined)[] = []
    const params = this.#list(')', () => this.#param(valueNames))
    const result = this.#accept('p', '->') ? this.#type() : t.voidType
    const resultNoDiff = this.#accept('word', 'nodiff') || result.kind === 'void'
    const func = new Func(name, { params, result, resultNoDiff }, null)
    if (this.#funcs.has(name)) throw this.#fail(`@${name} is declared twice`, -1)
    this.#funcs.set(name, func)
    this.#module.funcs.push(func)
    if (this.#accept('p', '[')) this.#list(']', () => this.#info(func))
    if (!this.#at('p', '{')) return
    const bodyAt = this.#next
    this.#skipBlock()
    this.#later.push(() => {
      this.#next = bodyAt
      this.#body(func, valueNames)
    })
  }

  #param(valueNames: (string | undefined)[]): ParamSig {
    let dir: Direction = 'in'
    // A parameter may itself be called `in`, `out` or `inout`: then a colon follows.
    const after = this.#tokens[this.#next + 1]!
    const isDir = !(after.kind === 'p' && after.text === ':')
    if (isDir && this.#accept('word', 'inout')) dir = 'inout'
    else if (isDir && this.#accept('word', 'out')) dir = 'out'
    let name = this.#at('%') ? undefined : this.#nameText()
    const value = this.#at('%') ? this.#expect('%').text : undefined
    name ??= value ?? ''
    if (dir !== 'out') valueNames.push(value)
    this.#expect('p', ':')
    const type = this.#type()
    return { name, type, dir, noDiff: this.#accept('word', 'nodiff') }
  }

  #info(func: Func): void {
    const info: FuncInfo = func.info
    const key = this.#expect('word').text
    switch (key) {
      case 'level':
        info.level = this.#expect('word').text as FuncInfo['level']
        break
      case 'prefer':
        info.prefer = this.#expect('word').text as FuncInfo['prefer']
        break
      case 'request': {
        const kind = this.#expect('word').text as 'forward' | 'backward'
        const of = this.#expect('@').text
        this.#later.push(() => {
          func.request = { kind, of: this.#funcNamed(of) }
        })
        break
      }
      case 'forward':
      case 'backward':
      case 'substitute':
      case 'lanewise': {
        const ref = this.#expect('@').text
        this.#later.push(() => {
          info[key] = this.#funcNamed(ref)
        })
        break
      }
      case 'treatAsDifferentiable':
      case 'forceInline':
      case 'noInline':
      case 'pure':
      case 'library':
        info[key] = true
        break
      case 'computes':
        info.computes = this.#expect('word').text
        break
      case 'intrinsic': {
        const intrinsics: Record<string, string> = {}
        while (this.#at('word')) {
          const target = this.#expect('word').text
          intrinsics[target] = this.#expect('string').text
        }
        info.intrinsics = intrinsics
        break
      }
      case 'entry': {
        const stage = this.#expect('word').text as EntryInfo['stage']
        const numthreads = [this.#integer(), this.#integer(), this.#integer()] as const
        const semantics: string[] = []
        while (this.#at('string')) semantics.push(this.#expect('string').text)
        info.entry = { stage, numthreads, semantics }
        break
      }
      case 'exported':
        info.exported = this.#expect('string').text
        break
      default:
        throw this.#fail(`${key} says nothing of a function`, -1)
    }
  }

  #skipBlock(): void {
    let depth = 0
    do {
      if (this.#at('end')) throw this.#fail('} is due here')
      if (this.#at('p', '{')) depth++
      if (this.#at('p', '}')) depth--
      this.#next++
    } while (depth > 0)
  }

  // ── Bodies ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #body(func: Func, valueNames: readonly (string | undefined)[]): void {
    this.#func = func
    this.#values.clear()
    this.#labels.clear()
    const body = new Region()
    func.body = body
    inputs(func.sig).forEach((p, i) => {
      const name = valueNames[i] ?? p.name
      body.params.push(this.#define(name, p.type, body, i))
    })
    this.#insts(body)
  }

  #define(name: string, type: Type, def: Inst | Region, index: number): Value {
    const hint = name.replace(/\.\d+$/, '')
    const value = new Value(this.#func!.nextValue++, type, def, index, /^\d/.test(hint) ? '' : hint)
    this.#values.set(name, value)
    return value
  }

  #insts(region: Region): void {
    this.#expect('p', '{')
    while (!this.#accept('p', '}')) region.insts.push(this.#inst())
  }

  #use(): Value {
    const name = this.#expect('%').text
    const value = this.#values.get(name)
    if (value === undefined) throw this.#fail(`%${name} is not defined above`, -1)
    return value
  }

  #inst(): Inst {
    const results: { name: string; type: Type }[] = []
    if (this.#at('%')) {
      do {
        const name = this.#expect('%').text
        this.#expect('p', ':')
        results.push({ name, type: this.#type() })
      } while (this.#accept('p', ','))
      this.#expect('p', '=')
    }
    const opName = this.#expect('word').text
    if (!isOp(opName)) throw this.#fail(`there is no op ${opName}`, -1)
    const label = opName !== 'leave' && this.#at('^') ? this.#expect('^').text : undefined
    const attr = this.#attr()
    const args: Value[] = []
    if (this.#at('%')) {
      // A result list on the next line also begins with a value: only a colon after it tells.
      while (this.#at('%') && !this.#atResult()) {
        args.push(this.#use())
        if (!this.#accept('p', ',')) break
      }
    }
    const regions: Region[] = []
    const inst = new Inst(opName, args, attr, regions, null)
    if (label !== undefined) this.#labels.set(label, inst)
    while (this.#at('p', '(') || this.#at('p', '{')) {
      const region = new Region()
      regions.push(region)
      if (this.#accept('p', '(')) {
        this.#list(')', () => {
          const name = this.#expect('%').text
          this.#expect('p', ':')
          region.params.push(this.#define(name, this.#type(), region, region.params.length))
        })
      }
      this.#insts(region)
    }
    results.forEach((r, i) => inst.results.push(this.#define(r.name, r.type, inst, i)))
    return inst
  }

  #atResult(): boolean {
    const after = this.#tokens[this.#next + 1]!
    return after.kind === 'p' && after.text === ':'
  }

  #attr(): Attr {
    const token = this.#peek()
    switch (token.kind) {
      case 'number':
        this.#next++
        return this.#number(token.text)
      case 'string':
        this.#next++
        return token.text
      case 'word':
        if (token.text !== 'true' && token.text !== 'false') return null
        this.#next++
        return token.text === 'true'
      case '@': {
        this.#next++
        const symbol = this.#funcs.get(token.text) ?? this.#globals.get(token.text)
        if (symbol === undefined) throw this.#fail(`@${token.text} is not declared`, -1)
        return symbol
      }
      case '^': {
        this.#next++
        const inst = this.#labels.get(token.text)
        if (inst === undefined) throw this.#fail(`no instruction around this one is labelled ^${token.text}`, -1)
        return inst
      }
      case 'p':
        if (token.text !== '[') return null
        this.#next++
        return this.#list(']', () => this.#integer())
      default:
        return null
    }
  }

  #number(text: string): number | bigint {
    if (text === 'nan') return NaN
    if (text === 'inf') return Infinity
    if (text === '-inf') return -Infinity
    if (text.endsWith('n')) return BigInt(text.slice(0, -1))
    return text.endsWith('f') ? Math.fround(Number(text.slice(0, -1))) : Number(text)
  }
}
