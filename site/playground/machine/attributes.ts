/**
 * Finds the attributes of Slang's playground in a source: `[playground::ZEROS(512)] RWStructuredBuffer<float> x;` gives ZEROS with its argument and the name `x`.
 * The compiler has checked the program before, so this only reads: brackets, names, and the texts between commas.
 */

/** An attribute in a source. */
export interface Attribute {
  /** Its name after `playground::`, such as `CALL_SIZE_OF`. `CALL::SIZE_OF` and `CALL_SIZE_OF` are the same. */
  readonly name: string
  readonly args: readonly Argument[]
  /** The variable or function that it belongs to. */
  readonly of: string
  readonly file: string
  readonly line: number
}

/** A text in quotes, or an expression that is evaluated later. */
export type Argument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly text: string }

interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign'
  readonly text: string
  readonly at: number
}

const pattern =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<text>"(?:[^"\\\n]|\\.)*")|(?<name>[A-Za-z_]\w*)|(?<number>\.?\d(?:[eE][+-]|[\w.])*)|(?<sign>::|[^\s])/g

function tokensOf(source: string): Token[] {
  const found: Token[] = []
  for (const match of source.matchAll(pattern)) {
    const { text, name, number, sign } = match.groups as Record<'text' | 'name' | 'number' | 'sign', string | undefined>
    const kind =
      text !== undefined
        ? 'text'
        : name !== undefined
          ? 'name'
          : number !== undefined
            ? 'number'
            : sign !== undefined
              ? 'sign'
              : undefined
    if (kind !== undefined) found.push({ kind, text: match[0], at: match.index })
  }
  return found
}

/** The texts of all strings of a source, as the program has them. */
export function stringsOf(source: string): string[] {
  return tokensOf(source)
    .filter(t => t.kind === 'text')
    .map(t => unquoted(t.text))
}

/** All attributes of the playground in a source, in its order. */
export function attributesOf(source: string, file: string): Attribute[] {
  const tokens = tokensOf(source)
  const found: Attribute[] = []
  let pending: Omit<Attribute, 'of'>[] = []
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]!.text !== '[') continue
    const end = closing(tokens, i)
    for (const part of parted(tokens.slice(i + 1, end))) {
      if (part[0]?.text !== 'playground' || part[1]?.text !== '::') continue
      const open = part.findIndex(t => t.text === '(')
      const name = part
        .slice(2, open < 0 ? undefined : open)
        .map(t => (t.text === '::' ? '_' : t.text))
        .join('')
      const args = open < 0 ? [] : parted(part.slice(open + 1, -1)).map(argument)
      pending.push({ name, args, file, line: lineAt(source, part[0].at) })
    }
    i = end
    if (pending.length === 0 || tokens[end + 1]?.text === '[') continue
    const of = declaredAfter(tokens, end + 1)
    if (of !== undefined) found.push(...pending.map(p => ({ ...p, of })))
    pending = []
  }
  return found

  function argument(part: readonly Token[]): Argument {
    const [only] = part
    if (part.length === 1 && only!.kind === 'text') return { kind: 'text', text: unquoted(only!.text) }
    const last = part.at(-1)
    return { kind: 'expression', text: only === undefined ? '' : source.slice(only.at, last!.at + last!.text.length) }
  }
}

/** Where the bracket at a place closes; the end where it never does. */
function closing(tokens: readonly Token[], from: number): number {
  let depth = 0
  for (let i = from; i < tokens.length; i++) {
    if ('([{'.includes(tokens[i]!.text)) depth++
    else if (')]}'.includes(tokens[i]!.text) && --depth === 0) return i
  }
  return tokens.length
}

/** Parts between commas that no bracket holds. */
function parted(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if ('([{'.includes(token.text)) depth++
    else if (')]}'.includes(token.text)) depth--
    if (token.text === ',' && depth === 0) parts.push([])
    else parts.at(-1)!.push(token)
  }
  return parts.filter(p => p.length > 0)
}

/** The name that a declaration gives: the last one before its end, its value, its semantic, or the list of its parameters. Names between `<` and `>` are not it. */
function declaredAfter(tokens: readonly Token[], from: number): string | undefined {
  let name: string | undefined
  let depth = 0
  for (let i = from; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!
    if (text === '<') depth++
    else if (text === '>') depth--
    else if (depth > 0) continue
    else if (kind === 'name') name = text
    // `layout(…)`, `register(…)` and the like come before the name only in GLSL; `[` is the size of an array.
    else if (';=:([{'.includes(text)) return name
  }
  return name
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    return text.slice(1, -1)
  }
}

function lineAt(source: string, at: number): number {
  return source.slice(0, at).split('\n').length
}

/** The number of an expression that is a plain literal; undefined for others. */
export function literal(text: string): number | undefined {
  const [, digits] =
    /^([+-]?\s*(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))[uUlLfFhH]*$/.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const plain = digits.replace(/\s/g, '')
  return /^[+-]?0[xX]/.test(plain)
    ? Number(plain.replace(/^[+-]/, '')) * (plain.startsWith('-') ? -1 : 1)
    : Number(plain)
}
