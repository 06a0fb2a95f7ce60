/** Programs as tokens, with as much of their structure as tokens tell: functions, statements, variables, declarations. */
import { SourceFile } from '../../src/base/source.ts'
import { lex } from '../../src/syntax/lex.ts'
import { nameKind } from '../../src/syntax/token.ts'

/** A token, with what stands before it. */
export interface Token {
  /** White space and comments before it. */
  gap: string
  text: string
  readonly kind: number
  /** It stands in a directive. */
  readonly fixed: boolean
}

/** The first and the last token of something. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface FunctionRange extends Range {
  readonly name: string
  /** The first token of the body. */
  readonly body: number
}

export interface Variable {
  readonly name: string
  readonly type: string
  readonly at: number
}

/** The tokens of a source: their texts, one after the other, are the source but for what stands after the last. */
export function tokens(source: string): Token[] {
  const file = new SourceFile('mutant', source)
  const raw = lex(file)
  const list: Token[] = []
  let end = 0
  let fixed = false
  for (let i = 0; i < raw.count; i++) {
    const gap = source.slice(end, raw.starts[i])
    end = raw.ends[i]!
    const own = source.slice(raw.starts[i], end)
    if (gap.includes('\n') || i === 0) fixed = own === '#'
    list.push({ gap, text: own, kind: raw.kinds[i]!, fixed })
  }
  return list
}

/** The source that tokens make. */
export function text(list: readonly Token[]): string {
  return list.map(token => token.gap + token.text).join('')
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** The bracket that closes the one at `i`, or -1. */
export function match(list: readonly Token[], i: number): number {
  const open = list[i]!.text
  const close = closers[open]
  let depth = 0
  for (let k = i; k < list.length; k++) {
    if (list[k]!.text === open) depth++
    else if (list[k]!.text === close && --depth === 0) return k
  }
  return -1
}

/** Functions and methods with their attributes, as far as tokens tell. */
export function functions(list: readonly Token[]): FunctionRange[] {
  const found: FunctionRange[] = []
  for (let i = 1; i < list.length; i++) {
    if (
      list[i]!.text !== '(' ||
      list[i - 1]!.kind !== nameKind ||
      /^(if|for|while|switch|numthreads|MaxIters|shader)$/.test(list[i - 1]!.text)
    )
      continue
    const close = match(list, i)
    if (close < 0 || list[close + 1]?.text !== '{') continue
    const to = match(list, close + 1)
    if (to < 0) continue
    let from = i - 1
    while (from > 0 && !/^[;}{]$/.test(list[from - 1]!.text)) from--
    found.push({ from, to, name: list[i - 1]!.text, body: close + 1 })
  }
  return found
}

/** All statements of a function, outer ones before those in them. */
export function statements(list: readonly Token[], f: FunctionRange): Range[] {
  const found: Range[] = []
  for (let i = f.body; i < f.to; i++) {
    const before = list[i]!.text
    if (before !== '{' && before !== '}' && before !== ';') continue
    const from = i + 1
    if (/^(\}|else|case|default|while|;)$/.test(list[from]!.text) || from >= f.to) continue
    const to = endOfStatement(list, from)
    if (to > 0 && to < f.to) found.push({ from, to })
  }
  return found
}

function endOfStatement(list: readonly Token[], from: number): number {
  let i = from
  while (list[i]?.text === '[') i = match(list, i) + 1
  const first = list[i]?.text
  if (i === 0 || first === undefined) return -1
  if (first === '{') return match(list, i)
  if (first === 'if' || first === 'for' || first === 'while' || first === 'switch') {
    const close = list[i + 1]?.text === '(' ? match(list, i + 1) : -1
    if (close < 0) return -1
    const end = endOfStatement(list, close + 1)
    return end > 0 && first === 'if' && list[end + 1]?.text === 'else' ? endOfStatement(list, end + 2) : end
  }
  for (; i < list.length; i++) {
    const t = list[i]!.text
    if (t === ';') return i
    if (t === '}') return -1
    if (closers[t] !== undefined) {
      i = match(list, i)
      if (i < 0) return -1
    }
  }
  return -1
}

/** Variables of the program and of a function, with the text of their types; an array's has brackets. */
export function variables(list: readonly Token[], f: FunctionRange): Variable[] {
  const found: Variable[] = []
  let depth = 0
  for (let i = 1; i + 1 < list.length && i < f.to; i++) {
    const t = list[i]!
    if (t.text === '{') depth++
    else if (t.text === '}') depth--
    if (
      (depth > 0 && i < f.from) ||
      t.kind !== nameKind ||
      list[i - 1]!.kind !== nameKind ||
      list[i - 1]!.text === 'return'
    )
      continue
    const next = list[i + 1]!.text
    if (next === '[') found.push({ name: t.text, type: `${list[i - 1]!.text}[]`, at: i })
    else if (/^[=;,):]$/.test(next)) found.push({ name: t.text, type: list[i - 1]!.text, at: i })
  }
  return found
}

/** What a program declares: each with its attributes, and directives line by line. */
export function declarations(list: readonly Token[]): Range[] {
  const found: Range[] = []
  let from = 0
  for (let i = 0; i < list.length - 1; i++) {
    const t = list[i]!
    if (t.fixed) {
      if (list[i + 1]!.fixed && !(list[i + 1]!.text === '#' && list[i + 1]!.gap.includes('\n'))) continue
    } else if (closers[t.text] !== undefined) {
      const close = match(list, i)
      if (close < 0) return found
      i = close
      const next = list[i + 1]?.text
      // A body ends a declaration, but for initial values and `struct { … } name;`.
      if (t.text !== '{' || next === ';' || next === ',' || next === '=') continue
    } else if (t.text !== ';') {
      continue
    }
    found.push({ from, to: i })
    from = i + 1
  }
  return found
}

/** Operands and arguments: what stands between brackets, commas, and signs of assignment. */
export function expressions(list: readonly Token[], within: FunctionRange): Range[] {
  const found: Range[] = []
  for (let i = within.body; i < within.to; i++) {
    if (!/^([(,=?:[]|[-+*/]=|return)$/.test(list[i]!.text)) continue
    let k = i + 1
    for (; k < within.to && !/^[),;:\]}?]$/.test(list[k]!.text); k++) {
      if (closers[list[k]!.text] === undefined) continue
      k = match(list, k)
      if (k < 0) break
    }
    if (k > i + 1 && k < within.to) found.push({ from: i + 1, to: k - 1 })
  }
  return found
}

/** The name that a declaration declares, as far as its tokens tell; undefined for directives and the like. */
export function nameOf(list: readonly Token[], { from, to }: Range): string | undefined {
  for (let i = from; i <= to; i++) {
    const t = list[i]!
    if (t.fixed || t.text === 'extension' || t.text === 'import') return undefined
    if (t.text === '[') i = Math.max(i, match(list, i))
    else if (/^(struct|interface|enum|namespace|typealias|class)$/.test(t.text)) return list[i + 1]?.text
    else if (
      t.kind === nameKind &&
      /^[(<=;:[{]$/.test(list[i + 1]?.text ?? ';') &&
      list[i - 1]?.kind !== undefined &&
      i > from &&
      list[i + 1]?.text !== '<'
    )
      return t.text
  }
  return undefined
}
