/** The command that checks the gradient of the function at the cursor, without a lens. */
import * as vscode from 'vscode'
import type { BaseLanguageClient } from 'vscode-languageclient'

/** Registers it. What comes of it, the server tells. */
export function registerChecks(client: BaseLanguageClient): vscode.Disposable {
  return vscode.commands.registerCommand('cotangent.checkGradient', async () => {
    const editor = vscode.window.activeTextEditor
    if (editor?.document.languageId !== 'slang') return
    const { document, selection } = editor
    const { line, character } = selection.active
    const checked = { command: 'cotangent.check', arguments: [document.uri.toString(), { line, character }] }
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: 'Checking the gradient', cancellable: true },
      async (_, token) => {
        try {
          await client.sendRequest('workspace/executeCommand', checked, token)
        } catch (cause) {
          if (!token.isCancellationRequested) void vscode.window.showErrorMessage((cause as Error).message)
        }
      },
    )
  })
}
