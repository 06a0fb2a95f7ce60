/** What both forms of the extension share: the client, the commands, and the view of derivatives. */
import * as vscode from 'vscode'
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient'
import { registerChecks } from './check.ts'
import { DerivativeView } from './derivative.ts'

/**
 * Documents that are ours. The official extension gives the language `slang` to files of HLSL too, which Cotangent does not read; the core library
 * comes along.
 */
export const clientOptions: LanguageClientOptions = {
  documentSelector: [
    { language: 'slang', scheme: 'file', pattern: '**/*.slang' },
    { language: 'slang', scheme: 'untitled' },
    { language: 'slang', scheme: 'vscode-vfs', pattern: '**/*.slang' },
    { language: 'slang', scheme: 'vscode-test-web', pattern: '**/*.slang' },
    { language: 'slang', scheme: 'cotangent-core' },
  ],
  // The server asks for these sections; the second belongs to the official extension.
  synchronize: { configurationSection: ['cotangent', 'slang'] },
}

/** Starts a server, and everything around it. `started` is called whenever a server has started. */
export async function start(
  context: vscode.ExtensionContext,
  client: BaseLanguageClient,
  started: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const view = new DerivativeView(client)
  context.subscriptions.push(
    view,
    registerChecks(client),
    vscode.commands.registerCommand('cotangent.restartServer', async () => {
      await client.stop()
      await client.start()
      await started()
    }),
    vscode.commands.registerCommand('cotangent.toggleDerivativeHints', toggleDerivativeHints),
  )
  await client.start()
  await started()
}

async function toggleDerivativeHints(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('cotangent.inlayHints')
  const isOn = settings.get<boolean>('derivative', false)
  await settings.update('derivative', !isOn, vscode.ConfigurationTarget.Global)
}
