/** What an editor waits for of `cotangent lsp --stdio` itself: each keystroke is sent and asked about over the protocol. Used by editor.mjs. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import {
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
} from 'vscode-languageserver/node'
import { Keys, uri, type Keystroke } from './editor-keys.ts'
import { goals, type Report } from './editor-report.ts'

/** Types into a program that a server has open, and reports how long its answers take. */
export async function serverLatency(text: string, edits: number, root: URL, report: Report): Promise<void> {
  const cli = fileURLToPath(new URL('dist/cli.js', root))
  const child = spawn(process.execPath, [cli, 'lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  /** Who waits for the diagnostics of a version. */
  const waiting = new Map<number, () => void>()
  connection.onNotification(PublishDiagnosticsNotification.type, ({ version }) => waiting.get(version!)?.())
  const published = (version: number): Promise<void> => new Promise(done => waiting.set(version, done))
  connection.listen()
  const capabilities = { textDocument: { publishDiagnostics: { versionSupport: true } } }
  await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities })
  await connection.sendNotification('initialized', {})
  const textDocument = { uri, languageId: 'slang', version: 0, text }
  void connection.sendNotification('textDocument/didOpen', { textDocument })
  await published(0)

  const keys = new Keys(text)
  const ask = async (answer: (of: Keystroke) => Promise<unknown>): Promise<number> => {
    const pressed = keys.press()
    const { version, changes: contentChanges } = pressed
    const start = performance.now()
    void connection.sendNotification('textDocument/didChange', { textDocument: { uri, version }, contentChanges })
    await answer(pressed)
    return performance.now() - start
  }
  const request =
    (method: string) =>
    ({ position }: Keystroke): Promise<unknown> =>
      connection.sendRequest(`textDocument/${method}`, { textDocument: { uri }, position })
  const diagnostics = ({ version }: Keystroke): Promise<unknown> => published(version)
  for (let i = 0; i < 50; i++) await ask(diagnostics)
  for (const [name, answer, goal] of [
    ['diagnostics', diagnostics, goals.diagnostics],
    ['completion', request('completion'), goals.request],
    ['hover', request('hover'), goals.request],
  ] as const) {
    const times: number[] = []
    for (let i = 0; i < edits; i++) times.push(await ask(answer))
    report.row(`${name} over the protocol`, times, goal)
  }
  await connection.sendRequest('shutdown')
  await connection.sendNotification('exit')
}
