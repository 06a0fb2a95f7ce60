/** The functions of the file in the editor, as the server lists them, and when to list them again. */
import { SymbolKind, type DocumentSymbol } from 'vscode-languageserver-protocol'
import { textOf } from '../project/project.ts'
import type { Site } from './pane.ts'

interface Place {
  /** From 0. */
  readonly line: number
  readonly character: number
}

export interface ListedFunction {
  /** With the name of its type before it, where it is a method, and with a number behind, where others before it have the same. */
  readonly name: string
  /** Where its name stands. */
  readonly position: Place
  /** The whole declaration. */
  readonly range: { readonly start: Place; readonly end: Place }
  /** Whether it says itself that it has derivatives. */
  readonly marked: boolean
}

/** How long the text rests before it is looked at again, in milliseconds. */
const rest = 400

const kinds: ReadonlySet<SymbolKind> = new Set([
  SymbolKind.Function,
  SymbolKind.Method,
  SymbolKind.Constructor,
  SymbolKind.Operator,
])
const attribute =
  /\[\s*(?:Differentiable|BackwardDifferentiable|ForwardDifferentiable|BackwardDerivative|ForwardDerivative)\b/

/** The functions of the file that have a body, in order. */
export async function functionsOf({ editor, project }: Site, signal?: AbortSignal): Promise<readonly ListedFunction[]> {
  const found = await editor.request<object, readonly DocumentSymbol[] | null>(
    'textDocument/documentSymbol',
    { textDocument: { uri: editor.uri } },
    signal && { signal },
  )
  const lines = (textOf(project.value, project.value.open) ?? '').split('\n')
  const taken = new Map<string, number>()
  const list = (symbols: readonly DocumentSymbol[], around: string): ListedFunction[] =>
    symbols.flatMap(({ name, kind, range, selectionRange, children = [] }) => {
      const whole = `${around}${name}`
      const inside = list(children, kind === SymbolKind.Namespace ? around : `${whole}.`)
      const text = textIn(lines, range)
      const isSubscript = kind === SymbolKind.Operator && !name.startsWith('operator')
      if (!kinds.has(kind) || isSubscript || !text.includes('{')) return inside
      const number = (taken.get(whole) ?? 0) + 1
      taken.set(whole, number)
      const unique = number === 1 ? whole : `${whole} (${number})`
      return [{ name: unique, position: selectionRange.start, range, marked: attribute.test(text) }, ...inside]
    })
  return list(found ?? [], '')
}

function textIn(lines: readonly string[], { start, end }: ListedFunction['range']): string {
  return lines
    .slice(start.line, end.line + 1)
    .map((text, i, { length }) =>
      text.slice(
        i === 0 ? start.character : 0,
        i === length - 1 && start.line !== end.line ? end.character : undefined,
      ),
    )
    .join('\n')
}

/** The innermost function around a place. */
export function functionAround(functions: readonly ListedFunction[], at: Place): ListedFunction | undefined {
  return functions.findLast(({ range: { start, end } }) => compare(start, at) <= 0 && compare(at, end) <= 0)
}

function compare(a: Place, b: Place): number {
  return a.line - b.line || a.character - b.character
}

/** Calls `draw` once the server answers, and a while after each change of the program. What it gives ends that. */
export function whenChanged({ project, editor }: Site, draw: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (): void => {
    clearTimeout(timer)
    if (editor.ready.value) timer = setTimeout(draw, rest)
  }
  const ends = [
    editor.ready.subscribe(later),
    project.subscribe((now, before) => {
      if (now.files !== before.files || now.open !== before.open) later()
    }),
  ]
  if (editor.ready.value) draw()
  return () => {
    clearTimeout(timer)
    for (const end of ends) end()
  }
}

/** What went wrong, for people. The client gives the server's errors as they came, as objects with a message. */
export function messageOf(cause: unknown): string {
  return typeof cause === 'object' && cause !== null && 'message' in cause ? String(cause.message) : String(cause)
}
