/** Macros: their definitions, and the expansion of their uses. */
import {
  badMacroParams,
  badPaste,
  badStringize,
  duplicateMacroParam,
  expectedInDirective,
  macroRedefined,
  pasteAtEdge,
} from '../base/errors/syntax.ts'
import type { Sink } from '../base/diag.ts'
import { SourceFile, type Span } from '../base/source.ts'
import { kindOfText, lex } from './lex.ts'
import { badKind, eofKind, nameKind, punctuatorKind, stringKind } from './token.ts'

/** A token on its way through the preprocessor. */
export interface Tok {
  readonly kind: number
  readonly text: string
  /** The span for messages: its own, or that of the macro use that it came from. */
  readonly file: SourceFile
  readonly start: number
  readonly end: number
  readonly flags: number
  /** The macros that it came from, which do not apply to it again. */
  readonly hidden: Hidden | undefined
}

/** A set of macros as a list that grows at its head: comparing objects costs less than comparing names. */
export interface Hidden {
  readonly macro: Macro
  readonly rest: Hidden | undefined
}

export interface Macro {
  readonly name: string
  /** Undefined for `#define N 3`. */
  readonly params: readonly string[] | undefined
  readonly variadic: boolean
  readonly body: readonly Tok[]
  /** Its name where it is defined; undefined for one that an option defines. */
  readonly span: Span | undefined
}

/** The macros that are defined, by name. A table may be handed from one file to the next of the same module. */
export type MacroTable = Map<string, Macro>

/** The macros that Slang's own compiler defines for a file in Slang. */
export const predefined: ReadonlyMap<string, string> = new Map([
  ['__SLANG__', '1'],
  ['__SLANG_COMPILER__', '1'],
  ['__HLSL__', '1'],
  ['__HLSL_VERSION', '2018'],
])

/** A table with macros such as `{ DEBUG: '1' }`. */
export function macroTable(definitions: Readonly<Record<string, string>>): MacroTable {
  const table: MacroTable = new Map()
  for (const [name, value] of Object.entries(definitions)) {
    table.set(name, {
      name,
      params: undefined,
      variadic: false,
      body: tokensOf(new SourceFile('<command line>', value)),
      span: undefined,
    })
  }
  return table
}

/** All tokens of a text as objects. */
export function tokensOf(file: SourceFile): Tok[] {
  const raw = lex(file)
  const toks: Tok[] = []
  for (let i = 0; i + 1 < raw.count; i++) {
    const start = raw.starts[i]!
    const end = raw.ends[i]!
    toks.push({
      kind: raw.kinds[i]!,
      text: file.text.slice(start, end),
      file,
      start,
      end,
      flags: raw.flags[i]!,
      hidden: undefined,
    })
  }
  return toks
}

export function isHidden(hidden: Hidden | undefined, macro: Macro): boolean {
  for (let h = hidden; h !== undefined; h = h.rest) if (h.macro === macro) return true
  return false
}

const open = punctuatorKind('(')
const close = punctuatorKind(')')
const comma = punctuatorKind(',')
const dots = punctuatorKind('...')
const hash = punctuatorKind('#')
const paste = punctuatorKind('##')

/** Reads `NAME`, `NAME(a, b, ...)` and the body from the tokens after `#define`, and adds the macro to the table. */
export function define(
  line: readonly Tok[],
  at: Span,
  table: MacroTable,
  sink: Sink,
  spanOf: (tok: Tok) => Span,
): void {
  const head = line[0]
  if (head === undefined || head.kind !== nameKind) {
    sink.add(expectedInDirective, head === undefined ? at : spanOf(head), { what: 'a name', directive: 'define' })
    return
  }
  let params: string[] | undefined
  let variadic = false
  let i = 1
  if (line[1]?.kind === open && line[1].start === head.end) {
    params = []
    i = 2
    for (;;) {
      const tok = line[i]
      const bad = (what: string): void => sink.add(badMacroParams, tok === undefined ? at : spanOf(tok), { what })
      if (tok?.kind === close && params.length === 0) break
      if (tok?.kind === dots) {
        variadic = true
        params.push('__VA_ARGS__')
      } else if (tok?.kind === nameKind) {
        if (params.includes(tok.text)) {
          sink.add(duplicateMacroParam, spanOf(tok), { name: tok.text })
          return
        }
        params.push(tok.text)
        if (line[i + 1]?.kind === dots) {
          variadic = true
          i++
        }
      } else return bad('a name')
      i++
      const next = line[i]
      if (next?.kind === close) break
      if (next?.kind !== comma || variadic) return bad(`')'`)
      i++
    }
    i++
  }
  const body = line.slice(i)
  const edge = body[0]?.kind === paste ? body[0] : body.at(-1)?.kind === paste ? body.at(-1) : undefined
  if (edge !== undefined) {
    sink.add(pasteAtEdge, spanOf(edge), {})
    return
  }
  const lone =
    params === undefined ? undefined : body.find((t, k) => t.kind === hash && !params.includes(body[k + 1]?.text ?? ''))
  if (lone !== undefined) {
    sink.add(badStringize, spanOf(lone), {})
    return
  }
  const macro: Macro = { name: head.text, params, variadic, body, span: spanOf(head) }
  const old = table.get(head.text)
  if (old !== undefined && !isSameMacro(old, macro)) sink.add(macroRedefined, spanOf(head), { name: head.text })
  table.set(head.text, macro)
}

