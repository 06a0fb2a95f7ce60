/** Edits a long program and asks what an editor asks. Used by editor.mjs. */
import { complete } from '../src/editor/complete.ts'
import { definition } from '../src/editor/definition.ts'
import { hints } from '../src/editor/hints.ts'
import { hover } from '../src/editor/hover.ts'
import { positionOf, type Position, type Range } from '../src/editor/range.ts'
import { signatureHelp } from '../src/editor/signature.ts'
import { semanticTokens } from '../src/editor/tokens.ts'
import { pathOf } from '../src/editor/uri.ts'
import { Workspace } from '../src/editor/workspace.ts'
import { Random } from '../tests/fuzz/random.ts'
import { longProgram } from './editor-program.ts'

interface Settings {
  readonly lines: number
  readonly edits: number
  /** Collects garbage. */
  readonly collect: () => void
  readonly root: URL
}

const uri = 'file:///long.slang'

/** What is asked after an edit, at the place of it. */
const requests: readonly (readonly [string, (workspace: Workspace, position: Position) => unknown])[] = [
  ['completion', (workspace, position) => complete(workspace.at(uri, position)!)],
  ['hover', (workspace, position) => hover(workspace.at(uri, position)!)],
  ['hover of the function around', (workspace, position) => hover(workspace.at(uri, headOf(workspace, position))!)],
  ['signature help', (workspace, position) => signatureHelp(workspace.at(uri, position)!)],
  ['hints of a screen', (workspace, position) => hints(workspace.analysis(uri)!, pathOf(uri), screenAt(position))],
  ['definition', (workspace, position) => definition(workspace, uri, position)],
  ['semantic tokens', workspace => semanticTokens(workspace, uri)],
  ['diagnostics', workspace => finish(workspace.diagnose(uri))],
]

/** The name of the function around a place: the last one at the start of a line. */
function headOf(workspace: Workspace, { line }: Position): Position {
  const { file } = workspace.document(uri)!
  for (let at = line; at >= 0; at--) {
    const found = /^\w+ (?=\w+\()/.exec(file.line(at + 1))
    if (found !== null) return { line: at, character: found[0].length }
  }
  return { line, character: 0 }
}

/** The lines that an editor shows at once. */
function screenAt({ line }: Position): Range {
  return { start: { line: Math.max(0, line - 30), character: 0 }, end: { line: line + 30, character: 0 } }
}

function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Types into functions here and there, one character after the other. */
class Typist {
  readonly workspace = new Workspace({ read: () => undefined })
  readonly #random = new Random(18, 0)
  readonly #starts: readonly number[]
  #typed = ''
  #at = 0
  #version = 0

  constructor(text: string) {
    this.workspace.open(uri, 0, text)
    // Where the first line of a body begins.
    this.#starts = [...text.matchAll(/(?<=\)\n\{\n) {4}(?=\S)/g)].map(m => m.index)
  }

  /** One keystroke; the place behind it. */
  type(): Position {
    const statement = '    float q = max(1.0, 2.0);\n'
    if (this.#typed.length === statement.length) this.#erase()
    if (this.#typed === '') this.#at = this.#random.one(this.#starts)
    const put = statement[this.#typed.length]!
    this.#replace(this.#at + this.#typed.length, 0, put)
    this.#typed += put
    return positionOf(this.workspace.document(uri)!.file, this.#at + this.#typed.length)
  }

  #erase(): void {
    this.#replace(this.#at, this.#typed.length, '')
    this.#typed = ''
  }

  #replace(start: number, length: number, text: string): void {
    const { file } = this.workspace.document(uri)!
    const range = { start: positionOf(file, start), end: positionOf(file, start + length) }
    this.workspace.change(uri, ++this.#version, [{ range, text }])
  }
}

const share = (sorted: readonly number[], part: number): string =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(1)

export function editing({ lines, edits, collect, root }: Settings): void {
  const text = longProgram(lines, root)
  const typist = new Typist(text)
  const { workspace } = typist
  console.log(
    `${text.split('\n').length} lines, ${text.length} characters; milliseconds after a keystroke, of ${edits}\n`,
  )
  const opened = performance.now()
  finish(workspace.diagnose(uri))
  console.log(`cold, when it is opened: ${(performance.now() - opened).toFixed(0)} ms\n`)
  for (let i = 0; i < 50; i++) {
    typist.type()
    finish(workspace.diagnose(uri))
  }
  console.log('| request | median | 95 % | longest |\n|---|--:|--:|--:|')
  for (const [name, ask] of requests) {
    const times: number[] = []
    for (let i = 0; i < edits; i++) {
      const start = performance.now()
      ask(workspace, typist.type())
      times.push(performance.now() - start)
      // What a server does while nobody asks.
      finish(workspace.diagnose(uri))
    }
    times.sort((a, b) => a - b)
    console.log(`| ${name} | ${share(times, 0.5)} | ${share(times, 0.95)} | ${share(times, 1)} |`)
  }
  const before = heap(collect)
  for (let i = 0; i < 1000; i++) {
    typist.type()
    finish(workspace.diagnose(uri))
  }
  const after = heap(collect)
  console.log(`\nheap: ${before.toFixed(1)} MB, and after 1,000 edits more ${after.toFixed(1)} MB`)
}

/** Megabytes in use after garbage is collected. */
function heap(collect: () => void): number {
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}
