/** Edits a long program and asks what an editor asks. Used by editor.mjs. */
import { definition } from '../src/editor/definition.ts'
import { positionOf, type Position } from '../src/editor/range.ts'
import { semanticTokens } from '../src/editor/tokens.ts'
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

/** What is asked after an edit, at the place of it. Completion, hover and signature help belong here too. */
const requests: readonly (readonly [string, (workspace: Workspace, position: Position) => unknown])[] = [
  ['definition', (workspace, position) => definition(workspace, uri, position)],
  ['semantic tokens', workspace => semanticTokens(workspace, uri)],
  ['diagnostics', workspace => finish(workspace.diagnose(uri))],
]

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