function isSameMacro(a: Macro, b: Macro): boolean {
  // `#define F() x` and `#define F x` differ, and so do their parameters: '' and undefined.
  return (
    a.variadic === b.variadic &&
    a.params?.join() === b.params?.join() &&
    a.body.length === b.body.length &&
    a.body.every((t, i) => t.text === b.body[i]!.text)
  )
}

/** The tokens that replace a use of the macro. `expandArg` expands an argument on its own. */
export function substitute(
  macro: Macro,
  use: Tok,
  args: readonly (readonly Tok[])[],
  expandArg: (arg: readonly Tok[]) => readonly Tok[],
  sink: Sink,
  spanOf: (tok: Tok) => Span,
): Tok[] {
  const hidden: Hidden = { macro, rest: use.hidden }
  const params = macro.params ?? []
  const expanded: (readonly Tok[] | undefined)[] = []
  const result: Tok[] = []
  const body = macro.body
  const spend = (tokens: number): void => sink.work.spend('tokens', tokens, () => spanOf(use))
  spend(body.length + 1)
  const place = (tok: Tok, flags: number): Tok => ({
    kind: tok.kind,
    text: tok.text,
    file: use.file,
    start: use.start,
    end: use.end,
    flags,
    hidden,
  })
  for (let i = 0; i < body.length; i++) {
    const tok = body[i]!
    const param = tok.kind === nameKind ? params.indexOf(tok.text) : -1
    if (tok.kind === hash && macro.params !== undefined) {
      const target = params.indexOf(body[i + 1]!.text)
      i++
      result.push(
        place({ ...tok, kind: stringKind, text: stringize(args[target] ?? [], use, sink, spanOf) }, tok.flags),
      )
      continue
    }
    if (tok.kind === paste && result.length > 0) {
      const next = body[++i]!
      const target = next.kind === nameKind ? params.indexOf(next.text) : -1
      const right = target < 0 ? [place(next, next.flags)] : (args[target] ?? [])
      if (right.length === 0) {
        // GNU: `, ## __VA_ARGS__` with no arguments drops the comma.
        if (target === params.length - 1 && macro.variadic && result.at(-1)!.kind === comma) result.pop()
        continue
      }
      if (target === params.length - 1 && macro.variadic && result.at(-1)!.kind === comma) {
        for (const t of expandArg(right)) result.push(hide(t, macro))
        continue
      }
      spend(right.length)
      pasteTokens(result, right, use, hidden, sink, spanOf)
      continue
    }
    if (param >= 0) {
      const arg = args[param] ?? []
      const unexpanded = body[i + 1]?.kind === paste
      const toks = unexpanded ? arg : (expanded[param] ??= expandArg(arg))
      spend(toks.length)
      if (toks.length === 0 && unexpanded) {
        // An empty left side: what follows `##` stands alone.
        const next = body[i + 2]!
        const target = next.kind === nameKind ? params.indexOf(next.text) : -1
        if (target < 0) result.push(place(next, tok.flags))
        else for (const t of args[target] ?? []) result.push(hide(t, macro))
        i += 2
        continue
      }
      for (let k = 0; k < toks.length; k++) {
        const t = hide(toks[k]!, macro)
        result.push(k === 0 ? { ...t, flags: tok.flags } : t)
      }
      continue
    }
    result.push(place(tok, tok.flags))
  }
  return result
}

function hide(tok: Tok, macro: Macro): Tok {
  return isHidden(tok.hidden, macro) ? tok : { ...tok, hidden: { macro, rest: tok.hidden } }
}

function pasteTokens(
  result: Tok[],
  right: readonly Tok[],
  use: Tok,
  hidden: Hidden,
  sink: Sink,
  spanOf: (tok: Tok) => Span,
): void {
  const left = result.pop()!
  const text = left.text + right[0]!.text
  sink.work.spend('text', text.length, () => spanOf(use))
  const kind = kindOfText(new SourceFile('', text))
  if (kind === undefined || kind === badKind || kind === eofKind) {
    sink.add(badPaste, spanOf(use), { text })
    result.push(left, right[0]!)
  } else result.push({ kind, text, file: use.file, start: use.start, end: use.end, flags: left.flags, hidden })
  for (let i = 1; i < right.length; i++) result.push(right[i]!)
}

function stringize(arg: readonly Tok[], use: Tok, sink: Sink, spanOf: (tok: Tok) => Span): string {
  let text = ''
  arg.forEach((tok, i) => {
    if (i > 0 && tok.flags !== 0) text += ' '
    text += tok.kind === stringKind ? tok.text.replace(/[\\"]/g, c => `\\${c}`) : tok.text
  })
  sink.work.spend('text', text.length, () => spanOf(use))
  return `"${text}"`
}

/** The text that tokens stand for, from the first to the last. */
export function textOf(toks: readonly Tok[]): string {
  const first = toks[0]
  const last = toks.at(-1)
  return first === undefined || last === undefined ? '' : first.file.text.slice(first.start, last.end)
}

/** Takes `( … )` from the end of a reversed list of tokens. */
export function splitArguments(todo: Tok[], macro: Macro): Tok[][] | undefined {
  if (todo.at(-1)?.kind !== open) return undefined
  const args: Tok[][] = [[]]
  const limit = macro.variadic ? macro.params!.length : Infinity
  let depth = 0
  for (let i = todo.length - 2; i >= 0; i--) {
    const tok = todo[i]!
    if (tok.kind === open) depth++
    else if (tok.kind === close && depth-- === 0) {
      todo.length = i
      return args
    }
    if (tok.kind === comma && depth === 0 && args.length < limit) args.push([])
    else args.at(-1)!.push(tok)
  }
  return undefined
}
