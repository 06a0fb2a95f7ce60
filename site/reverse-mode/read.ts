/**
 * Reads the text form of the IR, as `program.ir` gives it: functions, their instructions, and which values each takes and gives. Every instruction
 * has one shape,
 *
 *     %a: f32, %b: i32 = op attribute %x, %y (%p: f32) {
 *       …
 *     } {
 *       …
 *     }
 *
 * so this reader needs to know no operation.
 */

export interface IrValue {
  /** With its `%`. */
  readonly name: string
  readonly type: string
}

export interface IrParam extends IrValue {
  readonly direction: 'in' | 'out' | 'inout'
}

export interface IrRegion {
  readonly params: readonly IrValue[]
  readonly instructions: readonly IrInstruction[]
}

export interface IrInstruction {
  readonly results: readonly IrValue[]
  readonly op: string
  /** What stands between the operation and its arguments: a number, the name of a function, a label; empty where nothing does. */
  readonly attribute: string
  /** Names of values. */
  readonly args: readonly string[]
  readonly regions: readonly IrRegion[]
}

export interface IrFunction {
  /** Without its `@`. */
  readonly name: string
  /** Parameters that are values of the body; those that only go out have none. */
  readonly params: readonly IrParam[]
  /** Undefined for a function of the target. */
  readonly body: IrRegion | undefined
  readonly isLibrary: boolean
  /** As it was read. */
  readonly text: string
}

/** A line that has none of the shapes. */
export class IrTextError extends Error {
  override readonly name = 'IrTextError'
}

const valueName = /%[\w.$]+/g

/** The functions of a text, in its order. Structs and globals are left out. */
export function readFunctions(text: string): IrFunction[] {
  const functions: IrFunction[] = []
  const lines = text.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const head = lines[i]!
    if (!head.startsWith('func ')) continue
    const from = i
    if (head.endsWith(' {')) while (lines[i] !== '}') if (++i >= lines.length) throw new IrTextError(`no end: ${head}`)
    functions.push(readFunction(lines.slice(from, i + 1)))
  }
  return functions
}

function readFunction(lines: readonly string[]): IrFunction {
  const head = lines[0]!
  const named = /^func @("(?:[^"\\]|\\.)*"|[\w.$]+)\(/.exec(head)
  if (named === null) throw new IrTextError(`no function: ${head}`)
  const end = closing(head, named[0].length - 1)
  const params = split(head.slice(named[0].length, end)).flatMap((text): IrParam[] => {
    const name = text.match(valueName)?.[0]
    if (name === undefined) return []
    const direction = text.startsWith('inout ') ? 'inout' : 'in'
    return [{ name, type: text.slice(text.indexOf(`${name}: `) + name.length + 2), direction }]
  })
  const reader = new LineReader(lines.slice(1))
  return {
    name: named[1]!.startsWith('"') ? (JSON.parse(named[1]!) as string) : named[1]!,
    params,
    body: head.endsWith(' {') ? { params, instructions: reader.instructions() } : undefined,
    isLibrary: /\[(?:.*, )?library[,\]]/.test(head.slice(end)),
    text: lines.join('\n'),
  }
}

class LineReader {
  readonly #lines: readonly string[]
  #at = 0

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  /** The instructions up to the line that closes their region, which is left to be read. */
  instructions(): IrInstruction[] {
    const found: IrInstruction[] = []
    while (!this.#line().startsWith('}')) found.push(this.#instruction())
    return found
  }

  #line(): string {
    const line = this.#lines[this.#at]
    if (line === undefined) throw new IrTextError('a region has no end')
    return line.trimStart()
  }

  #instruction(): IrInstruction {
    const line = this.#line()
    this.#at++
    const equals = line.startsWith('%') ? line.indexOf(' = ') : -1
    const results = equals < 0 ? [] : values(line.slice(0, equals))
    const opens = line.endsWith(' {')
    const { rest, params } = regionParams(line.slice(equals < 0 ? 0 : equals + 3))
    const op = /^\w+/.exec(rest)?.[0]
    if (op === undefined) throw new IrTextError(`no instruction: ${line}`)
    const after = rest.slice(op.length).trim()
    // Text in quotes may hold anything.
    const bare = after.replace(/"(?:[^"\\]|\\.)*"/g, quoted => '"'.repeat(quoted.length))
    const first = bare.search(/(?:^|\s)%/)
    const regions: IrRegion[] = []
    if (opens) {
      let own = params
      for (;;) {
        regions.push({ params: own, instructions: this.instructions() })
        const close = this.#line()
        this.#at++
        if (close === '}') break
        own = regionParams(close.slice(1)).params
      }
    }
    return {
      results,
      op,
      attribute: (first < 0 ? after : after.slice(0, first)).trim(),
      args: first < 0 ? [] : (bare.slice(first).match(valueName) ?? []),
      regions,
    }
  }
}

/** Takes what opens a region off the end of a line: ` (%p: f32) {`. */
function regionParams(line: string): { readonly rest: string; readonly params: readonly IrValue[] } {
  if (!line.endsWith(' {')) return { rest: line, params: [] }
  const rest = line.slice(0, -2)
  const open = rest.lastIndexOf(' (%')
  if (open < 0 || !rest.endsWith(')')) return { rest, params: [] }
  return { rest: rest.slice(0, open), params: values(rest.slice(open + 2, -1)) }
}

/** `%a: f32, %b: array<f32, 4>`. */
function values(text: string): IrValue[] {
  return split(text).map(part => {
    const colon = part.indexOf(': ')
    if (!part.startsWith('%') || colon < 0) throw new IrTextError(`no value with a type: ${part}`)
    return { name: part.slice(0, colon), type: part.slice(colon + 2) }
  })
}

/** Splits at commas that stand in no brackets and no quotes. */
function split(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (quoted) {
      if (c === '\\') i++
      else if (c === '"') quoted = false
    } else if (c === '"') quoted = true
    else if ('<([{'.includes(c)) depth++
    else if ('>)]}'.includes(c)) depth--
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim())
      from = i + 1
    }
  }
  const last = text.slice(from).trim()
  return last === '' ? parts : [...parts, last]
}

/** Where the parenthesis that opens at a place is closed. */
function closing(text: string, open: number): number {
  let depth = 0
  let quoted = false
  for (let i = open; i < text.length; i++) {
    const c = text[i]!
    if (quoted) {
      if (c === '\\') i++
      else if (c === '"') quoted = false
    } else if (c === '"') quoted = true
    else if (c === '(') depth++
    else if (c === ')' && --depth === 0) return i
  }
  throw new IrTextError(`a parenthesis is not closed: ${text}`)
}
