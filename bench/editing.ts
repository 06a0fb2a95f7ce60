/** Edits a long program and asks what an editor asks. Used by editor.mjs. */
import { complete } from '../src/editor/complete.ts'
import { definition } from '../src/editor/definition.ts'
import { hints } from '../src/editor/hints.ts'
import { hover } from '../src/editor/hover.ts'
import { type Position, type Range } from '../src/editor/range.ts'
import { signatureHelp } from '../src/editor/signature.ts'
import { semanticTokens } from '../src/editor/tokens.ts'
import { pathOf } from '../src/editor/uri.ts'
import { Workspace } from '../src/editor/workspace.ts'
import { Keys, uri } from './editor-keys.ts'
import { longProgram } from './editor-program.ts'
import { Report } from './editor-report.ts'
import { serverLatency } from './editor-server.ts'

interface Settings {
  readonly lines: number
  readonly edits: number
  /** Collects garbage. */
  readonly collect: () => void
  readonly root: URL
}

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

export async function editing({ lines, edits, collect, root }: Settings): Promise<void> {
  const text = longProgram(lines, root)
  const keys = new Keys(text)
  const workspace = new Workspace({ read: () => undefined })
  workspace.open(uri, 0, text)
  const type = (): Position => {
    const { version, changes, position } = keys.press()
    workspace.change(uri, version, changes)
    return position
  }
  console.log(
    `${text.split('\n').length} lines, ${text.length} characters; milliseconds after a keystroke, of ${edits}\n`,
  )
  const opened = performance.now()
  finish(workspace.diagnose(uri))
  console.log(`cold, when it is opened: ${(performance.now() - opened).toFixed(0)} ms\n`)
  for (let i = 0; i < 50; i++) {
    type()
    finish(workspace.diagnose(uri))
  }
  const report = new Report()
  report.head()
  for (const [name, ask] of requests) {
    const times: number[] = []
    for (let i = 0; i < edits; i++) {
      const start = performance.now()
      ask(workspace, type())
      times.push(performance.now() - start)
      // What a server does while nobody asks.
      finish(workspace.diagnose(uri))
    }
    report.row(name, times)
  }
  await serverLatency(text, edits, root, report)
  const before = heap(collect)
  for (let i = 0; i < 1000; i++) {
    type()
    finish(workspace.diagnose(uri))
  }
  const after = heap(collect)
  console.log(`\nheap: ${before.toFixed(1)} MB, and after 1,000 edits more ${after.toFixed(1)} MB`)
  if (after > before * 1.02 + 0.5) report.missed.push(`heap: grew from ${before.toFixed(1)} to ${after.toFixed(1)} MB`)
  console.log(report.missed.length === 0 ? '\nPASS' : `\nFAIL\n${report.missed.map(m => `  ${m}`).join('\n')}`)
  if (report.missed.length > 0) process.exitCode = 1
}

/** Megabytes in use after garbage is collected. */
function heap(collect: () => void): number {
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}
