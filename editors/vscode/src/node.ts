/** The extension on a desktop: the server is a process of its own, which reads files itself. */
import type * as vscode from 'vscode'
import { LanguageClient, TransportKind, type ServerOptions } from 'vscode-languageclient/node'
import { clientOptions, start } from './start.ts'

let stop = (): Promise<void> => Promise.resolve()

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const module = context.asAbsolutePath('dist/server/start.js')
  const server: ServerOptions = { module, transport: TransportKind.stdio }
  const client = new LanguageClient('cotangent', 'Cotangent', server, clientOptions)
  stop = () => client.stop()
  await start(context, client)
}

export async function deactivate(): Promise<void> {
  await stop()
}
