/** Writes a JavaScript tree as text. */
import type { Work } from '../../base/limits.ts'
import { tooManyTrips, type RunLimits } from '../limits.ts'
import type { JsFunc } from './emit.ts'
import type { Names } from './names.ts'
import type { Expr, Local, Stmt } from './tree.ts'

const binaryLevel: Readonly<Record<string, number>> = {
  '*': 13, '/': 13, '%': 13, '+': 12, '-': 12, '<<': 11, '>>': 11, '>>>': 11, '<': 10, '<=': 10, '>': 10, '>=': 10,
  '===': 9, '!==': 9, '&': 8, '^': 7, '|': 6, '&&': 5, '||': 4,
}

/** Comparisons that are each other's negation; not so the orders, because of NaN. */
const negated: Readonly<Record<string, string>> = { '===': '!==', '!==': '===' }

/** Prints a function. `names` are those of the module. */
export function printFunc(func: JsFunc, names: Names, limits: RunLimits, work: Work): string {
  return new Printer(names.inside(), limits, work).func(func)
}

class Printer {
  readonly #names: Names
  readonly #limits: RunLimits
  readonly #work: Work
  readonly #known = new Map<Local, string>()
  readonly #labels = new Map<Stmt, string>()
  /** What a plain `break` leaves, innermost last. */
  readonly #around: Stmt[] = []

  constructor(names: Names, limits: RunLimits, work: Work) {
    this.#names = names
    this.#work = work
    this.#limits = limits
  }

  func(func: JsFunc): string {
    this.#findLabels(func.body, [])
    const params = func.params.map(p => this.#name(p)).join(', ')
    const head = `function${func.generator ? '*' : ''} ${func.name}(${params}) {\n`
    if (func.tooDeep === '') return `${head}${this.#list(func.body, '  ')}}`
    return `${head}  if (--depthLeft < 0) stopped(${JSON.stringify(func.tooDeep)})\n  try {\n${this.#list(func.body, '    ')}  } finally {\n    depthLeft++\n  }\n}`
  }

  #name(local: Local): string {
    if (local.name !== undefined) return local.name
    let known = this.#known.get(local)
    if (known === undefined) {
      known = this.#names.fresh(local.hint)
      this.#known.set(local, known)
    }
    return known
  }

