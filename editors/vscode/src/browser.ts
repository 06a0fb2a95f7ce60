/** The extension in a browser: the server is a worker, which cannot read files. It is sent the shaders and project files of the workspace. */
import * as vscode from 'vscode'
import { LanguageClient } from 'vscode-languageclient/browser'
import { clientOptions, start } from './start.ts'

/** How many files are sent. */
const mostFiles = 500
const sent = '**/{*.slang,*.slangh,*.h,*.hlsl,cotangent.json}'
const left = '**/node_modules/**'

let stop = (): Promise<void> => Promise.resolve()

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const script = vscode.Uri.joinPath(context.extensionUri, 'dist/server/worker.js').toString(true)
  // Asked again at each start of the server.
  const server = (): Promise<Worker> => Promise.resolve(new Worker(script))
  const client = new LanguageClient('cotangent', 'Cotangent', server, clientOptions)
  stop = () => client.stop()
  const sendAll = async (): Promise<void> => sendFiles(client, await vscode.workspace.findFiles(sent, left, mostFiles))
  await start(context, client, sendAll)
  const watcher = vscode.workspace.createFileSystemWatcher(sent)
  const send = (uri: vscode.Uri): void => void sendFiles(client, [uri])
  context.subscriptions.push(watcher, watcher.onDidChange(send), watcher.onDidCreate(send), watcher.onDidDelete(send))
}

/** Sends texts of files, and `null` for those that are gone. */
async function sendFiles(client: LanguageClient, uris: readonly vscode.Uri[]): Promise<void> {
  const decoder = new TextDecoder()
  const files: Record<string, string | null> = {}
  await Promise.all(
    uris.map(async uri => {
      try {
        files[uri.toString()] = decoder.decode(await vscode.workspace.fs.readFile(uri))
      } catch {
        files[uri.toString()] = null
      }
    }),
  )
  await client.sendNotification('cotangent/files', { files })
}

export async function deactivate(): Promise<void> {
  await stop()
}
