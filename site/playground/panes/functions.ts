/** The functions of the file in the editor, as the server lists them, and when to list them again. */
import { SymbolKind, type SymbolInformation } from 'vscode-languageserver-protocol'
import type { Site } from './pane.ts'

export interface ListedFunction {
  /** With the name of its type before it, where it is a method. */
  readonly name: string
  /** Where its name stands, from 0. */
  readonly position: { readonly line: number; readonly character: number }
}

/** How long the text rests before it is looked at again, in milliseconds. */
const rest = 400

export async function functionsOf({ editor }: Site): Promise<readonly ListedFunction[]> {
  const found = await editor.request<object, readonly SymbolInformation[] | null>('textDocument/documentSymbol', {
    textDocument: { uri: editor.uri },
  })
  const kinds: readonly SymbolKind[] = [SymbolKind.Function, SymbolKind.Method]
  return (found ?? [])
    .filter(s => kinds.includes(s.kind))
    .map(({ name, containerName, location }) => ({
      name: containerName === undefined ? name : `${containerName}.${name}`,
      position: location.range.start,
    }))
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