  /** A statement needs a label where something leaves it from inside another loop or switch, or where it is neither. */
  #findLabels(list: readonly Stmt[], around: readonly Stmt[]): void {
    for (const s of list) {
      if (s.kind === 'break' && around[around.length - 1] !== s.of && !this.#labels.has(s.of)) {
        this.#labels.set(s.of, this.#names.fresh(s.of.kind === 'loop' ? 'loop' : 'block'))
      }
      if (s.kind === 'loop') this.#findLabels(s.body, [...around, s])
      if (s.kind === 'block') this.#findLabels(s.body, around)
      if (s.kind === 'switch') for (const c of s.cases) this.#findLabels(c.body, [...around, s])
      if (s.kind === 'if') {
        this.#findLabels(s.yes, around)
        this.#findLabels(s.no, around)
      }
    }
  }

  #list(list: readonly Stmt[], indent: string): string {
    let out = ''
    for (const s of list) {
      const text = this.#stmt(s, indent)
      // What holds others is counted with these, but for its own line.
      this.#work.spend('output', indent.length + (s.kind === 'if' || s.kind === 'switch' || s.kind === 'loop' || s.kind === 'block' ? 10 : text.length))
      if (text !== '') out += `${indent}${text}\n`
    }
    return out
  }

  #braces(list: readonly Stmt[], indent: string, first = ''): string {
    return `{\n${first}${this.#list(list, `${indent}  `)}${indent}}`
  }

  /** What each trip of a loop begins with where trips or memory are bounded. */
  #counted(loop: string, indent: string): string {
    const { trips, bytes } = this.#limits
    const where = bytes === undefined ? '' : `${indent}  loopNow = ${JSON.stringify(loop)}\n`
    return where + (trips === undefined ? '' : `${indent}  if (--tripsLeft < 0) stopped(${JSON.stringify(tooManyTrips(loop, trips))})\n`)
  }

  #stmt(s: Stmt, indent: string): string {
    const found = this.#labels.get(s)
    const label = found === undefined ? '' : `${found}: `
    switch (s.kind) {
      case 'const': {
        if (s.locals.length === 1) return `const ${this.#name(s.locals[0]!)} = ${this.#expr(s.init, 2)}`
        return `const [${s.locals.map(l => this.#name(l)).join(', ')}] = ${this.#expr(s.init, 2)}`
      }
      case 'let': return `let ${this.#name(s.local)}${s.init === undefined ? '' : ` = ${this.#expr(s.init, 2)}`}`
      case 'set': return this.#set(s.target, s.value)
      case 'do': return this.#guard(this.#expr(s.value, 1))
      case 'block':
        if (s.body.length === 0) return ''
        return `${label}${this.#braces(s.body, indent)}`
      case 'if': return `${label}${this.#if(s, indent)}`
      case 'loop': {
        this.#around.push(s)
        const text = `${label}while (${s.c === undefined ? 'true' : this.#expr(s.c, 0)}) ${this.#braces(s.body, indent, this.#counted(s.name, indent))}`
        this.#around.pop()
        return text
      }
      case 'switch': {
        this.#around.push(s)
        let text = `${label}switch (${this.#expr(s.x, 0)}) {\n`
        for (const c of s.cases) {
          const heads = c.labels.length === 0 ? 'default:' : c.labels.map(l => `case ${l}:`).join(' ')
          const ends = c.body[c.body.length - 1]
          const done = ends !== undefined && (ends.kind === 'return' || ends.kind === 'break' || ends.kind === 'throw')
          text += `${indent}  ${heads} {\n${this.#list(c.body, `${indent}    `)}${done ? '' : `${indent}    break\n`}${indent}  }\n`
        }
        this.#around.pop()
        return `${text}${indent}}`
      }
      case 'break': return this.#labels.has(s.of) && this.#around[this.#around.length - 1] !== s.of ? `break ${this.#labels.get(s.of)}` : 'break'
      case 'return': return s.value === undefined ? 'return' : `return ${this.#expr(s.value, 0)}`
      case 'throw': return `throw new Error(${JSON.stringify(s.text)})`
      case 'yield': return 'yield'
    }
  }

  /** A line that begins with a bracket would go on with the line before it. */
  #guard(text: string): string {
    return /^[[(`/+-]/.test(text) ? `;${text}` : text
  }

  #set(target: Expr, value: Expr): string {
    const left = this.#expr(target, 18)
    if (value.kind === 'binary' && target.kind === 'name' && value.x.kind === 'name' && value.x.local === target.local && (binaryLevel[value.op] ?? 0) >= 6) {
      return `${left} ${value.op}= ${this.#expr(value.y, 2)}`
    }
    return `${left} = ${this.#expr(value, 2)}`
  }

  #if(s: Stmt & { kind: 'if' }, indent: string): string {
    const swap = s.yes.length === 0 && s.no.length > 0
    const c = swap ? this.#expr({ kind: 'unary', op: '!', x: s.c }, 0) : this.#expr(s.c, 0)
    const [then, rest] = swap ? [s.no, s.yes] : [s.yes, s.no]
    let text = `if (${c}) ${this.#braces(then, indent)}`
    const only = rest.length === 1 ? rest[0]! : undefined
    if (only?.kind === 'if' && !this.#labels.has(only)) text += ` else ${this.#if(only, indent)}`
    else if (rest.length > 0) text += ` else ${this.#braces(rest, indent)}`
    return text
  }

  #expr(e: Expr, level: number): string {
    const [text, own] = this.#parts(e)
    return own < level ? `(${text})` : text
  }

  #parts(e: Expr): readonly [string, number] {
    switch (e.kind) {
      case 'text': return [e.text, e.text.startsWith('-') ? 15 : /^\d/.test(e.text) ? 17 : 20]
      case 'name': return [this.#name(e.local), 20]
      case 'unary': {
        if (e.op === '!' && e.x.kind === 'unary' && e.x.op === '!') return this.#parts(e.x.x)
        if (e.op === '!' && e.x.kind === 'binary' && negated[e.x.op] !== undefined) return this.#parts({ ...e.x, op: negated[e.x.op]! })
        const x = this.#expr(e.x, 15)
        return [x.startsWith(e.op) ? `${e.op}(${x})` : `${e.op}${x}`, 15]
      }
      case 'binary': {
        const level = binaryLevel[e.op]!
        // Mixed bitwise and arithmetic operators read better with brackets than by precedence.
        const loose = level <= 8 && level >= 6 ? 12 : level
        return [`${this.#expr(e.x, loose)} ${e.op} ${this.#expr(e.y, loose === level ? level + 1 : loose + 1)}`, level]
      }
      case 'cond': return [`${this.#expr(e.c, 3)} ? ${this.#expr(e.x, 2)} : ${this.#expr(e.y, 2)}`, 2]
      case 'call': {
        const first = e.args[0]
        // A copy of a copy is one.
        if (e.callee === 'copied' && first?.kind === 'call' && first.callee === 'copied') return this.#parts(first)
        const text = `${e.callee}(${e.args.map(a => this.#expr(a, 2)).join(', ')})`
        return e.delegate ? [`yield* ${text}`, 1] : [text, 18]
      }
      case 'method': return [`${this.#expr(e.of, 18)}.${e.method}(${e.args.map(a => this.#expr(a, 2)).join(', ')})`, 18]
      case 'index': return [`${this.#expr(e.of, 18)}[${this.#expr(e.at, 0)}]`, 18]
      case 'list': return [`[${e.items.map(i => this.#expr(i, 2)).join(', ')}]`, 20]
    }
  }
}
